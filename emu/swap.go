package emu

import (
	"fmt"

	"ampdbg/diag"
	"ampdbg/spirv"
)

// Swap exchanges the turns of two warps in the canonical schedule: where one
// would start, the other does. It makes the two schedules of a race that differ
// in nothing but the order of its two warps.
type Swap struct {
	Tiles [2][3]uint32 // WorkgroupId; the same one twice for two warps of a tile
	Warps [2]uint32    // their places in the tile; only looked at within a tile
}

// String gives "warps 0 and 1 of tile (0,0,0)" or "tiles (0,0,0) and (1,0,0)".
func (w *Swap) String() string {
	if w.Tiles[0] == w.Tiles[1] {
		return fmt.Sprintf("warps %d and %d of tile %s", w.Warps[0], w.Warps[1], diag.Triple(w.Tiles[0]))
	}
	return fmt.Sprintf("tiles %s and %s", diag.Triple(w.Tiles[0]), diag.Triple(w.Tiles[1]))
}

// tile is the tile that starts in the turn of the index-th.
func (w *Swap) tile(groups [3]uint32, index uint64) uint64 {
	if w == nil || w.Tiles[0] == w.Tiles[1] {
		return index
	}
	var at [2]uint64
	for i, t := range w.Tiles {
		if !spirv.Extent(groups).Holds(t) {
			return index // not a tile of this dispatch
		}
		at[i] = spirv.Extent(groups).Index(t)
	}
	switch index {
	case at[0]:
		return at[1]
	case at[1]:
		return at[0]
	}
	return index
}

// warp is the warp of t that has the turn of the i-th, and the other way
// round.
func (w *Swap) warp(t *tile, i int) int {
	if w == nil || w.Tiles[0] != w.Tiles[1] || t.ID != w.Tiles[0] || int(max(w.Warps[0], w.Warps[1])) >= len(t.Warps) {
		return i
	}
	switch uint32(i) {
	case w.Warps[0]:
		return int(w.Warps[1])
	case w.Warps[1]:
		return int(w.Warps[0])
	}
	return i
}
