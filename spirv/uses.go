package spirv

// checkUses checks the id operands of all instructions: they are defined, of
// the right sort, and, inside functions, available where they are used (SSA).
// The operands of debug information are not checked: see debugReader.
func (r *resolver) checkUses() {
	w := operandWalker{context: r.operandContext()}
	each := func(i int, visit func(o Operand)) {
		w.visit = visit
		if p := w.walk(&r.Insts[i]); p != nil {
			panic(bailout{p.at(r.Module, &r.Insts[i])})
		}
	}
	for i := range r.Insts {
		if r.blocks[i] != nil || r.isDebugInst(i) {
			continue
		}
		each(i, func(o Operand) {
			if o.Kind.IsID() {
				r.target(i, ID(o.Words[0]))
			}
		})
	}
	for _, f := range r.Functions {
		if len(f.Blocks) == 0 {
			continue
		}
		c := useChecker{resolver: r, f: f}
		tree := newDomTree(len(f.Blocks), f.order, func(b *Block) *Block { return b.IDom })
		for k, b := range f.Blocks {
			b.in, b.out = tree.in[k], tree.out[k]
		}
		for _, b := range f.Blocks {
			c.block(b, each)
		}
	}
	r.checkCalls()
}

func (r *resolver) isDebugInst(i int) bool {
	in := &r.Insts[i]
	if in.Op != OpExtInst || len(in.Args) == 0 {
		return false
	}
	set := lookup[extSet](r.Unit, ID(in.Args[0]))
	return set == shaderDebugInfo || set == openCLDebugInfo
}

// useChecker checks the operands inside one function.
type useChecker struct {
	*resolver
	f *Function
}

func (c *useChecker) block(b *Block, each func(int, func(Operand))) {
	phis := true
	for i := b.First; i <= b.Last; i++ {
		in := &c.Insts[i]
		switch {
		case c.isDebugInst(i), in.Op == OpLine, in.Op == OpNoLine:
			continue
		case in.Op == OpPhi:
			if !phis {
				c.fail(i, "expected before the block's other instructions")
			}
			c.phi(i, b)
			continue
		}
		phis = phis && in.Op == OpVariable
		each(i, func(o Operand) {
			if o.Kind.IsID() {
				c.use(i, b, ID(o.Words[0]))
			}
		})
		c.control(i)
	}
}

// use checks that operand id of instruction i in block b is something that
// may stand there, and available.
func (c *useChecker) use(i int, b *Block, id ID) {
	d := c.target(i, id)
	def := &c.Insts[d]
	op := c.Insts[i].Op
	switch {
	case def.Op == OpLabel:
		switch op {
		case OpBranch, OpBranchConditional, OpSwitch, OpLoopMerge, OpSelectionMerge:
			return // see readFlow
		}
		c.fail(i, "operand %s is a label", c.IDName(id))
	case isTypeDeclaration(def.Op) && op != OpCooperativeMatrixLengthNV, def.Op == OpDecorationGroup:
		c.fail(i, "operand %s is no value", c.IDName(id))
	}
	c.available(i, b, d, i)
}

// available checks that the result of instruction d is available in block b
// before instruction at; i is the instruction to blame.
func (c *useChecker) available(i int, b *Block, d, at int) {
	from := c.blocks[d]
	switch {
	case c.Insts[d].Op == OpFunctionParameter:
		if d > c.f.Index && d < c.f.Blocks[0].First {
			return
		}
	case from == nil:
		return // module scope
	case from.Index < len(c.f.Blocks) && c.f.Blocks[from.Index] == from:
		if !b.Reachable || from == b && d < at || from != b && from.Dominates(b) {
			return
		}
		c.fail(i, "operand %s is not defined on every path to its use", c.IDName(c.Insts[d].Result))
	}
	c.fail(i, "operand %s belongs to another function", c.IDName(c.Insts[d].Result))
}

// phi checks that the OpPhi i has one value for each predecessor of b.
func (c *useChecker) phi(i int, b *Block) {
	args := c.Insts[i].Args
	if len(args) != 2*len(b.Preds) {
		c.fail(i, "%d operand words for %d predecessors, expected two for each", len(args), len(b.Preds))
	}
	seen := make(map[uint32]bool, len(b.Preds))
	for _, p := range b.Preds {
		seen[uint32(p.Label)] = false
	}
	for k := 0; k < len(args); k += 2 {
		if again, ok := seen[args[k+1]]; !ok || again {
			c.fail(i, "parent %s is not a predecessor, or is given twice", c.IDName(ID(args[k+1])))
		}
		seen[args[k+1]] = true
		d := c.target(i, ID(args[k]))
		if c.Insts[d].Type != c.Insts[i].Type {
			c.fail(i, "operand %s is not of the result's type", c.IDName(ID(args[k])))
		}
		parent := c.Block(ID(args[k+1]))
		c.available(i, parent, d, parent.Last)
	}
}

// control checks the operands that control flow and calls depend on.
func (c *useChecker) control(i int) {
	in := &c.Insts[i]
	switch in.Op {
	case OpBranchConditional:
		if t := c.TypeOf(ID(in.Args[0])); t == nil || t.Kind != Bool {
			c.fail(i, "condition %s is of type %s, expected bool", c.IDName(ID(in.Args[0])), t)
		}
	case OpReturn:
		if c.f.Type.Return.Kind != Void {
			c.fail(i, "expected OpReturnValue in a function that returns %s", c.f.Type.Return)
		}
	case OpReturnValue:
		if t := c.TypeOf(ID(in.Args[0])); t != c.f.Type.Return {
			c.fail(i, "value of type %s, expected %s", t, c.f.Type.Return)
		}
	case OpFunctionCall:
		f := c.Function(ID(in.Args[0]))
		if f == nil {
			c.fail(i, "operand %s is not a function", c.IDName(ID(in.Args[0])))
		}
		if c.Type(in.Type) != f.Type.Return {
			c.fail(i, "result type %s, expected %s", c.Type(in.Type), f.Type.Return)
		}
		if len(in.Args)-1 != len(f.Type.Params) {
			c.fail(i, "%d arguments, expected %d", len(in.Args)-1, len(f.Type.Params))
		}
		for k, p := range f.Type.Params {
			if t := c.TypeOf(ID(in.Args[1+k])); t != p {
				c.fail(i, "argument %s is of type %s, expected %s", c.IDName(ID(in.Args[1+k])), t, p)
			}
		}
	}
}

// checkCalls requires that no function calls itself, directly or through
// others (SPIR-V 2.16.1).
func (r *resolver) checkCalls() {
	type call struct {
		at int
		to *Function
	}
	calls := map[*Function][]call{}
	for _, f := range r.Functions {
		for _, b := range f.Blocks {
			for i := b.First; i < b.Last; i++ {
				if in := &r.Insts[i]; in.Op == OpFunctionCall {
					calls[f] = append(calls[f], call{i, r.Function(ID(in.Args[0]))})
				}
			}
		}
	}
	const open, done = 1, 2
	state := map[*Function]int{}
	type visit struct {
		f    *Function
		rest []call
	}
	for _, f := range r.Functions {
		if state[f] != 0 {
			continue
		}
		state[f] = open
		stack := []visit{{f, calls[f]}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.rest) == 0 {
				state[top.f] = done
				stack = stack[:len(stack)-1]
				continue
			}
			next := top.rest[0]
			top.rest = top.rest[1:]
			switch state[next.to] {
			case open:
				r.fail(next.at, "function %s calls itself, directly or through others", r.IDName(next.to.ID))
			case 0:
				state[next.to] = open
				stack = append(stack, visit{next.to, calls[next.to]})
			}
		}
	}
}
