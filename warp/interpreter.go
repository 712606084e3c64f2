package warp

import "ampdbg/program"

// Interpreter is the engine that executes operations one after the other, in a
// quick form where that holds.
type Interpreter struct {
	// Plain makes it execute the operations of programs as they are.
	Plain bool
}

// Interpreted is a program made ready for the interpreter.
type Interpreted struct {
	functions *Functions
	plain     []program.Op
	quick     []program.Op // operation pc does what those of plain from pc on do, one or several
}

// Compile makes a program ready. It implements Engine.
func (e Interpreter) Compile(p *program.Program) (Code, error) {
	c, err := e.Interpret(p)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Interpret is Compile, for those who want to patch or step what they get.
func (e Interpreter) Interpret(p *program.Program) (*Interpreted, error) {
	f, err := Resolve(p)
	if err != nil {
		return nil, err
	}
	c := &Interpreted{functions: f, plain: p.Code, quick: p.Code}
	if !e.Plain {
		c.quick = quicken(p)
	}
	return c, nil
}

// Form is what the quick form does at pc: the name of its rule, "" where there is
// none, and the number of the program's operations.
func (c *Interpreted) Form(pc int) (rule string, operations int) {
	if code := c.quick[pc].Code; code > Break {
		r := ruleOf(code)
		return r.name, r.does
	}
	return "", 1
}

// Functions are those of the program.
func (c *Interpreted) Functions() *Functions { return c.functions }

// Run executes operations. It implements Code.
func (c *Interpreted) Run(w *Warp, limit uint64) Status {
	if w.ragged {
		return c.run(w, c.plain, limit) // the quick form does not hold
	}
	return c.run(w, c.quick, limit)
}

// Patch is the quick form of a program with Breaks in it. It is a Code.
type Patch struct {
	*Interpreted
	code []program.Op
	set  []bool
}

// NewPatch makes a Patch without Breaks.
func (c *Interpreted) NewPatch() *Patch {
	return &Patch{Interpreted: c, code: append([]program.Op(nil), c.quick...), set: make([]bool, len(c.plain))}
}

// Run executes operations, up to a Break.
func (x *Patch) Run(w *Warp, limit uint64) Status { return x.run(w, x.code, limit) }

// Set puts a Break before operation pc, or takes it away. Operations that do
// several at once, that one among them, are as in Program.Code meanwhile.
func (x *Patch) Set(pc int, on bool) {
	x.set[pc] = on
	for q := max(pc-maxDone+1, 0); q <= pc; q++ {
		x.update(q)
	}
}

// Breaks reports whether there is a Break before operation pc.
func (x *Patch) Breaks(pc int) bool { return x.set[pc] }

// update makes operation q what it has to be.
func (x *Patch) update(q int) {
	_, n := x.Form(q)
	x.code[q] = x.quick[q]
	for i := q; i < q+n; i++ {
		if x.set[i] {
			x.code[q] = x.plain[q]
		}
	}
	if x.set[q] {
		x.code[q] = program.Op{Code: Break}
	}
}

// Stepper executes warps operation by operation.
type Stepper struct {
	c    *Interpreted
	code []program.Op // Breaks, but for the operation that is being executed
}

// NewStepper makes a Stepper for warps of the program.
func (c *Interpreted) NewStepper() *Stepper {
	s := &Stepper{c, make([]program.Op, len(c.plain))}
	for i := range s.code {
		s.code[i].Code = Break
	}
	return s
}

// Step executes the operation of the program that is next for w, as Run(limit)
// would. It returns AtBreak where the warp can go on with another one, which is
// the same if an observer halted the warp before it (see Tile.Halt).
func (s *Stepper) Step(w *Warp, limit uint64) Status {
	pc := w.PC
	s.code[pc] = s.c.plain[pc]
	st := s.c.run(w, s.code, limit)
	s.code[pc] = program.Op{Code: Break}
	return st
}

// Stop leaves w before the operation that is next for it, as a Break does.
func (s *Stepper) Stop(w *Warp) Status { return s.c.run(w, s.code, 0) }
