package lower

import (
	"math"
	"sort"

	"ampdbg/spirv"
)

// mostCounter bounds a loop's counter where the instruction that is being
// lowered is reached only while the counter is below a constant: a phi of a
// constant and of itself plus a constant, with the sum, like the instruction,
// behind the test.
func (l *lowerer) mostCounter(phi *spirv.Inst) (uint64, bool) {
	if len(phi.Args) != 4 || l.u.Type(phi.Type).Width != 32 {
		return 0, false
	}
	for k := range 2 {
		first, next := spirv.ID(phi.Args[2*k]), spirv.ID(phi.Args[2*(1-k)])
		if start, ok := l.constant32(first); ok && start <= math.MaxInt32 {
			if most, ok := l.mostStepped(phi.Result, next); ok {
				return most, true
			}
		}
	}
	return 0, false
}

// mostStepped is mostCounter for a counter that becomes next.
func (l *lowerer) mostStepped(counter, next spirv.ID) (uint64, bool) {
	def := l.u.Def(next)
	if def < 0 || l.u.Insts[def].Op != spirv.OpIAdd {
		return 0, false
	}
	sum := &l.u.Insts[def]
	step, ok := l.constant32(spirv.ID(sum.Args[1]))
	if spirv.ID(sum.Args[0]) != counter || !ok || step == 0 || step > math.MaxInt32 {
		return 0, false
	}
	// The test that both the sum and the instruction are behind.
	for b := l.blockOf(l.inst); b != nil && b.IDom != nil; b = b.IDom {
		last := &l.u.Insts[b.IDom.Last]
		if last.Op != spirv.OpBranchConditional || spirv.ID(last.Args[1]) != b.Label || last.Args[1] == last.Args[2] || len(b.Preds) != 1 {
			continue
		}
		at := l.u.Def(spirv.ID(last.Args[0]))
		if at < 0 || len(l.u.Insts[at].Args) != 2 || spirv.ID(l.u.Insts[at].Args[0]) != counter {
			continue
		}
		test := &l.u.Insts[at]
		end, ok := l.constant32(spirv.ID(test.Args[1]))
		switch test.Op {
		case spirv.OpSLessThan, spirv.OpULessThan:
		case spirv.OpSLessThanEqual, spirv.OpULessThanEqual:
			end++
		default:
			continue
		}
		// The counter stays in the range where both orders of integers agree.
		if ok && end > 0 && end+step <= math.MaxInt32 && b.Dominates(l.blockOf(def)) {
			return end - 1, true
		}
	}
	return 0, false
}

// constant32 is the value of a 32-bit integer constant.
func (l *lowerer) constant32(id spirv.ID) (uint64, bool) {
	c := l.u.Const(id)
	if c == nil || len(c.Bits) != 1 {
		return 0, false
	}
	return c.Bits[0], true
}

// blockOf is the block of the current function that an instruction lies in,
// nil if none.
func (l *lowerer) blockOf(inst int) *spirv.Block {
	blocks := l.frame.fn.Blocks
	i := sort.Search(len(blocks), func(i int) bool { return blocks[i].Last >= inst })
	if i == len(blocks) || blocks[i].First > inst {
		return nil
	}
	return blocks[i]
}
