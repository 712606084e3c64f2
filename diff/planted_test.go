package diff

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// plant changes one instruction of a launch's modules: the nth (from 0) of an
// opcode that stands on a source line becomes another one.
func plant(t testing.TB, l *launch.Launch, line, nth int, from, to spirv.Opcode) {
	t.Helper()
	done := map[*spirv.Module]bool{}
	for _, d := range launch.Dispatches(l.Steps) {
		if done[d.Module] {
			continue
		}
		u, err := spirv.Resolve(d.Module, d.Spec)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := range d.Module.Insts {
			if d.Module.Insts[i].Op == from && u.PosOf(i).Line == line {
				if n == nth {
					d.Module.Insts[i].Op = to
					done[d.Module] = true
					break
				}
				n++
			}
		}
		if !done[d.Module] {
			t.Fatalf("no %v number %d on line %d", from, nth, line)
		}
	}
}

// planted are faults in the second machine's module, and what must be found.
var planted = []struct {
	file     string
	line     int // of the instruction
	nth      int
	from, to spirv.Opcode
	first    string // element
	differ   int    // numbers, by hand; 0: not worked out
	blamed   int    // line of the last write
	global   [3]uint32
	history  []string // old to new, by the blamed thread
}{
	{
		// data[i] is 2.5*i, and i+2.5 with the fault: equal at i = 5/3 only.
		file: "amp/vector_scaling", line: 11, from: spirv.OpFMul, to: spirv.OpFAdd,
		first: "data[0]", differ: 1000, blamed: 11, history: []string{"0 to 0"},
	},
	{
		// The border of the 32x32 stays; row 1, column 1 is the first inner one.
		file: "amp/stencil", line: 30, from: spirv.OpFMul, to: spirv.OpFAdd,
		first: "odd[33]", differ: 30 * 30, blamed: 32, global: [3]uint32{1, 1, 0},
	},
	{
		file: "amp/matmul_tiled", line: 25, from: spirv.OpFAdd, to: spirv.OpFSub,
		first: "c[0]", blamed: 29, global: [3]uint32{0, 0, 0},
	},
	{
		// One thread of each tile writes the tile's sum.
		file: "amp/reduction", line: 17, nth: 1, from: spirv.OpIAdd, to: spirv.OpISub,
		blamed: 22,
	},
}

// machines gives the machines that planted faults run on: another emulator
// and, where there is one, the device.
func machines(t *testing.T, f func(t *testing.T, side func(l *launch.Launch) *Side)) {
	t.Run("emulator", func(t *testing.T) {
		f(t, func(l *launch.Launch) *Side {
			s := EmulatorSide(l, emu.Options{Warp: 8})
			s.Name = "device"
			return s
		})
	})
	t.Run("device", func(t *testing.T) {
		a := open(t)
		f(t, func(l *launch.Launch) *Side { return GPUSide(l, a) })
	})
}

func TestPlantedFaultsAreFound(t *testing.T) {
	machines(t, func(t *testing.T, side func(l *launch.Launch) *Side) {
		for _, p := range planted {
			t.Run(filepath.Base(p.file), func(t *testing.T) {
				file := "../testdata/" + p.file + ".amber"
				x, y := load(t, file), load(t, file)
				plant(t, y, p.line, p.nth, p.from, p.to)
				o, err := Compare(t.Context(), [2]*Side{EmulatorSide(x, emu.Options{}), side(y)}, Options{Override: NoOverride})
				if err != nil {
					t.Fatal(err)
				}
				if o.class() != "differs" || o.Parted != 1 || len(o.Blames) == 0 {
					t.Fatalf("%s after dispatch %d:\n%s", o.class(), o.Parted, text(o))
				}
				b := &o.Blames[0]
				if p.first != "" && b.Element.Name != p.first {
					t.Errorf("the first element is %s, want %s", b.Element.Name, p.first)
				}
				if p.differ != 0 && b.Memory.Beyond != p.differ {
					t.Errorf("%d numbers differ, want %d", b.Memory.Beyond, p.differ)
				}
				if w := b.Last; w == nil || w.Pos.Line != p.blamed || p.first != "" && w.Thread.Global != p.global {
					t.Errorf("blamed: %+v, want line %d, thread %v", w, p.blamed, p.global)
				}
				var history []string
				for _, w := range b.Thread {
					history = append(history, b.Memory.format(&b.Element, w.Old)+" to "+b.Memory.format(&b.Element, w.New))
				}
				if p.history != nil && strings.Join(history, "; ") != strings.Join(p.history, "; ") {
					t.Errorf("history %q, want %q", history, p.history)
				}
				for i := range o.Blames {
					b := &o.Blames[i]
					if b.Last == nil {
						t.Errorf("no one is blamed for %s", b.Element.Name)
					} else if got := b.Memory.format(&b.Element, b.Last.New); got != b.Element.Text[0] {
						t.Errorf("%s is %s, and the last write left %s", b.Element.Name, b.Element.Text[0], got)
					}
				}
				checkReport(t, o)
			})
		}
	})
}

// checkReport holds the report of an outcome with differences against it.
func checkReport(t *testing.T, o *Outcome) {
	t.Helper()
	r := o.Report()
	if len(r.Findings) == 0 {
		t.Fatal("no finding")
	}
	f := &r.Findings[len(r.Findings)-1]
	if f.Code != diag.Difference || f.Severity != diag.SeverityError || len(f.Accesses) != 1 {
		t.Errorf("finding %+v", f)
	}
	b := &o.Blames[0]
	for _, want := range []string{b.Element.Name, b.Element.Text[0], b.Element.Text[1]} {
		if !strings.Contains(r.Findings[0].Message, want) {
			t.Errorf("no %q in %q", want, r.Findings[0].Message)
		}
	}
	var out bytes.Buffer
	if err := diag.WriteJSON(&out, []*diag.Report{r}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"gpu-difference"`, `"hex": [`, fmt.Sprintf(`"differ": %d`, b.Memory.Beyond), `"global_id"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
}

// A folder of saved results stands for the machine that made them.
func TestSavedResults(t *testing.T) {
	file := "../testdata/amp/stencil.amber"
	dir := t.TempDir()
	clean, faulty := filepath.Join(dir, "clean"), filepath.Join(dir, "faulty")
	if err := Record(t.Context(), EmulatorSide(load(t, file), emu.Options{}), clean, nil); err != nil {
		t.Fatal(err)
	}
	l := load(t, file)
	plant(t, l, 30, 0, spirv.OpFMul, spirv.OpFAdd)
	if err := Record(t.Context(), EmulatorSide(l, emu.Options{}), faulty, nil); err != nil {
		t.Fatal(err)
	}
	saved := func(dir string) *Side {
		s, err := SavedSide(load(t, file), dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	live := func() *Side { return EmulatorSide(load(t, file), emu.Options{}) }
	for name, c := range map[string]struct {
		sides [2]*Side
		want  string
	}{
		"saved, live":             {[2]*Side{saved(clean), live()}, "equal"},
		"live, saved":             {[2]*Side{live(), saved(clean)}, "equal"},
		"saved with fault, live":  {[2]*Side{saved(faulty), live()}, "differs"},
		"live, saved with fault":  {[2]*Side{live(), saved(faulty)}, "differs"},
		"saved, saved with fault": {[2]*Side{saved(clean), saved(faulty)}, "differs"},
	} {
		o, err := Compare(t.Context(), c.sides, Options{Override: NoOverride})
		if err != nil {
			t.Fatal(name, err)
		}
		if o.class() != c.want {
			t.Errorf("%s: %s", name, text(o))
		}
		if c.want == "differs" && (o.Blames[0].Element.Name != "odd[33]" || o.Blames[0].Last == nil || o.Blames[0].Last.Pos.Line != 32) {
			t.Errorf("%s: blamed %+v", name, o.Blames[0].Last)
		}
	}
}

func TestUnusableSavedResults(t *testing.T) {
	file := "../testdata/amp/vector_scaling.amber"
	good := t.TempDir()
	if err := Record(t.Context(), EmulatorSide(load(t, file), emu.Options{}), good, nil); err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(good, manifestFile))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"none":          {"", "no results of an earlier run"},
		"no JSON":       {"{", "unexpected end of JSON"},
		"other launch":  {strings.Replace(string(manifest), `"data"`, `"date"`, 1), `results of "date" where the launch has "data"`},
		"fewer buffers": {strings.Replace(string(manifest), `"data",`, ``, 1), "results of 2 buffers and images, and the launch has 3"},
		"outside":       {strings.Replace(string(manifest), `.bin"`, `/../../x.bin"`, 1), "is no file name"},
		"missing file":  {string(manifest), "no such file"},
	} {
		dir := t.TempDir()
		if c.text != "" {
			if err := os.WriteFile(filepath.Join(dir, manifestFile), []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		side, err := SavedSide(load(t, file), dir)
		if err == nil {
			_, err = Compare(t.Context(), [2]*Side{EmulatorSide(load(t, file), emu.Options{}), side}, Options{Override: NoOverride})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// The picture has a coloured square for each number that differs.
func TestDraw(t *testing.T) {
	file := "../testdata/amp/stencil.amber"
	y := load(t, file)
	plant(t, y, 30, 0, spirv.OpFMul, spirv.OpFAdd)
	o := emulators(t, load(t, file), y, Options{Override: NoOverride})
	var m *Memory
	for _, m = range o.Memories {
		if !m.Same() {
			break
		}
	}
	var out bytes.Buffer
	if err := Draw(&out, m, o.Dispatch, 0); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	scale := img.Bounds().Dx() / 32
	if img.Bounds().Dx() != img.Bounds().Dy() || scale < 1 {
		t.Fatalf("a picture of %v for 32x32 numbers", img.Bounds())
	}
	for y := range 32 {
		for x := range 32 {
			r, g, b, _ := img.At(x*scale, y*scale).RGBA()
			grey := r == g && g == b
			if border := x == 0 || y == 0 || x == 31 || y == 31; grey != border {
				t.Fatalf("(%d,%d) is grey: %v", x, y, grey)
			}
		}
	}
	if err := Draw(&out, &Memory{Name: "x", Numbers: 7}, nil, 0); err == nil || !strings.Contains(err.Error(), "columns") {
		t.Errorf("without a width: %v", err)
	}
}

// Overrides replace the tolerance for floats and leave integers alone.
func TestOverrides(t *testing.T) {
	file := "../testdata/amp/vector_scaling.amber"
	nan := NoOverride.ULP
	for _, c := range []struct {
		over Override
		want string
	}{
		{Override{nan, 1e9, nan}, "within tolerance"},
		{Override{1e10, nan, nan}, "within tolerance"},
		{Override{nan, nan, 0.001}, "differs"},
		{Override{0, nan, nan}, "differs"},
	} {
		y := load(t, file)
		plant(t, y, 11, 0, spirv.OpFMul, spirv.OpFAdd)
		if o := emulators(t, load(t, file), y, Options{Override: c.over}); o.class() != c.want {
			t.Errorf("%+v: %s", c.over, text(o))
		}
	}
	y := load(t, "../testdata/amp/reduction.amber")
	plant(t, y, 17, 1, spirv.OpIAdd, spirv.OpISub)
	if o := emulators(t, load(t, "../testdata/amp/reduction.amber"), y, Options{Override: Override{1e10, 1e10, 1e10}}); o.class() != "differs" {
		t.Errorf("integers: %s", text(o))
	}
}

// A race is the headline where the element depends on it.
func TestRacesAreTheHeadline(t *testing.T) {
	for _, name := range []string{"race_intra_tile_shared", "race_intra_tile_reuse", "race_same_instruction"} {
		file := "../testdata/race/" + name + ".amber"
		x := EmulatorSide(load(t, file), emu.Options{Warp: 4})
		y := EmulatorSide(load(t, file), emu.Options{Warp: 1, Seed: 3})
		o, err := Compare(t.Context(), [2]*Side{x, y}, Options{Override: NoOverride})
		if err != nil {
			t.Fatal(err)
		}
		if o.class() != "racy" {
			t.Errorf("%s is %s:\n%s", name, o.class(), text(o))
			continue
		}
		r := o.Report()
		last := r.Findings[len(r.Findings)-1]
		if r.Findings[0].Code != diag.Race || last.Class != diag.DifferenceRacy || !strings.HasPrefix(last.Message, "a race touches ") {
			t.Errorf("%s: %s first, then %s: %s", name, r.Findings[0].Rule(), last.Rule(), last.Message)
		}
	}
}
