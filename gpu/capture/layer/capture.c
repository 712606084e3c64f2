// The way into the layer: the loader's chains, the settings, the log.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layer.h"

pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
struct Settings settings;
Device *devices;

// Settings

static uint64_t number(const char *s) { return strtoull(s, NULL, 10); }

// stop is for a child that was forked and goes on with the program's memory.
static void stop(void) { settings.on = false; }

// readSettings takes AMPDBG_CAPTURE apart: lines of a key, a blank and a value.
// The folder is that of all processes; each has one of its own inside.
static void readSettings(void) {
	static bool done;
	const char *s = getenv("AMPDBG_CAPTURE");
	if (done || !s)
		return;
	done = true;
	settings.shotBytes = 256u << 20, settings.totalBytes = 4ull << 30, settings.maxShots = 64;
	char *copy = strdup(s), *next = copy;
	for (char *line; copy && (line = strsep(&next, "\n"));) {
		char *value = strchr(line, ' ');
		if (!value)
			continue;
		*value++ = 0;
		if (!strcmp(line, "folder"))
			snprintf(settings.folder, sizeof settings.folder, "%s/%d", value, getpid());
		else if (!strcmp(line, "list"))
			settings.list = number(value);
		else if (!strcmp(line, "every"))
			settings.every = number(value);
		else if (!strcmp(line, "shot-bytes"))
			settings.shotBytes = number(value);
		else if (!strcmp(line, "total-bytes"))
			settings.totalBytes = number(value);
		else if (!strcmp(line, "shots"))
			settings.maxShots = number(value);
		else if (!strcmp(line, "nth"))
			settings.nth = number(value);
		else if (!strcmp(line, "shader") && settings.shaderCount < (int)COUNT(settings.shaders))
			settings.shaders[settings.shaderCount++] = strdup(value);
		else if (!strcmp(line, "range") && settings.rangeCount < (int)COUNT(settings.ranges)) {
			char *last = strchr(value, ' ');
			settings.ranges[settings.rangeCount].first = number(value);
			settings.ranges[settings.rangeCount++].last = last ? number(last + 1) : number(value);
		}
	}
	free(copy);
	pthread_atfork(NULL, NULL, stop);
	settings.on = settings.folder[0] && (!mkdir(settings.folder, 0777) || errno == EEXIST);
}

// The log

static char noted[1 << 16];
static size_t notedSize;

void flushNotes(void) {
	static int file = -2;
	if (!notedSize || !settings.on)
		return;
	if (file == -2) {
		char path[4200];
		snprintf(path, sizeof path, "%s/log", settings.folder);
		file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	}
	for (size_t at = 0; at < notedSize;) {
		ssize_t n = write(file, noted + at, notedSize - at);
		if (n < 0 && errno != EINTR)
			break;
		at += n > 0 ? n : 0;
	}
	notedSize = 0;
}

void note(const char *format, ...) {
	if (notedSize > sizeof noted - 4096)
		flushNotes();
	va_list args;
	va_start(args, format);
	int n = vsnprintf(noted + notedSize, sizeof noted - notedSize, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < sizeof noted - notedSize)
		notedSize += n;
}

const char *plain(const char *text, char *out, size_t size) {
	size_t n = 0;
	for (const unsigned char *p = (const unsigned char *)text; p && *p && n + 4 < size; p++)
		if (*p <= ' ' || *p == '%' || *p == 0x7f)
			n += sprintf(out + n, "%%%02x", *p);
		else
			out[n++] = *p;
	if (n == 0)
		out[n++] = '-';
	out[n] = 0;
	return out;
}

// Chains

typedef Proc (*GetInstanceProc)(VkInstance, const char *);
typedef Proc (*GetDeviceProc)(VkDevice, const char *);
typedef struct Link { struct Link *next; GetInstanceProc instance; Proc device; } Link;
typedef struct Instance { struct Instance *link; void *key; VkInstance handle; GetInstanceProc getProc; uint32_t version; } Instance;
typedef struct {
	uint32_t apiVersion, driverVersion, vendor, id;
	int32_t type;
	char name[256];
	uint8_t uuid[16];
	struct { uint8_t before[424]; float timestampPeriod; uint8_t after[76]; } limits __attribute__((aligned(8)));
	uint32_t sparse[5];
} Properties;
typedef struct { VkStructureType sType; void *pNext; Properties properties; } Properties2;

static Instance *instances;

static void *keyOf(const void *handle) { return *(void *const *)handle; }

static Device *knownDevice(const void *handle) {
	pthread_mutex_lock(&L);
	Device *d = devices;
	while (d && d->key != keyOf(handle))
		d = d->link;
	pthread_mutex_unlock(&L);
	return d;
}

Device *deviceOf(const void *handle) {
	Device *d = knownDevice(handle);
	if (!d)
		abort(); // no device came through here with this handle
	return d;
}

static Instance *instanceOf(const void *handle) {
	pthread_mutex_lock(&L);
	Instance *i = instances;
	while (i && i->key != keyOf(handle))
		i = i->link;
	pthread_mutex_unlock(&L);
	return i;
}

static Link *linkOf(const void *chain, VkStructureType type) {
	struct Node { VkStructureType type; const struct Node *next; int32_t function; Link *link; };
	for (const struct Node *n = chain; n; n = n->next)
		if (n->type == type && n->function == 0)
			return ((struct Node *)n)->link;
	return NULL;
}

// advance takes this layer out of the chain that it hands on.
static void advance(const void *chain, VkStructureType type) {
	struct Node { VkStructureType type; struct Node *next; int32_t function; Link *link; };
	for (struct Node *n = (struct Node *)chain; n; n = n->next)
		if (n->type == type && n->function == 0) {
			n->link = n->link->next;
			return;
		}
}

enum { INSTANCE_LINK = 47, DEVICE_LINK = 48, INITIALIZATION_FAILED = -3 };

static VkResult CreateInstance(const VkInstanceCreateInfo *info, const void *allocator, VkInstance *out) {
	Link *l = linkOf(info->pNext, INSTANCE_LINK);
	if (!l)
		return INITIALIZATION_FAILED;
	GetInstanceProc getProc = l->instance;
	VkResult (*create)(const VkInstanceCreateInfo *, const void *, VkInstance *) = (void *)getProc(NULL, "vkCreateInstance");
	advance(info->pNext, INSTANCE_LINK);
	VkResult r = create ? create(info, allocator, out) : INITIALIZATION_FAILED;
	if (r)
		return r;
	Instance *i = calloc(1, sizeof *i);
	if (!i)
		abort();
	pthread_mutex_lock(&L);
	readSettings();
	const VkApplicationInfo *a = info->pApplicationInfo;
	*i = (Instance){instances, keyOf(*out), *out, getProc, a ? a->apiVersion : 0};
	instances = i;
	char word[512];
	note("instance %u %s\n", a ? a->apiVersion : 0, plain(a ? a->pApplicationName : NULL, word, sizeof word));
	flushNotes();
	pthread_mutex_unlock(&L);
	return r;
}

static void DestroyInstance(VkInstance instance, const void *allocator) {
	void *key = instance ? keyOf(instance) : NULL;
	Instance *i = instance ? instanceOf(instance) : NULL;
	if (!i)
		return;
	((void (*)(VkInstance, const void *))(void *)i->getProc(instance, "vkDestroyInstance"))(instance, allocator);
	pthread_mutex_lock(&L);
	for (Instance **at = &instances; *at; at = &(*at)->link)
		if ((*at)->key == key) {
			*at = i->link;
			free(i);
			break;
		}
	flushNotes();
	pthread_mutex_unlock(&L);
}

// about gathers what a shot says of the device.
static void about(Device *d, Instance *i, const VkDeviceCreateInfo *info) {
	void (*properties)(VkPhysicalDevice, Properties *) = (void *)i->getProc(i->handle, "vkGetPhysicalDeviceProperties");
	void (*properties2)(VkPhysicalDevice, Properties2 *) = (void *)i->getProc(i->handle, "vkGetPhysicalDeviceProperties2");
	void (*families)(VkPhysicalDevice, uint32_t *, VkQueueFamilyProperties *) = (void *)i->getProc(i->handle, "vkGetPhysicalDeviceQueueFamilyProperties");
	Properties p;
	VkPhysicalDeviceSubgroupProperties subgroup = {.sType = 1000094000};
	VkPhysicalDeviceSubgroupSizeControlProperties control = {.sType = 1000225000, .pNext = &subgroup};
	VkPhysicalDeviceDriverProperties driver = {.sType = 1000196000, .pNext = &control};
	properties(d->physical, &p);
	if (properties2 && p.apiVersion >= (1u << 22 | 2 << 12)) // 1.2: the driver's; structures that it does not know stay as they are
		properties2(d->physical, &(Properties2){.sType = 1000059001, .pNext = &driver});
	d->timestampPeriod = p.limits.timestampPeriod;
	VkQueueFamilyProperties list[COUNT(d->timestampBits)];
	d->families = COUNT(list);
	families(d->physical, &d->families, list);
	for (uint32_t f = 0; f < d->families; f++)
		d->timestampBits[f] = list[f].timestampValidBits;
	const VkPhysicalDeviceFeatures2 *features2 = chained(info->pNext, 1000059000);
	const VkPhysicalDeviceFeatures *features = info->pEnabledFeatures ? info->pEnabledFeatures : features2 ? &features2->features : NULL;
	const VkPhysicalDeviceRobustness2FeaturesEXT *robust2 = chained(info->pNext, 1000286000);
	char name[300], driverName[300], driverInfo[300];
	snprintf(d->about, sizeof d->about, "device %s %s %s\nsubgroup %u %u %u %u %u\nrobust %d\n", plain(p.name, name, sizeof name),
		plain(driver.driverName, driverName, sizeof driverName), plain(driver.driverInfo, driverInfo, sizeof driverInfo), subgroup.subgroupSize,
		control.minSubgroupSize ? control.minSubgroupSize : subgroup.subgroupSize, control.maxSubgroupSize ? control.maxSubgroupSize : subgroup.subgroupSize,
		subgroup.supportedStages, subgroup.supportedOperations, (features && features->robustBufferAccess) || (robust2 && robust2->robustBufferAccess2));
}

enum { CPU = 4, VERSION_1_1 = 1 << 22 | 1 << 12 };
static const char *const hostMemory = "VK_EXT_external_memory_host";

// takesFiles reports whether a device runs in this process and imports memory.
static bool takesFiles(Instance *i, VkPhysicalDevice physical) {
	void (*properties)(VkPhysicalDevice, Properties *) = (void *)i->getProc(i->handle, "vkGetPhysicalDeviceProperties");
	void (*properties2)(VkPhysicalDevice, Properties2 *) = (void *)i->getProc(i->handle, "vkGetPhysicalDeviceProperties2");
	VkResult (*extensions)(VkPhysicalDevice, const char *, uint32_t *, VkExtensionProperties *) = (void *)i->getProc(i->handle, "vkEnumerateDeviceExtensionProperties");
	Properties p;
	uint32_t n = 0;
	properties(physical, &p);
	if (p.type != CPU || p.apiVersion < VERSION_1_1 || i->version < VERSION_1_1 || !properties2 || extensions(physical, NULL, &n, NULL))
		return false;
	VkExtensionProperties *list = calloc(n ? n : 1, sizeof *list);
	bool has = false;
	if (list && extensions(physical, NULL, &n, list) >= 0)
		for (uint32_t k = 0; k < n; k++)
			has |= !strcmp(list[k].extensionName, hostMemory);
	free(list);
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {.sType = 1000178002};
	if (has)
		properties2(physical, &(Properties2){.sType = 1000059001, .pNext = &host});
	return has && host.minImportedHostPointerAlignment <= 4096;
}

static VkResult CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const void *allocator, VkDevice *out) {
	Link *l = linkOf(info->pNext, DEVICE_LINK);
	Instance *i = instanceOf(physical);
	if (!l || !i)
		return INITIALIZATION_FAILED;
	VkResult (*create)(VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *) = (void *)l->instance(i->handle, "vkCreateDevice");
	GetDeviceProc getProc = (GetDeviceProc)l->device;
	advance(info->pNext, DEVICE_LINK);
	VkDeviceCreateInfo changed = *info;
	bool inFiles = takesFiles(i, physical);
	const char **names = inFiles ? calloc(info->enabledExtensionCount + 1, sizeof *names) : NULL;
	inFiles = names;
	if (inFiles) {
		bool asked = false;
		for (uint32_t k = 0; k < info->enabledExtensionCount; k++)
			asked |= !strcmp(names[k] = info->ppEnabledExtensionNames[k], hostMemory);
		names[info->enabledExtensionCount] = hostMemory;
		changed.ppEnabledExtensionNames = names;
		changed.enabledExtensionCount += !asked;
	}
	VkResult r = create ? create(physical, &changed, allocator, out) : INITIALIZATION_FAILED;
	free(names);
	if (r)
		return r;
	Device *d = calloc(1, sizeof *d);
	if (!d)
		abort();
	*d = (Device){.key = keyOf(*out), .handle = *out, .physical = physical, .getProc = getProc};
#define LOAD(type, name, params) d->next.name = (void *)getProc(*out, "vk" #name);
	SURFACE(LOAD) CALLED(LOAD)
#define LOAD_ALIAS(name, suffix) \
	if (!d->next.name) \
		d->next.name = (void *)getProc(*out, "vk" #name suffix);
	ALIASES(LOAD_ALIAS)
	d->inFiles = inFiles && d->next.GetMemoryHostPointerPropertiesEXT;
	d->imageFormat = (void *)i->getProc(i->handle, "vkGetPhysicalDeviceImageFormatProperties");
	void (*memory)(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties *) = (void *)i->getProc(i->handle, "vkGetPhysicalDeviceMemoryProperties");
	memory(physical, &d->memory);
	about(d, i, info);
	pthread_mutex_lock(&settling);
	pthread_mutex_lock(&L);
	static uint32_t numbers;
	d->number = numbers++;
	d->link = devices;
	devices = d;
	note("%s", d->about);
	flushNotes();
	pthread_mutex_unlock(&L);
	pthread_mutex_unlock(&settling);
	return r;
}

void DestroyDevice(VkDevice device, const void *allocator) {
	if (!device)
		return;
	Device *d = deviceOf(device);
	settleDevice(d);
	pthread_mutex_lock(&settling);
	pthread_mutex_lock(&L);
	dropAll(d);
	for (Device **at = &devices; *at; at = &(*at)->link)
		if (*at == d) {
			*at = d->link;
			break;
		}
	flushNotes();
	pthread_mutex_unlock(&L);
	pthread_mutex_unlock(&settling);
	d->next.DestroyDevice(device, allocator);
	free(d);
}

static Proc instanceProc(VkInstance instance, const char *name);

static Proc ours(const char *name) {
	static const struct { const char *name; Proc proc; } list[] = {
#define ENTRY(type, name, params) {"vk" #name, (Proc)name},
		SURFACE(ENTRY)
#define ALIAS(name, suffix) {"vk" #name suffix, (Proc)name},
		ALIASES(ALIAS)
	};
	for (size_t i = 0; i < COUNT(list); i++)
		if (!strcmp(list[i].name, name))
			return list[i].proc;
	return NULL;
}

// deviceProc gives the layer's function only where the device has it: programs
// test features so.
static Proc deviceProc(VkDevice device, const char *name) {
	if (!strcmp(name, "vkGetDeviceProcAddr"))
		return (Proc)deviceProc;
	Device *d = knownDevice(device);
	Proc next = d ? d->getProc(device, name) : NULL, own = ours(name);
	return next && own ? own : next;
}

static Proc instanceProc(VkInstance instance, const char *name) {
	static const struct { const char *name; Proc proc; } list[] = {{"vkGetInstanceProcAddr", (Proc)instanceProc}, {"vkCreateInstance", (Proc)CreateInstance},
		{"vkDestroyInstance", (Proc)DestroyInstance}, {"vkCreateDevice", (Proc)CreateDevice}, {"vkGetDeviceProcAddr", (Proc)deviceProc}};
	for (size_t i = 0; i < COUNT(list); i++)
		if (!strcmp(list[i].name, name))
			return list[i].proc;
	Instance *i = instance ? instanceOf(instance) : NULL;
	Proc next = i ? i->getProc(instance, name) : NULL, own = ours(name);
	return next && own ? own : next;
}

typedef struct { int32_t sType; void *pNext; uint32_t version; GetInstanceProc instance; GetDeviceProc device; Proc physical; } Negotiation;

__attribute__((visibility("default"))) VkResult vkNegotiateLoaderLayerInterfaceVersion(Negotiation *n) {
	if (n->version < 2)
		return INITIALIZATION_FAILED;
	n->version = 2;
	n->instance = instanceProc;
	n->device = deviceProc;
	n->physical = NULL;
	return 0;
}
