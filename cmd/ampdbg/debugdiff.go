package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"ampdbg/debugger"
	"ampdbg/diag"
	"ampdbg/diff"
	"ampdbg/emu"
	"ampdbg/launch"
)

// compare is the debugger's diff: it runs the launch of a file, loaded anew,
// on the emulator as the session s does, and on another machine. The end of ctx
// ends the comparison, and not the session.
func (o *debugOptions) compare(ctx context.Context, env *environment, s *debugger.Session, file, machine string) (d *debugger.Difference, err error) {
	defer func() {
		if err != nil && env.ctx.Err() == nil && ctx.Err() != nil {
			err = fmt.Errorf("interrupted: nothing has been compared")
		}
	}()
	inside := *env
	inside.ctx = ctx
	l, err := o.load(file)
	if err != nil {
		return nil, err
	}
	var messages []diag.Finding
	other := diffOptions{launch: o.launch, warp: o.warp, seed: o.seed, steps: o.steps}
	side, done, err := other.side(&inside, file, machine, &messages)
	if err != nil {
		return nil, err
	}
	defer done(&err)
	outcome, err := diff.Compare(ctx, [2]*diff.Side{o.emulatorSide(l), side}, diff.Options{Override: diff.NoOverride, Steps: o.steps})
	if err != nil {
		return nil, err
	}
	outcome.Findings = append(outcome.Findings, messages...)
	return difference(outcome, l, s.Launch().Warp), nil
}

// emulatorSide runs a launch as the session does.
func (o *debugOptions) emulatorSide(l *launch.Launch) *diff.Side {
	return diff.EmulatorSide(l, emu.Options{Warp: o.warp, Seed: o.seed, Steps: o.steps, Robust: o.robust, Workers: runtime.GOMAXPROCS(0)})
}

// difference puts the outcome of a comparison of l, on the first side, into
// the words of a session whose warps have so many lanes.
func difference(o *diff.Outcome, l *launch.Launch, lanes int) *debugger.Difference {
	d := &debugger.Difference{
		Sides: o.Sides, Summary: o.Lines(), Dispatch: o.Parted,
		Findings: diag.Fold(append(slices.Clone(o.Findings), o.Suspects...)),
	}
	if o.Parted == 0 {
		return d
	}
	if n := o.Dispatch.Subgroup.RequiredSize; n > 0 && n != lanes {
		d.Notes = append(d.Notes, fmt.Sprintf("the comparison ran warps of %d lanes, this session's have %d, so that it may compute something else (see --warp)", n, lanes))
	}
	for i := range o.Blames {
		b := &o.Blames[i]
		e := debugger.DifferentElement{
			Name: b.Element.Name, Text: b.Element.String(), Values: b.Element.Text, Offset: b.Element.Offset, Size: b.Element.Size,
			Buffer: slices.Index(l.Buffers, b.Memory.Buffer), Image: slices.Index(l.Images, b.Memory.Image),
		}
		if len(b.Suspects) > 0 {
			f := &b.Suspects[0]
			e.Suspect = fmt.Sprintf("%s it, so it may hold anything (%s at %s)", diff.Touch(f), f.Rule(), f.Position())
		}
		if w := b.Last; w != nil {
			before, after := b.Values(w)
			e.Last = &debugger.BlamedWrite{Kind: w.Kind, Thread: w.Thread, Pos: w.Pos, Old: before, New: after, Count: b.History.Count}
		}
		d.Elements = append(d.Elements, e)
	}
	return d
}
