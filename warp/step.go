package warp

import (
	"encoding/binary"
	"hash"
)

// What a debugger needs of a warp beyond running it: code with Breaks in it,
// copies of its whole state, and lanes held back.

// SetCode makes w execute c, code of its program, until the next Reset.
func (w *Warp) SetCode(c Code) { w.code = c }

// Run executes operations; see Code.
func (w *Warp) Run(limit uint64) Status { return w.code.Run(w, limit) }

// Assign changes one lane of the row at element offset row.
func (w *Warp) Assign(row uint32, lane int, bits uint64) {
	w.R[int(row)+lane] = bits
	w.ragged = true
}

// halted ends an instruction that has been executed, as Tile.Halt asks.
func (w *Warp) halted(s Status) Status {
	if s == Runnable && w.T.Halt {
		w.PC++
		return AtBreak
	}
	return s
}

// Saved is a copy of a warp's state, to go back to.
type Saved struct {
	r        []uint64
	pc       int
	fault    *Fault
	steps    uint64
	status   Status
	active   Mask
	live     Mask
	frozen   Mask
	ragged   bool
	stack    []construct
	count    int
	arrivals []Arrival
	exits    []int32
}

// Save copies the warp's state.
func (w *Warp) Save() *Saved {
	return &Saved{
		r: append([]uint64(nil), w.R[:w.P.Scratch]...), pc: w.PC, fault: w.Fault, steps: w.Steps, status: w.status,
		active: w.active, live: w.live, frozen: w.frozen, ragged: w.ragged, stack: cloneStack(w.stack), count: w.Countdown,
		arrivals: append([]Arrival(nil), w.arrivals...), exits: append([]int32(nil), w.exits...),
	}
}

// Size is about how many bytes s takes.
func (s *Saved) Size() int { return 8*len(s.r) + 4*len(s.exits) + 128*len(s.stack) + 256 }

// Restore makes w, a warp of the same program at the same place of a tile,
// what it was when s was saved.
func (w *Warp) Restore(s *Saved) {
	copy(w.R, s.r)
	w.PC, w.Fault, w.Steps, w.status, w.Countdown = s.pc, s.fault, s.steps, s.status, s.count
	w.live, w.frozen = s.live, s.frozen
	w.ragged = s.ragged
	w.setActive(s.active)
	w.stack = cloneStack(s.stack)
	w.arrivals = append(w.arrivals[:0], s.arrivals...)
	copy(w.exits, s.exits)
}

// HashInto writes all of the warp's state that bears on what it will do, or
// that can be looked at, to h.
func (w *Warp) HashInto(h hash.Hash) {
	var b []byte
	word := func(v ...uint64) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
	}
	mask := func(m Mask) { word(m[0], m[1]) }
	word(w.R[:w.P.Scratch]...)
	if !w.active.IsZero() {
		word(uint64(w.PC)) // without lanes to run, it means nothing
	}
	word(w.Steps, uint64(w.status))
	mask(w.active)
	mask(w.live)
	mask(w.frozen)
	for _, e := range w.exits {
		word(uint64(e))
	}
	for _, a := range w.arrivals {
		word(uint64(a.PC), a.Key)
		mask(a.Mask)
	}
	var stack func(s []construct)
	stack = func(s []construct) {
		word(uint64(len(s)))
		for i := range s {
			c := &s[i]
			word(uint64(c.info), uint64(c.iter), uint64(c.entry), uint64(len(c.pending)))
			mask(c.merge)
			mask(c.cont)
			mask(c.head)
			for _, g := range c.pending {
				word(uint64(g.pc), uint64(g.entry), bit(g.blocked))
				mask(g.mask)
				stack(g.seg)
			}
		}
	}
	stack(w.stack)
	h.Write(b)
}

// Frozen is the set of lanes that Freeze holds back.
func (w *Warp) Frozen() Mask { return w.frozen }

// CanFreeze is the set of lanes that Freeze can hold back: those that execute
// or wait for their turn to. A lane that waits to reconverge, or at a barrier,
// goes where it goes with others.
func (w *Warp) CanFreeze() Mask {
	var m Mask
	if w.status != Blocked {
		m = w.active
	}
	c := &w.stack[len(w.stack)-1]
	for i := range c.pending {
		if g := &c.pending[i]; !g.blocked && g.seg == nil {
			m = m.Or(g.mask)
		}
	}
	return m.AndNot(w.frozen)
}

// Freeze holds lanes of CanFreeze back where they are, out of lockstep: the
// others go on, as far as they do not have to reconverge with them. Lanes
// that are thawed run by themselves until the innermost construct that they
// are in ends.
func (w *Warp) Freeze(m Mask) {
	m = m.And(w.CanFreeze())
	if m.IsZero() {
		return
	}
	w.frozen = w.frozen.Or(m)
	c := &w.stack[len(w.stack)-1]
	for i := 0; i < len(c.pending); i++ {
		g := c.pending[i]
		if both := g.mask.And(m); !g.blocked && g.seg == nil && !both.IsZero() {
			c.pending[i].mask = g.mask.AndNot(both)
			if c.pending[i].mask.IsZero() {
				c.pending = append(c.pending[:i], c.pending[i+1:]...)
				i--
			}
			c.pending = append(c.pending, group{pc: g.pc, entry: g.entry, mask: both, blocked: true})
		}
	}
	if both := w.active.And(m); !both.IsZero() {
		c.pending = append(c.pending, group{pc: int32(w.PC), entry: c.entry, mask: both, blocked: true})
		w.setActive(w.active.AndNot(both))
		if w.active.IsZero() {
			if pc := w.next(); pc >= 0 {
				w.PC = pc
			}
		}
	}
}

// Thaw lets frozen lanes go on.
func (w *Warp) Thaw(m Mask) {
	m = m.And(w.frozen)
	if m.IsZero() {
		return
	}
	w.frozen = w.frozen.AndNot(m)
	thaw(w.stack, m)
	if w.status != Blocked || !w.active.IsZero() {
		return
	}
	w.status = Runnable
	if pc := w.next(); pc >= 0 {
		w.PC = pc
	}
}

// thaw unblocks the groups of the lanes m, and the constructs set aside that
// they are in.
func thaw(s []construct, m Mask) {
	for i := range s {
		for j := len(s[i].pending) - 1; j >= 0; j-- {
			g := &s[i].pending[j]
			both := g.mask.And(m)
			if both.IsZero() {
				continue
			}
			g.blocked = false
			if g.seg != nil {
				thaw(g.seg, m)
			} else if rest := g.mask.AndNot(both); !rest.IsZero() {
				g.mask = both
				s[i].pending = append(s[i].pending, group{pc: g.pc, entry: g.entry, mask: rest, blocked: true})
			}
		}
	}
}
