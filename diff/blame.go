package diff

import (
	"errors"
	"fmt"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/racecheck"
	"ampdbg/spirv"
)

// Blame is who an element's difference may be due to, as the emulator has it.
type Blame struct {
	Memory  *Memory
	Element Element
	History History
	Last    *Write  // that left the element; nil if no thread writes it
	Thread  []Write // the last ones by that thread, ending with Last
	// Suspects are those of Outcome.Suspects that touch the element, or memory
	// that flows into it.
	Suspects []diag.Finding
}

// Values are the element's before and after a write of its history, as
// decimal numbers.
func (b *Blame) Values(w *Write) (before, after string) {
	return b.Memory.format(&b.Element, w.Old), b.Memory.format(&b.Element, w.New)
}

// Touch says what a suspect does to the element: "a race touches".
func Touch(suspect *diag.Finding) string {
	switch suspect.Code {
	case diag.Race:
		return "a race touches"
	case diag.Uninitialized:
		return "a read of memory that no one wrote touches"
	case diag.UndefinedValue:
		return "an operation without a defined result touches"
	}
	return "a fault of the kernel touches"
}

// shownWrites bounds Blame.Thread.
const shownWrites = 8

// blame runs the dispatch again on the emulator, from the memory before it,
// to find who wrote the elements that differ. The error is a *diag.Bug; of
// anything else, a note tells.
func (c *comparer) blame(d *launch.Dispatch, parted []*Memory, before [][]byte) error {
	run := c.emulator(d)
	var spans []Span
	for _, m := range parted {
		for _, e := range m.First {
			spans = append(spans, Span{Buffer: m.Buffer, Image: m.Image, Offset: e.Offset, Size: e.Size})
		}
	}
	histories, err := replay(c.ctx, d, run, spans)
	if diag.AsBug(err) != nil {
		return err
	}
	if err != nil {
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("the emulator cannot say who wrote the elements: %v", err))
		histories = make([]History, len(spans))
	}
	restore(c.memory[0], before)
	if err := c.suspects(d, run); err != nil {
		return err
	}
	i := 0
	for _, m := range parted {
		for _, e := range m.First {
			b := Blame{Memory: m, Element: e, History: histories[i], Last: histories[i].last()}
			if b.Last != nil {
				b.Thread = b.History.of(b.Last.Thread)
				b.Thread = b.Thread[max(0, len(b.Thread)-shownWrites):]
			}
			for _, f := range c.out.Suspects {
				if b.concerns(&f) || c.feeds(d, m, &f) {
					b.Suspects = append(b.Suspects, f)
				}
			}
			c.out.Blames = append(c.out.Blames, b)
			i++
		}
	}
	return nil
}

// emulator is how to run a dispatch on the emulator as it ran in the
// comparison: as the side that was one did, or with the warps of the other.
func (c *comparer) emulator(d *launch.Dispatch) emu.Options {
	opt := emu.Options{Steps: c.opt.Steps}
	for _, s := range c.sides {
		if _, ok := s.ex.(*emu.Emulator); ok {
			e := s.emulator
			return emu.Options{Steps: c.opt.Steps, Warp: e.Warp, Seed: e.Seed, Robust: e.Robust}
		}
		if s.Warp > 0 && d.Subgroup.RequiredSize == 0 {
			opt.Warp = s.Warp
		}
	}
	return opt
}

// suspects runs the dispatch under the checkers. Its error is like that of
// blame.
func (c *comparer) suspects(d *launch.Dispatch, run emu.Options) error {
	check := racecheck.NewChecker(racecheck.Options{Warp: run.Warp, Seed: run.Seed, Steps: run.Steps, Robust: run.Robust})
	err := check.Dispatch(c.ctx, d)
	if diag.AsBug(err) != nil {
		return err
	}
	var stopped *emu.StoppedError
	if err != nil && !errors.As(err, &stopped) {
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("not checked for races: %v", err))
	}
	for _, f := range check.Result().Findings {
		if f.Severity <= diag.SeverityWarning {
			c.out.Suspects = append(c.out.Suspects, f)
		}
	}
	return nil
}

// feeds reports whether memory that a finding is about may flow into m.
func (c *comparer) feeds(d *launch.Dispatch, m *Memory, f *diag.Finding) bool {
	t := c.known[d]
	var key any = m.Buffer
	if m.Image != nil {
		key = m.Image
	}
	for _, a := range f.Accesses {
		if a.ID != 0 && t.flow.feeds(spirv.ID(a.ID), t.ops[key]) {
			return true
		}
	}
	return false
}

// concerns reports whether a race or a read of unwritten memory touches the
// element: one of its accesses is an instruction that writes the element, or
// stands on the source line of one.
func (b *Blame) concerns(f *diag.Finding) bool {
	for _, w := range b.History.Writes {
		for _, a := range f.Accesses {
			sameLine := w.Pos.Line > 0 && a.Pos.Line == w.Pos.Line && a.Pos.File == w.Pos.File
			if sameLine || a.ID != 0 && a.ID == w.ID && a.Kind != "read" {
				return true
			}
		}
	}
	return false
}
