package program

import (
	"strings"
	"testing"

	"ampdbg/spirv"
)

// whole is a valid program: a loop around a selection, and one operation of each
// class in it.
func whole() *Program {
	p := tables()
	p.Views = 3
	p.Defined = append(p.Defined, DefinedInfo{In: [][]uint32{{4}}, Group: -1})
	p.Frames = []Frame{{Parent: -1}}
	p.Constructs = []ConstructInfo{
		{Kind: CallConstruct, Merge: -1},
		{Kind: LoopConstruct, Merge: 25, Cont: 23, Header: 2},
		{Kind: SelectionConstruct, Merge: 8},
		{Kind: SwitchConstruct, Merge: 24},
	}
	p.Switches[0].Targets = []int32{11, 12}
	p.Code = []Op{
		0:  {Code: IAdd32, Dst: 4, A: 8, B: 12, N: 4},
		1:  {Code: Enter, X: 1},
		2:  {Code: BranchULt, A: 4, B: 8, X: 4, Y: 3, Flag: FalseIsMerge, Imm: 2},
		3:  {Code: ExitMerge, Y: 25},
		4:  {Code: Enter, X: 2},
		5:  {Code: BranchIf, A: 4, X: 6, Y: 7, Imm: 1},
		6:  {Code: ExitCont, X: 1, Imm: 1},
		7:  {Code: ExitMerge, Y: 8},
		8:  {Code: Load32, X: 2, Dst: 4, C: 8, Y: 4, N: 2},
		9:  {Code: Enter, X: 3},
		10: {Code: SwitchOn, A: 4, Imm: 1},
		11: {Code: ExitMerge, X: 1, Imm: 1},
		12: {Code: StorePtr, A: 4, B: 8, C: 8, Flag: 4, N: 1},
		13: {Code: StoreVar, A: 4, C: 8, Y: 1, N: 2},
		14: {Code: Atomic, Dst: 4, B: 1, C: 8},
		15: {Code: ImageOp},
		16: {Code: PtrToElem, Dst: 4, B: 8, C: 8},
		17: {Code: CallN},
		18: {Code: Group},
		19: {Code: Printf},
		20: {Code: CheckIndex, C: 8},
		21: {Code: CheckDefined},
		22: {Code: ExitMerge, Y: 24, Imm: 1},
		23: {Code: BackEdge, Y: 2, Imm: 1},
		24: {Code: ExitCont, Y: 23, Imm: 1},
		25: {Code: ArrayLen, Dst: 4, X: 1, Y: 4},
		26: {Code: PtrTo, Dst: 4, C: 8, X: 1, N: 4},
		27: {Code: Call1, Dst: 4, A: 8, N: 4},
		28: {Code: Return, Imm: 1},
	}
	return p
}

func TestCheckFindsMalformedOperations(t *testing.T) {
	if err := whole().Check(); err != nil {
		t.Fatal(err)
	}
	const far = 4 * 200
	for name, c := range map[string]struct {
		pc     int
		change func(op *Op)
	}{
		"no code":                      {0, func(op *Op) { op.Code = NumCodes }},
		"result outside":               {0, func(op *Op) { op.Dst = far }},
		"operand outside":              {0, func(op *Op) { op.B = far }},
		"torn row":                     {0, func(op *Op) { op.A = 6 }},
		"vector too long":              {0, func(op *Op) { op.N = far }},
		"vector longer than scratch":   {0, func(op *Op) { op.N = 4 * 101 }},
		"part of a row":                {0, func(op *Op) { op.N = 6 }},
		"no elements":                  {0, func(op *Op) { op.N = 0 }},
		"no such construct":            {1, func(op *Op) { op.X = 4 }},
		"negative construct":           {1, func(op *Op) { op.X = -1 }},
		"another construct":            {1, func(op *Op) { op.X = 2 }},
		"condition outside":            {2, func(op *Op) { op.B = far }},
		"branch outside":               {2, func(op *Op) { op.X = 29 }},
		"branch before the code":       {2, func(op *Op) { op.Y = -1 }},
		"branch back":                  {2, func(op *Op) { op.X = 2 }},
		"branch into another":          {2, func(op *Op) { op.X = 5 }},
		"no merge behind the flag":     {2, func(op *Op) { op.Flag = TrueIsMerge }},
		"no such flag":                 {2, func(op *Op) { op.Flag = 3 }},
		"negative steps":               {2, func(op *Op) { op.Imm = -1 }},
		"many steps":                   {2, func(op *Op) { op.Imm = 1 << 62 }},
		"merge elsewhere":              {3, func(op *Op) { op.Y = 24 }},
		"merge outside":                {3, func(op *Op) { op.Y = 29 }},
		"merge of what is not open":    {3, func(op *Op) { op.X = 1 }},
		"merge far out":                {3, func(op *Op) { op.X = 1 << 30 }},
		"merge inside out":             {3, func(op *Op) { op.X = -1 }},
		"jump out of the loop":         {3, func(op *Op) { *op = Op{Code: Jump, X: 25} }},
		"continue of a selection":      {6, func(op *Op) { op.X, op.Y = 0, 8 }},
		"continue of what is not open": {6, func(op *Op) { op.X = 2 }},
		"view outside":                 {8, func(op *Op) { op.X = 3 }},
		"negative view":                {8, func(op *Op) { op.X = -1 }},
		"index outside":                {8, func(op *Op) { op.C = far }},
		"index that counts not":        {8, func(op *Op) { op.C, op.Y = far, 0 }},
		"second index outside":         {8, func(op *Op) { op.A, op.Flag = far, 1 }},
		"extension of nothing":         {8, func(op *Op) { op.Sh = 64 }},
		"components that wrap around":  {8, func(op *Op) { op.N = 1<<30 + 1 }},
		"no such switch":               {10, func(op *Op) { op.X = 1 }},
		"selector outside":             {10, func(op *Op) { op.A = far }},
		"pointer outside":              {12, func(op *Op) { op.A = far }},
		"stored outside":               {12, func(op *Op) { op.B = far }},
		"stored size":                  {12, func(op *Op) { op.Flag = 3 }},
		"no such variable":             {13, func(op *Op) { op.X = 1 }},
		"no such atomic":               {14, func(op *Op) { op.X = 2 }},
		"view of an atomic":            {14, func(op *Op) { op.B = 1 << 31 }},
		"pointer of an atomic":         {14, func(op *Op) { op.A, op.Flag = far, 1 }},
		"no such image":                {15, func(op *Op) { op.X = 3 }},
		"no such array":                {16, func(op *Op) { op.X = 1 }},
		"no such call":                 {17, func(op *Op) { op.X = 1 }},
		"no such group":                {18, func(op *Op) { op.X = 2 }},
		"no such printf":               {19, func(op *Op) { op.X = 1 }},
		"no such index":                {20, func(op *Op) { op.X = 1 }},
		"checked index outside":        {20, func(op *Op) { op.C = far }},
		"no such test":                 {21, func(op *Op) { op.X = 2 }},
		"shadows outside":              {21, func(op *Op) { op.Code, op.Dst = MarkUndefined, far }},
		"shadows of no result":         {21, func(op *Op) { op.Code, op.X = MarkUndefined, 1 }},
		"used outside":                 {21, func(op *Op) { *op = Op{Code: CheckUsed, A: 4, N: far} }},
		"back edge elsewhere":          {23, func(op *Op) { op.Y = 4 }},
		"a loop without steps":         {23, func(op *Op) { *op = Op{Code: Jump, X: 2, Imm: 1} }},
		"elements of no size":          {25, func(op *Op) { op.Y = 0 }},
		"length of no view":            {25, func(op *Op) { op.X = 3 }},
		"pointer to no view":           {26, func(op *Op) { op.X = 3 }},
		"pointers to rows":             {26, func(op *Op) { op.N = 8 }},
		"no such function":             {27, func(op *Op) { op.X = 2 }},
		"the end":                      {28, func(op *Op) { op.Code = Nop }},
	} {
		p := whole()
		c.change(&p.Code[c.pc])
		if err := p.Check(); err == nil {
			t.Errorf("%s: %+v passes", name, p.Code[c.pc])
		} else if !strings.Contains(err.Error(), "operation ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckFindsMalformedPrograms(t *testing.T) {
	for name, change := range map[string]func(p *Program){
		"no lanes":                  func(p *Program) { p.Width = 0 },
		"too many lanes":            func(p *Program) { p.Width, p.Stride = 132, 132 },
		"rows of another width":     func(p *Program) { p.Stride = 8 },
		"rows without end":          func(p *Program) { p.Rows = 1 << 30 },
		"scratch outside":           func(p *Program) { p.Scratch = 4 * 201 },
		"no code":                   func(p *Program) { p.Code = nil },
		"entry outside":             func(p *Program) { p.Entry = 29 },
		"entry in a construct":      func(p *Program) { p.Entry = 3 },
		"instructions of others":    func(p *Program) { p.Inst = []int32{1} },
		"frames of others":          func(p *Program) { p.Frame = []int32{0} },
		"no constructs":             func(p *Program) { p.Constructs, p.Code = nil, p.Code[28:] },
		"constant outside":          func(p *Program) { p.Consts = []ConstRow{{Row: 4 * 200}} },
		"built-in outside":          func(p *Program) { p.Builtins = []BuiltinInfo{{Rows: []uint32{4 * 200}}} },
		"built-in of too many":      func(p *Program) { p.Builtins = []BuiltinInfo{{Rows: make([]uint32, 4)}} },
		"variable outside":          func(p *Program) { p.Vars[0].Row = 199 },
		"a switch without default":  func(p *Program) { p.Switches[0].Targets = p.Switches[0].Targets[:1] },
		"a switch out of the code":  func(p *Program) { p.Switches[0].Targets[0] = 40 },
		"a switch without entries":  func(p *Program) { p.Switches[0].Entry = nil },
		"merge outside":             func(p *Program) { p.Constructs[1].Merge = 40 },
		"no header":                 func(p *Program) { p.Constructs[1].Header = -1 },
		"continue of a selection":   func(p *Program) { p.Constructs[1].Kind = SelectionConstruct },
		"a step that counts not":    func(p *Program) { p.Code[2].Imm, p.Code[5].Imm, p.Code[6].Imm, p.Code[23].Imm = 0, 0, 0, 0 },
		"called rows outside":       func(p *Program) { p.Calls[0].Out[1] = 4 * 200 },
		"printed rows outside":      func(p *Program) { p.Printfs[0].Args[1].Rows[1] = 4 * 200 },
		"image rows outside":        func(p *Program) { p.ImageOps[0].Lod = 4 * 200 },
		"half a gradient":           func(p *Program) { p.ImageOps[0].GradY = nil },
		"a texel without an atomic": func(p *Program) { p.ImageOps[2].Atomic = nil },
		"compared row outside":      func(p *Program) { p.Atomics[0].Cmp = 4 * 200 },
		"lane outside":              func(p *Program) { p.Groups[0].B = 4 * 200 },
		"a group without a value":   func(p *Program) { p.Groups[0].A = nil },
		"a sum of nothing": func(p *Program) {
			p.Groups[0] = GroupInfo{Op: spirv.OpGroupNonUniformIAdd, A: []uint32{4}, Dst: []uint32{4}}
		},
		"tested row outside": func(p *Program) { p.Defined[0].In[0][0] = 4 * 200 },
	} {
		p := whole()
		change(p)
		if p.Check() == nil {
			t.Errorf("%s passes", name)
		}
	}
}
