package warp

import (
	"math/rand/v2"
	"testing"

	"ampdbg/warp/scalar"
)

// A value operation depends on the rows that the table says it reads, on each
// of them, and on no other; and it writes the row that the table says.
func TestFieldsAreWhatOperationsUse(t *testing.T) {
	const stride, rows = 4, 8
	mix := func(x ...uint64) (h uint64) {
		for _, v := range x {
			h = (h ^ v) * 0x9e3779b97f4a7c15 >> 1
		}
		return h
	}
	p := &Program{
		Width: 4, Stride: stride, Rows: rows, Scratch: 7 * stride,
		Fn1: []scalar.Func1{func(a uint64) uint64 { return mix(a) }},
		Fn2: []scalar.Func2{func(a, b uint64) uint64 { return mix(a, b) }},
		Fn3: []scalar.Func3{func(a, b, c uint64) uint64 { return mix(a, b, c) }},
	}
	run := func(op Op, r []uint64) [rows * stride]uint64 {
		p.Code = []Op{op, {Code: Unreachable}}
		p.Fast = p.Code
		w := New(p)
		w.R = append([]uint64(nil), r...)
		w.code, w.active, w.nact = p.Code, FirstLanes(4), 4
		w.T = &Tile{Program: p}
		w.Run(1 << 20)
		return [rows * stride]uint64(w.R)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	value := func() uint64 { // a small number, as an integer or a float
		return []uint64{0, 1, uint64(rnd.IntN(5)), 0x3f800000, 0x40000000 + uint64(rnd.IntN(3))<<20, 0x3ff8000000000000}[rnd.IntN(6)]
	}
	for c := Mov; c < numCodes; c++ {
		if !c.Plain() {
			continue
		}
		op := Op{Code: c, N: stride, Dst: 0, A: 1 * stride, B: 2 * stride, C: 3 * stride, Y: 1}
		a, b, cc := op.operands()
		says := [rows]bool{1: a, 2: b, 3: cc}
		if !op.Writes(0) || op.Writes(stride) {
			t.Errorf("%v: writes of row 0 are not known", c)
		}
		var matters [rows]bool
		for range 2000 {
			var r [rows * stride]uint64
			for i := range r {
				r[i] = value()
			}
			before := run(op, r[:])
			k := 1 + rnd.IntN(rows-2)
			lane := rnd.IntN(4)
			changed := r
			changed[k*stride+lane] = value()
			after := run(op, changed[:])
			if after[lane] != before[lane] {
				matters[k] = true
			}
			for i := stride; i < 7*stride; i++ {
				if after[i] != changed[i] {
					t.Fatalf("%v writes row %d", c, i/stride)
				}
			}
		}
		if matters != says {
			t.Errorf("%v depends on rows %v; the table says %v", c, matters, says)
		}
	}
}

// What is no row is not asked for as one, whatever number it is.
func TestNumbersAreNoRows(t *testing.T) {
	const big = 1 << 30
	p := &Program{Width: 4, Stride: 4, Rows: 2, Scratch: 4, Code: []Op{
		{Code: Barrier, Dst: big, A: big, B: big, C: big, Y: 1},
		{Code: Fence, Dst: big, A: big, B: big, C: big, Y: 1},
		{Code: Load32, B: big, N: 1},
		{Code: LoadPtr, B: 16, N: 1},
		{Code: StorePtr, Dst: big, N: 1},
		{Code: Atomic, B: big, Dst: big},
		{Code: Return},
	}, Atomics: []AtomicInfo{{Op: 1, Cmp: big}}}
	if err := p.Finish(); err != nil {
		t.Fatal(err)
	}
}
