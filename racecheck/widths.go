package racecheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// widthsTried are the widths of warps that devices have, and at which findings
// are looked for again that may come of another width.
var widthsTried = []int{8, 32, 64}

// NoteWidths looks at other widths of warps for what was found in a launch, and
// notes on the findings where they go away. It does so only for what can depend
// on the width: anything in modules with subgroup operations, and races in a
// tile where some are ordered by lockstep alone. n is how many schedules found it, steps how many
// thread-instructions that took: a run that needs many more is given up. found
// may hold findings of failed EXPECTs, which are known by their place.
func NoteWidths(ctx context.Context, load func() (*launch.Launch, error), opt Options, n int, steps uint64, found []diag.Finding) ([]diag.Finding, error) {
	if len(found) == 0 {
		return found, nil
	}
	l, err := load()
	if err != nil {
		return found, err
	}
	free, subgroups := false, false
	for _, d := range launch.Dispatches(l.Steps) {
		if d.Subgroup.RequiredSize == 0 {
			free, subgroups = true, subgroups || usesSubgroups(d.Module)
		}
	}
	lockstep := !opt.AssumeLockstep && slices.ContainsFunc(found, func(f diag.Finding) bool { return showsLockstep(&f) })
	if !free {
		return found, nil
	}
	base := opt.Warp
	if base == 0 {
		base = emu.DefaultWarp
	}
	t := trial{ctx: ctx, load: load, opt: opt, n: n}
	t.opt.StopOnFinding, t.opt.Printf = false, nil
	t.opt.Steps = 4*steps + 1<<20
	if opt.Steps != 0 {
		t.opt.Steps = min(t.opt.Steps, opt.Steps)
	}
	out := slices.Clone(found)
	told := make([]bool, len(out))
	// look notes at which width those findings go away that may depend on it.
	look := func(lockstep bool, depends func(*diag.Finding) bool, note func(width int) string) error {
		var open []int
		for i := range out {
			if !told[i] && depends(&out[i]) {
				open = append(open, i)
			}
		}
		width := map[int]int{} // by finding: the narrowest that all of them share, if there is one
		for _, w := range widthsTried {
			if w == base || len(width) > 0 && len(width) == len(open) {
				continue
			}
			t.opt.Warp, t.opt.AssumeLockstep = w, lockstep
			now, ok, err := t.run()
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			var gone []int
			for _, i := range open {
				if !now.has(&found[i]) {
					gone = append(gone, i)
				}
			}
			if len(gone) > len(width) {
				for _, i := range gone {
					width[i] = w
				}
			}
		}
		for i, w := range width {
			told[i] = true
			out[i].Notes = append(slices.Clone(out[i].Notes), diag.Note{Msg: "this depends on the width of warps: " + note(w)})
		}
		return nil
	}
	if subgroups {
		err = look(opt.AssumeLockstep, func(f *diag.Finding) bool { return f.Code != diag.OrderDependent }, func(w int) string {
			return fmt.Sprintf("it goes away with --warp %d, so the kernel seems to assume warps of %d lanes, which nothing promises", w, w)
		})
	}
	if lockstep && err == nil {
		err = look(true, inTile, func(w int) string {
			return fmt.Sprintf("with --warp %d lockstep alone would order the two (--assume-lockstep, and it goes away), so the kernel seems to assume warps of %d lanes that run in lockstep, which nothing promises", w, w)
		})
	}
	return out, err
}

// usesSubgroups reports whether a module has operations that depend on what a
// warp is.
func usesSubgroups(m *spirv.Module) bool {
	return slices.ContainsFunc(m.Insts, func(in spirv.Inst) bool {
		if in.Op != spirv.OpCapability {
			return false
		}
		name := spirv.Capability(in.Args[0]).String()
		return strings.Contains(name, "GroupNonUniform") || strings.Contains(name, "Subgroup")
	})
}

// showsLockstep reports whether a race is one that lockstep would order, alone
// or among others at its two places.
func showsLockstep(f *diag.Finding) bool {
	return f.Code == diag.Race && (f.Class == diag.RaceLockstep || slices.Contains(f.Also, diag.RaceLockstep))
}

// inTile reports whether wider warps that run in lockstep may mend a finding.
func inTile(f *diag.Finding) bool {
	return f.Code == diag.Race && f.Class == diag.RaceIntraTile || f.Code == diag.Uninitialized
}

// trial runs a launch at another width.
type trial struct {
	ctx  context.Context
	load func() (*launch.Launch, error)
	opt  Options
	n    int // schedules
}

// verdicts are findings by what makes them the same bug.
type verdicts map[string]bool

// has reports whether f is among v.
func (v verdicts) has(f *diag.Finding) bool { return v[keyOf(f)] }

// keyOf is bugKeyOf, and the place of a failed EXPECT.
func keyOf(f *diag.Finding) string {
	if f.Code == diag.ExpectFailed {
		return fmt.Sprint(f.Code, f.Pos)
	}
	return bugKeyOf(f)
}

// run gives what is found; ok is false if the launch cannot be run so.
func (t *trial) run() (found verdicts, ok bool, err error) {
	found = verdicts{}
	for _, seed := range Schedules(t.opt.Seed, t.n) {
		l, err := t.load()
		if err != nil {
			return nil, false, err
		}
		opt := t.opt
		opt.Seed = seed
		r, err := Run(t.ctx, l, opt, func(e *launch.ExpectResult) {
			if !e.OK() {
				found[keyOf(&diag.Finding{Code: diag.ExpectFailed, Pos: e.Expect.Pos})] = true
			}
		})
		var known *diag.Error
		if err != nil && (t.ctx.Err() != nil || !errors.As(err, &known)) {
			return nil, false, err
		}
		if err != nil || r.Stopped {
			return nil, false, nil
		}
		for _, f := range r.Findings {
			found[keyOf(&f)] = true
		}
	}
	return found, true, nil
}
