package debugger

import (
	"errors"
	"fmt"

	"ampdbg/debugger/expr"
	"ampdbg/program"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// checkCondition checks a condition at the places of a point. At one of those of
// a watchpoint, which is not at each, it must be possible to compute it.
func (s *Session) checkCondition(p *point, e *Expr) error {
	err := s.checkAt(p, p.watch != nil, func(ev *evaluator, th *thread) error {
		_, err := ev.truth(e.root, th)
		return err
	})
	if err != nil {
		return fmt.Errorf("the condition %s cannot be computed%w", e.Text, err)
	}
	return nil
}

// checkLog checks the expressions of a message, each of which it must be possible
// to write at one of the logpoint's places.
func (s *Session) checkLog(p *point) error {
	for _, part := range p.log {
		e := part.expr
		if e == nil {
			continue
		}
		if e.Assigns() {
			return fmt.Errorf("%s is an assignment; a message only reads", e.Text)
		}
		err := s.checkAt(p, true, func(ev *evaluator, th *thread) error {
			o, err := ev.eval(e.root, th)
			if err == nil {
				_, err = s.t.text(o, th, 0)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("{%s} cannot be written%w", e.Text, err)
		}
	}
	return nil
}

// checkAt tries what is done with an expression at the places of a point: any of
// them, or all. The error begins with the place, or a colon.
func (s *Session) checkAt(p *point, any bool, try func(ev *evaluator, th *thread) error) error {
	pcs := p.pcs
	if p.watch != nil && !p.watch.private() {
		for pc := range s.t.p.Code {
			if s.t.p.Code[pc].Code.Accesses() != program.NoAccess {
				pcs = append(pcs, pc)
			}
		}
	}
	if p.Problem != "" || len(pcs) == 0 {
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
	for _, pc := range pcs {
		err := s.t.definiteError(w, pc, try)
		switch {
		case err == nil && any:
			return nil
		case err == nil || first != nil:
			continue
		}
		where := ""
		if pos := s.t.lines.pos[pc]; pos.Line > 0 && len(pcs) > 1 && !any {
			where = fmt.Sprintf(" at %s:%d", pos.File, pos.Line)
		}
		first = fmt.Errorf("%s: %w", where, err)
	}
	return first
}

// definiteError is what keeps an expression from being computed at an operation,
// whatever the thread's registers hold.
func (t *target) definiteError(w *warp.Warp, pc int, try func(ev *evaluator, th *thread) error) error {
	for v := range uint64(3) {
		for i := range w.R[:t.p.Scratch] {
			w.R[i] = v
		}
		for _, c := range t.p.Consts {
			for l := range t.p.Stride {
				w.R[int(c.Row)+l] = c.Bits
			}
		}
		w.PC = pc
		err := try(&evaluator{t: t}, &thread{w: w, pc: pc})
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
