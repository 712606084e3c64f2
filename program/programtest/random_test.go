package programtest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ampdbg/program"
)

// Random programs are valid, the same whatever the width, and use nearly all that
// there is.
func TestRandomPrograms(t *testing.T) {
	used := map[program.Code]bool{}
	for seed := range uint64(2000) {
		of := func(width int) []program.Code {
			var codes []program.Code
			p := Random(rand.New(rand.NewPCG(seed, 1)), Options{Width: width, Alone: seed%2 == 0})
			for i := range p.Code {
				codes = append(codes, p.Code[i].Code)
				used[p.Code[i].Code] = true
			}
			return codes
		}
		if a, b := of(4), of(32); !slices.Equal(a, b) {
			t.Fatalf("program %d is another one for another width", seed)
		}
	}
	for c := range program.NumCodes {
		switch c {
		case program.Unreachable, program.ImageOp, program.MarkUndefined, program.CheckUsed:
		default:
			if !used[c] {
				t.Errorf("no random program has %v", c)
			}
		}
	}
}
