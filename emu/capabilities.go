package emu

import (
	"slices"

	"ampdbg/spirv"
)

// Capabilities are the SPIR-V capabilities of the kernels that the emulator
// runs.
var Capabilities = []spirv.Capability{
	spirv.CapabilityMatrix,
	spirv.CapabilityShader,

	spirv.CapabilityInt8,
	spirv.CapabilityInt16,
	spirv.CapabilityInt64,
	spirv.CapabilityFloat16,
	spirv.CapabilityFloat64,
	spirv.CapabilityDenormPreserve,
	spirv.CapabilityDenormFlushToZero,
	spirv.CapabilitySignedZeroInfNanPreserve,
	spirv.CapabilityRoundingModeRTE,
	spirv.CapabilityRoundingModeRTZ,
	spirv.CapabilityDotProduct,
	spirv.CapabilityDotProductInputAll,
	spirv.CapabilityDotProductInput4x8Bit,
	spirv.CapabilityDotProductInput4x8BitPacked,

	spirv.CapabilityStorageBuffer8BitAccess,
	spirv.CapabilityUniformAndStorageBuffer8BitAccess,
	spirv.CapabilityStoragePushConstant8,
	spirv.CapabilityStorageBuffer16BitAccess,
	spirv.CapabilityUniformAndStorageBuffer16BitAccess,
	spirv.CapabilityStoragePushConstant16,
	spirv.CapabilityVariablePointersStorageBuffer,
	spirv.CapabilityVariablePointers,
	spirv.CapabilityPhysicalStorageBufferAddresses,
	spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR,
	spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR,
	spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR,

	spirv.CapabilityInt64Atomics,
	spirv.CapabilityAtomicFloat32AddEXT,
	spirv.CapabilityAtomicFloat64AddEXT,
	spirv.CapabilityAtomicFloat32MinMaxEXT,
	spirv.CapabilityAtomicFloat64MinMaxEXT,
	spirv.CapabilityVulkanMemoryModel,
	spirv.CapabilityVulkanMemoryModelDeviceScope,

	spirv.CapabilityGroupNonUniform,
	spirv.CapabilityGroupNonUniformVote,
	spirv.CapabilityGroupNonUniformArithmetic,
	spirv.CapabilityGroupNonUniformBallot,
	spirv.CapabilityGroupNonUniformShuffle,
	spirv.CapabilityGroupNonUniformShuffleRelative,
	spirv.CapabilityGroupNonUniformClustered,
	spirv.CapabilityGroupNonUniformQuad,
	spirv.CapabilityGroupNonUniformRotateKHR,
	spirv.CapabilitySubgroupBallotKHR,
	spirv.CapabilitySubgroupVoteKHR,
	spirv.CapabilityShaderClockKHR,
	spirv.CapabilityExpectAssumeKHR,

	spirv.CapabilityUniformBufferArrayDynamicIndexing,
	spirv.CapabilitySampledImageArrayDynamicIndexing,
	spirv.CapabilityStorageBufferArrayDynamicIndexing,
	spirv.CapabilityStorageImageArrayDynamicIndexing,
	spirv.CapabilityUniformTexelBufferArrayDynamicIndexing,
	spirv.CapabilityStorageTexelBufferArrayDynamicIndexing,
	spirv.CapabilityShaderNonUniform,
	spirv.CapabilityRuntimeDescriptorArray,
	spirv.CapabilityUniformBufferArrayNonUniformIndexing,
	spirv.CapabilitySampledImageArrayNonUniformIndexing,
	spirv.CapabilityStorageBufferArrayNonUniformIndexing,
	spirv.CapabilityStorageImageArrayNonUniformIndexing,
	spirv.CapabilityUniformTexelBufferArrayNonUniformIndexing,
	spirv.CapabilityStorageTexelBufferArrayNonUniformIndexing,

	spirv.CapabilitySampled1D,
	spirv.CapabilityImage1D,
	spirv.CapabilitySampledCubeArray,
	spirv.CapabilityImageCubeArray,
	spirv.CapabilitySampledBuffer,
	spirv.CapabilityImageBuffer,
	spirv.CapabilityImageMSArray,
	spirv.CapabilityStorageImageMultisample,
	spirv.CapabilityImageQuery,
	spirv.CapabilityImageGatherExtended,
	spirv.CapabilityMinLod,
	spirv.CapabilityStorageImageExtendedFormats,
	spirv.CapabilityStorageImageReadWithoutFormat,
	spirv.CapabilityStorageImageWriteWithoutFormat,
	spirv.CapabilityInt64ImageEXT,
}

// supports reports whether kernels may declare the capability.
func supports(c spirv.Capability) bool { return slices.Contains(Capabilities, c) }
