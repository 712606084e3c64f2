package emu_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/launch"
)

// contents runs a script and gives what its buffers and images hold then. ok
// is false if the script does not run to its end.
func contents(path string, opt emu.Options) (out map[string][]byte, e *emu.Emulator, err error) {
	l, err := launch.Load(path, launch.LoadOptions{})
	if err != nil {
		return nil, nil, err
	}
	opt.Steps = 1 << 28
	e = &emu.Emulator{Options: opt}
	if _, err := l.Execute(context.Background(), e, func(*launch.ExpectResult) {}); err != nil {
		return nil, e, err
	}
	out = map[string][]byte{}
	for _, b := range l.Buffers {
		out["buffer "+b.Name] = b.Data
	}
	for _, i := range l.Images {
		out["image "+i.Name] = i.Data
	}
	return out, e, nil
}

// orderly are the scripts whose results depend on the order of threads, and
// why: they are left out where the schedule differs.
var orderly = map[string]string{
	"features/atomics":              "stores what atomics returned",
	"features/int64_atomics":        "stores what atomics returned",
	"features/float_atomics":        "stores what atomics returned",
	"features/float_atomics_minmax": "stores what atomics returned",
	"features/image_atomics":        "stores what atomics returned",
	"features/shader_clock":         "stores the time",
}

// widthDependent tells whether a script asks for warps of a certain width, or
// its modules read the warp: then only its own width makes sense.
func widthDependent(t *testing.T, path string) bool {
	script, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(script), "REQUIRED_SIZE") {
		return true
	}
	for _, m := range regexp.MustCompile(`FILE (\S+\.spvasm)`).FindAllStringSubmatch(string(script), -1) {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), m[1]))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "OpCapability GroupNonUniform") || strings.Contains(string(text), "OpCapability Subgroup") {
			return true
		}
	}
	return strings.Contains(string(script), "Subgroup")
}

// TestNoDifference runs every clean kernel of testdata at several warp widths,
// on one and two workers and under several schedules: what memory holds in the
// end must not differ by a byte.
func TestNoDifference(t *testing.T) {
	type setting struct {
		opt   emu.Options
		width bool // differs in the warp's width
		order bool // differs in the order of threads
		slow  bool // left out for kernels of many steps
	}
	settings := []setting{
		{opt: emu.Options{Workers: 2}},
		{opt: emu.Options{Exact: true}, slow: true},
		{opt: emu.Options{Warp: 1}, width: true, order: true, slow: true},
		{opt: emu.Options{Warp: 32}, width: true, order: true},
		{opt: emu.Options{Warp: 32, Workers: 2}, width: true, order: true, slow: true},
		{opt: emu.Options{Seed: 1}, order: true, slow: true},
		{opt: emu.Options{Seed: 2}, order: true, slow: true},
		{opt: emu.Options{Seed: 3, Warp: 1}, width: true, order: true, slow: true},
	}
	for _, path := range scripts(t) {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "../testdata/"), ".amber")
		if verdict(path) != "clean" {
			continue
		}
		if strings.HasPrefix(name, "speed/") {
			continue // the same kernels as amp/matmul_*, larger
		}
		if strings.HasPrefix(name, "race/") && !strings.Contains(name, "/clean_") {
			continue // the results depend on the schedule
		}
		t.Run(name, func(t *testing.T) {
			want, e, err := contents(path, emu.Options{})
			if err != nil {
				t.Fatal(err)
			}
			steps := uint64(0)
			if e.Last != nil {
				steps = e.Last.Steps
			}
			fixed := widthDependent(t, path)
			for _, s := range settings {
				if s.width && fixed || s.order && orderly[name] != "" || s.slow && steps > 4<<20 {
					continue
				}
				got, e, err := contents(path, s.opt)
				if err != nil {
					t.Errorf("%s: %v", settingName(s.opt), err)
					continue
				}
				if fs := e.Findings(); len(fs) > 0 {
					t.Errorf("%s: %s", settingName(s.opt), fs[0].Message)
				}
				for k, w := range want {
					if g := got[k]; !bytes.Equal(g, w) {
						i := 0
						for i < min(len(g), len(w)) && g[i] == w[i] {
							i++
						}
						t.Errorf("%s: %s differs from byte %d of %d on", settingName(s.opt), k, i, len(w))
					}
				}
			}
		})
	}
}

func settingName(o emu.Options) string {
	return fmt.Sprintf("warp %d, workers %d, seed %d, exact %v", o.Warp, o.Workers, o.Seed, o.Exact)
}
