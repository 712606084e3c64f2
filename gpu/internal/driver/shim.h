// The calls that the binding makes unsafely (slices of structures, strings)
// or lacks, as C functions over flat arrays: Go passes plain memory without
// pointers in it, which cgo keeps in place for the call, and the Vulkan
// structures live on the C stack or heap for exactly as long as the driver
// reads them.
#ifndef AMPDBG_SHIM_H
#define AMPDBG_SHIM_H

#include "vk.h"

typedef void (*VoidFn)(void);
typedef VoidFn (*GetProc)(Handle, const char *);

// loader_open gives vkGetInstanceProcAddr of the system's Vulkan loader, or
// NULL with the dynamic linker's words in why.
void *loader_open(char *why, size_t whySize);

// A message of the validation layer, in a list filled by the debug callback.
typedef struct Message {
	struct Message *next;
	int32_t severity;
	char *id, *text;
} Message;
typedef struct MessageLog MessageLog;
MessageLog *log_new(void);
void log_free(MessageLog *);
// log_take gives the list gathered so far, oldest first, and how many more
// were dropped because the list was full; the caller frees it.
Message *log_take(MessageLog *, uint64_t *dropped);
void message_free(Message *);

typedef struct {
	Handle handle;
	GetProc get;
	VoidFn destroy, features2, properties2, families, extensions, createDevice, deviceProc, destroyMessenger;
	Handle messenger;
} Instance;

// instance_version is the loader's Vulkan version, 0 if it is older than 1.1.
uint32_t instance_version(void *get);
// instance_layers and instance_extensions fill *out with a malloc'ed array.
Result instance_layers(void *get, uint32_t *n, LayerProperties **out);
Result instance_extensions(void *get, const char *layer, uint32_t *n, ExtensionProperties **out);
// instance_create makes an instance; layers and extensions are each a run of
// NUL-terminated strings. With log not NULL, validation messages go there.
Result instance_create(void *get, uint32_t api, const char *layers, uint32_t nl, const char *exts, uint32_t ne, MessageLog *log, Instance *out);
void instance_destroy(Instance *);

// physical_features2 and physical_properties2 query with a chain of
// structures in C memory behind the base structure; base takes the 55 core
// features, and may be NULL.
void physical_features2(Instance *, Handle pd, void *chain, Bool32 *base);
void physical_properties2(Instance *, Handle pd, void *chain);
Result physical_extensions(Instance *, Handle pd, uint32_t *n, ExtensionProperties **out);
void physical_families(Instance *, Handle pd, uint32_t *n, QueueFamilyProperties **out);

typedef struct {
	Handle handle, queue;
	VoidFn createModule, createPipelines, submit, update, barrier, copyBuffer, copyToImage, copyFromImage;
	VoidFn createSetLayout, createPool, allocateSets, createLayout, address, createView, clearColour, clearDepth;
} Device;

Result device_create(Instance *, Handle pd, uint32_t family, void *chain, const Bool32 *base, const char *exts, uint32_t ne, Device *out);

Result device_module(Device *, const uint32_t *words, size_t bytes, Handle *out);
// device_pipeline makes one compute pipeline. ids, offsets and sizes describe
// n specialization constants in data; subgroup is 0 or the required size.
Result device_pipeline(Device *, Handle cache, Handle module, const char *entry, Handle layout, uint32_t stageFlags, uint32_t subgroup, const uint32_t *ids, const uint32_t *offsets, const uint32_t *sizes, uint32_t n, const void *data, size_t size, Handle *out);
Result device_submit(Device *, Handle commands, Handle fence);
uint64_t device_address(Device *, Handle buffer);

// One descriptor binding of a set layout.
typedef struct { uint32_t binding; int32_t type; uint32_t count, flags; } LayoutBinding;
Result device_set_layout(Device *, const LayoutBinding *, uint32_t n, Handle *out);
Result device_pipeline_layout(Device *, const Handle *sets, uint32_t n, uint32_t push, Handle *out);
Result device_pool(Device *, uint32_t sets, const DescriptorPoolSize *, uint32_t n, Handle *out);
Result device_allocate_set(Device *, Handle pool, Handle layout, Handle *out);
// device_write writes one descriptor of one array element.
void device_write(Device *, Handle set, uint32_t binding, uint32_t element, int32_t type, Handle buffer, DeviceSize offset, DeviceSize range, Handle texel, Handle sampler, Handle view);

// device_view makes an image view that is used as usage says, whatever the
// image may be used as.
Result device_view(Device *, Handle image, int32_t type, int32_t format, uint32_t usage, const SubresourceRange *, Handle *out);

void command_barrier(Device *, Handle commands, uint32_t srcStages, uint32_t dstStages, uint32_t srcAccess, uint32_t dstAccess);
void command_image_barrier(Device *, Handle commands, uint32_t srcStages, uint32_t dstStages, const ImageMemoryBarrier *);
void command_copy(Device *, Handle commands, Handle src, Handle dst, DeviceSize srcOffset, DeviceSize dstOffset, DeviceSize size);
void command_copy_image(Device *, Handle commands, int toImage, Handle buffer, Handle image, int32_t layout, const BufferImageCopy *, uint32_t n);
// command_zero sets all of an image to zero.
void command_zero(Device *, Handle commands, Handle image, int32_t layout, const SubresourceRange *);

#endif
