// The structures of Vulkan that the layer reads, with the names and layouts of
// the registry (Copyright 2015-2025 The Khronos Group Inc., Apache-2.0), so that
// nothing needs to be installed but a C compiler. Handles that are not
// dispatchable are 64-bit numbers.
#ifndef AMPDBG_CAPTURE_VULKAN_H
#define AMPDBG_CAPTURE_VULKAN_H

#include <stddef.h>
#include <stdint.h>

typedef struct VkInstance_T *VkInstance;
typedef struct VkPhysicalDevice_T *VkPhysicalDevice;
typedef struct VkDevice_T *VkDevice;
typedef struct VkQueue_T *VkQueue;
typedef struct VkCommandBuffer_T *VkCommandBuffer;
typedef uint64_t VkBuffer, VkBufferView, VkCommandPool, VkDescriptorPool, VkDescriptorSet, VkDescriptorSetLayout, VkDescriptorUpdateTemplate,
	VkDeviceMemory, VkEvent, VkFence, VkFramebuffer, VkImage, VkImageView, VkPipeline, VkPipelineCache, VkPipelineLayout, VkQueryPool, VkRenderPass,
	VkSampler, VkSemaphore, VkShaderEXT, VkShaderModule, VkDeviceSize, VkDeviceAddress, VkPipelineStageFlags2, VkFlags64;
typedef uint32_t VkAccessFlags, VkBool32, VkBufferCreateFlags, VkBufferUsageFlags, VkBufferViewCreateFlags, VkCommandBufferResetFlags,
	VkCommandBufferUsageFlags, VkCommandPoolCreateFlags, VkCommandPoolResetFlags, VkDependencyFlags, VkDescriptorBindingFlags,
	VkDescriptorPoolCreateFlags, VkDescriptorPoolResetFlags, VkDescriptorSetLayoutCreateFlags, VkDescriptorUpdateTemplateCreateFlags,
	VkDeviceCreateFlags, VkDeviceQueueCreateFlags, VkFenceCreateFlags, VkFlags, VkImageAspectFlags, VkImageCreateFlags, VkImageUsageFlags,
	VkImageViewCreateFlags, VkInstanceCreateFlags, VkMemoryHeapFlags, VkMemoryMapFlags, VkMemoryPropertyFlags, VkPipelineCreateFlags,
	VkPipelineLayoutCreateFlags, VkPipelineShaderStageCreateFlags, VkPipelineStageFlags, VkQueryControlFlags, VkQueryPipelineStatisticFlags,
	VkQueryPoolCreateFlags, VkQueryResultFlags, VkQueueFlags, VkSampleCountFlags, VkSamplerCreateFlags, VkSemaphoreWaitFlags, VkShaderModuleCreateFlags,
	VkShaderStageFlags, VkSubgroupFeatureFlags, VkSubmitFlags;
typedef int32_t VkResult, VkBorderColor, VkCommandBufferLevel, VkCompareOp, VkComponentSwizzle, VkDescriptorType, VkDescriptorUpdateTemplateType,
	VkDriverId, VkFilter, VkFormat, VkImageAspectFlagBits, VkImageLayout, VkImageTiling, VkImageType, VkImageViewType, VkObjectType,
	VkPipelineBindPoint, VkPipelineRobustnessBufferBehaviorEXT, VkPipelineRobustnessImageBehaviorEXT, VkQueryType, VkSampleCountFlagBits,
	VkSamplerAddressMode, VkSamplerMipmapMode, VkShaderStageFlagBits, VkSharingMode, VkStructureType, VkSubpassContents;

#define VK_MAX_MEMORY_TYPES 32
#define VK_MAX_MEMORY_HEAPS 16
#define VK_MAX_DRIVER_NAME_SIZE 256
#define VK_MAX_DRIVER_INFO_SIZE 256

typedef struct VkExtent3D { uint32_t width, height, depth; } VkExtent3D;
typedef struct VkOffset3D { int32_t x, y, z; } VkOffset3D;
typedef struct VkApplicationInfo {
	VkStructureType sType; const void *pNext; const char *pApplicationName; uint32_t applicationVersion; const char *pEngineName;
	uint32_t engineVersion, apiVersion;
} VkApplicationInfo;
typedef struct VkInstanceCreateInfo {
	VkStructureType sType; const void *pNext; VkInstanceCreateFlags flags; const VkApplicationInfo *pApplicationInfo;
	uint32_t enabledLayerCount; const char* const *ppEnabledLayerNames; uint32_t enabledExtensionCount;
	const char* const *ppEnabledExtensionNames;
} VkInstanceCreateInfo;
typedef struct VkDeviceQueueCreateInfo {
	VkStructureType sType; const void *pNext; VkDeviceQueueCreateFlags flags; uint32_t queueFamilyIndex, queueCount;
	const float *pQueuePriorities;
} VkDeviceQueueCreateInfo;
typedef struct VkPhysicalDeviceFeatures { VkBool32 robustBufferAccess, others[54]; } VkPhysicalDeviceFeatures;
typedef struct VkDeviceCreateInfo {
	VkStructureType sType; const void *pNext; VkDeviceCreateFlags flags; uint32_t queueCreateInfoCount;
	const VkDeviceQueueCreateInfo *pQueueCreateInfos; uint32_t enabledLayerCount; const char* const *ppEnabledLayerNames;
	uint32_t enabledExtensionCount; const char* const *ppEnabledExtensionNames; const VkPhysicalDeviceFeatures *pEnabledFeatures;
} VkDeviceCreateInfo;
typedef struct VkPhysicalDeviceFeatures2 { VkStructureType sType; void *pNext; VkPhysicalDeviceFeatures features; } VkPhysicalDeviceFeatures2;
typedef struct VkPhysicalDeviceRobustness2FeaturesEXT {
	VkStructureType sType; void *pNext; VkBool32 robustBufferAccess2, robustImageAccess2, nullDescriptor;
} VkPhysicalDeviceRobustness2FeaturesEXT;
typedef struct VkPipelineRobustnessCreateInfoEXT {
	VkStructureType sType; const void *pNext; VkPipelineRobustnessBufferBehaviorEXT storageBuffers, uniformBuffers, vertexInputs;
	VkPipelineRobustnessImageBehaviorEXT images;
} VkPipelineRobustnessCreateInfoEXT;
typedef struct VkMemoryType { VkMemoryPropertyFlags propertyFlags; uint32_t heapIndex; } VkMemoryType;
typedef struct VkMemoryHeap { VkDeviceSize size; VkMemoryHeapFlags flags; } VkMemoryHeap;
typedef struct VkPhysicalDeviceMemoryProperties {
	uint32_t memoryTypeCount; VkMemoryType memoryTypes[VK_MAX_MEMORY_TYPES]; uint32_t memoryHeapCount;
	VkMemoryHeap memoryHeaps[VK_MAX_MEMORY_HEAPS];
} VkPhysicalDeviceMemoryProperties;
typedef struct VkMemoryRequirements { VkDeviceSize size, alignment; uint32_t memoryTypeBits; } VkMemoryRequirements;
typedef struct VkMemoryRequirements2 { VkStructureType sType; void *pNext; VkMemoryRequirements memoryRequirements; } VkMemoryRequirements2;
typedef struct VkMemoryAllocateInfo {
	VkStructureType sType; const void *pNext; VkDeviceSize allocationSize; uint32_t memoryTypeIndex;
} VkMemoryAllocateInfo;
typedef struct VkPhysicalDeviceSubgroupProperties {
	VkStructureType sType; void *pNext; uint32_t subgroupSize; VkShaderStageFlags supportedStages; VkSubgroupFeatureFlags supportedOperations;
	VkBool32 quadOperationsInAllStages;
} VkPhysicalDeviceSubgroupProperties;
typedef struct VkConformanceVersion { uint8_t major, minor, subminor, patch; } VkConformanceVersion;
typedef struct VkPhysicalDeviceDriverProperties {
	VkStructureType sType; void *pNext; VkDriverId driverID; char driverName[VK_MAX_DRIVER_NAME_SIZE], driverInfo[VK_MAX_DRIVER_INFO_SIZE];
	VkConformanceVersion conformanceVersion;
} VkPhysicalDeviceDriverProperties;
typedef struct VkPhysicalDeviceSubgroupSizeControlProperties {
	VkStructureType sType; void *pNext; uint32_t minSubgroupSize, maxSubgroupSize, maxComputeWorkgroupSubgroups;
	VkShaderStageFlags requiredSubgroupSizeStages;
} VkPhysicalDeviceSubgroupSizeControlProperties;
typedef struct VkQueueFamilyProperties {
	VkQueueFlags queueFlags; uint32_t queueCount, timestampValidBits; VkExtent3D minImageTransferGranularity;
} VkQueueFamilyProperties;
typedef struct VkBufferCreateInfo {
	VkStructureType sType; const void *pNext; VkBufferCreateFlags flags; VkDeviceSize size; VkBufferUsageFlags usage;
	VkSharingMode sharingMode; uint32_t queueFamilyIndexCount; const uint32_t *pQueueFamilyIndices;
} VkBufferCreateInfo;
typedef struct VkBufferViewCreateInfo {
	VkStructureType sType; const void *pNext; VkBufferViewCreateFlags flags; VkBuffer buffer; VkFormat format; VkDeviceSize offset, range;
} VkBufferViewCreateInfo;
typedef struct VkBindBufferMemoryInfo {
	VkStructureType sType; const void *pNext; VkBuffer buffer; VkDeviceMemory memory; VkDeviceSize memoryOffset;
} VkBindBufferMemoryInfo;
typedef struct VkDeviceBufferMemoryRequirements {
	VkStructureType sType; const void *pNext; const VkBufferCreateInfo *pCreateInfo;
} VkDeviceBufferMemoryRequirements;
typedef struct VkBufferDeviceAddressInfo { VkStructureType sType; const void *pNext; VkBuffer buffer; } VkBufferDeviceAddressInfo;
typedef struct VkImageCreateInfo {
	VkStructureType sType; const void *pNext; VkImageCreateFlags flags; VkImageType imageType; VkFormat format; VkExtent3D extent;
	uint32_t mipLevels, arrayLayers; VkSampleCountFlagBits samples; VkImageTiling tiling; VkImageUsageFlags usage; VkSharingMode sharingMode;
	uint32_t queueFamilyIndexCount; const uint32_t *pQueueFamilyIndices; VkImageLayout initialLayout;
} VkImageCreateInfo;
typedef struct VkDeviceImageMemoryRequirements {
	VkStructureType sType; const void *pNext; const VkImageCreateInfo *pCreateInfo; VkImageAspectFlagBits planeAspect;
} VkDeviceImageMemoryRequirements;
typedef struct VkImageFormatProperties {
	VkExtent3D maxExtent; uint32_t maxMipLevels, maxArrayLayers; VkSampleCountFlags sampleCounts; VkDeviceSize maxResourceSize;
} VkImageFormatProperties;
typedef struct VkComponentMapping { VkComponentSwizzle r, g, b, a; } VkComponentMapping;
typedef struct VkImageSubresourceRange {
	VkImageAspectFlags aspectMask; uint32_t baseMipLevel, levelCount, baseArrayLayer, layerCount;
} VkImageSubresourceRange;
typedef struct VkImageViewCreateInfo {
	VkStructureType sType; const void *pNext; VkImageViewCreateFlags flags; VkImage image; VkImageViewType viewType; VkFormat format;
	VkComponentMapping components; VkImageSubresourceRange subresourceRange;
} VkImageViewCreateInfo;
typedef struct VkSamplerCreateInfo {
	VkStructureType sType; const void *pNext; VkSamplerCreateFlags flags; VkFilter magFilter, minFilter; VkSamplerMipmapMode mipmapMode;
	VkSamplerAddressMode addressModeU, addressModeV, addressModeW; float mipLodBias; VkBool32 anisotropyEnable; float maxAnisotropy;
	VkBool32 compareEnable; VkCompareOp compareOp; float minLod, maxLod; VkBorderColor borderColor; VkBool32 unnormalizedCoordinates;
} VkSamplerCreateInfo;
typedef struct VkShaderModuleCreateInfo {
	VkStructureType sType; const void *pNext; VkShaderModuleCreateFlags flags; size_t codeSize; const uint32_t *pCode;
} VkShaderModuleCreateInfo;
typedef struct VkSpecializationMapEntry { uint32_t constantID, offset; size_t size; } VkSpecializationMapEntry;
typedef struct VkSpecializationInfo {
	uint32_t mapEntryCount; const VkSpecializationMapEntry *pMapEntries; size_t dataSize; const void *pData;
} VkSpecializationInfo;
typedef struct VkPipelineShaderStageCreateInfo {
	VkStructureType sType; const void *pNext; VkPipelineShaderStageCreateFlags flags; VkShaderStageFlagBits stage; VkShaderModule module;
	const char *pName; const VkSpecializationInfo *pSpecializationInfo;
} VkPipelineShaderStageCreateInfo;
typedef struct VkPipelineShaderStageRequiredSubgroupSizeCreateInfo {
	VkStructureType sType; void *pNext; uint32_t requiredSubgroupSize;
} VkPipelineShaderStageRequiredSubgroupSizeCreateInfo;
typedef struct VkComputePipelineCreateInfo {
	VkStructureType sType; const void *pNext; VkPipelineCreateFlags flags; VkPipelineShaderStageCreateInfo stage; VkPipelineLayout layout;
	VkPipeline basePipelineHandle; int32_t basePipelineIndex;
} VkComputePipelineCreateInfo;
typedef struct VkDescriptorSetLayoutBinding {
	uint32_t binding; VkDescriptorType descriptorType; uint32_t descriptorCount; VkShaderStageFlags stageFlags;
	const VkSampler *pImmutableSamplers;
} VkDescriptorSetLayoutBinding;
typedef struct VkDescriptorSetLayoutCreateInfo {
	VkStructureType sType; const void *pNext; VkDescriptorSetLayoutCreateFlags flags; uint32_t bindingCount;
	const VkDescriptorSetLayoutBinding *pBindings;
} VkDescriptorSetLayoutCreateInfo;
typedef struct VkDescriptorSetLayoutBindingFlagsCreateInfo {
	VkStructureType sType; const void *pNext; uint32_t bindingCount; const VkDescriptorBindingFlags *pBindingFlags;
} VkDescriptorSetLayoutBindingFlagsCreateInfo;
typedef struct VkPushConstantRange { VkShaderStageFlags stageFlags; uint32_t offset, size; } VkPushConstantRange;
typedef struct VkPipelineLayoutCreateInfo {
	VkStructureType sType; const void *pNext; VkPipelineLayoutCreateFlags flags; uint32_t setLayoutCount;
	const VkDescriptorSetLayout *pSetLayouts; uint32_t pushConstantRangeCount; const VkPushConstantRange *pPushConstantRanges;
} VkPipelineLayoutCreateInfo;
typedef struct VkDescriptorSetAllocateInfo {
	VkStructureType sType; const void *pNext; VkDescriptorPool descriptorPool; uint32_t descriptorSetCount;
	const VkDescriptorSetLayout *pSetLayouts;
} VkDescriptorSetAllocateInfo;
typedef struct VkDescriptorSetVariableDescriptorCountAllocateInfo {
	VkStructureType sType; const void *pNext; uint32_t descriptorSetCount; const uint32_t *pDescriptorCounts;
} VkDescriptorSetVariableDescriptorCountAllocateInfo;
typedef struct VkDescriptorPoolSize { VkDescriptorType type; uint32_t descriptorCount; } VkDescriptorPoolSize;
typedef struct VkDescriptorPoolCreateInfo {
	VkStructureType sType; const void *pNext; VkDescriptorPoolCreateFlags flags; uint32_t maxSets, poolSizeCount;
	const VkDescriptorPoolSize *pPoolSizes;
} VkDescriptorPoolCreateInfo;
typedef struct VkDescriptorImageInfo { VkSampler sampler; VkImageView imageView; VkImageLayout imageLayout; } VkDescriptorImageInfo;
typedef struct VkDescriptorBufferInfo { VkBuffer buffer; VkDeviceSize offset, range; } VkDescriptorBufferInfo;
typedef struct VkWriteDescriptorSet {
	VkStructureType sType; const void *pNext; VkDescriptorSet dstSet; uint32_t dstBinding, dstArrayElement, descriptorCount;
	VkDescriptorType descriptorType; const VkDescriptorImageInfo *pImageInfo; const VkDescriptorBufferInfo *pBufferInfo;
	const VkBufferView *pTexelBufferView;
} VkWriteDescriptorSet;
typedef struct VkWriteDescriptorSetInlineUniformBlock {
	VkStructureType sType; const void *pNext; uint32_t dataSize; const void *pData;
} VkWriteDescriptorSetInlineUniformBlock;
typedef struct VkCopyDescriptorSet {
	VkStructureType sType; const void *pNext; VkDescriptorSet srcSet; uint32_t srcBinding, srcArrayElement; VkDescriptorSet dstSet;
	uint32_t dstBinding, dstArrayElement, descriptorCount;
} VkCopyDescriptorSet;
typedef struct VkDescriptorUpdateTemplateEntry {
	uint32_t dstBinding, dstArrayElement, descriptorCount; VkDescriptorType descriptorType; size_t offset, stride;
} VkDescriptorUpdateTemplateEntry;
typedef struct VkDescriptorUpdateTemplateCreateInfo {
	VkStructureType sType; const void *pNext; VkDescriptorUpdateTemplateCreateFlags flags; uint32_t descriptorUpdateEntryCount;
	const VkDescriptorUpdateTemplateEntry *pDescriptorUpdateEntries; VkDescriptorUpdateTemplateType templateType;
	VkDescriptorSetLayout descriptorSetLayout; VkPipelineBindPoint pipelineBindPoint; VkPipelineLayout pipelineLayout; uint32_t set;
} VkDescriptorUpdateTemplateCreateInfo;
typedef struct VkCommandPoolCreateInfo {
	VkStructureType sType; const void *pNext; VkCommandPoolCreateFlags flags; uint32_t queueFamilyIndex;
} VkCommandPoolCreateInfo;
typedef struct VkCommandBufferAllocateInfo {
	VkStructureType sType; const void *pNext; VkCommandPool commandPool; VkCommandBufferLevel level; uint32_t commandBufferCount;
} VkCommandBufferAllocateInfo;
typedef struct VkCommandBufferInheritanceInfo {
	VkStructureType sType; const void *pNext; VkRenderPass renderPass; uint32_t subpass; VkFramebuffer framebuffer;
	VkBool32 occlusionQueryEnable; VkQueryControlFlags queryFlags; VkQueryPipelineStatisticFlags pipelineStatistics;
} VkCommandBufferInheritanceInfo;
typedef struct VkCommandBufferBeginInfo {
	VkStructureType sType; const void *pNext; VkCommandBufferUsageFlags flags; const VkCommandBufferInheritanceInfo *pInheritanceInfo;
} VkCommandBufferBeginInfo;
typedef struct VkMemoryBarrier { VkStructureType sType; const void *pNext; VkAccessFlags srcAccessMask, dstAccessMask; } VkMemoryBarrier;
typedef struct VkBufferMemoryBarrier {
	VkStructureType sType; const void *pNext; VkAccessFlags srcAccessMask, dstAccessMask; uint32_t srcQueueFamilyIndex, dstQueueFamilyIndex;
	VkBuffer buffer; VkDeviceSize offset, size;
} VkBufferMemoryBarrier;
typedef struct VkImageMemoryBarrier {
	VkStructureType sType; const void *pNext; VkAccessFlags srcAccessMask, dstAccessMask; VkImageLayout oldLayout, newLayout;
	uint32_t srcQueueFamilyIndex, dstQueueFamilyIndex; VkImage image; VkImageSubresourceRange subresourceRange;
} VkImageMemoryBarrier;
typedef struct VkBufferCopy { VkDeviceSize srcOffset, dstOffset, size; } VkBufferCopy;
typedef struct VkImageSubresourceLayers { VkImageAspectFlags aspectMask; uint32_t mipLevel, baseArrayLayer, layerCount; } VkImageSubresourceLayers;
typedef struct VkBufferImageCopy {
	VkDeviceSize bufferOffset; uint32_t bufferRowLength, bufferImageHeight; VkImageSubresourceLayers imageSubresource; VkOffset3D imageOffset;
	VkExtent3D imageExtent;
} VkBufferImageCopy;
typedef struct VkSubmitInfo {
	VkStructureType sType; const void *pNext; uint32_t waitSemaphoreCount; const VkSemaphore *pWaitSemaphores;
	const VkPipelineStageFlags *pWaitDstStageMask; uint32_t commandBufferCount; const VkCommandBuffer *pCommandBuffers;
	uint32_t signalSemaphoreCount; const VkSemaphore *pSignalSemaphores;
} VkSubmitInfo;
typedef struct VkTimelineSemaphoreSubmitInfo {
	VkStructureType sType; const void *pNext; uint32_t waitSemaphoreValueCount; const uint64_t *pWaitSemaphoreValues;
	uint32_t signalSemaphoreValueCount; const uint64_t *pSignalSemaphoreValues;
} VkTimelineSemaphoreSubmitInfo;
typedef struct VkSemaphoreSubmitInfo {
	VkStructureType sType; const void *pNext; VkSemaphore semaphore; uint64_t value; VkPipelineStageFlags2 stageMask; uint32_t deviceIndex;
} VkSemaphoreSubmitInfo;
typedef struct VkCommandBufferSubmitInfo {
	VkStructureType sType; const void *pNext; VkCommandBuffer commandBuffer; uint32_t deviceMask;
} VkCommandBufferSubmitInfo;
typedef struct VkSubmitInfo2 {
	VkStructureType sType; const void *pNext; VkSubmitFlags flags; uint32_t waitSemaphoreInfoCount;
	const VkSemaphoreSubmitInfo *pWaitSemaphoreInfos; uint32_t commandBufferInfoCount; const VkCommandBufferSubmitInfo *pCommandBufferInfos;
	uint32_t signalSemaphoreInfoCount; const VkSemaphoreSubmitInfo *pSignalSemaphoreInfos;
} VkSubmitInfo2;
typedef struct VkFenceCreateInfo { VkStructureType sType; const void *pNext; VkFenceCreateFlags flags; } VkFenceCreateInfo;
typedef struct VkSemaphoreWaitInfo {
	VkStructureType sType; const void *pNext; VkSemaphoreWaitFlags flags; uint32_t semaphoreCount; const VkSemaphore *pSemaphores;
	const uint64_t *pValues;
} VkSemaphoreWaitInfo;
typedef struct VkDebugUtilsObjectNameInfoEXT {
	VkStructureType sType; const void *pNext; VkObjectType objectType; uint64_t objectHandle; const char *pObjectName;
} VkDebugUtilsObjectNameInfoEXT;
typedef struct VkDebugUtilsLabelEXT { VkStructureType sType; const void *pNext; const char *pLabelName; float color[4]; } VkDebugUtilsLabelEXT;
typedef struct VkQueryPoolCreateInfo {
	VkStructureType sType; const void *pNext; VkQueryPoolCreateFlags flags; VkQueryType queryType; uint32_t queryCount;
	VkQueryPipelineStatisticFlags pipelineStatistics;
} VkQueryPoolCreateInfo;
typedef struct VkDeviceQueueInfo2 {
	VkStructureType sType; const void *pNext; VkDeviceQueueCreateFlags flags; uint32_t queueFamilyIndex, queueIndex;
} VkDeviceQueueInfo2;
typedef struct VkExtensionProperties { char extensionName[256]; uint32_t specVersion; } VkExtensionProperties;
typedef struct VkExternalMemoryBufferCreateInfo { VkStructureType sType; const void *pNext; VkFlags handleTypes; } VkExternalMemoryBufferCreateInfo;
typedef struct VkImportMemoryHostPointerInfoEXT { VkStructureType sType; const void *pNext; int32_t handleType; void *pHostPointer; } VkImportMemoryHostPointerInfoEXT;
typedef struct VkMemoryHostPointerPropertiesEXT { VkStructureType sType; void *pNext; uint32_t memoryTypeBits; } VkMemoryHostPointerPropertiesEXT;
typedef struct VkPhysicalDeviceExternalMemoryHostPropertiesEXT {
	VkStructureType sType; void *pNext; VkDeviceSize minImportedHostPointerAlignment;
} VkPhysicalDeviceExternalMemoryHostPropertiesEXT;

// Newer than Vulkan 1.3.
typedef struct VkBufferUsageFlags2CreateInfo { VkStructureType sType; const void *pNext; VkFlags64 usage; } VkBufferUsageFlags2CreateInfo;
typedef struct VkBindDescriptorSetsInfo {
	VkStructureType sType; const void *pNext; VkShaderStageFlags stageFlags; VkPipelineLayout layout; uint32_t firstSet, descriptorSetCount;
	const VkDescriptorSet *pDescriptorSets; uint32_t dynamicOffsetCount; const uint32_t *pDynamicOffsets;
} VkBindDescriptorSetsInfo;
typedef struct VkPushConstantsInfo {
	VkStructureType sType; const void *pNext; VkPipelineLayout layout; VkShaderStageFlags stageFlags; uint32_t offset, size; const void *pValues;
} VkPushConstantsInfo;
typedef struct VkPushDescriptorSetInfo {
	VkStructureType sType; const void *pNext; VkShaderStageFlags stageFlags; VkPipelineLayout layout; uint32_t set, descriptorWriteCount;
	const VkWriteDescriptorSet *pDescriptorWrites;
} VkPushDescriptorSetInfo;
typedef struct VkPushDescriptorSetWithTemplateInfo {
	VkStructureType sType; const void *pNext; VkDescriptorUpdateTemplate descriptorUpdateTemplate; VkPipelineLayout layout; uint32_t set;
	const void *pData;
} VkPushDescriptorSetWithTemplateInfo;
typedef struct VkShaderCreateInfoEXT {
	VkStructureType sType; const void *pNext; uint32_t flags; VkShaderStageFlagBits stage; VkShaderStageFlags nextStage; int32_t codeType;
	size_t codeSize; const void *pCode; const char *pName; uint32_t setLayoutCount; const VkDescriptorSetLayout *pSetLayouts;
	uint32_t pushConstantRangeCount; const VkPushConstantRange *pPushConstantRanges; const VkSpecializationInfo *pSpecializationInfo;
} VkShaderCreateInfoEXT;

#endif
