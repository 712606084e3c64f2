package diff

import (
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/spirv"
)

// operation is a kind of inexact float operation of a module, or (source) that
// a memory is read.
type operation struct {
	source spirv.ID // the variable, noSource for an operation
	name   string   // "sin", "FDiv"
	width  int      // bits of the float
	loop   bool     // inside a loop
	bound  precision
	count  int // instructions of the kind in the module
	pos    diag.Pos
}

// kind is what operations with one place in flow.ops have in common.
type kind struct {
	name  string
	width int
	loop  bool
	ulp   float64
}

// countedAt is an operation that an instruction is.
type countedAt struct {
	name string
	inst int
}

// operations is a set of operations, by their index in flow.ops.
type operations [8]uint64

func (s *operations) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s *operations) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s *operations) join(o operations) {
	for i := range s {
		s[i] |= o[i]
	}
}

const maxOperations = len(operations{}) * 64

// flow is what can reach what in a module: for every value and every memory,
// the inexact float operations whose result may have gone into it. A memory
// is one variable as a whole, and all that device addresses lead to is one
// more. Neither the order of instructions nor the elements of a variable are
// told apart, so a set may be too large, and is never too small.
type flow struct {
	u       *spirv.Unit
	ops     []operation
	kinds   map[kind]int       // places in ops
	sources map[spirv.ID]int   // places in ops of what is read; -1 if there are too many
	counted map[countedAt]bool // by operation.count

	args    [][]spirv.ID        // by instruction: its operands that are ids
	value   []operations        // by id
	raw     []unrounded         // by id
	bases   []map[spirv.ID]bool // by id of a pointer: the variables it may lead to
	memory  map[spirv.ID]*cell
	decides operations // what conditions, indexes and conversions to integers depend on
	written map[spirv.ID]bool
	changed bool
	// repeated are the functions that are called in a loop.
	repeated map[*spirv.Function]bool
}

// cell is what a memory may hold.
type cell struct {
	ops operations
	raw unrounded
}

// unrounded tells that a value may come from an undecorated multiplication or
// addition with nothing in between but copies, so that the next one may be
// contracted or reassociated with it.
type unrounded uint8

const (
	product unrounded = 1 << iota
	sum
)

// physical stands for all memory behind device addresses.
const physical spirv.ID = 0

const noSource = ^spirv.ID(0)

// analyze follows the values of a module's functions to where they end.
func analyze(u *spirv.Unit) *flow {
	f := &flow{
		u: u, kinds: map[kind]int{}, sources: map[spirv.ID]int{}, counted: map[countedAt]bool{}, memory: map[spirv.ID]*cell{}, written: map[spirv.ID]bool{},
		value: make([]operations, u.Bound), raw: make([]unrounded, u.Bound), bases: make([]map[spirv.ID]bool, u.Bound),
	}
	f.args = make([][]spirv.ID, len(u.Insts))
	for i := range u.Insts {
		f.args[i] = idOperands(u, &u.Insts[i])
	}
	f.findRepeated()
	f.changed = true
	for f.changed {
		f.changed = false
		for _, fn := range u.Functions {
			for _, b := range fn.Blocks {
				for i := b.First; i <= b.Last; i++ {
					f.inst(fn, b, i)
				}
			}
		}
	}
	return f
}

// findRepeated finds the functions that are called in a loop, directly or
// through others.
func (f *flow) findRepeated() {
	f.repeated = map[*spirv.Function]bool{}
	for more := true; more; {
		more = false
		for _, fn := range f.u.Functions {
			for _, b := range fn.Blocks {
				for i := b.First; i < b.Last; i++ {
					if in := &f.u.Insts[i]; in.Op == spirv.OpFunctionCall && (f.repeated[fn] || inLoop(b)) {
						if callee := f.u.Function(spirv.ID(in.Args[0])); callee != nil && !f.repeated[callee] {
							f.repeated[callee] = true
							more = true
						}
					}
				}
			}
		}
	}
}

func inLoop(b *spirv.Block) bool {
	for c := b.Construct; c != nil; c = c.Parent {
		if c.Kind == spirv.LoopConstruct {
			return true
		}
	}
	return false
}

func (f *flow) at(id spirv.ID) *cell {
	c := f.memory[id]
	if c == nil {
		c = &cell{}
		f.memory[id] = c
	}
	return c
}

// operation numbers an inexact operation at instruction i.
func (f *flow) operation(fn *spirv.Function, i int, b *spirv.Block, name string, width int, bound precision) int {
	loop := f.repeated[fn] || inLoop(b)
	key := kind{name, width, loop, bound.ULP}
	n, ok := f.kinds[key]
	if !ok {
		if n = len(f.ops); n == maxOperations {
			n-- // never with the instructions there are
		} else {
			f.ops = append(f.ops, operation{source: noSource, name: name, width: width, loop: loop, bound: bound, pos: f.u.PosOf(i)})
		}
		f.kinds[key] = n
	}
	if at := (countedAt{name, i}); !f.counted[at] {
		f.counted[at] = true
		f.ops[n].count++
	}
	return n
}

// give joins a set into a value.
func (f *flow) give(id spirv.ID, s operations, r unrounded) {
	if int(id) >= len(f.value) {
		return
	}
	before, raw := f.value[id], f.raw[id]
	f.value[id].join(s)
	f.raw[id] |= r
	f.changed = f.changed || f.value[id] != before || f.raw[id] != raw
}

func (f *flow) point(id, to spirv.ID) {
	if f.bases[id] == nil {
		f.bases[id] = map[spirv.ID]bool{}
	}
	if !f.bases[id][to] {
		f.bases[id][to] = true
		f.changed = true
	}
}

// targets are the memories that a pointer may lead to.
func (f *flow) targets(p spirv.ID) []spirv.ID {
	if v := f.u.Var(p); v != nil {
		return []spirv.ID{p}
	}
	var out []spirv.ID
	for b := range f.bases[p] {
		out = append(out, b)
	}
	if len(out) == 0 {
		out = append(out, physical)
	}
	slices.Sort(out)
	return out
}

func (f *flow) load(p spirv.ID) (s operations, r unrounded) {
	for _, t := range f.targets(p) {
		c := f.at(t)
		s.join(c.ops)
		r |= c.raw
		if n := f.source(t); n >= 0 {
			s.add(n)
		}
	}
	return s, r
}

// source numbers a memory that threads share as one that is read; -1 for
// others, and if there are too many.
func (f *flow) source(id spirv.ID) int {
	if v := f.u.Var(id); v != nil && (v.Storage == spirv.StorageClassFunction || v.Storage == spirv.StorageClassPrivate || v.Storage == spirv.StorageClassInput) {
		return -1
	}
	n, ok := f.sources[id]
	if !ok {
		if n = len(f.ops); n >= maxOperations/2 {
			n = -1
		} else {
			f.ops = append(f.ops, operation{source: id})
		}
		f.sources[id] = n
	}
	return n
}

// feeds reports whether what an instruction accesses, named as in a
// diag.Access, may reach a value with the set s.
func (f *flow) feeds(id spirv.ID, s operations) bool {
	pointer := id
	if d := f.u.Def(id); d >= 0 && f.u.Var(id) == nil {
		if in := &f.u.Insts[d]; in.Op == spirv.OpLoad || strings.HasPrefix(in.Op.String(), "OpAtomic") || strings.HasPrefix(in.Op.String(), "OpImage") {
			if len(f.args[d]) == 0 {
				return false
			}
			pointer = f.args[d][0]
		}
	}
	if int(pointer) >= len(f.bases) {
		return false
	}
	s.join(f.decides)
	for _, t := range f.targets(pointer) {
		if n, ok := f.sources[t]; ok && n >= 0 && s.has(n) {
			return true
		}
	}
	return false
}

func (f *flow) store(p spirv.ID, s operations, r unrounded) {
	for _, t := range f.targets(p) {
		c := f.at(t)
		before := *c
		c.ops.join(s)
		// What another thread reads has been rounded.
		if v := f.u.Var(t); v != nil && (v.Storage == spirv.StorageClassFunction || v.Storage == spirv.StorageClassPrivate) {
			c.raw |= r
		}
		f.changed = f.changed || *c != before
		f.written[t] = true
	}
}

// reach is what can reach a variable: its own memory and, for buffers, what is
// written through device addresses.
func (f *flow) reach(v spirv.ID) operations {
	s := f.at(v).ops
	s.join(f.at(physical).ops)
	return s
}

// idOperands lists the ids that an instruction names as operands.
func idOperands(u *spirv.Unit, in *spirv.Inst) []spirv.ID {
	ops, err := u.Operands(in)
	if err != nil {
		return nil
	}
	var out []spirv.ID
	for _, o := range ops {
		if o.Kind.IsID() && o.Kind != spirv.KindIdResult && o.Kind != spirv.KindIdResultType && len(o.Words) > 0 && o.Words[0] < u.Bound {
			out = append(out, spirv.ID(o.Words[0]))
		}
	}
	return out
}

// inst takes one instruction into account.
func (f *flow) inst(fn *spirv.Function, b *spirv.Block, i int) {
	in := &f.u.Insts[i]
	args := f.args[i]
	if len(args) == 0 {
		return
	}
	var all operations
	for _, id := range args {
		all.join(f.value[id])
	}
	if strings.HasPrefix(in.Op.String(), "OpAtomic") {
		f.atomic(fn, in, b, i, args, all)
		return
	}
	switch in.Op {
	case spirv.OpStore:
		f.store(args[0], all, f.raw[args[1]])
		return
	case spirv.OpCopyMemory, spirv.OpCopyMemorySized:
		s, r := f.load(args[1])
		s.join(all)
		f.store(args[0], s, r)
		return
	case spirv.OpImageWrite:
		f.store(args[0], all, 0)
		return
	case spirv.OpBranchConditional, spirv.OpSwitch:
		f.decide(f.value[args[0]])
		return
	case spirv.OpReturnValue:
		f.give(fn.ID, all, f.raw[args[0]])
		for t := range f.bases[args[0]] {
			f.point(fn.ID, t)
		}
		return
	case spirv.OpFunctionCall:
		f.call(in, args)
		return
	case spirv.OpLoad:
		s, r := f.load(args[0])
		s.join(all)
		f.give(in.Result, s, r)
		f.handle(in.Result, args[0])
		return
	}
	if in.Result == 0 {
		return
	}
	for _, a := range args {
		if f.handles(a) {
			f.handle(in.Result, a)
		}
	}
	raw := f.copied(in, args)
	if strings.HasPrefix(in.Op.String(), "OpImage") && f.bases[args[0]] != nil {
		s, _ := f.load(args[0])
		all.join(s)
	}
	if t := f.u.TypeOf(in.Result); t != nil && t.Component() != nil && t.Component().Kind != spirv.Float {
		f.decideBy(args, all) // a float became an integer or a truth
	}
	for _, n := range f.inexact(fn, in, b, i, args) {
		all.add(n)
	}
	f.give(in.Result, all, raw)
	if in.Op == spirv.OpExtInst && len(args) == 3 && (in.Args[1] == spirv.GLSLModf || in.Args[1] == spirv.GLSLFrexp) && f.u.ExtSet(args[0]) == "GLSL.std.450" {
		f.store(args[2], all, 0)
	}
}

func (f *flow) decide(s operations) {
	before := f.decides
	f.decides.join(s)
	f.changed = f.changed || f.decides != before
}

// decideBy notes that inexact floats are turned into something discrete.
func (f *flow) decideBy(args []spirv.ID, all operations) {
	for _, a := range args {
		if t := f.u.TypeOf(a); t != nil && t.Component() != nil && t.Component().Kind == spirv.Float {
			f.decide(all)
			return
		}
	}
}

// handles reports whether a value is a pointer, or carries an image.
func (f *flow) handles(id spirv.ID) bool { return f.u.Var(id) != nil || f.bases[id] != nil }

// handle makes result lead to whatever from leads to.
func (f *flow) handle(result, from spirv.ID) {
	t := f.u.TypeOf(result)
	if t == nil || t.Kind != spirv.Pointer && t.Kind != spirv.Image && t.Kind != spirv.SampledImage && t.Kind != spirv.Array {
		return
	}
	if t.Kind == spirv.Pointer && t.Storage == spirv.StorageClassPhysicalStorageBuffer {
		f.point(result, physical)
		return
	}
	for _, b := range f.targets(from) {
		f.point(result, b)
	}
}

func (f *flow) call(in *spirv.Inst, args []spirv.ID) {
	callee := f.u.Function(args[0])
	if callee == nil {
		return
	}
	for k, p := range callee.Params {
		if k+1 >= len(args) {
			break
		}
		a := args[k+1]
		f.give(p, f.value[a], f.raw[a])
		if f.handles(a) {
			f.handle(p, a)
		}
	}
	f.give(in.Result, f.value[callee.ID], f.raw[callee.ID])
	for t := range f.bases[callee.ID] {
		f.point(in.Result, t)
	}
}

func (f *flow) atomic(fn *spirv.Function, in *spirv.Inst, b *spirv.Block, i int, args []spirv.ID, all operations) {
	s, _ := f.load(args[0])
	s.join(all)
	if in.Op == spirv.OpAtomicFAddEXT {
		s.add(f.operation(fn, i, b, "atomic add", f.width(in.Result), orderBound))
	}
	f.store(args[0], s, 0)
	f.give(in.Result, s, 0)
}

// copied is the part of unrounded that goes through an instruction which only
// moves values, and what arithmetic makes anew.
func (f *flow) copied(in *spirv.Inst, args []spirv.ID) unrounded {
	var r unrounded
	switch in.Op {
	case spirv.OpPhi, spirv.OpSelect, spirv.OpCopyObject, spirv.OpCopyLogical, spirv.OpCompositeConstruct, spirv.OpCompositeExtract,
		spirv.OpCompositeInsert, spirv.OpVectorShuffle, spirv.OpVectorExtractDynamic, spirv.OpVectorInsertDynamic, spirv.OpFNegate, spirv.OpTranspose:
		for _, a := range args {
			r |= f.raw[a]
		}
	case spirv.OpFMul, spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar, spirv.OpOuterProduct:
		if !f.u.HasDecoration(in.Result, spirv.DecorationNoContraction) {
			r = product
		}
	case spirv.OpFAdd, spirv.OpFSub:
		if !f.u.HasDecoration(in.Result, spirv.DecorationNoContraction) {
			r = sum
		}
	}
	return r
}

// width is the width of a float value, 32 where it is none.
func (f *flow) width(id spirv.ID) int {
	if t := f.u.TypeOf(id); t != nil && t.Component() != nil && t.Component().Kind == spirv.Float {
		return t.Component().Width
	}
	return 32
}

// inexact gives the numbers of the inexact operations that instruction i is.
func (f *flow) inexact(fn *spirv.Function, in *spirv.Inst, b *spirv.Block, i int, args []spirv.ID) []int {
	var out []int
	w := f.width(in.Result)
	note := func(name string, bound precision) { out = append(out, f.operation(fn, i, b, name, w, bound)) }
	t := f.u.TypeOf(in.Result)
	isFloat := t != nil && (t.Component() != nil && t.Component().Kind == spirv.Float || t.Kind == spirv.Struct)
	if !isFloat {
		return nil
	}
	if f.u.HasDecoration(in.Result, spirv.DecorationRelaxedPrecision) {
		switch in.Op {
		case spirv.OpLoad, spirv.OpCopyObject, spirv.OpPhi, spirv.OpSelect, spirv.OpCompositeConstruct, spirv.OpCompositeExtract, spirv.OpVectorShuffle:
		default:
			note("relaxed "+name(in.Op), relaxedBound)
		}
	}
	precise := f.u.HasDecoration(in.Result, spirv.DecorationNoContraction)
	var raw unrounded
	for _, a := range args {
		raw |= f.raw[a]
	}
	switch in.Op {
	case spirv.OpFDiv:
		note("FDiv", divisionBound)
	case spirv.OpFRem, spirv.OpFMod:
		note(name(in.Op), remainderBound)
	case spirv.OpDot:
		note("Dot", sumBound(f.length(args[0])))
	case spirv.OpMatrixTimesVector, spirv.OpVectorTimesMatrix, spirv.OpMatrixTimesMatrix:
		note(name(in.Op), sumBound(f.terms(in.Op, args)))
	case spirv.OpFAdd, spirv.OpFSub:
		if !precise && raw&product != 0 {
			note("contraction", contractionBound)
		} else if !precise && raw != 0 {
			note("reassociation", reorderBound)
		}
	case spirv.OpFMul, spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar:
		if !precise && raw != 0 {
			note("reassociation", reorderBound)
		}
	case spirv.OpGroupNonUniformFAdd, spirv.OpGroupNonUniformFMul:
		note(name(in.Op), precision{ULP: 16, Why: "a sum or product over the warp, in any association"})
	case spirv.OpExtInst:
		if f.u.ExtSet(args[0]) == "GLSL.std.450" && len(in.Args) > 1 {
			if t.Kind == spirv.Struct && len(t.Members) > 0 && t.Members[0].Type.Component() != nil {
				w = t.Members[0].Type.Component().Width
			}
			if bound, ok := glslBound(in.Args[1], w); ok {
				note(strings.ToLower(spirv.ExtInstName("GLSL.std.450", in.Args[1])), bound)
			}
		}
	default:
		switch n := in.Op.String(); {
		case strings.HasPrefix(n, "OpImageSample"):
			note("filtering", filterBound)
		case strings.HasPrefix(n, "OpImage") && f.fractions(args[0]):
			note("texel", texelBound)
		}
	}
	return out
}

// fractions reports whether an image may hold fractions as integers.
func (f *flow) fractions(id spirv.ID) bool {
	t := f.u.TypeOf(id)
	if t != nil && t.Kind == spirv.SampledImage {
		t = t.Elem
	}
	if t == nil || t.Kind != spirv.Image {
		return false
	}
	n := t.Format.String()
	return !strings.HasSuffix(n, "f") || n == "R11fG11fB10f"
}

func name(op spirv.Opcode) string { return strings.TrimPrefix(op.String(), "Op") }

// length is the number of components of a vector.
func (f *flow) length(id spirv.ID) int {
	if t := f.u.TypeOf(id); t != nil && t.Kind == spirv.Vector {
		return t.Len
	}
	return 4
}

// terms is the number of products in each component of a matrix product.
func (f *flow) terms(op spirv.Opcode, args []spirv.ID) int {
	t := f.u.TypeOf(args[0])
	switch {
	case t != nil && op == spirv.OpVectorTimesMatrix:
		return t.Len
	case t != nil && t.Kind == spirv.Matrix:
		return t.Len
	}
	return 4
}
