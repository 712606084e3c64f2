package warp

import (
	"ampdbg/spirv"
	"ampdbg/warp/scalar"
)

// Code is the operation of an Op.
type Code uint16

// The operations. Rows are dense runs of lanes in the warp's arena; operands
// name the first element of their row. n stands for Op.N. Value operations
// work on n elements: one row of a scalar, or the consecutive rows of a
// vector.
const (
	Nop Code = iota

	// Control. Imm is the number of instructions of the block that the
	// operation ends, for the step count.

	Jump      // pc = X
	BranchIf  // lanes with A != 0 go to X, the others to Y
	BranchULt // lanes with uint32(A) < uint32(B) go to X, the others to Y; likewise the next five
	BranchULe
	BranchSLt
	BranchSLe
	BranchEq
	BranchNe
	SwitchOn  // by the value of A, through Program.Switches[X]
	Enter     // open Program.Constructs[X]
	ExitMerge // leave for the merge point X constructs out (0 = innermost); Y is its pc if X is 0
	ExitCont  // leave for the continue target X constructs out
	BackEdge  // go round the innermost loop (X constructs out); Y is the header's pc
	Return    // the lanes have finished the kernel
	Unreachable
	Barrier // OpControlBarrier: execution scope X, memory scope C, semantics Y
	Fence   // OpMemoryBarrier: memory scope C, semantics Y
	Printf  // Program.Printfs[X]
	Break   // a breakpoint: stops before Program.Original at this pc

	// Values.

	Mov
	Not32
	IAdd32
	ISub32
	IMul32
	IMulAdd32 // D = A*B + C
	IAdd64
	ISub64
	IMul64
	And
	Or
	Xor
	Shl32
	ShrU32
	ShrS32
	FAdd32
	FSub32
	FMul32
	FMulAdd32 // D = round(round(A*B) + C)
	Fma32     // D = round(A*B + C)
	FDiv32
	FNeg32
	FAdd64
	FSub64
	FMul64
	IEq // 32 bits and less, zero-extended
	INe
	ULt32
	ULe32
	SLt32
	SLe32
	FOrdEq32
	FOrdLt32
	FOrdLe32
	FUnordNe32
	LogicalNot
	Select // D = A != 0 ? B : C
	SToF32
	UToF32
	Call1 // D = Program.Fn1[X](A)
	Call2 // D = Program.Fn2[X](A, B)
	Call3 // D = Program.Fn3[X](A, B, C)
	CallN // Program.FnN[X]: rows in, rows out

	// Register variables (Function and Private storage).

	LoadVar // D.. = rows of the variable Program.Vars[X] at row Imm + index terms
	StoreVar
	CheckIndex // the index C, sign-extended by Sh, is inside Program.Indexes[X]

	CheckDefined // whether an operation has a defined result: Program.Defined[X], noted in Program.Undefined

	// Of a shadow program alone, see Program.Shadow.

	MarkUndefined // where Program.Defined[X] has no defined result, the shadows, Dst elements further on, are 1
	CheckUsed     // the shadows of n elements from A are used

	// Memory. The address of a lane is view X (or, in the Ptr forms, the
	// pointer in A) plus Imm plus index*stride, where index is element C
	// sign-extended by Sh bits and stride is Y; N is the number of components,
	// which are contiguous in memory and lie in consecutive rows from Dst
	// (loads) or from A resp. B (stores). With Flag set, loads and stores of a
	// view add a second index: element A (loads) or Dst (stores), extended by
	// Sh, times the stride B.

	Load8
	Load16
	Load32
	Load64
	Store8
	Store16
	Store32
	Store64
	LoadPtr    // component width Flag bytes
	StorePtr   // value rows from B
	PtrTo      // D = pointer to view X + Imm + index*stride
	PtrToElem  // as PtrTo, view X + descriptor index B (checked against Program.Arrays)
	HandleElem // D = handle A + descriptor index B (less than X)
	PtrAdd     // D = A + Imm + index*stride: A is a pointer or, with Flag, an offset
	ArrayLen   // D = elements of the runtime array at Imm in view X (or through A if Flag), element stride Y
	Atomic     // Program.Atomics[X]

	// Subgroup operations: Program.Groups[X].
	Group

	// Images: Program.Images[X].
	ImageOp

	Clock // D, D+1 row = step count of the tile (Flag: as two 32-bit halves)

	// Of Program.Fast alone. They hold while the warp has not split.

	BranchUniform // the branch Flag, which all lanes take alike
	LoadUniform   // Load32 of one address
	CheckUniform  // CheckIndex of one index
	LoadLinear    // Load32 of consecutive addresses
	StoreLinear
	CompareBranch // a comparison, and the BranchIf on it, which all lanes take alike
	MulAdd        // IMul32, and the IAdd32 after it of the product and C, with the sum in X
	LoadLoadFma   // the load N, another, and the Fma32 after them
	LoopNext      // IAdd32, and the Movs and the BackEdge after it

	numCodes
)

//go:generate go tool stringer -type=Code -output=code_string.go

// Op is one operation of the flat program. Dst, A, B and C are element
// offsets into the arena: row * padded width.
type Op struct {
	Code         Code
	Sh           uint8 // sign extension of the index: shift left and back by this
	Flag         uint8
	N            uint32
	Dst, A, B, C uint32
	X, Y         int32
	Imm          int64
}

// Program is a module's entry point lowered for one warp width. It is
// immutable while warps run it.
type Program struct {
	Width  int // lanes per warp
	Stride int // elements per row: Width rounded up to a multiple of 4
	Code   []Op
	Fast   []Op    // the quick form of Code, which Finish makes
	Inst   []int32 // by pc: index into Unit.Insts of the instruction that the operation belongs to
	Frames []Frame // inlined calls; Frames[0] is the entry point
	Frame  []int32 // by pc: index into Frames
	Entry  int     // pc of the first operation

	Rows    int // rows of the arena
	Consts  []ConstRow
	Scratch uint32 // element offset of the scratch rows at the arena's end

	Constructs []ConstructInfo
	Switches   []SwitchInfo
	Vars       []VarInfo
	Arrays     []ArrayInfo // by view: descriptor arrays
	Atomics    []AtomicInfo
	Groups     []GroupInfo
	ImageOps   []ImageInfo
	Printfs    []PrintfInfo
	Indexes    []IndexInfo
	Undefs     []UndefRow
	Fn1        []scalar.Func1
	Fn2        []scalar.Func2
	Fn3        []scalar.Func3
	FnN        []CallInfo
	// Scalars1, Scalars2 and Scalars3 say which instructions Fn1, Fn2 and Fn3
	// are; the zero ScalarInfo is none.
	Scalars1, Scalars2, Scalars3 []ScalarInfo
	Builtins                     []BuiltinInfo
	Unit                         *spirv.Unit
	TileSize                     [3]uint32
	Defined                      []DefinedInfo
	// Undefined is where CheckDefined notes the reasons for which active lanes
	// had no defined result, one bit each; nil where that is not wanted.
	Undefined *uint32
	Used      func() // of a shadow program: what CheckUsed calls
	// Places, by frame, say where the values of ids are; nil unless the program
	// was lowered to be debugged.
	Places []map[spirv.ID]Place
}

// ConstRow is a row that holds the same value in every lane.
type ConstRow struct {
	Row  uint32 // element offset
	Bits uint64
}

// Frame is one activation of a function in the inlined program.
type Frame struct {
	Parent   int32 // -1 for the entry point
	CallInst int32 // index into Unit.Insts of the OpFunctionCall in Parent's function
	Function *spirv.Function
}

// ConstructKind is what a construct on a warp's stack is.
type ConstructKind uint8

// The kinds of construct.
const (
	SelectionConstruct ConstructKind = iota
	SwitchConstruct
	LoopConstruct
	CallConstruct // an inlined call; its merge point is the return
)

// ConstructInfo is the static part of a construct.
type ConstructInfo struct {
	Kind   ConstructKind
	Merge  int32 // pc; -1 if the merge block is unreachable
	Cont   int32 // pc, loops only
	Header int32 // pc, loops only
	Inst   int32 // index into Unit.Insts: merge instruction or call
	Frame  int32
}

// SwitchInfo is the target table of a SwitchOn.
type SwitchInfo struct {
	Mask    uint64 // selector's bits
	Values  []uint64
	Targets []int32 // pc by value; one longer than Values, the last is the default
	Entry   []int32 // number of the target block, equal for values that share one
}

// VarInfo is a variable that lives in rows of the arena.
type VarInfo struct {
	ID      spirv.ID
	Frame   int32
	Type    *spirv.Type // pointee
	Row     int32
	Rows    int32
	Storage spirv.StorageClass
}

// ArrayInfo is a descriptor array: Len consecutive views from First.
type ArrayInfo struct {
	ID         spirv.ID
	First, Len int32
}

// CallInfo is an n-ary function of scalars.
type CallInfo struct {
	Fn  func(in, out []uint64)
	In  []uint32 // element offsets
	Out []uint32
}

// ScalarInfo is the instruction that a function of scalars computes.
type ScalarInfo struct {
	Set      uint8 // 0: Op is an opcode of SPIR-V; 1: an instruction of GLSL.std.450; 2, 3: the first, the second part of its result
	Op       uint32
	Dst, Src scalar.Kind // of the result, where it is not that of the operands, and of these
}

// PrintfInfo is a DebugPrintf.
type PrintfInfo struct {
	Format string
	Args   []PrintfArg
}

// PrintfArg is one argument with its scalar type and rows.
type PrintfArg struct {
	Type *spirv.Type
	Rows []uint32
}

// BuiltinInfo places a built-in input at Rows.
type BuiltinInfo struct {
	BuiltIn spirv.BuiltIn
	Rows    []uint32
}

// Plain reports whether the operation computes Dst from the operands that it
// names itself: no control flow, memory, or rows listed elsewhere.
func (c Code) Plain() bool { return c >= Mov && c <= Call3 || c == PtrTo || c == PtrAdd }

// Branch is the branch on what a comparison compares, if there is one.
func (c Code) Branch() (branch Code, ok bool) {
	switch c {
	case ULt32:
		return BranchULt, true
	case ULe32:
		return BranchULe, true
	case SLt32:
		return BranchSLt, true
	case SLe32:
		return BranchSLe, true
	case IEq:
		return BranchEq, true
	case INe:
		return BranchNe, true
	}
	return Nop, false
}

// Reads reports whether a Plain operation on single rows has row as an
// operand.
func (op *Op) Reads(row uint32) bool {
	a, b, c := op.operands()
	return a && op.A == row || b && op.B == row || c && op.C == row
}

// Writes reports whether the operation computes row and no other.
func (op *Op) Writes(row uint32) bool {
	u := fieldsOf[op.Code].dst
	return op.Dst == row && (u == writes || u == writesRun)
}

// Rename makes a Plain operation read row to where it reads row from.
func (op *Op) Rename(from, to uint32) {
	a, b, c := op.operands()
	if a && op.A == from {
		op.A = to
	}
	if b && op.B == from {
		op.B = to
	}
	if c && op.C == from {
		op.C = to
	}
}
