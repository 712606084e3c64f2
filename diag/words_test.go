package diag_test

import (
	"testing"

	"ampdbg/diag"
)

func TestWords(t *testing.T) {
	thread := diag.Thread{Global: [3]uint32{21, 0, 0}, Tile: [3]uint32{1, 0, 0}, Local: 5, Warp: 1, Lane: 1}
	for _, c := range []struct{ got, want string }{
		{diag.Count(0, "tile", "tiles"), "0 tiles"},
		{diag.Count(1, "access", "accesses"), "1 access"},
		{diag.Count(999, "tile", "tiles"), "999 tiles"},
		{diag.Count(uint64(1234567), "tile", "tiles"), "1,234,567 tiles"},
		{diag.Triple([3]uint32{3, 0, 1}), "(3,0,1)"},
		{diag.Triple([3]int64{-1, 0, 1}), "(-1,0,1)"},
		{diag.Size([3]uint32{4, 1, 1}), "4"},
		{diag.Size([3]uint32{4, 2, 1}), "4x2"},
		{diag.Size([3]uint32{4, 1, 8}), "4x1x8"},
		{diag.Size([3]uint32{4, 0, 1}), "4x0"},
		{thread.Place(), "thread 5 of tile (1,0,0)"},
		{thread.String(), "thread 5 of tile (1,0,0), lane 1 of warp 1, global id (21,0,0)"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
