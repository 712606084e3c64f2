package emu

import (
	"fmt"
	"strconv"

	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/warp"
)

// DefaultWarp is the warp width where none is asked for.
const DefaultWarp = 4

// defaultSteps is the step budget where none is set, in thread-instructions.
const defaultSteps = 1 << 38

// ReverseSeed is the schedule in which tiles, and the warps of a tile, take
// their turns from the last to the first.
const ReverseSeed = ^uint64(0)

// SeedName is how people write a seed.
func SeedName(seed uint64) string {
	if seed == ReverseSeed {
		return "reverse"
	}
	return strconv.FormatUint(seed, 10)
}

// Options say how to run a dispatch. The zero value runs it on warps of 4
// lanes, one worker, in the canonical schedule.
type Options struct {
	Warp    int    // lanes per warp, 1 to 128; 0: 4, or what the launch requires
	Workers int    // tiles that may run at once; 0 or 1: one
	Seed    uint64 // schedule; 0 is the canonical one, ReverseSeed its reverse
	Swap    *Swap  // in the canonical schedule: two warps that change places; nil for none
	Steps   uint64 // budget in thread-instructions for each dispatch; 0: DefaultSteps
	Robust  bool   // accesses out of bounds read 0 and write nothing
	// Observe, if set, is asked for those who are to observe a dispatch when that
	// has been lowered and bound, and is about to run; an error keeps it from that.
	// Observers need one worker, which is then used whatever Workers says.
	Observe func(m *Machine) ([]Observer, error)
	// Program, if set, gives the program that a dispatch runs in place of its own.
	Program func(m *Machine) (*program.Program, error)
	// OnFault is asked whether to go on after a fault of the kernel, reading 0
	// and writing nothing; nil stops.
	OnFault func(m *Machine, w *warp.Warp, f *warp.Fault) bool
	// Printf receives the output of DebugPrintf, tile by tile in order.
	Printf func(t diag.Thread, text string)
	// Progress is called now and then while tiles run.
	Progress func(Progress)
	// Exact keeps every intermediate value in a register of its own, as a
	// debugger needs it, and checks indexes into the parts of variables.
	Exact bool
	// Checks makes programs check indexes into the parts of variables, keep
	// OpUndef apart from constants, and notice operations without a defined
	// result.
	Checks bool
	// Engine executes programs; nil: warp.Interpreter.
	Engine warp.Engine
	// Undefined, if not nil, is where it is noted for which reasons operations had
	// no defined result, one bit (1 << program.Reason) each. It needs Checks and one worker.
	Undefined *uint32
	// Used is called when a shadow program uses an undefined result.
	Used func()
}

// Progress says how far a dispatch is.
type Progress struct {
	Tiles, TilesTotal uint64 // finished, of all
	Steps             uint64 // thread-instructions so far
}

// Result is what a dispatch did.
type Result struct {
	Steps    uint64 // thread-instructions executed
	Tiles    uint64 // tiles that ran to their end
	Findings []diag.Finding
	// Stopped says that the dispatch ended early: at a fault, or in a state
	// from which no thread could go on.
	Stopped bool
	// Parallel says that tiles ran at once; false where they had to run one
	// after the other.
	Parallel bool
}

// StoppedError ends a launch whose kernel could not go on; its findings say
// why.
type StoppedError struct{ Findings []diag.Finding }

func (e *StoppedError) Error() string {
	if len(e.Findings) == 0 {
		return "kernel stopped"
	}
	f := &e.Findings[0]
	return fmt.Sprintf("%s: %s: %s", f.Position(), f.Rule(), f.Message)
}

func (o *Options) width() int {
	if o.Warp == 0 {
		return DefaultWarp
	}
	return o.Warp
}

func (o *Options) engine() warp.Engine {
	if o.Engine == nil {
		return warp.Interpreter{}
	}
	return o.Engine
}

func (o *Options) steps() uint64 {
	if o.Steps == 0 {
		return defaultSteps
	}
	return o.Steps
}
