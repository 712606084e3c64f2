// A Vulkan program for the tests of capture: client CASE FOLDER. Each case does
// one thing that programs do, checks what the device left, and says "ok". The
// folder has the kernels, NAME.spv.
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "../layer/layer.h"

typedef struct { VkStructureType sType; const void *pNext; int32_t type; uint64_t initial; } SemaphoreType;
typedef struct { VkStructureType sType; const void *pNext; uint32_t flags; } SemaphoreInfo;
typedef struct { VkStructureType sType; const void *pNext; VkSemaphore semaphore; uint64_t value; } SemaphoreSignal;
typedef struct { VkStructureType sType; const void *pNext; uint32_t flags, mask; } AllocateFlags;
typedef struct { VkStructureType sType; void *pNext; VkBool32 b[64]; } Features;

#define MORE(X) \
	X(VkResult, CreateDescriptorPool, (VkDevice, const VkDescriptorPoolCreateInfo *, const void *, VkDescriptorPool *)) \
	X(VkResult, EndCommandBuffer, (VkCommandBuffer)) \
	X(void, GetDeviceQueue, (VkDevice, uint32_t, uint32_t, VkQueue *)) \
	X(VkResult, CreateSemaphore, (VkDevice, const SemaphoreInfo *, const void *, VkSemaphore *)) \
	X(void, DestroySemaphore, (VkDevice, VkSemaphore, const void *)) \
	X(VkResult, SignalSemaphore, (VkDevice, const SemaphoreSignal *)) \
	X(VkResult, BindImageMemory, (VkDevice, VkImage, VkDeviceMemory, VkDeviceSize)) \
	X(void, GetImageMemoryRequirements, (VkDevice, VkImage, VkMemoryRequirements *)) \
	X(void, CmdUpdateBuffer, (VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, const void *)) \
	X(void, CmdCopyBufferToImage, (VkCommandBuffer, VkBuffer, VkImage, VkImageLayout, uint32_t, const VkBufferImageCopy *)) \
	X(VkResult, ResetFences, (VkDevice, uint32_t, const VkFence *))

static struct {
#define MEMBER(type, name, params) type (*name) params;
	SURFACE(MEMBER) CALLED(MEMBER) MORE(MEMBER)
} vk;

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
static VkDescriptorPool sets;
static VkPhysicalDeviceMemoryProperties memoryTypes;
static const char *folder;
static VkResult lastResult;

static void fail(const char *format, ...) {
	va_list args;
	va_start(args, format);
	vprintf(format, args);
	printf("\n");
	exit(1);
}
#define CHECK(call) do { if ((lastResult = (call))) fail("%s: %d", #call, lastResult); } while (0)

static void lacking(void) {
	printf("lacking\n");
	exit(0);
}

// Setting up

static Proc (*openInstance(void))(VkInstance, const char *) {
	void *lib = dlopen("libvulkan.so.1", RTLD_NOW);
	Proc (*get)(VkInstance, const char *) = lib ? (Proc (*)(VkInstance, const char *))dlsym(lib, "vkGetInstanceProcAddr") : NULL;
	if (!get)
		fail("no Vulkan loader");
	VkApplicationInfo app = {.sType = 0, .pApplicationName = "a client", .apiVersion = 1u << 22 | 2 << 12};
	const char *utils = "VK_EXT_debug_utils";
	VkInstanceCreateInfo ici = {.sType = 1, .pApplicationInfo = &app, .enabledExtensionCount = 1, .ppEnabledExtensionNames = &utils};
	CHECK(((VkResult (*)(const VkInstanceCreateInfo *, const void *, VkInstance *))get(NULL, "vkCreateInstance"))(&ici, NULL, &instance));
	uint32_t n = 1;
	((VkResult (*)(VkInstance, uint32_t *, VkPhysicalDevice *))get(instance, "vkEnumeratePhysicalDevices"))(instance, &n, &physical);
	if (!n)
		fail("no device");
	return get;
}

static void open_(bool addresses, bool late, bool robust) {
	Proc (*get)(VkInstance, const char *) = openInstance();
	float priority = 1;
	VkDeviceQueueCreateInfo q = {.sType = 2, .queueCount = 1, .pQueuePriorities = &priority};
	Features timeline = {.sType = 1000207000, .b = {1}};
	Features address = {.sType = 1000257000, .pNext = &timeline, .b = {1}};
	Features sync2 = {.sType = 1000314007, .pNext = addresses ? &address : &timeline, .b = {1}};
	Features inlined = {.sType = 1000138000, .pNext = &sync2, .b = {1}};
	Features indexing = {.sType = 1000161001, .pNext = &inlined};
	if (late)
		indexing.b[13] = indexing.b[16] = indexing.b[17] = 1; // storage buffer update after bind; update unused; partially bound
	VkPhysicalDeviceFeatures2 features = {.sType = 1000059000, .pNext = &indexing, .features = {.robustBufferAccess = robust}};
	const char *extensions[] = {"VK_KHR_push_descriptor", "VK_KHR_synchronization2", "VK_EXT_inline_uniform_block"};
	VkDeviceCreateInfo dci = {.sType = 3, .pNext = &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &q, .enabledExtensionCount = COUNT(extensions),
		.ppEnabledExtensionNames = extensions};
	VkResult r = ((VkResult (*)(VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *))get(instance, "vkCreateDevice"))(physical, &dci, NULL, &device);
	if (r == -7) { // only the cases that need one of them lack something then
		dci.enabledExtensionCount = 0;
		r = ((VkResult (*)(VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *))get(instance, "vkCreateDevice"))(physical, &dci, NULL, &device);
	}
	if (r == -7 || r == -8) // an extension or a feature is not there
		lacking();
	CHECK(r);
	Proc (*proc)(VkDevice, const char *) = (Proc (*)(VkDevice, const char *))get(instance, "vkGetDeviceProcAddr");
#define LOAD(type, name, params) vk.name = (type (*) params)proc(device, "vk" #name);
	SURFACE(LOAD) CALLED(LOAD) MORE(LOAD)
#define LOAD_ALIAS(name, suffix) \
	if (!vk.name) \
		*(Proc *)&vk.name = proc(device, "vk" #name suffix);
	ALIASES(LOAD_ALIAS)
	((void (*)(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *))get(instance, "vkGetPhysicalDeviceMemoryProperties"))(physical, &memoryTypes);
	vk.GetDeviceQueue(device, 0, 0, &queue);
	CHECK(vk.CreateCommandPool(device, &(VkCommandPoolCreateInfo){.sType = 39, .flags = 2}, NULL, &pool));
	VkDescriptorPoolSize sizes[] = {{1, 8}, {3, 8}, {4, 8}, {5, 8}, {7, 4096}, {9, 8}, {1000138000, 64}};
	struct { VkStructureType sType; const void *pNext; uint32_t blocks; } blocks = {1000138003, NULL, 4};
	VkDescriptorPoolCreateInfo dp = {.sType = 33, .pNext = &blocks, .flags = late ? 2 : 0, .maxSets = 2048, .poolSizeCount = COUNT(sizes), .pPoolSizes = sizes};
	CHECK(vk.CreateDescriptorPool(device, &dp, NULL, &sets));
}

typedef struct { VkBuffer handle; VkDeviceMemory memory; uint32_t *data; VkDeviceAddress address; VkDeviceSize size; } Memory;

enum { USAGE = 0x100 | 0x20 | 0x10 | 0x4 | 0x8 | 0x2 }; // indirect, storage, uniform, both texels, transfer target; no transfer source

static VkDeviceMemory allocate(VkMemoryRequirements r, bool address) {
	VkMemoryAllocateInfo a = {.sType = 5, .allocationSize = r.size};
	AllocateFlags flags = {.sType = 1000060000, .flags = 2};
	a.pNext = address ? &flags : NULL;
	while (!(r.memoryTypeBits >> a.memoryTypeIndex & 1) || (memoryTypes.memoryTypes[a.memoryTypeIndex].propertyFlags & 6) != 6)
		a.memoryTypeIndex++;
	VkDeviceMemory m;
	CHECK(vk.AllocateMemory(device, &a, NULL, &m));
	return m;
}

static Memory memory(VkDeviceSize size, bool address) {
	Memory m = {.size = size};
	VkBufferCreateInfo info = {.sType = 12, .size = size, .usage = USAGE | (address ? 0x20000 : 0)};
	CHECK(vk.CreateBuffer(device, &info, NULL, &m.handle));
	VkMemoryRequirements r;
	vk.GetBufferMemoryRequirements(device, m.handle, &r);
	m.memory = allocate(r, address);
	CHECK(vk.BindBufferMemory(device, m.handle, m.memory, 0));
	CHECK(vk.MapMemory(device, m.memory, 0, ~0ull, 0, (void **)&m.data));
	memset(m.data, 0, size);
	if (address && !vk.GetBufferDeviceAddress)
		lacking();
	if (address)
		m.address = vk.GetBufferDeviceAddress(device, &(VkBufferDeviceAddressInfo){.sType = 1000244001, .buffer = m.handle});
	return m;
}

typedef struct { VkDescriptorSetLayout set; VkPipelineLayout layout; VkPipeline pipeline; } Made;

// make makes a pipeline: NAME.spv with descriptors of the types given, each of a
// count, and push constants.
static Made make(const char *name, int count, const VkDescriptorType *types, const uint32_t *counts, uint32_t push, uint32_t flags, const VkDescriptorBindingFlags *late, uint32_t factor) {
	Made m = {0};
	VkDescriptorSetLayoutBinding b[8];
	for (int i = 0; i < count; i++)
		b[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = types[i], .descriptorCount = counts ? counts[i] : 1, .stageFlags = 0x20};
	VkDescriptorSetLayoutBindingFlagsCreateInfo bf = {.sType = 1000161000, .bindingCount = count, .pBindingFlags = late};
	VkDescriptorSetLayoutCreateInfo sl = {.sType = 32, .pNext = late ? &bf : NULL, .flags = flags | (late ? 2 : 0), .bindingCount = count, .pBindings = b};
	CHECK(vk.CreateDescriptorSetLayout(device, &sl, NULL, &m.set));
	VkPushConstantRange range = {0x20, 0, push};
	VkPipelineLayoutCreateInfo pl = {.sType = 30, .setLayoutCount = 1, .pSetLayouts = &m.set, .pushConstantRangeCount = push ? 1 : 0, .pPushConstantRanges = &range};
	CHECK(vk.CreatePipelineLayout(device, &pl, NULL, &m.layout));
	char path[4096];
	static uint32_t code[1 << 16];
	snprintf(path, sizeof path, "%s/%s.spv", folder, name);
	FILE *f = fopen(path, "rb");
	if (!f)
		fail("no %s", path);
	VkShaderModuleCreateInfo sm = {.sType = 16, .codeSize = fread(code, 1, sizeof code, f), .pCode = code};
	fclose(f);
	VkShaderModule module;
	CHECK(vk.CreateShaderModule(device, &sm, NULL, &module));
	VkSpecializationMapEntry e = {7, 0, 4};
	VkSpecializationInfo spec = {1, &e, 4, &factor};
	VkComputePipelineCreateInfo cp = {.sType = 29, .stage = {.sType = 18, .stage = 0x20, .module = module, .pName = "main", .pSpecializationInfo = factor ? &spec : NULL},
		.layout = m.layout};
	CHECK(vk.CreateComputePipelines(device, 0, 1, &cp, NULL, &m.pipeline));
	vk.DestroyShaderModule(device, module, NULL); // as most programs do
	return m;
}

static const VkDescriptorType TWO_BUFFERS[] = {7, 7};
static Made adder(void) { return make("add", 2, TWO_BUFFERS, NULL, 8, 0, NULL, 3); }

static VkDescriptorSet newDescriptors(const Made *m) {
	VkDescriptorSet s;
	VkDescriptorSetAllocateInfo a = {.sType = 34, .descriptorPool = sets, .descriptorSetCount = 1, .pSetLayouts = &m->set};
	CHECK(vk.AllocateDescriptorSets(device, &a, &s));
	return s;
}

static VkWriteDescriptorSet writeOf(VkDescriptorSet s, uint32_t binding, VkDescriptorType type, const VkDescriptorBufferInfo *b) {
	return (VkWriteDescriptorSet){.sType = 35, .dstSet = s, .dstBinding = binding, .descriptorCount = 1, .descriptorType = type, .pBufferInfo = b};
}

static void bindBuffer(VkDescriptorSet s, uint32_t binding, VkBuffer b, VkDeviceSize offset, VkDeviceSize range) {
	VkDescriptorBufferInfo info = {b, offset, range};
	VkWriteDescriptorSet w = writeOf(s, binding, 7, &info);
	vk.UpdateDescriptorSets(device, 1, &w, 0, NULL);
}

static VkCommandBuffer record(int level, uint32_t flags) {
	VkCommandBuffer c;
	VkCommandBufferAllocateInfo a = {.sType = 40, .commandPool = pool, .level = level, .commandBufferCount = 1};
	CHECK(vk.AllocateCommandBuffers(device, &a, &c));
	VkCommandBufferInheritanceInfo inherit = {.sType = 41};
	CHECK(vk.BeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = 42, .flags = flags, .pInheritanceInfo = &inherit}));
	return c;
}

static void bind(VkCommandBuffer c, const Made *m, VkDescriptorSet s) {
	vk.CmdBindPipeline(c, 1, m->pipeline);
	if (s)
		vk.CmdBindDescriptorSets(c, 1, m->layout, 0, 1, &s, 0, NULL);
}

static void push(VkCommandBuffer c, const Made *m, uint32_t n, uint32_t k) {
	uint32_t values[] = {n, k};
	vk.CmdPushConstants(c, m->layout, 0x20, 0, 8, values);
}

static void between(VkCommandBuffer c) {
	VkMemoryBarrier b = {.sType = 46, .srcAccessMask = 0x1000 | 0x40, .dstAccessMask = 0x20 | 0x40 | 0x1000 | 0x2000 | 1};
	vk.CmdPipelineBarrier(c, 0x1000 | 0x800, 0x800 | 0x1000 | 0x4000 | 2, 0, 1, &b, 0, NULL, 0, NULL);
}

static void submit(VkCommandBuffer c) {
	VkFence f;
	CHECK(vk.CreateFence(device, &(VkFenceCreateInfo){.sType = 8}, NULL, &f));
	CHECK(vk.QueueSubmit(queue, 1, &(VkSubmitInfo){.sType = 4, .commandBufferCount = 1, .pCommandBuffers = &c}, f));
	CHECK(vk.WaitForFences(device, 1, &f, 1, 60000000000u));
	vk.DestroyFence(device, f, NULL);
}

static void run(VkCommandBuffer c) {
	between(c);
	CHECK(vk.EndCommandBuffer(c));
	submit(c);
}

static void expect(const Memory *m, int i, uint32_t want) {
	if (m->data[i] != want)
		fail("element %d: expected %u, found %u", i, want, m->data[i]);
}

static void name(VkObjectType type, uint64_t handle, const char *name) {
	if (vk.SetDebugUtilsObjectNameEXT)
		vk.SetDebugUtilsObjectNameEXT(device, &(VkDebugUtilsObjectNameInfoEXT){.sType = 1000128000, .objectType = type, .objectHandle = handle, .pObjectName = name});
}

// Cases

static Memory in, out;
static Made kernel;
static VkDescriptorSet both;

// simple makes the kernel that most cases run: out = out * 3 + in + k.
static void simple(void) {
	open_(false, false, false);
	kernel = adder();
	in = memory(1024, false);
	out = memory(1024, false);
	for (int i = 0; i < 256; i++)
		in.data[i] = i;
	both = newDescriptors(&kernel);
	bindBuffer(both, 0, in.handle, 0, ~0ull);
	bindBuffer(both, 1, out.handle, 0, ~0ull);
}

// What the first of two dispatches leaves, the second sees; and what a command
// of the same command buffer wrote before, and the host did not.
static void order(void) {
	simple();
	name(19, kernel.pipeline, "scale and add");
	VkCommandBuffer c = record(0, 1);
	VkDebugUtilsLabelEXT frame = {.sType = 1000128002, .pLabelName = "frame 1"}, pass = {.sType = 1000128002, .pLabelName = "sum"};
	vk.CmdBeginDebugUtilsLabelEXT(c, &frame);
	vk.CmdBeginDebugUtilsLabelEXT(c, &pass);
	uint32_t ten = 10;
	vk.CmdUpdateBuffer(c, out.handle, 0, 4, &ten);
	vk.CmdFillBuffer(c, out.handle, 4, 1020, 5);
	between(c);
	bind(c, &kernel, both);
	push(c, &kernel, 256, 1);
	vk.CmdDispatch(c, 4, 1, 1);
	between(c);
	push(c, &kernel, 100, 7);
	vk.CmdDispatch(c, 4, 1, 1);
	vk.CmdEndDebugUtilsLabelEXT(c);
	vk.CmdEndDebugUtilsLabelEXT(c);
	run(c);
	expect(&out, 0, (10 * 3 + 0 + 1) * 3 + 0 + 7);
	expect(&out, 99, (5 * 3 + 99 + 1) * 3 + 99 + 7);
	expect(&out, 200, 5 * 3 + 200 + 1);
}

static void twice(void) {
	simple();
	VkCommandBuffer c = record(0, 0);
	bind(c, &kernel, both);
	push(c, &kernel, 256, 1);
	vk.CmdDispatch(c, 4, 1, 1);
	run(c);
	expect(&out, 3, 4);
	in.data[3] = 1000;
	submit(c);
	expect(&out, 3, 4 * 3 + 1000 + 1);
}

static void secondary(void) {
	simple();
	VkCommandBuffer s = record(1, 0), c = record(0, 1);
	bind(s, &kernel, both);
	push(s, &kernel, 256, 1);
	vk.CmdDispatch(s, 4, 1, 1);
	CHECK(vk.EndCommandBuffer(s));
	vk.CmdExecuteCommands(c, 1, &s);
	run(c);
	expect(&out, 3, 4);
}

static void template(void) {
	simple();
	VkDescriptorUpdateTemplateEntry e[] = {{0, 0, 1, 7, 0, 0}, {1, 0, 1, 7, sizeof(VkDescriptorBufferInfo), 0}};
	VkDescriptorUpdateTemplateCreateInfo info = {.sType = 1000085000, .descriptorUpdateEntryCount = 2, .pDescriptorUpdateEntries = e, .descriptorSetLayout = kernel.set};
	VkDescriptorUpdateTemplate t;
	CHECK(vk.CreateDescriptorUpdateTemplate(device, &info, NULL, &t));
	VkDescriptorBufferInfo data[] = {{in.handle, 256, 512}, {out.handle, 0, ~0ull}};
	VkDescriptorSet s = newDescriptors(&kernel);
	vk.UpdateDescriptorSetWithTemplate(device, s, t, data);
	VkCommandBuffer c = record(0, 1);
	bind(c, &kernel, s);
	push(c, &kernel, 128, 1);
	vk.CmdDispatch(c, 2, 1, 1);
	run(c);
	expect(&out, 3, 64 + 3 + 1);
}

static void pushed(void) {
	open_(false, false, false);
	kernel = make("add", 2, TWO_BUFFERS, NULL, 8, 1, NULL, 3);
	in = memory(1024, false);
	out = memory(1024, false);
	for (int i = 0; i < 256; i++)
		in.data[i] = i;
	if (!vk.CmdPushDescriptorSet)
		lacking();
	VkCommandBuffer c = record(0, 1);
	bind(c, &kernel, 0);
	VkDescriptorBufferInfo data[] = {{in.handle, 0, ~0ull}, {out.handle, 0, ~0ull}};
	VkWriteDescriptorSet w[] = {writeOf(0, 0, 7, &data[0]), writeOf(0, 1, 7, &data[1])};
	vk.CmdPushDescriptorSet(c, 1, kernel.layout, 0, 2, w);
	push(c, &kernel, 256, 1);
	vk.CmdDispatch(c, 4, 1, 1);
	between(c);
	VkDescriptorUpdateTemplateEntry e[] = {{0, 0, 1, 7, 0, 0}, {1, 0, 1, 7, sizeof(VkDescriptorBufferInfo), 0}};
	VkDescriptorUpdateTemplateCreateInfo info = {.sType = 1000085000, .descriptorUpdateEntryCount = 2, .pDescriptorUpdateEntries = e, .templateType = 1,
		.descriptorSetLayout = kernel.set, .pipelineBindPoint = 1, .pipelineLayout = kernel.layout};
	VkDescriptorUpdateTemplate t;
	CHECK(vk.CreateDescriptorUpdateTemplate(device, &info, NULL, &t));
	data[0].offset = 256;
	vk.CmdPushDescriptorSetWithTemplate(c, t, kernel.layout, 0, data);
	push(c, &kernel, 128, 1);
	vk.CmdDispatch(c, 2, 1, 1);
	run(c);
	expect(&out, 3, 4 * 3 + 67 + 1);
}

static void dynamic(void) {
	open_(false, false, false);
	kernel = make("add", 2, (VkDescriptorType[]){9, 9}, NULL, 8, 0, NULL, 3);
	in = memory(1024, false);
	for (int i = 0; i < 256; i++)
		in.data[i] = i;
	both = newDescriptors(&kernel);
	VkDescriptorBufferInfo info = {in.handle, 0, 256};
	VkWriteDescriptorSet w[] = {writeOf(both, 0, 9, &info), writeOf(both, 1, 9, &info)};
	vk.UpdateDescriptorSets(device, 2, w, 0, NULL);
	VkCommandBuffer c = record(0, 1);
	vk.CmdBindPipeline(c, 1, kernel.pipeline);
	vk.CmdBindDescriptorSets(c, 1, kernel.layout, 0, 1, &both, 2, (uint32_t[]){256, 768});
	push(c, &kernel, 64, 1);
	vk.CmdDispatch(c, 1, 1, 1);
	run(c);
	expect(&in, 192 + 3, 195 * 3 + 64 + 3 + 1);
}

static void indirect(void) {
	simple();
	Memory args = memory(64, false);
	VkCommandBuffer c = record(0, 1);
	vk.CmdUpdateBuffer(c, args.handle, 16, 12, (uint32_t[]){4, 1, 1});
	between(c);
	bind(c, &kernel, both);
	push(c, &kernel, 256, 1);
	vk.CmdDispatchIndirect(c, args.handle, 16);
	run(c);
	expect(&out, 255, 256);
}

static VkSemaphore timeline(void) {
	SemaphoreType type = {1000207002, NULL, 1, 0};
	VkSemaphore s;
	CHECK(vk.CreateSemaphore(device, &(SemaphoreInfo){9, &type, 0}, NULL, &s));
	return s;
}

// The host signals what the submission waits for after it: a wait inside the
// submission would never end.
static void waitfirst(void) {
	simple();
	VkSemaphore s = timeline();
	VkCommandBuffer c = record(0, 1);
	bind(c, &kernel, both);
	push(c, &kernel, 256, 1);
	vk.CmdDispatch(c, 4, 1, 1);
	between(c);
	CHECK(vk.EndCommandBuffer(c));
	uint64_t one = 1, two = 2;
	VkPipelineStageFlags stage = 0x10000;
	VkTimelineSemaphoreSubmitInfo t = {.sType = 1000207003, .waitSemaphoreValueCount = 1, .pWaitSemaphoreValues = &one, .signalSemaphoreValueCount = 1, .pSignalSemaphoreValues = &two};
	VkSubmitInfo info = {.sType = 4, .pNext = &t, .waitSemaphoreCount = 1, .pWaitSemaphores = &s, .pWaitDstStageMask = &stage, .commandBufferCount = 1,
		.pCommandBuffers = &c, .signalSemaphoreCount = 1, .pSignalSemaphores = &s};
	CHECK(vk.QueueSubmit(queue, 1, &info, 0));
	in.data[5] = 500; // before it runs
	CHECK(vk.SignalSemaphore(device, &(SemaphoreSignal){1000207005, NULL, s, 1}));
	CHECK(vk.WaitSemaphores(device, &(VkSemaphoreWaitInfo){.sType = 1000207004, .semaphoreCount = 1, .pSemaphores = &s, .pValues = &two}, 60000000000u));
	expect(&out, 5, 501);
	printf("ok\n");
	fflush(stdout);
	_exit(0); // right after the wait, as some programs do
}

static void submit2(void) {
	simple();
	VkSemaphore s = timeline();
	VkCommandBuffer c = record(0, 1);
	bind(c, &kernel, both);
	push(c, &kernel, 256, 1);
	vk.CmdDispatch(c, 4, 1, 1);
	between(c);
	CHECK(vk.EndCommandBuffer(c));
	VkCommandBufferSubmitInfo cb = {.sType = 1000314006, .commandBuffer = c};
	VkSemaphoreSubmitInfo signal = {.sType = 1000314005, .semaphore = s, .value = 4, .stageMask = 0x10000};
	VkSubmitInfo2 info = {.sType = 1000314004, .commandBufferInfoCount = 1, .pCommandBufferInfos = &cb, .signalSemaphoreInfoCount = 1, .pSignalSemaphoreInfos = &signal};
	CHECK(vk.QueueSubmit2(queue, 1, &info, 0));
	uint64_t v = 0;
	for (int i = 0; v < 4 && i < 60000; i++) {
		CHECK(vk.GetSemaphoreCounterValue(device, s, &v));
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	expect(&out, 3, 4);
	printf("ok\n");
	fflush(stdout);
	_exit(0);
}

// Two buffers that share memory: 256 bytes of one are the first of the other.
static void aliased(void) {
	simple();
	Memory whole = memory(2048, false);
	VkBuffer b;
	CHECK(vk.CreateBuffer(device, &(VkBufferCreateInfo){.sType = 12, .size = 512, .usage = USAGE}, NULL, &b));
	VkMemoryRequirements r;
	vk.GetBufferMemoryRequirements(device, b, &r);
	CHECK(vk.BindBufferMemory(device, b, whole.memory, 768));
	for (int i = 0; i < 512; i++)
		whole.data[i] = i;
	VkDescriptorSet s = newDescriptors(&kernel);
	bindBuffer(s, 0, whole.handle, 0, 1024);
	bindBuffer(s, 1, b, 0, 512);
	VkCommandBuffer c = record(0, 1);
	bind(c, &kernel, s);
	push(c, &kernel, 64, 1);
	vk.CmdDispatch(c, 1, 1, 1);
	run(c);
	expect(&whole, 192, 192 * 3 + 0 + 1);
	expect(&whole, 192 + 63, 255 * 3 + 63 + 1);
	vk.DestroyBuffer(device, b, NULL);
}

static void address(void) {
	open_(true, false, false);
	Memory nodes[3], unused = memory(4096, true);
	for (int i = 0; i < 3; i++)
		nodes[i] = memory(64 + 16 * i, true);
	for (int i = 0; i < 3; i++) {
		VkDeviceAddress next = nodes[(i + 1) % 3].address + (i == 1 ? 16 : 0);
		memcpy(nodes[i].data + (i == 2 ? 4 : 0), &next, 8);
		nodes[i].data[(i == 2 ? 4 : 0) + 2] = 100 * i;
	}
	unused.data[0] = 1;
	Made list = make("list", 0, NULL, NULL, 16, 0, NULL, 0);
	VkCommandBuffer c = record(0, 1);
	bind(c, &list, 0);
	struct { VkDeviceAddress first; uint32_t n, zero; } args = {nodes[0].address, 3, 0};
	vk.CmdPushConstants(c, list.layout, 0x20, 0, 16, &args);
	vk.CmdDispatch(c, 1, 1, 1);
	run(c);
	expect(&nodes[0], 2, 1);
	expect(&nodes[1], 2, 101);
	expect(&nodes[2], 6, 201);
}

// The kernel follows an address to nowhere, which a driver that runs on the
// processor does not survive.
static void crashed(void) {
	open_(true, false, false);
	Memory node = memory(64, true);
	VkDeviceAddress nowhere = 0x123400000000;
	memcpy(node.data, &nowhere, 8);
	node.data[2] = 7;
	Made list = make("list", 0, NULL, NULL, 16, 0, NULL, 0);
	VkCommandBuffer c = record(0, 1);
	bind(c, &list, 0);
	struct { VkDeviceAddress first; uint32_t n, zero; } args = {node.address, 2, 0};
	vk.CmdPushConstants(c, list.layout, 0x20, 0, 16, &args);
	vk.CmdDispatch(c, 1, 1, 1);
	run(c);
}

// lateCase records before the descriptors are what they will be.
static void lateCase(bool change) {
	open_(false, true, false);
	VkDescriptorBindingFlags flags[] = {0, 1 | 4};
	kernel = make("add", 2, TWO_BUFFERS, NULL, 8, 0, flags, 3);
	in = memory(1024, false);
	out = memory(1024, false);
	Memory other = memory(1024, false);
	for (int i = 0; i < 256; i++)
		in.data[i] = i;
	both = newDescriptors(&kernel);
	bindBuffer(both, 0, in.handle, 0, ~0ull);
	bindBuffer(both, 1, change ? other.handle : out.handle, 0, ~0ull);
	VkCommandBuffer c = record(0, 1);
	bind(c, &kernel, both);
	push(c, &kernel, 256, 1);
	vk.CmdDispatch(c, 4, 1, 1);
	between(c);
	CHECK(vk.EndCommandBuffer(c));
	if (change)
		bindBuffer(both, 1, out.handle, 0, ~0ull);
	submit(c);
	expect(&out, 3, 4);
}
static void late(void) { lateCase(false); }
static void changed(void) { lateCase(true); }

// A set whose buffer is gone, another of which is written by a copy.
static void stale(void) {
	simple();
	Memory gone = memory(256, false);
	VkDescriptorSet s = newDescriptors(&kernel), t = newDescriptors(&kernel);
	bindBuffer(t, 0, gone.handle, 0, ~0ull);
	VkCopyDescriptorSet copies[] = {{.sType = 36, .srcSet = both, .dstSet = s, .descriptorCount = 1},
		{.sType = 36, .srcSet = both, .srcBinding = 1, .dstSet = s, .dstBinding = 1, .descriptorCount = 1}};
	vk.UpdateDescriptorSets(device, 0, NULL, 2, copies);
	vk.DestroyBuffer(device, gone.handle, NULL);
	Memory again = memory(256, false); // perhaps by the same handle
	(void)again;
	VkCommandBuffer c = record(0, 1);
	bind(c, &kernel, s);
	push(c, &kernel, 256, 1);
	vk.CmdDispatch(c, 4, 1, 1);
	run(c);
	expect(&out, 3, 4);
}

static void pools(void) {
	simple();
	for (int i = 0; i < 20; i++) {
		VkCommandBuffer c = record(0, 1);
		bind(c, &kernel, both);
		push(c, &kernel, 256, 1);
		vk.CmdDispatch(c, 4, 1, 1);
		if (i % 4 == 3) {
			CHECK(vk.EndCommandBuffer(c)); // and never submitted
		} else
			run(c);
		if (i % 3 == 2) {
			vk.DestroyCommandPool(device, pool, NULL);
			CHECK(vk.CreateCommandPool(device, &(VkCommandPoolCreateInfo){.sType = 39, .flags = 2}, NULL, &pool));
		} else
			CHECK(vk.ResetCommandPool(device, pool, 0));
	}
	vk.DestroyDescriptorPool(device, sets, NULL);
	vk.DestroyPipeline(device, kernel.pipeline, NULL);
	vk.DestroyPipelineLayout(device, kernel.layout, NULL);
	vk.DestroyDescriptorSetLayout(device, kernel.set, NULL);
	vk.DestroyCommandPool(device, pool, NULL);
	Memory *all[] = {&in, &out};
	for (int i = 0; i < 2; i++) {
		vk.DestroyBuffer(device, all[i]->handle, NULL);
		vk.FreeMemory(device, all[i]->memory, NULL);
	}
	vk.DestroyDevice(device, NULL);
}

static void relayoutImage(VkCommandBuffer c, VkImage i, uint32_t layers, VkImageLayout from, VkImageLayout to) {
	VkImageMemoryBarrier b = {.sType = 45, .srcAccessMask = 0x1000, .dstAccessMask = 0x20 | 0x40 | 0x1000, .oldLayout = from, .newLayout = to,
		.srcQueueFamilyIndex = ~0u, .dstQueueFamilyIndex = ~0u, .image = i, .subresourceRange = {1, 0, 1, 0, layers}};
	vk.CmdPipelineBarrier(c, 0x1000, 0x800 | 0x1000, 0, 0, NULL, 0, NULL, 1, &b);
}

static VkImageView imageWith(VkCommandBuffer c, VkImageUsageFlags usage, VkImageLayout layout, VkImageViewType type, VkExtent3D extent, uint32_t layers, const Memory *texels) {
	VkImageCreateInfo info = {.sType = 14, .flags = type == 3 ? 0x10 : 0, .imageType = 1, .format = 100, .extent = extent, .mipLevels = 1, .arrayLayers = layers,
		.samples = 1, .usage = usage | 2};
	VkImage i;
	CHECK(vk.CreateImage(device, &info, NULL, &i));
	VkMemoryRequirements r;
	vk.GetImageMemoryRequirements(device, i, &r);
	CHECK(vk.BindImageMemory(device, i, allocate(r, false), 0));
	relayoutImage(c, i, layers, 0, 7);
	VkBufferImageCopy region = {.imageSubresource = {1, 0, 0, layers}, .imageExtent = info.extent};
	vk.CmdCopyBufferToImage(c, texels->handle, i, 7, 1, &region);
	relayoutImage(c, i, layers, 7, layout);
	VkImageView v;
	CHECK(vk.CreateImageView(device, &(VkImageViewCreateInfo){.sType = 15, .image = i, .viewType = type, .format = 100, .subresourceRange = {1, 0, 1, 0, layers}}, NULL, &v));
	return v;
}

// imageCase runs a kernel on a sampled and a storage image.
static void imageCase(const char *kernel, VkImageViewType sampledType, VkImageViewType storageType, VkExtent3D extent, uint32_t sampledLayers, uint32_t layers, uint32_t x, uint32_t z) {
	open_(false, false, false);
	Made m = make(kernel, 2, (VkDescriptorType[]){1, 3}, NULL, 0, 0, NULL, 0);
	Memory from = memory(512, false);
	for (int i = 0; i < 128; i++)
		((float *)from.data)[i] = i;
	vk.DestroyBuffer(device, from.handle, NULL); // for one with the usage that the copy needs
	CHECK(vk.CreateBuffer(device, &(VkBufferCreateInfo){.sType = 12, .size = 512, .usage = 1}, NULL, &from.handle));
	VkMemoryRequirements r;
	vk.GetBufferMemoryRequirements(device, from.handle, &r);
	CHECK(vk.BindBufferMemory(device, from.handle, from.memory, 0));
	VkCommandBuffer c = record(0, 1);
	VkImageView sampled = imageWith(c, 4, 5, sampledType, extent, sampledLayers, &from), storage = imageWith(c, 8, 1, storageType, extent, layers, &from);
	VkSampler sampler;
	CHECK(vk.CreateSampler(device, &(VkSamplerCreateInfo){.sType = 31, .addressModeU = 2, .addressModeV = 2, .addressModeW = 2}, NULL, &sampler));
	VkDescriptorSet s = newDescriptors(&m);
	VkDescriptorImageInfo info[] = {{sampler, sampled, 5}, {0, storage, 1}};
	VkWriteDescriptorSet w[] = {writeOf(s, 0, 1, NULL), writeOf(s, 1, 3, NULL)};
	w[0].pImageInfo = &info[0];
	w[1].pImageInfo = &info[1];
	vk.UpdateDescriptorSets(device, 2, w, 0, NULL);
	bind(c, &m, s);
	vk.CmdDispatch(c, x, 1, z);
	run(c);
}
static void images(void) { imageCase("image", 1, 1, (VkExtent3D){16, 8, 1}, 1, 1, 2, 1); }
static void layers(void) { imageCase("layers", 3, 5, (VkExtent3D){4, 4, 1}, 6, 3, 1, 3); }

static void texels(void) {
	open_(false, false, false);
	Made m = make("texel", 3, (VkDescriptorType[]){4, 5, 1000138000}, (uint32_t[]){1, 1, 16}, 0, 0, NULL, 0);
	Memory a = memory(1024, false), b = memory(256, false);
	for (int i = 0; i < 256; i++)
		a.data[i] = i;
	VkBufferView from, to;
	CHECK(vk.CreateBufferView(device, &(VkBufferViewCreateInfo){.sType = 13, .buffer = a.handle, .format = 98, .offset = 256, .range = 128}, NULL, &from));
	CHECK(vk.CreateBufferView(device, &(VkBufferViewCreateInfo){.sType = 13, .buffer = b.handle, .format = 98, .range = ~0ull}, NULL, &to));
	VkDescriptorSet s = newDescriptors(&m);
	uint32_t block[4] = {1, 2, 30, 4};
	VkWriteDescriptorSetInlineUniformBlock bytes = {.sType = 1000138002, .dataSize = 16, .pData = block};
	VkWriteDescriptorSet w[] = {writeOf(s, 0, 4, NULL), writeOf(s, 1, 5, NULL), writeOf(s, 2, 1000138000, NULL)};
	w[0].pTexelBufferView = &from;
	w[1].pTexelBufferView = &to;
	w[2].pNext = &bytes;
	w[2].descriptorCount = 16;
	vk.UpdateDescriptorSets(device, 3, w, 0, NULL);
	VkCommandBuffer c = record(0, 1);
	bind(c, &m, s);
	vk.CmdDispatch(c, 1, 1, 1);
	run(c);
	expect(&b, 3, 64 + 3 + 30);
}

// A kernel that reads past its range, as robust access allows.
static void robust(void) {
	open_(false, false, true);
	kernel = adder();
	in = memory(1024, false);
	out = memory(1024, false);
	both = newDescriptors(&kernel);
	bindBuffer(both, 0, in.handle, 0, 512);
	bindBuffer(both, 1, out.handle, 0, ~0ull);
	in.data[3] = 30;
	VkCommandBuffer c = record(0, 1);
	bind(c, &kernel, both);
	push(c, &kernel, 256, 1);
	vk.CmdDispatch(c, 4, 1, 1);
	run(c);
	expect(&out, 3, 31);
	expect(&out, 200, 1);
}

static void many(void) {
	simple();
	for (int k = 0; k < 10; k++) {
		VkCommandBuffer c = record(0, 1);
		bind(c, &kernel, both);
		push(c, &kernel, 0, 1);
		for (int i = 0; i < 1000; i++)
			vk.CmdDispatch(c, 1, 1, 1);
		run(c);
	}
}

static pthread_mutex_t queueLock = PTHREAD_MUTEX_INITIALIZER;

static void *recorder(void *number) {
	VkCommandPool own;
	CHECK(vk.CreateCommandPool(device, &(VkCommandPoolCreateInfo){.sType = 39}, NULL, &own));
	for (int i = 0; i < 20; i++) {
		VkCommandBuffer c;
		VkCommandBufferAllocateInfo a = {.sType = 40, .commandPool = own, .commandBufferCount = 1};
		CHECK(vk.AllocateCommandBuffers(device, &a, &c));
		CHECK(vk.BeginCommandBuffer(c, &(VkCommandBufferBeginInfo){.sType = 42, .flags = 1}));
		bind(c, &kernel, both);
		push(c, &kernel, 0, (uint32_t)(uintptr_t)number);
		for (int k = 0; k < 20; k++)
			vk.CmdDispatch(c, 1, 1, 1);
		CHECK(vk.EndCommandBuffer(c));
		VkFence f;
		CHECK(vk.CreateFence(device, &(VkFenceCreateInfo){.sType = 8}, NULL, &f));
		pthread_mutex_lock(&queueLock);
		VkResult r = vk.QueueSubmit(queue, 1, &(VkSubmitInfo){.sType = 4, .commandBufferCount = 1, .pCommandBuffers = &c}, f);
		pthread_mutex_unlock(&queueLock);
		CHECK(r);
		CHECK(vk.WaitForFences(device, 1, &f, 1, 60000000000u));
		vk.DestroyFence(device, f, NULL);
		vk.FreeCommandBuffers(device, own, 1, &c);
	}
	vk.DestroyCommandPool(device, own, NULL);
	return NULL;
}

static void threads(void) {
	simple();
	pthread_t t[8];
	for (uintptr_t i = 0; i < COUNT(t); i++)
		pthread_create(&t[i], NULL, recorder, (void *)i);
	for (size_t i = 0; i < COUNT(t); i++)
		pthread_join(t[i], NULL);
}

// The program is killed while a dispatch runs.
static void killed(void) {
	open_(false, false, false);
	Made m = make("spin", 1, (VkDescriptorType[]){7}, NULL, 4, 0, NULL, 0);
	out = memory(64, false);
	for (int i = 0; i < 16; i++)
		out.data[i] = i + 1;
	VkDescriptorSet s = newDescriptors(&m);
	bindBuffer(s, 0, out.handle, 0, ~0ull);
	VkCommandBuffer c = record(0, 1);
	bind(c, &m, s);
	uint32_t n = 4000000000u;
	vk.CmdPushConstants(c, m.layout, 0x20, 0, 4, &n);
	vk.CmdDispatch(c, 1, 1, 1);
	between(c);
	CHECK(vk.EndCommandBuffer(c));
	CHECK(vk.QueueSubmit(queue, 1, &(VkSubmitInfo){.sType = 4, .commandBufferCount = 1, .pCommandBuffers = &c}, 0));
	nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
	printf("ok\n");
	fflush(stdout);
	kill(getpid(), SIGKILL);
}

static void nodispatch(void) {
	simple();
	VkCommandBuffer c = record(0, 1);
	run(c);
}

static void nodevice(void) { openInstance(); }

int main(int count, char **args) {
	static const struct { const char *name; void (*run)(void); } cases[] = {{"order", order}, {"twice", twice}, {"secondary", secondary}, {"template", template},
		{"pushed", pushed}, {"dynamic", dynamic}, {"indirect", indirect}, {"waitfirst", waitfirst}, {"submit2", submit2}, {"aliased", aliased},
		{"address", address}, {"late", late}, {"changed", changed}, {"stale", stale}, {"pools", pools}, {"images", images}, {"layers", layers}, {"texels", texels},
		{"robust", robust}, {"many", many}, {"threads", threads}, {"killed", killed}, {"crashed", crashed}, {"nodispatch", nodispatch}, {"nodevice", nodevice}};
	folder = count > 2 ? args[2] : ".";
	for (size_t i = 0; i < COUNT(cases); i++)
		if (count > 1 && !strcmp(args[1], cases[i].name)) {
			cases[i].run();
			printf("ok\n");
			return 0;
		}
	fail("no such case");
}
