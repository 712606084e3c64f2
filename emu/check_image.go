package emu

import "ampdbg/spirv"

// imageType is the image type of operand k, an image or a sampled image.
func (c *checker) imageType(k int) *spirv.Type {
	t := c.value(k)
	if t.Kind == spirv.SampledImage {
		t = t.Elem
	}
	c.want(t != nil && t.Kind == spirv.Image, "operand %d is %s, expected an image", k+1, c.arg[k])
	return t
}

func (c *checker) sampledImage() {
	c.count(2)
	t := c.imageType(0)
	c.want(c.value(1).Kind == spirv.Sampler, "operand 2 is %s, expected a sampler", c.arg[1])
	c.want(c.typ != nil && c.typ.Kind == spirv.SampledImage && c.typ.Elem == t, "result is %s, expected a sampled image", c.typ)
}

func (c *checker) imageOf() {
	c.count(1)
	c.isResult(c.imageType(0))
}

// coordinate checks operand 2: at least the dimensions of the image and its
// layer, more are allowed.
func (c *checker) coordinate(t *spirv.Type, kinds ...spirv.TypeKind) {
	n := t.Coordinates()
	if t.Arrayed {
		n++
	}
	c.want(c.numbers(1, kinds...).n >= n, "operand 2 is %s, expected %d coordinates", c.arg[1], n)
}

// texelResult checks that a texel or its first components come out.
func (c *checker) texelResult() { c.result(spirv.Int, spirv.Float) }

func (c *checker) sample() {
	c.want(c.value(0).Kind == spirv.SampledImage, "operand 1 is %s, expected a sampled image", c.arg[0])
	t := c.imageType(0)
	c.want(!t.MS, "operand 1 is of several samples, which only fetches and reads take")
	c.coordinate(t, spirv.Float)
	operands := 2
	switch c.in.Op {
	case spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleProjExplicitLod, spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod:
		c.want(c.numbers(1, spirv.Float).n > t.Coordinates(), "operand 2 is %s, expected %d coordinates", c.arg[1], t.Coordinates()+1)
	}
	switch c.in.Op {
	case spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleDrefExplicitLod, spirv.OpImageDrefGather,
		spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod:
		c.shaped(2, shape{spirv.Float, 32, 1})
		operands = 3
	case spirv.OpImageGather:
		c.integer(2)
		operands = 3
	}
	c.texelResult()
	c.imageOperands(operands)
}

func (c *checker) texel() {
	t := c.imageType(0)
	c.coordinate(t, spirv.Int)
	if c.in.Op == spirv.OpImageWrite {
		c.numbers(2, spirv.Int, spirv.Float)
		c.imageOperands(3)
		return
	}
	c.texelResult()
	c.imageOperands(2)
}

// imageOperands checks those that follow the mask in operand word at.
func (c *checker) imageOperands(at int) {
	for k := at + 1; k < len(c.in.Args); k++ {
		if t := c.value(k); t.Kind != spirv.Array { // ConstOffsets are an array
			c.numbers(k, spirv.Int, spirv.Float)
		}
	}
	if len(c.in.Args) <= at || spirv.ImageOperands(c.in.Args[at])&spirv.ImageOperandsGrad == 0 {
		return
	}
	k := at + 1
	if spirv.ImageOperands(c.in.Args[at])&spirv.ImageOperandsBias != 0 {
		k++
	}
	if spirv.ImageOperands(c.in.Args[at])&spirv.ImageOperandsLod != 0 {
		k++
	}
	c.shaped(k+1, c.numbers(k, spirv.Float))
}

func (c *checker) texelPointer() {
	c.count(3)
	t := c.pointee(0)
	c.want(t.Kind == spirv.Image, "operand 1 points to %s, expected an image", t)
	c.coordinate(t, spirv.Int)
	c.integer(2)
	c.want(c.typ != nil && c.typ.Kind == spirv.Pointer && c.typ.Elem != nil && c.typ.Elem.IsScalar(), "result is %s", c.typ)
}

func (c *checker) query() {
	c.imageType(0)
	switch c.in.Op {
	case spirv.OpImageQuerySizeLod:
		c.integer(1)
	case spirv.OpImageQueryLod:
		c.numbers(1, spirv.Float)
		c.want(c.result(spirv.Float).n == 2, "result is %s, expected two floats", c.typ)
		return
	}
	c.result(spirv.Int)
}
