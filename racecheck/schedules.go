package racecheck

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
)

// Schedules are the n schedules that are tried, named by their seeds: that of
// seed, the reverse of the canonical one, which shows what only the usual order
// hides, and the seeds after it.
func Schedules(seed uint64, n int) []uint64 {
	list := []uint64{seed}
	if n > 1 && seed != emu.ReverseSeed {
		list = append(list, emu.ReverseSeed)
	}
	for next := seed + 1; len(list) < n; next++ {
		if next != emu.ReverseSeed {
			list = append(list, next)
		}
	}
	return list
}

// RepeatSeeds checks a launch under n schedules (see Schedules), and gives what
// all of them found, once, and what dispatches leave otherwise under one than
// under another, though nothing that was found explains it. A finding that not
// every schedule shows has a note that says which do. Each run needs a launch
// with its own memory, which load makes. expects is called for the first
// schedule only; the launch returned is that one's.
func RepeatSeeds(ctx context.Context, load func() (*launch.Launch, error), opt Options, n int, expects func(*launch.ExpectResult)) (*Result, *launch.Launch, error) {
	var out *Result
	var first *launch.Launch
	under := map[string][]uint64{}
	var all []diag.Finding
	left := orders{ctx: ctx, load: load, opt: opt, seeds: Schedules(opt.Seed, n)}
	for i, seed := range left.seeds {
		l, err := load()
		if err != nil {
			return nil, nil, err
		}
		opt := opt
		opt.Seed = seed
		report := expects
		if i > 0 {
			report, opt.Printf = nil, nil
		}
		c := &comparer{Checker: NewChecker(opt)}
		var ex launch.Executor = c
		if n == 1 {
			ex = c.Checker
		}
		r, err := c.runs(ctx, l, ex, report)
		if i == 0 {
			out, first = r, l
		}
		if err != nil {
			// What was found so far stands.
			if r != nil {
				all = append(all, r.Findings...)
			}
			out.Findings = diag.Fold(all)
			return out, first, err
		}
		left.runs = append(left.runs, c.ran)
		for _, f := range r.Findings {
			k := bugKeyOf(&f)
			under[k] = append(under[k], seed)
			if len(under[k]) == 1 {
				all = append(all, f)
			}
		}
		if i > 0 {
			out.Coverage.Checked += r.Coverage.Checked
			out.Coverage.Unchecked = append(out.Coverage.Unchecked, r.Coverage.Unchecked...)
		}
	}
	for i := range all {
		if seeds := under[bugKeyOf(&all[i])]; len(seeds) < n {
			all[i].Notes = append(all[i].Notes, diag.Note{Msg: fmt.Sprintf("found under %s of %d", seedList(seeds), n)})
		} else if n > 1 {
			all[i].Notes = append(all[i].Notes, diag.Note{Msg: fmt.Sprintf("found under all of %d seeds", n)})
		}
	}
	if opt.SeverityOf(diag.OrderDependent, "") < diag.SeverityOff {
		differ, err := left.findings()
		all = append(all, differ...)
		if err != nil {
			out.Findings = diag.Fold(all)
			return out, first, err
		}
	}
	out.Findings = diag.Fold(all)
	out.Coverage.Schedules = n
	return out, first, nil
}

func seedList(seeds []uint64) string {
	var s []string
	for _, x := range seeds {
		s = append(s, emu.SeedName(x))
	}
	if len(s) == 1 {
		return "seed " + s[0]
	}
	return "seeds " + strings.Join(s, ", ")
}

// bugKeyOf is equal for findings of one bug under different schedules.
func bugKeyOf(f *diag.Finding) string {
	switch f.Code {
	case diag.Race:
		return "race" + bugKey(f)
	case diag.Deadlock, diag.Livelock:
		// Which threads have returned or wait, and where, depends on the schedule.
		var spins []string
		for i := range f.Parties {
			if p := &f.Parties[i]; p.What == emu.SpinsHere {
				spins = append(spins, fmt.Sprintf("%s:%d", p.Pos.File, p.Pos.Line))
			}
		}
		slices.Sort(spins)
		return string(f.Code) + "\x00" + f.Kernel + "\x00" + strings.Join(slices.Compact(spins), "\x00")
	}
	return f.Fingerprint()
}

// Witness is two schedules of a racy launch that leave different memory.
type Witness struct {
	A, B    uint64    // seeds
	Swap    *emu.Swap // what B's schedule exchanges besides; nil for nothing
	Element string    // the first place that differs: "c[3]"
	InA     string    // what it holds
	InB     string
}

func (w *Witness) String() string {
	order := ""
	switch {
	case w.Swap != nil:
		order = " (with the order of " + w.Swap.String() + " exchanged)"
	case w.B == emu.ReverseSeed:
		order = " (the reverse order)"
	}
	return fmt.Sprintf("seeds %s and %s%s leave different values in %s: %s and %s", emu.SeedName(w.A), emu.SeedName(w.B), order, w.Element, w.InA, w.InB)
}

// FindWitnesses looks, for each of the races found in a launch, for two
// schedules that leave different memory: the canonical one and the one in
// which nothing but the race's two warps (or tiles) change places; then the one
// in which all take turns in reverse order; then seeds up to tries. The result
// has an element for each race, nil where there is no witness: races whose
// outcome does not reach a buffer or image have none.
func FindWitnesses(ctx context.Context, load func() (*launch.Launch, error), opt Options, tries int, races []diag.Finding) ([]*Witness, error) {
	run := func(seed uint64, swap *emu.Swap) (*launch.Launch, error) {
		l, err := load()
		if err != nil {
			return nil, err
		}
		ex := plain(opt, seed)
		ex.Swap = swap
		if _, err := l.Execute(ctx, ex, nil); err != nil && ctx.Err() != nil {
			return nil, err
		}
		return l, nil
	}
	base, err := run(opt.Seed, nil)
	if err != nil {
		return nil, err
	}
	compare := func(seed uint64, swap *emu.Swap) (*Witness, error) {
		l, err := run(seed, swap)
		if err != nil {
			return nil, err
		}
		w := differ(base, l)
		if w != nil {
			w.A, w.B, w.Swap = opt.Seed, seed, swap
		}
		return w, nil
	}
	var any *Witness // of the schedules that do not depend on the race
	tried := false
	out := make([]*Witness, len(races))
	for i := range races {
		if swap := swapOf(&races[i]); swap != nil && opt.Seed == 0 {
			if out[i], err = compare(0, swap); err != nil {
				return nil, err
			}
		}
		if out[i] == nil && !tried {
			tried = true
			seeds := []uint64{emu.ReverseSeed}
			for s := range uint64(tries) {
				seeds = append(seeds, opt.Seed+s+1)
			}
			for _, seed := range seeds {
				if any, err = compare(seed, nil); err != nil {
					return nil, err
				}
				if any != nil {
					break
				}
			}
		}
		if out[i] == nil {
			out[i] = any
		}
	}
	return out, nil
}

// WitnessesTried says which schedules FindWitnesses compares with the one that
// found a race, where it finds no witness.
func WitnessesTried(opt Options, tries int, race *diag.Finding) string {
	what := ""
	if swap := swapOf(race); swap != nil && opt.Seed == 0 {
		what = fmt.Sprintf("%s in the other order, ", swap)
	}
	return what + fmt.Sprintf("all in reverse order, and seeds %d to %d", opt.Seed+1, opt.Seed+uint64(tries))
}

// swapOf exchanges the warps of a race's two accesses; nil if one warp did
// both.
func swapOf(f *diag.Finding) *emu.Swap {
	if len(f.Accesses) != 2 {
		return nil
	}
	a, b := f.Accesses[0].Thread, f.Accesses[1].Thread
	if a.Tile == b.Tile && a.Warp == b.Warp {
		return nil
	}
	return &emu.Swap{Tiles: [2][3]uint32{a.Tile, b.Tile}, Warps: [2]uint32{a.Warp, b.Warp}}
}

// differ finds the first place at which the memories of two runs of a launch
// differ.
func differ(a, b *launch.Launch) *Witness {
	for i, x := range a.Buffers {
		y := b.Buffers[i]
		if len(x.Addresses) > 0 || bytes.Equal(x.Data, y.Data) {
			continue
		}
		at := 0
		for x.Data[at] == y.Data[at] {
			at++
		}
		w := &Witness{Element: fmt.Sprintf("%s[byte %d]", x.Name, at), InA: fmt.Sprint(x.Data[at]), InB: fmt.Sprint(y.Data[at])}
		if x.Elem == nil {
			return w
		}
		for n := at; n >= 0 && n > at-8; n-- {
			if k, ok := x.Elem.Find(n); ok {
				s := x.Elem.At(k)
				if s.Offset == n {
					return &Witness{Element: x.Name + x.Elem.Path(k), InA: s.Format(s.Load(x.Data)), InB: s.Format(s.Load(y.Data))}
				}
			}
		}
		return w
	}
	for i, x := range a.Images {
		if y := b.Images[i]; !slices.Equal(x.Data, y.Data) {
			at := 0
			for x.Data[at] == y.Data[at] {
				at++
			}
			return &Witness{Element: fmt.Sprintf("%s[byte %d]", x.Name, at), InA: fmt.Sprint(x.Data[at]), InB: fmt.Sprint(y.Data[at])}
		}
	}
	return nil
}
