package debugger

import (
	"ampdbg/racecheck"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// races looks for races while the user wants to stop at them. What it knows is
// not part of checkpoints: after going back, or where it was switched on late,
// it sees the dispatch again from its start.
type races struct {
	s     *Session
	watch *racecheck.Watch
	at    moment // up to where it has seen the dispatch
}

// begin makes a goal observe races, if the user wants that.
func (r *races) begin(g *goal) error {
	if !r.s.catch["race"] {
		r.watch = nil
		return nil
	}
	now := r.s.now()
	if r.watch == nil || r.at != now {
		if err := r.s.travel(r.s.startOf(now.dispatch)); err != nil {
			return err
		}
		r.watch = racecheck.NewWatch(r.s.t.c.Machine, racecheck.Options{})
		st, err := r.s.replay(func() *goal { return &goal{observe: r.watch.Observer(), turn: r.s.halted} }, now)
		if err != nil {
			return err
		}
		if st != nil {
			r.watch = nil
			return r.s.travel(now) // drive sees Halt next
		}
		r.watch.Race()
	}
	if g.observe == nil {
		g.observe = r.watch.Observer()
	} else {
		g.observe = both{r.watch.Observer(), g.observe}
	}
	return nil
}

// stop is the stop at a race that the warp was halted at.
func (r *races) stop(w *warp.Warp) *Stop {
	if r.watch == nil {
		return nil
	}
	f, ok := r.watch.Race()
	if !ok {
		return nil
	}
	s := r.s
	st := s.stopAt(AtFinding, w, w.Active())
	st.Finding = &f
	if n := len(f.Accesses); n > 0 {
		st.Thread = s.threadOf(f.Accesses[n-1].Thread)
	}
	return st
}

// both lets two observers see everything.
type both struct{ a, b warp.Observer }

// Wants makes all memory observed: the second observer may want any.
func (o both) Wants(*tilemem.Memory) bool { return true }

func (o both) Access(w *warp.Warp, a *warp.Access) { o.a.Access(w, a); o.b.Access(w, a) }
func (o both) Fence(w *warp.Warp, pc int)          { o.a.Fence(w, pc); o.b.Fence(w, pc) }
func (o both) Barrier(w *warp.Warp, pc int)        { o.a.Barrier(w, pc); o.b.Barrier(w, pc) }
func (o both) Released(t *warp.Tile)               { o.a.Released(t); o.b.Released(t) }
func (o both) TileBegin(t *warp.Tile)              { o.a.TileBegin(t); o.b.TileBegin(t) }
func (o both) TileEnd(t *warp.Tile)                { o.a.TileEnd(t); o.b.TileEnd(t) }
