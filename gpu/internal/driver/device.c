//go:build cgo && linux && (amd64 || arm64)

#include "shim.h"
#include <stdlib.h>
#include <string.h>

enum { outOfHostMemory = -1, initializationFailed = -3, computeStage = 0x20 };

_Static_assert(sizeof(void *) == 8, "handles are declared as pointers of 8 bytes");
_Static_assert(sizeof(InstanceCreateInfo) == 64, "VkInstanceCreateInfo");
_Static_assert(sizeof(DeviceQueueCreateInfo) == 40, "VkDeviceQueueCreateInfo");
_Static_assert(sizeof(DeviceCreateInfo) == 72, "VkDeviceCreateInfo");
_Static_assert(sizeof(SubmitInfo) == 72, "VkSubmitInfo");
_Static_assert(sizeof(WriteDescriptorSet) == 64, "VkWriteDescriptorSet");
_Static_assert(sizeof(DescriptorImageInfo) == 24, "VkDescriptorImageInfo");
_Static_assert(sizeof(DescriptorSetLayoutBinding) == 24, "VkDescriptorSetLayoutBinding");
_Static_assert(sizeof(DescriptorSetLayoutCreateInfo) == 32, "VkDescriptorSetLayoutCreateInfo");
_Static_assert(sizeof(DescriptorPoolCreateInfo) == 40, "VkDescriptorPoolCreateInfo");
_Static_assert(sizeof(DescriptorSetAllocateInfo) == 40, "VkDescriptorSetAllocateInfo");
_Static_assert(sizeof(PipelineLayoutCreateInfo) == 48, "VkPipelineLayoutCreateInfo");
_Static_assert(sizeof(ShaderModuleCreateInfo) == 40, "VkShaderModuleCreateInfo");
_Static_assert(sizeof(SpecializationMapEntry) == 16, "VkSpecializationMapEntry");
_Static_assert(sizeof(SpecializationInfo) == 32, "VkSpecializationInfo");
_Static_assert(sizeof(RequiredSubgroupSize) == 24, "VkPipelineShaderStageRequiredSubgroupSizeCreateInfo");
_Static_assert(sizeof(ShaderStage) == 48, "VkPipelineShaderStageCreateInfo");
_Static_assert(sizeof(ComputePipelineCreateInfo) == 96, "VkComputePipelineCreateInfo");
_Static_assert(sizeof(MemoryBarrier) == 24, "VkMemoryBarrier");
_Static_assert(sizeof(ImageMemoryBarrier) == 72, "VkImageMemoryBarrier");
_Static_assert(sizeof(ImageViewUsage) == 24, "VkImageViewUsageCreateInfo");
_Static_assert(sizeof(ImageViewCreateInfo) == 80, "VkImageViewCreateInfo");
_Static_assert(sizeof(BufferImageCopy) == 56, "VkBufferImageCopy");
_Static_assert(sizeof(LayerProperties) == 520, "VkLayerProperties");
_Static_assert(sizeof(ExtensionProperties) == 260, "VkExtensionProperties");
_Static_assert(sizeof(QueueFamilyProperties) == 24, "VkQueueFamilyProperties");
_Static_assert(sizeof(BufferDeviceAddressInfo) == 24, "VkBufferDeviceAddressInfo");
_Static_assert(sizeof(CallbackData) == 96, "VkDebugUtilsMessengerCallbackDataEXT");
_Static_assert(sizeof(DebugMessengerCreateInfo) == 48, "VkDebugUtilsMessengerCreateInfoEXT");

Result device_create(Instance *i, Handle pd, uint32_t family, void *chain, const Bool32 *base, const char *exts, uint32_t ne, Device *out) {
	typedef Result (*Create)(Handle, const DeviceCreateInfo *, const void *, Handle *);
	typedef void (*GetQueue)(Handle, uint32_t, uint32_t, Handle *);
	memset(out, 0, sizeof *out);
	const char **names = calloc(ne ? ne : 1, sizeof *names);
	if (!names)
		return outOfHostMemory;
	for (uint32_t k = 0; k < ne; k++, exts += strlen(exts) + 1)
		names[k] = exts;
	struct { int32_t sType; void *pNext; Bool32 features[55]; } f = {.sType = 1000059000, .pNext = chain};
	memcpy(f.features, base, sizeof f.features);
	float priority = 1;
	DeviceQueueCreateInfo queue = {.sType = 2, .family = family, .count = 1, .priorities = &priority};
	DeviceCreateInfo info = {.sType = 3, .pNext = &f, .queueCount = 1, .queues = &queue, .extensionCount = ne, .extensions = names};
	Result r = ((Create)i->createDevice)(pd, &info, NULL, &out->handle);
	free(names);
	if (r)
		return r;
	GetProc get = (GetProc)i->deviceProc;
	Handle d = out->handle;
	GetQueue getQueue = (GetQueue)get(d, "vkGetDeviceQueue");
	out->createModule = get(d, "vkCreateShaderModule");
	out->createPipelines = get(d, "vkCreateComputePipelines");
	out->submit = get(d, "vkQueueSubmit");
	out->update = get(d, "vkUpdateDescriptorSets");
	out->barrier = get(d, "vkCmdPipelineBarrier");
	out->copyBuffer = get(d, "vkCmdCopyBuffer");
	out->copyToImage = get(d, "vkCmdCopyBufferToImage");
	out->copyFromImage = get(d, "vkCmdCopyImageToBuffer");
	out->createSetLayout = get(d, "vkCreateDescriptorSetLayout");
	out->createPool = get(d, "vkCreateDescriptorPool");
	out->allocateSets = get(d, "vkAllocateDescriptorSets");
	out->createLayout = get(d, "vkCreatePipelineLayout");
	out->createView = get(d, "vkCreateImageView");
	out->clearColour = get(d, "vkCmdClearColorImage");
	out->clearDepth = get(d, "vkCmdClearDepthStencilImage");
	out->address = get(d, "vkGetBufferDeviceAddress");
	if (!out->address)
		out->address = get(d, "vkGetBufferDeviceAddressKHR");
	if (!getQueue || !out->createModule || !out->createPipelines || !out->submit || !out->update || !out->barrier || !out->copyBuffer || !out->copyToImage || !out->copyFromImage || !out->createSetLayout || !out->createPool || !out->allocateSets || !out->createLayout || !out->createView || !out->clearColour || !out->clearDepth) {
		void (*destroy)(Handle, const void *) = (void (*)(Handle, const void *))get(d, "vkDestroyDevice");
		if (destroy)
			destroy(d, NULL);
		return initializationFailed;
	}
	getQueue(d, family, 0, &out->queue);
	return 0;
}

Result device_module(Device *d, const uint32_t *words, size_t bytes, Handle *out) {
	typedef Result (*Fn)(Handle, const ShaderModuleCreateInfo *, const void *, Handle *);
	ShaderModuleCreateInfo info = {.sType = 16, .size = bytes, .words = words};
	return ((Fn)d->createModule)(d->handle, &info, NULL, out);
}

Result device_pipeline(Device *d, Handle cache, Handle module, const char *entry, Handle layout, uint32_t stageFlags, uint32_t subgroup, const uint32_t *ids, const uint32_t *offsets, const uint32_t *sizes, uint32_t n, const void *data, size_t size, Handle *out) {
	typedef Result (*Fn)(Handle, Handle, uint32_t, const ComputePipelineCreateInfo *, const void *, Handle *);
	SpecializationMapEntry *entries = calloc(n ? n : 1, sizeof *entries);
	if (!entries)
		return outOfHostMemory;
	for (uint32_t i = 0; i < n; i++)
		entries[i] = (SpecializationMapEntry){ids[i], offsets[i], sizes[i]};
	SpecializationInfo spec = {n, entries, size, data};
	RequiredSubgroupSize required = {.sType = 1000225001, .size = subgroup};
	ComputePipelineCreateInfo info = {.sType = 29, .layout = layout, .baseIndex = -1};
	info.stage = (ShaderStage){.sType = 18, .pNext = subgroup ? &required : NULL, .flags = stageFlags, .stage = computeStage, .module = module, .name = entry, .spec = n ? &spec : NULL};
	*out = NULL;
	Result r = ((Fn)d->createPipelines)(d->handle, cache, 1, &info, NULL, out);
	free(entries);
	return r;
}

Result device_submit(Device *d, Handle commands, Handle fence) {
	typedef Result (*Fn)(Handle, uint32_t, const SubmitInfo *, Handle);
	SubmitInfo info = {.sType = 4, .bufferCount = 1, .buffers = &commands};
	return ((Fn)d->submit)(d->queue, 1, &info, fence);
}

uint64_t device_address(Device *d, Handle buffer) {
	typedef uint64_t (*Fn)(Handle, const BufferDeviceAddressInfo *);
	BufferDeviceAddressInfo info = {.sType = 1000244001, .buffer = buffer};
	return d->address ? ((Fn)d->address)(d->handle, &info) : 0;
}

Result device_set_layout(Device *d, const LayoutBinding *b, uint32_t n, Handle *out) {
	typedef Result (*Fn)(Handle, const DescriptorSetLayoutCreateInfo *, const void *, Handle *);
	DescriptorSetLayoutBinding *bindings = calloc(n ? n : 1, sizeof *bindings);
	uint32_t *flags = calloc(n ? n : 1, sizeof *flags), any = 0;
	Result r = outOfHostMemory;
	if (bindings && flags) {
		for (uint32_t i = 0; i < n; i++) {
			bindings[i] = (DescriptorSetLayoutBinding){.binding = b[i].binding, .type = b[i].type, .count = b[i].count, .stages = computeStage};
			any |= flags[i] = b[i].flags;
		}
		DescriptorSetLayoutBindingFlags f = {.sType = 1000161000, .count = n, .flags = flags};
		DescriptorSetLayoutCreateInfo info = {.sType = 32, .pNext = any ? &f : NULL, .count = n, .bindings = bindings};
		r = ((Fn)d->createSetLayout)(d->handle, &info, NULL, out);
	}
	free(bindings);
	free(flags);
	return r;
}

Result device_pipeline_layout(Device *d, const Handle *sets, uint32_t n, uint32_t push, Handle *out) {
	typedef Result (*Fn)(Handle, const PipelineLayoutCreateInfo *, const void *, Handle *);
	PushConstantRange range = {computeStage, 0, push};
	PipelineLayoutCreateInfo info = {.sType = 30, .setCount = n, .sets = sets, .rangeCount = push ? 1 : 0, .ranges = &range};
	return ((Fn)d->createLayout)(d->handle, &info, NULL, out);
}

Result device_pool(Device *d, uint32_t sets, const DescriptorPoolSize *sizes, uint32_t n, Handle *out) {
	typedef Result (*Fn)(Handle, const DescriptorPoolCreateInfo *, const void *, Handle *);
	DescriptorPoolCreateInfo info = {.sType = 33, .maxSets = sets, .sizeCount = n, .sizes = sizes};
	return ((Fn)d->createPool)(d->handle, &info, NULL, out);
}

Result device_allocate_set(Device *d, Handle pool, Handle layout, Handle *out) {
	typedef Result (*Fn)(Handle, const DescriptorSetAllocateInfo *, Handle *);
	DescriptorSetAllocateInfo info = {.sType = 34, .pool = pool, .count = 1, .layouts = &layout};
	return ((Fn)d->allocateSets)(d->handle, &info, out);
}

void device_write(Device *d, Handle set, uint32_t binding, uint32_t element, int32_t type, Handle buffer, DeviceSize offset, DeviceSize range, Handle texel, Handle sampler, Handle view) {
	typedef void (*Fn)(Handle, uint32_t, const WriteDescriptorSet *, uint32_t, const void *);
	DescriptorBufferInfo b = {buffer, offset, range};
	DescriptorImageInfo i = {sampler, view, 1 /* VK_IMAGE_LAYOUT_GENERAL */};
	WriteDescriptorSet w = {.sType = 35, .set = set, .binding = binding, .element = element, .count = 1, .type = type};
	if (buffer)
		w.buffer = &b;
	else if (texel)
		w.texel = &texel;
	else
		w.image = &i;
	((Fn)d->update)(d->handle, 1, &w, 0, NULL);
}

typedef void (*Barrier)(Handle, uint32_t, uint32_t, uint32_t, uint32_t, const MemoryBarrier *, uint32_t, const void *, uint32_t, const ImageMemoryBarrier *);

void command_barrier(Device *d, Handle commands, uint32_t srcStages, uint32_t dstStages, uint32_t srcAccess, uint32_t dstAccess) {
	MemoryBarrier b = {.sType = 46, .src = srcAccess, .dst = dstAccess};
	((Barrier)d->barrier)(commands, srcStages, dstStages, 0, 1, &b, 0, NULL, 0, NULL);
}

void command_image_barrier(Device *d, Handle commands, uint32_t srcStages, uint32_t dstStages, const ImageMemoryBarrier *b) {
	((Barrier)d->barrier)(commands, srcStages, dstStages, 0, 0, NULL, 0, NULL, 1, b);
}

void command_copy(Device *d, Handle commands, Handle src, Handle dst, DeviceSize srcOffset, DeviceSize dstOffset, DeviceSize size) {
	typedef void (*Fn)(Handle, Handle, Handle, uint32_t, const BufferCopy *);
	BufferCopy c = {srcOffset, dstOffset, size};
	((Fn)d->copyBuffer)(commands, src, dst, 1, &c);
}

void command_copy_image(Device *d, Handle commands, int toImage, Handle buffer, Handle image, int32_t layout, const BufferImageCopy *c, uint32_t n) {
	typedef void (*To)(Handle, Handle, Handle, int32_t, uint32_t, const BufferImageCopy *);
	typedef void (*From)(Handle, Handle, int32_t, Handle, uint32_t, const BufferImageCopy *);
	if (toImage)
		((To)d->copyToImage)(commands, buffer, image, layout, n, c);
	else
		((From)d->copyFromImage)(commands, image, layout, buffer, n, c);
}

Result device_view(Device *d, Handle image, int32_t type, int32_t format, uint32_t usage, const SubresourceRange *range, Handle *out) {
	typedef Result (*Fn)(Handle, const ImageViewCreateInfo *, const void *, Handle *);
	ImageViewUsage use = {.sType = 1000117002, .usage = usage};
	ImageViewCreateInfo info = {.sType = 15, .pNext = &use, .image = image, .type = type, .format = format, .range = *range};
	return ((Fn)d->createView)(d->handle, &info, NULL, out);
}

void command_zero(Device *d, Handle commands, Handle image, int32_t layout, const SubresourceRange *range) {
	typedef void (*Fn)(Handle, Handle, int32_t, const void *, uint32_t, const SubresourceRange *);
	static const uint32_t zero[4]; // VkClearColorValue, VkClearDepthStencilValue
	((Fn)(range->aspect == 1 ? d->clearColour : d->clearDepth))(commands, image, layout, zero, 1, range);
}
