// The capture layer: what its files share. capture.c is the way in (chains,
// settings, the log); track.c, descriptors.c and commands.c remember what the
// program makes and binds, in table.c; shot.c copies what a dispatch sees,
// settle.c reads the copies and writes files. "Next" is the next layer's or the driver's function; a "shot" is one
// dispatch that is captured.
#ifndef AMPDBG_CAPTURE_LAYER_H
#define AMPDBG_CAPTURE_LAYER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan.h"

typedef void (*Proc)(void);

// SURFACE: the functions of devices that the layer stands before.
#define SURFACE(X) \
	X(void, DestroyDevice, (VkDevice device, const void *allocator)) \
	X(VkResult, BindBufferMemory, (VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)) \
	X(VkResult, BindBufferMemory2, (VkDevice device, uint32_t n, const VkBindBufferMemoryInfo *infos)) \
	X(VkResult, CreateBuffer, (VkDevice device, const VkBufferCreateInfo *info, const void *allocator, VkBuffer *out)) \
	X(void, DestroyBuffer, (VkDevice device, VkBuffer buffer, const void *allocator)) \
	X(void, GetDeviceBufferMemoryRequirements, (VkDevice device, const VkDeviceBufferMemoryRequirements *info, VkMemoryRequirements2 *out)) \
	X(VkDeviceAddress, GetBufferDeviceAddress, (VkDevice device, const VkBufferDeviceAddressInfo *info)) \
	X(VkResult, CreateBufferView, (VkDevice device, const VkBufferViewCreateInfo *info, const void *allocator, VkBufferView *out)) \
	X(void, DestroyBufferView, (VkDevice device, VkBufferView view, const void *allocator)) \
	X(VkResult, CreateImage, (VkDevice device, const VkImageCreateInfo *info, const void *allocator, VkImage *out)) \
	X(void, DestroyImage, (VkDevice device, VkImage image, const void *allocator)) \
	X(void, GetDeviceImageMemoryRequirements, (VkDevice device, const VkDeviceImageMemoryRequirements *info, VkMemoryRequirements2 *out)) \
	X(VkResult, CreateImageView, (VkDevice device, const VkImageViewCreateInfo *info, const void *allocator, VkImageView *out)) \
	X(void, DestroyImageView, (VkDevice device, VkImageView view, const void *allocator)) \
	X(VkResult, CreateSampler, (VkDevice device, const VkSamplerCreateInfo *info, const void *allocator, VkSampler *out)) \
	X(void, DestroySampler, (VkDevice device, VkSampler sampler, const void *allocator)) \
	X(VkResult, CreateShaderModule, (VkDevice device, const VkShaderModuleCreateInfo *info, const void *allocator, VkShaderModule *out)) \
	X(void, DestroyShaderModule, (VkDevice device, VkShaderModule module, const void *allocator)) \
	X(VkResult, CreateComputePipelines, (VkDevice device, VkPipelineCache cache, uint32_t n, const VkComputePipelineCreateInfo *infos, const void *allocator, VkPipeline *out)) \
	X(void, DestroyPipeline, (VkDevice device, VkPipeline pipeline, const void *allocator)) \
	X(VkResult, CreateShadersEXT, (VkDevice device, uint32_t n, const VkShaderCreateInfoEXT *infos, const void *allocator, VkShaderEXT *out)) \
	X(void, DestroyShaderEXT, (VkDevice device, VkShaderEXT shader, const void *allocator)) \
	X(VkResult, CreateDescriptorSetLayout, (VkDevice device, const VkDescriptorSetLayoutCreateInfo *info, const void *allocator, VkDescriptorSetLayout *out)) \
	X(void, DestroyDescriptorSetLayout, (VkDevice device, VkDescriptorSetLayout layout, const void *allocator)) \
	X(VkResult, CreatePipelineLayout, (VkDevice device, const VkPipelineLayoutCreateInfo *info, const void *allocator, VkPipelineLayout *out)) \
	X(void, DestroyPipelineLayout, (VkDevice device, VkPipelineLayout layout, const void *allocator)) \
	X(VkResult, AllocateDescriptorSets, (VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out)) \
	X(VkResult, FreeDescriptorSets, (VkDevice device, VkDescriptorPool pool, uint32_t n, const VkDescriptorSet *sets)) \
	X(VkResult, ResetDescriptorPool, (VkDevice device, VkDescriptorPool pool, VkDescriptorPoolResetFlags flags)) \
	X(void, DestroyDescriptorPool, (VkDevice device, VkDescriptorPool pool, const void *allocator)) \
	X(void, UpdateDescriptorSets, (VkDevice device, uint32_t n, const VkWriteDescriptorSet *writes, uint32_t m, const VkCopyDescriptorSet *copies)) \
	X(VkResult, CreateDescriptorUpdateTemplate, (VkDevice device, const VkDescriptorUpdateTemplateCreateInfo *info, const void *allocator, VkDescriptorUpdateTemplate *out)) \
	X(void, DestroyDescriptorUpdateTemplate, (VkDevice device, VkDescriptorUpdateTemplate template, const void *allocator)) \
	X(void, UpdateDescriptorSetWithTemplate, (VkDevice device, VkDescriptorSet set, VkDescriptorUpdateTemplate template, const void *data)) \
	X(VkResult, SetDebugUtilsObjectNameEXT, (VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info)) \
	X(void, DestroyCommandPool, (VkDevice device, VkCommandPool pool, const void *allocator)) \
	X(VkResult, CreateCommandPool, (VkDevice device, const VkCommandPoolCreateInfo *info, const void *allocator, VkCommandPool *out)) \
	X(VkResult, ResetCommandPool, (VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags)) \
	X(VkResult, AllocateCommandBuffers, (VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out)) \
	X(void, FreeCommandBuffers, (VkDevice device, VkCommandPool pool, uint32_t n, const VkCommandBuffer *list)) \
	X(VkResult, BeginCommandBuffer, (VkCommandBuffer commands, const VkCommandBufferBeginInfo *info)) \
	X(VkResult, ResetCommandBuffer, (VkCommandBuffer commands, VkCommandBufferResetFlags flags)) \
	X(void, CmdBindPipeline, (VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline)) \
	X(void, CmdBindShadersEXT, (VkCommandBuffer commands, uint32_t n, const VkShaderStageFlagBits *stages, const VkShaderEXT *shaders)) \
	X(void, CmdBindDescriptorSets, (VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t first, uint32_t n, const VkDescriptorSet *sets, uint32_t m, const uint32_t *offsets)) \
	X(void, CmdBindDescriptorSets2, (VkCommandBuffer commands, const VkBindDescriptorSetsInfo *info)) \
	X(void, CmdBindDescriptorBuffersEXT, (VkCommandBuffer commands, uint32_t n, const void *infos)) \
	X(void, CmdPushConstants, (VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset, uint32_t size, const void *values)) \
	X(void, CmdPushConstants2, (VkCommandBuffer commands, const VkPushConstantsInfo *info)) \
	X(void, CmdPushDescriptorSet, (VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t set, uint32_t n, const VkWriteDescriptorSet *writes)) \
	X(void, CmdPushDescriptorSet2, (VkCommandBuffer commands, const VkPushDescriptorSetInfo *info)) \
	X(void, CmdPushDescriptorSetWithTemplate, (VkCommandBuffer commands, VkDescriptorUpdateTemplate template, VkPipelineLayout layout, uint32_t set, const void *data)) \
	X(void, CmdPushDescriptorSetWithTemplate2, (VkCommandBuffer commands, const VkPushDescriptorSetWithTemplateInfo *info)) \
	X(void, CmdDispatch, (VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)) \
	X(void, CmdDispatchBase, (VkCommandBuffer commands, uint32_t bx, uint32_t by, uint32_t bz, uint32_t x, uint32_t y, uint32_t z)) \
	X(void, CmdDispatchIndirect, (VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset)) \
	X(void, CmdExecuteCommands, (VkCommandBuffer commands, uint32_t n, const VkCommandBuffer *list)) \
	X(void, CmdBeginDebugUtilsLabelEXT, (VkCommandBuffer commands, const VkDebugUtilsLabelEXT *label)) \
	X(void, CmdEndDebugUtilsLabelEXT, (VkCommandBuffer commands)) \
	X(VkResult, QueueSubmit, (VkQueue queue, uint32_t n, const VkSubmitInfo *infos, VkFence fence)) \
	X(VkResult, QueueSubmit2, (VkQueue queue, uint32_t n, const VkSubmitInfo2 *infos, VkFence fence)) \
	X(VkResult, QueueWaitIdle, (VkQueue queue)) \
	X(VkResult, DeviceWaitIdle, (VkDevice device)) \
	X(VkResult, WaitForFences, (VkDevice device, uint32_t n, const VkFence *fences, VkBool32 all, uint64_t timeout)) \
	X(VkResult, GetFenceStatus, (VkDevice device, VkFence fence)) \
	X(VkResult, WaitSemaphores, (VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout)) \
	X(VkResult, GetSemaphoreCounterValue, (VkDevice device, VkSemaphore semaphore, uint64_t *value))

// ALIASES: other names of the same functions, from before their promotion.
#define ALIASES(X) \
	X(BindBufferMemory2, "KHR") X(GetDeviceBufferMemoryRequirements, "KHR") X(GetDeviceImageMemoryRequirements, "KHR") \
	X(GetBufferDeviceAddress, "KHR") X(GetBufferDeviceAddress, "EXT") X(CreateDescriptorUpdateTemplate, "KHR") \
	X(DestroyDescriptorUpdateTemplate, "KHR") X(UpdateDescriptorSetWithTemplate, "KHR") X(CmdBindDescriptorSets2, "KHR") \
	X(CmdPushConstants2, "KHR") X(CmdPushDescriptorSet, "KHR") X(CmdPushDescriptorSet2, "KHR") X(CmdPushDescriptorSetWithTemplate, "KHR") \
	X(CmdPushDescriptorSetWithTemplate2, "KHR") X(CmdDispatchBase, "KHR") X(QueueSubmit2, "KHR") X(WaitSemaphores, "KHR") \
	X(GetSemaphoreCounterValue, "KHR")

// CALLED: those that it only calls.
#define CALLED(X) \
	X(VkResult, AllocateMemory, (VkDevice, const VkMemoryAllocateInfo *, const void *, VkDeviceMemory *)) \
	X(void, FreeMemory, (VkDevice, VkDeviceMemory, const void *)) \
	X(VkResult, MapMemory, (VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags, void **)) \
	X(void, GetBufferMemoryRequirements, (VkDevice, VkBuffer, VkMemoryRequirements *)) \
	X(VkResult, GetMemoryHostPointerPropertiesEXT, (VkDevice, uint32_t, const void *, VkMemoryHostPointerPropertiesEXT *)) \
	X(VkResult, CreateFence, (VkDevice, const VkFenceCreateInfo *, const void *, VkFence *)) \
	X(void, DestroyFence, (VkDevice, VkFence, const void *)) \
	X(void, CmdPipelineBarrier, (VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags, VkDependencyFlags, uint32_t, const VkMemoryBarrier *, \
		uint32_t, const VkBufferMemoryBarrier *, uint32_t, const VkImageMemoryBarrier *)) \
	X(void, CmdCopyBuffer, (VkCommandBuffer, VkBuffer, VkBuffer, uint32_t, const VkBufferCopy *)) \
	X(void, CmdCopyImageToBuffer, (VkCommandBuffer, VkImage, VkImageLayout, VkBuffer, uint32_t, const VkBufferImageCopy *)) \
	X(void, CmdFillBuffer, (VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, uint32_t)) \
	X(VkResult, CreateQueryPool, (VkDevice, const VkQueryPoolCreateInfo *, const void *, VkQueryPool *)) \
	X(void, DestroyQueryPool, (VkDevice, VkQueryPool, const void *)) \
	X(void, CmdResetQueryPool, (VkCommandBuffer, VkQueryPool, uint32_t, uint32_t)) \
	X(void, CmdWriteTimestamp, (VkCommandBuffer, VkPipelineStageFlags, VkQueryPool, uint32_t)) \
	X(VkResult, GetQueryPoolResults, (VkDevice, VkQueryPool, uint32_t, uint32_t, size_t, void *, VkDeviceSize, VkQueryResultFlags))

#define DECLARE(type, name, params) type name params;
SURFACE(DECLARE)
#undef DECLARE

typedef struct Next {
#define MEMBER(type, name, params) type (*name) params;
	SURFACE(MEMBER) CALLED(MEMBER)
#undef MEMBER
} Next;

// Vulkan's descriptor types, and other numbers that several files use.
enum { SAMPLER_TYPE = 0, COMBINED = 1, STORAGE_IMAGE = 3, UNIFORM_TEXEL = 4, STORAGE_TEXEL = 5, STORAGE_BUFFER = 7, UNIFORM_DYNAMIC = 8, STORAGE_DYNAMIC = 9,
	INLINE_BLOCK = 1000138000 };
enum { COMPUTE = 0x20, COMPUTE_POINT = 1 }; // stage, bind point

static inline bool isDynamic(VkDescriptorType t) { return t == UNIFORM_DYNAMIC || t == STORAGE_DYNAMIC; }

typedef struct Submission Submission;

typedef struct Device {
	struct Device *link;
	void *key; // the first word of the device's, its queues' and its command buffers' handles
	VkDevice handle;
	Proc (*getProc)(VkDevice, const char *);
	Next next;
	VkResult (*imageFormat)(VkPhysicalDevice, VkFormat, VkImageType, VkImageTiling, VkImageUsageFlags, VkImageCreateFlags, VkImageFormatProperties *);
	VkPhysicalDevice physical;
	VkPhysicalDeviceMemoryProperties memory;
	uint32_t number, families, timestampBits[16];
	float timestampPeriod;
	bool inFiles;     // it runs in this process, and takes memory that the layer maps
	char about[1024]; // the lines of a shot that describe the device
	Submission *flight; // shots that the device may still be at work on; under settling
	bool lost;
} Device;

// What the program made. The table holds one reference; a descriptor holds
// another, so that a handle that is used anew is not taken for the old object.
typedef enum { BUFFER, BUFFER_VIEW, IMAGE, IMAGE_VIEW, SAMPLER, MODULE, KERNEL, SET_LAYOUT, LAYOUT, SET, SET_POOL, TEMPLATE, COMMANDS, COMMAND_POOL } Kind;
typedef struct Object {
	struct Object *link;
	Device *device;
	uint64_t handle;
	Kind kind;
	int refs, creates;
	bool dead; // destroyed by the program
	char *name;
} Object;

typedef struct { uint32_t set, binding; bool readOnly; } Variable;
typedef struct Code {
	int refs;
	uint64_t hash;
	size_t size; // bytes
	uint32_t *words;
	Variable *variables;
	int count;
	bool addresses; // it may follow pointers into buffers
} Code;

typedef struct {
	Object o;
	VkDeviceSize size;
	VkBufferUsageFlags usage;
	bool sparse, copyable;
	VkDeviceMemory memory;
	VkDeviceSize offset;
	VkDeviceAddress address;
	uint32_t number;
} Buffer;
typedef struct { Object o; Buffer *buffer; VkFormat format; VkDeviceSize offset, range; } BufferView;
typedef struct { Object o; VkImageCreateInfo info; bool copyable; } Image;
typedef struct { Object o; Image *image; VkImageViewType type; VkFormat format; VkImageSubresourceRange range; bool swizzled; } ImageView;
typedef struct { Object o; VkSamplerCreateInfo info; } Sampler;
typedef struct { Object o; Code *code; } Module;

typedef struct { uint32_t binding, count, first; VkDescriptorType type; bool late; Sampler **immutable; } LayoutBinding;
typedef struct { Object o; uint32_t count, slots; LayoutBinding *bindings; bool descriptorBuffer; } SetLayout;
typedef struct { Object o; uint32_t count, pushSize; SetLayout **sets; } Layout;

// Kernel is a compute pipeline or shader object.
typedef struct {
	Object o;
	Code *code; // NULL: the driver got none
	Layout *layout;
	uint64_t id;
	char *entry;
	uint32_t specCount, subgroup, stageFlags;
	struct Spec { uint32_t id, size; uint64_t value; } *spec;
	int storageRobustness;
	bool descriptorBuffer;
} Kernel;

typedef struct {
	VkDescriptorType type;
	bool written;
	Object *object; // Buffer, BufferView or ImageView
	Sampler *sampler;
	VkDeviceSize offset, range;
	VkImageLayout layout;
	uint8_t *bytes; // of an inline uniform block, in its binding's first slot
} Slot;
typedef struct Set { Object o; SetLayout *layout; uint32_t slots; Slot *slot; struct Set *sibling; } Set;
typedef struct { Object o; Set *first; } SetPool;
typedef struct { Object o; uint32_t count; VkPipelineBindPoint point; VkDescriptorUpdateTemplateEntry *entries; } Template;

enum { MAX_SETS = 32, MAX_PUSH = 256, MAX_LABELS = 16 };
enum { DISPATCH_TIMES = 256 }; // of a command buffer, with --list
typedef struct Shot Shot;
typedef struct Commands {
	Object o;
	VkCommandBuffer handle;
	struct Commands *sibling;
	uint32_t family;
	bool simultaneous, descriptorBuffers;
	Kernel *kernel;
	Set *sets[MAX_SETS];
	uint32_t *dynamic[MAX_SETS];
	uint8_t push[MAX_PUSH];
	char *labels[MAX_LABELS];
	int labelCount;
	Shot *shots;
	struct Commands **executed;
	int executedCount;
	VkQueryPool queries; // with --list: a pair for each dispatch
	int timeCount;
	bool timing; // a dispatch is between its two
	uint64_t times[DISPATCH_TIMES]; // their numbers
} Commands;
typedef struct { Object o; Commands *first; uint32_t family; } CommandPool;

typedef struct { bool indirect; uint32_t groups[3], base[3]; VkBuffer buffer; VkDeviceSize offset; } Grid;

// Shot is a captured dispatch. Its copies lie in one host-visible buffer: a
// word that the device sets once the memory before the dispatch is there, the
// words of an indirect dispatch, the memory before, the memory after.
typedef struct { Buffer *buffer; VkDeviceSize begin, end, before, after; bool written; } Piece; // bytes of a buffer; where their copies are
typedef struct { ImageView *view; VkImageLayout layout; bool written; uint32_t width, height, depth; VkDeviceSize size, before, after; } Picture;
typedef struct {
	uint32_t set, binding, element;
	VkDescriptorType type;
	Object *object; // Buffer or BufferView
	VkDeviceSize begin, range, dynamic;
	int picture; // -1: none
	Sampler *sampler;
	uint8_t *bytes;
	uint32_t size; // of bytes
	Set *late; // the set, if it may change until the submission
	uint32_t slot;
} Bind;
enum { AT_MARK = 0, AT_GROUPS = 16, AT_COPIES = 192 };
typedef enum { RECORDED, PENDING, DONE } ShotState;
struct Shot {
	Shot *link; // of a command buffer
	int refs;
	ShotState state;
	Device *device;
	Kernel *kernel;
	uint64_t number;
	Grid grid;
	uint8_t push[MAX_PUSH];
	char label[512];
	Piece *pieces;
	Picture *pictures;
	Bind *binds;
	int pieceCount, pictureCount, bindCount;
	VkBuffer staging;
	VkDeviceMemory memory;
	volatile uint8_t *mapped;
	size_t inFile; // bytes of it that are a file's; 0: it is the driver's memory
	VkDeviceSize total; // bytes of staging
	VkDeviceSize after; // where the memory after the dispatch begins
	bool early;         // the memory before is written already
};

// The state of the process. L guards the table, all objects and the log; it is
// never held while waiting for a device. settling guards submissions in flight
// and the writing of shots, and is taken first.
extern pthread_mutex_t L, settling;
extern struct Settings {
	char folder[4096];
	bool on, list, every;
	uint64_t shotBytes, totalBytes;
	uint32_t maxShots, nth;
	int rangeCount, shaderCount;
	struct { uint64_t first, last; } ranges[64];
	char *shaders[64];
} settings;

Device *deviceOf(const void *handle);
void *find(Device *d, Kind kind, uint64_t handle);
void *add(Device *d, Kind kind, uint64_t handle, size_t size);
void removeObject(Device *d, Kind kind, uint64_t handle);
void *keep(void *object);
void drop(void *object);
void dropAll(Device *d);
void dropCode(Code *c);
void clearCommands(Commands *c);
void eachAddressed(Device *d, void (*f)(Buffer *, void *), void *with);
LayoutBinding *bindingAt(Set *s, uint32_t number);


Layout *newLayout(Device *d, uint64_t handle, uint32_t n, const VkDescriptorSetLayout *sets, uint32_t m, const VkPushConstantRange *ranges);
Set *newSet(Device *d, uint64_t handle, SetLayout *layout);
void writeSet(Device *d, Set *set, const VkWriteDescriptorSet *w);
void writeTemplate(Device *d, Set *set, VkDescriptorUpdateTemplate handle, const char *data);

// capture.c: the log, one line an event; L is held.
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void flushNotes(void);
const char *plain(const char *text, char *out, size_t size); // without blanks and what breaks lines

// shot.c
Shot *beforeDispatch(Device *d, VkCommandBuffer handle, const Grid *grid);
void afterDispatch(Device *d, VkCommandBuffer handle, Shot *s);
void releaseShots(Commands *c);
void dropShot(Shot *s);

bool changedLate(const Shot *s);
void forget(Shot *s); // it never ran
void shotFile(const Shot *s, const char *suffix, char *out, size_t size);

// settle.c
void settleDevice(Device *d); // waits for all shots in flight
extern Device *devices;

#define COUNT(a) (sizeof(a) / sizeof *(a))

// ENTER begins a function of the surface; LOCKED does something with L held.
#define ENTER(handle) Device *d = deviceOf(handle); Next *next = &d->next
#define LOCKED(...) do { pthread_mutex_lock(&L); __VA_ARGS__; pthread_mutex_unlock(&L); } while (0)

static inline void *copyOf(const void *data, size_t size) {
	void *p = malloc(size ? size : 1);
	if (!p)
		abort();
	return size ? memcpy(p, data, size) : p;
}

// chained finds a structure in a pNext chain.
static inline const void *chained(const void *chain, VkStructureType type) {
	struct Node { VkStructureType type; const struct Node *next; };
	for (const struct Node *n = chain; n; n = n->next)
		if (n->type == type)
			return n;
	return NULL;
}

#endif
