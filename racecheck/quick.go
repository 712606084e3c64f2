package racecheck

import (
	"math/bits"

	"ampdbg/warp"
)

// quick does a plain access of one word of one view: by itself as far as
// nothing about it is remarkable. It returns false if it has done nothing.
func (o *observer) quick(w *warp.Warp, a *warp.Access, t *tile, s uint16) bool {
	q := &o.quicks[a.PC]
	if q.clock != t || q.now != t.now {
		st := &o.d.sites[s]
		v := &w.T.Views[st.view]
		mem := t.mems[v.Mem.ID]
		if mem == nil {
			mem = o.mems[v.Mem.ID]
		}
		if mem.full || v.Base&3 != 0 || o.d.same == sameUnchanged {
			return false
		}
		*q = quickAccess{
			clock: t, now: t.now, mem: mem, words: mem.words, base: v.Base, tile: t.first, perTile: o.d.perTile,
			width: o.d.width, last: t.last[st.class], empty: !mem.local || mem.given, pairs: &o.d.pairs, site: s, clocks: o.d.clocks,
			stamp: makeRecord(recOne, 0, t.now, s),
		}
	}
	q.off, q.first = a.Off, o.firstThread(w)
	q.mine = q.stamp + record(q.first)
	var rest warp.Mask
	for half, m := range a.Mask {
		if m == 0 {
			continue
		}
		if a.Kind == warp.Write {
			if q.mem.local {
				o.writes(w.T, t, q.mem)
			}
			if half > 0 && rest[0] != 0 {
				rest[half] = m
				break
			}
			rest[half] = q.write(m, uint32(half)<<6)
		} else {
			rest[half] = q.read(m, uint32(half)<<6)
		}
	}
	if rest[0]|rest[1] != 0 {
		o.slow(w, a, t, rest)
	}
	return true
}

// quickAccess is a plain access of one word for each lane, made ready for an
// operation while its tile's clock stands still.
type quickAccess struct {
	clock   *tile
	now     uint32
	mem     *shadow
	words   []word
	off     []int64
	base    int64
	first   uint32 // number of lane 0
	tile    uint32 // number of the tile's first thread
	perTile uint32
	width   uint32
	last    uint32 // epoch from which on other threads of the tile are not ordered
	mine    record // what lane 0 would leave
	stamp   record // likewise, without the thread
	empty   bool   // words that no one wrote may be read
	clocks  bool
	site    uint16
	pairs   *pairs
}

// earlier reports whether the one access of r is ordered before what the tile
// does now, by a barrier or because it is thread me's.
func (q *quickAccess) earlier(r record, me uint32) bool {
	u := r.thread()
	return u == me || u-q.tile < q.perTile && r.epoch() < q.last
}

// read does the reads of the lanes m, the first of which is lane from, and
// gives those that it leaves.
func (q *quickAccess) read(m uint64, from uint32) (rest uint64) {
	words, off, base, first, last, tile, perTile := q.words, q.off, q.base, q.first, q.last, q.tile, q.perTile
	for ; m != 0; m &= m - 1 {
		bit := uint32(bits.TrailingZeros64(m))
		l := from + bit
		at := base + off[l]
		me := first + l
		wd := &words[at>>2]
		if r, w := wd.r, wd.w; at&3 == 0 && r.kind() == recTile && r.thread()-tile < perTile && r.epoch() >= last &&
			w.kind() == recOne && w.thread()-tile < perTile && w.epoch() < last {
			continue // the usual: what the tile wrote before a barrier, and others have read since
		}
		if at&3 != 0 || wd.w == 0 && !q.empty || wd.w != 0 && (wd.w.kind() > recKept || !q.earlier(wd.w, me)) {
			rest |= 1 << bit
			continue
		}
		r := wd.r
		switch r.kind() {
		case recNone:
			wd.r = q.mine + record(l)
			continue
		case recOne:
			if q.earlier(r, me) {
				wd.r = q.mine + record(l)
				continue
			}
			if u := r.thread(); u-q.tile < q.perTile && !q.clocks {
				kind := uint32(recTile)
				if u-q.first < q.width {
					kind = recWarp
				}
				if q.join(wd, kind, u, r.site(), me) {
					continue
				}
			}
		case recGrid:
			continue
		case recTile, recWarp:
			u := r.thread()
			if u-q.tile >= q.perTile {
				break
			}
			switch {
			case r.epoch() < q.last:
				wd.r = q.mine + record(l)
				continue
			case r.kind() == recTile || u-q.first < q.width:
				continue
			}
			if q.join(wd, recTile, u, q.pairs.list[r.site()].siteA, me) {
				continue
			}
		}
		rest |= 1 << bit
	}
	return rest
}

// join makes the readers of a word u and me.
func (q *quickAccess) join(wd *word, kind, u uint32, site uint16, me uint32) bool {
	n, ok := q.pairs.number(pair{site, q.site, int32(me) - int32(u)})
	if ok {
		wd.r = makeRecord(kind, u, q.mine.epoch(), n)
	}
	return ok
}

// write does the writes of the lanes m likewise, up to the first that it
// leaves: lanes that collide are told by their order.
func (q *quickAccess) write(m uint64, from uint32) uint64 {
	for ; m != 0; m &= m - 1 {
		bit := uint32(bits.TrailingZeros64(m))
		l := from + bit
		off := q.base + q.off[l]
		me := q.first + l
		wd := &q.words[off>>2]
		if off&3 != 0 || wd.w != 0 && (wd.w.kind() != recOne || !q.earlier(wd.w, me)) {
			return m
		}
		if r := wd.r; r != 0 {
			k := r.kind()
			if k == recGrid || k == recOne && !q.earlier(r, me) || k != recOne && (r.thread()-q.tile >= q.perTile || r.epoch() >= q.last) {
				return m
			}
		}
		if wd.w == 0 {
			q.mem.missing--
		}
		wd.w, wd.r = q.mine+record(l), 0
	}
	return 0
}
