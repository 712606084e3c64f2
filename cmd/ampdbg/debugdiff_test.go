package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/debugger"
	"ampdbg/debugger/repl"
	"ampdbg/diff"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// plant makes the nth instruction (from 0) with an opcode, on a source line of
// the modules of a launch, one with another opcode.
func plant(t *testing.T, steps []launch.Step, line, nth int, from, to spirv.Opcode) {
	t.Helper()
	for _, step := range steps {
		switch x := step.(type) {
		case *launch.Loop:
			plant(t, x.Steps, line, nth, from, to)
		case *launch.Dispatch:
			u, err := spirv.Resolve(x.Module, x.Spec)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for i := range x.Module.Insts {
				if in := &x.Module.Insts[i]; in.Op == from && u.PosOf(i).Line == line {
					if n == nth {
						in.Op = to
						break
					}
					n++
				}
			}
		}
	}
}

// plantedFaults are instructions that the other machine gets wrong, and the
// source line of the write that is blamed.
var plantedFaults = []struct {
	file      string
	line, nth int
	from, to  spirv.Opcode
	blamed    int
}{
	{"vector_scaling", 11, 0, spirv.OpFMul, spirv.OpFAdd, 11},
	{"stencil", 30, 0, spirv.OpFMul, spirv.OpFAdd, 32},
	{"matmul_tiled", 25, 0, spirv.OpFAdd, spirv.OpFSub, 29},
	{"reduction", 17, 1, spirv.OpIAdd, spirv.OpISub, 22},
}

// TestGoToBlamedWrites compares with an emulator whose module has a fault, and
// goes to the write of each element that differs: from the start, from where
// that leads, from the end, and where the session's warps are others.
func TestGoToBlamedWrites(t *testing.T) {
	for _, p := range plantedFaults {
		for _, lanes := range []int{0, 8} {
			file := "../../testdata/amp/" + p.file + ".amber"
			load := func() *launch.Launch {
				l, err := launch.Load(file, launch.LoadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				return l
			}
			x, y := load(), load()
			plant(t, y.Steps, p.line, p.nth, p.from, p.to)
			var o debugOptions
			outcome, err := diff.Compare(t.Context(), [2]*diff.Side{o.emulatorSide(x), diff.EmulatorSide(y, emu.Options{})}, diff.Options{Override: diff.NoOverride})
			if err != nil {
				t.Fatal(err)
			}
			s, err := debugger.New(load(), debugger.Options{Warp: lanes})
			if err != nil {
				t.Fatal(err)
			}
			d := difference(outcome, x, s.Launch().Warp)
			if d.Dispatch != 1 || len(d.Elements) == 0 {
				t.Fatalf("%s: results part after dispatch %d, %d elements", p.file, d.Dispatch, len(d.Elements))
			}
			var focus debugger.ThreadID
			check := func(when string, i int) {
				t.Helper()
				e := &d.Elements[i]
				st, err := s.GoToWrite(t.Context(), focus, d, e)
				if err != nil {
					t.Errorf("%s, %s: %s: %v", p.file, when, e.Name, err)
					return
				}
				focus = st.Thread
				th := threadOf(t, s, st)
				if th.Global != e.Last.Thread.Global || st.Pos.Line != p.blamed || th.Status != debugger.Active || st.Text != "" {
					t.Errorf("%s, %s: %s: at line %d, thread %v, %s %q; expected line %d, thread %v", p.file, when, e.Name,
						st.Pos.Line, th.Global, th.Status, st.Text, p.blamed, e.Last.Thread.Global)
				}
			}
			check("from the start", len(d.Elements)-1)
			for i := range d.Elements {
				check("from another write", i)
			}
			if _, err := s.Step(t.Context(), debugger.Step{Kind: debugger.StepInst, Thread: focus}); err != nil {
				t.Error(err)
			}
			check("from behind the write", 0)
			for {
				st, err := s.Continue(t.Context(), focus)
				if err != nil {
					t.Fatal(err)
				}
				focus = st.Thread
				if st.Reason == debugger.AtExit {
					break
				}
			}
			check("from the end", 0)
			if !strings.HasPrefix(d.Elements[0].Text, d.Elements[0].Name+": ") {
				t.Errorf("%s: %q does not begin with the name", p.file, d.Elements[0].Text)
			}
		}
	}
}

// threadOf describes the thread of a stop.
func threadOf(t *testing.T, s *debugger.Session, st *debugger.Stop) debugger.Thread {
	t.Helper()
	at, ok := s.Stopped()
	if !ok {
		t.Fatal("the session does not stand still")
	}
	th, err := at.Thread(st.Thread)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// TestGoToBlamedWriteInALaterDispatch has the results part at the last of
// several dispatches, of which the session may be at any.
func TestGoToBlamedWriteInALaterDispatch(t *testing.T) {
	l, err := launch.Load("../../testdata/amp/stencil.amber", launch.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := debugger.New(l, debugger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	blamed := func(dispatch, buffer, offset int) (*debugger.Difference, *debugger.DifferentElement) {
		e := debugger.DifferentElement{Name: "element", Buffer: buffer, Image: -1, Offset: offset, Size: 4, Last: &debugger.BlamedWrite{}}
		return &debugger.Difference{Dispatch: dispatch, Elements: []debugger.DifferentElement{e}}, &e
	}
	goTo := func(d *debugger.Difference, e *debugger.DifferentElement) (*debugger.Stop, error) {
		return s.GoToWrite(t.Context(), debugger.ThreadID{}, d, e)
	}
	for _, dispatch := range []int{3, 1, 4, 2} {
		found := false
		for b := range l.Buffers {
			// Row 1, column 1 of the 32x32 numbers: each dispatch writes it in one buffer.
			st, err := goTo(blamed(dispatch, b, 33*4))
			if err != nil {
				continue
			}
			th := threadOf(t, s, st)
			found = true
			if got := s.Launch().Dispatch; got != dispatch || st.Pos.Line != 32 || th.Global != [3]uint32{1, 1, 0} {
				t.Errorf("dispatch %d: at dispatch %d, line %d, thread %v", dispatch, got, st.Pos.Line, th.Global)
			}
		}
		if !found {
			t.Errorf("dispatch %d writes the element in no buffer", dispatch)
		}
	}
	if _, err := goTo(blamed(5, 0, 0)); err == nil || !strings.Contains(err.Error(), "has ended before dispatch 5") {
		t.Errorf("dispatch 5 of 4: %v", err)
	}
}

// liar is a machine that gets every byte of memory wrong.
type liar struct {
	emu.Emulator
	l *launch.Launch
}

func (x *liar) Dispatch(ctx context.Context, d *launch.Dispatch) error {
	err := x.Emulator.Dispatch(ctx, d)
	flip := func(data []byte) {
		for i := range data {
			data[i] ^= 0x15
		}
	}
	for _, b := range x.l.Buffers {
		flip(b.Data)
	}
	for _, im := range x.l.Images {
		flip(im.Data)
	}
	return err
}

// TestGoToWritesOfAllKinds holds the writes that the session goes to against
// those that package diff finds: stores, atomics, images, several writes of an
// element, races.
func TestGoToWritesOfAllKinds(t *testing.T) {
	var files []string
	for _, pattern := range []string{"features/*.amber", "race/race_*.amber"} {
		found, err := filepath.Glob("../../testdata/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	atomics, images, again := 0, 0, 0
	for _, file := range files {
		var l [3]*launch.Launch
		for i := range l {
			var err error
			if l[i], err = launch.Load(file, launch.LoadOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		var o debugOptions
		sides := [2]*diff.Side{o.emulatorSide(l[0]), diff.ExecutorSide("liar", l[1], &liar{l: l[1]}, 0)}
		outcome, err := diff.Compare(t.Context(), sides, diff.Options{Show: 2})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		s, err := debugger.New(l[2], debugger.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := difference(outcome, l[0], s.Launch().Warp)
		for i := range d.Elements {
			e := &d.Elements[i]
			st, err := s.GoToWrite(t.Context(), debugger.ThreadID{}, d, e)
			if e.Last == nil {
				if err == nil || !strings.Contains(err.Error(), "no thread writes") {
					t.Errorf("%s: %s: %v", file, e.Name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v", file, e.Name, err)
				continue
			}
			if th := threadOf(t, s, st); st.Text != "" || th.Global != e.Last.Thread.Global || e.Last.Pos.Line > 0 && th.Pos.Line != e.Last.Pos.Line {
				t.Errorf("%s: %s: thread %v at %v %s; expected %v at %v", file, e.Name, th.Global, th.Pos, st.Text, e.Last.Thread.Global, e.Last.Pos)
			}
			if e.Last.Kind == "atomic" {
				atomics++
			}
			if e.Image >= 0 {
				images++
			}
			if e.Last.Count > 1 {
				again++
			}
		}
	}
	if atomics == 0 || images == 0 || again == 0 {
		t.Errorf("%d atomics, %d texels, %d elements written several times: expected some of each", atomics, images, again)
	}
}

// TestDiffWithoutAMachine is about sessions that cannot compare, or have not.
func TestDiffWithoutAMachine(t *testing.T) {
	l, err := launch.Load("../../testdata/amp/reduction.amber", launch.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := debugger.New(l, debugger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	r := repl.New(s, &out, repl.Options{})
	for command, want := range map[string]string{
		"diff": "no other machine", "goto diff": "nothing has been compared yet", "goto": "expected diff [N]", "goto diff 0": "expected diff [N]", "goto 12": "expected diff [N]",
	} {
		if err := r.Do(t.Context(), command); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", command, err, want)
		}
	}
	if err := r.Do(t.Context(), "next"); err != nil {
		t.Errorf("the session does not go on: %v", err)
	}
}
