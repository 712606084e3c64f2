package debugger

import (
	"errors"
	"fmt"
	"slices"

	"ampdbg/debugger/expr"
	"ampdbg/emu"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// EvalAt computes an expression in a frame of a thread. What the value is made of
// is read when it is asked for.
func (at *Stopped) EvalAt(id ThreadID, frame int, e *Expr) (Value, error) {
	if err := at.sit(id, frame); err != nil {
		return Value{}, err
	}
	defer at.leave()
	th := at.t.viewpoint(id, frame).thread(id)
	ev := evaluator{t: at.t}
	o, err := ev.eval(e.root, th)
	if err != nil {
		return Value{}, err
	}
	return at.valueOf(e, o, th), nil
}

// AssignAt computes an assignment in a frame of a thread, which changes the
// machine's state from here on. Going back and forth makes it again.
func (at *Stopped) AssignAt(id ThreadID, frame int, e *Expr) (Value, error) {
	if err := at.sit(id, frame); err != nil {
		return Value{}, err
	}
	defer at.leave()
	n, ok := e.root.(*expr.Assign)
	if !ok {
		return Value{}, errors.New("expected an assignment, such as x = 1")
	}
	s, t := at.s, at.t
	th := t.viewpoint(id, frame).thread(id)
	finished := t.state(id).status == Finished
	// The changed places are noted, so that a replay changes them again.
	ev := evaluator{t: t, write: func(o operand, bits []uint64, th *thread) error {
		if (o.at.rows != nil || o.at.mem != nil && o.at.mem.Space == tilemem.TileStatic) && !t.runs(id.Tile) {
			return errors.New("the thread's tile does not run: to change its state has no effect")
		}
		if o.at.rows != nil && finished {
			return errors.New("the thread has finished: its variables cannot be set")
		}
		s.forget()
		if err := o.store(th, bits); err != nil {
			return err
		}
		t.changed(o.at)
		s.note(func(c *emu.Control) { s.t.storeAgain(c, id, o, bits) })
		return nil
	}}
	o, err := ev.eval(n, th)
	if err != nil {
		return Value{}, err
	}
	return at.valueOf(e, o, th), nil
}

// runs reports whether a tile has started and not ended.
func (t *target) runs(tile uint64) bool {
	return slices.ContainsFunc(t.c.Resident(), func(t *warp.Tile) bool { return uint64(t.Index) == tile })
}

// storeAgain makes an assignment again in a replay.
func (t *target) storeAgain(c *emu.Control, id ThreadID, o operand, bits []uint64) {
	th := &thread{tile: id.Tile, local: id.Local, lane: id.Local % t.p.Width, pc: -1}
	tile := c.Tile(id.Tile)
	if tile != nil {
		th.w = tile.Warps[id.Local/t.p.Width]
	}
	if o.at.rows == nil {
		p := *o.at
		if p.view != noView {
			v := c.View(tile, p.view)
			p.data, p.mem = v.Data, v.Mem
		}
		o.at = &p
		t.changed(&p)
	}
	o.store(th, bits)
}

// LocalsAt is the variables in scope in a frame of a thread.
func (at *Stopped) LocalsAt(id ThreadID, frame int) ([]Variable, error) {
	if err := at.sit(id, frame); err != nil {
		return nil, err
	}
	defer at.leave()
	th := at.t.threadIn(id, frame)
	if st := at.t.state(id).status; th.pc < 0 || st == NotStarted {
		return nil, fmt.Errorf("the thread is %s: it has no variables", st)
	}
	return at.variables(at.t.localNames(th), th, "local"), nil
}

// GlobalsAt is the buffers, images, tile_static and private variables of the
// kernel, as a thread sees them.
func (at *Stopped) GlobalsAt(id ThreadID, frame int) ([]Variable, error) {
	if err := at.sit(id, frame); err != nil {
		return nil, err
	}
	defer at.leave()
	return at.variables(at.t.globalNames(), at.t.viewpoint(id, frame).thread(id), ""), nil
}

// variables looks names up. Without a scope each has that of where it lies.
func (at *Stopped) variables(names []string, th *thread, scope string) []Variable {
	var out []Variable
	for _, n := range names {
		v := Variable{Name: n, Scope: scope}
		e, err := ParseExpr(n)
		if err == nil {
			ev := evaluator{t: at.t}
			var o operand
			if o, err = ev.eval(e.root, th); err == nil {
				v.Value = at.valueOf(e, o, th)
				if scope == "" {
					v.Scope = at.t.scopeOf(o)
				}
			}
		}
		v.Err = err
		out = append(out, v)
	}
	return out
}

// NamesAt lists what an expression in a frame of a thread may name, for
// completion.
func (at *Stopped) NamesAt(id ThreadID, frame int) ([]string, error) {
	if err := at.sit(id, frame); err != nil {
		return nil, err
	}
	defer at.leave()
	th := at.t.threadIn(id, frame)
	out := append(at.t.localNames(th), at.t.globalNames()...)
	for n := range builtins {
		out = append(out, n)
	}
	out = append(out, ownNames()...)
	slices.SortFunc(out, byNumber)
	return slices.Compact(out), nil
}
