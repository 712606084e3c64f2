package emu

import (
	"fmt"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/launch"
)

// Lacks gives an error for each feature, property or extension that a launch
// requires and the emulator does not have; nil if there is none.
func Lacks(l *launch.Launch) []*diag.Error {
	var errs []*diag.Error
	for _, r := range l.Require {
		has := false
		switch r.Kind {
		case "DEVICE_FEATURE":
			group, member, dotted := strings.Cut(r.Name, ".")
			if !dotted {
				group, member = "", r.Name
			}
			has = slices.Contains(strings.Fields(Features[group]), member)
		case "DEVICE_PROPERTY":
			has = strings.HasPrefix(r.Name, "FloatControlsProperties.")
		case "DEVICE_EXTENSION", "INSTANCE_EXTENSION":
			has = slices.Contains(strings.Fields(Extensions), r.Name)
		}
		if !has {
			errs = append(errs, &diag.Error{Class: diag.Unsupported, Pos: r.Pos, Msg: fmt.Sprintf("unsupported: the emulator has no %s %s", r.Kind, r.Name)})
		}
	}
	return errs
}

// Features are the features that a script may require, by
// AmberScript's name for the structure; those of VkPhysicalDeviceFeatures have
// none.
var Features = map[string]string{
	"": `robustBufferAccess imageCubeArray shaderImageGatherExtended shaderStorageImageExtendedFormats
		shaderStorageImageMultisample shaderStorageImageReadWithoutFormat shaderStorageImageWriteWithoutFormat
		shaderUniformBufferArrayDynamicIndexing shaderSampledImageArrayDynamicIndexing
		shaderStorageBufferArrayDynamicIndexing shaderStorageImageArrayDynamicIndexing
		shaderFloat64 shaderInt64 shaderInt16 shaderResourceMinLod`,
	"VariablePointerFeatures":               "variablePointers variablePointersStorageBuffer",
	"VariablePointersFeatures":              "variablePointers variablePointersStorageBuffer",
	"Float16Int8Features":                   "shaderFloat16 shaderInt8",
	"ShaderFloat16Int8Features":             "shaderFloat16 shaderInt8",
	"Storage8BitFeatures":                   "storageBuffer8BitAccess uniformAndStorageBuffer8BitAccess storagePushConstant8",
	"8BitStorageFeatures":                   "storageBuffer8BitAccess uniformAndStorageBuffer8BitAccess storagePushConstant8",
	"Storage16BitFeatures":                  "storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess storagePushConstant16",
	"16BitStorageFeatures":                  "storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess storagePushConstant16",
	"SubgroupSizeControl":                   "subgroupSizeControl computeFullSubgroups",
	"SubgroupSizeControlFeatures":           "subgroupSizeControl computeFullSubgroups",
	"SubgroupSupportedOperations":           "basic vote arithmetic ballot shuffle shuffleRelative clustered quad rotate rotateClustered",
	"SubgroupSupportedStages":               "compute",
	"ShaderSubgroupExtendedTypes":           "shaderSubgroupExtendedTypes",
	"ShaderSubgroupExtendedTypesFeatures":   "shaderSubgroupExtendedTypes",
	"ZeroInitializeWorkgroupMemoryFeatures": "shaderZeroInitializeWorkgroupMemory",
	"BufferDeviceAddressFeatures":           "bufferDeviceAddress",
	"VulkanMemoryModelFeatures":             "vulkanMemoryModel vulkanMemoryModelDeviceScope vulkanMemoryModelAvailabilityVisibilityChains",
	"WorkgroupMemoryExplicitLayoutFeatures": `workgroupMemoryExplicitLayout workgroupMemoryExplicitLayoutScalarBlockLayout
		workgroupMemoryExplicitLayout8BitAccess workgroupMemoryExplicitLayout16BitAccess`,
	"ShaderIntegerDotProductFeatures": "shaderIntegerDotProduct",
	"ShaderAtomicInt64Features":       "shaderBufferInt64Atomics shaderSharedInt64Atomics",
	"ShaderAtomicFloatFeatures": `shaderBufferFloat32Atomics shaderBufferFloat32AtomicAdd shaderBufferFloat64Atomics
		shaderBufferFloat64AtomicAdd shaderSharedFloat32Atomics shaderSharedFloat32AtomicAdd shaderSharedFloat64Atomics
		shaderSharedFloat64AtomicAdd shaderImageFloat32Atomics shaderImageFloat32AtomicAdd`,
	"ShaderAtomicFloat2Features": `shaderBufferFloat32AtomicMinMax shaderBufferFloat64AtomicMinMax
		shaderSharedFloat32AtomicMinMax shaderSharedFloat64AtomicMinMax shaderImageFloat32AtomicMinMax`,
	"ShaderImageAtomicInt64Features":           "shaderImageInt64Atomics",
	"ShaderClockFeatures":                      "shaderSubgroupClock shaderDeviceClock",
	"ShaderSubgroupRotateFeatures":             "shaderSubgroupRotate shaderSubgroupRotateClustered",
	"ShaderSubgroupUniformControlFlowFeatures": "shaderSubgroupUniformControlFlow",
	"ShaderMaximalReconvergenceFeatures":       "shaderMaximalReconvergence",
	"ScalarBlockLayoutFeatures":                "scalarBlockLayout",
	"UniformBufferStandardLayoutFeatures":      "uniformBufferStandardLayout",
	"Synchronization2Features":                 "synchronization2",
	"MaintenanceFeatures":                      "maintenance4",
	"Maintenance4Features":                     "maintenance4",
	"DescriptorIndexingFeatures": `shaderUniformTexelBufferArrayDynamicIndexing shaderStorageTexelBufferArrayDynamicIndexing
		shaderUniformBufferArrayNonUniformIndexing shaderSampledImageArrayNonUniformIndexing
		shaderStorageBufferArrayNonUniformIndexing shaderStorageImageArrayNonUniformIndexing
		shaderUniformTexelBufferArrayNonUniformIndexing shaderStorageTexelBufferArrayNonUniformIndexing
		descriptorBindingPartiallyBound descriptorBindingVariableDescriptorCount runtimeDescriptorArray`,
}

// Extensions are the extensions that a script may require.
const Extensions = `
	VK_KHR_get_physical_device_properties2 VK_KHR_maintenance1 VK_KHR_maintenance2 VK_KHR_maintenance3 VK_KHR_maintenance4
	VK_KHR_storage_buffer_storage_class VK_KHR_variable_pointers VK_KHR_relaxed_block_layout VK_EXT_scalar_block_layout
	VK_KHR_uniform_buffer_standard_layout VK_KHR_8bit_storage VK_KHR_16bit_storage VK_KHR_shader_float16_int8
	VK_KHR_shader_float_controls VK_KHR_spirv_1_4 VK_KHR_shader_non_semantic_info VK_KHR_shader_integer_dot_product
	VK_KHR_shader_subgroup_extended_types VK_KHR_shader_subgroup_rotate VK_KHR_shader_subgroup_uniform_control_flow
	VK_KHR_shader_maximal_reconvergence VK_EXT_shader_subgroup_ballot VK_EXT_shader_subgroup_vote
	VK_EXT_subgroup_size_control VK_KHR_zero_initialize_workgroup_memory VK_KHR_workgroup_memory_explicit_layout
	VK_KHR_vulkan_memory_model VK_KHR_buffer_device_address VK_EXT_descriptor_indexing VK_KHR_shader_atomic_int64
	VK_EXT_shader_atomic_float VK_EXT_shader_atomic_float2 VK_EXT_shader_image_atomic_int64 VK_KHR_shader_clock
	VK_KHR_synchronization2 VK_KHR_shader_expect_assume`
