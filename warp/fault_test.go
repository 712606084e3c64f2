package warp

import (
	"math"
	"math/rand/v2"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
)

// Every kind of fault says where it was, which lanes had it, what they reached
// for, and stops the warp; one that the tile lets pass gives 0 and writes nothing.
func TestFaults(t *testing.T) {
	p := rowsProgram()
	const index, value, result = 3, 8, 1
	image := func(write bool) int32 {
		for i := range p.ImageOps {
			if op := p.ImageOps[i].Op; !write && op == spirv.OpImageRead || write && op == spirv.OpImageWrite {
				return int32(i)
			}
		}
		panic("no such image instruction")
	}
	for name, c := range map[string]struct {
		op   program.Op
		lane uint64 // what lane 2 has in row 3; others have 1
		others,
		row2 uint64 // what all have in row 2
		kind  FaultKind
		lanes Mask
		off   int64
		write bool
	}{
		"load":            {op: program.Op{Code: program.Load32, N: 1, Dst: el(result), C: el(index), X: 1, Y: 4}, lane: 16, others: 1, kind: OutOfBounds, lanes: Mask{4}, off: 64},
		"load below":      {op: program.Op{Code: program.Load16, N: 2, Dst: el(result), C: el(index), X: 1, Y: 4, Sh: 32}, lane: 0xffffffff, others: 1, kind: OutOfBounds, lanes: Mask{4}, off: -4},
		"store":           {op: program.Op{Code: program.Store64, N: 1, A: el(value), C: el(index), X: 1, Y: 8}, lane: 8, others: 1, kind: OutOfBounds, lanes: Mask{4}, off: 64, write: true},
		"read-only":       {op: program.Op{Code: program.Store8, N: 1, A: el(value), C: el(index), X: 3, Y: 1}, lane: 2, others: 1, kind: ReadOnly, lanes: Mask{15}, off: 1, write: true},
		"null":            {op: program.Op{Code: program.LoadPtr, N: 1, Dst: el(result), A: el(index), C: el(4), Flag: 4}, lane: 0, others: tilemem.Point(1, 4), kind: NullPointer, lanes: Mask{4}, off: -tilemem.Bias},
		"dangling":        {op: program.Op{Code: program.StorePtr, N: 1, B: el(value), A: el(index), C: el(4), Flag: 4}, lane: tilemem.Point(77, 4), others: tilemem.Point(1, 4), kind: DanglingPointer, lanes: Mask{4}, off: 4, write: true},
		"misaligned":      {op: program.Op{Code: program.LoadPtr, N: 1, Dst: el(result), A: el(index), C: el(4), Flag: 4, B: 8}, lane: tilemem.Point(1, 4), others: tilemem.Point(1, 8), kind: Misaligned, lanes: Mask{4}, off: 4},
		"atomic":          {op: program.Op{Code: program.Atomic, X: int32(program.AtomicAdd), Dst: el(result), B: 1, C: el(index), Y: 1, Imm: 3}, lane: 2, others: 1, kind: Misaligned, lanes: Mask{4}, off: 5, write: true},
		"atomic load":     {op: program.Op{Code: program.Atomic, X: int32(program.AtomicLoad), Dst: el(result), B: 1, C: el(index), Y: 4}, lane: 99, others: 1, kind: OutOfBounds, lanes: Mask{4}, off: 396},
		"variable":        {op: program.Op{Code: program.LoadVar, N: 2, Dst: el(result), C: el(index), Y: 1}, lane: 3, others: 1, kind: VarIndex, lanes: Mask{4}, off: 3},
		"stored variable": {op: program.Op{Code: program.StoreVar, N: 2, A: el(value), C: el(index), Y: 1, Sh: 32}, lane: 0xffffffff, others: 1, kind: VarIndex, lanes: Mask{4}, off: -1, write: true},
		"far variable":    {op: program.Op{Code: program.LoadVar, N: 2, Dst: el(result), C: el(4), Imm: math.MaxInt64}, kind: VarIndex, lanes: Mask{1}, off: math.MaxInt64},
		"descriptor":      {op: program.Op{Code: program.PtrToElem, Dst: el(result), B: el(index), C: el(4)}, lane: 4, others: 1, kind: DescriptorIndex, lanes: Mask{4}, off: 4},
		"handle":          {op: program.Op{Code: program.HandleElem, Dst: el(result), A: el(4), B: el(index), X: 3}, lane: 3, others: 1, kind: DescriptorIndex, lanes: Mask{4}, off: 3},
		"length":          {op: program.Op{Code: program.ArrayLen, Dst: el(result), A: el(index), Flag: 1, Y: 4}, lane: 0, others: tilemem.Point(1, 4), kind: NullPointer, lanes: Mask{4}},
		"array":           {op: program.Op{Code: program.CheckIndex, C: el(index)}, lane: 3, others: 1, kind: ArrayIndex, lanes: Mask{4}, off: 3},
		"unreachable":     {op: program.Op{Code: program.Unreachable}, kind: UnreachableExecuted, lanes: Mask{15}},
		"texel":           {op: program.Op{Code: program.ImageOp, X: image(false)}, lane: 4, others: 1, kind: ImageBounds, lanes: Mask{4}},
		"written texel":   {op: program.Op{Code: program.ImageOp, X: image(true)}, lane: 4, others: 1, kind: ImageBounds, lanes: Mask{4}, write: true},
		"no descriptor":   {op: program.Op{Code: program.ImageOp, X: image(false)}, row2: 3, kind: BadDescriptor, lanes: Mask{1}, off: 3},
	} {
		around(p, c.op)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		x, err := Interpreter{}.Interpret(p)
		if err != nil {
			t.Fatal(err)
		}
		code := x.NewStepper()
		start := func() *Warp {
			w := New(x)
			w.Reset(testTile(rand.New(rand.NewPCG(1, 1))), 0)
			code.Step(w, 1<<40)
			for l := range 4 {
				w.R[el(index)+uint32(l)], w.R[el(2)+uint32(l)] = c.others, c.row2
			}
			w.R[el(index)+2] = c.lane
			return w
		}
		w := start()
		status := code.Step(w, 0)
		if f := w.Fault; status != Faulted || f == nil || f.Kind != c.kind || f.PC != 1 || w.PC != 1 || f.Lanes != c.lanes || f.Off != c.off || f.Write != c.write {
			t.Errorf("%s: status %d at %d, fault %+v", name, status, w.PC, f)
			continue
		}
		if c.kind == UnreachableExecuted {
			continue
		}
		// The lanes that were right are done with, and the one that was not gives 0.
		w = start()
		met := 0
		w.T.OnFault = func(*Warp, *Fault) bool { met++; return true }
		for l := range 4 {
			w.R[el(result)+uint32(l)] = 99
		}
		status = code.Step(w, 0)
		if status != AtBreak || w.PC != 2 || met == 0 || w.Fault != nil {
			t.Errorf("%s: let pass, status %d at %d after %d faults", name, status, w.PC, met)
		}
		if !c.write && c.op.Dst == el(result) && c.kind != DescriptorIndex && w.R[el(result)+2] != 0 {
			t.Errorf("%s: let pass, lane 2 has %#x", name, w.R[el(result)+2])
		}
		// Robust access lets accesses out of bounds pass without a word, and nothing
		// else.
		w = start()
		w.T.Robust = true
		if passes := code.Step(w, 0) == AtBreak; passes != (c.kind == OutOfBounds || c.kind == ImageBounds) {
			t.Errorf("%s: robust, status %d", name, w.Status())
		}
	}
}
