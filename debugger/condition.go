package debugger

import (
	"errors"
	"fmt"

	"ampdbg/debugger/expr"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// SetConditions gives a breakpoint or watchpoint its conditions, either of which
// may be nil: the threads that it is for, and when it stops. They are checked
// where they will be computed: a breakpoint's at all its places, a watchpoint's
// at the operations that may come to it, one of which must know all names. The
// conditions stay what they were if they cannot be computed there, whatever the
// values are.
func (s *Session) SetConditions(b *Breakpoint, threads, cond *Expr) error {
	if _, err := s.live(); err != nil {
		return err
	}
	for _, e := range []*Expr{threads, cond} {
		if e == nil {
			continue
		}
		if e.Assigns() {
			return fmt.Errorf("%s is an assignment; to compare is ==", e.Text)
		}
		if err := s.checkCondition(b, e); err != nil {
			return err
		}
	}
	b.Threads, b.Cond, b.CondFail = threads, cond, ""
	return nil
}

// checkCondition checks a condition at the places of a breakpoint.
func (s *Session) checkCondition(b *Breakpoint, e *Expr) error {
	pcs := b.pcs
	if b.watch != nil && !b.watch.private() {
		for pc := range s.t.p.Code {
			if touchesMemory(s.t.p.Code[pc].Code) {
				pcs = append(pcs, pc)
			}
		}
	}
	if b.Problem != "" || len(pcs) == 0 {
		return nil // where it will be computed is not known
	}
	size := s.t.p.TileSize
	tile := &warp.Tile{Groups: [3]uint32{1, 1, 1}, Views: make([]tilemem.View, len(s.t.c.Views))}
	for v := range tile.Views {
		view := s.t.c.View(nil, v)
		if view.Mem != nil && view.Mem.Space == tilemem.TileStatic {
			view.Data = make([]byte, view.Mem.Size)
		}
		tile.Views[v] = view
	}
	w := warp.New(s.t.c.Code())
	w.Reset(tile, 0)
	tile.Warps = make([]*warp.Warp, (int(size[0]*size[1]*size[2])+s.t.p.Width-1)/s.t.p.Width)
	for i := range tile.Warps {
		tile.Warps[i] = w
	}
	var first error
	seen := map[string]bool{}
	for _, pc := range pcs {
		err := s.definiteError(e, w, pc)
		switch {
		case err == nil && b.watch != nil:
			return nil
		case err == nil || seen[err.Error()]:
			continue
		}
		seen[err.Error()] = true
		where := ""
		if p := s.t.lines.pos[pc]; p.Line > 0 && len(b.pcs) > 1 && b.watch == nil {
			where = fmt.Sprintf(" at %s:%d", p.File, p.Line)
		}
		if first == nil {
			first = fmt.Errorf("the condition %s cannot be computed%s: %w", e.Text, where, err)
		}
	}
	return first
}

// definiteError is what keeps a condition from being computed at an operation,
// whatever the thread's registers hold.
func (s *Session) definiteError(e *Expr, w *warp.Warp, pc int) error {
	for v := range uint64(3) {
		for i := range w.R[:s.t.p.Scratch] {
			w.R[i] = v
		}
		for _, c := range s.t.p.Consts {
			for l := range s.t.p.Stride {
				w.R[int(c.Row)+l] = c.Bits
			}
		}
		w.PC = pc
		ev := evaluator{t: s.t}
		_, err := ev.truth(e.root, &thread{w: w, pc: pc})
		if err != nil && !dependsOnValues(err) {
			return err
		}
	}
	return nil
}

// dependsOnValues reports whether an expression cannot be computed because of
// what its parts are worth: another time it may.
func dependsOnValues(err error) bool {
	var v *expr.ValueError
	return errors.Is(err, errNotAtHand) || errors.Is(err, errNoTile) || errors.As(err, &v)
}
