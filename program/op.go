package program

import "ampdbg/spirv"

// Code is the operation of an Op. The table in table.go says what each does.
type Code uint16

// The operations. n stands for Op.N: value operations work on n elements, one
// row of a scalar or the consecutive rows of a vector.
const (
	Nop Code = iota

	// Control. Imm is the number of instructions of the block that the
	// operation ends, for the step count.

	Jump      // pc = X
	BranchIf  // lanes whose A is 1 go to X, those whose A is 0 to Y
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
	Barrier // OpControlBarrier, see Op.Sync
	Fence   // OpMemoryBarrier, see Op.Sync
	Printf  // Program.Printfs[X]

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
	Call1  // D = Program.Functions[X](A)
	Call2  // D = Program.Functions[X](A, B)
	Call3  // D = Program.Functions[X](A, B, C)
	PtrTo  // D = pointer to byte Imm + index of view X; see Op.Term
	PtrAdd // D = A + Imm + index: A is a pointer or, with Flag, an offset
	CallN  // Program.Calls[X]: rows in, rows out

	// Register variables (Function and Private storage), see Op.Part.

	LoadVar // D.. = rows of the variable Program.Vars[X]
	StoreVar

	CheckIndex   // the index, see Op.Term, is inside Program.Indexes[X]
	CheckDefined // whether an operation has a defined result: Program.Defined[X]

	// Of a shadow program alone, see Program.Shadow.

	MarkUndefined // where Program.Defined[X] has no defined result for a reason that is not in C, the shadows, Dst elements further on, are 1
	CheckUsed     // the shadows of n elements from A are used

	// Memory, see Program.Access. N is the number of components, which are
	// contiguous in memory and lie in consecutive rows.

	Load8
	Load16
	Load32
	Load64
	Store8
	Store16
	Store32
	Store64
	LoadPtr
	StorePtr
	Atomic  // Program.Atomics[X]
	ImageOp // Program.ImageOps[X]

	PtrToElem  // D = pointer to byte Imm + index of view number B of Program.Arrays[X]
	HandleElem // D = handle A + descriptor number B (less than X)
	ArrayLen   // D = elements of Y bytes of the runtime array at byte Imm of view X (or of the view that A points into, if Flag)

	Group // subgroup operations: Program.Groups[X]
	Clock // D, D+1 row = step count of the tile (Flag: as two 32-bit halves)

	// NumCodes is the number of operations. Those from here on are an engine's own.
	NumCodes
)

// Op is one operation. Dst, A, B and C are elements of the arena (a row's first
// element is its number times the stride) or small numbers, as the table says of
// the code. Who is neither a lowering nor an engine asks the table, by the methods
// of Op and of Program.
type Op struct {
	Code         Code
	Sh           uint8 // sign extension of the index: shift left and back by this
	Flag         uint8
	N            uint32
	Dst, A, B, C uint32
	X, Y         int32
	Imm          int64
}

// NoRow marks an operand that an instruction lacks.
const NoRow = ^uint32(0)

// Program is a module's entry point, lowered for warps of one width. It is
// immutable from Check on.
type Program struct {
	Width  int // lanes per warp
	Stride int // elements per row: Width rounded up to a multiple of 4
	Code   []Op
	Inst   []int32 // by pc: index into Unit.Insts of the instruction that the operation belongs to
	Frame  []int32 // by pc: index into Frames
	Frames []Frame // inlined calls; Frames[0] is the entry point
	Entry  int     // pc of the first operation

	Rows    int    // rows of the arena
	Scratch uint32 // element of the scratch rows at the arena's end
	Consts  []ConstRow

	Views      int // those that operations name are below this
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
	Functions  []Symbol // of Call1, Call2 and Call3
	Calls      []CallInfo
	Builtins   []BuiltinInfo
	Defined    []DefinedInfo

	Unit     *spirv.Unit
	TileSize [3]uint32
	// Places, by frame, say where the values of ids are; nil unless the program
	// was lowered to be debugged.
	Places []map[spirv.ID]Place
}

// ConstRow is a row that holds the same value in every lane.
type ConstRow struct {
	Row  uint32 // element
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

// Merges says of a branch that one of its targets does nothing but leave for the
// innermost construct's merge point: Op.Flag.
const (
	TrueIsMerge  = 1
	FalseIsMerge = 2
)

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
	Row     int32       // number of the first
	Rows    int32
	Storage spirv.StorageClass
}

// ArrayInfo is a descriptor array: Len consecutive views from First.
type ArrayInfo struct {
	ID         spirv.ID
	First, Len int32
}

// CallInfo is a function of any number of scalars.
type CallInfo struct {
	Fn  Symbol
	In  []uint32 // elements
	Out []uint32
}

// AtomicInfo is an atomic instruction on a buffer, a tile_static variable or a
// texel.
type AtomicInfo struct {
	Op        AtomicOp
	Size      int    // bytes
	Val, Cmp  uint32 // elements
	Scope     spirv.Scope
	Semantics uint32
	Unequal   uint32 // semantics where a compare-exchange fails
	// Unused says that no instruction reads the result.
	Unused   bool
	Volatile bool
}

// GroupInfo is a subgroup instruction on one scalar (or, for ballots, on the
// four words of one). The KHR opcodes of SPV_KHR_shader_ballot and
// SPV_KHR_subgroup_vote are those of the OpGroupNonUniform they equal.
type GroupInfo struct {
	Op      spirv.Opcode
	Kind    spirv.GroupOperation
	Cluster uint32 // lanes per cluster for ClusteredReduce and Rotate, else 0
	Dst     []uint32
	A       []uint32 // elements of the value's scalars
	B       uint32   // element of the lane, delta, mask, index or direction
	// Fn combines two values and Identity is its neutral element, for
	// reductions and scans; for AllEqual Fn compares.
	Fn       Symbol
	Identity uint64
}

// Moves reports whether the instruction gives each lane the value of one lane.
func (g *GroupInfo) Moves() bool {
	switch g.Op {
	case spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformBroadcastFirst,
		spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown,
		spirv.OpGroupNonUniformRotateKHR, spirv.OpGroupNonUniformQuadBroadcast, spirv.OpGroupNonUniformQuadSwap:
		return true
	}
	return false
}

// readsB reports whether the instruction has an operand besides its value.
func (g *GroupInfo) readsB() bool {
	return g.Moves() && g.Op != spirv.OpGroupNonUniformBroadcastFirst || g.Op == spirv.OpGroupNonUniformBallotBitExtract
}

// ImageInfo is an image instruction.
type ImageInfo struct {
	Op                        spirv.Opcode // OpImageTexelPointer for an atomic
	Handle                    uint32       // element of the handle
	Coord                     []uint32     // elements
	CoordKind                 Kind
	Proj                      bool     // the last coordinate divides the others
	Dst                       []uint32 // elements of the result
	Result                    Kind
	Value                     []uint32 // the texel to write
	ValueKind                 Kind
	Dref, Lod, MinLOD, Sample uint32 // elements or NoRow
	LodKind                   Kind
	Component                 uint32 // of gathers, or NoRow
	GradX, GradY              []uint32
	Offset                    []uint32   // int32
	Offsets                   *[4][2]int // ConstOffsets
	Atomic                    *AtomicInfo
}

// Samples reports whether the instruction uses a sampler.
func (i *ImageInfo) Samples() bool {
	switch i.Op {
	case spirv.OpImageFetch, spirv.OpImageRead, spirv.OpImageWrite, spirv.OpImageTexelPointer,
		spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod, spirv.OpImageQueryLevels, spirv.OpImageQuerySamples:
		return false
	}
	return true
}

// Filters reports whether the instruction may mix texels.
func (i *ImageInfo) Filters() bool { return i.Samples() && len(i.Dst) > 0 }

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

// IndexInfo is an index that CheckIndex checks.
type IndexInfo struct {
	Len int64 // of the array or vector
	// Name, Path and Members name it, as those of a diag.Element do: "cells",
	// "[3].value", "[].value".
	Name, Path, Members string
}

// UndefRow is a row that stands for an OpUndef, or for a scalar of one.
type UndefRow struct {
	Row uint32 // element
	ID  spirv.ID
}

// DefinedInfo is an operation that has no defined result for some operands. Its
// parts, the components of a vector in most cases, are looked at one by one.
//
// Where the operation's behaviour is undefined, and not only its result, Out is
// nil and the CheckDefined stands before the operation; otherwise after it.
type DefinedInfo struct {
	In      [][]uint32 // by part: the operands' rows
	Out     [][]uint32 // by part: the result's rows
	Reasons uint32     // those that there may be, one bit each
	Test    Test       // tells of a lane
	Group   int32      // of a test of lanes: index into Groups; -1: none
	Kinds   []Kind     // of the operands, to show them
}
