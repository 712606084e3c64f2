package spirv

import "slices"

// checkEntryPoints checks the interfaces of entry points, and that what they
// use is bound somewhere.
func (v *validator) checkEntryPoints() {
	all := v.Version >= MakeVersion(1, 4)
	at := 0
	for i := range v.Insts {
		if v.Insts[i].Op != OpEntryPoint {
			continue
		}
		e := &v.EntryPoints[at]
		at++
		listed := map[ID]bool{}
		for _, id := range e.Interface {
			x := v.Var(id)
			io := x.Storage == StorageClassInput || x.Storage == StorageClassOutput
			v.want(i, io || all, "interface variable %s in %s memory, expected Input or Output", v.DisplayName(id), x.Storage)
			v.want(i, x.Storage != StorageClassFunction, "interface variable %s in Function memory", v.DisplayName(id))
			v.want(i, !all || !listed[id], "interface variable %s is listed twice", v.DisplayName(id))
			listed[id] = true
		}
		size := e.LocalSize
		v.want(i, e.Model != ExecutionModelGLCompute || size[0] != 0 && size[1] != 0 && size[2] != 0, "entry point %q has no tile size (LocalSize)", e.Name)
		f := v.Function(e.Function)
		blocks, aliased := 0, 0
		for _, id := range e.Interface {
			if x := v.Var(id); x.Storage == StorageClassWorkgroup && x.Type.Elem.Block {
				blocks++
				if v.HasDecoration(id, DecorationAliased) {
					aliased++
				}
			}
		}
		v.want(i, blocks < 2 || aliased == blocks, "interface with several blocks in Workgroup memory, which share it, and not all are decorated with Aliased")
		v.want(i, len(f.Type.Params) == 0 && f.Type.Return.Kind == Void, "function %s has parameters or a result", v.DisplayName(e.Function))
		for _, id := range v.reached(f) {
			x := v.Var(id)
			io := x.Storage == StorageClassInput || x.Storage == StorageClassOutput
			v.want(i, listed[id] || !io && !all, "variable %s, which the entry point uses, is not among its interface", v.DisplayName(id))
			switch x.Storage {
			case StorageClassUniformConstant, StorageClassUniform, StorageClassStorageBuffer:
				v.want(x.Index, v.HasDecoration(id, DecorationDescriptorSet) && v.HasDecoration(id, DecorationBinding), "lacks a DescriptorSet or a Binding decoration")
			}
		}
	}
}

// reached are the module-scope variables that f and what it calls name.
func (v *validator) reached(f *Function) []ID {
	var out []ID
	named := map[ID]bool{}
	queue := []*Function{f}
	for next := 0; next < len(queue); next++ {
		for _, b := range queue[next].Blocks {
			for i := b.First; i <= b.Last; i++ {
				in := &v.Insts[i]
				if in.Op == OpExtInst && v.isNonSemantic(in) {
					continue
				}
				w := operandWalker{context: v.operandContext(), visit: func(o Operand) {
					if !o.Kind.IsID() || named[ID(o.Words[0])] {
						return
					}
					id := ID(o.Words[0])
					if x := v.Var(id); x != nil && x.Storage != StorageClassFunction {
						named[id] = true
						out = append(out, id)
					}
					if g := v.Function(id); g != nil {
						named[id] = true
						queue = append(queue, g)
					}
				}}
				w.walk(in)
			}
		}
	}
	return out
}

func (u *Unit) isNonSemantic(in *Inst) bool {
	return importedSet{name: u.ExtSet(ID(in.Args[0]))}.nonSemantic()
}

// checkBodies checks instructions of functions.
func (v *validator) checkBodies() {
	for _, f := range v.Functions {
		if v.structured && len(f.Blocks) > 0 {
			v.checkExits(f)
		}
		for _, b := range f.Blocks {
			plain := false // something that is no variable has come
			for i := b.First; i <= b.Last; i++ {
				in := &v.Insts[i]
				switch in.Op {
				case OpVariable:
					v.want(i, !plain, "expected at the head of the function's first block")
				case OpLine, OpNoLine, OpPhi:
				case OpExtInst:
					plain = plain || !v.isNonSemantic(in)
				default:
					plain = true
				}
				v.checkSynchronization(i)
				switch in.Op {
				case OpBranchConditional:
					v.want(i, len(in.Args) == 3 || len(in.Args) == 5, "%d operands, expected 3, or 5 with weights", len(in.Args))
					v.want(i, in.Args[1] != in.Args[2] || v.Version < MakeVersion(1, 6), "both branches go to %s", v.IDName(ID(in.Args[1])))
				case OpStore, OpCopyMemory:
					v.checkWritable(i, ID(in.Args[0]))
				}
			}
		}
	}
}

// checkExits checks that branches leave constructs as SPIR-V lets them (2.11,
// "structured exits"), and where loops go round.
func (v *validator) checkExits(f *Function) {
	var order []*Block
	for _, b := range f.Blocks {
		if b.Order >= 0 {
			order = append(order, b)
		}
	}
	slices.SortFunc(order, func(a, b *Block) int { return a.Order - b.Order })
	tree := newDomTree(len(f.Blocks), order, func(b *Block) *Block { return b.sdom })
	for _, b := range order {
		if c := b.enters; c != nil && c.Kind == LoopConstruct {
			backs := 0
			for _, p := range b.Preds {
				if tree.dominates(b, p) {
					backs++
					v.want(p.Last, c.Continue != b || p == b, "goes back to the loop's header %s, which is its continue target, from outside of it", v.IDName(b.Label))
				}
			}
			v.want(b.MergeInst, backs == 1, "%d blocks branch back to the loop's header, expected 1", backs)
		} else {
			for _, p := range b.Preds {
				v.want(p.Last, !tree.dominates(b, p), "goes back to %s, which is no loop's header", v.IDName(b.Label))
			}
		}
		innermost := b.Construct
		if b.enters != nil {
			innermost = b.enters
		}
		for _, s := range b.Succs {
			var loops, switches bool // left on the way out
			for c := innermost; c != nil; c = c.Parent {
				if c.Merge != s {
					loops = loops || c.Kind == LoopConstruct
					switches = switches || c.Kind == SwitchConstruct
					continue
				}
				ok := c == innermost || c.Kind == LoopConstruct && !loops || c.Kind == SwitchConstruct && !loops && !switches
				v.want(b.Last, ok, "leaves the construct of block %s for merge block %s, which is not that of the innermost loop or switch", v.IDName(c.Header.Label), v.IDName(s.Label))
				if c.Kind == LoopConstruct && c.Continue != c.Header && tree.dominates(c.Continue, b) {
					v.want(b.Last, slices.Contains(b.Succs, c.Header), "leaves the loop from within its continue construct")
				}
				break
			}
		}
	}
}

// checkWritable checks that a pointer to be stored through leads to memory of
// a class that can be written.
func (v *validator) checkWritable(i int, id ID) {
	t := v.TypeOf(id)
	if t == nil || t.Kind != Pointer {
		return // see the checks of types
	}
	readOnly := false
	switch t.Storage {
	case StorageClassUniformConstant, StorageClassInput, StorageClassPushConstant:
		readOnly = true
	case StorageClassUniform:
		readOnly = v.baseIsBlock(id)
	}
	v.want(i, !readOnly, "stores into %s memory, which is read-only", t.Storage)
}

// baseIsBlock reports whether a pointer into Uniform memory leads into a
// uniform block, not into a buffer block.
func (v *validator) baseIsBlock(id ID) bool {
	for {
		d := v.Def(id)
		in := &v.Insts[d]
		switch in.Op {
		case OpAccessChain, OpInBoundsAccessChain, OpPtrAccessChain, OpInBoundsPtrAccessChain, OpCopyObject:
			id = ID(in.Args[0])
			continue
		case OpVariable:
			t := v.Var(id).Type.Elem
			for t.Kind == Array || t.Kind == RuntimeArray {
				t = t.Elem
			}
			return t.Block
		}
		return false
	}
}

// The parts of memory semantics (SPIR-V 3.32).
const (
	semanticsOrders = MemorySemanticsAcquire | MemorySemanticsRelease | MemorySemanticsAcquireRelease | MemorySemanticsSequentiallyConsistent
	semanticsVulkan = MemorySemanticsOutputMemory | MemorySemanticsMakeAvailable | MemorySemanticsMakeVisible | MemorySemanticsVolatile
	semanticsKinds  = MemorySemanticsUniformMemory | MemorySemanticsSubgroupMemory | MemorySemanticsWorkgroupMemory | MemorySemanticsCrossWorkgroupMemory |
		MemorySemanticsAtomicCounterMemory | MemorySemanticsImageMemory | MemorySemanticsOutputMemory
)

// checkSynchronization checks scopes and semantics.
func (v *validator) checkSynchronization(i int) {
	in := &v.Insts[i]
	arg := func(k int) ID { return ID(in.Args[k]) }
	switch op := in.Op; {
	case op == OpControlBarrier:
		s := Scope(v.constant(i, arg(0), "execution scope"))
		v.want(i, s == ScopeWorkgroup || s == ScopeSubgroup, "execution scope %s, expected Workgroup or Subgroup", s)
		scope := v.checkMemoryScope(i, arg(1))
		sem := v.checkSemantics(i, arg(2), 0)
		v.want(i, sem == 0 || scope != ScopeInvocation, "memory semantics %s at scope Invocation, expected None", sem)
	case op == OpMemoryBarrier:
		v.checkMemoryScope(i, arg(0))
		sem := v.checkSemantics(i, arg(1), 0)
		v.want(i, sem&semanticsOrders != 0 && sem&semanticsKinds != 0, "memory semantics %s lack an order or a kind of memory", sem)
	case op == OpLoad || op == OpStore || op == OpCopyMemory || op == OpImageRead || op == OpImageWrite:
		w := operandWalker{context: v.operandContext(), visit: func(o Operand) {
			if o.Kind == KindIdScope {
				v.checkMemoryScope(i, ID(o.Words[0]))
			}
		}}
		w.walk(in)
	case op.Class() == "Atomic" && len(in.Args) >= 3:
		v.checkAtomicWidth(i)
		v.checkMemoryScope(i, arg(1))
		var never MemorySemantics
		switch op {
		case OpAtomicLoad:
			never = MemorySemanticsRelease | MemorySemanticsAcquireRelease | MemorySemanticsSequentiallyConsistent
		case OpAtomicStore:
			never = MemorySemanticsAcquire | MemorySemanticsAcquireRelease | MemorySemanticsSequentiallyConsistent
		}
		v.checkSemantics(i, arg(2), never)
		if (op == OpAtomicCompareExchange || op == OpAtomicCompareExchangeWeak) && len(in.Args) > 3 {
			v.checkSemantics(i, arg(3), MemorySemanticsRelease|MemorySemanticsAcquireRelease)
		}
	case op == OpReadClockKHR:
		s := Scope(v.constant(i, arg(0), "scope"))
		v.want(i, s == ScopeSubgroup || s == ScopeDevice, "scope %s, expected Subgroup or Device", s)
	case len(in.Args) > 0 && (op.Class() == "Non-Uniform" && op >= OpGroupNonUniformElect || op == OpGroupNonUniformRotateKHR):
		s := Scope(v.constant(i, arg(0), "execution scope"))
		v.want(i, s == ScopeSubgroup || s == ScopeWorkgroup, "execution scope %s, expected Subgroup", s)
	}
}

// checkAtomicWidth checks that atomics on the type of what the atomic i points
// to are declared.
func (v *validator) checkAtomicWidth(i int) {
	in := &v.Insts[i]
	t := v.TypeOf(ID(in.Args[0]))
	if t == nil || t.Kind != Pointer || t.Elem == nil {
		return // see the checks of types
	}
	var need Capability
	switch t = t.Elem; {
	case t.Kind == Int && t.Width == 64:
		need = CapabilityInt64Atomics
	case in.Op == OpAtomicFAddEXT:
		need = map[int]Capability{16: CapabilityAtomicFloat16AddEXT, 32: CapabilityAtomicFloat32AddEXT, 64: CapabilityAtomicFloat64AddEXT}[t.Width]
	case in.Op == OpAtomicFMinEXT || in.Op == OpAtomicFMaxEXT:
		need = map[int]Capability{16: CapabilityAtomicFloat16MinMaxEXT, 32: CapabilityAtomicFloat32MinMaxEXT, 64: CapabilityAtomicFloat64MinMaxEXT}[t.Width]
	}
	v.want(i, need == 0 || v.has(need), "an atomic on %s needs capability %s", t, need)
}

// constant is the value of a 32-bit integer that has to be known before the
// kernel runs.
func (v *validator) constant(i int, id ID, what string) uint32 {
	c := v.Const(id)
	ok := c != nil && c.Type.Kind == Int && c.Type.Width == 32 && !c.Spec && !c.IsUndef(0)
	v.want(i, ok, "the %s is no 32-bit integer constant, or depends on a specialization constant", what)
	return uint32(c.Bits[0])
}

func (v *validator) checkMemoryScope(i int, id ID) Scope {
	s := Scope(v.constant(i, id, "memory scope"))
	switch s {
	case ScopeDevice:
		v.want(i, v.Memory != MemoryModelVulkan || v.has(CapabilityVulkanMemoryModelDeviceScope), "memory scope Device needs capability VulkanMemoryModelDeviceScope")
	case ScopeQueueFamily:
		v.want(i, v.has(CapabilityVulkanMemoryModel), "memory scope QueueFamily needs capability VulkanMemoryModel")
	case ScopeWorkgroup, ScopeSubgroup, ScopeInvocation:
	default:
		v.fail(i, "memory scope %s, expected Device, QueueFamily, Workgroup, Subgroup or Invocation", s)
	}
	return s
}

// checkSemantics checks memory semantics, which must not have the bits never.
func (v *validator) checkSemantics(i int, id ID, never MemorySemantics) MemorySemantics {
	bits := v.constant(i, id, "memory semantics")
	sem := MemorySemantics(bits)
	name := sem.String()
	order := sem & semanticsOrders
	v.want(i, order&(order-1) == 0, "memory semantics %s have more than one order", name)
	v.want(i, order&never == 0, "memory semantics %s do not fit the instruction", name)
	v.want(i, order != MemorySemanticsSequentiallyConsistent || v.Memory != MemoryModelVulkan, "memory semantics %s in the Vulkan memory model", name)
	v.want(i, sem&semanticsVulkan == 0 || v.has(CapabilityVulkanMemoryModel), "memory semantics %s need capability VulkanMemoryModel", name)
	releases := sem&(MemorySemanticsRelease|MemorySemanticsAcquireRelease) != 0
	acquires := sem&(MemorySemanticsAcquire|MemorySemanticsAcquireRelease) != 0
	v.want(i, sem&MemorySemanticsMakeAvailable == 0 || releases, "memory semantics %s make available without a release", name)
	v.want(i, sem&MemorySemanticsMakeVisible == 0 || acquires, "memory semantics %s make visible without an acquire", name)
	v.want(i, sem&(MemorySemanticsMakeAvailable|MemorySemanticsMakeVisible) == 0 || sem&semanticsKinds != 0, "memory semantics %s name no kind of memory", name)
	return sem
}
