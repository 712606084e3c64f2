package spirv

import "fmt"

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
	c.want(c.value(0).Kind == SampledImage, "operand 1 is %s, expected a sampled image", c.arg[0])
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

// texelOf fails unless the components of a texel are those of image type t, of
// which there are n, or any number where n is 0.
func (c *typing) texelOf(t, texel *Type, n int) {
	s, ok := shapeOf(texel)
	c.want(ok && texel.Component() == t.Elem && (n == 0 || s.n == n), "the texel is %s, expected %s of the image's %s", texel, components(n), t.Elem)
}

func components(n int) string {
	switch n {
	case 0:
		return "components"
	case 1:
		return "one component"
	}
	return fmt.Sprintf("%d components", n)
}

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
	n := 4
	if operands == 3 && c.in.Op != OpImageGather && c.in.Op != OpImageDrefGather {
		n = 1
	}
	c.texelOf(t, c.typ, n)
	c.imageOperands(t, operands)
}

func (c *typing) texel() {
	t := c.imageType(0)
	c.coordinate(t, Int)
	withoutFormat := t.Format == ImageFormatUnknown && t.Dim != DimSubpassData
	switch c.in.Op {
	case OpImageWrite:
		c.texelOf(t, c.value(2), 0)
		c.want(!withoutFormat || c.v.has(CapabilityStorageImageWriteWithoutFormat), "the image has no format, which needs capability StorageImageWriteWithoutFormat")
		c.imageOperands(t, 3)
		return
	case OpImageRead:
		c.texelOf(t, c.typ, 0)
		c.want(!withoutFormat || c.v.has(CapabilityStorageImageReadWithoutFormat), "the image has no format, which needs capability StorageImageReadWithoutFormat")
	default:
		c.texelOf(t, c.typ, 4)
	}
	c.imageOperands(t, 2)
}

// imageOperands checks those that follow the mask in operand word at, for an
// image of type t.
func (c *typing) imageOperands(t *Type, at int) {
	var mask ImageOperands
	if len(c.in.Args) > at {
		mask = ImageOperands(c.in.Args[at])
	}
	fetches := c.in.Op == OpImageFetch || c.in.Op == OpImageRead || c.in.Op == OpImageWrite
	c.want(!fetches || t.MS == (mask&ImageOperandsSample != 0), "operand 1 is %s, of several samples: %t; an operand Sample goes with those alone", c.arg[0], t.MS)
	implicit := false // the level of detail
	switch c.in.Op {
	case OpImageSampleImplicitLod, OpImageSampleDrefImplicitLod, OpImageSampleProjImplicitLod, OpImageSampleProjDrefImplicitLod:
		implicit = true
	}
	k := at + 1
	for bits := mask; bits != 0; bits &= bits - 1 { // operands come in the order of the bits
		switch bits & -bits {
		case ImageOperandsBias, ImageOperandsMinLod:
			c.want(!fetches && (bits&-bits != ImageOperandsBias || implicit), "operand %d, %s, does not go with the instruction", at+1, bits&-bits)
			c.want(c.numbers(k, Float).n == 1, "operand %d is %s, expected a scalar", k+1, c.arg[k])
			k++
		case ImageOperandsLod:
			kind := Float
			if fetches {
				kind = Int
			}
			c.want(c.numbers(k, kind).n == 1, "operand %d is %s, expected a level of detail, a scalar", k+1, c.arg[k])
			k++
		case ImageOperandsGrad:
			c.shaped(k+1, c.numbers(k, Float))
			k += 2
		case ImageOperandsConstOffset, ImageOperandsOffset:
			c.want(c.numbers(k, Int).n == t.Dimensions(), "operand %d is %s, expected an offset of %d components", k+1, c.arg[k], t.Dimensions())
			k++
		case ImageOperandsConstOffsets:
			c.want(c.value(k).Kind == Array && c.arg[k].Len == 4, "operand %d is %s, expected an array of 4 offsets", k+1, c.arg[k])
			k++
		case ImageOperandsSample:
			c.integer(k)
			k++
		case ImageOperandsMakeTexelAvailable, ImageOperandsMakeTexelVisible, ImageOperandsOffsets:
			c.value(k)
			k++
		}
	}
}

func (c *typing) texelPointer() {
	c.count(3)
	t := c.pointee(0)
	c.want(t.Kind == Image, "operand 1 points to %s, expected an image", t)
	c.coordinate(t, Int)
	c.integer(2)
	if x := c.v.Const(ID(c.in.Args[2])); !t.MS {
		c.want(x != nil && x.Bits[0] == 0, "operand 3 is the sample of an image of one sample, expected the constant 0")
	}
	c.want(c.typ != nil && c.typ.Kind == Pointer && c.typ.Elem != nil && c.typ.Elem.IsScalar(), "result is %s", c.typ)
}

func (c *typing) query() {
	t := c.imageType(0)
	n := 1
	switch c.in.Op {
	case OpImageQueryLod:
		c.numbers(1, Float)
		c.want(c.arg[0].Kind == SampledImage, "operand 1 is %s, expected a sampled image", c.arg[0])
		c.want(c.result(Float).n == 2, "result is %s, expected two floats", c.typ)
		return
	case OpImageQuerySizeLod, OpImageQuerySize:
		if c.in.Op == OpImageQuerySizeLod {
			c.integer(1)
		}
		n = t.Dimensions()
		if t.Dim == DimCube {
			n = 2 // the faces are squares of one size
		}
		if t.Arrayed {
			n++
		}
	}
	c.want(c.arg[0].Kind == Image, "operand 1 is %s, expected an image", c.arg[0])
	c.want(c.result(Int).n == n, "result is %s, expected integers, %s", c.typ, components(n))
}
