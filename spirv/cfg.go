package spirv

import "slices"

// Construct gives the construct that header opens, nil if it opens none.
func (f *Function) Construct(header *Block) *Construct { return header.enters }

// Constructs gives the function's constructs, an outer one before those
// inside it.
func (f *Function) Constructs() []*Construct { return f.constructs }

// Contains reports whether a block whose Construct is inner lies in c: c is
// inner or one of the constructs around it.
func (c *Construct) Contains(inner *Construct) bool {
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
			r.fail(i, "operand %%%d is not a label", id)
		}
		if !inF[b] {
			r.fail(i, "label %%%d belongs to another function", id)
		}
		return b
	}
	for _, b := range f.Blocks {
		for _, id := range r.targets(b.Last) {
			s := label(b.Last, ID(id))
			if s == f.Blocks[0] {
				r.fail(b.Last, "branches to the function's first block %%%d", id)
			}
			b.Succs = append(b.Succs, s)
		}
		b.Succs = unique(b.Succs)
		for _, s := range b.Succs {
			s.Preds = append(s.Preds, b)
		}
	}
	f.order = dominate(f.Blocks, func(b *Block) []*Block { return b.Succs },
		func(b *Block) { b.Reachable = true },
		func(b, d *Block) { b.IDom = d })
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
			r.fail(i, "selector %%%d is not an integer", in.Args[0])
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

// dominate computes dominators in the graph with the given edges by the
// algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
// Algorithm"), and gives the reached blocks in reverse postorder. It calls
// reach for each block reached from blocks[0] and set for each with its
// immediate dominator (nil for blocks[0]).
func dominate(blocks []*Block, succs func(*Block) []*Block, reach func(*Block), set func(b, idom *Block)) []*Block {
	order := postorder(blocks, succs)
	number := make([]int, len(blocks)) // by Index: place in order, or -1
	for i := range number {
		number[i] = -1
	}
	for n, b := range order {
		number[b.Index] = n
		reach(b)
	}
	preds := make([][]int, len(order))
	for n, b := range order {
		for _, s := range succs(b) {
			k := number[s.Index]
			preds[k] = append(preds[k], n)
		}
	}
	root := len(order) - 1
	idom := make([]int, len(order))
	for n := range idom {
		idom[n] = -1
	}
	idom[root] = root
	for changed := true; changed; {
		changed = false
		for n := root - 1; n >= 0; n-- {
			d := -1
			for _, p := range preds[n] {
				switch {
				case idom[p] < 0:
				case d < 0:
					d = p
				default:
					for p != d {
						for p < d {
							p = idom[p]
						}
						for d < p {
							d = idom[d]
						}
					}
				}
			}
			if idom[n] != d {
				idom[n] = d
				changed = true
			}
		}
	}
	for n, b := range order {
		if n == root {
			set(b, nil)
		} else {
			set(b, order[idom[n]])
		}
	}
	slices.Reverse(order)
	return order
}

// postorder gives the blocks reached from blocks[0], each after those first
// reached through it.
func postorder(blocks []*Block, succs func(*Block) []*Block) []*Block {
	type visit struct {
		b    *Block
		rest []*Block
	}
	var order []*Block
	seen := make([]bool, len(blocks))
	seen[blocks[0].Index] = true
	stack := []visit{{blocks[0], succs(blocks[0])}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.rest) == 0 {
			order = append(order, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := top.rest[0]
		top.rest = top.rest[1:]
		if !seen[s.Index] {
			seen[s.Index] = true
			stack = append(stack, visit{s, succs(s)})
		}
	}
	return order
}

// domTree answers dominance in O(1) by an Euler tour of a dominator tree.
type domTree struct{ in, out []int }

// newDomTree numbers the tree given by idom over blocks in an order where a
// block comes after its dominators.
func newDomTree(n int, order []*Block, idom func(*Block) *Block) domTree {
	t := domTree{make([]int, n), make([]int, n)}
	size := make([]int, n)
	for _, b := range slices.Backward(order) {
		size[b.Index]++
		if d := idom(b); d != nil {
			size[d.Index] += size[b.Index]
		}
	}
	next := make([]int, n) // first free number among a block's children
	for _, b := range order {
		at := 1
		if d := idom(b); d != nil {
			at = next[d.Index]
			next[d.Index] += size[b.Index]
		}
		t.in[b.Index], t.out[b.Index] = at, at+size[b.Index]
		next[b.Index] = at + 1
	}
	return t
}

// dominates reports whether a is b or dominates it; false if either is not in
// the tree.
func (t domTree) dominates(a, b *Block) bool {
	return t.in[a.Index] > 0 && t.in[a.Index] <= t.in[b.Index] && t.in[b.Index] < t.out[a.Index]
}
