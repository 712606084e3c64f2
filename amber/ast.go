package amber

import (
	"sort"

	"ampdbg/diag"
)

// Script is a parsed script: its statements in file order.
type Script struct {
	File  string
	Stmts []Stmt
	lines []int // byte offset of each line's first byte
}

// Pos turns a byte offset of a Word or a statement into a position.
func (s *Script) Pos(off int) diag.Pos {
	line := sort.SearchInts(s.lines, off+1)
	if line == 0 {
		return diag.Pos{File: s.File}
	}
	return diag.Pos{File: s.File, Line: line, Col: off - s.lines[line-1] + 1}
}

// WordPos is the position of a word, its end included.
func (s *Script) WordPos(w Word) diag.Pos {
	p := s.Pos(w.Off)
	p.EndLine, p.EndCol = p.Line, p.Col+len(w.Text)
	return p
}

// Word is a run of non-blank bytes and its byte offset in the script. A Word
// with an empty Text stands for something optional that was not given.
type Word struct {
	Text string
	Off  int
}

// Given reports whether the word was there.
func (w Word) Given() bool { return w.Text != "" }

// Number is an integer, decimal or 0x hex, that the parser has read.
type Number struct {
	Word
	Value int64
}

// Stmt is a statement at the top level or inside REPEAT: one of the pointer
// types below. Offset is where its keyword stands.
type Stmt interface{ Offset() int }

// PipelineStmt is a statement of a pipeline's body: *Attach, *Bind,
// *SetKernel, *ShaderOptions or *Subgroup.
type PipelineStmt interface{ Offset() int }

type at int

func (a at) Offset() int { return int(a) }

// Require is a DEVICE_FEATURE, DEVICE_EXTENSION, INSTANCE_EXTENSION or
// DEVICE_PROPERTY line.
type Require struct {
	at
	Kind Word
	Name Word
}

// EngineData is SET ENGINE_DATA Name Value.
type EngineData struct {
	at
	Name  Word
	Value Number
}

// VirtualFile is VIRTUAL_FILE Path … END. Text starts at byte offset TextOff.
type VirtualFile struct {
	at
	Path    Word
	Text    string
	TextOff int
}

// Struct is STRUCT … END.
type Struct struct {
	at
	Name    Word
	Stride  Number
	Members []StructMember
}

// StructMember is a line of a STRUCT; the layout numbers may be absent.
type StructMember struct {
	Type, Name                        Word
	Offset, ArrayStride, MatrixStride Number
}

// Shader is SHADER … END. Exactly one source is given: inline Text (starting
// at byte offset TextOff), VirtualFile or File; a pass-through shader has
// none.
type Shader struct {
	at
	Type, Name, Format Word
	TargetEnv          Word
	Text               string
	TextOff            int
	Inline             bool
	VirtualFile, File  Word
}

// Buffer is a BUFFER or an IMAGE (Image set). DataType or Format is given.
// Layers and Cube of an IMAGE are an addition to AmberScript.
type Buffer struct {
	at
	Image                      bool
	Name                       Word
	DataType, Format           Word
	Layout                     Word // STD140 or STD430
	Dim                        int  // IMAGE: 1, 2, 3; 0 if not given
	Size, Width, Height, Depth Number
	MipLevels, Samples, Layers Number
	Cube                       bool
	Addresses                  []Address
	Init                       *Init // nil: none
}

// Address is ADDRESS At To, an addition to AmberScript: the 64-bit word at byte
// At is the device address that To, &NAME or &NAME+BYTES, stands for.
type Address struct {
	At Number
	To Word
}

// InitKind tells the initialisers apart.
type InitKind uint8

// The initialisers.
const (
	InitData   InitKind = iota // DATA value… END
	InitFill                   // FILL value
	InitSeries                 // SERIES_FROM start INC_BY step
	InitFile                   // FILE [BINARY|TEXT|PNG] path
)

// Init is an initialiser.
type Init struct {
	at
	Kind     InitKind
	Values   []Word // InitData: all; InitFill: the one; InitSeries: start and step
	FileKind Word   // InitFile: BINARY, TEXT or PNG; absent means PNG
	Path     Word   // InitFile
}

// Sampler is a SAMPLER line: its options in order, the value absent for
// NORMALIZED_COORDS and UNNORMALIZED_COORDS.
type Sampler struct {
	at
	Name    Word
	Options []SamplerOption
}

// SamplerOption is one keyword of a SAMPLER line with its value.
type SamplerOption struct{ Key, Value Word }

// Pipeline is PIPELINE compute Name … END, or DERIVE_PIPELINE Name FROM Parent
// … END (Parent given).
type Pipeline struct {
	at
	Name   Word
	Parent Word
	Body   []PipelineStmt
}

// Attach is ATTACH.
type Attach struct {
	at
	Shader, Type, Entry Word
	Spec                []Specialize
}

// Specialize is SPECIALIZE ID AS Type Value.
type Specialize struct {
	ID          Number
	Type, Value Word
}

// Bind is BIND BUFFER, BUFFER_ARRAY, SAMPLER or SAMPLER_ARRAY. Lists hold one
// number per name, or are empty.
type Bind struct {
	at
	Sampler     bool // SAMPLER or SAMPLER_ARRAY
	Array       bool // …_ARRAY
	Names       []Word
	As          Word   // uniform, storage, push_constant, …; may be absent
	Samplers    []Word // combined_image_sampler
	Set         Number
	Binding     Number
	ArgName     Word   // KERNEL ARG_NAME
	ArgNumber   Number // KERNEL ARG_NUMBER
	Offsets     []Number
	DescOffsets []Number
	DescRanges  []Number
	BaseMips    []Number
}

// SetKernel is SET KERNEL ARG_NAME name|ARG_NUMBER n AS Type Value.
type SetKernel struct {
	at
	ArgName     Word
	ArgNumber   Number
	Type, Value Word
}

// ShaderOptions is SHADER_OPTIMIZATION (Optimize set) or COMPILE_OPTIONS.
type ShaderOptions struct {
	at
	Optimize bool
	Shader   Word
	Options  []Word
}

// Subgroup is SUBGROUP … END; absent words were not given.
type Subgroup struct {
	at
	Shader                      Word
	FullyPopulated, VaryingSize Word // on or off
	RequiredSize                Word // an integer, MIN or MAX
}

// Run is RUN [TIMED_EXECUTION] Pipeline x y z.
type Run struct {
	at
	Timed    bool
	Pipeline Word
	Groups   [3]Number
}

// Repeat is REPEAT Count … END around Run, Copy, Expect and Clear.
type Repeat struct {
	at
	Count Number
	Body  []Stmt
}

// Copy is COPY From TO To.
type Copy struct {
	at
	From, To Word
}

// Clear is CLEAR or CLEAR_COLOR: Values are the colour.
type Clear struct {
	at
	Color    bool
	Pipeline Word
	Values   []Word
}

// Expect is EXPECT in any of its forms.
type Expect struct {
	at
	Buffer    Word
	Index     []Number // IDX: a byte offset, or x and y before SIZE
	Size      []Number // width and height, or nil
	Tolerance []Tolerance
	Op        Word // EQ … GE, EQ_RGB, EQ_RGBA, EQ_BUFFER, RMSE_BUFFER, EQ_HISTOGRAM_EMD_BUFFER
	Values    []Word
	Other     Word // the second buffer
}

// Tolerance is one number after TOLERANCE.
type Tolerance struct {
	Word
	Value   float64
	Percent bool
}
