package program

// Role is what an operation takes a row for.
type Role uint8

// The roles.
const (
	RoleNone      Role = iota // a number of another kind, or unset
	RoleValue                 // an operand of arithmetic, or what is stored
	RoleAddress               // a pointer, a handle, coordinates: where memory is
	RoleIndex                 // part of an address that is multiplied by a stride
	RoleCondition             // what decides where lanes go
	RoleResult                // written
)

// operand is what an operation does with the row that a field of its Op names.
type operand struct {
	role Role
	run  bool // as many rows as the operation works on; one otherwise
	when when
}

// when says on what it depends that a field names a row.
type when uint8

const (
	always when = iota
	flag        // Flag is not 0
	stride      // Y, the stride of an index, is not 0
)

// Flow is where control goes from an operation.
type Flow uint8

// The ways.
const (
	FlowNext     Flow = iota // to the next operation
	FlowJump                 // to X
	FlowBranch               // to X and to Y
	FlowSwitch               // to the targets of a SwitchInfo
	FlowEnter                // to the next operation, in a construct of its own
	FlowMerge                // to the merge point of the X-th construct out
	FlowContinue             // to its continue target
	FlowBack                 // to its header
	FlowEnd                  // nowhere
)

// Effect is what an operation does besides computing rows, and where it may
// stop.
type Effect uint16

// The effects.
const (
	EffectVisible    Effect = 1 << iota // other threads may tell its time: a schedule switches warps before it
	EffectFault                         // it may fault
	EffectCount                         // it ends a block: Imm instructions have been executed
	EffectCollective                    // lanes read each other's rows
	EffectWait                          // it may wait for the tile
	EffectOutput                        // it prints
	EffectCheck                         // it tells a checker something, and nothing else
	EffectFloat                         // it computes floating-point numbers
)

// AccessKind says what an operation does to memory.
type AccessKind uint8

// The kinds.
const (
	NoAccess AccessKind = iota
	LoadAccess
	StoreAccess
	AtomicAccess
	TexelAccess // an image instruction
)

// memory is an operation's access to memory.
type memory struct {
	kind    AccessKind
	pointer bool  // through a pointer, whatever Flag is
	width   uint8 // bytes of a component; 0: Flag, or the AtomicInfo's
}

// Info is what there is to know about a Code.
type Info struct {
	Name       string // as programs are printed
	Flow       Flow
	Effects    Effect
	dst        operand
	a, b, c    operand
	countsRows bool // N counts rows; elements otherwise
	variable   Role // what the rows of Vars[X] are, if it accesses a variable
	memory     memory
	form       form
	kind       Kind // of its operands, if they are numbers of one kind, to show constants
	// entries counts the entries of the table that X is an index into; nil if X is
	// none.
	entries func(p *Program) int
	// listed are rows that stand in a table of the program, reads before
	// writes.
	listed func(p *Program, op *Op, list func(role Role, rows ...uint32))
}

// form is how an operation is printed, beside its name. What it writes comes
// before the name, addresses stand in brackets.
type form uint8

const (
	rowsForm      form = iota // the rows that it reads
	targetsForm               // rows, then where it goes
	switchForm                // a row, then where it goes by its value
	constructForm             // a construct, by number
	levelForm                 // where it goes, and how many constructs out
	syncForm                  // scopes and semantics
	accessForm                // an address, and what is stored
	variableForm              // a variable and an index, and what is stored
	pointerForm               // an address, of a view or relative to a pointer
	elementForm               // the address of an element of an array of descriptors
	handleForm                // a handle and an index
	lengthForm                // an address and a stride
	functionForm              // a function of the rows that its fields name
	callForm                  // a function of the rows that its table lists
	groupForm                 // a subgroup instruction
	imageForm                 // an image instruction
	printfForm                // a format and its arguments
	indexForm                 // an index and how many elements there are
	definedForm               // a test, its operands and the reasons
)

var (
	values    = operand{role: RoleValue, run: true}
	address   = operand{role: RoleAddress}
	addresses = operand{role: RoleAddress, run: true}
	condition = operand{role: RoleCondition}
	index     = operand{role: RoleIndex, when: stride}
	second    = operand{role: RoleIndex, when: flag}
	result    = operand{role: RoleResult}
	results   = operand{role: RoleResult, run: true}
)

var (
	f32 = Kind{Float: true, Width: 32}
	f64 = Kind{Float: true, Width: 64}
	i32 = Kind{Width: 32, Signed: true}
)

// Info is the entry of a code of this package.
func (c Code) Info() *Info { return &table[c] }

// String is the code's name.
func (c Code) String() string {
	if c < NumCodes {
		return table[c].Name
	}
	return "engine's own operation"
}

// unary, binary and ternary are the entries of value operations.
func unary(name string) Info { return Info{Name: name, dst: results, a: values} }

func binary(name string) Info { return Info{Name: name, dst: results, a: values, b: values} }

func ternary(name string) Info {
	return Info{Name: name, dst: results, a: values, b: values, c: values}
}

func (i Info) float(k Kind) Info {
	i.Effects |= EffectFloat
	return i.of(k)
}

// of says of what kind the operands are.
func (i Info) of(k Kind) Info {
	i.kind = k
	return i
}

func (i Info) as(f form, entries func(p *Program) int) Info {
	i.form, i.entries = f, entries
	return i
}

func compareBranch(name string) Info {
	return Info{Name: name, Flow: FlowBranch, Effects: EffectCount, a: condition, b: condition, form: targetsForm}
}

func load(name string, width uint8) Info {
	return Info{
		Name: name, Effects: EffectVisible | EffectFault, dst: results, a: second, c: index, countsRows: true,
		memory: memory{kind: LoadAccess, width: width}, form: accessForm,
	}
}

func store(name string, width uint8) Info {
	return Info{
		Name: name, Effects: EffectVisible | EffectFault, dst: second, a: values, c: index, countsRows: true,
		memory: memory{kind: StoreAccess, width: width}, form: accessForm,
	}
}

// table has an entry for each Code.
var table = [NumCodes]Info{
	Nop: {Name: "nop"},

	Jump:        {Name: "jump", Flow: FlowJump, Effects: EffectCount, form: targetsForm},
	BranchIf:    {Name: "branch_if", Flow: FlowBranch, Effects: EffectCount, a: condition, form: targetsForm},
	BranchULt:   compareBranch("branch_ult"),
	BranchULe:   compareBranch("branch_ule"),
	BranchSLt:   compareBranch("branch_slt").of(i32),
	BranchSLe:   compareBranch("branch_sle").of(i32),
	BranchEq:    compareBranch("branch_eq"),
	BranchNe:    compareBranch("branch_ne"),
	SwitchOn:    {Name: "switch", Flow: FlowSwitch, Effects: EffectCount, a: condition, form: switchForm, entries: switches},
	Enter:       {Name: "enter", Flow: FlowEnter, form: constructForm, entries: constructs},
	ExitMerge:   {Name: "exit_merge", Flow: FlowMerge, Effects: EffectCount, form: levelForm},
	ExitCont:    {Name: "exit_continue", Flow: FlowContinue, Effects: EffectCount, form: levelForm},
	BackEdge:    {Name: "back_edge", Flow: FlowBack, Effects: EffectCount, form: levelForm},
	Return:      {Name: "return", Flow: FlowEnd, Effects: EffectCount},
	Unreachable: {Name: "unreachable", Flow: FlowEnd, Effects: EffectFault},
	Barrier:     {Name: "barrier", Effects: EffectVisible | EffectWait, form: syncForm},
	Fence:       {Name: "fence", form: syncForm},
	Printf:      {Name: "printf", Effects: EffectOutput, form: printfForm, listed: printfRows, entries: printfs},

	Mov:        unary("mov"),
	Not32:      unary("not32"),
	IAdd32:     binary("iadd32"),
	ISub32:     binary("isub32"),
	IMul32:     binary("imul32"),
	IMulAdd32:  ternary("imuladd32"),
	IAdd64:     binary("iadd64"),
	ISub64:     binary("isub64"),
	IMul64:     binary("imul64"),
	And:        binary("and"),
	Or:         binary("or"),
	Xor:        binary("xor"),
	Shl32:      binary("shl32"),
	ShrU32:     binary("shru32"),
	ShrS32:     binary("shrs32").of(i32),
	FAdd32:     binary("fadd32").float(f32),
	FSub32:     binary("fsub32").float(f32),
	FMul32:     binary("fmul32").float(f32),
	FMulAdd32:  ternary("fmuladd32").float(f32),
	Fma32:      ternary("fma32").float(f32),
	FDiv32:     binary("fdiv32").float(f32),
	FNeg32:     unary("fneg32").float(f32),
	FAdd64:     binary("fadd64").float(f64),
	FSub64:     binary("fsub64").float(f64),
	FMul64:     binary("fmul64").float(f64),
	IEq:        binary("ieq"),
	INe:        binary("ine"),
	ULt32:      binary("ult32"),
	ULe32:      binary("ule32"),
	SLt32:      binary("slt32").of(i32),
	SLe32:      binary("sle32").of(i32),
	FOrdEq32:   binary("fordeq32").of(f32),
	FOrdLt32:   binary("fordlt32").of(f32),
	FOrdLe32:   binary("fordle32").of(f32),
	FUnordNe32: binary("funordne32").of(f32),
	LogicalNot: unary("logicalnot"),
	Select:     ternary("select"),
	SToF32:     unary("stof32").float(i32),
	UToF32:     unary("utof32").float(Kind{}),
	Call1:      unary("call1").as(functionForm, functions),
	Call2:      binary("call2").as(functionForm, functions),
	Call3:      ternary("call3").as(functionForm, functions),
	PtrTo:      {Name: "ptr", dst: results, c: index, form: pointerForm},
	PtrAdd:     {Name: "ptradd", dst: results, a: addresses, c: index, form: pointerForm},
	CallN:      {Name: "calln", form: callForm, listed: callRows, entries: calls},

	LoadVar:  {Name: "loadvar", Effects: EffectFault, dst: results, c: index, countsRows: true, variable: RoleValue, form: variableForm, entries: variables},
	StoreVar: {Name: "storevar", Effects: EffectFault, a: values, c: index, countsRows: true, variable: RoleResult, form: variableForm, entries: variables},

	CheckIndex:    {Name: "check_index", Effects: EffectFault | EffectCheck, c: operand{role: RoleIndex}, form: indexForm, entries: indexes},
	CheckDefined:  {Name: "check_defined", Effects: EffectCheck, form: definedForm, listed: definedRows, entries: tests},
	MarkUndefined: {Name: "mark_undefined", Effects: EffectCheck, form: definedForm, listed: markedRows, entries: tests},
	CheckUsed:     {Name: "check_used", Effects: EffectCheck, a: values},

	Load8:   load("load8", 1),
	Load16:  load("load16", 2),
	Load32:  load("load32", 4),
	Load64:  load("load64", 8),
	Store8:  store("store8", 1),
	Store16: store("store16", 2),
	Store32: store("store32", 4),
	Store64: store("store64", 8),
	LoadPtr: {
		Name: "loadptr", Effects: EffectVisible | EffectFault, dst: results, a: address, c: index, countsRows: true,
		memory: memory{kind: LoadAccess, pointer: true}, form: accessForm,
	},
	StorePtr: {
		Name: "storeptr", Effects: EffectVisible | EffectFault, a: address, b: values, c: index, countsRows: true,
		memory: memory{kind: StoreAccess, pointer: true}, form: accessForm,
	},
	Atomic: {
		Name: "atomic", Effects: EffectVisible | EffectFault, a: operand{role: RoleAddress, when: flag}, c: index,
		memory: memory{kind: AtomicAccess}, form: accessForm, listed: atomicRows, entries: atomics,
	},
	ImageOp: {
		Name: "image", Effects: EffectVisible | EffectFault,
		memory: memory{kind: TexelAccess}, form: imageForm, listed: imageRows, entries: images,
	},

	PtrToElem:  {Name: "ptr_elem", Effects: EffectFault, dst: result, b: operand{role: RoleIndex}, c: index, form: elementForm, entries: arrays},
	HandleElem: {Name: "handle_elem", Effects: EffectFault, dst: result, a: address, b: operand{role: RoleIndex}, form: handleForm},
	ArrayLen:   {Name: "array_len", Effects: EffectFault, dst: result, a: operand{role: RoleAddress, when: flag}, form: lengthForm},

	Group: {Name: "group", Effects: EffectCollective, form: groupForm, listed: groupRows, entries: groups},
	Clock: {Name: "clock", listed: clockRows},
}

func constructs(p *Program) int { return len(p.Constructs) }
func switches(p *Program) int   { return len(p.Switches) }
func variables(p *Program) int  { return len(p.Vars) }
func arrays(p *Program) int     { return len(p.Arrays) }
func atomics(p *Program) int    { return len(p.Atomics) }
func groups(p *Program) int     { return len(p.Groups) }
func images(p *Program) int     { return len(p.ImageOps) }
func printfs(p *Program) int    { return len(p.Printfs) }
func indexes(p *Program) int    { return len(p.Indexes) }
func functions(p *Program) int  { return len(p.Functions) }
func calls(p *Program) int      { return len(p.Calls) }
func tests(p *Program) int      { return len(p.Defined) }

func printfRows(p *Program, op *Op, list func(Role, ...uint32)) {
	for i := range p.Printfs[op.X].Args {
		list(RoleValue, p.Printfs[op.X].Args[i].Rows...)
	}
}

func definedRows(p *Program, op *Op, list func(Role, ...uint32)) {
	for _, rows := range p.Defined[op.X].In {
		list(RoleValue, rows...)
	}
}

func markedRows(p *Program, op *Op, list func(Role, ...uint32)) {
	definedRows(p, op, list)
	for _, rows := range p.Defined[op.X].Out {
		for _, r := range rows {
			list(RoleResult, r+op.Dst)
		}
	}
}

func callRows(p *Program, op *Op, list func(Role, ...uint32)) {
	list(RoleValue, p.Calls[op.X].In...)
	list(RoleResult, p.Calls[op.X].Out...)
}

func atomicRows(p *Program, op *Op, list func(Role, ...uint32)) {
	a := &p.Atomics[op.X]
	a.rows(list)
	if a.Op.Reads() {
		list(RoleResult, op.Dst)
	}
}

// rows lists the rows of an atomic's values.
func (a *AtomicInfo) rows(list func(Role, ...uint32)) {
	switch a.Op {
	case AtomicLoad:
	case AtomicCompareExchange:
		list(RoleValue, a.Val, a.Cmp)
	default:
		list(RoleValue, a.Val)
	}
}

func imageRows(p *Program, op *Op, list func(Role, ...uint32)) {
	i := &p.ImageOps[op.X]
	list(RoleAddress, i.Handle)
	list(RoleAddress, i.Coord...)
	list(RoleAddress, i.Lod, i.MinLOD, i.Sample)
	for _, rows := range [][]uint32{i.GradX, i.GradY, i.Offset} {
		list(RoleAddress, rows...)
	}
	list(RoleValue, i.Dref, i.Component)
	list(RoleValue, i.Value...)
	if i.Atomic != nil {
		i.Atomic.rows(list)
	}
	list(RoleResult, i.Dst...)
}

func groupRows(p *Program, op *Op, list func(Role, ...uint32)) {
	g := &p.Groups[op.X]
	list(RoleValue, g.A...)
	if g.readsB() {
		list(RoleIndex, g.B)
	}
	list(RoleResult, g.Dst...)
}

func clockRows(p *Program, op *Op, list func(Role, ...uint32)) {
	list(RoleResult, op.Dst)
	if op.Flag != 0 {
		list(RoleResult, op.Dst+uint32(p.Stride))
	}
}
