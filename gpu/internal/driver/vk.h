// The structures and function types of Vulkan that the binding lacks or
// mishandles, declared by hand for 64-bit targets (handles are pointers) and
// held to their sizes by static assertions in device.c. Names and layouts are
// those of the Vulkan 1.3 registry.
#ifndef AMPDBG_VK_H
#define AMPDBG_VK_H

#include <stddef.h>
#include <stdint.h>

typedef void *Handle;
typedef uint32_t Bool32;
typedef uint64_t DeviceSize;
typedef int32_t Result;

typedef struct { int32_t sType; const void *pNext; const char *application; uint32_t applicationVersion; const char *engine; uint32_t engineVersion, apiVersion; } ApplicationInfo;
typedef struct { int32_t sType; const void *pNext; uint32_t flags; const ApplicationInfo *app; uint32_t layerCount; const char *const *layers; uint32_t extensionCount; const char *const *extensions; } InstanceCreateInfo;
typedef struct { int32_t sType; const void *pNext; uint32_t flags, family, count; const float *priorities; } DeviceQueueCreateInfo;
typedef struct { int32_t sType; const void *pNext; uint32_t flags, queueCount; const DeviceQueueCreateInfo *queues; uint32_t layerCount; const char *const *layers; uint32_t extensionCount; const char *const *extensions; const void *features; } DeviceCreateInfo;
typedef struct { int32_t sType; const void *pNext; uint32_t waitCount; const Handle *waits; const uint32_t *waitStages; uint32_t bufferCount; const Handle *buffers; uint32_t signalCount; const Handle *signals; } SubmitInfo;

typedef struct { Handle buffer; DeviceSize offset, range; } DescriptorBufferInfo;
typedef struct { Handle sampler, view; int32_t layout; } DescriptorImageInfo;
typedef struct { int32_t sType; const void *pNext; Handle set; uint32_t binding, element, count; int32_t type; const DescriptorImageInfo *image; const DescriptorBufferInfo *buffer; const Handle *texel; } WriteDescriptorSet;
typedef struct { uint32_t binding; int32_t type; uint32_t count, stages; const Handle *immutable; } DescriptorSetLayoutBinding;
typedef struct { int32_t sType; const void *pNext; uint32_t count; const uint32_t *flags; } DescriptorSetLayoutBindingFlags;
typedef struct { int32_t sType; const void *pNext; uint32_t flags, count; const DescriptorSetLayoutBinding *bindings; } DescriptorSetLayoutCreateInfo;
typedef struct { int32_t type; uint32_t count; } DescriptorPoolSize;
typedef struct { int32_t sType; const void *pNext; uint32_t flags, maxSets, sizeCount; const DescriptorPoolSize *sizes; } DescriptorPoolCreateInfo;
typedef struct { int32_t sType; const void *pNext; Handle pool; uint32_t count; const Handle *layouts; } DescriptorSetAllocateInfo;

typedef struct { int32_t sType; const void *pNext; uint32_t flags; size_t size; const uint32_t *words; } ShaderModuleCreateInfo;
typedef struct { uint32_t stages, offset, size; } PushConstantRange;
typedef struct { int32_t sType; const void *pNext; uint32_t flags, setCount; const Handle *sets; uint32_t rangeCount; const PushConstantRange *ranges; } PipelineLayoutCreateInfo;
typedef struct { uint32_t id, offset; size_t size; } SpecializationMapEntry;
typedef struct { uint32_t count; const SpecializationMapEntry *entries; size_t size; const void *data; } SpecializationInfo;
typedef struct { int32_t sType; void *pNext; uint32_t size; } RequiredSubgroupSize;
typedef struct { int32_t sType; const void *pNext; uint32_t flags; int32_t stage; Handle module; const char *name; const SpecializationInfo *spec; } ShaderStage;
typedef struct { int32_t sType; const void *pNext; uint32_t flags; ShaderStage stage; Handle layout, base; int32_t baseIndex; } ComputePipelineCreateInfo;

typedef struct { int32_t sType; const void *pNext; uint32_t src, dst; } MemoryBarrier;
typedef struct { uint32_t aspect, mip, mips, layer, layers; } SubresourceRange;
typedef struct { int32_t sType; const void *pNext; uint32_t src, dst; int32_t from, to; uint32_t srcFamily, dstFamily; Handle image; SubresourceRange range; } ImageMemoryBarrier;
typedef struct { int32_t sType; const void *pNext; uint32_t usage; } ImageViewUsage;
typedef struct { int32_t sType; const void *pNext; uint32_t flags; Handle image; int32_t type, format, swizzle[4]; SubresourceRange range; } ImageViewCreateInfo;
typedef struct { DeviceSize src, dst, size; } BufferCopy;
typedef struct { DeviceSize offset; uint32_t rowLength, imageHeight; uint32_t aspect, mip, layer, layers; int32_t x, y, z; uint32_t width, height, depth; } BufferImageCopy;

typedef struct { char name[256]; uint32_t specVersion, implementation; char description[256]; } LayerProperties;
typedef struct { char name[256]; uint32_t version; } ExtensionProperties;
typedef struct { uint32_t flags, count, timestampBits, granularity[3]; } QueueFamilyProperties;
typedef struct { int32_t sType; const void *pNext; Handle buffer; } BufferDeviceAddressInfo;

typedef struct { int32_t sType; const void *pNext; uint32_t flags; const char *id; int32_t number; const char *message; uint32_t queueLabelCount; const void *queueLabels; uint32_t cmdLabelCount; const void *cmdLabels; uint32_t objectCount; const void *objects; } CallbackData;
typedef Bool32 (*DebugCallback)(int32_t severity, uint32_t types, const CallbackData *data, void *user);
typedef struct { int32_t sType; const void *pNext; uint32_t flags, severity, types; DebugCallback callback; void *user; } DebugMessengerCreateInfo;

#endif
