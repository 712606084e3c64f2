package texel

import (
	"encoding/binary"
	"math"
)

// Texel is one texel as a shader sees it: R, G, B, A as raw bits. A float is
// the bits of a float32, an int is an int32 zero-extended, both of them 64
// bits wide in formats where Wide is true.
type Texel [4]uint64

// Class is the numeric type that a shader reads and writes a format as: the
// sampled type of its OpTypeImage.
type Class uint8

// The classes.
const (
	FloatClass Class = iota
	UintClass
	SintClass
)

// Mode is how the bits of a component stand for a number: the suffix of the
// format's name.
type Mode uint8

// The modes.
const (
	UNorm   Mode = iota // 0 .. 2ⁿ-1 stands for 0 .. 1
	SNorm               // -(2ⁿ⁻¹-1) .. 2ⁿ⁻¹-1 stands for -1 .. 1
	UScaled             // an unsigned integer read as float
	SScaled             // a signed integer read as float
	UInt                // an unsigned integer
	SInt                // a signed integer
	UFloat              // unsigned float with a 5-bit exponent; shared exponent in E5B9G9R9
	SFloat              // IEEE 754 binary16, binary32 or binary64
	SRGB                // UNorm with the sRGB transfer function
)

// Component is one field of a texel.
type Component struct {
	Name   byte // 'R', 'G', 'B', 'A', 'D' depth, 'S' stencil, 'E' shared exponent
	Offset int  // bits from the least significant bit of the texel's first byte, little-endian
	Width  int  // bits
	Mode   Mode
}

// Load returns the component's Width bits in the texel at the start of src.
func (c *Component) Load(src []byte) uint64 {
	at, end := c.Offset/8, (c.Offset+c.Width+7)/8
	var v uint64
	for i := end - 1; i >= at; i-- {
		v = v<<8 | uint64(src[i])
	}
	return v >> (c.Offset % 8) & mask(c.Width)
}

// Store puts the low Width bits of raw into the component's place in the texel
// at the start of dst and leaves the other bits alone.
func (c *Component) Store(dst []byte, raw uint64) {
	at, end := c.Offset/8, (c.Offset+c.Width+7)/8
	keep := ^(mask(c.Width) << (c.Offset % 8))
	raw = raw & mask(c.Width) << (c.Offset % 8)
	for i := at; i < end; i++ {
		dst[i] = dst[i]&byte(keep) | byte(raw)
		keep, raw = keep>>8, raw>>8
	}
}

// Channel is the component's place in a Texel: R, D and S are 0, G is 1, B is
// 2, A is 3; -1 for the shared exponent.
func (c *Component) Channel() int {
	switch c.Name {
	case 'R', 'D', 'S':
		return 0
	case 'G':
		return 1
	case 'B':
		return 2
	case 'A':
		return 3
	}
	return -1
}

func mask(width int) uint64 { return 1<<width - 1 }

// packing is how a format's bytes are taken apart.
type packing uint8

const (
	inBytes  packing = iota // components of 8, 16, 32 or 64 bits on byte boundaries
	inWord                  // fields of one little-endian word of TexelSize bytes
	shared                  // E5B9G9R9
	verbatim                // 32-bit components that need no conversion, in order
)

// Format describes a texel format. Formats are shared: treat them as
// read-only, compare them with ==.
type Format struct {
	Name       string // Vulkan's without VK_FORMAT_: "R8G8B8A8_UNORM"
	TexelSize  int    // bytes, 1 to 32
	Class      Class
	Components []Component // in the order of the name; padding (X) is left out
	packing    packing
	zero       Texel // what bytes of zero decode to: the substitutes of missing components
	required   feature
}

// String returns the format's name.
func (f *Format) String() string { return f.Name }

// Wide reports that components are 64 bits wide in a Texel.
func (f *Format) Wide() bool { return f.Components[0].Width == 64 }

// isDepth reports whether the format holds a depth value.
func (f *Format) isDepth() bool { return f.Components[0].Name == 'D' }

// Zero is the texel that bytes of zero decode to: 0 in the components the
// format has, (0, 0, 0, 1) in the others. It is what a robust access outside
// an image reads.
func (f *Format) Zero() Texel { return f.zero }

// one is the number 1 as a component of this format's texels.
func (f *Format) one() uint64 {
	switch {
	case f.Class != FloatClass:
		return 1
	case f.Wide():
		return math.Float64bits(1)
	}
	return uint64(math.Float32bits(1))
}

// Has reports whether the format has the component that a Texel has at index
// channel (0 to 3).
func (f *Format) Has(channel int) bool {
	for i := range f.Components {
		if f.Components[i].Channel() == channel {
			return true
		}
	}
	return false
}

// Decode converts the first TexelSize bytes of src.
func (f *Format) Decode(src []byte) Texel {
	t := f.zero
	switch f.packing {
	case verbatim:
		for i := range f.Components {
			t[i] = uint64(binary.LittleEndian.Uint32(src[4*i:]))
		}
	case inBytes:
		for i := range f.Components {
			c := &f.Components[i]
			t[c.Channel()] = c.Decode(loadWord(src[c.Offset/8:], c.Width/8))
		}
	case inWord:
		w := loadWord(src, f.TexelSize)
		for i := range f.Components {
			c := &f.Components[i]
			t[c.Channel()] = c.Decode(w >> c.Offset & mask(c.Width))
		}
	case shared:
		r, g, b := sharedToFloats(binary.LittleEndian.Uint32(src))
		t[0], t[1], t[2] = fromFloat(r), fromFloat(g), fromFloat(b)
	}
	return t
}

// Encode converts t to the first TexelSize bytes of dst: "Texel Output Format
// Conversion". Components that the format lacks are ignored, padding becomes 0.
func (f *Format) Encode(dst []byte, t Texel) {
	switch f.packing {
	case verbatim:
		for i := range f.Components {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(t[i]))
		}
	case inBytes:
		for i := range f.Components {
			c := &f.Components[i]
			storeWord(dst[c.Offset/8:], c.Width/8, c.Encode(t[c.Channel()]))
		}
	case inWord:
		var w uint64
		for i := range f.Components {
			c := &f.Components[i]
			w |= c.Encode(t[c.Channel()]) << c.Offset
		}
		storeWord(dst, f.TexelSize, w)
	case shared:
		binary.LittleEndian.PutUint32(dst, floatsToShared(toFloat(t[0]), toFloat(t[1]), toFloat(t[2])))
	}
}

// loadWord reads a little-endian word of 1, 2, 4 or 8 bytes.
func loadWord(src []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(src[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(src))
	case 4:
		return uint64(binary.LittleEndian.Uint32(src))
	}
	return binary.LittleEndian.Uint64(src)
}

// storeWord writes a little-endian word of 1, 2, 4 or 8 bytes.
func storeWord(dst []byte, size int, w uint64) {
	switch size {
	case 1:
		dst[0] = byte(w)
	case 2:
		binary.LittleEndian.PutUint16(dst, uint16(w))
	case 4:
		binary.LittleEndian.PutUint32(dst, uint32(w))
	default:
		binary.LittleEndian.PutUint64(dst, w)
	}
}

func toFloat(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }
func fromFloat(f float32) uint64  { return uint64(math.Float32bits(f)) }
