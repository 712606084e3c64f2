// Package launch describes what to run as plain data: memory with its
// contents, samplers, and a list of steps (dispatches, copies, expectations)
// in order. It is made from an AmberScript or from a bare module with flags
// (Load), and executed by the emulator or by a GPU, which both see the same
// values (Execute): an Executor runs the dispatches, this package does the
// rest, in file order, on the bytes that each dispatch left.
//
// DataType says what bytes mean: it numbers the scalars of a buffer in the
// order in which scripts list values, each with its place in memory.
package launch

import (
	"ampdbg/diag"
	"ampdbg/spirv"
)

// Launch is everything a script says.
type Launch struct {
	Name     string // the script's or module's path
	Buffers  []*Buffer
	Images   []*Image
	Samplers []*Sampler
	Steps    []Step
	// Device features, extensions and properties that the script requires, in
	// AmberScript's spelling.
	Require []Requirement
	// FenceTimeoutMS is SET ENGINE_DATA fence_timeout_ms; 0 if not set.
	FenceTimeoutMS int
	// Notes are things to tell the user that are no errors, such as an
	// optimiser that is not installed.
	Notes []Note
}

// Note is a remark about a launch.
type Note struct {
	Pos  diag.Pos
	Text string
}

// Requirement is a DEVICE_FEATURE, DEVICE_EXTENSION, INSTANCE_EXTENSION or
// DEVICE_PROPERTY line.
type Requirement struct {
	Kind string
	Name string
	Pos  diag.Pos
}

// Step is one command of a launch: *Dispatch, *Copy, *Expect or *Loop.
type Step interface{ Position() diag.Pos }

// Buffer is a named piece of device memory. Data is its contents: executors
// read it before a dispatch and leave the result in it.
type Buffer struct {
	Name string
	Data []byte
	Elem *DataType // what the bytes are, for EXPECT, dumps and diffs; nil if unknown
	Pos  diag.Pos
	// Addresses are places in Data that hold 64-bit device addresses of other
	// buffers; an executor fills them in before the first dispatch.
	Addresses []Address
}

// Address asks for the device address of To plus Add to be stored as a
// little-endian 64-bit word at byte At.
type Address struct {
	At  int
	To  *Buffer
	Add int64
}

// Image is a named image. Data holds all mip levels in order, largest first;
// within a level: layers, then z, y, x, samples, tightly packed texels of
// Format. A texel's bytes are those of the Vulkan format.
type Image struct {
	Name                 string
	Format               string // AmberScript/Vulkan spelling without VK_FORMAT_: "R8G8B8A8_UNORM"
	Dim                  int    // 1, 2, 3
	Width, Height, Depth int    // Height and Depth are 1 where the dimension lacks them
	Layers               int    // 1 unless arrayed
	MipLevels            int    // at least 1
	Samples              int    // at least 1
	Cube                 bool
	Data                 []byte
	Pos                  diag.Pos
}

// AddressMode is a sampler's behaviour outside [0,1).
type AddressMode uint8

// The address modes.
const (
	Repeat AddressMode = iota
	MirroredRepeat
	ClampToEdge
	ClampToBorder
	MirrorClampToEdge
)

// Sampler is a named sampler.
type Sampler struct {
	Name                            string
	MagLinear, MinLinear, MipLinear bool
	AddressU, AddressV, AddressW    AddressMode
	BorderColor                     string // AmberScript spelling: FLOAT_TRANSPARENT_BLACK, INT_OPAQUE_WHITE, ...
	MinLOD, MaxLOD                  float32
	LODBias                         float32
	Unnormalized                    bool
	Compare                         bool
	CompareOp                       string // AmberScript spelling: never, less, equal, ...
	Pos                             diag.Pos
}

// Dispatch runs one entry point over a grid of tiles.
type Dispatch struct {
	Module     *spirv.Module
	Entry      string
	Spec       spirv.SpecValues
	Bindings   []Binding
	Push       []byte    // push constants; nil if none are bound
	PushBuffer *Buffer   // the buffer bound as push_constant, if any: its Data is copied when the dispatch starts
	Groups     [3]uint32 // tiles in x, y, z; any may be 0
	Subgroup   Subgroup
	Robust     bool // the script asks for robustBufferAccess
	Timed      bool
	Pipeline   string
	Pos        diag.Pos
}

// Subgroup is a SUBGROUP request of a pipeline.
type Subgroup struct {
	FullyPopulated bool
	VaryingSize    bool
	RequiredSize   int // lanes; 0 none, RequiredMin, RequiredMax
}

// Values of Subgroup.RequiredSize besides a number of lanes.
const (
	RequiredMin = -1
	RequiredMax = -2
)

// DescriptorKind is the Vulkan descriptor type of a binding.
type DescriptorKind uint8

// The descriptor types.
const (
	StorageBuffer DescriptorKind = iota
	UniformBuffer
	StorageBufferDynamic
	UniformBufferDynamic
	StorageTexelBuffer
	UniformTexelBuffer
	StorageImage
	SampledImage
	CombinedImageSampler
	SeparateSampler
)

// Binding is one descriptor binding; an array binding has several Elems.
type Binding struct {
	Set, Binding uint32
	Kind         DescriptorKind
	Elems        []Descriptor
	Pos          diag.Pos
}

// Descriptor is one element of a binding.
type Descriptor struct {
	Buffer  *Buffer
	Offset  int64  // DESCRIPTOR_OFFSET plus, for dynamic kinds, the dynamic OFFSET
	Dynamic int64  // the dynamic OFFSET alone (already counted in Offset)
	Range   int64  // bytes; resolved, never -1
	Format  string // texel buffers: the texel format
	Image   *Image
	BaseMip int
	Sampler *Sampler
}

// Copy copies the whole of one buffer or image to another.
type Copy struct {
	From, To           *Buffer
	FromImage, ToImage *Image
	Pos                diag.Pos
}

// Loop does Steps Count times: REPEAT.
type Loop struct {
	Count int64
	Steps []Step
	Pos   diag.Pos
}

// Position implements Step.
func (d *Dispatch) Position() diag.Pos { return d.Pos }

// Position implements Step.
func (c *Copy) Position() diag.Pos { return c.Pos }

// Position implements Step.
func (l *Loop) Position() diag.Pos { return l.Pos }

// Dispatches lists those of a list of steps in file order, those of a loop once.
func Dispatches(steps []Step) []*Dispatch {
	var out []*Dispatch
	for _, s := range steps {
		switch s := s.(type) {
		case *Dispatch:
			out = append(out, s)
		case *Loop:
			out = append(out, Dispatches(s.Steps)...)
		}
	}
	return out
}

// bound gives the descriptors at a binding in the last dispatch, in file
// order, that binds it; nil if none does.
func (l *Launch) bound(set, binding uint32) []Descriptor {
	var found []Descriptor
	for _, d := range Dispatches(l.Steps) {
		for _, b := range d.Bindings {
			if b.Set == set && b.Binding == binding {
				found = b.Elems
			}
		}
	}
	return found
}
