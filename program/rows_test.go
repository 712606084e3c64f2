package program

import "testing"

// What is no row is not asked for as one, whatever number it is.
func TestNumbersAreNoRows(t *testing.T) {
	const big = 1 << 30
	p := &Program{Width: 4, Stride: 4, Rows: 2, Scratch: 4, Views: big + 1, Constructs: []ConstructInfo{{Kind: CallConstruct, Merge: -1}}, Code: []Op{
		{Code: Barrier, Dst: big, A: big, B: big, C: big, Y: 1},
		{Code: Fence, Dst: big, A: big, B: big, C: big, Y: 1},
		{Code: Load32, B: big, N: 1},
		{Code: LoadPtr, B: 16, Flag: 4, N: 1},
		{Code: StorePtr, Dst: big, Flag: 4, N: 1},
		{Code: Atomic, B: big, Dst: big},
		{Code: Return},
	}, Atomics: []AtomicInfo{{Op: 1, Cmp: big}}}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
}
