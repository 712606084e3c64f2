package racecheck

// A sideWord is the state of a word that a pair of records cannot hold: one
// that atomics touch, or accesses of less than a word, or several writers. It
// keeps a group of accesses for each way to access the word; in a group there
// are as few as decide every later conflict.
type sideWord struct {
	groups  []group
	heads   *heads // what a read of the last atomic write synchronizes with
	written uint8  // bytes that something has written
}

// entry is one access of a side word.
type entry struct {
	thread, epoch uint32
	site          uint16
	mask          uint8  // bytes
	kept          bool   // a write that left memory as it was
	fresh         bool   // memory still holds what it read or wrote
	value         uint32 // if not, the word as it was when that was so
	start         int64  // byte offset of the access in its memory
}

// way is what the accesses of a group have in common.
type way struct {
	writes, atomic, padding, private bool
	mask                             uint8
	scope, available                 reach
	binding                          int32
	size, start                      int64 // of atomics
}

type group struct {
	way
	recs  []entry
	index map[uint32]int // by thread, once recs is long
	old   []entry        // the first accesses of two threads, where ordered ones matter
}

// toSide moves a word's state to the side table.
func (d *detector) toSide(mem *shadow, i int64) *sideWord {
	if mem.words[i].w.kind() == recSide {
		return mem.side[i]
	}
	if mem.side == nil {
		mem.side = map[int64]*sideWord{}
	}
	sw := &sideWord{}
	mem.side[i] = sw
	wd := &mem.words[i]
	put := func(e entry) {
		g := sw.group(d.way(&d.sites[e.site], e.mask, 0))
		g.recs = append(g.recs, e)
	}
	if k := wd.w.kind(); k != recNone {
		sw.written = 0xf
		put(entry{thread: wd.w.thread(), epoch: wd.w.epoch(), site: wd.w.site(), mask: 0xf, kept: k == recKept, fresh: true})
	}
	var buf [2]entry
	for _, e := range d.readers(wd.r, buf[:0]) {
		put(e)
	}
	wd.w, wd.r = makeRecord(recSide, 0, 0, 0), 0
	return sw
}

func (d *detector) way(s *site, mask uint8, start int64) way {
	w := way{writes: s.writes, atomic: s.atomic, padding: s.padding, private: s.private, mask: mask, binding: s.binding}
	if s.writes {
		w.available = s.available
	}
	if s.atomic {
		w.scope, w.size, w.start = s.scope, s.size, start
	}
	return w
}

func (sw *sideWord) group(w way) *group {
	for k := range sw.groups {
		if sw.groups[k].way == w {
			return &sw.groups[k]
		}
	}
	sw.groups = append(sw.groups, group{way: w})
	return &sw.groups[len(sw.groups)-1]
}

// sideAccess checks an access of bytes of word i and remembers it.
func (d *detector) sideAccess(ins *instr, l int, i int64, mask uint8) {
	mem, id := ins.mem[l], ins.site[l]
	s := &d.sites[id]
	sw := d.toSide(mem, i)
	way := d.way(s, mask, ins.off[l])
	// The best finding against earlier writes, and against earlier reads.
	var best [2]entry
	var class [2]raceClass
	var bytes uint8
	for k := range sw.groups {
		g := &sw.groups[k]
		if g.mask&mask == 0 || !g.writes && !s.writes || g.atomic && g.way == way && way.scope == reachGrid && !mem.full {
			continue
		}
		side := 0
		if !g.writes {
			side = 1
		}
		drop := s.writes && !s.atomic && !mem.full
		left := g.recs[:0]
		for _, e := range g.recs {
			c, ordered := d.relate(&e, ins, l, i, mask, mem.full)
			if c != noRace {
				bytes |= e.mask & mask
			}
			if c != noRace && (class[side] == noRace || c < class[side] || c == class[side] && e.epoch >= best[side].epoch) {
				class[side], best[side] = c, e
			}
			if !drop || e.mask&^mask != 0 || !ordered && d.keeps(c, e.thread, ins.first+uint32(l), ins.tile) {
				left = append(left, e)
			}
		}
		if len(left) < len(g.recs) {
			g.recs, g.index = left, nil
		}
		for k := range g.old {
			if c, _ := d.relate(&g.old[k], ins, l, i, mask, true); c != noRace {
				bytes |= g.old[k].mask & mask
				if class[side] == noRace {
					class[side], best[side] = c, g.old[k]
				}
			}
		}
	}
	for side, c := range class {
		if c != noRace {
			e := &best[side]
			d.found(&race{
				class: c, first: party{e.thread, e.site}, second: party{ins.first + uint32(l), id},
				mem: mem, word: i, mask: mask & e.mask, bytes: bytes, epoch: e.epoch, fresh: e.fresh, value: e.value, ins: ins, lane: l,
			})
		}
	}
	if s.writes {
		sw.stale(d, ins, l, i, mask)
		sw.written |= mask
		if !s.atomic {
			sw.heads = nil
		}
	}
	d.sideAdd(sw, ins, l, i, mask)
}

// sideKeep remembers a write without checking it.
func (d *detector) sideKeep(ins *instr, l int, i int64) {
	sw := ins.mem[l].side[i]
	sw.stale(d, ins, l, i, 0xf)
	sw.written = 0xf
	d.sideAdd(sw, ins, l, i, 0xf)
}

// stale notes that lane l is about to overwrite bytes of word i.
func (sw *sideWord) stale(d *detector, ins *instr, l int, i int64, mask uint8) {
	for k := range sw.groups {
		if sw.groups[k].mask&mask == 0 {
			continue
		}
		for j := range sw.groups[k].recs {
			if e := &sw.groups[k].recs[j]; e.fresh {
				e.fresh, e.value = false, d.left(e, ins, l, i)
			}
		}
	}
}

// relate tells what an earlier access and lane l's are to each other; ordered
// says that a happens-before relates them. If special, two ordered accesses
// may still be at fault.
func (d *detector) relate(e *entry, ins *instr, l int, i int64, mask uint8, special bool) (c raceClass, ordered bool) {
	me := ins.first + uint32(l)
	if e.thread == me {
		return noRace, true
	}
	a, b := &d.sites[e.site], &d.sites[ins.site[l]]
	if !d.ordered(ins.tile, e.thread, e.epoch, a, me, b) {
		c := d.classify(e, ins, l, i, mask&e.mask)
		if c == noRace || c == raceSameValue || c == racePadding || !a.writes || !d.before(ins.tile, e.thread, e.epoch, me, b.class) {
			return c, false
		}
		// It happens before, but that does not show it.
		switch own := &ins.tile.thread[me-ins.tile.first]; {
		case special && d.aliases && a.binding != b.binding:
			return raceAliased, false
		case special && d.private && (a.private || b.private):
			return racePrivate, false
		case d.inDomain(available, own, a, reachWarp, reachGrid, e.thread, e.epoch):
			return raceInvisible, false
		}
		return raceUnavailable, false
	}
	if special && e.mask&mask != 0 && (a.writes || b.writes) {
		switch {
		case d.aliases && a.binding != b.binding:
			return raceAliased, true
		case d.private && (a.private && !a.atomic || b.private && !b.atomic):
			return racePrivate, true
		}
	}
	return noRace, true
}

// maxShort is how many entries a group has before it is indexed.
const maxShort = 8

// sideAdd remembers lane l's access.
func (d *detector) sideAdd(sw *sideWord, ins *instr, l int, i int64, mask uint8) {
	t, me, s := ins.tile, ins.first+uint32(l), ins.site[l]
	e := entry{thread: me, epoch: t.now, site: s, mask: mask, fresh: true, start: ins.off[l]}
	st := &d.sites[s]
	if d.same == sameUnchanged && st.writes && !st.atomic {
		e.kept = (ins.values.written(l, i)^ins.values.held(l, i))&spread(mask) == 0
	}
	g := sw.group(d.way(st, mask, ins.off[l]))
	if ins.mem[l].full && len(g.old) < 2 && (len(g.old) == 0 || g.old[0].thread != me) {
		g.old = append(g.old, e)
	}
	if g.index != nil {
		if k, ok := g.index[me]; ok {
			g.recs[k] = e
			return
		}
		g.index[me] = len(g.recs)
		g.recs = append(g.recs, e)
		return
	}
	// What is ordered before this access decides nothing any more. Of atomics
	// that goes only for those whose scope reaches the same threads.
	left := g.recs[:0]
	for _, p := range g.recs {
		past := p.thread == me || d.superseded(t, &p, me, st)
		if past && st.atomic && !(d.holds(t, p.thread) && p.epoch < t.last[st.class]) && p.thread != me {
			past = d.holds(t, p.thread) && d.sameWarp(t, p.thread, me)
		}
		if !past {
			left = append(left, p)
		}
	}
	g.recs = left
	if d.clocks {
		g.recs = append(g.recs, e)
		if len(g.recs) > maxShort {
			g.index = make(map[uint32]int, 2*maxShort)
			for k := range g.recs {
				g.index[g.recs[k].thread] = k
			}
		}
		return
	}
	// Without clocks, two readers in different tiles conflict with any thread;
	// so do, inside the tile, two in different warps.
	here, tiles, other := -1, 0, uint32(0)
	for k := range g.recs {
		p := &g.recs[k]
		if !d.holds(t, p.thread) {
			if x := p.thread / d.perTile; tiles == 0 || x != other {
				tiles, other = tiles+1, x
			}
			continue
		}
		if here >= 0 {
			if d.sameWarp(t, g.recs[here].thread, p.thread) && !d.sameWarp(t, p.thread, me) {
				*p = e
			}
			return
		}
		here = k
	}
	if here < 0 && tiles >= 2 {
		return
	}
	g.recs = append(g.recs, e)
}

// left is word i as the access e left it, which lane l is about to overwrite:
// where e is of an earlier lane of the same instruction, memory is yet to have it.
func (d *detector) left(e *entry, ins *instr, l int, i int64) uint32 {
	held := ins.values.held(l, i)
	if ins.inTurn || !d.sites[e.site].writes || !ins.collides(e, l, i, e.mask) {
		return held
	}
	written := spread(e.mask)
	return held&^written | ins.values.written(int(e.thread-ins.first), i)&written
}
