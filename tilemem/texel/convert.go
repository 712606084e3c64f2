package texel

import (
	"math"

	"ampdbg/spirv/half"
)

// Decode converts the component's bits, as Load returns them, to a component
// of a Texel: "Conversion From Normalized Fixed-Point to Floating-Point" and
// the like. A 9-bit mantissa of E5B9G9R9 means nothing alone: use
// Format.Decode.
func (c *Component) Decode(raw uint64) uint64 {
	switch c.Mode {
	case UNorm:
		return fromFloat(float32(raw) / float32(mask(c.Width)))
	case SNorm:
		return fromFloat(max(float32(signed(raw, c.Width))/float32(mask(c.Width-1)), -1))
	case UScaled:
		return fromFloat(float32(raw))
	case SScaled:
		return fromFloat(float32(signed(raw, c.Width)))
	case SInt:
		if c.Width < 64 {
			return uint64(uint32(signed(raw, c.Width)))
		}
	case UFloat:
		return uint64(float5ToBits(uint32(raw), uint(c.Width-5)))
	case SFloat:
		if c.Width == 16 {
			return uint64(math.Float32bits(half.ToFloat(uint16(raw))))
		}
	case SRGB:
		return fromFloat(srgbToLinear[uint8(raw)])
	}
	return raw // UInt, and what is as wide in a Texel as in memory
}

// Encode converts a component of a Texel to the component's bits, the inverse
// of Decode. Normalized and scaled values are clamped and rounded to nearest
// even, NaN becomes 0: "Conversion From Floating-Point to Normalized
// Fixed-Point". Integers that do not fit are clamped to the nearest that does;
// Vulkan leaves their value undefined (see Fits).
func (c *Component) Encode(value uint64) uint64 {
	switch c.Mode {
	case UNorm:
		return quantize(value, 0, 1, float64(mask(c.Width)))
	case SNorm:
		return quantize(value, -1, 1, float64(mask(c.Width-1))) & mask(c.Width)
	case UScaled:
		return quantize(value, 0, float64(mask(c.Width)), 1)
	case SScaled:
		return quantize(value, -float64(mask(c.Width-1))-1, float64(mask(c.Width-1)), 1) & mask(c.Width)
	case UInt:
		if c.Width < 64 {
			return min(uint64(uint32(value)), mask(c.Width))
		}
	case SInt:
		if c.Width < 64 {
			top := int64(mask(c.Width - 1))
			return uint64(min(max(int64(int32(value)), -top-1), top)) & mask(c.Width)
		}
	case UFloat:
		return uint64(bitsToUFloat(uint32(value), uint(c.Width-5)))
	case SFloat:
		switch c.Width {
		case 16:
			return uint64(bitsToHalf(uint32(value)))
		case 32:
			return uint64(uint32(value))
		}
	case SRGB:
		return linearToSRGB(toFloat(value))
	}
	return value
}

// fits reports whether the integer component value can be represented; a
// shader that stores one that does not stores an undefined value. Values of
// the other modes always fit.
func (c *Component) fits(value uint64) bool {
	if c.Mode != UInt && c.Mode != SInt || c.Width >= 32 {
		return true
	}
	return c.Decode(c.Encode(value)) == uint64(uint32(value))
}

// fits reports whether every integer component of t can be represented.
func (f *Format) fits(t Texel) bool {
	for i := range f.Components {
		if c := &f.Components[i]; c.Channel() >= 0 && !c.fits(t[c.Channel()]) {
			return false
		}
	}
	return true
}

// signed sign-extends the low width bits of raw.
func signed(raw uint64, width int) int64 {
	return int64(raw<<(64-width)) >> (64 - width)
}

// quantize clamps the float32 in value to [lo, hi], multiplies it by scale and
// rounds it to an integer in two's complement. The product is exact: 24 bits
// times at most 24.
func quantize(value uint64, lo, hi, scale float64) uint64 {
	x := float64(toFloat(value))
	if x != x {
		return 0
	}
	return uint64(int64(math.RoundToEven(min(max(x, lo), hi) * scale)))
}

// srgbToLinear is the sRGB transfer function of each 8-bit value.
var srgbToLinear = func() (table [256]float32) {
	for i := range table {
		c := float64(i) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		table[i] = float32(c)
	}
	return table
}()

// linearToSRGB is the inverse transfer function, clamped and rounded to 8 bits.
func linearToSRGB(f float32) uint64 {
	c := float64(f)
	switch {
	case !(c > 0): // NaN too
		return 0
	case c >= 1:
		return 255
	case c <= 0.0031308:
		c *= 12.92
	default:
		c = 1.055*math.Pow(c, 1/2.4) - 0.055
	}
	return uint64(math.RoundToEven(c * 255))
}
