package racecheck

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// Change is a change to a kernel to be tried out: a full tile barrier before a
// source line.
type Change struct {
	File string
	Line int
}

// ParseChange reads "barrier@FILE:LINE".
func ParseChange(s string) (Change, error) {
	rest, ok := strings.CutPrefix(s, "barrier@")
	i := strings.LastIndexByte(rest, ':')
	if !ok || i < 1 {
		return Change{}, &diag.Error{Class: diag.BadInput, Msg: fmt.Sprintf("change %q: expected barrier@FILE:LINE", s)}
	}
	line, err := strconv.Atoi(rest[i+1:])
	if err != nil || line < 1 {
		return Change{}, &diag.Error{Class: diag.BadInput, Msg: fmt.Sprintf("change %q: expected a line number after the colon", s)}
	}
	return Change{rest[:i], line}, nil
}

func (c Change) String() string { return fmt.Sprintf("barrier@%s:%d", c.File, c.Line) }

// Outcome is what a change does.
type Outcome struct {
	Gone, Left, New []diag.Finding
	// Output is the first place where memory differs after the launch, nil if
	// there is none: A is without the change, B with it.
	Output *Witness
	With   *Result // the run with the change
}

// String sums the outcome up in a line.
func (o *Outcome) String() string {
	s := fmt.Sprintf("%d of %d findings go", len(o.Gone), len(o.Gone)+len(o.Left))
	if len(o.New) > 0 {
		s += fmt.Sprintf(", %d come", len(o.New))
	}
	if o.Output == nil {
		return s + "; the output stays as it is"
	}
	return fmt.Sprintf("%s; the output changes, first in %s from %s to %s", s, o.Output.Element, o.Output.InA, o.Output.InB)
}

// Try runs a launch with a change, after it ran without: base is that launch,
// and found what was found in it.
func Try(ctx context.Context, load func() (*launch.Launch, error), opt Options, c Change, base *launch.Launch, found []diag.Finding) (*Outcome, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	changed := 0
	var firstErr error
	done := map[*spirv.Module]*spirv.Module{}
	for _, d := range launch.Dispatches(l.Steps) {
		m, ok := done[d.Module]
		if !ok {
			if m, err = insertBarrier(d, c); err != nil && firstErr == nil {
				firstErr = err
			}
			done[d.Module] = m
		}
		if m != nil {
			d.Module = m
			changed++
		}
	}
	if changed == 0 {
		return nil, firstErr
	}
	opt.Printf = nil
	r, err := Run(ctx, l, opt, nil)
	if err != nil {
		return nil, err
	}
	out := &Outcome{With: r, Output: differ(base, l)}
	now := map[string]bool{}
	before := map[string]bool{}
	for i := range r.Findings {
		now[bugKeyOf(&r.Findings[i])] = true
	}
	for _, f := range found {
		before[bugKeyOf(&f)] = true
		if now[bugKeyOf(&f)] {
			out.Left = append(out.Left, f)
		} else {
			out.Gone = append(out.Gone, f)
		}
	}
	for _, f := range r.Findings {
		if !before[bugKeyOf(&f)] {
			out.New = append(out.New, f)
		}
	}
	return out, nil
}

// insertBarrier copies d's module with a full tile barrier before the first
// instruction of a source line.
func insertBarrier(d *launch.Dispatch, c Change) (*spirv.Module, error) {
	u, err := spirv.Resolve(d.Module, d.Spec)
	if err != nil {
		return nil, err
	}
	at := -1
	for _, fn := range u.Functions {
		for _, b := range fn.Blocks {
			for i := b.First; i <= b.Last && at < 0; i++ {
				p := u.PosOf(i)
				if p.Line != c.Line || p.File != c.File && filepath.Base(p.File) != filepath.Base(c.File) {
					continue
				}
				switch u.Insts[i].Op {
				case spirv.OpPhi, spirv.OpVariable, spirv.OpLine, spirv.OpNoLine, spirv.OpLabel:
					continue
				}
				at = i
				if i == b.Last && b.MergeInst >= 0 {
					at = b.MergeInst
				}
			}
		}
	}
	if at < 0 {
		return nil, &diag.Error{Class: diag.BadInput, Msg: fmt.Sprintf("%s: no instruction of the kernel comes from that line; %s", c, c.lines(u))}
	}
	m := *d.Module
	next := m.Bound
	fresh := func() spirv.ID { next++; return spirv.ID(next - 1) }
	var decls []spirv.Inst
	uint32Type := spirv.ID(0)
	for i := range m.Insts {
		if in := &m.Insts[i]; in.Op == spirv.OpTypeInt && in.Args[0] == 32 && in.Args[1] == 0 {
			uint32Type = in.Result
		}
	}
	if uint32Type == 0 {
		uint32Type = fresh()
		decls = append(decls, spirv.Inst{Op: spirv.OpTypeInt, Result: uint32Type, Args: []uint32{32, 0}})
	}
	semantics := uint32(spirv.MemorySemanticsAcquireRelease) | classUniform.bit() | classWorkgroup.bit() | classImage.bit()
	if u.Memory == spirv.MemoryModelVulkan {
		semantics |= uint32(spirv.MemorySemanticsMakeAvailable | spirv.MemorySemanticsMakeVisible)
	}
	constant := func(v uint32) uint32 {
		id := fresh()
		decls = append(decls, spirv.Inst{Op: spirv.OpConstant, Type: uint32Type, Result: id, Args: []uint32{v}})
		return uint32(id)
	}
	scope, sem := constant(uint32(spirv.ScopeWorkgroup)), constant(semantics)
	first := slices.IndexFunc(m.Insts, func(in spirv.Inst) bool { return in.Op == spirv.OpFunction })
	insts := slices.Concat(m.Insts[:first], decls, m.Insts[first:at],
		[]spirv.Inst{{Op: spirv.OpControlBarrier, Args: []uint32{scope, scope, sem}}}, m.Insts[at:])
	m.Insts, m.Bound = insts, next
	return spirv.Decode(m.Name, m.Encode(binary.LittleEndian))
}

// lines tells which lines the instructions of a kernel come from: those of the
// change's file or, if it is unknown, the files.
func (c Change) lines(u *spirv.Unit) string {
	files := map[string][]int{}
	for _, fn := range u.Functions {
		for _, b := range fn.Blocks {
			for i := b.First; i <= b.Last; i++ {
				if p := u.PosOf(i); p.Line > 0 {
					files[p.File] = append(files[p.File], p.Line)
				}
			}
		}
	}
	var parts []string
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if filepath.Base(file) != filepath.Base(c.File) {
			continue
		}
		lines := slices.Compact(slices.Sorted(slices.Values(files[file])))
		for i := 0; i < len(lines); {
			first := i
			for i++; i < len(lines) && lines[i] == lines[i-1]+1; i++ {
			}
			if part := strconv.Itoa(lines[first]); i == first+1 {
				parts = append(parts, part)
			} else {
				parts = append(parts, fmt.Sprintf("%s-%d", part, lines[i-1]))
			}
		}
		return "there are instructions from lines " + strings.Join(parts, ", ")
	}
	if len(files) == 0 {
		return "the module has no line information"
	}
	return "its source is " + strings.Join(slices.Sorted(maps.Keys(files)), ", ")
}

// plain is an emulator without checks that goes on after faults.
func plain(opt Options, seed uint64) *emu.Emulator {
	return &emu.Emulator{Options: emu.Options{
		Warp: opt.Warp, Seed: seed, Steps: opt.Steps, Robust: opt.Robust, Engine: opt.Engine,
		OnFault: func(_ *emu.Machine, _ *warp.Warp, f *warp.Fault) bool { return goesOn(f) },
	}}
}
