//go:build cgo && linux && (amd64 || arm64)

package driver

/*
#cgo LDFLAGS: -ldl -lpthread
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"errors"
	"sync"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// ErrNoLoader says that the system has no Vulkan loader.
var ErrNoLoader = errors.New("no Vulkan loader (libvulkan.so.1)")

var loader struct {
	sync.Mutex
	get  unsafe.Pointer // vkGetInstanceProcAddr; nil until loaded
	init bool           // the binding's function pointers are set
}

// load opens the Vulkan loader once. A failure is tried again at the next
// call: installing the loader does not need a new process.
func load() (unsafe.Pointer, error) {
	loader.Lock()
	defer loader.Unlock()
	if loader.get != nil {
		return loader.get, nil
	}
	why := (*C.char)(C.calloc(1, 256))
	defer C.free(unsafe.Pointer(why))
	get := C.loader_open(why, 256)
	if get == nil {
		return nil, &loaderError{C.GoString(why)}
	}
	vk.SetGetInstanceProcAddr(get)
	if err := vk.Init(); err != nil {
		return nil, &loaderError{err.Error()}
	}
	loader.get = get
	return get, nil
}

// bind sets the binding's function pointers, which are process-wide, from the
// first instance. They serve every later instance too: what the loader hands
// out for a core command is its own trampoline, which finds the driver
// through the handle that is passed.
func bind(instance vk.Instance) error {
	loader.Lock()
	defer loader.Unlock()
	if loader.init {
		return nil
	}
	if err := vk.InitInstance(instance); err != nil {
		return err
	}
	loader.init = true
	return nil
}

type loaderError struct{ why string }

func (e *loaderError) Error() string { return ErrNoLoader.Error() + ": " + e.why }
func (e *loaderError) Unwrap() error { return ErrNoLoader }
