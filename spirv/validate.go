package spirv

import (
	"fmt"
	"slices"
	"strings"

	"ampdbg/diag"
)

// Validate says whether a module may run: it holds it to the rules of SPIR-V
// and of Vulkan that Resolve does not rely on, and that a kernel has to keep for
// a run of it to mean anything. They are the order of a module's sections,
// declared capabilities, targets of decorations, memory layout, interfaces, what
// is constant in synchronization, and the types of operands. Where devices
// differ (scalar block layout), what one allows passes. What of a valid module a
// machine can do is the machine's to say.
//
// The error is a *diag.Error that names the instruction: of class BadInput, or
// Unsupported for an extended instruction whose rules are not known.
func Validate(u *Unit) (err error) {
	v := &validator{Unit: u, declared: map[Capability]bool{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case bailout:
			err = e.err
		default:
			panic(e)
		}
	}()
	v.order()
	v.capabilities()
	v.checkTypes()
	v.checkConstants()
	v.checkDecorations()
	v.checkVariables()
	v.checkEntryPoints()
	v.checkBodies()
	v.checkOperands()
	return nil
}

type validator struct {
	*Unit
	declared map[Capability]bool // implied ones too
}

func (v *validator) fail(i int, format string, args ...any) {
	panic(bailout{v.errorAt(i, format, args...)})
}

func (v *validator) want(i int, ok bool, format string, args ...any) {
	if !ok {
		v.fail(i, format, args...)
	}
}

// section is the place of an instruction among the sections of a module
// (SPIR-V 2.4), -1 for what may stand anywhere or is not known. Names and
// annotations may be mixed: their order says nothing.
func section(op Opcode) int {
	switch op {
	case OpCapability:
		return 0
	case OpExtension:
		return 1
	case OpExtInstImport:
		return 2
	case OpMemoryModel:
		return 3
	case OpEntryPoint:
		return 4
	case OpExecutionMode, OpExecutionModeId:
		return 5
	case OpString, OpSource, OpSourceExtension, OpSourceContinued, OpName, OpMemberName, OpModuleProcessed:
		return 6
	case OpExtInst, OpLine, OpNoLine, OpVariable:
		return 7
	}
	switch {
	case op.Class() == "Annotation":
		return 6
	case isTypeDeclaration(op), isConstant(op):
		return 7
	}
	return -1
}

// order checks the order of the module's sections, and what there is one of.
func (v *validator) order() {
	last, at := 0, 0
	models := 0
	for i := range v.Insts {
		op := v.Insts[i].Op
		if op == OpFunction {
			break
		}
		if op == OpMemoryModel {
			models++
			v.want(i, models == 1, "the module has a second memory model")
			v.want(i, (v.Memory == MemoryModelVulkan) == slices.Contains(v.Capabilities, CapabilityVulkanMemoryModel), "memory model Vulkan and capability VulkanMemoryModel are not both there")
		}
		switch s := section(op); {
		case s < 0:
		case s < last:
			v.fail(i, "expected before the %s at module word offset %d", v.Insts[at].Op, v.Insts[at].Offset)
		case s > last:
			last, at = s, i
		}
	}
	if models == 0 {
		panic(bailout{&diag.Error{Class: diag.BadInput, Pos: diag.Pos{File: v.Module.Name}, Msg: "the module has no OpMemoryModel"}})
	}
	seen := map[string]bool{}
	for i := range v.Insts {
		in := &v.Insts[i]
		if in.Op == OpExtInstImport {
			set := v.ExtSet(in.Result)
			if lookupExtInstSet(set) == nil && !(importedSet{name: set}).nonSemantic() {
				e := v.errorAt(i, "extended instruction set %q is not known", set)
				e.Class = diag.Unsupported
				panic(bailout{e})
			}
		}
		if in.Op != OpEntryPoint {
			continue
		}
		name, _, _ := String(in.Args[2:])
		key := fmt.Sprint(in.Args[0], name)
		v.want(i, !seen[key], "a second entry point %q of the same execution model", name)
		seen[key] = true
	}
}

// has reports whether the module declares one of the capabilities.
func (v *validator) has(any ...Capability) bool {
	return slices.ContainsFunc(any, func(c Capability) bool { return v.declared[c] })
}

// hasNamed is has for the names that the grammar gives. Names that it does not
// know are of no use to tell.
func (v *validator) hasNamed(any []string) bool {
	if len(any) == 0 {
		return true
	}
	for _, name := range any {
		if e := KindCapability.lookupName(name); e == nil || v.declared[Capability(e.value)] {
			return true
		}
	}
	return false
}

// declare takes a capability, and those that it implies, for declared.
func (v *validator) declare(c Capability) {
	if v.declared[c] {
		return
	}
	v.declared[c] = true
	for _, name := range KindCapability.enumCapabilities(uint32(c)) {
		if e := KindCapability.lookupName(name); e != nil {
			v.declare(Capability(e.value))
		}
	}
}

// capabilities checks that the module declares what its instructions and their
// operands need.
func (v *validator) capabilities() {
	for _, c := range v.Capabilities {
		v.declare(c)
	}
	w := operandWalker{context: v.operandContext()}
	for i := range v.Insts {
		in := &v.Insts[i]
		if in.Op == OpCapability || in.Op == OpExtInst {
			continue
		}
		if need := in.Op.Capabilities(); !v.hasNamed(need) {
			v.fail(i, "needs capability %s", strings.Join(need, " or "))
		}
		w.visit = func(o Operand) {
			if o.Kind.IsID() || !o.Kind.isEnum() && !o.Kind.isMask() {
				return
			}
			need := func(value uint32) {
				names := o.Kind.enumCapabilities(value)
				if !v.hasNamed(names) && !optionalBuiltIn(o.Kind, value) {
					v.fail(i, "%s %s needs capability %s", o.Kind, o.Kind.format(value), strings.Join(names, " or "))
				}
			}
			if o.Kind.isEnum() {
				need(o.Words[0])
				return
			}
			for bits := o.Words[0]; bits != 0; bits &= bits - 1 {
				need(bits & -bits)
			}
		}
		if p := w.walk(in); p != nil {
			panic(bailout{p.at(v.Module, in)})
		}
	}
}

// optionalBuiltIn tells built-ins that may be declared without their
// capability if nothing uses them.
func optionalBuiltIn(k OperandKind, value uint32) bool {
	if k != KindBuiltIn {
		return false
	}
	switch BuiltIn(value) {
	case BuiltInPointSize, BuiltInClipDistance, BuiltInCullDistance:
		return true
	}
	return false
}

// checkTypes checks type declarations.
func (v *validator) checkTypes() {
	seen := map[string]bool{}
	for i := range v.Insts {
		in := &v.Insts[i]
		t, ok := v.results[i].(*Type)
		if !ok {
			continue
		}
		switch t.Kind {
		case Int:
			v.want(i, in.Args[1] <= 1, "signedness %d, expected 0 or 1", in.Args[1])
			v.want(i, v.has(widthCapabilities[shapeKey{Int, t.Width}]...) || t.Width == 32, "integers of %d bits need a capability that the module does not declare", t.Width)
		case Float:
			v.want(i, v.has(widthCapabilities[shapeKey{Float, t.Width}]...) || t.Width == 32, "floats of %d bits need a capability that the module does not declare", t.Width)
		case Vector:
			v.want(i, t.Len <= 4 || v.has(CapabilityVector16), "vectors of %d components need capability Vector16", t.Len)
		case Image:
			v.want(i, t.Depth <= 2 && in.Args[3] <= 1 && in.Args[4] <= 1 && t.Sampled <= 2, "depth, arrayed, multisampled and sampled are %d, %d, %d, %d; expected at most 2, 1, 1, 2", t.Depth, in.Args[3], in.Args[4], t.Sampled)
			v.want(i, t.Sampled > 0, "whether the image is sampled has to be known")
			v.want(i, t.Sampled == 1 || !t.MS || v.has(CapabilityStorageImageMultisample), "a multisampled storage image needs capability StorageImageMultisample")
			v.want(i, t.Elem.Kind != Void && (t.Elem.Width == 32 || t.Elem.Width == 64 && t.Elem.Kind == Int && v.has(CapabilityInt64ImageEXT)), "sampled type %s", t.Elem)
		case Struct:
			for k := range t.Members {
				m := t.Members[k].Type
				v.want(i, m.Kind != RuntimeArray || k == len(t.Members)-1, "member %d is a run-time array, which only the last one can be", k)
				for m.Kind == Array || m.Kind == RuntimeArray {
					m = m.Elem
				}
				v.want(i, m.Kind != Struct || !m.Block && !m.BufferBlock || !t.Block && !t.BufferBlock, "member %d is a block in a block", k)
				v.want(i, m.Kind != Image && m.Kind != Sampler && m.Kind != SampledImage, "member %d is a handle", k)
			}
		}
		switch t.Kind {
		case Array, RuntimeArray, Struct, Pointer, OtherType:
		default:
			key := fmt.Sprint(in.Op, in.Args)
			v.want(i, !seen[key], "the type is declared already")
			seen[key] = true
		}
	}
}

// checkConstants checks that literals of narrow types have no bits beyond the
// type's, and that execution modes have the operands that they take.
func (v *validator) checkConstants() {
	for i := range v.Insts {
		switch in := &v.Insts[i]; in.Op {
		case OpConstant, OpSpecConstant:
			t := v.Type(in.Type)
			if t.Width >= 32 {
				continue
			}
			want := uint32(mask(uint64(in.Args[0]), t.Width))
			if t.Kind == Int && t.Signed {
				want = uint32(signed(uint64(want), t.Width))
			}
			v.want(i, in.Args[0] == want, "literal word %#x for %s", in.Args[0], t)
		case OpExecutionMode, OpExecutionModeId:
			ids := false
			switch ExecutionMode(in.Args[1]) {
			case ExecutionModeLocalSizeId, ExecutionModeLocalSizeHintId, ExecutionModeSubgroupsPerWorkgroupId:
				ids = true
			case ExecutionModeLocalSize, ExecutionModeLocalSizeHint, ExecutionModeSubgroupsPerWorkgroup:
			default:
				continue
			}
			v.want(i, ids == (in.Op == OpExecutionModeId), "mode %s", ExecutionMode(in.Args[1]))
		}
	}
}

type shapeKey struct {
	kind  TypeKind
	width int
}

// widthCapabilities are those that allow scalars of a kind, if only in memory.
var widthCapabilities = func() map[shapeKey][]Capability {
	narrow := []Capability{CapabilityStorageBuffer16BitAccess, CapabilityUniformAndStorageBuffer16BitAccess, CapabilityStoragePushConstant16,
		CapabilityStorageInputOutput16, CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR}
	return map[shapeKey][]Capability{
		{Int, 8}: {CapabilityInt8, CapabilityStorageBuffer8BitAccess, CapabilityUniformAndStorageBuffer8BitAccess, CapabilityStoragePushConstant8,
			CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR},
		{Int, 16}:   append([]Capability{CapabilityInt16}, narrow...),
		{Int, 64}:   {CapabilityInt64},
		{Float, 16}: append([]Capability{CapabilityFloat16, CapabilityFloat16Buffer}, narrow...),
		{Float, 64}: {CapabilityFloat64},
	}
}()
