package debugger

import (
	"slices"

	"ampdbg/diag"
	"ampdbg/launch"
)

// progress is how far the launch is. It is part of history: a moment of the
// past had a progress of its own.
type progress struct {
	steps  []launchStep // the launch's, loops unrolled as they come; never changed in place
	at     int          // the next of them
	number int          // of the dispatch, from 1; after the last step one more than that of the last one
	before uint64       // thread-instructions of earlier dispatches
	exited bool         // the launch is over, by its end or by a fault
	failed []*launch.ExpectResult
	past   []diag.Finding // of earlier dispatches
}

// launchStep is a step of the launch, or the end of one round of a loop.
type launchStep struct {
	step launch.Step
	loop *launch.Loop // begin of the next round
	left int64
}

// noted is a copy that further progress leaves as it is.
func (p progress) noted() progress {
	p.failed, p.past = slices.Clip(p.failed), slices.Clip(p.past)
	return p
}

// next takes the next step, nil if there is none. Loops are unrolled, one round
// at a time.
func (p *progress) next() launch.Step {
	for p.at < len(p.steps) {
		st := p.steps[p.at]
		p.at++
		switch x := st.step.(type) {
		case *launch.Loop:
			if x.Count > 0 && len(x.Steps) > 0 {
				p.unroll(x, x.Count)
			}
		case nil:
			if st.left > 0 {
				p.unroll(st.loop, st.left)
			}
		default:
			return x
		}
	}
	return nil
}

// unroll puts one round of a loop, and what is left of it, at the present
// place.
func (p *progress) unroll(l *launch.Loop, rounds int64) {
	var round []launchStep
	for _, st := range l.Steps {
		round = append(round, launchStep{step: st})
	}
	round = append(round, launchStep{loop: l, left: rounds - 1})
	p.steps, p.at = append(round, p.steps[p.at:]...), 0
}

// advance leaves the dispatch, which has ended: it does the steps of the launch
// up to the next dispatch, and prepares that. After the last step the session
// has exited. The stop is that of a watchpoint on what a COPY wrote; it is nil
// without one.
func (s *Session) advance() (*Stop, error) {
	was := s.progress.noted()
	if s.t != nil {
		if found := s.t.c.Found(); len(found) > 0 {
			s.past = diag.Fold(slices.Concat(s.past, found))
		}
		s.before += s.t.c.Steps()
	}
	s.number++
	var st *Stop
	for {
		switch x := s.next().(type) {
		case *launch.Copy:
			if hit := s.copyStep(x); st == nil {
				st = hit
			}
		case *launch.Expect:
			if r := x.Check(); !r.OK() {
				s.failed = append(s.failed, r)
			}
		case *launch.Dispatch:
			if err := s.prepare(x); err != nil {
				// The steps before it have been done; the next attempt begins at it,
				// and going back puts all memory back.
				s.held = nil
				was.steps, was.at, was.failed = s.steps, s.at-1, s.failed
				s.progress = was
				return nil, err
			}
			s.about, s.frame = ThreadID{}, 0
			return st, nil
		default:
			s.exited = true
			return st, nil
		}
	}
}

// more reports whether the launch has other dispatches to come.
func (s *Session) more() bool {
	var dispatches func(list []launch.Step) bool
	dispatches = func(list []launch.Step) bool {
		return slices.ContainsFunc(list, func(st launch.Step) bool {
			switch x := st.(type) {
			case *launch.Dispatch:
				return true
			case *launch.Loop:
				return x.Count > 0 && dispatches(x.Steps)
			}
			return false
		})
	}
	return !s.exited && slices.ContainsFunc(s.steps[s.at:], func(st launchStep) bool {
		if st.loop != nil {
			return st.left > 0 && dispatches(st.loop.Steps)
		}
		return dispatches([]launch.Step{st.step})
	})
}
