package racecheck

import (
	"context"
	"errors"

	"ampdbg/emu"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/program"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// suspect reports whether a dispatch that has run may have used a value that
// comes from nowhere, or done an operation without a defined result. Where it
// can only be the result of such an operation, only says so.
func (c *Checker) suspect(m *emu.Machine, undefined uint32, unwritten bool) (yes, only bool) {
	if unwritten || len(m.Program.Undefs) > 0 {
		return true, false
	}
	for _, mem := range m.Memories {
		if c.opt.uninitialized(mem.Name) {
			return true, false
		}
	}
	if readsUnset(m.Unit, m.Entry.Function) {
		return true, false
	}
	seen := undefined &^ c.opt.undefinedOff()
	return seen != 0, seen&undefinedBehaviour == 0
}

// follow finds the uses of values that come from nowhere in a dispatch that has
// run, if there may be any.
func (c *Checker) follow(ctx context.Context, d *launch.Dispatch, m *emu.Machine, undefined uint32, unwritten bool) error {
	yes, only := c.suspect(m, undefined, unwritten)
	if yes && only {
		if used, err := c.uses(ctx, d); !used {
			return err
		}
	}
	if !yes {
		return nil
	}
	return c.trace(ctx, d)
}

// uses runs a dispatch again, from the same memory and in the same schedule,
// and reports whether an undefined result may come to a use that matters. That
// takes about twice the time of a plain run, and much less than trace.
func (c *Checker) uses(ctx context.Context, d *launch.Dispatch) (bool, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	used := false
	plain := c.emu.Options
	defer func() { c.emu.Options = plain }()
	o := &c.emu.Options
	o.Observe, o.Printf = nil, nil
	o.Program = func(m *emu.Machine) (*program.Program, error) {
		p, err := m.Program.Shadow(c.opt.undefinedOff())
		if err != nil || !m.Fits(p) {
			used = true // as far as is known
			return nil, errNoShadow
		}
		return p, nil
	}
	o.Used = func() { used = true; cancel() }
	o.OnFault = func(_ *emu.Machine, _ *warp.Warp, f *warp.Fault) bool { return goesOn(f) }
	c.saved.restore()
	err := c.emu.Dispatch(ctx, d)
	return used, err
}

// errNoShadow ends a run for which there is no memory.
var errNoShadow = errors.New("no room for shadows")

// trace runs a dispatch again, from the same memory and in the same schedule,
// and follows values. It leaves memory as the first run did.
func (c *Checker) trace(ctx context.Context, d *launch.Dispatch) error {
	c.saved.restore()
	plain := c.emu.Options
	defer func() { c.emu.Options = plain }()
	var t *tracer
	o := &c.emu.Options
	o.Printf = nil
	o.Observe = func(m *emu.Machine) ([]emu.Observer, error) {
		c.obs.forget()
		var n int64
		for _, mem := range m.Memories {
			if c.opt.uninitialized(mem.Name) {
				n += mem.Size
			}
		}
		if err := host.Need(n, "following unwritten values"); err != nil {
			return nil, placed(err, d)
		}
		t = newTracer(m, &c.opt)
		return []emu.Observer{t}, nil
	}
	o.OnFault = func(_ *emu.Machine, _ *warp.Warp, f *warp.Fault) bool { return goesOn(f) }
	err := c.emu.Dispatch(ctx, d)
	if t != nil {
		c.findings = append(c.findings, t.findings()...)
	}
	return err
}

// initialised reports whether a tile_static memory has an initialiser.
func initialised(m *emu.Machine, mem *tilemem.Memory) bool {
	for v := range m.Views {
		if m.MemoryOf(v) == mem {
			if x := m.Unit.Var(m.Views[v].Var); x != nil && x.Init != 0 {
				return true
			}
		}
	}
	return false
}
