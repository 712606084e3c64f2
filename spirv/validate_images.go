package spirv

// imageType is the image type of operand k, an image or a sampled image.
func (c *typing) imageType(k int) *Type {
	t := c.value(k)
	if t.Kind == SampledImage {
		t = t.Elem
	}
	c.want(t != nil && t.Kind == Image, "operand %d is %s, expected an image", k+1, c.arg[k])
	return t
}

func (c *typing) sampledImage() {
	c.count(2)
	t := c.imageType(0)
	c.want(c.value(1).Kind == Sampler, "operand 2 is %s, expected a sampler", c.arg[1])
	c.want(c.typ != nil && c.typ.Kind == SampledImage && c.typ.Elem == t, "result is %s, expected a sampled image", c.typ)
}

func (c *typing) imageOf() {
	c.count(1)
	c.isResult(c.imageType(0))
}

// coordinate checks operand 2: at least the dimensions of the image and its
// layer, more are allowed.
func (c *typing) coordinate(t *Type, kinds ...TypeKind) {
	n := t.Dimensions()
	if t.Arrayed {
		n++
	}
	c.want(c.numbers(1, kinds...).n >= n, "operand 2 is %s, expected %d coordinates", c.arg[1], n)
}

// texelResult checks that a texel or its first components come out.
func (c *typing) texelResult() { c.result(Int, Float) }

func (c *typing) sample() {
	c.want(c.value(0).Kind == SampledImage, "operand 1 is %s, expected a sampled image", c.arg[0])
	t := c.imageType(0)
	c.want(!t.MS, "operand 1 is of several samples, which only fetches and reads take")
	c.coordinate(t, Float)
	operands := 2
	switch c.in.Op {
	case OpImageSampleProjImplicitLod, OpImageSampleProjExplicitLod, OpImageSampleProjDrefImplicitLod, OpImageSampleProjDrefExplicitLod:
		c.want(c.numbers(1, Float).n > t.Dimensions(), "operand 2 is %s, expected %d coordinates", c.arg[1], t.Dimensions()+1)
	}
	switch c.in.Op {
	case OpImageSampleDrefImplicitLod, OpImageSampleDrefExplicitLod, OpImageDrefGather,
		OpImageSampleProjDrefImplicitLod, OpImageSampleProjDrefExplicitLod:
		c.shaped(2, shape{Float, 32, 1})
		operands = 3
	case OpImageGather:
		c.integer(2)
		operands = 3
	}
	c.texelResult()
	c.imageOperands(operands)
}

func (c *typing) texel() {
	t := c.imageType(0)
	c.coordinate(t, Int)
	if c.in.Op == OpImageWrite {
		c.numbers(2, Int, Float)
		c.imageOperands(3)
		return
	}
	c.texelResult()
	c.imageOperands(2)
}

// imageOperands checks those that follow the mask in operand word at.
func (c *typing) imageOperands(at int) {
	for k := at + 1; k < len(c.in.Args); k++ {
		if t := c.value(k); t.Kind != Array { // ConstOffsets are an array
			c.numbers(k, Int, Float)
		}
	}
	if len(c.in.Args) <= at {
		return
	}
	mask, k := ImageOperands(c.in.Args[at]), at+1
	if mask&ImageOperandsBias != 0 {
		k++
	}
	if mask&ImageOperandsLod != 0 {
		kind := Float
		switch c.in.Op {
		case OpImageFetch, OpImageRead, OpImageWrite:
			kind = Int
		}
		c.want(c.numbers(k, kind).n == 1, "operand %d is %s, expected a level of detail, a scalar", k+1, c.arg[k])
		k++
	}
	if mask&ImageOperandsGrad != 0 {
		c.shaped(k+1, c.numbers(k, Float))
	}
}

func (c *typing) texelPointer() {
	c.count(3)
	t := c.pointee(0)
	c.want(t.Kind == Image, "operand 1 points to %s, expected an image", t)
	c.coordinate(t, Int)
	c.integer(2)
	c.want(c.typ != nil && c.typ.Kind == Pointer && c.typ.Elem != nil && c.typ.Elem.IsScalar(), "result is %s", c.typ)
}

func (c *typing) query() {
	c.imageType(0)
	switch c.in.Op {
	case OpImageQuerySizeLod:
		c.integer(1)
	case OpImageQueryLod:
		c.numbers(1, Float)
		c.want(c.result(Float).n == 2, "result is %s, expected two floats", c.typ)
		return
	}
	c.result(Int)
}
