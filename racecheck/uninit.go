package racecheck

import (
	"context"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// suspect reports whether a dispatch that has run may have used a value that
// comes from nowhere, or done an operation without a defined result.
func (c *Checker) suspect(m *emu.Machine, unwritten bool) bool {
	if unwritten || len(m.Program.Undefs) > 0 {
		return true
	}
	for why, class := range undefinedClasses {
		if *m.Program.Undefined>>why&1 != 0 && c.opt.severity(diag.UndefinedValue, class) != diag.SeverityOff {
			return true
		}
	}
	for _, mem := range m.Memories {
		if c.opt.uninitialized(mem.Name) {
			return true
		}
	}
	return readsUnset(m.Unit, m.Entry.Function)
}

// trace runs a dispatch again, from the same memory and in the same schedule,
// and follows values. It leaves memory as the first run did.
func (c *Checker) trace(ctx context.Context, d *launch.Dispatch) error {
	c.saved.restore()
	plain := c.emu.Options
	defer func() { c.emu.Options = plain }()
	ran := len(c.emu.Results)
	var t *tracer
	o := &c.emu.Options
	follow := &follower{}
	o.Observer, o.Printf = follow, nil
	o.Begin = func(m *emu.Machine) error {
		c.obs.forget()
		var n int64
		for _, mem := range m.Memories {
			if c.opt.uninitialized(mem.Name) {
				n += mem.Size
			}
		}
		if err := host.Need(n, "following unwritten values"); err != nil {
			return placed(err, d)
		}
		t = newTracer(m, &c.opt)
		follow.tracer = t
		return nil
	}
	o.OnFault = func(_ *emu.Machine, _ *warp.Warp, f *warp.Fault) bool { return goesOn(f) }
	o.Run = func(m *emu.Machine, w *warp.Warp, limit uint64) warp.Status { return t.run(m, w, limit) }
	err := c.emu.Dispatch(ctx, d)
	c.emu.Results = c.emu.Results[:ran]
	if t != nil {
		c.findings = append(c.findings, t.findings()...)
	}
	return err
}

// follower is the observer of a traced run, which is known before its tracer.
type follower struct{ *tracer }

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
