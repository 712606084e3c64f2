package warp

// Patch is the quick form of a program with Breaks in it.
type Patch struct {
	Code []Op
	p    *Program
	set  []bool
}

// NewPatch makes a Patch without Breaks.
func (p *Program) NewPatch() *Patch {
	return &Patch{Code: append([]Op(nil), p.Fast...), p: p, set: make([]bool, len(p.Code))}
}

// Set puts a Break before operation pc, or takes it away. Operations that do
// several at once, that one among them, are as in Program.Code meanwhile.
func (x *Patch) Set(pc int, on bool) {
	x.set[pc] = on
	for q := pc; q >= 0; q-- {
		n := x.p.extent(q)
		if q+n > pc {
			x.update(q, n)
		}
		if !x.p.inside(q) {
			return
		}
	}
}

// update makes operation q, which does n, what it has to be.
func (x *Patch) update(q, n int) {
	x.Code[q] = x.p.Fast[q]
	for i := q; i < q+n; i++ {
		if x.set[i] {
			x.Code[q] = x.p.Code[q]
		}
	}
	if x.set[q] {
		x.Code[q] = Op{Code: Break}
	}
}

// extent is how many operations of Code operation pc of Fast does.
func (p *Program) extent(pc int) int {
	switch p.Fast[pc].Code {
	case LoadLoadFma:
		return 3
	case CompareBranch, MulAdd:
		return 2
	case LoopNext:
		return int(p.Fast[pc].X) + 2
	}
	return 1
}

// inside reports whether an operation of Fast before pc may do the one at pc.
func (p *Program) inside(pc int) bool {
	switch p.Code[pc].Code {
	case Load32, Fma32, Mov, BackEdge, IAdd32, BranchIf:
		return true
	}
	return false
}
