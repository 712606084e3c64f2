package texel

import (
	"bytes"
	"testing"
)

// TestSmallFormatsRoundTrip encodes what every bit pattern of up to 16 bits
// decodes to.
func TestSmallFormatsRoundTrip(t *testing.T) {
	for _, f := range Formats() {
		if f.TexelSize > 2 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			for bits := range 1 << (8 * f.TexelSize) {
				src := []byte{byte(bits), byte(bits >> 8)}[:f.TexelSize]
				want := bytes.Clone(src)
				for i := range f.Components {
					c := &f.Components[i]
					// The two lowest values of SNORM both stand for -1.
					if c.Mode == SNorm && c.Load(want) == 1<<(c.Width-1) {
						c.Store(want, c.Load(want)+1)
					}
				}
				if f.packing == inWord {
					clearPadding(f, want)
				}
				got := make([]byte, f.TexelSize)
				f.Encode(got, f.Decode(src))
				if !bytes.Equal(got, want) {
					t.Fatalf("%x decodes to %x, which encodes to %x, want %x", src, f.Decode(src), got, want)
				}
			}
		})
	}
}

// clearPadding sets the bits of no component to 0.
func clearPadding(f *Format, b []byte) {
	out := make([]byte, len(b))
	for i := range f.Components {
		f.Components[i].Store(out, f.Components[i].Load(b))
	}
	copy(b, out)
}
