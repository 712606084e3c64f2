package racecheck

import (
	"fmt"
	"strings"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// undefinedClasses are the classes of operations without a defined result.
var undefinedClasses = map[program.Reason]string{
	program.DivisionByZero:       diag.UndefDivisionByZero,
	program.DivisionOverflow:     diag.UndefDivisionOverflow,
	program.ShiftRange:           diag.UndefShiftRange,
	program.BitFieldRange:        diag.UndefBitFieldRange,
	program.ConversionRange:      diag.UndefConversionRange,
	program.NegativeRemainder:    diag.UndefNegativeRemainder,
	program.FloatDomain:          diag.UndefFloatDomain,
	program.CrossedEdges:         diag.UndefCrossedEdges,
	program.ExponentRange:        diag.UndefExponentRange,
	program.NaNOperand:           diag.UndefNaNOperand,
	program.ZeroVector:           diag.UndefZeroVector,
	program.ComponentIndex:       diag.UndefComponentIndex,
	program.InactiveLane:         diag.UndefInactiveLane,
	program.NonUniformLane:       diag.UndefNonUniformLane,
	program.NonUniformDescriptor: diag.UndefNonUniformDescriptor,
	program.FalseAssumption:      diag.UndefFalseAssumption,
}

// undefinedBehaviour are the reasons for which it is not only a result that is
// undefined.
const undefinedBehaviour = 1<<program.DivisionByZero | 1<<program.DivisionOverflow | 1<<program.NegativeRemainder |
	1<<program.NonUniformLane | 1<<program.NonUniformDescriptor | 1<<program.FalseAssumption

// undefinedOff are the reasons, one bit each, of which nobody wants to hear.
func (o *Options) undefinedOff() (off uint32) {
	for why, class := range undefinedClasses {
		if o.SeverityOf(diag.UndefinedValue, class) == diag.SeverityOff {
			off |= 1 << why
		}
	}
	return off
}

// maxOperands is the most operands that a report shows of an operation.
const maxOperands = 4

// undefined does a CheckDefined. Undefined behaviour is reported there; an
// undefined result is given an origin, and reported where it matters.
func (t *tracer) undefined(w *warp.Warp, taint []uint32, n, pc int) {
	d := &t.m.Program.Defined[n]
	for part, rows := range d.In {
		w.EachUndefined(n, part, func(l int, why program.Reason) {
			if t.opt.SeverityOf(diag.UndefinedValue, undefinedClasses[why]) == diag.SeverityOff {
				return
			}
			th := emu.Thread(w, l)
			o := origin{originKey: originKey{pc: pc, v: -1, mem: -1, why: why, part: part, thread: th.Local}, thread: th}
			for i, r := range rows[:min(len(rows), maxOperands)] {
				o.values[i] = w.R[int(r)+l]
			}
			if d.Group >= 0 {
				o.from, _ = w.Source(&t.m.Program.Groups[d.Group], l)
			} else if d.Test.Form == program.TestLanes {
				o.values[1] = w.R[int(rows[0])+w.Active().First()]
			}
			if d.Out == nil {
				t.performs(w, &o)
				return
			}
			n := t.origin(o)
			t.origins[n] = o // of the latest execution
			for _, r := range d.Out[part] {
				if e := int(r) + l; taint[e] == 0 {
					taint[e] = n // else it is undefined because of what is already known
				}
			}
		})
	}
}

// performs reports an operation whose behaviour is undefined.
func (t *tracer) performs(w *warp.Warp, o *origin) {
	key := t.undefinedKey(o)
	if f := t.found[key]; f != nil {
		f.Count++
		return
	}
	what := ": the behaviour is undefined"
	if o.why == program.NegativeRemainder {
		what = ": the result is undefined"
	}
	t.keep(w, key, t.undefinedFinding(o, what), t.halting.Undefined)
}

// usesUndefined reports an undefined result that came to a use that matters.
func (t *tracer) usesUndefined(w *warp.Warp, l int, o *origin, pc int, what string) {
	key := t.undefinedKey(o)
	if f := t.found[key]; f != nil {
		f.Count++
		return
	}
	use := usesOf[what]
	f := t.undefinedFinding(o, fmt.Sprintf(": the result is undefined, and %s", use.message))
	f.Pos, f.Stack = t.m.Pos(o.pc), t.m.Stack(o.pc) // the operation is to be changed, not its use
	f.Accesses = append(f.Accesses, diag.Access{Kind: use.kind, Thread: emu.Thread(w, l), Pos: t.m.Pos(pc), ID: t.m.ID(pc), Name: t.m.IDName(pc), Stack: t.m.Stack(pc)})
	t.keep(w, key, f, t.halting.Undefined)
}

// undefinedKey makes the findings of one instruction one.
func (t *tracer) undefinedKey(o *origin) string {
	in := &t.m.Unit.Insts[t.m.Program.Inst[o.pc]]
	return fmt.Sprintf("%s %s %d", undefinedClasses[o.why], t.m.Pos(o.pc), in.Result)
}

func (t *tracer) undefinedFinding(o *origin, result string) diag.Finding {
	class := undefinedClasses[o.why]
	return diag.Finding{
		Code: diag.UndefinedValue, Class: class, Severity: t.opt.SeverityOf(diag.UndefinedValue, class), Kernel: t.m.Entry.Name,
		Message: t.undefinedOperation(o) + result, Count: 1,
		Accesses: []diag.Access{{Kind: "operation", Thread: o.thread, Pos: t.m.Pos(o.pc), ID: t.m.ID(o.pc), Name: t.m.IDName(o.pc), Stack: t.m.Stack(o.pc)}},
	}
}

// undefinedOperation says of an operation what is wrong with its operands.
func (t *tracer) undefinedOperation(o *origin) string {
	p := t.m.Program
	in := &t.m.Unit.Insts[p.Inst[o.pc]]
	d := &p.Defined[p.Code[o.pc].X]
	v := make([]string, maxOperands)
	for i := range v {
		if i < len(d.Kinds) {
			v[i] = formatKind(d.Kinds[i], o.values[i])
		}
	}
	switch name := strings.TrimPrefix(strings.TrimPrefix(in.Op.String(), "OpGroupNonUniform"), "Op"); o.why {
	case program.DivisionByZero:
		return fmt.Sprintf("%s is divided by zero", v[0])
	case program.DivisionOverflow:
		return fmt.Sprintf("%s divided by %s overflows %d bits", v[0], v[1], d.Kinds[0].Width)
	case program.NegativeRemainder:
		return fmt.Sprintf("the remainder of %s by %s", v[0], v[1])
	case program.ShiftRange:
		return fmt.Sprintf("a shift of %d bits by %s", d.Kinds[0].Width, v[1])
	case program.BitFieldRange:
		return fmt.Sprintf("a field of %s bits from bit %s of %d bits on (%s)", v[1], v[0], kindOf(t.m.Unit.Type(in.Type)).Width, name)
	case program.ConversionRange:
		return fmt.Sprintf("%s does not fit an integer of %d bits", v[0], kindOf(t.m.Unit.Type(in.Type)).Width)
	case program.ComponentIndex:
		n := 0
		if c := t.m.Unit.TypeOf(spirv.ID(in.Args[0])); c != nil {
			n = c.Len
		}
		return fmt.Sprintf("component %s of a vector of %d", v[0], n)
	case program.InactiveLane:
		if in.Op == spirv.OpGroupNonUniformBallotFindLSB || in.Op == spirv.OpGroupNonUniformBallotFindMSB {
			return fmt.Sprintf("%s of a ballot without a lane of the warp of %d", name, p.Width)
		}
		if d.Group < 0 {
			return fmt.Sprintf("%s of lane %s in a warp of %d", name, v[0], p.Width)
		}
		if o.from < 0 {
			return fmt.Sprintf("%s reads a lane outside of the warp of %d lanes (operand %s)", name, p.Width, v[0])
		}
		return fmt.Sprintf("%s reads lane %d, which does not take part (operand %s)", name, o.from, v[0])
	case program.NonUniformLane:
		return fmt.Sprintf("%s with operand %s in lane %d and %s in another lane, which must be the same", name, v[0], o.thread.Lane, formatKind(d.Kinds[0], o.values[1]))
	case program.NonUniformDescriptor:
		return fmt.Sprintf("descriptor %s in lane %d and %s in another lane, and nothing is decorated NonUniform", v[0], o.thread.Lane, formatKind(d.Kinds[0], o.values[1]))
	case program.FalseAssumption:
		return "the condition of OpAssumeTrueKHR is false"
	default: // functions
		if in.Op == spirv.OpExtInst {
			name = spirv.ExtInstName(t.m.Unit.ExtSet(spirv.ID(in.Args[0])), in.Args[1])
		}
		shown := v[:min(len(d.In[o.part]), maxOperands)]
		more := ""
		if len(d.In[o.part]) > maxOperands {
			more = ", ..."
		}
		return fmt.Sprintf("%s(%s%s)", name, strings.Join(shown, ", "), more)
	}
}
