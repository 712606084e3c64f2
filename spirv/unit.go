package spirv

// Unit is a module with everything resolved that does not depend on running
// it: types, constants (specialized), decorations, names, entry points,
// functions with their structured control flow, and debug information.
type Unit struct {
	*Module
	EntryPoints  []EntryPoint
	Functions    []*Function
	Globals      []*Variable // module-scope OpVariables in module order
	Capabilities []Capability
	Extensions   []string
	Addressing   AddressingModel
	Memory       MemoryModel
	Debug        *DebugInfo // never nil; empty where the module has none

	def         []int32  // by id: 1 + index into Insts of the instruction whose result it is
	results     []any    // by index into Insts: *Type, *Const, *Variable, *Function, *Block or extSet
	blocks      []*Block // by index into Insts: the block an instruction lies in
	names       []string
	decorations [][]decoration // by index into Insts of the target
	structured  bool           // the rules of structured control flow hold (not a pure Kernel module)
}

// EntryPoint is an OpEntryPoint with its execution modes.
type EntryPoint struct {
	Model     ExecutionModel
	Function  ID
	Name      string
	Interface []ID
	LocalSize [3]uint32 // threads per tile: LocalSize, LocalSizeId or the WorkgroupSize constant (which wins); 0 where none is given
	Modes     []Mode
}

// Mode is an OpExecutionMode or OpExecutionModeId.
type Mode struct {
	Mode ExecutionMode
	Args []uint32 // literals, or ids for OpExecutionModeId
	IDs  bool
}

// Variable is an OpVariable (module scope or function scope).
type Variable struct {
	ID      ID
	Type    *Type // the pointer type
	Storage StorageClass
	Init    ID  // 0 if none
	Index   int // index into Module.Insts
}

// DescriptorArray reports whether a variable is an array of buffer descriptors.
func (v *Variable) DescriptorArray() bool {
	k := v.Type.Elem.Kind
	return (k == Array || k == RuntimeArray) && (v.Storage == StorageClassUniform || v.Storage == StorageClassStorageBuffer)
}

// TypeKind tells the type-declaring instructions apart.
type TypeKind uint8

// The kinds of type.
const (
	Void TypeKind = iota
	Bool
	Int
	Float
	Vector
	Matrix
	Array
	RuntimeArray
	Struct
	Pointer
	FunctionType
	Image
	Sampler
	SampledImage
	OtherType // declared by an instruction that compute shaders do not execute with
)

// Type is a resolved type. Types are unique per id: compare with ==, or with
// Same for structural equality.
type Type struct {
	ID                 ID
	Kind               TypeKind
	Width              int          // bits: Int, Float
	Signed             bool         // Int
	Elem               *Type        // Vector component, Matrix column, Array/RuntimeArray element, Pointer pointee, SampledImage image, Image sampled type
	Len                int          // Vector components, Matrix columns, Array elements (specialized)
	Members            []Member     // Struct
	ArrayStride        int          // Array, RuntimeArray, Pointer: the ArrayStride decoration, 0 if none
	Storage            StorageClass // Pointer
	Block, BufferBlock bool         // Struct decorations
	// Image:
	Dim         Dim
	Depth       uint32
	Arrayed, MS bool
	Sampled     uint32
	Format      ImageFormat
	// FunctionType:
	Return *Type
	Params []*Type

	name         string // of the id
	scalars      int    // see Scalars
	depth        int    // nesting of composites
	size, align  int    // natural, bytes
	stride       int    // natural, of runs of parts
	explicitSize int    // Size(Explicit)
	laidOut      bool
	explicit     bool // Pointer into Workgroup storage: see LayoutOf
}

// Member is a struct member with its layout decorations.
type Member struct {
	Type                                         *Type
	Name                                         string // OpMemberName, may be empty
	Offset                                       int    // bytes, -1 if not decorated
	MatrixStride                                 int    // bytes, 0 if not decorated
	RowMajor                                     bool
	Coherent, Volatile, NonWritable, NonReadable bool
	BuiltIn                                      BuiltIn
	IsBuiltIn                                    bool

	scalar   int // place of the first scalar among the struct's
	natural  int // byte offset in Natural
	explicit int // byte offset in Explicit
}

// Const is a constant with its value flattened to scalars, in order of
// members and components (a matrix: column by column). Each scalar is the raw
// bits, zero-extended to 64 bits; Bool is 0 or 1. Undef marks scalars that
// come from OpUndef (bits 0).
type Const struct {
	ID    ID
	Type  *Type
	Bits  []uint64
	Undef []bool // nil if none
	Spec  bool   // depends on a specialization constant
}

// SpecValues gives values for specialization constants by SpecId: raw bits,
// zero-extended.
type SpecValues map[uint32]uint64

// Function is an OpFunction with its blocks in module order; Blocks[0] is the
// entry. A declaration without body has no blocks.
type Function struct {
	ID     ID
	Type   *Type // FunctionType
	Params []ID
	Blocks []*Block
	Index  int // index of OpFunction in Module.Insts
	Vars   []*Variable

	constructs []*Construct // by Order of their headers
	order      []*Block     // the reachable blocks in reverse postorder
}

// Block is a basic block.
type Block struct {
	Label        ID
	Index        int      // in Function.Blocks
	First        int      // index in Module.Insts of the first instruction after OpLabel
	Last         int      // index in Module.Insts of the terminator
	MergeInst    int      // index in Module.Insts of OpSelectionMerge/OpLoopMerge, or -1
	Succs, Preds []*Block // Succs without repeats, in operand order
	// Construct is the innermost construct that the block's body lies in. The
	// header of a selection lies outside the selection (its branch enters it);
	// the header of a loop lies inside the loop.
	Construct *Construct
	Reachable bool   // from the function's entry
	IDom      *Block // immediate dominator, nil for the entry and for unreachable blocks
	// Order is the block's place in a structured order of the function's
	// blocks, from 0: a block comes after all its predecessors but for back
	// edges, the blocks of a construct are contiguous, a merge block comes after
	// its construct, a continue target after the rest of its loop. Blocks that
	// no path of control flow or merge and continue edges reaches have -1. (In
	// Kernel modules, which need no structure: a reverse postorder.)
	Order int

	in, out int        // interval in the tree of dominators, 0 where unreachable: see Dominates
	sdom    *Block     // immediate structural dominator
	enters  *Construct // the construct whose header this is
}

// ConstructKind tells structured constructs apart.
type ConstructKind uint8

// The kinds of construct.
const (
	SelectionConstruct ConstructKind = iota // OpSelectionMerge + OpBranchConditional
	SwitchConstruct                         // OpSelectionMerge + OpSwitch
	LoopConstruct                           // OpLoopMerge; the continue target's blocks lie in it too
)

// Construct is a structured control-flow construct: the blocks dominated
// (structurally) by Header and not by Merge.
type Construct struct {
	Kind     ConstructKind
	Header   *Block
	Merge    *Block
	Continue *Block     // LoopConstruct only
	Parent   *Construct // nil at function level
	Depth    int        // 1 for a construct at function level
}
