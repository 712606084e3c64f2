package warp

import (
	"testing"

	"ampdbg/program"
)

// What the quick form takes for granted of a program's end must not matter to
// one that ends early.
func TestQuickFormOfAProgramThatEndsEarly(t *testing.T) {
	for _, last := range []program.Op{
		{Code: program.IAdd32, Dst: 0, A: 4, B: 8, N: 4},
		{Code: program.IMul32, Dst: 0, A: 4, B: 8, N: 4},
		{Code: program.ULt32, Dst: 0, A: 4, B: 8, N: 4},
		{Code: program.Mov, Dst: 0, A: 4, N: 4},
	} {
		p := &program.Program{Width: 4, Stride: 4, Rows: 4, Scratch: 12, Code: []program.Op{{Code: program.IAdd32, Dst: 0, A: 4, B: 8, N: 4}, last}}
		if quick := quicken(p); quick[1] != last {
			t.Errorf("%v became %v", last.Code, quick[1].Code)
		}
	}
}
