package gpu

import (
	"fmt"
	"strings"

	"ampdbg/spirv"
)

// readModes reads the needs of the entry point's execution modes.
func (us *usage) readModes() {
	controls := map[spirv.ExecutionMode]string{
		spirv.ExecutionModeDenormPreserve:           "shaderDenormPreserveFloat",
		spirv.ExecutionModeDenormFlushToZero:        "shaderDenormFlushToZeroFloat",
		spirv.ExecutionModeSignedZeroInfNanPreserve: "shaderSignedZeroInfNanPreserveFloat",
		spirv.ExecutionModeRoundingModeRTE:          "shaderRoundingModeRTEFloat",
		spirv.ExecutionModeRoundingModeRTZ:          "shaderRoundingModeRTZFloat",
	}
	for _, m := range us.entry.Modes {
		why := "execution mode " + m.Mode.String()
		if property, ok := controls[m.Mode]; ok && len(m.Args) > 0 {
			us.needs.add("property", fmt.Sprint(property, m.Args[0]), fmt.Sprint(why, " ", m.Args[0]))
		}
		switch m.Mode {
		case spirv.ExecutionModeLocalSizeId:
			us.needs.feature("maintenance4", why)
		case spirv.ExecutionModeSubgroupUniformControlFlowKHR:
			us.needs.feature("shaderSubgroupUniformControlFlow", why)
		}
	}
}

// readInst reads the needs that an instruction has by its operands, where the
// capability alone does not tell.
func (us *usage) readInst(in *spirv.Inst) {
	u := us.unit
	name := in.Op.String()
	switch {
	case in.Op == spirv.OpArrayLength:
		us.lengths = true
	case in.Op == spirv.OpReadClockKHR:
		feature := "shaderDeviceClock"
		if c := u.Const(spirv.ID(in.Args[0])); c != nil && spirv.Scope(c.Uint()) == spirv.ScopeSubgroup {
			feature = "shaderSubgroupClock"
		}
		us.needs.feature(feature, name)
	case strings.HasPrefix(name, "OpAtomic") && in.Op != spirv.OpAtomicFlagTestAndSet && in.Op != spirv.OpAtomicFlagClear:
		us.readAtomic(in, name)
	case strings.HasPrefix(name, "OpGroupNonUniform"):
		us.readSubgroup(in, name)
	}
}

// readAtomic reads the needs of an atomic by its width, kind and memory.
func (us *usage) readAtomic(in *spirv.Inst, name string) {
	u := us.unit
	pointer := u.TypeOf(spirv.ID(in.Args[0]))
	if pointer == nil || pointer.Elem == nil {
		return
	}
	where := "Buffer"
	switch pointer.Storage {
	case spirv.StorageClassWorkgroup:
		where = "Shared"
	case spirv.StorageClassImage:
		where = "Image"
	case spirv.StorageClassTaskPayloadWorkgroupEXT, spirv.StorageClassFunction, spirv.StorageClassPrivate:
		return
	}
	t := pointer.Elem
	switch {
	case t.Kind == spirv.Int && t.Width == 64:
		us.needs.feature("shader"+where+"Int64Atomics", name+" on a 64-bit integer")
	case t.Kind == spirv.Float:
		kind := "Atomics"
		switch in.Op {
		case spirv.OpAtomicFAddEXT:
			kind = "AtomicAdd"
		case spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT:
			kind = "AtomicMinMax"
		}
		us.needs.feature(fmt.Sprint("shader", where, "Float", t.Width, kind), fmt.Sprintf("%s on a %d-bit float", name, t.Width))
	}
}

// readSubgroup finds subgroup operations on types other than 32-bit ones and
// doubles.
func (us *usage) readSubgroup(in *spirv.Inst, name string) {
	u := us.unit
	ops, err := u.Operands(in)
	if err != nil {
		return
	}
	types := []*spirv.Type{u.Type(in.Type)}
	for _, o := range ops {
		if o.Kind == spirv.KindIdRef {
			types = append(types, u.TypeOf(spirv.ID(o.Words[0])))
		}
	}
	for _, t := range types {
		if t != nil && t.Kind == spirv.Vector {
			t = t.Elem
		}
		if t == nil {
			continue
		}
		if t.Kind == spirv.Int && t.Width != 32 || t.Kind == spirv.Float && t.Width == 16 {
			us.needs.feature("shaderSubgroupExtendedTypes", fmt.Sprintf("%s on %v", name, t))
		}
	}
	if in.Op == spirv.OpGroupNonUniformRotateKHR && len(in.Args) > 3 {
		us.needs.feature("shaderSubgroupRotateClustered", name+" with a cluster size")
	}
}
