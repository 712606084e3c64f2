//go:build cgo && linux && (amd64 || arm64)

#include "log.h"
#include <stdlib.h>
#include <string.h>

enum { incomplete = 5, outOfHostMemory = -1, initializationFailed = -3 };

#define PROC(type, get, handle, name) ((type)((GetProc)(get))((handle), (name)))

// strings makes an array of pointers to the n NUL-terminated strings that
// follow one another at s.
static const char **strings(const char *s, uint32_t n) {
	const char **p = calloc(n ? n : 1, sizeof *p);
	for (uint32_t i = 0; p && i < n; i++, s += strlen(s) + 1)
		p[i] = s;
	return p;
}

uint32_t instance_version(void *get) {
	Result (*version)(uint32_t *) = PROC(Result (*)(uint32_t *), get, NULL, "vkEnumerateInstanceVersion");
	uint32_t v = 0;
	if (!version || version(&v))
		return 0;
	return v;
}

Result instance_layers(void *get, uint32_t *n, LayerProperties **out) {
	typedef Result (*Fn)(uint32_t *, LayerProperties *);
	Fn f = PROC(Fn, get, NULL, "vkEnumerateInstanceLayerProperties");
	*out = NULL;
	*n = 0;
	if (!f)
		return initializationFailed;
	for (;;) {
		Result r = f(n, NULL);
		if (r)
			return r;
		free(*out);
		*out = calloc(*n + 1, sizeof **out);
		if (!*out)
			return outOfHostMemory;
		r = f(n, *out);
		if (r != incomplete)
			return r;
	}
}

Result instance_extensions(void *get, const char *layer, uint32_t *n, ExtensionProperties **out) {
	typedef Result (*Fn)(const char *, uint32_t *, ExtensionProperties *);
	Fn f = PROC(Fn, get, NULL, "vkEnumerateInstanceExtensionProperties");
	*out = NULL;
	*n = 0;
	if (!f)
		return initializationFailed;
	for (;;) {
		Result r = f(layer, n, NULL);
		if (r)
			return r;
		free(*out);
		*out = calloc(*n + 1, sizeof **out);
		if (!*out)
			return outOfHostMemory;
		r = f(layer, n, *out);
		if (r != incomplete)
			return r;
	}
}

Result instance_create(void *get, uint32_t api, const char *layers, uint32_t nl, const char *exts, uint32_t ne, MessageLog *log, Instance *out) {
	typedef Result (*Create)(const InstanceCreateInfo *, const void *, Handle *);
	typedef Result (*CreateMessenger)(Handle, const DebugMessengerCreateInfo *, const void *, Handle *);
	memset(out, 0, sizeof *out);
	Create create = PROC(Create, get, NULL, "vkCreateInstance");
	if (!create)
		return initializationFailed;
	ApplicationInfo app = {.sType = 0, .application = "ampdbg", .engine = "ampdbg", .apiVersion = api};
	// Warnings and errors, and of those only the validation's own: the
	// loader's general remarks are no fault of the launch.
	DebugMessengerCreateInfo debug = {.sType = 1000128004, .severity = 0x1100, .types = 0x2, .callback = log_callback, .user = log};
	const char **l = strings(layers, nl), **e = strings(exts, ne);
	Result r = outOfHostMemory;
	if (l && e) {
		InstanceCreateInfo info = {.sType = 1, .pNext = log ? &debug : NULL, .app = &app, .layerCount = nl, .layers = l, .extensionCount = ne, .extensions = e};
		r = create(&info, NULL, &out->handle);
	}
	free(l);
	free(e);
	if (r)
		return r;
	out->get = (GetProc)get;
	out->destroy = out->get(out->handle, "vkDestroyInstance");
	out->features2 = out->get(out->handle, "vkGetPhysicalDeviceFeatures2");
	out->properties2 = out->get(out->handle, "vkGetPhysicalDeviceProperties2");
	out->families = out->get(out->handle, "vkGetPhysicalDeviceQueueFamilyProperties");
	out->extensions = out->get(out->handle, "vkEnumerateDeviceExtensionProperties");
	out->createDevice = out->get(out->handle, "vkCreateDevice");
	out->deviceProc = out->get(out->handle, "vkGetDeviceProcAddr");
	if (!out->destroy || !out->features2 || !out->properties2 || !out->families || !out->extensions || !out->createDevice || !out->deviceProc) {
		if (out->destroy)
			instance_destroy(out);
		return initializationFailed;
	}
	if (log) {
		CreateMessenger messenger = (CreateMessenger)out->get(out->handle, "vkCreateDebugUtilsMessengerEXT");
		out->destroyMessenger = out->get(out->handle, "vkDestroyDebugUtilsMessengerEXT");
		r = messenger && out->destroyMessenger ? messenger(out->handle, &debug, NULL, &out->messenger) : initializationFailed;
		if (r)
			instance_destroy(out);
	}
	return r;
}

void instance_destroy(Instance *i) {
	if (i->messenger)
		((void (*)(Handle, Handle, const void *))i->destroyMessenger)(i->handle, i->messenger, NULL);
	((void (*)(Handle, const void *))i->destroy)(i->handle, NULL);
	memset(i, 0, sizeof *i);
}

void physical_features2(Instance *i, Handle pd, void *chain, Bool32 *base) {
	struct { int32_t sType; void *pNext; Bool32 features[55]; } f = {.sType = 1000059000, .pNext = chain};
	((void (*)(Handle, void *))i->features2)(pd, &f);
	if (base)
		memcpy(base, f.features, sizeof f.features);
}

void physical_properties2(Instance *i, Handle pd, void *chain) {
	// The base structure is read through the binding; here it is only room.
	struct { int32_t sType; void *pNext; uint64_t properties[103]; } p = {.sType = 1000059001, .pNext = chain};
	((void (*)(Handle, void *))i->properties2)(pd, &p);
}

Result physical_extensions(Instance *i, Handle pd, uint32_t *n, ExtensionProperties **out) {
	typedef Result (*Fn)(Handle, const char *, uint32_t *, ExtensionProperties *);
	*out = NULL;
	*n = 0;
	for (;;) {
		Result r = ((Fn)i->extensions)(pd, NULL, n, NULL);
		if (r)
			return r;
		free(*out);
		*out = calloc(*n + 1, sizeof **out);
		if (!*out)
			return outOfHostMemory;
		r = ((Fn)i->extensions)(pd, NULL, n, *out);
		if (r != incomplete)
			return r;
	}
}

void physical_families(Instance *i, Handle pd, uint32_t *n, QueueFamilyProperties **out) {
	typedef void (*Fn)(Handle, uint32_t *, QueueFamilyProperties *);
	*n = 0;
	((Fn)i->families)(pd, n, NULL);
	*out = calloc(*n + 1, sizeof **out);
	if (!*out)
		*n = 0;
	else
		((Fn)i->families)(pd, n, *out);
}
