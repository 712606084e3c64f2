package spirv

import (
	"strconv"
	"strings"
)

// nameFriendly gives spirv-dis' names for the ids of m: by OpName, by
// built-in, by type ("v4float", "_ptr_Uniform_S") or by the value of a
// constant ("uint_16"), with a number appended where a name is taken; the
// id's number where nothing is known. The function writes an id with its
// leading % and may be called from several goroutines.
func nameFriendly(m *Module) func(ID) string {
	f := friendlyNames{context: m.operandContext(), byID: map[ID]string{}, used: map[string]int{}}
	for i := range m.Insts {
		f.learn(&m.Insts[i])
	}
	return func(id ID) string { return "%" + f.name(id) }
}

type friendlyNames struct {
	context *operandContext
	byID    map[ID]string
	used    map[string]int // names given, with the next number to try after it
}

func (f *friendlyNames) name(id ID) string {
	if n, ok := f.byID[id]; ok {
		return n
	}
	return strconv.FormatUint(uint64(id), 10)
}

// maxComposed bounds the length of a name made of other names, which nested
// types can make exponential. Beyond it the id's number stands.
const maxComposed = 512

// compose names id by its parts.
func (f *friendlyNames) compose(id ID, parts ...string) {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if n > maxComposed {
		parts = []string{strconv.FormatUint(uint64(id), 10)}
	}
	f.save(id, strings.Join(parts, ""))
}

// save names id, if it has no name yet.
func (f *friendlyNames) save(id ID, name string) {
	if _, ok := f.byID[id]; ok || id == 0 {
		return
	}
	name = sanitize(name)
	if _, taken := f.used[name]; taken {
		base := name
		for taken {
			name = base + "_" + strconv.Itoa(f.used[base])
			f.used[base]++
			_, taken = f.used[name]
		}
	}
	f.used[name] = 0
	f.byID[id] = name
}

// sanitize replaces what an id may not contain.
func sanitize(name string) string {
	if name == "" {
		return "_"
	}
	b := []byte(name)
	for i, c := range b {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			b[i] = '_'
		}
	}
	return string(b)
}

// learn takes names from an instruction.
func (f *friendlyNames) learn(in *Inst) {
	arg := func(i int) uint32 {
		if i < len(in.Args) {
			return in.Args[i]
		}
		return 0
	}
	id := in.Result
	switch in.Op {
	case OpName:
		if len(in.Args) > 1 {
			s, _, _ := String(in.Args[1:])
			f.save(ID(arg(0)), s)
		}
	case OpDecorate:
		if Decoration(arg(1)) == DecorationBuiltIn && len(in.Args) > 2 {
			if n := builtInNames[BuiltIn(arg(2))]; n != "" {
				f.save(ID(arg(0)), n)
			}
		}
	case OpTypeVoid:
		f.save(id, "void")
	case OpTypeBool:
		f.save(id, "bool")
	case OpTypeInt:
		f.save(id, intName(arg(0), arg(1) != 0))
	case OpTypeFloat:
		f.save(id, floatName(arg(0)))
	case OpTypeVector:
		f.compose(id, "v", strconv.FormatUint(uint64(arg(1)), 10), f.name(ID(arg(0))))
	case OpTypeMatrix:
		f.compose(id, "mat", strconv.FormatUint(uint64(arg(1)), 10), f.name(ID(arg(0))))
	case OpTypeArray:
		f.compose(id, "_arr_", f.name(ID(arg(0))), "_", f.name(ID(arg(1))))
	case OpTypeRuntimeArray:
		f.compose(id, "_runtimearr_", f.name(ID(arg(0))))
	case OpTypePointer:
		f.compose(id, "_ptr_", KindStorageClass.format(arg(0)), "_", f.name(ID(arg(1))))
	case OpTypePipe:
		f.save(id, "Pipe"+KindAccessQualifier.format(arg(0)))
	case OpTypeEvent, OpTypeDeviceEvent, OpTypeReserveId, OpTypeQueue, OpTypePipeStorage, OpTypeNamedBarrier:
		f.save(id, strings.TrimPrefix(in.Op.String(), "OpType"))
	case OpTypeOpaque:
		s, _, _ := String(in.Args)
		f.save(id, "Opaque_"+sanitize(s))
	case OpTypeStruct:
		f.save(id, "_struct_"+strconv.FormatUint(uint64(id), 10))
	case OpConstantTrue:
		f.save(id, "true")
	case OpConstantFalse:
		f.save(id, "false")
	case OpConstant:
		t := f.context.numbers[in.Type]
		if t.Width == 0 || len(in.Args) != t.words() {
			f.save(id, strconv.FormatUint(uint64(id), 10))
			return
		}
		value := strings.ReplaceAll(formatNumber(in.Args, t), "-", "n")
		f.compose(id, f.name(in.Type), "_", value)
	default:
		f.save(id, strconv.FormatUint(uint64(id), 10))
	}
}

func intName(width uint32, signed bool) string {
	name, prefix := "", ""
	switch width {
	case 8:
		name = "char"
	case 16:
		name = "short"
	case 32:
		name = "int"
	case 64:
		name = "long"
	default:
		name, prefix = strconv.FormatUint(uint64(width), 10), "i"
	}
	if !signed {
		prefix = "u"
	}
	return prefix + name
}

func floatName(width uint32) string {
	switch width {
	case 16:
		return "half"
	case 32:
		return "float"
	case 64:
		return "double"
	}
	return "fp" + strconv.FormatUint(uint64(width), 10)
}

// builtInNames are the names of variables that are built-ins: those of GLSL,
// and OpenCL's.
var builtInNames = map[BuiltIn]string{
	BuiltInPosition:                  "gl_Position",
	BuiltInPointSize:                 "gl_PointSize",
	BuiltInClipDistance:              "gl_ClipDistance",
	BuiltInCullDistance:              "gl_CullDistance",
	BuiltInVertexId:                  "gl_VertexID",
	BuiltInInstanceId:                "gl_InstanceID",
	BuiltInPrimitiveId:               "gl_PrimitiveID",
	BuiltInInvocationId:              "gl_InvocationID",
	BuiltInLayer:                     "gl_Layer",
	BuiltInViewportIndex:             "gl_ViewportIndex",
	BuiltInTessLevelOuter:            "gl_TessLevelOuter",
	BuiltInTessLevelInner:            "gl_TessLevelInner",
	BuiltInTessCoord:                 "gl_TessCoord",
	BuiltInPatchVertices:             "gl_PatchVertices",
	BuiltInFragCoord:                 "gl_FragCoord",
	BuiltInPointCoord:                "gl_PointCoord",
	BuiltInFrontFacing:               "gl_FrontFacing",
	BuiltInSampleId:                  "gl_SampleID",
	BuiltInSamplePosition:            "gl_SamplePosition",
	BuiltInSampleMask:                "gl_SampleMask",
	BuiltInFragDepth:                 "gl_FragDepth",
	BuiltInHelperInvocation:          "gl_HelperInvocation",
	BuiltInNumWorkgroups:             "gl_NumWorkGroups",
	BuiltInWorkgroupSize:             "gl_WorkGroupSize",
	BuiltInWorkgroupId:               "gl_WorkGroupID",
	BuiltInLocalInvocationId:         "gl_LocalInvocationID",
	BuiltInGlobalInvocationId:        "gl_GlobalInvocationID",
	BuiltInLocalInvocationIndex:      "gl_LocalInvocationIndex",
	BuiltInWorkDim:                   "WorkDim",
	BuiltInGlobalSize:                "GlobalSize",
	BuiltInEnqueuedWorkgroupSize:     "EnqueuedWorkgroupSize",
	BuiltInGlobalOffset:              "GlobalOffset",
	BuiltInGlobalLinearId:            "GlobalLinearId",
	BuiltInSubgroupSize:              "SubgroupSize",
	BuiltInSubgroupMaxSize:           "SubgroupMaxSize",
	BuiltInNumSubgroups:              "NumSubgroups",
	BuiltInNumEnqueuedSubgroups:      "NumEnqueuedSubgroups",
	BuiltInSubgroupId:                "SubgroupId",
	BuiltInSubgroupLocalInvocationId: "SubgroupLocalInvocationId",
	BuiltInVertexIndex:               "gl_VertexIndex",
	BuiltInInstanceIndex:             "gl_InstanceIndex",
	BuiltInBaseInstance:              "gl_BaseInstance",
	BuiltInSubgroupEqMaskKHR:         "SubgroupEqMaskKHR",
	BuiltInSubgroupGeMaskKHR:         "SubgroupGeMaskKHR",
	BuiltInSubgroupGtMaskKHR:         "SubgroupGtMaskKHR",
	BuiltInSubgroupLeMaskKHR:         "SubgroupLeMaskKHR",
	BuiltInSubgroupLtMaskKHR:         "SubgroupLtMaskKHR",
}
