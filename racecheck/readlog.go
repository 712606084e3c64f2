package racecheck

import (
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// Reads of tile_static memory that no thread has written since the tile's
// last barrier race with nothing, unless a thread writes before the next one.
// They are taken down in a log; a barrier throws it away, and a write makes
// the detector look at it first.

// ReadLog implements emu.ReadLogger: a tile's own memories have logs.
func (o *observer) ReadLog(t *warp.Tile, view int) *tilemem.ReadLog {
	mem, c := t.Views[view].Mem, o.tiles.Of(t)
	if c == nil || mem.Space != tilemem.TileStatic || o.d.clocks || c.mems[mem.ID].full {
		return nil
	}
	return &c.mems[mem.ID].log
}

// replay shows the detector the reads in a log, as of now.
func (o *observer) replay(wt *warp.Tile, t *tile, mem *shadow) {
	g := &mem.log
	stride := o.m.Program.Stride
	ins := instr{
		tile: t, off: make([]int64, stride), mem: make([]*shadow, stride), site: make([]uint16, stride), size: 4,
	}
	for l := range ins.mem {
		ins.mem[l] = mem
	}
	for _, h := range g.Heads {
		w := wt.Warps[h.Warp]
		s, ok := o.site(&warp.Access{PC: int(h.PC), Kind: warp.Read}, h.View, usual)
		if !ok {
			o.missed.sites += uint64(w.Lanes)
			continue
		}
		o.checked += uint64(w.Lanes)
		ins.first, ins.active = o.firstThread(w), warp.FirstLanes(w.Lanes)
		base := wt.Views[h.View].Base
		for l := range w.Lanes {
			off := h.Off + int32(l)*h.Step
			if h.Step == tilemem.Scattered {
				off = g.Offs[int(h.Off)+l]
			}
			ins.off[l], ins.site[l] = int64(off)+base, s
		}
		o.d.access(&ins)
	}
	g.Reset()
}

// turnPage does what a tile barrier, just before it is completed, does to the
// logs: reads that it orders are forgotten.
func (o *observer) turnPage(wt *warp.Tile, t *tile, ordered bool) {
	for _, mem := range t.mems {
		if mem == nil || len(mem.log.Heads) == 0 {
			continue
		}
		if !ordered {
			o.replay(wt, t, mem)
			continue
		}
		for _, h := range mem.log.Heads {
			o.checked += uint64(wt.Warps[h.Warp].Lanes)
		}
		mem.log.Reset()
	}
}

// openLogs opens the logs of memories that all has been written to, and
// nothing since the last barrier.
func (o *observer) openLogs(t *tile) {
	for _, mem := range t.mems {
		if mem != nil {
			mem.log.Open = mem.missing == 0 && mem.side == nil && !mem.full && !o.d.clocks && mem.written < t.last[classWorkgroup] && t.now < maxEpoch
		}
	}
}

// writes notes that a memory is about to be written to.
func (o *observer) writes(wt *warp.Tile, t *tile, mem *shadow) {
	mem.written = t.now
	if mem.log.Open {
		mem.log.Open = false
		o.replay(wt, t, mem)
	}
}
