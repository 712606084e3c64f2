package spirv

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"ampdbg/spirv/half"
)

// parseNumber reads a literal number of type t, as spirv-as does: low word
// first, integers narrower than 32 bits extended by their sign.
func parseNumber(text string, t NumberType) ([]uint32, error) {
	var bits uint64
	var err error
	if t.Float {
		bits, err = parseFloat(text, t.Width)
	} else {
		bits, err = parseInteger(text, t)
	}
	if err != nil {
		return nil, err
	}
	if t.Width > 32 {
		return []uint32{uint32(bits), uint32(bits >> 32)}, nil
	}
	return []uint32{uint32(bits)}, nil
}

// parseInteger reads a decimal, hexadecimal (0x) or octal (0) integer that
// fits t. A hexadecimal one without minus gives the bits of the number, so
// 0xff is -1 for a signed type of 8 bits.
func parseInteger(text string, t NumberType) (uint64, error) {
	if t.Width < 1 || t.Width > 64 {
		return 0, fmt.Errorf("integers of %d bits are not supported", t.Width)
	}
	kind := "unsigned"
	if t.Signed {
		kind = "signed"
	}
	overflow := fmt.Errorf("integer %s does not fit in %d bits (%s)", text, t.Width, kind)
	digits, negative := strings.CutPrefix(text, "-")
	if negative && !t.Signed {
		return 0, fmt.Errorf("negative number %s for an unsigned integer", text)
	}
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	hex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")
	v, err := parseDigits(digits)
	if errors.Is(err, strconv.ErrRange) {
		return 0, overflow
	}
	if err != nil {
		return 0, fmt.Errorf("expected an integer, found %q", text)
	}
	all := uint64(math.MaxUint64) >> (64 - t.Width)
	switch sign := all/2 + 1; {
	case negative && v > sign, !negative && v > all, !negative && t.Signed && !hex && v >= sign:
		return 0, overflow
	case negative:
		v = -v
	case t.Signed && v&sign != 0:
		v |= ^all
	}
	return v, nil
}

// parseDigits reads an unsigned integer by C's rules for its base.
func parseDigits(s string) (uint64, error) {
	base := 10
	switch {
	case strings.HasPrefix(s, "0x"), strings.HasPrefix(s, "0X"):
		s, base = s[2:], 16
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	return strconv.ParseUint(s, base, 64)
}

// floatLayout is an IEEE 754 binary interchange format.
type floatLayout struct{ width, fraction, bias int }

// layoutOf gives the format of a width, with ok false where there is none.
func layoutOf(width int) (f floatLayout, ok bool) {
	switch width {
	case 16:
		return floatLayout{16, 10, 15}, true
	case 32:
		return floatLayout{32, 23, 127}, true
	case 64:
		return floatLayout{64, 52, 1023}, true
	}
	return f, false
}

// maxExponent is the biased exponent of infinities and NaNs.
func (f floatLayout) maxExponent() int { return 1<<(f.width-1-f.fraction) - 1 }

// parseFloat reads a decimal number, or a hexadecimal one (0x1.8p+3). The
// decimal one must be finite in its type; for 16 bits it is rounded to 32
// bits and then towards zero, as spirv-as rounds.
func parseFloat(text string, width int) (uint64, error) {
	layout, ok := layoutOf(width)
	if !ok {
		return 0, fmt.Errorf("floating-point numbers of %d bits are not supported", width)
	}
	bad := fmt.Errorf("expected a floating-point number of %d bits, found %q", width, text)
	digits, negative := strings.CutPrefix(text, "-")
	if strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X") {
		bits, ok := parseHexFloat(digits[2:], layout)
		if !ok {
			return 0, bad
		}
		if negative {
			bits |= 1 << (width - 1)
		}
		return bits, nil
	}
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, bad // excludes "inf", "nan" and underscores
	}
	v, err := strconv.ParseFloat(text, max(width, 32))
	if err != nil {
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("number %s is out of the range of %d bits", text, width)
		}
		return 0, bad
	}
	switch width {
	case 64:
		return math.Float64bits(v), nil
	case 32:
		return uint64(math.Float32bits(float32(v))), nil
	}
	if math.Abs(v) >= 1<<16 {
		return 0, fmt.Errorf("number %s is out of the range of 16 bits", text)
	}
	return uint64(half.FromFloat(float32(v), true)), nil
}

// parseHexFloat reads what follows 0x of a hexadecimal floating-point number.
// The exponent must be there. Bits beyond the fraction are cut off; too large
// an exponent gives an infinity; an exponent one above the largest writes
// infinity (no fraction) and NaNs.
func parseHexFloat(text string, f floatLayout) (bits uint64, ok bool) {
	digits, exp, ok := strings.Cut(text, "p")
	if !ok {
		return 0, false
	}
	exponent, ok := parseExponent(exp)
	if !ok {
		return 0, false
	}
	whole, part, _ := strings.Cut(digits, ".")
	// value = 0.d1d2d3... (bits of significand) * 2^(exponent), where point
	// counts the bits left of the binary point.
	var significand uint64 // left-aligned: the leading 1 is bit 63
	point, have, started := 0, 0, false
	for i, c := range []byte(whole + part) {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		for bit := 3; bit >= 0; bit-- {
			one := uint64(d >> bit & 1)
			started = started || one == 1
			if started && have < 64 {
				significand |= one << (63 - have)
				have++
			}
			switch {
			case started && i < len(whole):
				point++
			case !started && i >= len(whole):
				point--
			}
		}
	}
	if significand == 0 {
		return 0, true
	}
	biased := exponent + point - 1 + f.bias
	significand <<= 1 // the leading 1 is implied
	switch {
	case biased > f.maxExponent():
		return uint64(f.maxExponent()) << f.fraction, true
	case biased > 0:
		return uint64(biased)<<f.fraction | significand>>(64-f.fraction), true
	case biased > -f.fraction:
		return (significand>>1 | 1<<63) >> (64 - f.fraction - biased), true
	}
	return 0, true
}

// parseExponent reads the digits after p, with at most one sign, clamped to a
// range beyond that of every format.
func parseExponent(s string) (int, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	if !negative {
		digits = strings.TrimPrefix(s, "+")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > 1<<30 {
		n = 1 << 30
	}
	if negative {
		n = -n
	}
	return n, true
}

func hexDigit(c byte) (int, bool) {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0'), true
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10, true
	}
	return 0, false
}

// formatNumber writes a literal number of type t (its words low first) as
// spirv-dis does, so that the assembler gives the same bits back.
func formatNumber(words []uint32, t NumberType) string {
	bits := uint64(words[0])
	if len(words) > 1 {
		bits |= uint64(words[1]) << 32
	}
	switch {
	case t.Float:
		return formatFloat(bits, t.Width)
	case t.Signed && t.Width <= 32:
		return strconv.FormatInt(int64(int32(bits)), 10)
	case t.Signed:
		return strconv.FormatInt(int64(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}

// formatFloat writes zeros and normal numbers of 32 and 64 bits in decimal,
// everything else in hexadecimal.
func formatFloat(bits uint64, width int) string {
	layout, ok := layoutOf(width)
	if !ok {
		return strconv.FormatUint(bits, 10)
	}
	exponent := int(bits >> layout.fraction & uint64(layout.maxExponent()))
	fraction := bits & (1<<layout.fraction - 1)
	if width > 16 && (exponent != 0 || fraction == 0) && exponent != layout.maxExponent() {
		if width == 32 {
			return formatG(float64(math.Float32frombits(uint32(bits))), 9)
		}
		return formatG(math.Float64frombits(bits), 17)
	}
	return formatHexFloat(bits>>(width-1)&1 == 1, exponent, fraction, layout)
}

// formatG writes v as C's %.<digits>g.
func formatG(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'e', digits-1, 64)
	mantissa, exp, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exp)
	if e >= -4 && e < digits {
		s = strconv.FormatFloat(v, 'f', digits-1-e, 64)
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return fmt.Sprintf("%se%+03d", mantissa, e)
}

func formatHexFloat(negative bool, exponent int, fraction uint64, f floatLayout) string {
	var b strings.Builder
	if negative {
		b.WriteByte('-')
	}
	if exponent == 0 && fraction == 0 {
		b.WriteString("0x0p+0")
		return b.String()
	}
	e := exponent - f.bias
	aligned := fraction << (64 - f.fraction)
	if exponent == 0 {
		for aligned>>63 == 0 {
			aligned <<= 1
			e--
		}
		aligned <<= 1
	}
	b.WriteString("0x1")
	if aligned != 0 {
		b.WriteByte('.')
		b.WriteString(strings.TrimRight(fmt.Sprintf("%016x", aligned), "0"))
	}
	fmt.Fprintf(&b, "p%+d", e)
	return b.String()
}
