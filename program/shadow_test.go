package program_test

import (
	"math/rand/v2"
	"testing"

	"ampdbg/program"
	"ampdbg/program/programtest"
)

// A shadow program has the operations of its program in their order, with checks
// as marks, and what it adds touches shadows only.
func TestShadowOnlyAdds(t *testing.T) {
	added := 0
	for seed := range uint64(300) {
		p := programtest.Random(rand.New(rand.NewPCG(seed, 8)), programtest.Options{Width: 4})
		q, err := p.Shadow(1 << program.DivisionByZero)
		if err != nil {
			t.Fatalf("program %d: %v", seed, err)
		}
		first := uint32(p.Rows * p.Stride) // of the shadows
		at := 0
		next := func() *program.Op {
			for at < len(p.Code) && p.Code[at].Code == program.CheckDefined {
				at++
			}
			if at == len(p.Code) {
				return &program.Op{}
			}
			return &p.Code[at]
		}
		for pc := range q.Code {
			op := &q.Code[pc]
			if x := next(); op.Code == x.Code && op.Dst == x.Dst && op.A == x.A && op.B == x.B && op.C == x.C && op.N == x.N && op.Imm == x.Imm && op.Flag == x.Flag {
				at++
				continue
			}
			added++
			q.Touches(op, func(r program.RowRun) {
				if r.Writes() && r.At < first {
					t.Fatalf("program %d: operation %d, %+v, writes row %d", seed, pc, *op, r.At/4)
				}
			})
		}
		if next().Code != program.Nop || at != len(p.Code) {
			t.Fatalf("program %d: operation %d is missing", seed, at)
		}
	}
	if added < 1000 {
		t.Errorf("%d operations were added", added)
	}
}
