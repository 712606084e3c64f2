package program

import "testing"

func TestCheckFindsMalformedOperations(t *testing.T) {
	good := Program{Width: 4, Stride: 4, Rows: 4, Scratch: 12, Code: []Op{
		{Code: IAdd32, Dst: 0, A: 4, B: 8, N: 4},
		{Code: BranchULt, A: 0, B: 4, X: 0, Y: 2},
		{Code: Return},
	}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]Op{
		"result outside":  {Code: IAdd32, Dst: 16, A: 4, B: 8, N: 4},
		"operand outside": {Code: FMul32, Dst: 0, A: 4, B: 13, N: 4},
		"vector too long": {Code: Mov, Dst: 8, A: 0, N: 12},
		"no elements":     {Code: Not32, Dst: 0, A: 4},
		"torn row":        {Code: Not32, Dst: 2, A: 4, N: 4},
		"jump outside":    {Code: Jump, X: 4},
		"branch outside":  {Code: BranchIf, A: 0, X: 0, Y: -1},
		"index outside":   {Code: Load32, Dst: 0, C: 16, N: 1},
		"second index":    {Code: Store32, A: 0, C: 0, Dst: 99, Flag: 1, N: 1},
	} {
		p := good
		p.Code = append([]Op{bad}, good.Code...)
		if p.Check() == nil {
			t.Errorf("%s: %+v passes", name, bad)
		}
	}
}
