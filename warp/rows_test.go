package warp

import (
	"math/rand/v2"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

// A value operation depends on the rows that the table says it reads, on each
// of them, and on no other; and it writes the row that the table says.
func TestFieldsAreWhatOperationsUse(t *testing.T) {
	const stride, rows = 4, 8
	f32 := program.Kind{Float: true, Width: 32}
	p := &program.Program{
		Width: 4, Stride: stride, Rows: rows, Scratch: 7 * stride,
		Functions: []program.Symbol{
			{Op: uint32(spirv.OpNot), Dst: program.Kind{Width: 32}, Src: program.Kind{Width: 32}},
			{Op: uint32(spirv.OpUDiv), Src: program.Kind{Width: 32}},
			{Set: program.GLSL, Op: spirv.GLSLFMix, Src: f32},
		},
	}
	run := func(op program.Op, r []uint64) [rows * stride]uint64 {
		p.Code = []program.Op{op, {Code: program.Unreachable}}
		code, err := Interpreter{Plain: true}.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		w := New(code)
		w.R = append([]uint64(nil), r...)
		w.code, w.active, w.nact = code, FirstLanes(4), 4
		w.T = &Tile{}
		w.Run(1 << 20)
		return [rows * stride]uint64(w.R)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	value := func() uint64 { // a small number, as an integer or a float
		return []uint64{0, 1, uint64(rnd.IntN(5)), 0x3f800000, 0x40000000 + uint64(rnd.IntN(3))<<20, 0x3ff8000000000000}[rnd.IntN(6)]
	}
	for c := program.Mov; c < program.NumCodes; c++ {
		if !c.Plain() {
			continue
		}
		op := program.Op{Code: c, N: stride, Dst: 0, A: 1 * stride, B: 2 * stride, C: 3 * stride, Y: 1}
		switch c {
		case program.Call2:
			op.X = 1
		case program.Call3:
			op.X = 2
		}
		a, b, cc := op.Operands()
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
