package warp

import "testing"

// What the quick form takes for granted of a program's end must not matter to
// one that ends early.
func TestQuickFormOfAProgramThatEndsEarly(t *testing.T) {
	for _, last := range []Op{
		{Code: IAdd32, Dst: 0, A: 4, B: 8, N: 4},
		{Code: IMul32, Dst: 0, A: 4, B: 8, N: 4},
		{Code: ULt32, Dst: 0, A: 4, B: 8, N: 4},
		{Code: Mov, Dst: 0, A: 4, N: 4},
	} {
		p := Program{Width: 4, Stride: 4, Rows: 4, Scratch: 12, Code: []Op{{Code: IAdd32, Dst: 0, A: 4, B: 8, N: 4}, last}}
		if err := p.Finish(); err != nil {
			t.Fatal(err)
		}
		if p.Fast[1] != last {
			t.Errorf("%v became %v", last.Code, p.Fast[1].Code)
		}
	}
}
