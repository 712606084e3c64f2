package racecheck

import (
	"math/bits"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// observer feeds the detector what the warps of one dispatch do.
type observer struct {
	m    *emu.Machine
	opt  *Options
	d    *detector
	mems []*shadow // by Memory.ID; nil for tile_static and for what is not checked
	// sites numbers the (operation, view, variant) that occur; byPC finds it
	// for operations that lead to one view only.
	sites map[siteKey]uint16
	byPC  []uint16    // site + 1, 0 if not known
	spare [][]*shadow // tile_static memories of tiles that have ended
	given []bool      // by Memory.ID: tile_static memory that has contents from the start
	// quicks is by pc, for operations in byPC.
	quicks []quickAccess
	ins    instr
	texel  texelWrite
	seen   map[raceKey]*sighting
	tiles  emu.PerTile[*tile]
	// stop makes the machine halt at the first race that counts.
	stop, stopped bool
	latest        diag.Finding // that race
	whole         bool         // the rest of an access is looked at after a race, too
	lenient       bool         // see detector.lenient

	checked uint64
	missed  missed
	pads    map[int][]span // by pc, see padsOf
	// unwritten says that tile_static memory was read that no one had written.
	unwritten bool
}

// missed counts accesses that are not checked.
type missed struct{ threads, epochs, sites uint64 }

type siteKey struct {
	pc, view int32
	variant  uint8
}

// The variants of an instruction.
const (
	usual    = iota
	unequal  // a compare-exchange that does not store
	paddings // the padding of a struct
)

// forget drops all that is known of a dispatch.
func (o *observer) forget() {
	*o = observer{opt: o.opt, stop: o.stop, whole: o.whole, lenient: o.lenient}
}

// begin prepares for a dispatch.
func (o *observer) begin(m *emu.Machine) {
	o.m = m
	o.start(m, m.MemoryOf, o.Wants)
}

// start is begin, told which memory is behind a view and which is watched.
func (o *observer) start(m *emu.Machine, memoryOf func(view int) *tilemem.Memory, wants func(*tilemem.Memory) bool) {
	p := m.Program
	size := p.TileSize[0] * p.TileSize[1] * p.TileSize[2]
	*o = observer{
		m: m, opt: o.opt, stop: o.stop, whole: o.whole, lenient: o.lenient,
		d: &detector{
			perTile: size, width: uint32(p.Width), lockstep: o.opt.AssumeLockstep, same: sameValue(o.opt.SameValue),
			lenient: o.lenient,
		},
		mems: make([]*shadow, len(m.Memories)), given: make([]bool, len(m.Memories)), sites: map[siteKey]uint16{}, byPC: make([]uint16, len(p.Code)), quicks: make([]quickAccess, len(p.Code)),
		seen: map[raceKey]*sighting{},
	}
	o.d.found = o.found
	if m.Unit.Memory == spirv.MemoryModelVulkan {
		o.d.strict = o.opt.Strict
		o.d.avail = o.d.strict || mixesClasses(p)
	}
	o.d.clocks = needsClocks(p, o.d.strict)
	o.d.avail = o.d.avail && o.d.clocks
	g := m.Dispatch.Groups
	o.d.startClocks(uint64(g[0]) * uint64(g[1]) * uint64(g[2]))
	for c := raceClass(1); c < numRaces; c++ {
		o.d.soft[c] = o.opt.SeverityOf(diag.Race, c.String()) != diag.SeverityError
	}
	o.d.private = o.opt.SeverityOf(diag.Race, diag.RacePrivate) < diag.SeverityOff && o.privateCounts()
	o.d.aliases = o.opt.SeverityOf(diag.Race, diag.RaceAliasedBinding) < diag.SeverityOff
	o.ins = instr{
		off: make([]int64, p.Stride), mem: make([]*shadow, p.Stride), site: make([]uint16, p.Stride),
	}
	bindings := make([]map[spirv.ID]bool, len(m.Memories))
	for v := range m.Views {
		if mem := memoryOf(v); mem != nil {
			if x := m.Unit.Var(m.Views[v].Var); x != nil && x.Init != 0 {
				o.given[mem.ID] = true
			}
			if bindings[mem.ID] == nil {
				bindings[mem.ID] = map[spirv.ID]bool{}
			}
			bindings[mem.ID][m.Views[v].Var] = true
		}
	}
	for id, mem := range m.Memories {
		if wants(mem) && mem.Space != tilemem.TileStatic {
			o.mems[id] = newShadow(id, mem.Size, false, o.d.private || o.d.avail || o.d.aliases && len(bindings[id]) > 1)
		}
	}
}

// Wants implements emu.Wants: accesses need not be shown where no
// instruction of the module can write, but for tile_static memory, of which
// nobody should read what nobody writes.
func (o *observer) Wants(mem *tilemem.Memory) bool {
	return mem.Space == tilemem.TileStatic || mem.Space != tilemem.PushConstant && o.m.Written(mem)
}

// needsClocks reports whether barriers and relaxed atomics are not all that
// orders the threads of a program; if strict, a barrier that does not make
// writes available and visible does not do it all either.
func needsClocks(p *program.Program, strict bool) bool {
	for i := range p.Code {
		op := &p.Code[i]
		s, ok := op.Sync()
		if sem := s.Semantics; !ok || !acquires(sem) && !releases(sem) || classBits(sem) == 0 {
			continue
		}
		by := arrival{scope: reachOf(s.Memory), semantics: s.Semantics}
		if op.Code == program.Fence || by.orders(strict) == 0 || reachOf(s.Execution) < reachTile {
			return true
		}
	}
	for i := range p.Atomics {
		if syncs(&p.Atomics[i]) {
			return true
		}
	}
	for i := range p.ImageOps {
		if a := p.ImageOps[i].Atomic; a != nil && syncs(a) {
			return true
		}
	}
	return false
}

// mixesClasses reports whether a program synchronizes for one class of memory
// here and for others there.
func mixesClasses(p *program.Program) bool {
	classes := uint32(0)
	mixed := false
	see := func(sem uint32) {
		if !acquires(sem) && !releases(sem) || classBits(sem) == 0 {
			return
		}
		mixed = mixed || classes != 0 && classBits(sem) != classes
		classes |= classBits(sem)
	}
	for i := range p.Code {
		if s, ok := p.Code[i].Sync(); ok {
			see(s.Semantics)
		}
	}
	for i := range p.Atomics {
		see(p.Atomics[i].Semantics)
	}
	for i := range p.ImageOps {
		if a := p.ImageOps[i].Atomic; a != nil {
			see(a.Semantics)
		}
	}
	return mixed
}

func syncs(a *program.AtomicInfo) bool {
	for _, sem := range [2]uint32{a.Semantics, a.Unequal} {
		if (acquires(sem) || releases(sem)) && classBits(sem) != 0 {
			return true
		}
	}
	return false
}

// TileBegin implements emu.TileObserver.
func (o *observer) TileBegin(t *warp.Tile) {
	mems := make([]*shadow, len(o.m.Memories))
	if n := len(o.spare); n > 0 {
		for id, s := range o.spare[n-1] {
			if s != nil {
				mems[id] = s.anew()
			}
		}
		o.spare = o.spare[:n-1]
	} else {
		for id, mem := range o.m.Memories {
			if mem.Space == tilemem.TileStatic {
				mems[id] = newShadow(id, mem.Size, true, o.d.private || o.d.avail)
				mems[id].given = o.given[id]
			}
		}
	}
	c := o.d.newTile(t.Index, mems)
	for _, s := range mems {
		if s != nil {
			s.log.Open = false
			s.log.Reset()
		}
	}
	o.tiles.Begin(t, c)
}

// TileEnd implements emu.TileObserver.
func (o *observer) TileEnd(t *warp.Tile) {
	c := o.tiles.Of(t)
	o.turnPage(t, c, true)
	o.spare = append(o.spare, c.mems)
	o.tiles.End(t)
}

func (o *observer) threads(w *warp.Warp, m warp.Mask) []uint32 {
	var out []uint32
	first := o.firstThread(w)
	for l := m.First(); l >= 0; l = m.Next(l) {
		out = append(out, first+uint32(l))
	}
	return out
}

func (o *observer) firstThread(w *warp.Warp) uint32 {
	return uint32(w.T.Index)*o.d.perTile + uint32(w.Index)*o.d.width
}

// Fence implements warp.FenceObserver.
func (o *observer) Fence(w *warp.Warp, pc int) {
	o.fence(w, w.Active(), pc)
}

// fence is Fence for the given lanes.
func (o *observer) fence(w *warp.Warp, lanes warp.Mask, pc int) {
	if op := &o.m.Program.Code[pc]; o.d.clocks {
		o.d.fence(o.tiles.Of(w.T), o.threads(w, lanes), reachOf(spirv.Scope(op.C)), uint32(op.Y), int32(pc))
	}
}

// Barrier implements warp.BarrierObserver.
func (o *observer) Barrier(w *warp.Warp, pc int) { o.barrier(w, w.Active(), pc) }

// barrier is Barrier for the given lanes.
func (o *observer) barrier(w *warp.Warp, active warp.Mask, pc int) {
	op := &o.m.Program.Code[pc]
	t := o.tiles.Of(w.T)
	scope, sem := reachOf(spirv.Scope(op.C)), uint32(op.Y)
	if reachOf(spirv.Scope(op.X)) >= reachTile {
		var lanes []uint32
		if o.d.clocks {
			lanes = o.threads(w, active)
		}
		o.d.arrive(t, lanes, scope, sem, int32(pc))
		return
	}
	if o.d.clocks {
		o.d.warpBarrier(t, o.threads(w, active), scope, sem, int32(pc))
	}
}

// Released implements emu.ReleaseObserver.
func (o *observer) Released(t *warp.Tile) {
	c := o.tiles.Of(t)
	o.turnPage(t, c, o.d.orders(c)&classWorkgroup.bit() != 0)
	o.d.barrier(c)
	o.openLogs(c)
}

// Access implements warp.MemoryObserver.
func (o *observer) Access(w *warp.Warp, a *warp.Access) {
	t := o.tiles.Of(w.T)
	n := uint64(bits.OnesCount64(a.Mask[0]))
	if a.Mask[1] != 0 {
		n += uint64(bits.OnesCount64(a.Mask[1]))
	}
	o.checked += n
	if t.now >= maxEpoch || (uint64(t.index)+1)*uint64(o.d.perTile) > maxThreads {
		o.checked -= n
		if t.now >= maxEpoch {
			o.missed.epochs += n
		} else {
			o.missed.threads += n
		}
		return
	}
	if s := o.byPC[a.PC]; s != 0 && a.Size == 4 && o.quick(w, a, t, s-1) {
		return
	}
	o.slow(w, a, t, a.Mask)
}
