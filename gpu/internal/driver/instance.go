//go:build cgo && linux && (amd64 || arm64)

package driver

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// validationLayer is the name of Khronos' validation layer.
const validationLayer = "VK_LAYER_KHRONOS_validation"

// ErrNoValidation says that the validation layer is not installed.
var ErrNoValidation = errors.New(validationLayer + " is not installed")

// apiVersion is the version that instances ask for: the newest whose
// features this package knows.
const apiVersion = 1<<22 | 3<<12

// Instance is a connection to the loader. One without validation is kept for
// the whole process; one with validation belongs to one accelerator, so that
// its messages do too.
type Instance struct {
	c          *C.Instance
	handle     vk.Instance
	log        *C.MessageLog // nil without validation
	Version    uint32        // the loader's
	Extensions []string      // that the loader and its drivers offer
}

// Message is one message of the validation layer.
type Message struct {
	Error bool   // an error; otherwise a warning
	ID    string // VUID-...
	Text  string
}

// NewInstance makes an instance, with the validation layer if validate is
// set.
func NewInstance(validate bool) (*Instance, error) {
	get, err := load()
	if err != nil {
		return nil, err
	}
	i := &Instance{Version: uint32(C.instance_version(get))}
	if i.Version == 0 {
		return nil, errors.New("the Vulkan loader is older than Vulkan 1.1")
	}
	var n C.uint32_t
	var exts *C.ExtensionProperties
	r := C.instance_extensions(get, nil, &n, &exts)
	i.Extensions = extensionNames(exts, n)
	C.free(unsafe.Pointer(exts))
	if err := check("vkEnumerateInstanceExtensionProperties", vk.Result(r)); err != nil {
		return nil, err
	}
	var layers, enable []string
	if validate {
		if layers, enable, err = validation(get, i.Extensions); err != nil {
			return nil, err
		}
		i.log = C.log_new()
	}
	cl, ce := packStrings(layers), packStrings(enable)
	defer C.free(unsafe.Pointer(cl))
	defer C.free(unsafe.Pointer(ce))
	i.c = (*C.Instance)(C.calloc(1, C.sizeof_Instance))
	r = C.instance_create(get, apiVersion, cl, C.uint32_t(len(layers)), ce, C.uint32_t(len(enable)), i.log, i.c)
	if err := check("vkCreateInstance", vk.Result(r)); err != nil {
		C.free(unsafe.Pointer(i.c))
		i.freeLog()
		return nil, err
	}
	i.handle = vk.Instance(i.c.handle)
	if err := bind(i.handle); err != nil {
		i.Destroy()
		return nil, fmt.Errorf("resolving Vulkan's functions: %w", err)
	}
	return i, nil
}

// validation gives the layers and instance extensions to enable for
// validation with messages.
func validation(get unsafe.Pointer, loaderExts []string) (layers, exts []string, err error) {
	var n C.uint32_t
	var props *C.LayerProperties
	r := C.instance_layers(get, &n, &props)
	defer C.free(unsafe.Pointer(props))
	if err := check("vkEnumerateInstanceLayerProperties", vk.Result(r)); err != nil {
		return nil, nil, err
	}
	found := slices.ContainsFunc(unsafe.Slice(props, int(n)), func(p C.LayerProperties) bool {
		return C.GoString(&p.name[0]) == validationLayer
	})
	if !found {
		return nil, nil, ErrNoValidation
	}
	const debugUtils = "VK_EXT_debug_utils"
	if !slices.Contains(loaderExts, debugUtils) {
		name := C.CString(validationLayer)
		defer C.free(unsafe.Pointer(name))
		var own *C.ExtensionProperties
		r := C.instance_extensions(get, name, &n, &own)
		defer C.free(unsafe.Pointer(own))
		if vk.Result(r) != vk.Success || !slices.Contains(extensionNames(own, n), debugUtils) {
			return nil, nil, fmt.Errorf("%s has no %s: its messages cannot be gathered", validationLayer, debugUtils)
		}
	}
	return []string{validationLayer}, []string{debugUtils}, nil
}

// Destroy gives the instance back; nothing made from it may be in use.
func (i *Instance) Destroy() {
	C.instance_destroy(i.c)
	C.free(unsafe.Pointer(i.c))
	i.c = nil
	i.freeLog()
}

func (i *Instance) freeLog() {
	if i.log != nil {
		C.log_free(i.log)
		i.log = nil
	}
}

// Messages takes the validation messages gathered since the last call,
// oldest first.
func (i *Instance) Messages() []Message {
	if i.log == nil {
		return nil
	}
	var dropped C.uint64_t
	list := C.log_take(i.log, &dropped)
	defer C.message_free(list)
	var out []Message
	for m := list; m != nil; m = m.next {
		out = append(out, Message{Error: m.severity >= 0x1000, ID: C.GoString(m.id), Text: C.GoString(m.text)})
	}
	if dropped > 0 {
		out = append(out, Message{Text: fmt.Sprintf("%d more messages were dropped", uint64(dropped))})
	}
	return out
}

// Physical lists the devices in the loader's order.
func (i *Instance) Physical() ([]*Physical, error) {
	for {
		var n uint32
		if err := check("vkEnumeratePhysicalDevices", vk.EnumeratePhysicalDevices(i.handle, &n, nil)); err != nil {
			return nil, err
		}
		handles := make([]vk.PhysicalDevice, n)
		if n == 0 {
			return nil, nil
		}
		r := vk.EnumeratePhysicalDevices(i.handle, &n, handles)
		if r == vk.Incomplete {
			continue
		}
		if err := check("vkEnumeratePhysicalDevices", r); err != nil {
			return nil, err
		}
		var out []*Physical
		for _, h := range handles[:n] {
			p, err := newPhysical(i, h)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		return out, nil
	}
}

func extensionNames(p *C.ExtensionProperties, n C.uint32_t) []string {
	var out []string
	if p != nil {
		for _, e := range unsafe.Slice(p, int(n)) {
			out = append(out, C.GoString(&e.name[0]))
		}
	}
	return out
}

// packStrings copies strings into C memory one after another, each closed by
// a NUL; the caller frees it.
func packStrings(s []string) *C.char {
	n := 1
	for _, v := range s {
		n += len(v) + 1
	}
	p := C.calloc(1, C.size_t(n))
	b := unsafe.Slice((*byte)(p), n)
	for _, v := range s {
		copy(b, v)
		b = b[len(v)+1:]
	}
	return (*C.char)(p)
}
