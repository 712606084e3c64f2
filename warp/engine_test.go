package warp_test

import (
	"strings"
	"testing"

	"ampdbg/program"
	"ampdbg/warp"
	"ampdbg/warp/enginetest"
)

// The quick form leaves what the plain one leaves.
func TestQuickFormIsThePlainOne(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 80
	}
	enginetest.Compare(t, warp.Interpreter{}, n)
}

// A symbol that there is no function for is an error of the compilation, which
// says where it stands.
func TestUnknownFunctions(t *testing.T) {
	unknown := program.Symbol{Set: program.GLSL, Op: 9999}
	for _, op := range []program.Op{
		{Code: program.Call1, N: 4}, {Code: program.Call2, N: 4}, {Code: program.Call3, N: 4}, {Code: program.CallN}, {Code: program.Group},
	} {
		p := &program.Program{
			Width: 4, Stride: 4, Rows: 2, Scratch: 4, Constructs: []program.ConstructInfo{{Kind: program.CallConstruct, Merge: -1}},
			Functions: []program.Symbol{unknown}, Calls: []program.CallInfo{{Fn: unknown}}, Groups: []program.GroupInfo{{Fn: unknown, A: []uint32{0}, Dst: []uint32{0}}},
			Code: []program.Op{{Code: program.Nop}, op, {Code: program.Return}},
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		if _, err := (warp.Interpreter{}).Compile(p); err == nil || !strings.Contains(err.Error(), "operation 1, "+op.Code.String()+",") {
			t.Errorf("%v: %v", op.Code, err)
		}
	}
}
