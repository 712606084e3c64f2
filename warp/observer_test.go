package warp_test

import (
	"encoding/binary"
	"testing"

	"ampdbg/program"
	"ampdbg/warp"
)

// The bytes of a write are those that memory will hold: components of some
// bytes each, one row after the other, of the lane's column.
func TestBytesAboutToBeWritten(t *testing.T) {
	const stride, lane = 4, 2
	w := &warp.Warp{P: &program.Program{Stride: stride}, R: make([]uint64, 8*stride)}
	for _, width := range []int{1, 2, 4, 8} {
		const first = 3 // row
		var want []byte
		for k := range 3 {
			v := 0x1122334455667788 * uint64(k+1)
			w.R[(first+k)*stride+lane] = v
			want = append(want, binary.LittleEndian.AppendUint64(nil, v)[:width]...)
		}
		a := &warp.Access{Kind: warp.Write, Size: int64(3 * width), Width: width, Value: first * stride}
		for i := range want {
			if got := a.Byte(w, lane, int64(i)); got != want[i] {
				t.Errorf("byte %d of components of %d bytes is %#x, want %#x", i, width, got, want[i])
			}
		}
	}
	if got := (&warp.Access{Kind: warp.AtomicAccess, Size: 4, Width: 4, New: 0x44332211}).Byte(w, lane, 2); got != 0x33 {
		t.Errorf("byte 2 of an atomic is %#x", got)
	}
	if got := (&warp.Access{Kind: warp.Write, Size: 3, Width: 1, Texel: []byte{1, 2, 3}}).Byte(w, lane, 2); got != 3 {
		t.Errorf("byte 2 of a texel is %#x", got)
	}
}
