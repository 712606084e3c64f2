package emu

import "ampdbg/spirv"

func (c *checker) variable() {
	c.want(c.typ != nil && c.typ.Kind == spirv.Pointer && c.typ.Elem != nil, "result is %s, expected a pointer", c.typ)
	if len(c.in.Args) > 1 {
		c.is(1, c.typ.Elem)
	}
}

func (c *checker) load() { c.isResult(c.pointee(0)) }

func (c *checker) store() { c.is(1, c.pointee(0)) }

func (c *checker) copyMemory() {
	to, from := c.pointee(0), c.pointee(1)
	c.want(to == from || to.Same(from), "operand 1 points to %s, operand 2 to %s", to, from)
}

// chain checks access chains: the result points to the part that the indexes
// lead to.
func (c *checker) chain() {
	t := c.pointee(0)
	first := 1
	if c.in.Op == spirv.OpPtrAccessChain || c.in.Op == spirv.OpInBoundsPtrAccessChain {
		c.integer(1)
		first = 2
	}
	for k := first; k < len(c.in.Args); k++ {
		c.integer(k)
		i := 0
		if t.Kind == spirv.Struct {
			x := c.u.Const(spirv.ID(c.in.Args[k]))
			c.want(x != nil && !x.Spec && x.Bits[0] < uint64(len(t.Members)), "index %d is not a constant below %d", k, len(t.Members))
			i = int(x.Bits[0])
		}
		child := (*spirv.Type)(nil)
		if t.IsComposite() {
			child = t.Child(i)
		}
		c.want(child != nil, "index %d into %s, which has no parts", k, t)
		t = child
	}
	c.want(c.typ != nil && c.typ.Kind == spirv.Pointer && (c.typ.Elem == t || c.typ.Elem.Same(t)) && c.typ.Storage == c.arg[0].Storage,
		"result is %s, expected a pointer to %s in the same storage", c.typ, t)
}

func (c *checker) arrayLength() {
	t := c.pointee(0)
	c.count(2)
	c.want(t.Kind == spirv.Struct && c.in.Args[1] < uint32(len(t.Members)) && t.Members[c.in.Args[1]].Type.Kind == spirv.RuntimeArray,
		"operand 1 points to %s, expected a struct whose member %d is a run-time array", t, c.in.Args[1])
	s := c.result(spirv.Int)
	c.want(s == shape{spirv.Int, 32, 1}, "result is %s, expected int32", c.typ)
}

func (c *checker) pointers() {
	c.pointee(0)
	c.pointee(1)
	c.want(c.arg[0] == c.arg[1], "operands are %s and %s", c.arg[0], c.arg[1])
	want := spirv.Bool
	if c.in.Op == spirv.OpPtrDiff {
		want = spirv.Int
		c.want(c.arg[0].Stride(spirv.LayoutOf(c.arg[0])) > 0, "%s has no stride", c.arg[0])
	}
	c.want(c.result(want).n == 1, "result is %s", c.typ)
}

func (c *checker) convertPointer() {
	if c.in.Op == spirv.OpConvertPtrToU {
		c.pointee(0)
		c.want(c.result(spirv.Int) == shape{spirv.Int, 64, 1}, "result is %s, expected an integer of 64 bits", c.typ)
		return
	}
	c.shaped(0, shape{spirv.Int, 64, 1})
	c.want(c.typ != nil && c.typ.Kind == spirv.Pointer && c.typ.Elem != nil, "result is %s, expected a pointer", c.typ)
}

func (c *checker) clock() {
	s := c.result(spirv.Int)
	c.want(s == shape{spirv.Int, 64, 1} || s == shape{spirv.Int, 32, 2}, "result is %s, expected int64 or vec2<int32>", c.typ)
}

// atomic checks the pointer, the values and the result.
func (c *checker) atomic() {
	t := c.pointee(0)
	s, ok := shapeOf(t)
	c.want(ok && s.n == 1 && s.kind != spirv.Bool, "operand 1 points to %s", t)
	c.value(1)
	c.value(2)
	values := c.in.Args[3:]
	switch c.in.Op {
	case spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak:
		c.integer(3)
		c.is(5, t)
		values = values[1:]
	case spirv.OpAtomicLoad, spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement:
		c.count(3)
		values = nil
	}
	if len(values) > 0 {
		c.is(len(c.in.Args)-len(values), t)
	}
	if c.in.Op != spirv.OpAtomicStore {
		c.isResult(t)
	}
}

// group checks subgroup instructions.
func (c *checker) group() {
	op, first := c.in.Op, 1
	if o, ok := op.GroupNonUniform(); ok {
		op, first = o, 0
	}
	ballot := shape{spirv.Int, 32, 4}
	scalar := func(s shape) { c.want(s.n == 1, "%s where a scalar is expected", s) }
	switch op {
	case spirv.OpGroupNonUniformElect:
		scalar(c.result(spirv.Bool))
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny:
		scalar(c.numbers(first, spirv.Bool))
		scalar(c.result(spirv.Bool))
	case spirv.OpGroupNonUniformAllEqual:
		c.numbers(first, spirv.Bool, spirv.Int, spirv.Float)
		scalar(c.result(spirv.Bool))
	case spirv.OpGroupNonUniformBallot:
		scalar(c.numbers(first, spirv.Bool))
		c.want(c.result(spirv.Int) == ballot, "result is %s, expected %s", c.typ, ballot)
	case spirv.OpGroupNonUniformInverseBallot:
		c.shaped(first, ballot)
		scalar(c.result(spirv.Bool))
	case spirv.OpGroupNonUniformBallotBitExtract:
		c.shaped(first, ballot)
		c.integer(first + 1)
		scalar(c.result(spirv.Bool))
	case spirv.OpGroupNonUniformBallotBitCount:
		c.shaped(first+1, ballot)
		scalar(c.result(spirv.Int))
	case spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB:
		c.shaped(first, ballot)
		scalar(c.result(spirv.Int))
	case spirv.OpGroupNonUniformBroadcastFirst:
		c.shaped(first, c.result(spirv.Bool, spirv.Int, spirv.Float))
	case spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp,
		spirv.OpGroupNonUniformShuffleDown, spirv.OpGroupNonUniformQuadBroadcast, spirv.OpGroupNonUniformQuadSwap, spirv.OpGroupNonUniformRotateKHR:
		c.shaped(first, c.result(spirv.Bool, spirv.Int, spirv.Float))
		c.integer(first + 1)
	default: // reductions: a literal comes before the value
		c.shaped(first+1, c.result(spirv.Bool, spirv.Int, spirv.Float))
		if k := spirv.GroupOperation(c.in.Args[first]); k == spirv.GroupOperationClusteredReduce {
			c.integer(first + 2)
		}
	}
}
