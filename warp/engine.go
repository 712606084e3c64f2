package warp

import (
	"fmt"

	"ampdbg/program"
	"ampdbg/warp/scalar"
)

// Engine makes programs ready to run. Engines leave the same rows, masks, steps,
// faults and accesses; the Interpreter is the reference.
type Engine interface {
	// Compile makes a program that has passed its Check ready. The error is for a
	// symbol that the engine does not know.
	Compile(p *program.Program) (Code, error)
}

// Code is a program that an engine has made ready. Any number of warps may run it
// at once.
type Code interface {
	// Run executes operations of a warp that is Runnable until it finishes, blocks at
	// a tile barrier, faults, or reaches a back edge with at least limit
	// thread-instructions executed in total (see Warp.Steps). It leaves rows, masks,
	// PC, Steps and the open constructs as of then, and returns the status.
	Run(w *Warp, limit uint64) Status
	// Functions are those of the program.
	Functions() *Functions
}

// Functions are the symbols of a program, resolved.
type Functions struct {
	Program *program.Program

	one    []scalar.Func1 // by Program.Functions; of each, that of its arity is not nil
	two    []scalar.Func2
	three  []scalar.Func3
	calls  []scalar.FuncN // by Program.Calls
	groups []scalar.Func2 // by Program.Groups, nil where there is none
	tests  []func(in []uint64) program.Reason
}

// Wrap replaces the functions of one and of two scalars by what the arguments make
// of them, to simulate machines that compute otherwise.
func (f *Functions) Wrap(one func(program.Symbol, scalar.Func1) scalar.Func1, two func(program.Symbol, scalar.Func2) scalar.Func2) {
	for i, s := range f.Program.Functions {
		if f.one[i] != nil {
			f.one[i] = one(s, f.one[i])
		}
		if f.two[i] != nil {
			f.two[i] = two(s, f.two[i])
		}
	}
}

// Resolve finds the functions that a program's symbols name.
func Resolve(p *program.Program) (*Functions, error) {
	f := &Functions{
		Program: p,
		one:     make([]scalar.Func1, len(p.Functions)), two: make([]scalar.Func2, len(p.Functions)), three: make([]scalar.Func3, len(p.Functions)),
		calls: make([]scalar.FuncN, len(p.Calls)), groups: make([]scalar.Func2, len(p.Groups)),
		tests: make([]func([]uint64) program.Reason, len(p.Defined)),
	}
	for pc := range p.Code {
		op, ok := &p.Code[pc], true
		var s program.Symbol
		switch op.Code {
		case program.Call1:
			s = p.Functions[op.X]
			f.one[op.X], ok = scalar.Resolve1(s)
		case program.Call2:
			s = p.Functions[op.X]
			f.two[op.X], ok = scalar.Resolve2(s)
		case program.Call3:
			s = p.Functions[op.X]
			f.three[op.X], ok = scalar.Resolve3(s)
		case program.CallN:
			s = p.Calls[op.X].Fn
			f.calls[op.X], ok = scalar.ResolveN(s)
		case program.Group:
			if s = p.Groups[op.X].Fn; s != (program.Symbol{}) {
				f.groups[op.X], ok = scalar.Resolve2(s)
			}
		case program.CheckDefined, program.MarkUndefined:
			f.tests[op.X] = scalar.ResolveTest(p.Defined[op.X].Test)
		}
		if !ok {
			return nil, fmt.Errorf("operation %d, %v, of the lowered program names no function: %v", pc, op.Code, s)
		}
	}
	return f, nil
}
