package spirv

func (c *typing) variable() {
	c.want(c.typ != nil && c.typ.Kind == Pointer && c.typ.Elem != nil, "result is %s, expected a pointer", c.typ)
	if len(c.in.Args) > 1 {
		c.is(1, c.typ.Elem)
	}
}

func (c *typing) load() { c.isResult(c.pointee(0)) }

func (c *typing) store() { c.is(1, c.pointee(0)) }

func (c *typing) copyMemory() {
	to, from := c.pointee(0), c.pointee(1)
	c.want(to == from || to.Same(from), "operand 1 points to %s, operand 2 to %s", to, from)
}

// chain checks access chains: the result points to the part that the indexes
// lead to.
func (c *typing) chain() {
	t := c.pointee(0)
	first := 1
	if c.in.Op == OpPtrAccessChain || c.in.Op == OpInBoundsPtrAccessChain {
		c.integer(1)
		first = 2
	}
	for k := first; k < len(c.in.Args); k++ {
		c.integer(k)
		i := 0
		if t.Kind == Struct {
			x := c.v.Const(ID(c.in.Args[k]))
			c.want(x != nil && !x.Spec && x.Bits[0] < uint64(len(t.Members)), "index %d is not a constant below %d", k, len(t.Members))
			i = int(x.Bits[0])
		}
		child := (*Type)(nil)
		if t.IsComposite() {
			child = t.Child(i)
		}
		c.want(child != nil, "index %d into %s, which has no parts", k, t)
		t = child
	}
	c.want(c.typ != nil && c.typ.Kind == Pointer && (c.typ.Elem == t || c.typ.Elem.Same(t)) && c.typ.Storage == c.arg[0].Storage,
		"result is %s, expected a pointer to %s in the same storage", c.typ, t)
}

func (c *typing) arrayLength() {
	t := c.pointee(0)
	c.count(2)
	c.want(t.Kind == Struct && c.in.Args[1] < uint32(len(t.Members)) && t.Members[c.in.Args[1]].Type.Kind == RuntimeArray,
		"operand 1 points to %s, expected a struct whose member %d is a run-time array", t, c.in.Args[1])
	s := c.result(Int)
	c.want(s == shape{Int, 32, 1}, "result is %s, expected int32", c.typ)
}

func (c *typing) pointers() {
	c.pointee(0)
	c.pointee(1)
	c.want(c.arg[0] == c.arg[1], "operands are %s and %s", c.arg[0], c.arg[1])
	want := Bool
	if c.in.Op == OpPtrDiff {
		want = Int
		c.want(c.arg[0].Stride(LayoutOf(c.arg[0])) > 0, "%s has no stride", c.arg[0])
	}
	c.want(c.result(want).n == 1, "result is %s", c.typ)
}

func (c *typing) convertPointer() {
	if c.in.Op == OpConvertPtrToU {
		c.pointee(0)
		c.want(c.result(Int) == shape{Int, 64, 1}, "result is %s, expected an integer of 64 bits", c.typ)
		return
	}
	c.shaped(0, shape{Int, 64, 1})
	c.want(c.typ != nil && c.typ.Kind == Pointer && c.typ.Elem != nil, "result is %s, expected a pointer", c.typ)
}

func (c *typing) clock() {
	s := c.result(Int)
	c.want(s == shape{Int, 64, 1} || s == shape{Int, 32, 2}, "result is %s, expected int64 or vec2<int32>", c.typ)
}

// atomic checks the pointer, the values and the result.
func (c *typing) atomic() {
	t := c.pointee(0)
	s, ok := shapeOf(t)
	c.want(ok && s.n == 1 && s.kind != Bool, "operand 1 points to %s", t)
	c.value(1)
	c.value(2)
	values := c.in.Args[3:]
	switch c.in.Op {
	case OpAtomicCompareExchange, OpAtomicCompareExchangeWeak:
		c.integer(3)
		c.is(5, t)
		values = values[1:]
	case OpAtomicLoad, OpAtomicIIncrement, OpAtomicIDecrement:
		c.count(3)
		values = nil
	}
	if len(values) > 0 {
		c.is(len(c.in.Args)-len(values), t)
	}
	if c.in.Op != OpAtomicStore {
		c.isResult(t)
	}
}

// group checks subgroup instructions.
func (c *typing) group() {
	op, first := c.in.Op, 1 // operand 1 is the scope
	if o, ok := op.NonUniform(); ok {
		op, first = o, 0
	}
	ballot := shape{Int, 32, 4}
	scalar := func(s shape) { c.want(s.n == 1, "%s where a scalar is expected", s) }
	switch op {
	case OpGroupNonUniformElect:
		scalar(c.result(Bool))
	case OpGroupNonUniformAll, OpGroupNonUniformAny:
		scalar(c.numbers(first, Bool))
		scalar(c.result(Bool))
	case OpGroupNonUniformAllEqual:
		c.numbers(first, Bool, Int, Float)
		scalar(c.result(Bool))
	case OpGroupNonUniformBallot:
		scalar(c.numbers(first, Bool))
		c.want(c.result(Int) == ballot, "result is %s, expected %s", c.typ, ballot)
	case OpGroupNonUniformInverseBallot:
		c.shaped(first, ballot)
		scalar(c.result(Bool))
	case OpGroupNonUniformBallotBitExtract:
		c.shaped(first, ballot)
		c.integer(first + 1)
		scalar(c.result(Bool))
	case OpGroupNonUniformBallotBitCount:
		c.shaped(first+1, ballot)
		scalar(c.result(Int))
	case OpGroupNonUniformBallotFindLSB, OpGroupNonUniformBallotFindMSB:
		c.shaped(first, ballot)
		scalar(c.result(Int))
	case OpGroupNonUniformBroadcastFirst:
		c.shaped(first, c.result(Bool, Int, Float))
	case OpGroupNonUniformBroadcast, OpGroupNonUniformShuffle, OpGroupNonUniformShuffleXor, OpGroupNonUniformShuffleUp,
		OpGroupNonUniformShuffleDown, OpGroupNonUniformQuadBroadcast, OpGroupNonUniformQuadSwap, OpGroupNonUniformRotateKHR:
		c.shaped(first, c.result(Bool, Int, Float))
		c.integer(first + 1)
	default: // reductions: a literal comes before the value
		c.shaped(first+1, c.result(Bool, Int, Float))
		if k := GroupOperation(c.in.Args[first]); k == GroupOperationClusteredReduce {
			c.count(first + 3)
			c.integer(first + 2)
		} else {
			c.count(first + 2)
		}
	}
}
