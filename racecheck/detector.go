package racecheck

import (
	"ampdbg/spirv"
	"ampdbg/warp"
)

// class is a storage class as memory semantics name it.
type class uint8

const (
	classUniform   class = iota // storage buffers, uniform and physical buffers
	classWorkgroup              // tile_static
	classImage
	numClasses
)

// bit is the class's bit in memory semantics.
func (c class) bit() uint32 {
	return [numClasses]uint32{
		uint32(spirv.MemorySemanticsUniformMemory), uint32(spirv.MemorySemanticsWorkgroupMemory), uint32(spirv.MemorySemanticsImageMemory),
	}[c]
}

// reach is a memory scope as a number that grows with the threads it includes.
type reach uint8

const (
	reachThread reach = iota
	reachWarp
	reachTile
	reachGrid
)

func (r reach) String() string { return [...]string{"thread", "warp", "tile", "device"}[r] }

func reachOf(s spirv.Scope) reach {
	switch s {
	case spirv.ScopeInvocation:
		return reachThread
	case spirv.ScopeSubgroup:
		return reachWarp
	case spirv.ScopeWorkgroup:
		return reachTile
	}
	return reachGrid
}

// site is an accessing instruction on one view: what every access there has in
// common.
type site struct {
	pc, view int32
	class    class
	reads    bool
	writes   bool
	atomic   bool
	private  bool  // the access promises nothing to other threads
	padding  bool  // the padding bytes of a struct that is stored or loaded whole
	binding  int32 // which variable leads to the memory
	scope    reach // of an atomic
	// How far a write makes itself available, and a read what it reads visible.
	available, visible reach
	size               int64 // of an atomic, in bytes
}

// detector finds data races. It knows nothing of kernels: it is fed the
// accesses, barriers, fences and atomics of a dispatch in the order in which
// they are executed.
type detector struct {
	sites   []site
	perTile uint32 // threads
	width   uint32 // threads of a warp
	pairs   pairs
	// clocks keeps a vector clock for each thread: the module has fences,
	// atomics that are not relaxed, or barriers that do not do all of it.
	clocks bool
	// lenient keeps the clocks that say why two accesses are not ordered too.
	lenient bool
	// avail follows availability and visibility; strict takes order for nothing
	// where they are missing.
	avail, strict bool
	space         clockSpace
	dims          []dimension
	availAt       int
	epochs        []uint32 // room for one of each thread of a tile
	steps         map[uint32]map[int32]syncStep
	lockstep      bool // threads of a warp are ordered by running in lockstep
	same          sameValue
	// special says that ordered accesses matter: see site.private, site.binding.
	private, aliases bool
	soft             [numRaces]bool // races of the class do not count as errors
	found            func(r *race)
}

// sameValue is what becomes of races in which the same value is written.
type sameValue uint8

const (
	sameReport    sameValue = iota // a class of its own
	sameUnchanged                  // a write that leaves memory as it was is no race (Direct3D's ALLOW_SAME)
	sameUniform                    // two stores of the same bytes are no race (Oclgrind)
)

// raceClass is the class of a race, from the one that explains most down.
type raceClass uint8

const (
	noRace raceClass = iota
	raceInterTile
	raceIntraTile
	raceScope
	raceFenceClass
	raceNoAcquire
	raceNoRelease
	raceUnavailable
	raceInvisible
	raceAtomicScope
	raceAtomicSize
	raceAtomicPlain
	raceUnfenced
	raceSameInstruction
	raceLockstep
	raceHalfFenced
	raceSameValue
	racePadding
	raceAliased
	racePrivate
	numRaces
)

// race is what the detector found: the second access is the one that is about
// to happen.
type race struct {
	class         raceClass
	first, second party
	mem           *shadow
	word          int64  // index of the word
	mask          uint8  // its bytes that both touch
	bytes         uint8  // its bytes that the second access races on with any
	epoch         uint32 // of the first access
	// fresh says that memory still holds what the first access read or wrote.
	fresh bool
	value uint32 // if not, the word as it was when that was so
	ins   *instr
	lane  int
}

// party is one side of a race.
type party struct {
	thread uint32
	site   uint16
}

// instr is one memory instruction of a warp.
type instr struct {
	tile   *tile
	first  uint32 // number of lane 0
	active warp.Mask
	off    []int64
	mem    []*shadow
	site   []uint16
	size   int64
	values values
	// inTurn says that the lanes access one after the other, as those of an image
	// instruction do: memory holds what earlier ones wrote.
	inTurn bool
}

// values looks at the bytes that an instruction is about to change.
type values interface {
	// written is the word at index i of the memory that lane is about to
	// access, as the lane will leave it; only the bytes it writes count.
	written(lane int, i int64) uint32
	// held is what memory holds there.
	held(lane int, i int64) uint32
}

// collides reports whether p is the access of an earlier lane of this very
// instruction to the given bytes of word i.
func (ins *instr) collides(p *entry, l int, i int64, mask uint8) bool {
	u := int(p.thread - ins.first)
	return u < l && ins.active.Has(u) && ins.site[u] == p.site && ins.mem[u] == ins.mem[l] &&
		byteMask(i, ins.off[u], ins.off[u]+ins.size)&mask != 0
}

// tile is the clock of one tile. It is made when the tile begins and never used
// again, so what is kept by its address cannot be taken for another tile's.
type tile struct {
	index  int
	first  uint32 // number of its first thread
	now    uint32
	any    uint32             // now after the last tile barrier, whatever it orders
	last   [numClasses]uint32 // now after the last one that orders the class
	like   [numLike]uint32    // likewise for the lenient clocks
	thread []threadClock      // with detector.clocks
	mems   []*shadow          // tile_static memories
	waits  []arrival          // at the tile barrier
}

// newTile makes the clock of a tile that has done nothing yet.
func (d *detector) newTile(index int, mems []*shadow) *tile {
	t := &tile{index: index, first: uint32(index) * d.perTile, now: 1, mems: mems}
	if d.clocks {
		t.thread = make([]threadClock, d.perTile)
		room := make([]*clock, int(d.perTile)*len(d.dims))
		for i := range t.thread {
			t.thread[i].clock = room[i*len(d.dims):][:len(d.dims):len(d.dims)]
		}
	}
	return t
}

// tick advances the tile's clock. It stays where it is when it has come to
// its end; the caller counts what it then cannot check.
func (t *tile) tick() {
	if t.now < maxEpoch {
		t.now++
	}
}

func (d *detector) holds(t *tile, thread uint32) bool { return thread-t.first < d.perTile }

// sameWarp reports whether two threads of one tile are of one warp.
func (d *detector) sameWarp(t *tile, a, b uint32) bool {
	return (a-t.first)/d.width == (b-t.first)/d.width
}

// before reports whether an access of thread u at epoch e happens before what
// thread v of t does now, in class c.
func (d *detector) before(t *tile, u, e, v uint32, c class) bool {
	if u == v {
		return true
	}
	if d.holds(t, u) && e < t.last[c] {
		return true
	}
	return d.clocks && d.covers(t.thread[v-t.first].clock[c], u, e)
}

// ordered reports whether an access of thread u, site a, at epoch e is ordered
// before what thread v of t does now at site b.
func (d *detector) ordered(t *tile, u, e uint32, a *site, v uint32, b *site) bool {
	if !d.avail || !a.writes || u == v {
		return d.before(t, u, e, v, b.class)
	}
	if d.holds(t, u) && e < t.last[b.class] || !d.strict && d.before(t, u, e, v, b.class) {
		return true
	}
	return d.isVisible(&t.thread[v-t.first], a, b, u, e)
}

// access checks the plain accesses of an instruction and remembers them: all
// reads of the lanes, or all writes, lane by lane.
func (d *detector) access(ins *instr) {
	for l := ins.active.First(); l >= 0; l = ins.active.Next(l) {
		d.lane(ins, l)
	}
}

// lane does one lane of a plain access.
func (d *detector) lane(ins *instr, l int) {
	mem, off := ins.mem[l], ins.off[l]
	end := off + ins.size
	for i := off >> 2; i <= (end-1)>>2; i++ {
		mask := byteMask(i, off, end)
		if mask != 0xf || mem.full || mem.words[i].w.kind() == recSide || d.sites[ins.site[l]].padding {
			d.sideAccess(ins, l, i, mask)
			continue
		}
		if d.sites[ins.site[l]].writes {
			d.write(ins, l, i)
		} else {
			d.read(ins, l, i)
		}
	}
}

// byteMask is the bytes of word i that lie in [off, end).
func byteMask(i, off, end int64) uint8 {
	if end <= 4*i || off >= 4*i+4 {
		return 0
	}
	m := uint8(0xf)
	if lead := off - 4*i; lead > 0 {
		m &= 0xf << lead
	}
	if rest := end - 4*i; rest < 4 {
		m &= 1<<rest - 1
	}
	return m
}

// read is a plain read of a whole word.
func (d *detector) read(ins *instr, l int, i int64) {
	t, me, s := ins.tile, ins.first+uint32(l), ins.site[l]
	mem := ins.mem[l]
	wd := &mem.words[i]
	c := d.sites[s].class
	if k := wd.w.kind(); k != recNone && !d.before(t, wd.w.thread(), wd.w.epoch(), me, c) {
		d.judge(&entry{thread: wd.w.thread(), epoch: wd.w.epoch(), site: wd.w.site(), kept: k == recKept, mask: 0xf, fresh: true}, ins, l, i, 0xf, false)
	}
	r := wd.r
	mine := makeRecord(recOne, me, t.now, s)
	switch r.kind() {
	case recNone:
		wd.r = mine
	case recOne:
		u := r.thread()
		if u == me || d.before(t, u, r.epoch(), me, c) {
			wd.r = mine
			return
		}
		kind := uint32(recGrid)
		switch {
		case d.clocks:
			d.sideAccess(ins, l, i, 0xf)
			return
		case !d.holds(t, u):
		case d.sameWarp(t, u, me):
			kind = recWarp
		default:
			kind = recTile
		}
		d.join(ins, l, i, kind, r.thread(), r.site())
	case recWarp, recTile:
		u := r.thread()
		switch {
		case !d.holds(t, u):
			d.join(ins, l, i, recGrid, u, d.pairs.list[r.site()].siteA)
		case r.epoch() < t.last[c]:
			wd.r = mine
		case r.kind() == recWarp && !d.sameWarp(t, u, me):
			d.join(ins, l, i, recTile, u, d.pairs.list[r.site()].siteA)
		}
	}
}

// join makes the readers of a word u and lane l.
func (d *detector) join(ins *instr, l int, i int64, kind, u uint32, site uint16) {
	me := ins.first + uint32(l)
	n, ok := d.pairs.number(pair{site, ins.site[l], int32(me) - int32(u)})
	if !ok {
		d.sideAccess(ins, l, i, 0xf)
		return
	}
	ins.mem[l].words[i].r = makeRecord(kind, u, ins.tile.now, n)
}

// readers lists the reads that a record stands for.
func (d *detector) readers(r record, out []entry) []entry {
	switch r.kind() {
	case recNone:
		return out
	case recOne:
		return append(out, entry{thread: r.thread(), epoch: r.epoch(), site: r.site(), mask: 0xf, fresh: true})
	}
	p := d.pairs.list[r.site()]
	return append(out,
		entry{thread: r.thread(), epoch: r.epoch(), site: p.siteA, mask: 0xf, fresh: true},
		entry{thread: uint32(int32(r.thread()) + p.delta), epoch: r.epoch(), site: p.siteB, mask: 0xf, fresh: true})
}

// write is a plain write of a whole word.
func (d *detector) write(ins *instr, l int, i int64) {
	t, me, s := ins.tile, ins.first+uint32(l), ins.site[l]
	mem := ins.mem[l]
	wd := &mem.words[i]
	c := d.sites[s].class
	keep := false // something that this write would hide must stay visible
	if k := wd.w.kind(); k != recNone && !d.before(t, wd.w.thread(), wd.w.epoch(), me, c) {
		cl := d.judge(&entry{thread: wd.w.thread(), epoch: wd.w.epoch(), site: wd.w.site(), kept: k == recKept, mask: 0xf, fresh: true}, ins, l, i, 0xf, false)
		keep = keep || d.keeps(cl, wd.w.thread(), me, t)
	}
	if wd.r != 0 {
		var buf [2]entry
		best, at := noRace, -1
		list := d.readers(wd.r, buf[:0])
		for k := range list {
			e := &list[k]
			if d.before(t, e.thread, e.epoch, me, c) {
				continue
			}
			cl := d.judge(e, ins, l, i, 0xf, true)
			keep = keep || d.keeps(cl, e.thread, me, t)
			if cl != noRace && (best == noRace || cl < best) {
				best, at = cl, k
			}
		}
		if at >= 0 {
			d.judge(&list[at], ins, l, i, 0xf, false)
		}
	}
	if keep {
		d.toSide(mem, i)
		d.sideKeep(ins, l, i)
		return
	}
	kind := uint32(recOne)
	if d.same == sameUnchanged && ins.values.written(l, i) == ins.values.held(l, i) {
		kind = recKept
	}
	if wd.w == 0 {
		mem.missing--
	}
	wd.w, wd.r = makeRecord(kind, me, t.now, s), 0
}

// keeps reports whether an access that a write did not come after must be
// remembered although the write is the latest: what was found of the two
// counts for less than what may come.
func (d *detector) keeps(c raceClass, u, me uint32, t *tile) bool {
	if c == noRace {
		return !(d.lockstep && d.holds(t, u) && d.sameWarp(t, u, me))
	}
	return d.soft[c]
}

// judge decides what an earlier access and lane l's access of word i are to
// each other, where no happens-before relates them, and reports a race unless
// quiet.
func (d *detector) judge(p *entry, ins *instr, l int, i int64, mask uint8, quiet bool) raceClass {
	c := d.classify(p, ins, l, i, mask&p.mask)
	if c != noRace && !quiet {
		d.found(&race{
			class: c, first: party{p.thread, p.site}, second: party{ins.first + uint32(l), ins.site[l]},
			mem: ins.mem[l], word: i, mask: mask & p.mask, bytes: mask & p.mask, epoch: p.epoch, fresh: p.fresh, value: p.value, ins: ins, lane: l,
		})
	}
	return c
}

// classify tells the class of a race between p and lane l, which are of
// different threads and not ordered.
func (d *detector) classify(p *entry, ins *instr, l int, i int64, mask uint8) raceClass {
	t, me := ins.tile, ins.first+uint32(l)
	a, b := &d.sites[p.site], &d.sites[ins.site[l]]
	if p.thread == me || mask == 0 || !a.writes && !b.writes {
		return noRace
	}
	inTile := d.holds(t, p.thread)
	inWarp := inTile && d.sameWarp(t, p.thread, me)
	collide := inWarp && ins.collides(p, l, i, mask)
	if inWarp && !collide && d.lockstep && !(a.atomic && p.site == ins.site[l]) {
		return noRace
	}
	if a.atomic && b.atomic {
		switch {
		case a.size != b.size || p.start != ins.off[l]:
			return raceAtomicSize
		case a.binding != b.binding:
			return raceAliased
		case includes(a.scope, inTile, inWarp) && includes(b.scope, inTile, inWarp):
			return noRace
		}
		return raceAtomicScope
	}
	plain := !a.atomic && !b.atomic
	if plain && b.writes && d.same == sameUnchanged && (d.unchanged(p, ins, l, i, mask, collide)) {
		return noRace
	}
	if plain && p.kept && !b.writes && d.same == sameUnchanged {
		return noRace
	}
	if a.padding || b.padding {
		return racePadding
	}
	if plain && a.writes && b.writes && d.unchanged(p, ins, l, i, mask, collide) {
		if d.same == sameUniform {
			return noRace
		}
		return raceSameValue
	}
	if inTile && p.epoch < t.any {
		return d.whyUnfenced(p, t, me, b.class)
	}
	if d.clocks && d.lenient {
		if c := d.whyUnordered(p, t, me, b.class); c != noRace {
			return c
		}
	}
	switch {
	case !plain:
		return raceAtomicPlain
	case !inTile:
		return raceInterTile
	case collide:
		return raceSameInstruction
	case inWarp:
		return raceLockstep
	}
	return raceIntraTile
}

// unchanged reports whether lane l is about to write what is there already:
// what memory holds, or what the other lane of the same instruction writes.
func (d *detector) unchanged(p *entry, ins *instr, l int, i int64, mask uint8, collide bool) bool {
	was := uint32(0)
	if collide && !ins.inTurn && d.sites[p.site].writes {
		was = ins.values.written(int(p.thread-ins.first), i)
	} else {
		was = ins.values.held(l, i)
	}
	return (was^ins.values.written(l, i))&spread(mask) == 0
}

// spread makes a mask of bytes one of bits.
func spread(mask uint8) uint32 {
	var m uint32
	for k := range 4 {
		if mask>>k&1 != 0 {
			m |= 0xff << (8 * k)
		}
	}
	return m
}

// includes reports whether a scope includes a thread of the same tile, or
// warp, or neither.
func includes(r reach, inTile, inWarp bool) bool {
	switch r {
	case reachThread:
		return false
	case reachWarp:
		return inWarp
	case reachTile:
		return inTile
	}
	return true
}

// barrier completes a tile barrier that all threads of t have come to, with
// the given semantics (see arrive).
func (d *detector) barrier(t *tile) {
	all := d.orders(t)
	if d.clocks {
		d.meet(t)
	}
	t.tick()
	t.any = t.now
	for c := range numClasses {
		if all&c.bit() != 0 {
			t.last[c] = t.now
		}
	}
	t.waits = t.waits[:0]
}

// orders is the classes that the barrier orders that the tile waits at.
func (d *detector) orders(t *tile) uint32 {
	if len(t.waits) == 0 {
		return 0
	}
	all := ^uint32(0)
	for i := range t.waits {
		all &= t.waits[i].orders(d.strict)
	}
	return all
}

// arrival is one barrier instruction that threads of a tile wait at.
type arrival struct {
	lanes     []uint32 // thread numbers; only with clocks
	scope     reach
	semantics uint32
	pc        int32
}

// orders is the classes that the barrier orders by itself; if strict, those in
// which it makes writes available and visible too.
func (a *arrival) orders(strict bool) uint32 {
	const both = uint32(spirv.MemorySemanticsMakeAvailable | spirv.MemorySemanticsMakeVisible)
	if a.scope < reachTile || !acquires(a.semantics) || !releases(a.semantics) || strict && a.semantics&both != both {
		return 0
	}
	return a.semantics
}

func acquires(semantics uint32) bool {
	return semantics&uint32(spirv.MemorySemanticsAcquire|spirv.MemorySemanticsAcquireRelease|spirv.MemorySemanticsSequentiallyConsistent) != 0
}

func releases(semantics uint32) bool {
	return semantics&uint32(spirv.MemorySemanticsRelease|spirv.MemorySemanticsAcquireRelease|spirv.MemorySemanticsSequentiallyConsistent) != 0
}

// classBits is the classes of memory semantics.
func classBits(semantics uint32) uint32 {
	return semantics & (classUniform.bit() | classWorkgroup.bit() | classImage.bit())
}

// arrive notes that threads wait at a tile barrier.
func (d *detector) arrive(t *tile, lanes []uint32, scope reach, semantics uint32, pc int32) {
	a := arrival{scope: scope, semantics: semantics, pc: pc}
	if d.clocks {
		a.lanes = append([]uint32(nil), lanes...)
	}
	t.waits = append(t.waits, a)
}
