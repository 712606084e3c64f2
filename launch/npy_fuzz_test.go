package launch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// FuzzWriteNPY: an array of any type and any bytes has a header as NumPy's
// format demands, and as many bytes behind it as the header says.
func FuzzWriteNPY(f *testing.F) {
	for _, typ := range []string{"uint8", "float16", "vec3<float>", "mat2x3<float>", "R5G6B5_UNORM_PACK16", "R8G8B8A8_UNORM", "D32_SFLOAT_S8_UINT"} {
		f.Add(typ, []byte("0123456789abcdefghijklmnopqrstuvwxyz"))
	}
	f.Fuzz(func(t *testing.T, typ string, data []byte) {
		elem, err := ParseType(typ, Std430)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteNPY(&b, &Buffer{Data: data, Elem: elem}); err != nil {
			t.Fatal(err)
		}
		out := b.Bytes()
		if len(out) < 12 || string(out[:6]) != "\x93NUMPY" {
			t.Fatalf("begins %q", out)
		}
		start, length := 10, int(binary.LittleEndian.Uint16(out[8:]))
		if out[6] == 2 {
			start, length = 12, int(binary.LittleEndian.Uint32(out[8:]))
		}
		header := string(out[start : start+length])
		if (start+length)%64 != 0 || !strings.HasSuffix(header, "\n") || !strings.HasPrefix(header, "{'descr': ") {
			t.Fatalf("header %q ends at byte %d", header, start+length)
		}
		n := len(data) / max(elem.Stride, 1)
		if elem.Stride > 0 && !strings.Contains(header, fmt.Sprintf("'shape': (%d,", n)) {
			t.Fatalf("%d values: %q", n, header)
		}
		if body := len(out) - start - length; elem.Stride > 0 && (n == 0 && body != 0 || n > 0 && body%n != 0 || body > len(data)) {
			t.Fatalf("%d bytes for %d values in %d", body, n, len(data))
		}
	})
}
