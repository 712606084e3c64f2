//go:build cgo && linux && (amd64 || arm64)

package driver

import "strings"

// featureStruct is a structure of Vulkan whose payload is one VkBool32 per
// feature, in order. A device has it if its API version is in [from, until)
// (0: no bound) and it offers the extension, where one is named.
type featureStruct struct {
	sType       int32
	from, until uint32
	extension   string
	names       []string
}

const (
	v11 = 1<<22 | 1<<12
	v12 = 1<<22 | 2<<12
	v13 = 1<<22 | 3<<12
)

func (f *featureStruct) on(api uint32, extensions map[string]uint32) bool {
	if api < f.from || f.until != 0 && api >= f.until {
		return false
	}
	_, ok := extensions[f.extension]
	return ok || f.extension == ""
}

// coreFeatures are the members of VkPhysicalDeviceFeatures in order.
var coreFeatures = strings.Fields(`
	robustBufferAccess fullDrawIndexUint32 imageCubeArray independentBlend
	geometryShader tessellationShader sampleRateShading dualSrcBlend logicOp
	multiDrawIndirect drawIndirectFirstInstance depthClamp depthBiasClamp
	fillModeNonSolid depthBounds wideLines largePoints alphaToOne multiViewport
	samplerAnisotropy textureCompressionETC2 textureCompressionASTC
	textureCompressionBC occlusionQueryPrecise pipelineStatisticsQuery
	vertexPipelineStoresAndAtomics fragmentStoresAndAtomics
	shaderTessellationAndGeometryPointSize shaderImageGatherExtended
	shaderStorageImageExtendedFormats shaderStorageImageMultisample
	shaderStorageImageReadWithoutFormat shaderStorageImageWriteWithoutFormat
	shaderUniformBufferArrayDynamicIndexing shaderSampledImageArrayDynamicIndexing
	shaderStorageBufferArrayDynamicIndexing shaderStorageImageArrayDynamicIndexing
	shaderClipDistance shaderCullDistance shaderFloat64 shaderInt64 shaderInt16
	shaderResourceResidency shaderResourceMinLod sparseBinding
	sparseResidencyBuffer sparseResidencyImage2D sparseResidencyImage3D
	sparseResidency2Samples sparseResidency4Samples sparseResidency8Samples
	sparseResidency16Samples sparseResidencyAliased variableMultisampleRate
	inheritedQueries`)

const (
	storage16 = `storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess
		storagePushConstant16 storageInputOutput16 `
	storage8     = `storageBuffer8BitAccess uniformAndStorageBuffer8BitAccess storagePushConstant8 `
	atomicInt64  = `shaderBufferInt64Atomics shaderSharedInt64Atomics `
	float16Int8  = `shaderFloat16 shaderInt8 `
	varPointers  = `variablePointersStorageBuffer variablePointers `
	addresses    = `bufferDeviceAddress bufferDeviceAddressCaptureReplay bufferDeviceAddressMultiDevice `
	memoryModel  = `vulkanMemoryModel vulkanMemoryModelDeviceScope vulkanMemoryModelAvailabilityVisibilityChains `
	descIndexing = `shaderInputAttachmentArrayDynamicIndexing
		shaderUniformTexelBufferArrayDynamicIndexing shaderStorageTexelBufferArrayDynamicIndexing
		shaderUniformBufferArrayNonUniformIndexing shaderSampledImageArrayNonUniformIndexing
		shaderStorageBufferArrayNonUniformIndexing shaderStorageImageArrayNonUniformIndexing
		shaderInputAttachmentArrayNonUniformIndexing shaderUniformTexelBufferArrayNonUniformIndexing
		shaderStorageTexelBufferArrayNonUniformIndexing descriptorBindingUniformBufferUpdateAfterBind
		descriptorBindingSampledImageUpdateAfterBind descriptorBindingStorageImageUpdateAfterBind
		descriptorBindingStorageBufferUpdateAfterBind descriptorBindingUniformTexelBufferUpdateAfterBind
		descriptorBindingStorageTexelBufferUpdateAfterBind descriptorBindingUpdateUnusedWhilePending
		descriptorBindingPartiallyBound descriptorBindingVariableDescriptorCount runtimeDescriptorArray `
)

// featureStructs are the structures beyond the core one. Up to Vulkan 1.1 and
// 1.2 the features stand in one structure per extension; from 1.2 and 1.3 on
// in one per version, and the two must not be mixed.
var featureStructs = []featureStruct{
	{1000083000, v11, v12, "", strings.Fields(storage16)},
	{1000120000, v11, v12, "", strings.Fields(varPointers)},
	{1000177000, v11, v12, "VK_KHR_8bit_storage", strings.Fields(storage8)},
	{1000082000, v11, v12, "VK_KHR_shader_float16_int8", strings.Fields(float16Int8)},
	{1000180000, v11, v12, "VK_KHR_shader_atomic_int64", strings.Fields(atomicInt64)},
	{1000257000, v11, v12, "VK_KHR_buffer_device_address", strings.Fields(addresses)},
	{1000211000, v11, v12, "VK_KHR_vulkan_memory_model", strings.Fields(memoryModel)},
	{1000221000, v11, v12, "VK_EXT_scalar_block_layout", []string{"scalarBlockLayout"}},
	{1000253000, v11, v12, "VK_KHR_uniform_buffer_standard_layout", []string{"uniformBufferStandardLayout"}},
	{1000175000, v11, v12, "VK_KHR_shader_subgroup_extended_types", []string{"shaderSubgroupExtendedTypes"}},
	{1000161001, v11, v12, "VK_EXT_descriptor_indexing", strings.Fields(descIndexing)},
	{49, v12, 0, "", strings.Fields(storage16 + `multiview multiviewGeometryShader multiviewTessellationShader ` +
		varPointers + `protectedMemory samplerYcbcrConversion shaderDrawParameters`)},
	{51, v12, 0, "", strings.Fields(`samplerMirrorClampToEdge drawIndirectCount ` + storage8 + atomicInt64 + float16Int8 +
		`descriptorIndexing ` + descIndexing + `samplerFilterMinmax scalarBlockLayout imagelessFramebuffer
		uniformBufferStandardLayout shaderSubgroupExtendedTypes separateDepthStencilLayouts hostQueryReset
		timelineSemaphore ` + addresses + memoryModel +
		`shaderOutputViewportIndex shaderOutputLayer subgroupBroadcastDynamicId`)},
	{1000225002, v11, v13, "VK_EXT_subgroup_size_control", []string{"subgroupSizeControl", "computeFullSubgroups"}},
	{1000280000, v11, v13, "VK_KHR_shader_integer_dot_product", []string{"shaderIntegerDotProduct"}},
	{1000325000, v11, v13, "VK_KHR_zero_initialize_workgroup_memory", []string{"shaderZeroInitializeWorkgroupMemory"}},
	{1000413000, v11, v13, "VK_KHR_maintenance4", []string{"maintenance4"}},
	{53, v13, 0, "", strings.Fields(`robustImageAccess inlineUniformBlock
		descriptorBindingInlineUniformBlockUpdateAfterBind pipelineCreationCacheControl privateData
		shaderDemoteToHelperInvocation shaderTerminateInvocation subgroupSizeControl computeFullSubgroups
		synchronization2 textureCompressionASTC_HDR shaderZeroInitializeWorkgroupMemory dynamicRendering
		shaderIntegerDotProduct maintenance4`)},
	{1000260000, v11, 0, "VK_EXT_shader_atomic_float", strings.Fields(`shaderBufferFloat32Atomics
		shaderBufferFloat32AtomicAdd shaderBufferFloat64Atomics shaderBufferFloat64AtomicAdd
		shaderSharedFloat32Atomics shaderSharedFloat32AtomicAdd shaderSharedFloat64Atomics
		shaderSharedFloat64AtomicAdd shaderImageFloat32Atomics shaderImageFloat32AtomicAdd
		sparseImageFloat32Atomics sparseImageFloat32AtomicAdd`)},
	{1000273000, v11, 0, "VK_EXT_shader_atomic_float2", strings.Fields(`shaderBufferFloat16Atomics
		shaderBufferFloat16AtomicAdd shaderBufferFloat16AtomicMinMax shaderBufferFloat32AtomicMinMax
		shaderBufferFloat64AtomicMinMax shaderSharedFloat16Atomics shaderSharedFloat16AtomicAdd
		shaderSharedFloat16AtomicMinMax shaderSharedFloat32AtomicMinMax shaderSharedFloat64AtomicMinMax
		shaderImageFloat32AtomicMinMax sparseImageFloat32AtomicMinMax`)},
	{1000234000, v11, 0, "VK_EXT_shader_image_atomic_int64", []string{"shaderImageInt64Atomics", "sparseImageInt64Atomics"}},
	{1000181000, v11, 0, "VK_KHR_shader_clock", []string{"shaderSubgroupClock", "shaderDeviceClock"}},
	{1000323000, v11, 0, "VK_KHR_shader_subgroup_uniform_control_flow", []string{"shaderSubgroupUniformControlFlow"}},
	{1000336000, v11, 0, "VK_KHR_workgroup_memory_explicit_layout", strings.Fields(`workgroupMemoryExplicitLayout
		workgroupMemoryExplicitLayoutScalarBlockLayout workgroupMemoryExplicitLayout8BitAccess
		workgroupMemoryExplicitLayout16BitAccess`)},
	{1000201000, v11, 0, "VK_NV_compute_shader_derivatives", []string{"computeDerivativeGroupQuads", "computeDerivativeGroupLinear"}},
	{1000416000, v11, 0, "VK_KHR_shader_subgroup_rotate", []string{"shaderSubgroupRotate", "shaderSubgroupRotateClustered"}},
	{1000434000, v11, 0, "VK_KHR_shader_maximal_reconvergence", []string{"shaderMaximalReconvergence"}},
	{1000528000, v11, 0, "VK_KHR_shader_float_controls2", []string{"shaderFloatControls2"}},
	{1000544000, v11, 0, "VK_KHR_shader_expect_assume", []string{"shaderExpectAssume"}},
}
