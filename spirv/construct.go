package spirv

import "slices"

// maxNesting is SPIR-V's universal limit on control-flow nesting (2.17).
const maxNesting = 1023

// readConstructs finds the structured constructs of f (SPIR-V 2.11) from
// structural dominance: dominance in the graph that has, besides the
// branches, edges from each header to its merge block and continue target.
func (r *resolver) readConstructs(f *Function, label func(int, ID) *Block) {
	merged := map[*Block]*Block{} // header by merge block
	for _, b := range f.Blocks {
		if b.MergeInst >= 0 {
			r.readMerge(b, label)
			if !r.structured {
				b.enters = nil
			} else if other := merged[b.enters.Merge]; other != nil {
				r.fail(b.MergeInst, "merge block %s is already that of header %s", r.IDName(b.enters.Merge.Label), r.IDName(other.Label))
			} else {
				merged[b.enters.Merge] = b
			}
		}
	}
	order := dominate(f.Blocks, structuralSuccs, func(b, d *Block) { b.sdom = d })
	for n, b := range order {
		b.Order = n
	}
	if !r.structured {
		return
	}
	tree := newDomTree(len(f.Blocks), order, func(b *Block) *Block { return b.sdom })
	for _, b := range order {
		r.place(f, b, merged[b], tree)
	}
	for _, b := range order {
		r.checkExits(b, tree)
	}
	r.checkSelections(order)
}

// readMerge reads the merge instruction of header b.
func (r *resolver) readMerge(b *Block, label func(int, ID) *Block) {
	i := b.MergeInst
	c := &Construct{Header: b, Merge: label(i, ID(r.arg(i, 0)))}
	branch := r.Insts[b.Last].Op
	switch {
	case r.Insts[i].Op == OpLoopMerge:
		c.Kind = LoopConstruct
		c.Continue = label(i, ID(r.arg(i, 1)))
		if branch != OpBranch && branch != OpBranchConditional {
			r.fail(i, "followed by %s, expected OpBranch or OpBranchConditional", branch)
		}
		if c.Continue == c.Merge {
			r.fail(i, "merge block and continue target are both %s", r.IDName(c.Merge.Label))
		}
	case branch == OpSwitch:
		c.Kind = SwitchConstruct
	case branch == OpBranchConditional:
		c.Kind = SelectionConstruct
	default:
		r.fail(i, "followed by %s, expected OpBranchConditional or OpSwitch", branch)
	}
	if c.Merge == b {
		r.fail(i, "block %s is its own merge block", r.IDName(b.Label))
	}
	b.enters = c
}

// structuralSuccs gives the structural edges from b, those to the merge block
// and continue target first and the branches last to first: what comes first
// here comes last in a reverse postorder.
func structuralSuccs(b *Block) []*Block {
	s := make([]*Block, 0, len(b.Succs)+2)
	if c := b.enters; c != nil {
		s = append(s, c.Merge)
		if c.Continue != nil {
			s = append(s, c.Continue)
		}
	}
	for _, t := range slices.Backward(b.Succs) {
		s = append(s, t)
	}
	return s
}

// place finds the construct that b lies in; those of its structural
// dominators are known. header is the one whose merge block b is, if any.
//
// A merge block's immediate structural dominator is its header, since there
// is an edge; so walking down the tree of structural dominators, a construct
// is entered below its header and left at its merge block.
func (r *resolver) place(f *Function, b, header *Block, tree domTree) {
	if header != nil && tree.in[header.Index] > 0 && b.sdom != header {
		r.fail(header.MergeInst, "header %s does not structurally dominate its merge block %s", r.IDName(header.Label), r.IDName(b.Label))
	}
	var outer *Construct
	switch d := b.sdom; {
	case d == nil:
	case d.enters == nil:
		outer = d.Construct
	case d.enters.Merge == b:
		outer = d.enters.Parent
	default:
		outer = d.enters
	}
	b.Construct = outer
	c := b.enters
	if c == nil {
		return
	}
	c.Parent, c.Depth = outer, 1
	if outer != nil {
		c.Depth = outer.Depth + 1
	}
	if c.Depth > maxNesting {
		r.fail(b.MergeInst, "control flow nested deeper than %d", maxNesting)
	}
	if c.Kind == LoopConstruct {
		b.Construct = c
		if !tree.dominates(b, c.Continue) {
			r.fail(b.MergeInst, "header %s does not structurally dominate its continue target %s", r.IDName(b.Label), r.IDName(c.Continue.Label))
		}
		if tree.dominates(c.Merge, c.Continue) {
			r.fail(b.MergeInst, "continue target %s lies behind the merge block", r.IDName(c.Continue.Label))
		}
	}
	f.constructs = append(f.constructs, c)
}

// checkExits checks that each branch of b stays in the construct it is in or
// leaves it in one of the ways that a stack of active masks can follow: to
// the merge block of a construct around it, to the continue target of the
// innermost loop, or, from a continue construct, back to the loop's header.
func (r *resolver) checkExits(b *Block, tree domTree) {
	from := b.Construct
	if b.enters != nil {
		from = b.enters
	}
	for _, s := range b.Succs {
		to := s.Construct
		loop := s.enters != nil && s.enters.Kind == LoopConstruct
		if loop {
			to = s.enters.Parent
		}
		switch {
		case loop && tree.dominates(s, b):
			if !tree.dominates(s.enters.Continue, b) {
				r.fail(b.Last, "branches back to loop header %s from outside its continue construct", r.IDName(s.Label))
			}
		case s.Order <= b.Order:
			r.fail(b.Last, "branches back to %s, which is not the header of a loop around it", r.IDName(s.Label))
		case to == from, isMergeAround(s, from), isContinueAround(s, from):
		default:
			r.fail(b.Last, "branches from block %s to %s, which lies in another construct and is neither a merge block around it nor its loop's continue target", r.IDName(b.Label), r.IDName(s.Label))
		}
	}
}

// checkSelections requires a merge instruction of each branch with several
// targets that no earlier block knows (as a target, merge block or continue
// target), as spirv-val does.
func (r *resolver) checkSelections(order []*Block) {
	known := make([]bool, len(order))
	for _, b := range order {
		c := b.enters
		if c != nil {
			known[c.Merge.Order] = true
			if c.Continue != nil {
				known[c.Continue.Order] = true
			}
		}
		fresh := 0
		for _, s := range b.Succs {
			if !known[s.Order] {
				fresh++
			}
			known[s.Order] = true
		}
		if c != nil && c.Kind != LoopConstruct {
			continue
		}
		if fresh > 1 || r.Insts[b.Last].Op == OpSwitch {
			r.fail(b.Last, "block %s selects among blocks without an OpSelectionMerge", r.IDName(b.Label))
		}
	}
}

// isMergeAround reports whether s is the merge block of a construct around
// (or equal to) from.
func isMergeAround(s *Block, from *Construct) bool {
	if s.sdom == nil || s.sdom.enters == nil || s.sdom.enters.Merge != s {
		return false
	}
	return s.sdom.enters.contains(from)
}

// isContinueAround reports whether s is the continue target of the innermost
// loop around (or equal to) from.
func isContinueAround(s *Block, from *Construct) bool {
	for c := from; c != nil; c = c.Parent {
		if c.Kind == LoopConstruct {
			return c.Continue == s
		}
	}
	return false
}
