package spirv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// valueOfHalf is the value of a finite 16-bit float.
func valueOfHalf(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&0x3ff)
	v := math.Ldexp(1+fraction/1024, exponent-15)
	if exponent == 0 {
		v = math.Ldexp(fraction/1024, -14)
	}
	if bits&0x8000 != 0 {
		return -v
	}
	return v
}

func TestEveryHalfIsWrittenAndReadBack(t *testing.T) {
	for bits := range uint32(1 << 16) {
		text := formatFloat(uint64(bits), 16)
		got, err := parseFloat(text, 16)
		if err != nil || got != uint64(bits) {
			t.Fatalf("%#x is written %s and read as %#x, %v", bits, text, got, err)
		}
		if bits&0x7c00 == 0x7c00 {
			continue
		}
		var value float64
		if _, err := fmt.Sscan(text, &value); err != nil || value != valueOfHalf(uint16(bits)) {
			t.Fatalf("%#x is written %s = %v, expected %v", bits, text, value, valueOfHalf(uint16(bits)))
		}
		decimal := fmt.Sprintf("%.20g", value)
		if got, err := parseFloat(decimal, 16); err != nil || got != uint64(bits) {
			t.Fatalf("%s is read as %#x, %v, expected %#x", decimal, got, err, bits)
		}
	}
}

func TestFloatsAreWrittenAndReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	special := []uint64{0, 1, 1<<23 - 1, 1 << 23, 1<<52 - 1, 1 << 52, 0x7f800000, 0x7fc00000, 0x7f800001, 0x7ff0 << 48, 0x7ff8 << 48, 1<<63 - 1}
	for i := range 20000 {
		bits := r.Uint64()
		if i < len(special) {
			bits = special[i]
		} else if i%4 == 0 {
			bits &= r.Uint64() >> r.IntN(64)
		}
		for _, width := range []int{32, 64} {
			for _, sign := range []uint64{0, 1 << (width - 1)} {
				v := bits&(math.MaxUint64>>(65-width)) | sign
				text := formatFloat(v, width)
				got, err := parseFloat(text, width)
				if err != nil || got != v {
					t.Fatalf("%d bits %#x are written %s and read as %#x, %v", width, v, text, got, err)
				}
			}
		}
	}
}

func TestIntegersFitTheirType(t *testing.T) {
	for _, c := range []struct {
		text string
		t    NumberType
		want uint64
		bad  bool
	}{
		{"255", NumberType{Width: 8}, 255, false},
		{"256", NumberType{Width: 8}, 0, true},
		{"0x80", NumberType{Width: 8, Signed: true}, math.MaxUint64 - 127, false},
		{"128", NumberType{Width: 8, Signed: true}, 0, true},
		{"-128", NumberType{Width: 8, Signed: true}, math.MaxUint64 - 127, false},
		{"-129", NumberType{Width: 8, Signed: true}, 0, true},
		{"0x100", NumberType{Width: 8, Signed: true}, 0, true},
		{"18446744073709551615", NumberType{Width: 64}, math.MaxUint64, false},
		{"18446744073709551616", NumberType{Width: 64}, 0, true},
		{"-9223372036854775808", NumberType{Width: 64, Signed: true}, 1 << 63, false},
		{"-9223372036854775809", NumberType{Width: 64, Signed: true}, 0, true},
		{"9223372036854775808", NumberType{Width: 64, Signed: true}, 0, true},
		{"0xffffffffffffffff", NumberType{Width: 64, Signed: true}, math.MaxUint64, false},
		{"010", NumberType{Width: 32}, 8, false},
		{"0", NumberType{Width: 32}, 0, false},
		{"+7", NumberType{Width: 32}, 7, false},
		{"1_000", NumberType{Width: 32}, 0, true},
		{"0b1", NumberType{Width: 32}, 0, true},
		{"0x", NumberType{Width: 32}, 0, true},
		{"", NumberType{Width: 32}, 0, true},
		{"--1", NumberType{Width: 32, Signed: true}, 0, true},
		{"-+1", NumberType{Width: 32, Signed: true}, 0, true},
		{"0x-1", NumberType{Width: 32, Signed: true}, 0, true},
		{"1", NumberType{Width: 65}, 0, true},
	} {
		got, err := parseInteger(c.text, c.t)
		if (err != nil) != c.bad || got != c.want {
			t.Errorf("%s for %+v: got %#x, %v; expected %#x", c.text, c.t, got, err, c.want)
		}
	}
}

// randomNumbers writes numbers in all forms, good and bad.
func randomNumbers(r *rand.Rand, n int) []string {
	digits := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
	var out []string
	for range n {
		s := []string{"", "-"}[r.IntN(2)]
		switch r.IntN(4) {
		case 0:
			s += "0x" + digits("0123456789abcdefABCDEF", r.IntN(9)) + []string{"", ".", "." + digits("089af", r.IntN(20))}[r.IntN(3)]
			s += fmt.Sprintf("p%+d", r.IntN(340)-170)
		case 1:
			s += "0x" + digits("01f", 1+r.IntN(3)) + "." + digits("0000018f", r.IntN(30)) + fmt.Sprintf("p%d", r.IntN(60)-30)
		case 2:
			s += digits("0123456789", 1+r.IntN(12)) + "." + digits("0123456789", r.IntN(12)) + fmt.Sprintf("e%d", r.IntN(20)-12)
		default:
			s += fmt.Sprint(1 + r.IntN(1<<30))
		}
		out = append(out, s)
	}
	return out
}

func TestFloatsAgreeWithSPIRVAs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	n := 0
	for _, width := range []int{16, 32, 64} {
		fmt.Fprintf(&b, "%%f%d = OpTypeFloat %d\n", width, width)
		for _, s := range randomNumbers(r, 3000) {
			if _, err := parseFloat(s, width); err == nil {
				fmt.Fprintf(&b, "%%c%d = OpConstant %%f%d %s\n", n, width, s)
				n++
			}
		}
	}
	words, err := assembleWords("t", b.String(), 0)
	if err != nil {
		t.Fatal(err)
	}
	data := encodeWords(words, binary.LittleEndian)
	want, ok := spirvAs(t, b.String(), minVersion)
	if !ok {
		t.Fatalf("spirv-as: %s", want)
	}
	if bytes.Equal(data, want) {
		return
	}
	lines := strings.Split(b.String(), "\n")
	got, _ := runTool(t, data, "spirv-dis", "--no-header", "--raw-id")
	expected, _ := runTool(t, want, "spirv-dis", "--no-header", "--raw-id")
	wants := strings.Split(string(expected), "\n")
	shown := 0
	for i, g := range strings.Split(string(got), "\n") {
		if g != wants[i] && shown < 20 {
			shown++
			t.Errorf("%s: got %s, spirv-as gives %s", lines[i], g, wants[i])
		}
	}
}
