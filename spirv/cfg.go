package spirv

import "slices"

// Construct gives the construct that header opens, nil if it opens none.
func (f *Function) Construct(header *Block) *Construct { return header.enters }

// Constructs gives the function's constructs, an outer one before those
// inside it.
func (f *Function) Constructs() []*Construct { return f.constructs }

// contains reports whether a block whose Construct is inner lies in c: c is
// inner or one of the constructs around it.
func (c *Construct) contains(inner *Construct) bool {
	for inner != nil && inner.Depth > c.Depth {
		inner = inner.Parent
	}
	return inner == c
}

// Case is a target of an OpSwitch: Value is the selector's raw bits,
// zero-extended.
type Case struct {
	Value  uint64
	Target *Block
}

// Switch gives the targets of a block that ends with OpSwitch.
func (u *Unit) Switch(b *Block) (def *Block, cases []Case) {
	in := &u.Insts[b.Last]
	if in.Op != OpSwitch {
		return nil, nil
	}
	width := u.TypeOf(ID(in.Args[0])).Width
	step := 2
	if width == 64 {
		step = 3
	}
	for k := 2; k+step <= len(in.Args); k += step {
		v := uint64(in.Args[k])
		if step == 3 {
			v |= uint64(in.Args[k+1]) << 32
		}
		cases = append(cases, Case{mask(v, width), u.Block(ID(in.Args[k+step-1]))})
	}
	return u.Block(ID(in.Args[1])), cases
}

// readFlow resolves the control flow of f, whose blocks are read.
func (r *resolver) readFlow(f *Function) {
	if len(f.Blocks) == 0 {
		return
	}
	inF := make(map[*Block]bool, len(f.Blocks))
	for _, b := range f.Blocks {
		inF[b] = true
	}
	label := func(i int, id ID) *Block {
		b := r.Block(id)
		if b == nil {
			r.target(i, id)
			r.fail(i, "operand %s is not a label", r.IDName(id))
		}
		if !inF[b] {
			r.fail(i, "label %s belongs to another function", r.IDName(id))
		}
		return b
	}
	for _, b := range f.Blocks {
		for _, id := range r.targets(b.Last) {
			s := label(b.Last, ID(id))
			if s == f.Blocks[0] {
				r.fail(b.Last, "branches to the function's first block %s", r.IDName(ID(id)))
			}
			b.Succs = append(b.Succs, s)
		}
		b.Succs = unique(b.Succs)
		for _, s := range b.Succs {
			s.Preds = append(s.Preds, b)
		}
	}
	f.order = dominate(f.Blocks, func(b *Block) []*Block { return b.Succs },
		func(b, d *Block) { b.Reachable, b.IDom = true, d })
	r.readConstructs(f, label)
}

// targets gives the label operands of terminator i.
func (r *resolver) targets(i int) []uint32 {
	in := &r.Insts[i]
	switch in.Op {
	case OpBranch:
		r.arg(i, 0)
		return in.Args[:1]
	case OpBranchConditional:
		r.arg(i, 2)
		return in.Args[1:3]
	case OpSwitch:
		t := r.TypeOf(ID(r.arg(i, 0)))
		if t == nil || t.Kind != Int {
			r.fail(i, "selector %s is not an integer", r.IDName(ID(in.Args[0])))
		}
		step := 2
		if t.Width == 64 {
			step = 3
		}
		r.arg(i, 1)
		if (len(in.Args)-2)%step != 0 {
			r.fail(i, "ends within a pair of literal and label")
		}
		labels := []uint32{in.Args[1]}
		for k := 1 + step; k < len(in.Args); k += step {
			labels = append(labels, in.Args[k])
		}
		return labels
	}
	return nil
}

// unique drops repeats, keeping the order of first appearance.
func unique(blocks []*Block) []*Block {
	if len(blocks) < 16 {
		out := blocks[:0]
		for _, b := range blocks {
			if !slices.Contains(out, b) {
				out = append(out, b)
			}
		}
		return out
	}
	seen := make(map[*Block]bool, len(blocks))
	return slices.DeleteFunc(blocks, func(b *Block) bool {
		again := seen[b]
		seen[b] = true
		return again
	})
}
