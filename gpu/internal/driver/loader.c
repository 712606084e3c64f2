//go:build cgo && linux && (amd64 || arm64)

#include "shim.h"
#include <dlfcn.h>
#include <stdio.h>

void *loader_open(char *why, size_t whySize) {
	// libvulkan.so.1 is what systems install; the bare name comes with
	// development packages only.
	static const char *const names[] = {"libvulkan.so.1", "libvulkan.so"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		const char *err = lib ? NULL : dlerror();
		if (lib) {
			void *get = dlsym(lib, "vkGetInstanceProcAddr");
			if (get)
				return get;
			err = dlerror();
			dlclose(lib);
		}
		if (i == 0)
			snprintf(why, whySize, "%s", err ? err : "no vkGetInstanceProcAddr in it");
	}
	return NULL;
}
