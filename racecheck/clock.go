package racecheck

import "maps"

// clock is a sparse vector clock: which accesses of which threads happen
// before. It is immutable once a thread or an edge has it; nil is empty.
type clock struct {
	tiles   map[int]uint32    // by tile: all accesses of its threads at an earlier epoch
	threads map[uint32]uint32 // by thread: its accesses up to this epoch
}

func (c *clock) covers(d *detector, thread, epoch uint32) bool {
	if c == nil {
		return false
	}
	if e, ok := c.threads[thread]; ok && epoch <= e {
		return true
	}
	return epoch < c.tiles[int(thread/d.perTile)]
}

func (c *clock) clone() *clock {
	if c == nil {
		return &clock{tiles: map[int]uint32{}, threads: map[uint32]uint32{}}
	}
	return &clock{tiles: maps.Clone(c.tiles), threads: maps.Clone(c.threads)}
}

// add joins o into c, which no one else has yet.
func (c *clock) add(o *clock) {
	if o == nil {
		return
	}
	for k, v := range o.tiles {
		c.tiles[k] = max(c.tiles[k], v)
	}
	for k, v := range o.threads {
		c.threads[k] = max(c.threads[k], v)
	}
}

func joined(a, b *clock) *clock {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	}
	c := a.clone()
	c.add(b)
	return c
}

// The clocks of a thread: for each class the strict one and, when asked for,
// lenient ones, which say what is missing where the strict one does not order
// two accesses.
const (
	strictClock   = iota
	anyScopeClock // scopes of fences and atomics do not matter
	anyClassClock // classes of fences and atomics do not matter
	looseClock    // neither does
	halfRelease   // a tile barrier acquires without a fence after it
	halfAcquire   // a tile barrier releases without a fence before it
	numKinds

	numClocks = numKinds * int(numClasses)
)

func clockIndex(kind int, c class) int { return kind*int(numClasses) + int(c) }

// threadClock is what a thread knows of others.
type threadClock struct {
	clock    [numClocks]*clock
	released []edge // by its fences, for atomics and barriers to pass on
	pending  []edge // read by atomics or barriers, for fences to acquire
}

// edge is one end of a synchronizes-with: what the releasing thread knew.
type edge struct {
	scope     reach
	semantics uint32 // classes
	tile      int
	warp      uint32
	clock     [numClocks]*clock
}

// merge adds e to edges that may stand for several.
func merge(list []edge, e edge) []edge {
	for k := range list {
		p := &list[k]
		if p.scope == e.scope && p.semantics == e.semantics && p.tile == e.tile && p.warp == e.warp {
			for i := range p.clock {
				p.clock[i] = joined(p.clock[i], e.clock[i])
			}
			return list
		}
	}
	return append(list, e)
}

func (d *detector) numClocks() int {
	if d.lenient {
		return numClocks
	}
	return int(numClasses)
}

func (t *tile) lastOf(k int) uint32 {
	if k < int(numClasses) {
		return t.last[k]
	}
	return t.like[k]
}

func (d *detector) warpOf(t *tile, thread uint32) uint32 { return (thread - t.first) / d.width }

// snapshot is what thread v knows at a release, itself included.
func (d *detector) snapshot(t *tile, v uint32, scope reach, semantics uint32) edge {
	e := edge{scope: scope, semantics: classBits(semantics), tile: t.index, warp: d.warpOf(t, v)}
	own := &t.thread[v-t.first]
	for k := range d.numClocks() {
		e.clock[k] = own.clock[k].clone()
		d.sign(e.clock[k], t, v, k)
	}
	return e
}

// sign adds v's own accesses to c, and those that the barriers of its tile
// ordered before them.
func (d *detector) sign(c *clock, t *tile, v uint32, k int) {
	c.threads[v] = t.now
	if l := t.lastOf(k); l > 0 {
		c.tiles[t.index] = max(c.tiles[t.index], l)
	}
}

// acquire lets thread v know what e carries, as far as classes and scopes
// agree.
func (d *detector) acquire(t *tile, v uint32, e *edge, scope reach, semantics uint32) {
	inTile := e.tile == t.index
	inWarp := inTile && e.warp == d.warpOf(t, v)
	scoped := includes(e.scope, inTile, inWarp) && includes(scope, inTile, inWarp)
	own := &t.thread[v-t.first]
	for k := range d.numClocks() {
		kind, c := k/int(numClasses), class(k%int(numClasses))
		fenced := e.semantics&semantics&c.bit() != 0 || kind == anyClassClock || kind == looseClock
		if fenced && (scoped || kind == anyScopeClock || kind == looseClock) {
			own.clock[k] = joined(own.clock[k], e.clock[k])
		}
	}
}

// fence is an OpMemoryBarrier of the given threads.
func (d *detector) fence(t *tile, lanes []uint32, scope reach, semantics uint32) {
	if !d.clocks {
		return
	}
	for _, v := range lanes {
		own := &t.thread[v-t.first]
		if acquires(semantics) {
			for k := range own.pending {
				d.acquire(t, v, &own.pending[k], min(scope, reachGrid), semantics)
			}
		}
		if releases(semantics) {
			e := d.snapshot(t, v, scope, semantics)
			replaced := false
			for k := range own.released {
				if p := &own.released[k]; p.scope == e.scope && p.semantics == e.semantics {
					*p, replaced = e, true
				}
			}
			if !replaced {
				own.released = append(own.released, e)
			}
		}
	}
	if releases(semantics) {
		t.tick()
	}
}

// atomic checks one lane's atomic access and does what it synchronizes. An
// acquire comes before the check.
func (d *detector) atomic(ins *instr, l int, semantics uint32) {
	t, me := ins.tile, ins.first+uint32(l)
	s := &d.sites[ins.site[l]]
	off := ins.off[l]
	sw := d.toSide(ins.mem[l], off>>2)
	if d.clocks && s.reads {
		for k := range sw.heads {
			e := sw.heads[k]
			if acquires(semantics) {
				d.acquire(t, me, &e, s.scope, semantics)
			}
			e.scope = min(e.scope, s.scope)
			own := &t.thread[me-t.first]
			own.pending = merge(own.pending, e)
		}
	}
	for i := off >> 2; i <= (off+ins.size-1)>>2; i++ {
		d.sideAccess(ins, l, i, byteMask(i, off, off+ins.size))
	}
	if !d.clocks || !s.writes {
		return
	}
	if !s.reads {
		sw.heads = nil
	}
	for _, e := range t.thread[me-t.first].released {
		e.scope = min(e.scope, s.scope)
		sw.heads = merge(sw.heads, e)
	}
	if releases(semantics) {
		sw.heads = merge(sw.heads, d.snapshot(t, me, s.scope, semantics))
		t.tick()
	}
}

// warpBarrier is a control barrier of a warp's active threads.
func (d *detector) warpBarrier(t *tile, lanes []uint32, scope reach, semantics uint32) {
	if !d.clocks {
		return
	}
	d.exchange(t, []arrival{{lanes, scope, semantics}}, reachWarp)
	t.tick()
}

// meet does what a tile barrier orders for the threads that wait at it.
func (d *detector) meet(t *tile) { d.exchange(t, t.waits, reachTile) }

// exchange passes knowledge on between the threads that meet at a barrier:
// what each releases, by the barrier's own semantics or by a fence before it,
// the others acquire, by the barrier's semantics or by a fence after it.
func (d *detector) exchange(t *tile, at []arrival, need reach) {
	later := edge{scope: need, semantics: classUniform.bit() | classWorkgroup.bit() | classImage.bit(), tile: t.index, warp: ^uint32(0)}
	if need == reachWarp && len(at) > 0 && len(at[0].lanes) > 0 {
		later.warp = d.warpOf(t, at[0].lanes[0])
	}
	wait := false
	for k := range d.numClocks() {
		kind, c := k/int(numClasses), class(k%int(numClasses))
		fits := func(a *arrival) bool {
			return a.semantics&c.bit() != 0 && (a.scope >= need || kind == anyScopeClock || kind == looseClock)
		}
		gives := func(a *arrival) bool { return kind == halfAcquire || fits(a) && releases(a.semantics) }
		takes := func(a *arrival) bool { return kind == halfRelease || fits(a) && acquires(a.semantics) }
		whole := need == reachTile
		for i := range at {
			whole = whole && gives(&at[i]) && takes(&at[i])
		}
		sum := (*clock)(nil).clone()
		for i := range at {
			a := &at[i]
			for _, v := range a.lanes {
				own := &t.thread[v-t.first]
				switch {
				case gives(a):
					sum.add(own.clock[k])
					if !whole {
						d.sign(sum, t, v, k)
					}
				default:
					for j := range own.released {
						r := &own.released[j]
						class := r.semantics&c.bit() != 0 || kind == anyClassClock || kind == looseClock
						if class && (r.scope >= need || kind == anyScopeClock || kind == looseClock) {
							sum.add(r.clock[k])
						}
					}
				}
			}
		}
		if len(sum.tiles)+len(sum.threads) == 0 {
			sum = nil
		}
		later.clock[k] = sum
		for i := range at {
			a := &at[i]
			for _, v := range a.lanes {
				own := &t.thread[v-t.first]
				if takes(a) {
					own.clock[k] = joined(own.clock[k], sum)
				} else {
					wait = wait || sum != nil
				}
			}
		}
		if whole {
			// All that came before is covered at once: see tile.last.
			t.like[k] = min(t.now+1, maxEpoch)
		}
	}
	if !wait {
		return
	}
	for i := range at {
		for _, v := range at[i].lanes {
			own := &t.thread[v-t.first]
			own.pending = merge(own.pending, later)
		}
	}
}

// whyUnfenced tells the class of a race across a tile barrier.
func (d *detector) whyUnfenced(p *entry, t *tile, v uint32, c class) raceClass {
	if d.clocks && d.lenient {
		switch {
		case d.inClock(t, p, v, clockIndex(anyScopeClock, c)):
			return raceScope
		case d.inClock(t, p, v, clockIndex(anyClassClock, c)):
			return raceFenceClass
		case d.inClock(t, p, v, clockIndex(halfRelease, c)), d.inClock(t, p, v, clockIndex(halfAcquire, c)):
			return raceHalfFenced
		}
	}
	return raceUnfenced
}

// whyUnordered tells what is missing from synchronization that would order
// two accesses; noRace if there is none at all.
func (d *detector) whyUnordered(p *entry, t *tile, v uint32, c class) raceClass {
	switch {
	case d.inClock(t, p, v, clockIndex(anyScopeClock, c)):
		return raceScope
	case d.inClock(t, p, v, clockIndex(anyClassClock, c)):
		return raceFenceClass
	case d.inClock(t, p, v, clockIndex(looseClock, c)):
		return raceScope
	}
	return noRace
}

// inClock reports whether clock k orders p before what thread v does now.
func (d *detector) inClock(t *tile, p *entry, v uint32, k int) bool {
	return d.holds(t, p.thread) && p.epoch < t.like[k] || t.thread[v-t.first].clock[k].covers(d, p.thread, p.epoch)
}
