package spirv_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"ampdbg/spirv"
)

// testdata are the modules of the kernels in testdata.
func testdata(t testing.TB) (modules []*spirv.Module) {
	files, err := filepath.Glob("../testdata/*/*.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Assemble(name, string(text))
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m)
	}
	return modules
}

// A mutant is a valid module with one thing changed, close enough to what was
// there that a rule of its own is needed to see that it is wrong: an operand
// becomes another of its sort, an instruction another with operands of the
// same kinds, a literal a neighbour of it or an extreme value; an instruction
// vanishes, repeats, moves, or is put in.

// mutator is a module with what mutation needs to know of it.
type mutator struct {
	m      *spirv.Module
	u      *spirv.Unit
	byOp   map[spirv.Opcode][]int // bodyOpcodes
	ops    []spirv.Opcode         // keys of byOp, in order
	types  []uint32
	consts []uint32 // ids
	vars   []uint32
	labels []uint32
	funcs  []uint32
	values []uint32 // results in function bodies
	sorts  map[uint32][]uint32
}

// newMutator is nil if the module does not resolve.
func newMutator(m *spirv.Module) *mutator {
	u, err := spirv.Resolve(m, nil)
	if err != nil {
		return nil
	}
	x := &mutator{m: m, u: u, byOp: map[spirv.Opcode][]int{}, sorts: map[uint32][]uint32{}}
	for i := range m.Insts {
		in := &m.Insts[i]
		if x.byOp[in.Op] == nil {
			x.ops = append(x.ops, in.Op)
		}
		x.byOp[in.Op] = append(x.byOp[in.Op], i)
		id := uint32(in.Result)
		switch {
		case id == 0:
		case u.Type(in.Result) != nil:
			x.types = append(x.types, id)
		case u.Const(in.Result) != nil:
			x.consts = append(x.consts, id)
		case u.Var(in.Result) != nil:
			x.vars = append(x.vars, id)
		case u.Function(in.Result) != nil:
			x.funcs = append(x.funcs, id)
		case u.Block(in.Result) != nil:
			x.labels = append(x.labels, id)
		case in.Type != 0:
			x.values = append(x.values, id)
		}
	}
	for _, sort := range [][]uint32{x.types, x.consts, x.vars, x.funcs, x.labels, x.values} {
		for _, id := range sort {
			x.sorts[id] = sort
		}
	}
	return x
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// another is an id of the same sort, or now and then of another.
func (x *mutator) another(r *rand.Rand, id uint32) uint32 {
	sort := x.sorts[id]
	switch r.IntN(12) {
	case 0:
		return 1 + r.Uint32N(x.m.Bound)
	case 1, 2:
		sort = x.consts
	case 3:
		sort = x.values
	}
	if len(sort) == 0 {
		return 1 + r.Uint32N(x.m.Bound)
	}
	if k := slices.Index(sort, id); k >= 0 && r.IntN(3) == 0 { // a neighbour: its type is likely the same
		return sort[max(0, min(len(sort)-1, k+r.IntN(5)-2))]
	}
	return pick(r, sort)
}

func literal(r *rand.Rand, old uint32) uint32 {
	switch r.IntN(8) {
	case 0:
		return old + 1
	case 1:
		return old - 1
	case 2:
		return r.Uint32N(8)
	case 3:
		return 1 << r.IntN(32)
	case 4:
		return []uint32{0, 0xffffffff, 0x80000000, 0x7fffffff, 0xffff}[r.IntN(5)]
	case 5:
		return old ^ 1<<r.IntN(16)
	case 6:
		return r.Uint32N(64)
	}
	return r.Uint32()
}

// bodyOpcodes are the opcodes that may be put in or take another's place.
var bodyOpcodes = sync.OnceValue(func() []spirv.Opcode {
	return append(spirv.OperandRules(), slices.Concat(structural, []spirv.Opcode{spirv.OpKill, spirv.OpDPdx, spirv.OpTypeInt, spirv.OpConstant})...)
})

// structural are the instructions of compute shaders whose operands have no
// rules of their own.
var structural = []spirv.Opcode{
	spirv.OpLine, spirv.OpNoLine, spirv.OpNop, spirv.OpUndef, spirv.OpPhi, spirv.OpLabel, spirv.OpLoopMerge, spirv.OpSelectionMerge,
	spirv.OpBranch, spirv.OpBranchConditional, spirv.OpReturn, spirv.OpReturnValue, spirv.OpUnreachable,
	spirv.OpFunction, spirv.OpFunctionParameter, spirv.OpFunctionEnd, spirv.OpFunctionCall,
	spirv.OpControlBarrier, spirv.OpMemoryBarrier, spirv.OpAssumeTrueKHR,
}

// mutant is a copy of the module with one change.
func (x *mutator) mutant(r *rand.Rand) *spirv.Module {
	out := &spirv.Module{Version: x.m.Version, Bound: x.m.Bound, Name: x.m.Name, Insts: slices.Clone(x.m.Insts)}
	for changed := false; !changed; {
		i := pick(r, x.byOp[pick(r, x.ops)])
		if r.IntN(2) == 0 {
			i = r.IntN(len(out.Insts))
		}
		in := &out.Insts[i]
		switch in.Op {
		case spirv.OpName, spirv.OpMemberName, spirv.OpSource, spirv.OpString, spirv.OpSourceExtension, spirv.OpLine, spirv.OpNoLine, spirv.OpSourceContinued:
			continue
		case spirv.OpExtInst:
			if x.u.ExtSet(spirv.ID(in.Args[0])) != "GLSL.std.450" {
				continue
			}
		}
		changed = x.change(r, out, i)
	}
	return out
}

func (x *mutator) change(r *rand.Rand, out *spirv.Module, i int) bool {
	in := &out.Insts[i]
	in.Args = slices.Clone(in.Args)
	fresh := func() spirv.ID {
		out.Bound++
		return spirv.ID(out.Bound - 1)
	}
	switch k := r.IntN(20); {
	case k < 9: // an operand
		ops, err := x.m.Operands(&x.m.Insts[i])
		if err != nil || len(ops) == 0 {
			return false
		}
		o := pick(r, ops)
		switch {
		case o.At < 0 || o.At >= len(in.Args):
			return false
		case o.Kind.IsID():
			in.Args[o.At] = x.another(r, in.Args[o.At])
		default:
			in.Args[o.At] = literal(r, in.Args[o.At])
		}
	case k < 11:
		if in.Type == 0 {
			return false
		}
		in.Type = spirv.ID(x.another(r, uint32(in.Type)))
	case k < 14: // another opcode
		op := pick(r, bodyOpcodes())
		if in.Op == spirv.OpExtInst {
			in.Args[1] = 1 + r.Uint32N(81)
			return true
		}
		if op.HasType() != in.Op.HasType() || op.HasResult() != in.Op.HasResult() {
			return false
		}
		in.Op = op
	case k < 15:
		out.Insts = slices.Delete(out.Insts, i, i+1)
	case k < 16: // again
		again := *in
		if again.Result != 0 && r.IntN(8) > 0 {
			again.Result = fresh()
		}
		out.Insts = slices.Insert(out.Insts, i+1, again)
	case k < 17:
		k := i + 1 + r.IntN(3)
		if k >= len(out.Insts) {
			return false
		}
		out.Insts[i], out.Insts[k] = out.Insts[k], out.Insts[i]
	case k < 18:
		n := len(in.Args)
		if n == 0 {
			return false
		}
		if r.IntN(2) == 0 {
			in.Args = in.Args[:n-1]
		} else {
			in.Args = append(in.Args, in.Args[r.IntN(n)])
		}
	default: // a new instruction in a function
		if x.u.BlockOf(i) == nil {
			return false
		}
		op := pick(r, bodyOpcodes())
		n := spirv.Inst{Op: op}
		if op.HasType() {
			n.Type = spirv.ID(pick(r, x.types))
			if len(x.values) > 0 && r.IntN(2) == 0 {
				n.Type = x.m.Insts[x.u.Def(spirv.ID(pick(r, x.values)))].Type
			}
		}
		if op.HasResult() {
			n.Result = fresh()
		}
		for range r.IntN(5) {
			pool := [][]uint32{x.values, x.values, x.consts, x.vars, x.types}[r.IntN(5)]
			if len(pool) == 0 {
				pool = x.types
			}
			n.Args = append(n.Args, pick(r, pool))
		}
		out.Insts = slices.Insert(out.Insts, i, n)
	}
	return true
}
