package racecheck

import (
	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/warp"
)

// SameValue says what becomes of races in which both threads write the same
// value.
type SameValue uint8

// The rules for races in which the same value is written. Memory that holds
// the value already is written all the same, so by default they are races of
// a class of their own.
const (
	ReportSameValue SameValue = iota
	// Unchanged lets a write pass that leaves memory as it was (Direct3D's
	// ALLOW_SAME).
	Unchanged
	// UniformWrites lets two stores of the same bytes pass (Oclgrind).
	UniformWrites
)

// Options say how to check. The zero value checks with the severities of the
// table of findings.
type Options struct {
	Warp   int    // lanes per warp, 0 for the launch's or the emulator's default
	Seed   uint64 // schedule, 0 for the canonical one
	Steps  uint64 // budget in thread-instructions for each dispatch, 0 for the emulator's
	Robust bool   // accesses out of bounds are as robustBufferAccess has them, and no findings
	// Severity overrides the table's, by rule ("race/same-value"), class
	// ("same-value") or code ("race"); the most precise name counts.
	Severity map[string]diag.Severity
	// Strict takes the Vulkan memory model literally: private accesses, aliased
	// bindings and half-fenced barriers are errors, and in modules that declare
	// it, writes must be made available and visible.
	Strict         bool
	AssumeLockstep bool // threads of a warp are ordered by running in lockstep
	SameValue      SameValue
	StopOnFinding  bool // stop at the first finding; at a race, at its second access
	// Engine, Printf and Progress are the emulator's, see emu.Options.
	Engine   warp.Engine
	Printf   func(t diag.Thread, text string)
	Progress func(emu.Progress)
	// Uninitialized names buffers whose contents count as not written.
	Uninitialized []string
	// Unordered names buffers and images, as the launch does or as SET.BINDING,
	// of whose elements every permutation is as good: RepeatSeeds does not tell
	// them apart.
	Unordered []string
}

// SeverityOf is that of a kind of finding: what the options give it by rule,
// class or code, or its default.
func (o *Options) SeverityOf(code diag.Code, class string) diag.Severity {
	if class != "" {
		if s, ok := o.Severity[string(code)+"/"+class]; ok {
			return s
		}
		if s, ok := o.Severity[class]; ok {
			return s
		}
	}
	if s, ok := o.Severity[string(code)]; ok {
		return s
	}
	if o.Strict && code == diag.Race {
		switch class {
		case diag.RacePrivate, diag.RaceAliasedBinding, diag.RaceHalfFenced:
			return diag.SeverityError
		}
	}
	return diag.DefaultSeverity(code, class)
}
