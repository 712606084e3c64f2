package racecheck_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/racecheck"
	"ampdbg/spirv"
)

// FuzzCheck checks launches of damaged modules: an error, findings or
// nothing, never a failure of the checkers.
func FuzzCheck(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed)
	}
	paths := scripts(f, "race/*.amber")
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 5))
		l, err := launch.Load(paths[r.IntN(len(paths))], launch.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range l.Steps {
			d, ok := s.(*launch.Dispatch)
			if !ok {
				continue
			}
			data := d.Module.Encode(binary.LittleEndian)
			for range r.IntN(4) {
				at := 20 + 4*r.IntN(len(data)/4-5)
				binary.LittleEndian.PutUint32(data[at:], binary.LittleEndian.Uint32(data[at:])^1<<r.IntN(12))
			}
			m, err := spirv.Decode(d.Module.Name, data)
			if err != nil {
				return
			}
			d.Module = m
		}
		opt := racecheck.Options{Steps: 1 << 16, Warp: 1 + r.IntN(9), Seed: uint64(r.IntN(3)), Strict: r.IntN(2) == 0, AssumeLockstep: r.IntN(2) == 0, SameValue: racecheck.SameValue(r.IntN(3))}
		_, err = racecheck.Run(t.Context(), l, opt, nil)
		if bug := diag.AsBug(err); bug != nil {
			t.Fatalf("%v\n%s", bug.Cause, bug.Stack)
		}
	})
}
