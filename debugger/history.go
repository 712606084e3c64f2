package debugger

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"ampdbg/emu"
	"ampdbg/launch"
)

// moment is a place in the launch's history: the dispatch, how far the machine
// is in it, and how many of the changes made from outside have been made.
type moment struct {
	dispatch int // from 1; after the last step of the launch one more than the last one
	acts     int
	emu.Time
}

// mark is a checkpoint in the history.
type mark struct {
	at     moment
	k      *emu.Checkpoint
	memory *contents
	work   uint64 // see Session.work

	progress
	d         *launch.Dispatch
	addresses emu.Addresses
}

// act is a change made from outside: a thread held, a warp chosen to run, a
// value assigned. It is made again whenever history is replayed.
type act struct {
	dispatch int
	at       emu.Time
	do       func(c *emu.Control)
}

// history is what is known of the launch's past: checkpoints between turns, and
// the changes made from outside. Any moment is reached by going back to the
// checkpoint before it and running on from there, through as many dispatches
// as lie between. The first checkpoint is of the start of the first dispatch,
// where history begins.
type history struct {
	limit    int // bytes
	marks    []mark
	acts     []act
	done     int // acts made
	interval uint64
	due      uint64        // thread-instructions at which the next checkpoint may be made
	cost     time.Duration // of the last checkpoint
	last     time.Time     // when it was made
	bytes    int
	whole    []wholeStep
}

// History says what is kept of the past.
type History struct {
	Dispatch int    // where the present lies
	Turn     uint64 // in it: turns of warps that have ended
	Steps    uint64 // thread-instructions since the start of the launch
	// Checkpoints before the present, and after it: these are dropped when the
	// launch goes on from here in another way.
	Before, After Checkpoints
	Bytes         int // that they take
	Limit         int
	Changes       int // assignments and the like before the present
	Later         int // and after it
}

// Checkpoints counts checkpoints that lie in some dispatches.
type Checkpoints struct{ Count, First, Last int }

// History says what is kept of the past.
func (at *Stopped) History() (History, error) {
	if err := at.enter(); err != nil {
		return History{}, err
	}
	defer at.leave()
	s := at.s
	h, now := &s.history, s.now()
	out := History{Dispatch: now.dispatch, Turn: now.Turn, Steps: s.before, Bytes: h.bytes, Limit: h.limit, Changes: h.done, Later: len(h.acts) - h.done}
	if s.number == s.t.number {
		out.Steps += s.t.c.Steps()
	}
	for i := range h.marks {
		c, d := &out.After, h.marks[i].at.dispatch
		if h.marks[i].before(now) {
			c = &out.Before
		}
		if c.Count++; c.Count == 1 {
			c.First = d
		}
		c.Last = d
	}
	return out, nil
}

// wholeStep is a step of a tile or of the grid that was made, to be undone.
type wholeStep struct {
	from, to moment
	kind     StepKind
	scope    Scope
	about    ThreadID // for whom
}

// wholeStep is the step of a kind and scope that ended at m; nil if none did.
func (h *history) wholeStep(m moment, kind StepKind, scope Scope) *wholeStep {
	for i := len(h.whole) - 1; i >= 0; i-- {
		if w := &h.whole[i]; w.to == m && w.kind == kind && w.scope == scope {
			return w
		}
	}
	return nil
}

// compare orders moments of one history.
func (m moment) compare(n moment) int {
	return cmp.Or(cmp.Compare(m.dispatch, n.dispatch), cmp.Compare(m.acts, n.acts), cmp.Compare(m.Turn, n.Turn),
		cmp.Compare(m.Place, n.Place), cmp.Compare(m.Steps, n.Steps), cmp.Compare(m.PC, n.PC))
}

// Numbers of the policy: a checkpoint every interval thread-instructions at
// first, and at most so many; beyond that every second one is dropped and the
// interval doubled. To begin a dispatch counts as dispatchWork instructions.
// Making checkpoints may take a hundredth of the time.
const (
	firstInterval = 1 << 20
	dispatchWork  = 1 << 16
	maxMarks      = 192
	costShare     = 100
)

// work is about how much it takes to come from the start of the launch to the
// present, in thread-instructions.
func (s *Session) work() uint64 {
	return s.before + s.t.c.Steps() + dispatchWork*uint64(s.number)
}

// mark makes a checkpoint. The machine must be between turns.
func (h *history) mark(s *Session) {
	start := time.Now()
	m := mark{at: s.now(), k: s.t.c.Save(), work: s.work(), progress: s.progress.noted(), d: s.t.d, addresses: s.ex.Addresses()}
	if n := len(h.marks); n > 0 {
		last := &h.marks[n-1]
		m.memory = copyContents(s.memory(), last.memory, func(i int) bool { return last.at.dispatch == s.number && !s.t.written[i] })
	} else {
		m.memory = copyContents(s.memory(), s.initial, nil)
	}
	h.last = time.Now()
	h.cost = h.last.Sub(start)
	h.marks = append(h.marks, m)
	h.bytes += m.k.Bytes + m.memory.fresh
	for len(h.marks) > 1 && (len(h.marks) > maxMarks || h.bytes > h.limit) {
		h.thin(s)
	}
}

// thin drops every second checkpoint but the first.
func (h *history) thin(s *Session) {
	kept := h.marks[:1]
	for i := 2; i < len(h.marks); i += 2 {
		kept = append(kept, h.marks[i])
	}
	clear(h.marks[len(kept):])
	h.marks = kept
	h.interval *= 2
	h.measure(s)
}

// measure counts the bytes of all checkpoints, beyond those of the data that the
// launch begins with.
func (h *history) measure(s *Session) {
	list := []*contents{s.initial}
	h.bytes = -size(list)
	for i := range h.marks {
		h.bytes += h.marks[i].k.Bytes
		list = append(list, h.marks[i].memory)
	}
	h.bytes += size(list)
}

// pass makes a checkpoint if it is time for one: between turns, and at the
// start of a dispatch.
func (h *history) pass(s *Session) {
	work := s.work()
	if work < h.marks[len(h.marks)-1].work+h.interval || work < h.due {
		return
	}
	if time.Since(h.last) < costShare*h.cost {
		h.due = work + h.interval/8 // asking for the time is not free either
		return
	}
	h.mark(s)
}

// now is the present moment.
func (s *Session) now() moment {
	m := moment{dispatch: s.number, acts: s.history.done}
	if s.number == s.t.number {
		m.Time = s.t.c.Time()
	}
	return m
}

// act makes a change from outside, and notes it. What had come later, before
// history was gone back in, is forgotten.
func (s *Session) act(do func(c *emu.Control)) {
	s.note(do)
	do(s.t.c)
}

// note notes a change from outside that is made at present.
func (s *Session) note(do func(c *emu.Control)) {
	s.forget()
	h := &s.history
	now := s.now()
	h.acts = append(h.acts, act{now.dispatch, now.Time, do})
	h.done++
}

// forget drops the part of the history that lies after the present.
func (s *Session) forget() {
	h := &s.history
	h.acts = h.acts[:h.done]
	now := s.now()
	n := len(h.marks)
	for n > 1 && !h.marks[n-1].before(now) {
		n--
	}
	if n < len(h.marks) {
		clear(h.marks[n:])
		h.marks = h.marks[:n]
		h.measure(s)
	}
	h.whole = slices.DeleteFunc(h.whole, func(w wholeStep) bool { return w.to.compare(now) > 0 })
}

// before reports whether a checkpoint is of a moment not later than m.
func (k *mark) before(m moment) bool {
	switch {
	case k.at.dispatch != m.dispatch:
		return k.at.dispatch < m.dispatch
	case k.at.acts != m.acts:
		return k.at.acts < m.acts
	}
	return k.at.Turn <= m.Turn
}

// startOf is the moment at which a dispatch begins.
func (s *Session) startOf(dispatch int) moment {
	return moment{dispatch: dispatch, acts: s.actsBefore(dispatch)}
}

// endOf is the moment at which a dispatch has ended; how long that took is not
// said.
func (s *Session) endOf(dispatch int) moment {
	return moment{dispatch: dispatch, acts: s.actsBefore(dispatch + 1), Time: emu.Time{Turn: theEnd}}
}

// theEnd is more turns than any dispatch takes.
const theEnd = math.MaxUint64

// actsBefore counts the changes from outside before a dispatch.
func (s *Session) actsBefore(dispatch int) int {
	return sort.Search(len(s.history.acts), func(i int) bool { return s.history.acts[i].dispatch >= dispatch })
}

// restore goes to the checkpoint with index i.
func (s *Session) restore(i int) error {
	k := &s.history.marks[i]
	memory := s.memory()
	other := s.number != k.at.dispatch
	for n := range memory {
		// Memory that the dispatch does not write is what it was at its start,
		// but for changes from outside, after which the copies differ.
		if other || s.t.written[n] || s.held == nil || !k.memory.sameList(s.held, n) {
			k.memory.putBack(n, memory[n])
		}
	}
	s.held = k.memory
	s.progress = k.progress
	if other {
		s.ex.SetAddresses(k.addresses)
		if err := s.prepare(k.d); err != nil {
			return err
		}
	}
	s.t.c.Restore(k.k)
	s.checks.lose()
	s.watcher.forget()
	clear(s.stood)
	s.history.done = k.at.acts
	s.reruns++
	return nil
}

// markBefore is the index of the last checkpoint not later than m.
func (s *Session) markBefore(m moment) int {
	for i := len(s.history.marks) - 1; i > 0; i-- {
		if s.history.marks[i].before(m) {
			return i
		}
	}
	return 0
}

// travel goes to a moment of the past.
func (s *Session) travel(m moment) error {
	if err := s.restore(s.markBefore(m)); err != nil {
		return err
	}
	_, err := s.replay(noGoal, m)
	return err
}

func noGoal() *goal { return &goal{} }

// replay runs on to a moment, making the changes from outside again on the
// way. Each dispatch has a goal of its own, that is asked as in a forward run,
// before the moment but not at it; if one answers, that ends the replay early.
func (s *Session) replay(goalHere func() *goal, m moment) (*Stop, error) {
	was := s.reversing
	s.reversing = true
	defer func() { s.reversing = was }()
	for s.number < m.dispatch {
		g := goalHere()
		if st, err := s.replayHere(g, s.endOf(s.number)); st != nil || err != nil {
			return st, err
		}
		end := s.now()
		st, err := s.advance()
		if err != nil {
			return nil, err
		}
		if st != nil && g.between != nil {
			g.between(end, st)
		}
		if s.exited && s.number < m.dispatch {
			return nil, fmt.Errorf("history has changed: the launch ended before dispatch %d", m.dispatch)
		}
	}
	if s.number != s.t.number { // after the last step nothing runs
		for ; s.history.done < m.acts; s.history.done++ {
			s.history.acts[s.history.done].do(s.t.c)
		}
		return nil, nil
	}
	return s.replayHere(goalHere(), m)
}

// replayHere is replay to a moment of the present dispatch.
func (s *Session) replayHere(g *goal, m moment) (*Stop, error) {
	c := s.t.c
	c.SetQuiet(true)
	defer c.SetQuiet(false)
	s.arm(g)
	defer s.disarm()
	off := false
	for {
		next := m.Time
		if s.history.done < m.acts {
			next = s.history.acts[s.history.done].at
		}
		if c.Time() == next {
			s.stand()
			if s.history.done == m.acts {
				return nil, nil
			}
			s.history.acts[s.history.done].do(c)
			s.history.done++
			off = true
			if st := s.untold(g); st != nil {
				if g.note == nil {
					return st, nil
				}
				g.note(st, s.now())
			}
			continue
		}
		if c.Time().Turn > next.Turn {
			return nil, fmt.Errorf("history has changed: expected %v, at %v", next, c.Time())
		}
		if next.Place == 1 && c.Time().Turn == next.Turn {
			s.aim(next.PC)
		} else {
			s.aim(-1)
		}
		stepped := off
		ev, err := s.resume(off)
		off = false
		if err != nil {
			return nil, err
		}
		var st *Stop
		switch ev {
		case emu.TurnEnded:
			if stepped && g.after != nil {
				st = g.after()
			}
			if g.turn != nil {
				if st := g.turn(); st != nil {
					return st, nil
				}
			}
		case emu.Broke:
			w := c.Current()
			off = true
			if w.T.Halt {
				w.T.Halt = false
				if st = s.watcher.stop(); st != nil && st.Watch.before {
					break
				}
				off = false
				stepped = false
			}
			st = st.and(s.arrived(g, w, stepped))
			off = off || s.armed(w.PC)
		case emu.Diverged:
		default:
			if ev == emu.Ended && next.Turn == theEnd {
				return nil, nil
			}
			if c.Time() != next {
				return nil, fmt.Errorf("history has changed: the dispatch ended before %v", next)
			}
		}
		if st != nil {
			if g.note == nil {
				return st, nil
			}
			g.note(st, s.now())
		}
	}
}
