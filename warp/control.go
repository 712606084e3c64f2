package warp

import (
	"unsafe"

	"ampdbg/program"
)

// quiet reports whether the running lanes are the only ones that can run in
// c.
func (c *construct) quiet() bool {
	return len(c.pending) == 0 && c.cont[0]|c.cont[1]|c.head[0]|c.head[1] == 0
}

// diverge splits the active lanes: those of taken go to op.X, the others to
// op.Y. It returns the pc to go on at.
func (w *Warp) diverge(op *program.Op, taken Mask) int {
	if taken == w.active {
		return int(op.X)
	}
	if taken.IsZero() {
		return int(op.Y)
	}
	other := w.active.AndNot(taken)
	c := &w.stack[len(w.stack)-1]
	switch op.Flag {
	case program.TrueIsMerge:
		c.merge = c.merge.Or(taken)
		w.setActive(other)
		return int(op.Y)
	case program.FalseIsMerge:
		c.merge = c.merge.Or(other)
	default:
		c.pending = append(c.pending, group{pc: op.Y, entry: c.entry, mask: other})
	}
	w.setActive(taken)
	return int(op.X)
}

// taken are the active lanes for which the condition of a branch holds.
func (w *Warp) taken(op *program.Op) Mask {
	base := unsafe.Pointer(unsafe.SliceData(w.R))
	var m Mask
	for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
		a, b := four(base, op.A+i), four(base, op.B+i)
		var x uint64
		switch op.Code {
		case program.BranchIf:
			x = a[0] | a[1]<<1 | a[2]<<2 | a[3]<<3
		case program.BranchULt:
			x = bit(a[0] < b[0]) | bit(a[1] < b[1])<<1 | bit(a[2] < b[2])<<2 | bit(a[3] < b[3])<<3
		case program.BranchULe:
			x = bit(a[0] <= b[0]) | bit(a[1] <= b[1])<<1 | bit(a[2] <= b[2])<<2 | bit(a[3] <= b[3])<<3
		case program.BranchSLt:
			x = bit(int32(a[0]) < int32(b[0])) | bit(int32(a[1]) < int32(b[1]))<<1 | bit(int32(a[2]) < int32(b[2]))<<2 | bit(int32(a[3]) < int32(b[3]))<<3
		case program.BranchSLe:
			x = bit(int32(a[0]) <= int32(b[0])) | bit(int32(a[1]) <= int32(b[1]))<<1 | bit(int32(a[2]) <= int32(b[2]))<<2 | bit(int32(a[3]) <= int32(b[3]))<<3
		case program.BranchEq:
			x = bit(a[0] == b[0]) | bit(a[1] == b[1])<<1 | bit(a[2] == b[2])<<2 | bit(a[3] == b[3])<<3
		case program.BranchNe:
			x = bit(a[0] != b[0]) | bit(a[1] != b[1])<<1 | bit(a[2] != b[2])<<2 | bit(a[3] != b[3])<<3
		}
		m[i>>6&1] |= x << (i & 63)
	}
	return Mask{m[0] & w.active[0], m[1] & w.active[1]}
}

// branch does a branch on a condition and returns the pc to go on at.
func (w *Warp) branch(op *program.Op) int {
	w.Steps += uint64(op.Imm) * w.nact
	switch m := w.taken(op); m {
	case w.active:
		return int(op.X)
	case Mask{}:
		return int(op.Y)
	default:
		return w.diverge(op, m)
	}
}

// exitMerge makes the active lanes leave for a construct's merge point. It returns
// the pc to go on at, -1 when no lane can run.
func (w *Warp) exitMerge(op *program.Op) int {
	w.Steps += uint64(op.Imm) * w.nact
	s := &w.stack[len(w.stack)-1-int(op.X)]
	m := w.active.Or(s.merge)
	if op.X == 0 && s.quiet() {
		w.stack = w.stack[:len(w.stack)-1]
		if m != w.active {
			w.setActive(m)
		}
		return int(op.Y)
	}
	s.merge = m
	return w.next()
}

// exitCont makes them leave for its continue target likewise.
func (w *Warp) exitCont(op *program.Op) int {
	w.Steps += uint64(op.Imm) * w.nact
	s := &w.stack[len(w.stack)-1-int(op.X)]
	if op.X == 0 && len(s.pending) == 0 {
		if m := w.active.Or(s.cont); m != w.active {
			s.cont = Mask{}
			w.setActive(m)
		}
		return int(op.Y)
	}
	s.cont = s.cont.Or(w.active)
	return w.next()
}

// switchOn sends each active lane to its target and returns the pc of the
// first group, in the order of the lowest lanes.
func (w *Warp) switchOn(op *program.Op) int {
	info := &w.P.Switches[op.X]
	c := &w.stack[len(w.stack)-1]
	first := len(c.pending)
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		v := w.R[int(op.A)+l] & info.Mask
		k := len(info.Values)
		for i, x := range info.Values {
			if x == v {
				k = i
				break
			}
		}
		entry := info.Entry[k]
		found := false
		for i := first; i < len(c.pending); i++ {
			if c.pending[i].entry == entry {
				c.pending[i].mask.Set(l)
				found = true
				break
			}
		}
		if !found {
			g := group{pc: info.Targets[k], entry: entry}
			g.mask.Set(l)
			c.pending = append(c.pending, g)
		}
	}
	g := c.pending[first]
	c.pending = append(c.pending[:first], c.pending[first+1:]...)
	c.entry = g.entry
	w.setActive(g.mask)
	return int(g.pc)
}

// next picks the lanes to run after the active ones have all left for
// somewhere, and returns their pc. It returns -1 when no lane can run, with
// the status set to Blocked or Finished.
func (w *Warp) next() int {
	w.active = Mask{}
	for {
		c := &w.stack[len(w.stack)-1]
		if i := c.runnable(); i >= 0 {
			g := c.pending[i]
			c.pending = append(c.pending[:i], c.pending[i+1:]...)
			c.entry = g.entry
			if g.seg != nil {
				w.stack = append(w.stack, g.seg...)
				continue
			}
			w.setActive(g.mask)
			return int(g.pc)
		}
		if len(c.pending) > 0 {
			if !w.setAside() {
				w.setActive(Mask{})
				w.status = Blocked
				return -1
			}
			continue
		}
		info := &w.P.Constructs[c.info]
		if info.Kind == program.LoopConstruct {
			if !c.cont.IsZero() {
				m := c.cont
				c.cont = Mask{}
				w.setActive(m)
				return int(info.Cont)
			}
			if !c.head.IsZero() {
				m := c.head
				c.head = Mask{}
				c.iter++
				w.setActive(m)
				return int(info.Header)
			}
		}
		m := c.merge
		if len(w.stack) == 1 {
			w.setActive(Mask{})
			w.status = Finished
			return -1
		}
		w.stack = w.stack[:len(w.stack)-1]
		if !m.IsZero() {
			w.setActive(m)
			return int(info.Merge)
		}
	}
}

// runnable is the index of the last pending group that is not blocked, -1 if
// there is none.
func (c *construct) runnable() int {
	for i := len(c.pending) - 1; i >= 0; i-- {
		if !c.pending[i].blocked {
			return i
		}
	}
	return -1
}

// setAside moves the innermost constructs, whose lanes are all blocked, into
// a pending group of the nearest construct further out that has lanes to run.
// It reports whether there is one.
func (w *Warp) setAside() bool {
	for d := len(w.stack) - 2; d >= 0; d-- {
		c := &w.stack[d]
		if c.runnable() < 0 {
			continue
		}
		g := group{pc: -1, entry: c.entry, blocked: true, seg: cloneStack(w.stack[d+1:])}
		for i := range g.seg {
			g.mask = g.mask.Or(g.seg[i].lanes())
		}
		c.pending = append(c.pending, g)
		w.stack = w.stack[:d+1]
		return true
	}
	return false
}

// lanes are the lanes that wait in c itself.
func (c *construct) lanes() Mask {
	m := c.merge.Or(c.cont).Or(c.head)
	for i := range c.pending {
		m = m.Or(c.pending[i].mask)
	}
	return m
}

func cloneStack(s []construct) []construct {
	out := make([]construct, len(s))
	for i, c := range s {
		out[i] = c
		out[i].pending = make([]group, len(c.pending))
		for j, g := range c.pending {
			if g.seg != nil {
				g.seg = cloneStack(g.seg)
			}
			out[i].pending[j] = g
		}
	}
	return out
}

// arrive makes the active lanes wait at the tile barrier at pc, and returns
// the pc of other lanes that can run, or -1.
func (w *Warp) arrive(pc int) int {
	if len(w.arrivals) == cap(w.arrivals) {
		w.arrivals = append(w.arrivals, Arrival{})
	} else {
		w.arrivals = w.arrivals[:len(w.arrivals)+1]
	}
	a := &w.arrivals[len(w.arrivals)-1]
	a.PC, a.Mask, a.Key, a.Path = pc, w.active, w.pathKey(), nil
	if w.active == w.live {
		w.PC = pc + 1
		w.status = Blocked
		return -1
	}
	a.Path = w.Path() // the whole warp's is its stack's
	c := &w.stack[len(w.stack)-1]
	c.pending = append(c.pending, group{pc: int32(pc + 1), entry: c.entry, mask: w.active, blocked: true})
	return w.next()
}

// Release lets the lanes that wait at barriers go on.
func (w *Warp) Release() {
	if w.status != Blocked {
		return
	}
	w.arrivals = w.arrivals[:0]
	w.status = Runnable
	if !w.active.IsZero() {
		return
	}
	unblock(w.stack)
	if pc := w.next(); pc >= 0 {
		w.PC = pc
	}
}

func unblock(s []construct) {
	for i := range s {
		for j := range s[i].pending {
			g := &s[i].pending[j]
			g.blocked = false
			unblock(g.seg)
		}
	}
}

// Path is the dynamic instance that the active lanes execute in: the open
// constructs from the outermost in.
func (w *Warp) Path() []PathStep {
	p := make([]PathStep, len(w.stack))
	for i := range w.stack {
		p[i] = PathStep{w.stack[i].info, w.stack[i].iter, w.stack[i].entry}
	}
	return p
}

// pathKey is a hash of Path.
func (w *Warp) pathKey() uint64 {
	h := uint64(14695981039346656037)
	for i := range w.stack {
		c := &w.stack[i]
		h = (h ^ (uint64(c.info)<<32 | uint64(c.iter))) * 1099511628211
		h ^= h >> 29
		if c.entry >= 0 {
			h = (h ^ (1<<63 | uint64(c.entry))) * 1099511628211
			h ^= h >> 29
		}
	}
	return h
}

// LaneState says what a lane is doing.
type LaneState uint8

// The lane states.
const (
	LaneActive     LaneState = iota // executes the operation at PC
	LanePending                     // waits for its turn to run at PC
	LaneAtBarrier                   // waits at a tile barrier; PC is the operation after it
	LaneAtMerge                     // waits to reconverge at PC, a merge point
	LaneAtContinue                  // waits to reconverge at PC, a continue target
	LaneAtHeader                    // waits for the next iteration at PC, a loop header
	LaneExited                      // has returned from the kernel
	LaneAbsent                      // does not exist: the tile is not a multiple of the warp width
)

// LanePlace is a lane's state and where it is.
type LanePlace struct {
	State LaneState
	PC    int // -1 for LaneExited and LaneAbsent
	// Construct is the one at whose merge point, continue target or header the
	// lane waits (an index into Program.Constructs), -1 if it waits at none.
	Construct int
}

// Places says where each lane is. The result has Program.Width elements.
func (w *Warp) Places() []LanePlace {
	out := make([]LanePlace, w.P.Width)
	for l := range out {
		switch {
		case l >= w.Lanes:
			out[l] = LanePlace{LaneAbsent, -1, -1}
		case !w.live.Has(l):
			out[l] = LanePlace{LaneExited, -1, -1}
		case w.active.Has(l):
			out[l] = LanePlace{LaneActive, w.PC, -1}
			if w.status == Blocked {
				out[l].State = LaneAtBarrier
			}
		}
	}
	w.places(w.stack, out)
	return out
}

func (w *Warp) places(s []construct, out []LanePlace) {
	set := func(m Mask, p LanePlace) {
		for l := m.First(); l >= 0; l = m.Next(l) {
			out[l] = p
		}
	}
	for i := range s {
		c := &s[i]
		info := &w.P.Constructs[c.info]
		set(c.merge, LanePlace{LaneAtMerge, int(info.Merge), int(c.info)})
		set(c.cont, LanePlace{LaneAtContinue, int(info.Cont), int(c.info)})
		set(c.head, LanePlace{LaneAtHeader, int(info.Header), int(c.info)})
		for _, g := range c.pending {
			switch {
			case g.seg != nil:
				w.places(g.seg, out)
			case g.blocked:
				set(g.mask, LanePlace{LaneAtBarrier, int(g.pc), -1})
			default:
				set(g.mask, LanePlace{LanePending, int(g.pc), -1})
			}
		}
	}
}

// Instance is the dynamic instance of the i-th arrival.
func (w *Warp) Instance(i int) []PathStep {
	if p := w.arrivals[i].Path; p != nil {
		return p
	}
	return w.Path()
}

// Snapshot is a warp's state, to compare it with later.
type Snapshot struct {
	pc     int
	r      []uint64
	active Mask
	live   Mask
	stack  []construct
}

// Snapshot copies the warp's state.
func (w *Warp) Snapshot() *Snapshot {
	return &Snapshot{pc: w.PC, r: append([]uint64{}, w.R...), active: w.active, live: w.live, stack: cloneStack(w.stack)}
}

// Same reports whether the warp is in the state of s, iteration counts left
// out: if memory has not changed either, it will do again what it did since.
func (w *Warp) Same(s *Snapshot) bool {
	if w.PC != s.pc || w.active != s.active || w.live != s.live || !sameStack(w.stack, s.stack) {
		return false
	}
	scratch := int(w.P.Scratch)
	for i, v := range w.R[:scratch] {
		if v != s.r[i] {
			return false
		}
	}
	return true
}

func sameStack(a, b []construct) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := &a[i], &b[i]
		if x.info != y.info || x.entry != y.entry || x.merge != y.merge || x.cont != y.cont || x.head != y.head || len(x.pending) != len(y.pending) {
			return false
		}
		for j := range x.pending {
			g, h := &x.pending[j], &y.pending[j]
			if g.pc != h.pc || g.entry != h.entry || g.mask != h.mask || g.blocked != h.blocked || !sameStack(g.seg, h.seg) {
				return false
			}
		}
	}
	return true
}
