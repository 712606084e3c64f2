// A Vulkan layer that makes calls fail. AMPDBG_FAULTS says which and how:
//
//	vkQueueSubmit=-4            every call returns VkResult -4, undone
//	vkQueueSubmit=-4@2          the second call of the process does
//	vkCreateComputePipelines=abort,vkDestroyDevice=hang
//
// What else than a number a call may do: abort, segv, hang, and exit (with
// status 7). Structures are those of vk_layer.h, declared by hand so that
// nothing needs to be installed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*Proc)(void);
typedef Proc (*GetProc)(void *, const char *);
// Handles, pointers, numbers: up to six arguments of a word each.
typedef intptr_t (*Call)(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);

typedef struct Link {
	struct Link *next;
	GetProc instanceProc; // the next layer's vkGetInstanceProcAddr
	GetProc proc;         // for devices, its vkGetDeviceProcAddr
} Link;
typedef struct Chained {
	int32_t sType;
	struct Chained *pNext;
	int32_t function; // 0: link is valid
	Link *link;
} Chained;
typedef struct { int32_t sType; void *pNext; uint32_t version; GetProc instanceProc, deviceProc, physicalProc; } Negotiation;

static GetProc nextInstanceProc, nextDeviceProc;
static void *instance;
static int32_t (*waitIdle)(void *);

// fault does what AMPDBG_FAULTS wants of the nth call of a name; it returns
// whether the call returns *result.
static int fault(const char *name, int n, intptr_t *result) {
	const char *s = getenv("AMPDBG_FAULTS");
	size_t length = strlen(name);
	for (; s && *s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
		char how[32] = "";
		int at = 0;
		if (strncmp(s, name, length) || s[length] != '=' || sscanf(s + length + 1, "%31[^@,]@%d", how, &at) < 1 || (at && at != n))
			continue;
		if (!strcmp(how, "abort"))
			abort();
		if (!strcmp(how, "segv"))
			*(volatile int *)16 = 0;
		if (!strcmp(how, "exit"))
			_exit(7);
		while (!strcmp(how, "hang"))
			pause();
		*result = atoi(how);
		return 1;
	}
	return 0;
}

enum { lost = -4 };

// waits reports whether a call waits for the device. What was lost runs
// nothing any more, so it then waits until that is so.
static int waits(const char *name) { return !strcmp(name, "vkWaitForFences") || !strcmp(name, "vkGetFenceStatus"); }

#define CALLS(X) \
	X(vkEnumeratePhysicalDevices, 0) \
	X(vkDestroyDevice, 1) X(vkAllocateMemory, 1) X(vkMapMemory, 1) X(vkCreateBuffer, 1) X(vkCreateImage, 1) X(vkCreateShaderModule, 1) \
	X(vkCreateComputePipelines, 1) X(vkQueueSubmit, 1) X(vkWaitForFences, 1) X(vkGetFenceStatus, 1)

#define CALL(name, device) \
	static Call next_##name; \
	static intptr_t name(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f) { \
		static int calls; \
		intptr_t result; \
		if (!fault(#name, ++calls, &result)) \
			return next_##name(a, b, c, d, e, f); \
		if (result == lost && waits(#name)) \
			waitIdle((void *)a); \
		return result; \
	}
CALLS(CALL)

static Link *take(const void *info, int32_t sType) {
	for (Chained *c = ((Chained *)info)->pNext; c; c = c->pNext)
		if (c->sType == sType && c->function == 0) {
			Link *l = c->link;
			c->link = l->next;
			return l;
		}
	return NULL;
}

static int32_t vkCreateInstance(const void *info, const void *allocator, void **out) {
	Link *l = take(info, 47);
	intptr_t result;
	static int calls;
	if (fault("vkCreateInstance", ++calls, &result))
		return result;
	if (!l)
		return -3;
	nextInstanceProc = l->instanceProc;
	int32_t r = ((int32_t (*)(const void *, const void *, void **))nextInstanceProc(NULL, "vkCreateInstance"))(info, allocator, out);
	if (!r) {
		instance = *out;
		next_vkEnumeratePhysicalDevices = (Call)nextInstanceProc(instance, "vkEnumeratePhysicalDevices");
	}
	return r;
}

static int32_t vkCreateDevice(void *physical, const void *info, const void *allocator, void **out) {
	Link *l = take(info, 48);
	intptr_t result;
	static int calls;
	if (fault("vkCreateDevice", ++calls, &result))
		return result;
	if (!l)
		return -3;
	nextDeviceProc = l->proc;
	int32_t r = ((int32_t (*)(void *, const void *, const void *, void **))l->instanceProc(instance, "vkCreateDevice"))(physical, info, allocator, out);
	if (r)
		return r;
#define NEXT(name, device) \
	if (device) \
		next_##name = (Call)nextDeviceProc(*out, #name);
	CALLS(NEXT)
	waitIdle = (int32_t (*)(void *))nextDeviceProc(*out, "vkDeviceWaitIdle");
	return 0;
}

static Proc deviceProc(void *device, const char *name) {
#define FIND(f, device) \
	if (device && !strcmp(name, #f)) \
		return (Proc)f;
	CALLS(FIND)
	if (!strcmp(name, "vkGetDeviceProcAddr"))
		return (Proc)deviceProc;
	return nextDeviceProc ? nextDeviceProc(device, name) : NULL;
}

static Proc instanceProc(void *of, const char *name) {
#define FIND_ANY(f, device) \
	if (!strcmp(name, #f)) \
		return (Proc)f;
	CALLS(FIND_ANY)
	FIND_ANY(vkCreateInstance, 0)
	FIND_ANY(vkCreateDevice, 0)
	if (!strcmp(name, "vkGetInstanceProcAddr"))
		return (Proc)instanceProc;
	if (!strcmp(name, "vkGetDeviceProcAddr"))
		return (Proc)deviceProc;
	return nextInstanceProc ? nextInstanceProc(of, name) : NULL;
}

int32_t vkNegotiateLoaderLayerInterfaceVersion(Negotiation *n) {
	n->version = 2;
	n->instanceProc = instanceProc;
	n->deviceProc = deviceProc;
	n->physicalProc = NULL;
	return 0;
}
