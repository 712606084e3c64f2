package emu_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/warp"
)

// firstDispatch finds the first dispatch of a script, nil if it has none.
func firstDispatch(t *testing.T, path string) *launch.Dispatch {
	t.Helper()
	l, err := launch.Load(path, launch.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range l.Steps {
		if d, ok := s.(*launch.Dispatch); ok {
			return d
		}
	}
	return nil
}

// The quick form of a program must leave the same state as the plain one after
// every turn, whatever operations Breaks are set before.
func TestQuickFormLeavesTheSameState(t *testing.T) {
	const turns = 40
	compared := 0
	for _, path := range scripts(t) {
		for _, opt := range []emu.Options{{Warp: 4}, {Warp: 4, Exact: true}, {Warp: 8, Exact: true}} {
			if firstDispatch(t, path) == nil {
				continue
			}
			control := func() *emu.Control {
				opt.Steps = 1 << 24
				e := &emu.Emulator{Options: opt}
				c, err := e.Control(context.Background(), firstDispatch(t, path))
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				return c
			}
			compared++
			plain, quick, broken := control(), control(), control()
			quick.SetCode(form(t, quick, warp.Interpreter{}))
			plain.SetCode(form(t, plain, warp.Interpreter{Plain: true}))
			rng := rand.New(rand.NewPCG(3, uint64(len(plain.Program.Code))))
			code, err := warp.Interpreter{}.Interpret(broken.Program)
			if err != nil {
				t.Fatal(err)
			}
			patch := code.NewPatch()
			var breaks []int
			for pc := range broken.Program.Code {
				if rng.IntN(6) == 0 {
					breaks = append(breaks, pc)
					patch.Set(pc, true)
				}
			}
			broken.SetCode(func(*warp.Warp) warp.Code { return patch })
			for range turns {
				ev, err := plain.Resume()
				ev2, err2 := quick.Resume()
				if ev != ev2 || (err == nil) != (err2 == nil) || plain.Hash() != quick.Hash() {
					t.Fatalf("%s, warp %d, exact %v: the quick form differs in turn %d: %v (%v) instead of %v (%v)", filepath.Base(path), opt.Warp, opt.Exact, plain.Time().Turn, ev2, err2, ev, err)
				}
				at := -1
				ev2, err2 = broken.Resume()
				for n := 0; ev2 == emu.Broke; n++ {
					pc := broken.Current().PC
					if n > 1<<12 || pc == at {
						for _, b := range breaks { // enough of them
							patch.Set(b, false)
						}
						breaks = nil
					}
					if at >= 0 && breaks != nil {
						patch.Set(at, true)
					}
					at = pc
					patch.Set(pc, false)
					ev2, err2 = broken.Resume()
				}
				if at >= 0 && breaks != nil {
					patch.Set(at, true)
				}
				if ev != ev2 || (err == nil) != (err2 == nil) || plain.Hash() != broken.Hash() {
					t.Fatalf("%s, warp %d, exact %v: with Breaks turn %d differs: %v (%v) instead of %v (%v)", filepath.Base(path), opt.Warp, opt.Exact, plain.Time().Turn, ev2, err2, ev, err)
				}
				var d *diag.Error
				if ev == emu.Ended || ev == emu.Failed || errors.As(err, &d) {
					break
				}
			}
		}
	}
	if most := 3 * len(scripts(t)); compared < most*9/10 {
		t.Errorf("%d of %d runs compared", compared, most)
	}
}

// form makes the warps of a dispatch run on an engine.
func form(t *testing.T, c *emu.Control, e warp.Engine) func(*warp.Warp) warp.Code {
	t.Helper()
	code, err := e.Compile(c.Program)
	if err != nil {
		t.Fatal(err)
	}
	return func(*warp.Warp) warp.Code { return code }
}

// A row that only a branch not taken yet writes holds 0 in every lane, and not
// what it will hold: the kernel indexes a by its place in the tile in the second
// round alone.
func TestIndexBeforeItIsWritten(t *testing.T) {
	for _, exact := range []bool{false, true} {
		l, err := launch.Load("testdata/index_before_write.spvasm", launch.LoadOptions{Binds: []string{"0.0=uint32[8]:1,2,3,4,0,0,0,0"}})
		if err != nil {
			t.Fatal(err)
		}
		d := l.Steps[0].(*launch.Dispatch)
		if _, err := emu.Run(context.Background(), d, emu.Options{Exact: exact}); err != nil {
			t.Fatal(err)
		}
		data := d.Bindings[0].Elems[0].Buffer.Data
		for i, want := range []uint32{101, 102, 103, 104} {
			if got := binary.LittleEndian.Uint32(data[4*(4+i):]); got != want {
				t.Errorf("exact %v: o[%d] = %d, want %d", exact, i, got, want)
			}
		}
	}
}
