package lower

import (
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp/scalar"
)

// extended lowers OpExtInst.
func (l *lowerer) extended(in *spirv.Inst) {
	switch set := l.u.ExtSet(spirv.ID(in.Args[0])); {
	case set == "GLSL.std.450":
		l.glsl(in, in.Args[1], in.Args[2:])
	case set == "NonSemantic.DebugPrintf" && in.Args[1] == spirv.DebugPrintfDebugPrintf:
		l.printf(in)
	case l.nonSemantic(in):
		l.pending--
	default:
		l.unsupported("extended instruction set " + set)
	}
}

// glsl lowers an instruction of GLSL.std.450.
func (l *lowerer) glsl(in *spirv.Inst, inst uint32, args []uint32) {
	t := l.resultType()
	first := l.u.TypeOf(spirv.ID(args[0]))
	if first == nil || first.Component() == nil {
		l.bad("an operand of %s", first)
	}
	k := l.kind(first)
	switch inst {
	case spirv.GLSLPackDouble2x32, spirv.GLSLUnpackDouble2x32:
		k = program.Kind{Float: true, Width: 64}
	case spirv.GLSLUnpackHalf2x16, spirv.GLSLUnpackSnorm2x16, spirv.GLSLUnpackSnorm4x8, spirv.GLSLUnpackUnorm2x16, spirv.GLSLUnpackUnorm4x8:
		k = program.Kind{Float: true, Width: 32}
	}
	var rows [][]uint32
	for _, a := range args {
		rows = append(rows, l.rowsOrPointer(spirv.ID(a)))
	}
	switch inst {
	case spirv.GLSLModf, spirv.GLSLFrexp:
		l.partsThroughPointer(in, inst, k, spirv.ID(args[0]), spirv.ID(args[1]))
		l.checkGLSL(inst, k, args, rows[:1])
		return
	case spirv.GLSLModfStruct, spirv.GLSLFrexpStruct:
		dst := l.result()
		l.parts(inst, k, dst, rows[0])
		l.checkGLSL(inst, k, args, rows)
		return
	}
	same := t.Component() != nil
	n := t.Scalars()
	for _, r := range rows {
		same = same && len(r) == n
	}
	if same {
		if l.perComponent(inst, k, args, rows) {
			l.checkGLSL(inst, k, args, rows)
			return
		}
	}
	var flat []uint32
	lens := make([]int, len(rows))
	for i, r := range rows {
		flat = append(flat, r...)
		lens[i] = len(r)
	}
	_, outLen, ok := scalar.GLSLVector(inst, k, lens, l.mode(k))
	if !ok || outLen != n {
		l.unsupported("GLSL.std.450 instruction " + spirv.ExtInstName("GLSL.std.450", inst) + " of these operands")
	}
	fn := program.Symbol{Set: program.GLSL, Op: inst, Src: k, Mode: l.mode(k)}
	for i, n := range lens {
		fn.Lens[i] = uint8(n)
	}
	l.callN(fn, flat, l.result())
	l.checkGLSL(inst, k, args, rows)
}

// rowsOrPointer is an operand's rows; a pointer to a register variable, which
// has no address, has none.
func (l *lowerer) rowsOrPointer(id spirv.ID) []uint32 {
	if v := l.val(id); v.ptr != nil {
		return nil
	}
	return l.rowsOf(id)
}

// perComponent emits an instruction that works on each component alone.
func (l *lowerer) perComponent(inst uint32, k program.Kind, args []uint32, rows [][]uint32) bool {
	m := l.mode(k)
	fn := program.Symbol{Set: program.GLSL, Op: inst, Src: k, Mode: m}
	switch len(rows) {
	case 1:
		if _, ok := scalar.Resolve1(fn); !ok {
			return false
		}
		l.spread(program.Op{Code: program.Call1, X: l.function(fn)}, l.result(), rows[0], nil, nil)
	case 2:
		if inst == spirv.GLSLLdexp {
			fn.Dst = l.kind(l.u.TypeOf(spirv.ID(args[1])))
		}
		if _, ok := scalar.Resolve2(fn); !ok {
			return false
		}
		l.spread(program.Op{Code: program.Call2, X: l.function(fn)}, l.result(), rows[0], rows[1], nil)
	case 3:
		if inst == spirv.GLSLFma && k.Width == 32 && m == (program.Mode{}) {
			l.spread(program.Op{Code: program.Fma32}, l.result(), rows[0], rows[1], rows[2])
			return true
		}
		if _, ok := scalar.Resolve3(fn); !ok {
			return false
		}
		l.spread(program.Op{Code: program.Call3, X: l.function(fn)}, l.result(), rows[0], rows[1], rows[2])
	default:
		return false
	}
	return true
}

// glslFn2 is a two-operand function of GLSL.std.450.
func (l *lowerer) glslFn2(inst uint32, k program.Kind) (program.Symbol, bool) {
	fn := program.Symbol{Set: program.GLSL, Op: inst, Src: k, Mode: l.mode(k)}
	_, ok := scalar.Resolve2(fn)
	return fn, ok
}

// parts computes both results of Modf or Frexp: dst holds the fractions (or
// significands), then the whole parts (or exponents).
func (l *lowerer) parts(inst uint32, k program.Kind, dst, a []uint32) {
	m := l.mode(k)
	n := len(a)
	for i := range 2 {
		fn := program.Symbol{Set: program.GLSL, Op: inst, Src: k, Mode: m, Part: uint8(i + 1)}
		if _, ok := scalar.Resolve1(fn); !ok || len(dst) != 2*n {
			l.bad("%s of these operands", spirv.ExtInstName("GLSL.std.450", inst))
		}
		l.spread(program.Op{Code: program.Call1, X: l.function(fn)}, dst[i*n:(i+1)*n], a, nil, nil)
	}
}

// partsThroughPointer lowers Modf and Frexp, whose second result is stored.
func (l *lowerer) partsThroughPointer(in *spirv.Inst, inst uint32, k program.Kind, operand, ptr spirv.ID) {
	a := l.rowsOf(operand)
	rows := l.allocRows(2 * len(a))
	l.parts(inst, k, rows, a)
	p := l.pointerOf(ptr)
	second := rows[len(a):]
	if c := p.typ.Component(); c != nil && c.Kind == spirv.Int && c.Width != 32 {
		narrow := l.allocRows(len(a))
		l.unary(spirv.OpSConvert, narrow, l.kind(p.typ), second, program.Kind{Width: 32, Signed: true}, program.Mode{})
		second = narrow
	}
	l.store(p, second, 0)
	l.setRows(rows[:len(a)])
}

// printf lowers DebugPrintf.
func (l *lowerer) printf(in *spirv.Inst) {
	def := l.u.Def(spirv.ID(in.Args[2]))
	if def < 0 || l.u.Insts[def].Op != spirv.OpString {
		l.bad("DebugPrintf format %s is not an OpString", l.u.DisplayName(spirv.ID(in.Args[2])))
	}
	format, _, _ := spirv.String(l.u.Insts[def].Args)
	info := program.PrintfInfo{Format: format}
	for _, id := range in.Args[3:] {
		info.Args = append(info.Args, program.PrintfArg{Type: l.u.TypeOf(spirv.ID(id)), Rows: l.rowsOf(spirv.ID(id))})
	}
	l.p.Printfs = append(l.p.Printfs, info)
	l.emit(program.Op{Code: program.Printf, X: int32(len(l.p.Printfs) - 1)})
}
