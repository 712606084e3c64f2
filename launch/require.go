package launch

import (
	"regexp"
	"strings"

	"ampdbg/amber"
)

// require records a DEVICE_FEATURE and the like. Whether a device has it is
// for the executor to say; a name that no device could have is unsupported
// right here.
func (b *builder) require(s *amber.Require) error {
	kind, name := s.Kind.Text, s.Name.Text
	known := true
	switch kind {
	case "DEVICE_FEATURE":
		known = KnownFeature(name)
		if name == "robustBufferAccess" || strings.HasSuffix(name, ".robustBufferAccess2") {
			b.robust = true
		}
	case "DEVICE_PROPERTY":
		known = knownProperty(name)
	case "DEVICE_EXTENSION", "INSTANCE_EXTENSION":
		known = extensionName.MatchString(name)
	}
	if !known {
		return b.unsupported(s.Name, "%s %s is not known", kind, name)
	}
	b.launch.Require = append(b.launch.Require, Requirement{Kind: kind, Name: name, Pos: b.script.WordPos(s.Name)})
	return nil
}

var extensionName = regexp.MustCompile(`^VK_[A-Z0-9]+_[A-Za-z0-9_]+$`)

// KnownFeature reports whether a DEVICE_FEATURE is one of Vulkan's: a member
// of VkPhysicalDeviceFeatures, or Struct.member.
func KnownFeature(name string) bool {
	st, member, dotted := strings.Cut(name, ".")
	if !dotted {
		st, member = "", name
	}
	return contains(deviceFeatures[st], member)
}

// knownProperty reports whether a DEVICE_PROPERTY is one that AmberScript can
// ask for.
func knownProperty(name string) bool {
	st, member, _ := strings.Cut(name, ".")
	return contains(deviceProperties[st], member)
}

func contains(list, member string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == member {
			return true
		}
	}
	return false
}

// deviceFeatures lists the members by AmberScript's name for the struct:
// Vulkan's without VkPhysicalDevice.
var deviceFeatures = map[string]string{
	"": `robustBufferAccess fullDrawIndexUint32 imageCubeArray independentBlend geometryShader tessellationShader
		sampleRateShading dualSrcBlend logicOp multiDrawIndirect drawIndirectFirstInstance depthClamp depthBiasClamp
		fillModeNonSolid depthBounds wideLines largePoints alphaToOne multiViewport samplerAnisotropy
		textureCompressionETC2 textureCompressionASTC_LDR textureCompressionBC occlusionQueryPrecise
		pipelineStatisticsQuery vertexPipelineStoresAndAtomics fragmentStoresAndAtomics
		shaderTessellationAndGeometryPointSize shaderImageGatherExtended shaderStorageImageExtendedFormats
		shaderStorageImageMultisample shaderStorageImageReadWithoutFormat shaderStorageImageWriteWithoutFormat
		shaderUniformBufferArrayDynamicIndexing shaderSampledImageArrayDynamicIndexing
		shaderStorageBufferArrayDynamicIndexing shaderStorageImageArrayDynamicIndexing shaderClipDistance
		shaderCullDistance shaderFloat64 shaderInt64 shaderInt16 shaderResourceResidency shaderResourceMinLod
		sparseBinding sparseResidencyBuffer sparseResidencyImage2D sparseResidencyImage3D sparseResidency2Samples
		sparseResidency4Samples sparseResidency8Samples sparseResidency16Samples sparseResidencyAliased
		variableMultisampleRate inheritedQueries`,
	"VariablePointerFeatures":               variablePointers,
	"VariablePointersFeatures":              variablePointers,
	"Float16Int8Features":                   float16Int8,
	"ShaderFloat16Int8Features":             float16Int8,
	"Storage8BitFeatures":                   storage8,
	"8BitStorageFeatures":                   storage8,
	"Storage16BitFeatures":                  storage16,
	"16BitStorageFeatures":                  storage16,
	"SubgroupSizeControl":                   subgroupSize,
	"SubgroupSizeControlFeatures":           subgroupSize,
	"SubgroupSupportedOperations":           "basic vote arithmetic ballot shuffle shuffleRelative clustered quad rotate rotateClustered",
	"SubgroupSupportedStages":               "vertex tessellationControl tessellationEvaluation geometry fragment compute",
	"ShaderSubgroupExtendedTypes":           "shaderSubgroupExtendedTypes",
	"ShaderSubgroupExtendedTypesFeatures":   "shaderSubgroupExtendedTypes",
	"ZeroInitializeWorkgroupMemoryFeatures": "shaderZeroInitializeWorkgroupMemory",
	"IndexTypeUint8":                        "indexTypeUint8",
	"IndexTypeUint8Features":                "indexTypeUint8",
	"DepthClampZeroOneFeatures":             "depthClampZeroOne",
	"BufferDeviceAddressFeatures":           "bufferDeviceAddress bufferDeviceAddressCaptureReplay bufferDeviceAddressMultiDevice",
	"VulkanMemoryModelFeatures":             "vulkanMemoryModel vulkanMemoryModelDeviceScope vulkanMemoryModelAvailabilityVisibilityChains",
	"WorkgroupMemoryExplicitLayoutFeatures": `workgroupMemoryExplicitLayout workgroupMemoryExplicitLayoutScalarBlockLayout
		workgroupMemoryExplicitLayout8BitAccess workgroupMemoryExplicitLayout16BitAccess`,
	"ShaderIntegerDotProductFeatures": "shaderIntegerDotProduct",
	"ShaderAtomicInt64Features":       "shaderBufferInt64Atomics shaderSharedInt64Atomics",
	"ShaderAtomicFloatFeatures": `shaderBufferFloat32Atomics shaderBufferFloat32AtomicAdd shaderBufferFloat64Atomics
		shaderBufferFloat64AtomicAdd shaderSharedFloat32Atomics shaderSharedFloat32AtomicAdd shaderSharedFloat64Atomics
		shaderSharedFloat64AtomicAdd shaderImageFloat32Atomics shaderImageFloat32AtomicAdd sparseImageFloat32Atomics
		sparseImageFloat32AtomicAdd`,
	"ShaderAtomicFloat2Features": `shaderBufferFloat16Atomics shaderBufferFloat16AtomicAdd shaderBufferFloat16AtomicMinMax
		shaderBufferFloat32AtomicMinMax shaderBufferFloat64AtomicMinMax shaderSharedFloat16Atomics
		shaderSharedFloat16AtomicAdd shaderSharedFloat16AtomicMinMax shaderSharedFloat32AtomicMinMax
		shaderSharedFloat64AtomicMinMax shaderImageFloat32AtomicMinMax sparseImageFloat32AtomicMinMax`,
	"ShaderClockFeatures":                      "shaderSubgroupClock shaderDeviceClock",
	"ShaderSubgroupRotateFeatures":             "shaderSubgroupRotate shaderSubgroupRotateClustered",
	"ShaderTerminateInvocationFeatures":        "shaderTerminateInvocation",
	"ShaderDemoteToHelperInvocationFeatures":   "shaderDemoteToHelperInvocation",
	"ShaderSubgroupUniformControlFlowFeatures": "shaderSubgroupUniformControlFlow",
	"ShaderMaximalReconvergenceFeatures":       "shaderMaximalReconvergence",
	"ShaderExpectAssumeFeatures":               "shaderExpectAssume",
	"ShaderFloatControls2Features":             "shaderFloatControls2",
	"ShaderQuadControlFeatures":                "shaderQuadControl",
	"ShaderDrawParametersFeatures":             "shaderDrawParameters",
	"ShaderRelaxedExtendedInstructionFeatures": "shaderRelaxedExtendedInstruction",
	"ComputeShaderDerivativesFeatures":         "computeDerivativeGroupQuads computeDerivativeGroupLinear",
	"ScalarBlockLayoutFeatures":                "scalarBlockLayout",
	"UniformBufferStandardLayoutFeatures":      "uniformBufferStandardLayout",
	"SamplerYcbcrConversionFeatures":           "samplerYcbcrConversion",
	"ImagelessFramebufferFeatures":             "imagelessFramebuffer",
	"RobustnessFeatures":                       robustness2,
	"Robustness2Features":                      robustness2,
	"ImageRobustnessFeatures":                  "robustImageAccess",
	"PipelineRobustnessFeatures":               "pipelineRobustness",
	"MaintenanceFeatures":                      "maintenance4",
	"Maintenance4Features":                     "maintenance4",
	"Maintenance5Features":                     "maintenance5",
	"Maintenance6Features":                     "maintenance6",
	"InlineUniformBlockFeatures":               "inlineUniformBlock descriptorBindingInlineUniformBlockUpdateAfterBind",
	"Synchronization2Features":                 "synchronization2",
	"TextureCompressionASTCHDRFeatures":        "textureCompressionASTC_HDR",
	"AccelerationStructureFeaturesKHR":         "accelerationStructure accelerationStructureCaptureReplay accelerationStructureIndirectBuild accelerationStructureHostCommands",
	"RayTracingPipelineFeaturesKHR":            "rayTracingPipeline",
	"RayQueryFeaturesKHR":                      "rayQuery",
	"MultiviewFeatures":                        "multiview multiviewGeometryShader multiviewTessellationShader",
	"CooperativeMatrixFeatures":                "cooperativeMatrix cooperativeMatrixRobustBufferAccess",
	"MeshShaderFeatures":                       "taskShader meshShader",
	"FragmentShaderInterlockFeatures":          "fragmentShaderSampleInterlock fragmentShaderPixelInterlock fragmentShaderShadingRateInterlock",
	"ShaderSMBuiltinsFeatures":                 "shaderSMBuiltins",
	"ShaderImageAtomicInt64Features":           "shaderImageInt64Atomics sparseImageInt64Atomics",
	"ShaderReplicatedCompositesFeatures":       "shaderReplicatedComposites",
	"ShaderBfloat16Features":                   "shaderBFloat16Type shaderBFloat16DotProduct shaderBFloat16CooperativeMatrix",
	"HostQueryResetFeatures":                   "hostQueryReset",
	"TimelineSemaphoreFeatures":                "timelineSemaphore",
	"PipelineCreationCacheControlFeatures":     "pipelineCreationCacheControl",
	"PrivateDataFeatures":                      "privateData",
	"DynamicRenderingFeatures":                 "dynamicRendering",
	"DescriptorIndexingFeatures":               descriptorIndexing,
}

const (
	variablePointers   = "variablePointers variablePointersStorageBuffer"
	float16Int8        = "shaderFloat16 shaderInt8"
	storage8           = "storageBuffer8BitAccess uniformAndStorageBuffer8BitAccess storagePushConstant8"
	storage16          = "storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess storagePushConstant16 storageInputOutput16"
	subgroupSize       = "subgroupSizeControl computeFullSubgroups"
	robustness2        = "robustBufferAccess2 robustImageAccess2 nullDescriptor"
	descriptorIndexing = `shaderInputAttachmentArrayDynamicIndexing shaderUniformTexelBufferArrayDynamicIndexing
		shaderStorageTexelBufferArrayDynamicIndexing shaderUniformBufferArrayNonUniformIndexing
		shaderSampledImageArrayNonUniformIndexing shaderStorageBufferArrayNonUniformIndexing
		shaderStorageImageArrayNonUniformIndexing shaderInputAttachmentArrayNonUniformIndexing
		shaderUniformTexelBufferArrayNonUniformIndexing shaderStorageTexelBufferArrayNonUniformIndexing
		descriptorBindingUniformBufferUpdateAfterBind descriptorBindingSampledImageUpdateAfterBind
		descriptorBindingStorageImageUpdateAfterBind descriptorBindingStorageBufferUpdateAfterBind
		descriptorBindingUniformTexelBufferUpdateAfterBind descriptorBindingStorageTexelBufferUpdateAfterBind
		descriptorBindingUpdateUnusedWhilePending descriptorBindingPartiallyBound
		descriptorBindingVariableDescriptorCount runtimeDescriptorArray`
)

// deviceProperties lists the members that are truth values.
var deviceProperties = map[string]string{
	"FloatControlsProperties": `shaderSignedZeroInfNanPreserveFloat16 shaderSignedZeroInfNanPreserveFloat32
		shaderSignedZeroInfNanPreserveFloat64 shaderDenormPreserveFloat16 shaderDenormPreserveFloat32
		shaderDenormPreserveFloat64 shaderDenormFlushToZeroFloat16 shaderDenormFlushToZeroFloat32
		shaderDenormFlushToZeroFloat64 shaderRoundingModeRTEFloat16 shaderRoundingModeRTEFloat32
		shaderRoundingModeRTEFloat64 shaderRoundingModeRTZFloat16 shaderRoundingModeRTZFloat32
		shaderRoundingModeRTZFloat64`,
}
