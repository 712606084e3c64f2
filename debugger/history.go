package debugger

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ampdbg/emu"
)

// moment is a place in a dispatch's history: how far the machine is, and how
// many of the changes made from outside have been made.
type moment struct {
	emu.Time
	acts int
}

// mark is a checkpoint in the history.
type mark struct {
	k     *emu.Checkpoint
	acts  int
	steps uint64
}

// act is a change made from outside: a thread held, a warp chosen to run, a
// value assigned. It is made again whenever history is replayed.
type act struct {
	at emu.Time
	do func(c *emu.Control)
}

// history is what is known of a dispatch's past: checkpoints between turns,
// and the changes made from outside. Any moment is reached by going back to
// the checkpoint before it and running on from there.
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

// wholeStep is a step of a tile or of the grid that was made, to be undone.
type wholeStep struct {
	from, to moment
	kind     StepKind
	scope    Scope
	focus    ThreadID // before
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
	return cmp.Or(cmp.Compare(m.acts, n.acts), cmp.Compare(m.Turn, n.Turn), cmp.Compare(m.Place, n.Place),
		cmp.Compare(m.Steps, n.Steps), cmp.Compare(m.PC, n.PC))
}

// Numbers of the policy: a checkpoint every interval thread-instructions at
// first, and at most so many; beyond that every second one is dropped and the
// interval doubled. Making them may take a hundredth of the time.
const (
	firstInterval = 1 << 20
	maxMarks      = 192
	costShare     = 100
)

// reset begins the history of a dispatch.
func (h *history) reset(s *Session) {
	*h = history{limit: h.limit, interval: firstInterval}
	h.mark(s)
}

// mark makes a checkpoint. The machine must be between turns.
func (h *history) mark(s *Session) {
	var previous *emu.Checkpoint
	if n := len(h.marks); n > 0 {
		previous = h.marks[n-1].k
	}
	start := time.Now()
	k := s.t.c.Save(previous)
	h.last = time.Now()
	h.cost = h.last.Sub(start)
	h.marks = append(h.marks, mark{k, h.done, s.t.c.Steps()})
	h.bytes += k.Bytes
	for len(h.marks) > 2 && (len(h.marks) > maxMarks || h.bytes > h.limit) {
		h.thin()
	}
}

// thin drops every second checkpoint but the first.
func (h *history) thin() {
	kept := h.marks[:1]
	for i := 2; i < len(h.marks); i += 2 {
		kept = append(kept, h.marks[i])
	}
	clear(h.marks[len(kept):])
	h.marks = kept
	h.interval *= 2
	list := make([]*emu.Checkpoint, len(kept))
	for i := range kept {
		list[i] = kept[i].k
	}
	h.bytes = emu.Size(list)
}

// turn makes a checkpoint if it is time for one.
func (h *history) turn(s *Session) {
	last := h.marks[len(h.marks)-1]
	steps := s.t.c.Steps()
	if steps < last.steps+h.interval || steps < h.due {
		return
	}
	if time.Since(h.last) < costShare*h.cost {
		h.due = steps + h.interval/8 // asking for the time is not free either
		return
	}
	h.mark(s)
}

// now is the present moment.
func (s *Session) now() moment { return moment{s.t.c.Time(), s.history.done} }

// act makes a change from outside, and notes it. What had come later, before
// history was gone back in, is forgotten.
func (s *Session) act(do func(c *emu.Control)) {
	s.forget()
	h := &s.history
	h.acts = append(h.acts, act{s.t.c.Time(), do})
	h.done++
	do(s.t.c)
}

// forget drops the part of the history that lies after the present.
func (s *Session) forget() {
	h := &s.history
	h.acts = h.acts[:h.done]
	now := s.now()
	for n := len(h.marks); n > 1 && !h.marks[n-1].before(now); n-- {
		h.marks = h.marks[:n-1]
	}
	h.whole = slices.DeleteFunc(h.whole, func(w wholeStep) bool { return w.to.compare(now) > 0 })
}

// before reports whether a checkpoint is of a moment not later than m.
func (k *mark) before(m moment) bool {
	if k.acts != m.acts {
		return k.acts < m.acts
	}
	return k.k.Time.Turn <= m.Turn
}

// restore goes to the checkpoint with index i.
func (s *Session) restore(i int) {
	k := &s.history.marks[i]
	s.t.c.Restore(k.k)
	s.history.done = k.acts
	s.reruns++
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
	s.restore(s.markBefore(m))
	_, err := s.replay(&goal{}, m)
	return err
}

// replay runs on to a moment, making the changes from outside again on the
// way. The goal is asked as in a forward run, before the moment but not at it;
// if it answers, that ends the replay early.
func (s *Session) replay(g *goal, m moment) (*Stop, error) {
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
		w := c.Current()
		if c.Time() == next {
			if s.history.done == m.acts {
				return nil, nil
			}
			if w != nil && s.armed(w.PC) && !off && next != m.Time {
				if st := g.broke(w); st != nil {
					return st, nil
				}
			}
			s.history.acts[s.history.done].do(c)
			s.history.done++
			off = true
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
		switch ev {
		case emu.TurnEnded:
			if g.turn != nil {
				if st := g.turn(); st != nil {
					return st, nil
				}
			}
		case emu.Broke:
			w := c.Current()
			if stepped && g.after != nil {
				if st := g.after(w); st != nil {
					return st, nil
				}
			}
			if c.Time() == next {
				continue
			}
			if s.armed(w.PC) {
				if st := g.broke(w); st != nil {
					return st, nil
				}
			}
			off = true
		case emu.Diverged:
		default:
			if c.Time() != next {
				return nil, fmt.Errorf("history has changed: the dispatch ended before %v", next)
			}
		}
	}
}
