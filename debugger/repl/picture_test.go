package repl

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"io"
	"math"
	"testing"

	"ampdbg/debugger"
)

type discardCloser struct{ io.Writer }

func (discardCloser) Close() error { return nil }

// FuzzPicture: any values make a picture with a square for each.
func FuzzPicture(f *testing.F) {
	f.Add(3, []byte("abcdefghijklmnopqrstuvwxabcdefghijklmnopqrstuvwx"))
	f.Add(1, binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN())))
	f.Add(2, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Inf(1))), math.Float64bits(math.MaxFloat64)))
	f.Fuzz(func(t *testing.T, width int, data []byte) {
		width = 1 + width&63
		p := debugger.Picture{Title: "t", Width: width}
		for ; len(data) >= 8*width && p.Height < 64; p.Height++ {
			for range width {
				p.Values = append(p.Values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
				data = data[8:]
			}
		}
		if p.Height == 0 {
			return
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, v := range p.Values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		var b bytes.Buffer
		r := New(nil, io.Discard, Options{CreateFile: func(string) (io.WriteCloser, error) { return discardCloser{&b}, nil }})
		if err := r.writePNG("x.png", p, lo, hi); err != nil {
			t.Fatal(err)
		}
		im, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if s := im.Bounds().Size(); s.X%p.Width != 0 || s.Y%p.Height != 0 || s.X/p.Width != s.Y/p.Height {
			t.Fatalf("%v for %dx%d", s, p.Width, p.Height)
		}
	})
}
