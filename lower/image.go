package lower

import (
	"fmt"

	"ampdbg/program"
	"ampdbg/spirv"
)

// image lowers image instructions. It reports whether in is one.
func (l *lowerer) image(in *spirv.Inst) bool {
	id := func(k int) spirv.ID { return spirv.ID(in.Args[k]) }
	switch in.Op {
	case spirv.OpSampledImage:
		both := [2]uint32{l.row(id(0)), l.row(id(1))}
		dst := l.result()
		l.callN(program.Symbol{Set: program.Machine, Op: uint32(program.SampledImage)}, both[:], dst)
		return true
	case spirv.OpImage:
		l.setRows(l.rowsOf(id(0)))
		return true
	case spirv.OpImageTexelPointer:
		p := l.pointerOf(id(0))
		if p.base != handleBase {
			l.bad("OpImageTexelPointer of something that is not an image")
		}
		t := l.resultType()
		l.set(value{ptr: &pointer{
			base: texelBase, typ: t.Elem, storage: t.Storage, row: p.row, image: p.typ,
			coord: l.rowsOf(id(1)), sample: l.row(id(2)), index: int32(l.kind(l.u.TypeOf(id(1))).Width),
		}})
		return true
	}
	info := program.ImageInfo{
		Op: in.Op, Dref: program.NoRow, Lod: program.NoRow, MinLOD: program.NoRow, Sample: program.NoRow, Component: program.NoRow,
	}
	operands := -1 // where the image operands begin
	switch in.Op {
	case spirv.OpImageSampleImplicitLod, spirv.OpImageSampleExplicitLod, spirv.OpImageFetch, spirv.OpImageRead:
		operands = 2
	case spirv.OpImageSampleProjImplicitLod, spirv.OpImageSampleProjExplicitLod:
		info.Proj = true
		operands = 2
	case spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleDrefExplicitLod, spirv.OpImageDrefGather:
		info.Dref = l.row(id(2))
		operands = 3
	case spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod:
		info.Proj = true
		info.Dref = l.row(id(2))
		operands = 3
	case spirv.OpImageGather:
		info.Component = l.row(id(2))
		operands = 3
	case spirv.OpImageWrite:
		info.Value, info.ValueKind = l.rowsOf(id(2)), l.signedKind(id(2))
		operands = 3
	case spirv.OpImageQuerySize, spirv.OpImageQueryLevels, spirv.OpImageQuerySamples:
	case spirv.OpImageQuerySizeLod:
		info.Lod, info.LodKind = l.row(id(1)), l.signedKind(id(1))
	case spirv.OpImageQueryLod:
	default:
		return false
	}
	info.Handle = l.row(id(0))
	if operands > 0 {
		info.Coord, info.CoordKind = l.rowsOf(id(1)), l.signedKind(id(1))
		if len(in.Args) > operands {
			l.imageOperands(in, &info, in.Args[operands], in.Args[operands+1:])
		}
		if info.Proj {
			// The projective coordinate is the last one that the image's
			// dimensions leave.
			t := l.imageType(id(0))
			info.Coord = info.Coord[:min(len(info.Coord), t.Dimensions()+1)]
		}
	}
	if in.Result != 0 {
		info.Dst = l.result()
		info.Result = l.kind(l.resultType())
	}
	l.emitImage(info)
	return true
}

// imageType is the image type behind an image or sampled image.
func (l *lowerer) imageType(id spirv.ID) *spirv.Type {
	t := l.u.TypeOf(id)
	if t != nil && t.Kind == spirv.SampledImage {
		t = t.Elem
	}
	if t == nil || t.Kind != spirv.Image {
		l.bad("%s is not an image", l.u.DisplayName(id))
	}
	return t
}

// signedKind is the kind of an operand's components with the signedness of
// its type.
func (l *lowerer) signedKind(id spirv.ID) program.Kind {
	return l.kind(l.u.TypeOf(id))
}

func (l *lowerer) emitImage(info program.ImageInfo) {
	l.p.ImageOps = append(l.p.ImageOps, info)
	op := program.Op{Code: program.ImageOp, X: int32(len(l.p.ImageOps) - 1), N: l.stride}
	if len(info.Dst) > 0 {
		op.Dst = info.Dst[0]
	}
	l.emit(op)
}

// imageOperands reads the optional image operands, in the order of their bits.
func (l *lowerer) imageOperands(in *spirv.Inst, info *program.ImageInfo, mask uint32, args []uint32) {
	next := func() spirv.ID {
		if len(args) == 0 {
			l.bad("missing image operands")
		}
		a := spirv.ID(args[0])
		args = args[1:]
		return a
	}
	for bit := uint32(1); bit != 0 && bit <= mask; bit <<= 1 {
		if mask&bit == 0 {
			continue
		}
		switch spirv.ImageOperands(bit) {
		case spirv.ImageOperandsBias:
			next() // only implicit levels of detail have one, and those are 0
		case spirv.ImageOperandsLod:
			id := next()
			info.Lod, info.LodKind = l.row(id), l.signedKind(id)
		case spirv.ImageOperandsGrad:
			info.GradX, info.GradY = l.rowsOf(next()), l.rowsOf(next())
		case spirv.ImageOperandsConstOffset, spirv.ImageOperandsOffset:
			info.Offset = l.rowsOf(next())
		case spirv.ImageOperandsConstOffsets:
			c := l.u.Const(next())
			if c == nil || len(c.Bits) != 8 {
				l.bad("ConstOffsets that are not four pairs of constants")
			}
			var offsets [4][2]int
			for i, b := range c.Bits {
				offsets[i/2][i%2] = int(int32(uint32(b)))
			}
			info.Offsets = &offsets
		case spirv.ImageOperandsSample:
			info.Sample = l.row(next())
		case spirv.ImageOperandsMinLod:
			id := next()
			info.MinLOD, info.LodKind = l.row(id), l.signedKind(id)
		case spirv.ImageOperandsMakeTexelAvailable, spirv.ImageOperandsMakeTexelVisible:
			next() // a scope: memory is always coherent here
		case spirv.ImageOperandsNonPrivateTexel, spirv.ImageOperandsVolatileTexel,
			spirv.ImageOperandsSignExtend, spirv.ImageOperandsZeroExtend:
		default:
			l.unsupported(fmt.Sprintf("image operand %v of %v", spirv.ImageOperands(bit), in.Op))
		}
	}
}

// imageAtomic lowers an atomic on a texel.
func (l *lowerer) imageAtomic(p *pointer, info program.AtomicInfo, dst uint32) {
	img := program.ImageInfo{
		Op: spirv.OpImageTexelPointer, Handle: p.row, Coord: p.coord, CoordKind: program.Kind{Width: uint8(p.index), Signed: true},
		Dref: program.NoRow, Lod: program.NoRow, MinLOD: program.NoRow, Component: program.NoRow, Sample: p.sample,
		Result: l.kind(p.typ), Atomic: &info,
	}
	if info.Op.Reads() {
		img.Dst = []uint32{dst}
	}
	l.emitImage(img)
}
