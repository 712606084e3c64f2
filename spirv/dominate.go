package spirv

import "slices"

// depthFirst is a depth-first search from a function's first block. Blocks
// are known by their place in preorder.
type depthFirst struct {
	blocks []*Block // in preorder
	parent []int    // in the search's tree
	number []int    // by Block.Index: place in preorder, or -1
	post   []*Block // in postorder
}

func searchDepthFirst(blocks []*Block, succs func(*Block) []*Block) *depthFirst {
	s := &depthFirst{number: make([]int, len(blocks))}
	for i := range s.number {
		s.number[i] = -1
	}
	type visit struct {
		b    *Block
		rest []*Block
	}
	var stack []visit
	enter := func(b *Block, parent int) {
		s.number[b.Index] = len(s.blocks)
		s.blocks = append(s.blocks, b)
		s.parent = append(s.parent, parent)
		stack = append(stack, visit{b, succs(b)})
	}
	enter(blocks[0], 0)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.rest) == 0 {
			s.post = append(s.post, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		next := top.rest[0]
		top.rest = top.rest[1:]
		if s.number[next.Index] < 0 {
			enter(next, s.number[top.b.Index])
		}
	}
	return s
}

// dominate computes dominators in the graph with the given edges, and gives
// the reached blocks in reverse postorder. It calls set for each block that is
// reached from blocks[0] with its immediate dominator (nil for blocks[0]).
//
// The algorithm is Lengauer and Tarjan's ("A Fast Algorithm for Finding
// Dominators in a Flowgraph") with simple linking: the iterative one of
// Cooper, Harvey and Kennedy takes quadratic time in functions that a hostile
// module can have.
func dominate(blocks []*Block, succs func(*Block) []*Block, set func(b, idom *Block)) []*Block {
	s := searchDepthFirst(blocks, succs)
	n := len(s.blocks)
	preds := make([][]int, n)
	for k, b := range s.blocks {
		for _, next := range succs(b) {
			m := s.number[next.Index]
			preds[m] = append(preds[m], k)
		}
	}
	f := newDomForest(n)
	idom := make([]int, n)
	bucket := make([][]int, n) // blocks by semidominator
	for w := n - 1; w > 0; w-- {
		for _, v := range preds[w] {
			f.semi[w] = min(f.semi[w], f.semi[f.eval(v)])
		}
		bucket[f.semi[w]] = append(bucket[f.semi[w]], w)
		p := s.parent[w]
		f.ancestor[w] = p
		for _, v := range bucket[p] {
			idom[v] = p
			if u := f.eval(v); f.semi[u] < f.semi[v] {
				idom[v] = u
			}
		}
		bucket[p] = nil
	}
	set(s.blocks[0], nil)
	for w := 1; w < n; w++ {
		if idom[w] != f.semi[w] {
			idom[w] = idom[idom[w]]
		}
		set(s.blocks[w], s.blocks[idom[w]])
	}
	slices.Reverse(s.post)
	return s.post
}

// domForest is the forest that Lengauer and Tarjan's algorithm links.
type domForest struct {
	semi     []int // semidominator
	ancestor []int // -1 for a root
	label    []int // block of the least semidominator on the path up to a root's child
	path     []int
}

func newDomForest(n int) *domForest {
	f := &domForest{make([]int, n), make([]int, n), make([]int, n), nil}
	for k := range n {
		f.semi[k], f.ancestor[k], f.label[k] = k, -1, k
	}
	return f
}

// eval gives the block of least semidominator on v's path to its root, the
// root left out; v if it is a root. It compresses the path.
func (f *domForest) eval(v int) int {
	if f.ancestor[v] < 0 {
		return v
	}
	f.path = f.path[:0]
	for u := v; f.ancestor[f.ancestor[u]] >= 0; u = f.ancestor[u] {
		f.path = append(f.path, u)
	}
	for _, u := range slices.Backward(f.path) {
		a := f.ancestor[u]
		if f.semi[f.label[a]] < f.semi[f.label[u]] {
			f.label[u] = f.label[a]
		}
		f.ancestor[u] = f.ancestor[a]
	}
	return f.label[v]
}

// Dominates reports whether all ways from the function's entry to a reachable
// block of the same function lead through b; a block dominates itself.
func (b *Block) Dominates(a *Block) bool { return b.in > 0 && b.in <= a.in && a.in < b.out }

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
