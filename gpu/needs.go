package gpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// needs maps what a device must have to the reason. A key is a kind and
// Vulkan's name: "feature shaderInt64", "extension VK_KHR_shader_clock",
// "property shaderDenormPreserveFloat32", "subgroup vote"; or "SPIR-V 1.6" and
// "anything that allows ..." for what no device of its version has.
type needs map[string]string

func (n needs) add(kind, name, why string) {
	if _, ok := n[kind+" "+name]; !ok {
		n[kind+" "+name] = why
	}
}

func (n needs) feature(name, why string)   { n.add("feature", name, why) }
func (n needs) extension(name, why string) { n.add("extension", name, why) }

// names lists the names of one kind, sorted.
func (n needs) names(kind string) []string {
	var out []string
	for key := range n {
		if k, name, _ := strings.Cut(key, " "); k == kind {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// missing names what the device lacks, each with its reason; "" if nothing.
func (n needs) missing(d *Device) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(n)) {
		kind, name, _ := strings.Cut(key, " ")
		var ok bool
		switch kind {
		case "feature":
			ok = d.has(name)
		case "extension":
			ok = d.hasExtension(name)
		case "property":
			ok = d.hasProperty(name)
		case "subgroup":
			ok = d.Subgroup.Compute && slices.Contains(d.Subgroup.Operations, name)
			key = "subgroup operations of kind " + name
		}
		if !ok {
			out = append(out, fmt.Sprintf("%s (%s)", key, n[kind+" "+name]))
		}
	}
	return strings.Join(out, ", ")
}

// capabilityNeeds says for each capability that Vulkan allows in compute
// shaders what it needs: words of the form "name" for a feature,
// "+VK_extension", "subgroup:kind" or, for those that the instructions decide
// (readInst), nothing.
var capabilityNeeds = map[spirv.Capability]string{
	spirv.CapabilityMatrix:         "",
	spirv.CapabilityShader:         "",
	spirv.CapabilitySampled1D:      "",
	spirv.CapabilityImage1D:        "",
	spirv.CapabilitySampledBuffer:  "",
	spirv.CapabilityImageBuffer:    "",
	spirv.CapabilityImageQuery:     "",
	spirv.CapabilityDeviceGroup:    "",
	spirv.CapabilityFloat16:        "shaderFloat16",
	spirv.CapabilityFloat64:        "shaderFloat64",
	spirv.CapabilityInt64:          "shaderInt64",
	spirv.CapabilityInt16:          "shaderInt16",
	spirv.CapabilityInt8:           "shaderInt8",
	spirv.CapabilityInt64Atomics:   "",
	spirv.CapabilityInt64ImageEXT:  "shaderImageInt64Atomics",
	spirv.CapabilityImageCubeArray: "imageCubeArray",

	spirv.CapabilitySampledCubeArray:                       "imageCubeArray",
	spirv.CapabilityImageGatherExtended:                    "shaderImageGatherExtended",
	spirv.CapabilityStorageImageMultisample:                "shaderStorageImageMultisample",
	spirv.CapabilityImageMSArray:                           "shaderStorageImageMultisample",
	spirv.CapabilityStorageImageExtendedFormats:            "shaderStorageImageExtendedFormats",
	spirv.CapabilityStorageImageReadWithoutFormat:          "shaderStorageImageReadWithoutFormat",
	spirv.CapabilityStorageImageWriteWithoutFormat:         "shaderStorageImageWriteWithoutFormat",
	spirv.CapabilityMinLod:                                 "shaderResourceMinLod",
	spirv.CapabilitySparseResidency:                        "shaderResourceResidency",
	spirv.CapabilityUniformBufferArrayDynamicIndexing:      "shaderUniformBufferArrayDynamicIndexing",
	spirv.CapabilitySampledImageArrayDynamicIndexing:       "shaderSampledImageArrayDynamicIndexing",
	spirv.CapabilityStorageBufferArrayDynamicIndexing:      "shaderStorageBufferArrayDynamicIndexing",
	spirv.CapabilityStorageImageArrayDynamicIndexing:       "shaderStorageImageArrayDynamicIndexing",
	spirv.CapabilityUniformTexelBufferArrayDynamicIndexing: "shaderUniformTexelBufferArrayDynamicIndexing",
	spirv.CapabilityStorageTexelBufferArrayDynamicIndexing: "shaderStorageTexelBufferArrayDynamicIndexing",

	spirv.CapabilityShaderNonUniform:                          "",
	spirv.CapabilityRuntimeDescriptorArray:                    "runtimeDescriptorArray",
	spirv.CapabilityUniformBufferArrayNonUniformIndexing:      "shaderUniformBufferArrayNonUniformIndexing",
	spirv.CapabilitySampledImageArrayNonUniformIndexing:       "shaderSampledImageArrayNonUniformIndexing",
	spirv.CapabilityStorageBufferArrayNonUniformIndexing:      "shaderStorageBufferArrayNonUniformIndexing",
	spirv.CapabilityStorageImageArrayNonUniformIndexing:       "shaderStorageImageArrayNonUniformIndexing",
	spirv.CapabilityUniformTexelBufferArrayNonUniformIndexing: "shaderUniformTexelBufferArrayNonUniformIndexing",
	spirv.CapabilityStorageTexelBufferArrayNonUniformIndexing: "shaderStorageTexelBufferArrayNonUniformIndexing",

	spirv.CapabilityStorageBuffer16BitAccess:           "storageBuffer16BitAccess",
	spirv.CapabilityUniformAndStorageBuffer16BitAccess: "uniformAndStorageBuffer16BitAccess",
	spirv.CapabilityStoragePushConstant16:              "storagePushConstant16",
	spirv.CapabilityStorageInputOutput16:               "storageInputOutput16",
	spirv.CapabilityStorageBuffer8BitAccess:            "storageBuffer8BitAccess",
	spirv.CapabilityUniformAndStorageBuffer8BitAccess:  "uniformAndStorageBuffer8BitAccess",
	spirv.CapabilityStoragePushConstant8:               "storagePushConstant8",
	spirv.CapabilityVariablePointersStorageBuffer:      "variablePointersStorageBuffer",
	spirv.CapabilityVariablePointers:                   "variablePointersStorageBuffer variablePointers",
	spirv.CapabilityPhysicalStorageBufferAddresses:     "bufferDeviceAddress",
	spirv.CapabilityVulkanMemoryModel:                  "vulkanMemoryModel",
	spirv.CapabilityVulkanMemoryModelDeviceScope:       "vulkanMemoryModelDeviceScope",

	spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR:            "workgroupMemoryExplicitLayout",
	spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR:  "workgroupMemoryExplicitLayout workgroupMemoryExplicitLayout8BitAccess",
	spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR: "workgroupMemoryExplicitLayout workgroupMemoryExplicitLayout16BitAccess",

	spirv.CapabilityGroupNonUniform:                "subgroup:basic",
	spirv.CapabilityGroupNonUniformVote:            "subgroup:vote",
	spirv.CapabilityGroupNonUniformArithmetic:      "subgroup:arithmetic",
	spirv.CapabilityGroupNonUniformBallot:          "subgroup:ballot",
	spirv.CapabilityGroupNonUniformShuffle:         "subgroup:shuffle",
	spirv.CapabilityGroupNonUniformShuffleRelative: "subgroup:shuffle_relative",
	spirv.CapabilityGroupNonUniformClustered:       "subgroup:clustered",
	spirv.CapabilityGroupNonUniformQuad:            "subgroup:quad",
	spirv.CapabilityGroupNonUniformPartitionedNV:   "subgroup:partitioned +VK_NV_shader_subgroup_partitioned",
	spirv.CapabilityGroupNonUniformRotateKHR:       "shaderSubgroupRotate",
	spirv.CapabilitySubgroupBallotKHR:              "+VK_EXT_shader_subgroup_ballot",
	spirv.CapabilitySubgroupVoteKHR:                "+VK_EXT_shader_subgroup_vote",

	spirv.CapabilityAtomicFloat16AddEXT:    "",
	spirv.CapabilityAtomicFloat32AddEXT:    "",
	spirv.CapabilityAtomicFloat64AddEXT:    "",
	spirv.CapabilityAtomicFloat16MinMaxEXT: "",
	spirv.CapabilityAtomicFloat32MinMaxEXT: "",
	spirv.CapabilityAtomicFloat64MinMaxEXT: "",

	spirv.CapabilityDenormPreserve:              "",
	spirv.CapabilityDenormFlushToZero:           "",
	spirv.CapabilitySignedZeroInfNanPreserve:    "",
	spirv.CapabilityRoundingModeRTE:             "",
	spirv.CapabilityRoundingModeRTZ:             "",
	spirv.CapabilityDotProduct:                  "shaderIntegerDotProduct",
	spirv.CapabilityDotProductInputAll:          "shaderIntegerDotProduct",
	spirv.CapabilityDotProductInput4x8Bit:       "shaderIntegerDotProduct",
	spirv.CapabilityDotProductInput4x8BitPacked: "shaderIntegerDotProduct",
	spirv.CapabilityExpectAssumeKHR:             "shaderExpectAssume",
	spirv.CapabilityShaderClockKHR:              "",

	spirv.CapabilityComputeDerivativeGroupQuadsNV:  "computeDerivativeGroupQuads",
	spirv.CapabilityComputeDerivativeGroupLinearNV: "computeDerivativeGroupLinear",
}

// extensionNeeds says for SPIR-V extensions that bring no capability with
// them which Vulkan extension allows them, and the Vulkan version whose core
// has taken it in (0: none has).
var extensionNeeds = map[string]struct {
	vulkan string
	core   APIVersion
}{
	"SPV_KHR_non_semantic_info":                {"VK_KHR_shader_non_semantic_info", makeAPIVersion(1, 3)},
	"SPV_KHR_float_controls":                   {"VK_KHR_shader_float_controls", makeAPIVersion(1, 2)},
	"SPV_KHR_no_integer_wrap_decoration":       {"VK_KHR_shader_float_controls", makeAPIVersion(1, 2)},
	"SPV_KHR_physical_storage_buffer":          {"VK_KHR_buffer_device_address", makeAPIVersion(1, 2)},
	"SPV_EXT_physical_storage_buffer":          {"VK_KHR_buffer_device_address", makeAPIVersion(1, 2)},
	"SPV_KHR_vulkan_memory_model":              {"VK_KHR_vulkan_memory_model", makeAPIVersion(1, 2)},
	"SPV_KHR_8bit_storage":                     {"VK_KHR_8bit_storage", makeAPIVersion(1, 2)},
	"SPV_EXT_descriptor_indexing":              {"VK_EXT_descriptor_indexing", makeAPIVersion(1, 2)},
	"SPV_KHR_integer_dot_product":              {"VK_KHR_shader_integer_dot_product", makeAPIVersion(1, 3)},
	"SPV_KHR_terminate_invocation":             {"VK_KHR_shader_terminate_invocation", makeAPIVersion(1, 3)},
	"SPV_GOOGLE_decorate_string":               {"VK_GOOGLE_hlsl_functionality1", 0},
	"SPV_GOOGLE_hlsl_functionality1":           {"VK_GOOGLE_hlsl_functionality1", 0},
	"SPV_GOOGLE_user_type":                     {"VK_GOOGLE_user_type", 0},
	"SPV_KHR_relaxed_extended_instruction":     {"VK_KHR_shader_relaxed_extended_instruction", 0},
	"SPV_NV_shader_subgroup_partitioned":       {"VK_NV_shader_subgroup_partitioned", 0},
	"SPV_AMD_gcn_shader":                       {"VK_AMD_gcn_shader", 0},
	"SPV_AMD_shader_ballot":                    {"VK_AMD_shader_ballot", 0},
	"SPV_AMD_shader_trinary_minmax":            {"VK_AMD_shader_trinary_minmax", 0},
	"SPV_EXT_shader_image_int64":               {"VK_EXT_shader_image_atomic_int64", 0},
	"SPV_EXT_shader_atomic_float_add":          {"VK_EXT_shader_atomic_float", 0},
	"SPV_EXT_shader_atomic_float_min_max":      {"VK_EXT_shader_atomic_float2", 0},
	"SPV_EXT_shader_atomic_float16_add":        {"VK_EXT_shader_atomic_float2", 0},
	"SPV_KHR_shader_clock":                     {"VK_KHR_shader_clock", 0},
	"SPV_KHR_expect_assume":                    {"VK_KHR_shader_expect_assume", 0},
	"SPV_KHR_float_controls2":                  {"VK_KHR_shader_float_controls2", 0},
	"SPV_KHR_subgroup_rotate":                  {"VK_KHR_shader_subgroup_rotate", 0},
	"SPV_KHR_maximal_reconvergence":            {"VK_KHR_shader_maximal_reconvergence", 0},
	"SPV_KHR_subgroup_uniform_control_flow":    {"VK_KHR_shader_subgroup_uniform_control_flow", 0},
	"SPV_KHR_workgroup_memory_explicit_layout": {"VK_KHR_workgroup_memory_explicit_layout", 0},
	"SPV_KHR_shader_ballot":                    {"VK_EXT_shader_subgroup_ballot", 0},
	"SPV_KHR_subgroup_vote":                    {"VK_EXT_shader_subgroup_vote", 0},
	"SPV_KHR_compute_shader_derivatives":       {"VK_KHR_compute_shader_derivatives", 0},
	"SPV_NV_compute_shader_derivatives":        {"VK_NV_compute_shader_derivatives", 0},
	"SPV_KHR_storage_buffer_storage_class":     {"VK_KHR_storage_buffer_storage_class", makeAPIVersion(1, 1)},
	"SPV_KHR_variable_pointers":                {"VK_KHR_variable_pointers", makeAPIVersion(1, 1)},
	"SPV_KHR_16bit_storage":                    {"VK_KHR_16bit_storage", makeAPIVersion(1, 1)},
	"SPV_KHR_device_group":                     {"VK_KHR_device_group", makeAPIVersion(1, 1)},
	"SPV_KHR_shader_draw_parameters":           {"VK_KHR_shader_draw_parameters", makeAPIVersion(1, 1)},
	"SPV_KHR_multiview":                        {"VK_KHR_multiview", makeAPIVersion(1, 1)},
}

// readModule reads the needs that the module declares.
func (us *usage) readModule() {
	u := us.unit
	for _, c := range u.Capabilities {
		why := "capability " + c.String()
		words, ok := capabilityNeeds[c]
		if !ok {
			us.needs.add("anything", "that allows "+c.String(), why)
			continue
		}
		for _, w := range strings.Fields(words) {
			if kind, ok := strings.CutPrefix(w, "subgroup:"); ok {
				us.needs.add("subgroup", kind, why)
			} else if ext, ok := strings.CutPrefix(w, "+"); ok {
				us.needs.extension(ext, why)
			} else {
				us.needs.feature(w, why)
			}
		}
	}
}

// extensionsFor gives the extensions that a device of the given version must have
// enabled for the module's SPIR-V extensions, and the SPIR-V version.
func (us *usage) extensionsFor(api APIVersion) needs {
	out := needs{}
	for _, ext := range us.unit.Extensions {
		e, ok := extensionNeeds[ext]
		switch {
		case !ok:
			out.add("anything", "that allows "+ext, "extension "+ext)
		case e.core == 0 || api < e.core:
			out.extension(e.vulkan, "extension "+ext)
		}
	}
	version := us.unit.Version
	if version > newestSPIRV(api) {
		if version == spirv.MakeVersion(1, 4) && api >= makeAPIVersion(1, 1) {
			out.extension("VK_KHR_spirv_1_4", "SPIR-V version 1.4")
		} else {
			out["SPIR-V "+version.String()] = "the module's version; Vulkan " + api.String() + " takes " + newestSPIRV(api).String()
		}
	}
	return out
}

// newestSPIRV is the newest SPIR-V version that a Vulkan version takes.
func newestSPIRV(api APIVersion) spirv.Version {
	switch {
	case api >= makeAPIVersion(1, 3):
		return spirv.MakeVersion(1, 6)
	case api >= makeAPIVersion(1, 2):
		return spirv.MakeVersion(1, 5)
	case api >= makeAPIVersion(1, 1):
		return spirv.MakeVersion(1, 3)
	}
	return spirv.MakeVersion(1, 0)
}

// promoted are the Vulkan extensions that became core: a device of that
// version has them, listed or not.
var promoted = func() map[string]APIVersion {
	m := map[string]APIVersion{
		"VK_KHR_relaxed_block_layout":             makeAPIVersion(1, 1),
		"VK_KHR_shader_float16_int8":              makeAPIVersion(1, 2),
		"VK_KHR_shader_atomic_int64":              makeAPIVersion(1, 2),
		"VK_KHR_shader_subgroup_extended_types":   makeAPIVersion(1, 2),
		"VK_EXT_scalar_block_layout":              makeAPIVersion(1, 2),
		"VK_KHR_uniform_buffer_standard_layout":   makeAPIVersion(1, 2),
		"VK_KHR_spirv_1_4":                        makeAPIVersion(1, 2),
		"VK_KHR_sampler_mirror_clamp_to_edge":     makeAPIVersion(1, 2),
		"VK_EXT_subgroup_size_control":            makeAPIVersion(1, 3),
		"VK_KHR_zero_initialize_workgroup_memory": makeAPIVersion(1, 3),
		"VK_KHR_maintenance4":                     makeAPIVersion(1, 3),
	}
	for _, e := range extensionNeeds {
		if e.core != 0 {
			m[e.vulkan] = e.core
		}
	}
	return m
}()

// requirementNeeds turns the launch's own requirements into needs. Names are
// in AmberScript's spelling: the part before a dot names the structure.
func requirementNeeds(reqs []launch.Requirement, api APIVersion, instanceExtensions []string) (needs, error) {
	out := needs{}
	for _, r := range reqs {
		why := r.Kind + " " + r.Name
		group, name, ok := strings.Cut(r.Name, ".")
		if !ok {
			group, name = "", r.Name
		}
		switch {
		case r.Kind == "DEVICE_FEATURE" && group == "SubgroupSupportedOperations":
			out.add("subgroup", subgroupName(name), why)
		case r.Kind == "DEVICE_FEATURE" && group == "SubgroupSupportedStages":
			if name == "compute" {
				out.add("subgroup", "basic", why)
			}
		case r.Kind == "DEVICE_FEATURE":
			out.feature(name, why)
		case r.Kind == "DEVICE_EXTENSION":
			if core, ok := promoted[name]; !ok || api < core {
				out.extension(name, why)
			}
		case r.Kind == "DEVICE_PROPERTY":
			out.add("property", name, why)
		case r.Kind == "INSTANCE_EXTENSION":
			if !slices.Contains(instanceExtensions, name) {
				return nil, at(unsupported("the Vulkan loader lacks instance extension %s", name), r.Pos)
			}
		default:
			return nil, &diag.Error{Class: diag.BadInput, Pos: r.Pos,
				Msg: fmt.Sprintf("requirement %q: expected DEVICE_FEATURE, DEVICE_EXTENSION, INSTANCE_EXTENSION or DEVICE_PROPERTY", r.Kind)}
		}
	}
	return out, nil
}

// subgroupName turns AmberScript's spelling of a kind of subgroup operation
// (shuffleRelative) into that of Device.Subgroup.
func subgroupName(name string) string {
	if name == "shuffleRelative" {
		return "shuffle_relative"
	}
	return name
}
