package lower

import (
	"fmt"

	"ampdbg/program"
	"ampdbg/spirv"
)

// groupArithmetic is the combining instruction of each reduction.
var groupArithmetic = map[spirv.Opcode]spirv.Opcode{
	spirv.OpGroupNonUniformIAdd: spirv.OpIAdd, spirv.OpGroupNonUniformFAdd: spirv.OpFAdd,
	spirv.OpGroupNonUniformIMul: spirv.OpIMul, spirv.OpGroupNonUniformFMul: spirv.OpFMul,
	spirv.OpGroupNonUniformBitwiseAnd: spirv.OpBitwiseAnd, spirv.OpGroupNonUniformBitwiseOr: spirv.OpBitwiseOr,
	spirv.OpGroupNonUniformBitwiseXor: spirv.OpBitwiseXor,
	spirv.OpGroupNonUniformLogicalAnd: spirv.OpLogicalAnd, spirv.OpGroupNonUniformLogicalOr: spirv.OpLogicalOr,
	spirv.OpGroupNonUniformLogicalXor: spirv.OpLogicalNotEqual,
}

// groupMinMax is the GLSL.std.450 instruction of the others.
var groupMinMax = map[spirv.Opcode]uint32{
	spirv.OpGroupNonUniformSMin: spirv.GLSLSMin, spirv.OpGroupNonUniformUMin: spirv.GLSLUMin, spirv.OpGroupNonUniformFMin: spirv.GLSLNMin,
	spirv.OpGroupNonUniformSMax: spirv.GLSLSMax, spirv.OpGroupNonUniformUMax: spirv.GLSLUMax, spirv.OpGroupNonUniformFMax: spirv.GLSLNMax,
}

// group lowers subgroup instructions, one scalar at a time. It reports whether
// in is one.
func (l *lowerer) group(in *spirv.Inst) bool {
	op, args := in.Op, in.Args
	if o, ok := op.NonUniform(); ok {
		op = o
	} else {
		if op < spirv.OpGroupNonUniformElect || op > spirv.OpGroupNonUniformQuadSwap {
			if op != spirv.OpGroupNonUniformRotateKHR {
				return false
			}
		}
		if scope := spirv.Scope(l.uintConst(spirv.ID(args[0]), "a scope")); scope != spirv.ScopeSubgroup {
			l.unsupported(fmt.Sprintf("%v of scope %v", op, scope))
		}
		args = args[1:]
	}
	id := func(k int) spirv.ID { return spirv.ID(args[k]) }
	info := program.GroupInfo{Op: op}
	switch op {
	case spirv.OpGroupNonUniformElect:
		l.emitGroup(info, l.result())
		return true
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny, spirv.OpGroupNonUniformBallot, spirv.OpGroupNonUniformInverseBallot:
		info.A = l.rowsOf(id(0))
		l.emitGroup(info, l.result())
		return true
	case spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB:
		info.A = l.rowsOf(id(0))
		l.emitGroup(info, l.result())
		l.checkBallot(id(0))
		return true
	case spirv.OpGroupNonUniformAllEqual:
		info.A = l.rowsOf(id(0))
		k := l.kind(l.u.TypeOf(id(0)))
		eq := spirv.OpIEqual
		if k.Float {
			eq = spirv.OpFOrdEqual
		} else if k.Width == 1 {
			eq = spirv.OpLogicalEqual
		}
		info.Fn, _ = l.binaryFn(eq, k)
		l.emitGroup(info, l.result())
		return true
	case spirv.OpGroupNonUniformBallotBitExtract:
		info.A, info.B = l.rowsOf(id(0)), l.row(id(1))
		l.emitGroup(info, l.result())
		l.checkBallotIndex(id(1))
		return true
	case spirv.OpGroupNonUniformBallotBitCount:
		info.Kind = spirv.GroupOperation(args[0])
		info.A = l.rowsOf(id(1))
		l.emitGroup(info, l.result())
		return true
	case spirv.OpGroupNonUniformBroadcastFirst:
	case spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformQuadBroadcast:
		info.B = l.row(id(1))
		l.checkUniform(id(1), program.NonUniformLane)
	case spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformShuffleXor,
		spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown,
		spirv.OpGroupNonUniformQuadSwap:
		info.B = l.row(id(1))
	case spirv.OpGroupNonUniformRotateKHR:
		info.B = l.row(id(1))
		l.checkUniform(id(1), program.NonUniformLane)
		if len(args) > 2 {
			info.Cluster = l.cluster(id(2))
		}
	default:
		return l.reduction(in, info, args)
	}
	l.eachScalar(info, l.rowsOf(id(0)))
	if op != spirv.OpGroupNonUniformBroadcastFirst {
		l.checkLanes(id(1))
	}
	return true
}

// reduction lowers arithmetic reductions and scans.
func (l *lowerer) reduction(in *spirv.Inst, info program.GroupInfo, args []uint32) bool {
	k := l.kind(l.resultType())
	if arith, ok := groupArithmetic[info.Op]; ok {
		if info.Fn, ok = l.binaryFn(arith, k); !ok {
			return false
		}
	} else if inst, ok := groupMinMax[info.Op]; ok {
		if info.Fn, ok = l.glslFn2(inst, k); !ok {
			return false
		}
	} else {
		return false
	}
	info.Kind = spirv.GroupOperation(args[0])
	switch info.Kind {
	case spirv.GroupOperationReduce, spirv.GroupOperationInclusiveScan, spirv.GroupOperationExclusiveScan:
	case spirv.GroupOperationClusteredReduce:
		info.Cluster = l.cluster(spirv.ID(args[2]))
	default:
		l.unsupported(fmt.Sprintf("group operation %v", info.Kind))
	}
	info.Identity = identity(info.Op, k.Width, k.Float)
	l.eachScalar(info, l.rowsOf(spirv.ID(args[1])))
	return true
}

func (l *lowerer) cluster(id spirv.ID) uint32 {
	n := l.uintConst(id, "a cluster size")
	if n == 0 || n&(n-1) != 0 || int(n) > l.width {
		l.unsupported(fmt.Sprintf("a cluster of %d lanes in warps of %d", n, l.width))
	}
	return n
}

// eachScalar emits a subgroup instruction for each scalar of a value.
func (l *lowerer) eachScalar(info program.GroupInfo, a []uint32) {
	dst := l.result()
	for i, d := range dst {
		info.A = a[i : i+1]
		l.emitGroup(info, []uint32{d})
	}
}

func (l *lowerer) emitGroup(info program.GroupInfo, dst []uint32) {
	info.Dst = dst
	l.p.Groups = append(l.p.Groups, info)
	l.emit(program.Op{Code: program.Group, X: int32(len(l.p.Groups) - 1), Dst: dst[0]})
}

// identity is the neutral element of a reduction (SPIR-V, "Group and Subgroup
// Instructions").
func identity(op spirv.Opcode, width uint8, float bool) uint64 {
	all := ^uint64(0) >> (64 - width)
	switch op {
	case spirv.OpGroupNonUniformIMul, spirv.OpGroupNonUniformLogicalAnd:
		return 1
	case spirv.OpGroupNonUniformFMul:
		return floatBits(width, 0x3c00, 0x3f800000, 0x3ff0000000000000)
	case spirv.OpGroupNonUniformBitwiseAnd, spirv.OpGroupNonUniformUMin:
		return all
	case spirv.OpGroupNonUniformSMin:
		return all >> 1
	case spirv.OpGroupNonUniformSMax:
		return all>>1 + 1
	case spirv.OpGroupNonUniformFMin:
		return floatBits(width, 0x7c00, 0x7f800000, 0x7ff0000000000000)
	case spirv.OpGroupNonUniformFMax:
		return floatBits(width, 0xfc00, 0xff800000, 0xfff0000000000000)
	}
	return 0
}

func floatBits(width uint8, h, s, d uint64) uint64 {
	switch width {
	case 16:
		return h
	case 32:
		return s
	}
	return d
}
