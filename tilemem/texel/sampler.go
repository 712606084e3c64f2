package texel

import (
	"math"
	"slices"
	"strings"
)

// Sampler is the state of a VkSampler. Its zero value takes the nearest texel
// of the base level and repeats the image.
type Sampler struct {
	MagLinear, MinLinear, MipLinear bool
	AddressU, AddressV, AddressW    AddressMode
	Border                          BorderColor
	MinLOD, MaxLOD                  float32
	LODBias                         float32 // added to every level of detail, explicit ones too
	Unnormalized                    bool    // coordinates count texels; the level of detail is 0
	Compare                         bool    // meant for Dref instructions; Operands.Compare decides
	CompareOp                       CompareOp
}

// AddressMode says which texel lies at an index outside the image.
type AddressMode uint8

// The address modes.
const (
	Repeat AddressMode = iota
	MirroredRepeat
	ClampToEdge
	ClampToBorder
	MirrorClampToEdge
)

// BorderColor is the colour beyond the edge with ClampToBorder. Components
// that the image's format lacks read (0, 0, 0, 1) as they do inside. Vulkan
// wants a Float colour for float formats and an Int one for the others; here
// each means 0 and 1 in the format's own class.
type BorderColor uint8

// The border colours, in the order of VkBorderColor.
const (
	FloatTransparentBlack BorderColor = iota
	IntTransparentBlack
	FloatOpaqueBlack
	IntOpaqueBlack
	FloatOpaqueWhite
	IntOpaqueWhite
)

var borderNames = []string{
	"float_transparent_black", "int_transparent_black", "float_opaque_black",
	"int_opaque_black", "float_opaque_white", "int_opaque_white",
}

// ParseBorderColor finds a border colour by AmberScript's name, in any case of
// letters.
func ParseBorderColor(name string) (BorderColor, bool) {
	i := slices.Index(borderNames, strings.ToLower(name))
	return BorderColor(max(i, 0)), i >= 0
}

// String returns the colour's AmberScript name.
func (b BorderColor) String() string { return nameOf(borderNames, int(b)) }

// CompareOp compares a reference depth with a texel's depth, in this order.
type CompareOp uint8

// The comparisons, in the order of VkCompareOp.
const (
	Never CompareOp = iota
	Less
	Equal
	LessOrEqual
	Greater
	NotEqual
	GreaterOrEqual
	Always
)

var compareNames = []string{
	"never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always",
}

// ParseCompareOp finds a comparison by AmberScript's name, in any case of
// letters.
func ParseCompareOp(name string) (CompareOp, bool) {
	i := slices.Index(compareNames, strings.ToLower(name))
	return CompareOp(max(i, 0)), i >= 0
}

// String returns the comparison's AmberScript name.
func (op CompareOp) String() string { return nameOf(compareNames, int(op)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "unknown"
}

// test reports whether ref op depth holds. A NaN is unequal to everything.
func (op CompareOp) test(ref, depth float32) bool {
	switch op {
	case Less:
		return ref < depth
	case Equal:
		return ref == depth
	case LessOrEqual:
		return ref <= depth
	case Greater:
		return ref > depth
	case NotEqual:
		return ref != depth
	case GreaterOrEqual:
		return ref >= depth
	case Always:
		return true
	}
	return false
}

// border is what wrap returns for an index beyond the edge.
const border = -1

// wrap applies an address mode to a texel index: "Wrapping Operation". The
// result is in [0, size) or border.
func (m AddressMode) wrap(i, size int) int {
	if size < 1 {
		return 0
	}
	switch m {
	case Repeat:
		if i %= size; i < 0 {
			i += size
		}
		return i
	case MirroredRepeat:
		if i %= 2 * size; i < 0 {
			i += 2 * size
		}
		return min(i, 2*size-1-i)
	case ClampToBorder:
		if i < 0 || i >= size {
			return border
		}
		return i
	case MirrorClampToEdge:
		if i < 0 {
			i = -(1 + i)
		}
	}
	return min(max(i, 0), size-1)
}

// floor splits a texel coordinate into its integer and fractional part. A
// coordinate too large for that is brought near without changing what wrap
// makes of it; NaN, and infinity where the image repeats, are taken as 0.
func (m AddressMode) floor(u float64, size int) (i int, frac float64) {
	const limit = 1 << 52
	if !(math.Abs(u) < limit) {
		switch {
		case u != u:
			u = 0
		case m == Repeat || m == MirroredRepeat:
			if u = math.Mod(u, 2*float64(max(size, 1))); u != u {
				u = 0
			}
		default:
			u = math.Copysign(limit, u)
		}
	}
	whole := math.Floor(u)
	return int(whole), u - whole
}
