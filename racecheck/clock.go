package racecheck

import (
	"math/bits"

	"ampdbg/spirv"
)

// A clock is a vector clock: by key, the epoch up to which accesses are known.
// Each thread has a key, and each tile one more, which stands for all of its
// threads. It is a tree that never changes, so threads and atomics share what
// they know alike: to join two clocks takes as long as they differ. nil is empty.
type clock struct {
	kids *[clockFan]*clock // of a branch
	at   *[clockFan]uint32 // of a leaf
}

const (
	clockBits = 4
	clockFan  = 1 << clockBits
)

func newBranch() *clock {
	n := &struct {
		clock
		room [clockFan]*clock
	}{}
	n.kids = &n.room
	return &n.clock
}

func newLeaf() *clock {
	n := &struct {
		clock
		room [clockFan]uint32
	}{}
	n.at = &n.room
	return &n.clock
}

// clockSpace is the keys of the clocks of a dispatch.
type clockSpace struct {
	stride uint64 // keys of a tile
	shift  int    // of a key, to find its place in a root
	// The last two clocks that were joined: all threads at a barrier ask the same.
	a, b, joint *clock
}

func newClockSpace(perTile uint32, tiles uint64) clockSpace {
	s := clockSpace{stride: 1 << bits.Len32(perTile)}
	for n := tiles * s.stride; n > clockFan<<s.shift; {
		s.shift += clockBits
	}
	return s
}

// get is the epoch at a key, 0 if there is none.
func (s *clockSpace) get(c *clock, key uint64) uint32 {
	for shift := s.shift; c != nil; shift -= clockBits {
		i := key >> shift & (clockFan - 1)
		if c.at != nil {
			return c.at[i]
		}
		c = c.kids[i]
	}
	return 0
}

// raise is c with the epochs at the keys from key on raised to those in list.
func (s *clockSpace) raise(c *clock, key uint64, list []uint32) *clock {
	return raise(c, s.shift, key, list)
}

func raise(c *clock, shift int, key uint64, list []uint32) *clock {
	out := c
	for len(list) > 0 {
		i := key >> shift & (clockFan - 1)
		n := min(uint64(len(list)), 1<<shift-key&(1<<shift-1))
		if shift == 0 {
			if list[0] > 0 && (out == nil || out.at[i] < list[0]) {
				if out == c {
					out = newLeaf()
					if c != nil {
						*out.at = *c.at
					}
				}
				out.at[i] = list[0]
			}
		} else {
			var kid *clock
			if out != nil {
				kid = out.kids[i]
			}
			if k := raise(kid, shift-clockBits, key, list[:n]); k != kid {
				if out == c {
					out = newBranch()
					if c != nil {
						*out.kids = *c.kids
					}
				}
				out.kids[i] = k
			}
		}
		key, list = key+n, list[n:]
	}
	return out
}

// join is all that a and b know.
func (s *clockSpace) join(a, b *clock) *clock {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case s.a != a || s.b != b:
		s.a, s.b, s.joint = a, b, join(a, b)
	}
	return s.joint
}

func join(a, b *clock) *clock {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	}
	isA, isB := true, true // the result is one of the two
	if a.at != nil {
		var m [clockFan]uint32
		for i := range m {
			m[i] = max(a.at[i], b.at[i])
			isA, isB = isA && m[i] == a.at[i], isB && m[i] == b.at[i]
		}
		if !isA && !isB {
			n := newLeaf()
			*n.at = m
			return n
		}
	} else {
		var m [clockFan]*clock
		for i := range m {
			m[i] = join(a.kids[i], b.kids[i])
			isA, isB = isA && m[i] == a.kids[i], isB && m[i] == b.kids[i]
		}
		if !isA && !isB {
			n := newBranch()
			*n.kids = m
			return n
		}
	}
	if isA {
		return a
	}
	return b
}

// A dimension is one of the relations that a thread has a clock for.
type dimension struct {
	kind  relation
	class class
	// Of available, ready and visible: how far writes make themselves available;
	// of the first two, the domain that they have come to.
	own, domain reach
}

type relation uint8

// The relations. The first is the order itself; those up to freeRelease say what is
// missing where it does not hold: they are kept when asked for.
const (
	happensBefore relation = iota
	anyScope               // scopes of fences and atomics do not matter
	anyClass               // classes of fences and atomics do not matter
	loose                  // neither does
	halfRelease            // a tile barrier acquires without a fence after it
	halfAcquire            // a tile barrier releases without a fence before it
	freeAcquire            // every atomic that reads acquires
	freeRelease            // every atomic that writes releases
	available              // writes that have come to a domain of the thread's
	ready                  // those that an acquire of their class has been told of
	visible                // those that have been made visible to the thread
)

func (m *dimension) allScopes() bool  { return m.kind == anyScope || m.kind == loose }
func (m *dimension) allClasses() bool { return m.kind == anyClass || m.kind == loose }

// travels reports whether threads hand the dimension on to others.
func (m *dimension) travels() bool { return m.kind < ready }

// carries reports whether a release or acquire of the given semantics counts.
func (m *dimension) carries(semantics uint32) bool {
	if m.kind == available {
		return classBits(semantics) != 0
	}
	return m.allClasses() || semantics&m.class.bit() != 0
}

// startClocks decides which relations are kept.
func (d *detector) startClocks(tiles uint64) {
	d.space = newClockSpace(d.perTile, tiles)
	d.dims, d.epochs = nil, make([]uint32, d.perTile)
	last := happensBefore
	if d.lenient {
		last = freeRelease
	}
	for kind := happensBefore; kind <= last; kind++ {
		for c := range numClasses {
			d.dims = append(d.dims, dimension{kind: kind, class: c, domain: reachGrid})
		}
	}
	d.availAt = len(d.dims)
	if !d.avail {
		return
	}
	for c := range numClasses {
		for own := reachThread; own <= d.maxOwn(); own++ {
			d.dims = append(d.dims, dimension{kind: visible, class: c, own: own})
			for domain := reachWarp; domain <= reachGrid; domain++ {
				d.dims = append(d.dims, dimension{kind: available, class: c, own: own, domain: domain})
			}
			for domain := reachWarp; domain <= reachGrid; domain++ {
				d.dims = append(d.dims, dimension{kind: ready, class: c, own: own, domain: domain})
			}
		}
	}
}

func dimOf(kind relation, c class) int { return int(kind)*int(numClasses) + int(c) }

// maxOwn bounds how far accesses make themselves available or visible: only if
// strict does that count.
func (d *detector) maxOwn() reach {
	if d.strict {
		return reachGrid
	}
	return reachThread
}

// availDim is the clock of kind for writes of a class that make themselves
// available as far as own, in a domain if the kind has one.
func (d *detector) availDim(kind relation, c class, own, domain reach) int {
	const perOwn = 1 + 2*int(reachGrid)
	k := d.availAt + (int(c)*(int(d.maxOwn())+1)+int(own))*perOwn
	switch kind {
	case available:
		return k + int(domain)
	case ready:
		return k + int(reachGrid) + int(domain)
	}
	return k
}

// numLike is the dimensions of happens-before and of what may be missing.
const numLike = (int(freeRelease) + 1) * int(numClasses)

// levels are scopes as places to hand knowledge on at, and one, whateverScope,
// for the relations that do not care.
const (
	whateverScope = reachThread
	numLevels     = reachGrid + 1
)

// threadClock is what a thread knows of others.
type threadClock struct {
	clock []*clock // by dimension
	// released is what its fences leave for atomics and barriers to pass on,
	// pending what atomics and barriers leave for fences to acquire, by level.
	released [numLevels][]signature
	pending  [numLevels][]*clock
	// available is the epoch up to which its writes are in a domain; offered,
	// that up to which those are that make themselves available so far.
	available, offered [numClasses][numLevels]uint32
}

// signature is what a thread knew at a release, and the epoch it was in.
type signature struct {
	base         *clock
	epoch, floor uint32 // floor: barriers ordered all of the tile up to it
}

// heads is what reads of an atomic's location synchronize with: what releases
// of each scope, in each instance of that scope, have handed on.
type heads struct {
	whatever, grid []*clock
	tile           map[int][]*clock
	warp           map[uint64][]*clock
}

// level is what h holds for a level and thread v, nil if nothing.
func (h *heads) level(d *detector, l reach, t *tile, v uint32) []*clock {
	switch l {
	case reachWarp:
		return h.warp[uint64(t.index)<<32|uint64(d.warpOf(t, v))]
	case reachTile:
		return h.tile[t.index]
	case reachGrid:
		return h.grid
	}
	return h.whatever
}

// room is level, made if need be.
func (h *heads) room(d *detector, l reach, t *tile, v uint32) []*clock {
	list := h.level(d, l, t, v)
	if list != nil {
		return list
	}
	list = make([]*clock, len(d.dims))
	switch l {
	case reachWarp:
		if h.warp == nil {
			h.warp = map[uint64][]*clock{}
		}
		h.warp[uint64(t.index)<<32|uint64(d.warpOf(t, v))] = list
	case reachTile:
		if h.tile == nil {
			h.tile = map[int][]*clock{}
		}
		h.tile[t.index] = list
	case reachGrid:
		h.grid = list
	default:
		h.whatever = list
	}
	return list
}

func (t *tile) lastOf(k int) uint32 {
	switch {
	case k < int(numClasses):
		return t.last[k]
	case k < len(t.like):
		return t.like[k]
	}
	return 0
}

func (d *detector) warpOf(t *tile, thread uint32) uint32 { return (thread - t.first) / d.width }

func (d *detector) key(t *tile, slot uint32) uint64 {
	return uint64(t.index)*d.space.stride + uint64(slot)
}

// covers reports whether a clock knows of an access.
func (d *detector) covers(c *clock, thread, epoch uint32) bool {
	if c == nil {
		return false
	}
	tile, slot := uint64(thread/d.perTile), thread%d.perTile
	key := tile * d.space.stride
	return epoch <= d.space.get(c, key+uint64(slot)) || epoch <= d.space.get(c, key+uint64(d.perTile))
}

// sign is what thread v knows in dimension k now, and who says so.
func (d *detector) sign(t *tile, v uint32, k int) signature {
	own := &t.thread[v-t.first]
	s := signature{base: own.clock[k], epoch: t.now}
	switch m := &d.dims[k]; {
	case !m.travels():
		return signature{}
	case m.kind == available && m.domain > m.own:
		s.epoch = own.available[m.class][m.domain]
	case m.kind == available:
		s.epoch = own.offered[m.class][m.domain]
	}
	if l := t.lastOf(k); l > 0 {
		s.floor = l - 1
	}
	return s
}

// signed is the clock that a signature of thread v stands for.
func (d *detector) signed(t *tile, v uint32, s signature) *clock {
	c := d.space.raise(s.base, d.key(t, v-t.first), []uint32{s.epoch})
	return d.space.raise(c, d.key(t, d.perTile), []uint32{s.floor})
}

// publish hands on to later reads of an atomic what signatures of thread v
// say, as far as their dimensions go at a level.
func (d *detector) publish(h *heads, t *tile, v uint32, l reach, of func(k int) signature) {
	var list []*clock
	for k := range d.dims {
		m := &d.dims[k]
		if m.allScopes() != (l == whateverScope) || m.domain < l {
			continue
		}
		s := of(k)
		if s == (signature{}) {
			continue
		}
		if list == nil {
			list = h.room(d, l, t, v)
		}
		list[k] = d.space.join(list[k], d.signed(t, v, s))
	}
}

// acquire lets thread v know what was handed on to it: list by dimension.
func (d *detector) acquire(own *threadClock, list []*clock, counts func(m *dimension) bool) {
	for k, c := range list {
		if c != nil && counts(&d.dims[k]) {
			own.clock[k] = d.space.join(own.clock[k], c)
		}
	}
}

// wait keeps what a fence may acquire later.
func (d *detector) wait(own *threadClock, l reach, k int, c *clock) {
	if c == nil {
		return
	}
	if own.pending[l] == nil {
		own.pending[l] = make([]*clock, len(d.dims))
	}
	own.pending[l][k] = d.space.join(own.pending[l][k], c)
}

// fence is an OpMemoryBarrier of the given threads.
func (d *detector) fence(t *tile, lanes []uint32, scope reach, semantics uint32, pc int32) {
	if !d.clocks {
		return
	}
	for _, v := range lanes {
		own := &t.thread[v-t.first]
		d.makeAvailable(t, own, scope, semantics)
		d.offer(t, own, semantics)
		if acquires(semantics) {
			for l := whateverScope; l <= scope; l++ {
				d.acquire(own, own.pending[l], func(m *dimension) bool { return m.carries(semantics) })
			}
		}
		d.takeReady(own, semantics)
		if releases(semantics) {
			for l := whateverScope; l <= scope; l++ {
				for k := range d.dims {
					m := &d.dims[k]
					if m.allScopes() != (l == whateverScope) || !m.carries(semantics) {
						continue
					}
					if own.released[l] == nil {
						own.released[l] = make([]signature, len(d.dims))
					}
					own.released[l][k] = d.sign(t, v, k)
				}
			}
		}
		d.makeVisible(own, scope, semantics)
		d.note(t, v, pc, syncStep{scope: scope, semantics: semantics, writes: true, reads: true})
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
	if d.clocks {
		own := &t.thread[me-t.first]
		if s.writes {
			if d.makeAvailable(t, own, s.scope, semantics) {
				t.tick() // what comes before the atomic, not its own write
			}
			d.offer(t, own, semantics)
		}
		if s.reads && sw.heads != nil {
			for lv := whateverScope; lv <= s.scope; lv++ {
				list := sw.heads.level(d, lv, t, me)
				d.acquire(own, list, func(m *dimension) bool {
					return m.kind == freeAcquire || acquires(semantics) && m.carries(semantics)
				})
				for k, c := range list {
					d.wait(own, lv, k, c)
				}
			}
		}
		if s.reads {
			d.takeReady(own, semantics)
		}
	}
	for i := off >> 2; i <= (off+ins.size-1)>>2; i++ {
		d.sideAccess(ins, l, i, byteMask(i, off, off+ins.size))
	}
	if !d.clocks {
		return
	}
	own := &t.thread[me-t.first]
	if s.writes {
		if !s.reads {
			sw.heads = nil
		}
		for lv := whateverScope; lv <= s.scope; lv++ {
			list := own.released[lv]
			if list == nil && !releases(semantics) && !d.lenient {
				continue
			}
			if sw.heads == nil {
				sw.heads = &heads{}
			}
			if list != nil {
				d.publish(sw.heads, t, me, lv, func(k int) signature { return list[k] })
			}
			d.publish(sw.heads, t, me, lv, func(k int) signature {
				if m := &d.dims[k]; m.kind == freeRelease || releases(semantics) && m.carries(semantics) {
					return d.sign(t, me, k)
				}
				return signature{}
			})
		}
	}
	if s.reads {
		d.makeVisible(own, s.scope, semantics)
	}
	d.note(t, me, s.pc, syncStep{scope: s.scope, semantics: semantics, writes: s.writes, reads: s.reads})
	if s.writes && (releases(semantics) || d.lenient) {
		t.tick()
	}
}

// warpBarrier is a control barrier of a warp's active threads.
func (d *detector) warpBarrier(t *tile, lanes []uint32, scope reach, semantics uint32, pc int32) {
	if !d.clocks {
		return
	}
	d.exchange(t, []arrival{{lanes, scope, semantics, pc}}, reachWarp)
	t.tick()
}

// meet does what a tile barrier orders for the threads that wait at it.
func (d *detector) meet(t *tile) { d.exchange(t, t.waits, reachTile) }

// exchange passes knowledge on between the threads that meet at a barrier:
// what each releases, by the barrier's own semantics or by a fence before it,
// the others acquire, by the barrier's semantics or by a fence after it.
func (d *detector) exchange(t *tile, at []arrival, need reach) {
	for i := range at {
		for _, v := range at[i].lanes {
			d.makeAvailable(t, &t.thread[v-t.first], at[i].scope, at[i].semantics)
			d.offer(t, &t.thread[v-t.first], at[i].semantics)
		}
	}
	for k := range d.dims {
		switch m := &d.dims[k]; {
		case !m.travels():
		case m.domain < need:
			// It stays within a warp: each has a meeting of its own.
			for _, part := range d.byWarp(t, at) {
				d.exchangeOne(t, part, need, k)
			}
		default:
			d.exchangeOne(t, at, need, k)
		}
	}
	for i := range at {
		for _, v := range at[i].lanes {
			d.takeReady(&t.thread[v-t.first], at[i].semantics)
			d.makeVisible(&t.thread[v-t.first], at[i].scope, at[i].semantics)
			d.note(t, v, at[i].pc, syncStep{scope: at[i].scope, semantics: at[i].semantics, writes: true, reads: true})
		}
	}
}

// byWarp splits arrivals by the warps of their threads.
func (d *detector) byWarp(t *tile, at []arrival) [][]arrival {
	out := make([][]arrival, (d.perTile+d.width-1)/d.width)
	for _, a := range at {
		if len(a.lanes) > 0 {
			w := d.warpOf(t, a.lanes[0])
			out[w] = append(out[w], a)
		}
	}
	return out
}

// exchangeOne is exchange in one dimension.
func (d *detector) exchangeOne(t *tile, at []arrival, need reach, k int) {
	m := &d.dims[k]
	level := need
	if m.allScopes() {
		level = whateverScope
	}
	fits := func(a *arrival) bool {
		class := a.semantics&m.class.bit() != 0 || m.kind == available && classBits(a.semantics) != 0
		return class && (a.scope >= need || m.allScopes())
	}
	gives := func(a *arrival) bool { return m.kind == halfAcquire || fits(a) && releases(a.semantics) }
	takes := func(a *arrival) bool { return m.kind == halfRelease || fits(a) && acquires(a.semantics) }
	whole := need == reachTile && m.kind != available
	for i := range at {
		a := &at[i]
		whole = whole && gives(a) && takes(a) && (m.kind != happensBefore || a.orders(d.strict)&m.class.bit() != 0)
	}
	// The sum of what they know, and the epochs in which they say so.
	var sum *clock
	floor := uint32(0)
	low, high := d.perTile, uint32(0)
	for i := range at {
		for _, v := range at[i].lanes {
			low, high = min(low, v-t.first), max(high, v-t.first+1)
		}
	}
	if low >= high {
		return
	}
	epochs := d.epochs[low:high]
	clear(epochs)
	for i := range at {
		a := &at[i]
		give := gives(a)
		for _, v := range a.lanes {
			var s signature
			if give {
				s = d.sign(t, v, k)
				if whole {
					s.epoch = 0 // all that came before is covered at once: see tile.last
				}
			} else if list := t.thread[v-t.first].released[level]; list != nil {
				s = list[k]
			}
			sum = d.space.join(sum, s.base)
			e := &epochs[v-t.first-low]
			*e, floor = max(*e, s.epoch), max(floor, s.floor)
		}
	}
	sum = d.space.raise(sum, d.key(t, low), epochs)
	sum = d.space.raise(sum, d.key(t, d.perTile), []uint32{floor})
	for i := range at {
		a := &at[i]
		take := takes(a)
		for _, v := range a.lanes {
			own := &t.thread[v-t.first]
			if take {
				own.clock[k] = d.space.join(own.clock[k], sum)
			} else {
				d.wait(own, level, k, sum)
			}
		}
	}
	if whole && k < len(t.like) {
		t.like[k] = min(t.now+1, maxEpoch)
	}
}

// makeAvailable is the availability operation of a release: writes of the
// thread, and those that have come to a domain it is in, come to all up to scope.
// It reports whether there is one.
func (d *detector) makeAvailable(t *tile, own *threadClock, scope reach, semantics uint32) bool {
	if !d.avail || !releases(semantics) || semantics&uint32(spirv.MemorySemanticsMakeAvailable) == 0 {
		return false
	}
	for c := range numClasses {
		if semantics&c.bit() == 0 {
			continue
		}
		for l := reachWarp; l <= scope; l++ {
			own.available[c][l] = t.now
		}
		for said := reachThread; said <= d.maxOwn(); said++ {
			var sum *clock
			for l := reachWarp; l <= scope; l++ {
				k := &own.clock[d.availDim(available, c, said, l)]
				sum = d.space.join(sum, *k)
				*k = sum
			}
		}
	}
	return true
}

// offer is what a release does for writes that make themselves available: it
// says that they have happened. How far they go they have said themselves, so
// that its scope does not count.
func (d *detector) offer(t *tile, own *threadClock, semantics uint32) {
	if !d.avail || !releases(semantics) {
		return
	}
	for c := range numClasses {
		for l := reachWarp; semantics&c.bit() != 0 && l <= reachGrid; l++ {
			own.offered[c][l] = t.now
		}
	}
}

// takeReady is what an acquire does for accesses that make visible by themselves
// what they read, and for writes. As with offer, its scope does not count.
func (d *detector) takeReady(own *threadClock, semantics uint32) {
	if !d.avail || !acquires(semantics) {
		return
	}
	for c := range numClasses {
		for said := reachThread; semantics&c.bit() != 0 && said <= d.maxOwn(); said++ {
			for l := reachWarp; l <= reachGrid; l++ {
				k := &own.clock[d.availDim(ready, c, said, l)]
				*k = d.space.join(*k, own.clock[d.availDim(available, c, said, l)])
			}
		}
	}
}

// makeVisible is the visibility operation of an acquire: what has come to the
// domain of scope comes to the narrower ones, and to the thread.
func (d *detector) makeVisible(own *threadClock, scope reach, semantics uint32) {
	if !d.avail || !acquires(semantics) || semantics&uint32(spirv.MemorySemanticsMakeVisible) == 0 {
		return
	}
	for c := range numClasses {
		for said := reachThread; semantics&c.bit() != 0 && said <= d.maxOwn(); said++ {
			var sum *clock
			for l := scope; l >= reachWarp; l-- {
				k := &own.clock[d.availDim(available, c, said, l)]
				sum = d.space.join(*k, sum)
				*k = sum
			}
			k := &own.clock[d.availDim(visible, c, said, 0)]
			*k = d.space.join(*k, sum)
		}
	}
}

// inDomain reports whether a write of thread u has come to one of the domains
// of own's thread, from low up to high.
func (d *detector) inDomain(kind relation, own *threadClock, s *site, low, high reach, u, epoch uint32) bool {
	for l := low; l <= high; l++ {
		if d.covers(own.clock[d.availDim(kind, s.class, s.available, l)], u, epoch) {
			return true
		}
	}
	return false
}

// isVisible reports whether an access of site b sees a write of site a, or, if
// it is a write alone, comes after it.
func (d *detector) isVisible(own *threadClock, a, b *site, u, epoch uint32) bool {
	high := b.visible
	if !b.reads {
		high = reachGrid
	}
	return d.covers(own.clock[d.availDim(visible, a.class, a.available, 0)], u, epoch) || d.inDomain(ready, own, a, reachWarp, high, u, epoch)
}

// superseded reports whether whatever an access of a site may race with from
// now on races with thread v's access of a like site, which is about to happen.
func (d *detector) superseded(t *tile, p *entry, v uint32, s *site) bool {
	if !d.before(t, p.thread, p.epoch, v, s.class) {
		return false
	}
	if !d.avail || !s.writes {
		return true
	}
	own := &t.thread[v-t.first]
	for l := reachWarp; l <= max(s.available, reachWarp); l++ {
		if !d.inDomain(available, own, s, l, l, p.thread, p.epoch) {
			return false
		}
	}
	return true
}

// whyUnfenced tells the class of a race across a tile barrier.
func (d *detector) whyUnfenced(p *entry, t *tile, v uint32, c class) raceClass {
	if d.clocks && d.lenient {
		switch {
		case d.inClock(t, p, v, dimOf(anyScope, c)):
			return raceScope
		case d.inClock(t, p, v, dimOf(anyClass, c)):
			return raceFenceClass
		case d.inClock(t, p, v, dimOf(halfRelease, c)), d.inClock(t, p, v, dimOf(halfAcquire, c)):
			return raceHalfFenced
		}
	}
	return raceUnfenced
}

// whyUnordered tells what is missing from synchronization that would order
// two accesses; noRace if there is none at all.
func (d *detector) whyUnordered(p *entry, t *tile, v uint32, c class) raceClass {
	switch {
	case d.inClock(t, p, v, dimOf(anyScope, c)):
		return raceScope
	case d.inClock(t, p, v, dimOf(anyClass, c)):
		return raceFenceClass
	case d.inClock(t, p, v, dimOf(loose, c)):
		return raceScope
	case d.inClock(t, p, v, dimOf(freeAcquire, c)):
		return raceNoAcquire
	case d.inClock(t, p, v, dimOf(freeRelease, c)):
		return raceNoRelease
	}
	return noRace
}

// inClock reports whether dimension k orders p before what thread v does now.
func (d *detector) inClock(t *tile, p *entry, v uint32, k int) bool {
	return d.holds(t, p.thread) && p.epoch < t.like[k] || d.covers(t.thread[v-t.first].clock[k], p.thread, p.epoch)
}

// syncStep is a fence, barrier or atomic that a thread executed, the last time.
type syncStep struct {
	epoch     uint32
	scope     reach
	semantics uint32
	// An atomic releases if it writes, and acquires if it reads.
	writes, reads bool
}

// maxNoted is how many threads' synchronization is noted: findings are of the
// lowest.
const maxNoted = 1 << 16

// note keeps for reports what a thread did to synchronize.
func (d *detector) note(t *tile, v uint32, pc int32, step syncStep) {
	if !d.lenient || v >= maxNoted {
		return
	}
	if d.steps == nil {
		d.steps = map[uint32]map[int32]syncStep{}
	}
	if d.steps[v] == nil {
		d.steps[v] = map[int32]syncStep{}
	}
	step.epoch = t.now
	d.steps[v][pc] = step
}
