//go:build cgo && linux && (amd64 || arm64)

package driver

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"slices"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Device is a logical device with one queue, made with exactly the features
// and extensions that were asked for. Its methods are not safe for concurrent
// use, except where they say so.
type Device struct {
	Physical *Physical
	c        *C.Device
	handle   vk.Device
	pool     vk.CommandPool
	address  bool // buffers may have their address taken
}

// NewDevice makes a logical device. The names must be ones that the device
// has (Features, Extensions); extensions that a feature's structure belongs
// to are enabled with it.
func (p *Physical) NewDevice(features, extensions []string) (*Device, error) {
	var c chain
	defer c.free()
	base := make([]C.Bool32, len(coreFeatures))
	for i, name := range coreFeatures {
		if slices.Contains(features, name) {
			base[i] = 1
		}
	}
	exts := slices.Clone(extensions)
	for i := range featureStructs {
		f := &featureStructs[i]
		if !f.on(p.API, p.Extensions) || !slices.ContainsFunc(f.names, func(n string) bool { return slices.Contains(features, n) }) {
			continue
		}
		payload := c.add(f.sType, len(f.names))
		for k, name := range f.names {
			if slices.Contains(features, name) {
				payload[k] = 1
			}
		}
		if f.extension != "" {
			exts = append(exts, f.extension)
		}
	}
	slices.Sort(exts)
	exts = slices.Compact(exts)
	ce := packStrings(exts)
	defer C.free(unsafe.Pointer(ce))

	d := &Device{Physical: p, c: (*C.Device)(C.calloc(1, C.sizeof_Device)), address: slices.Contains(features, "bufferDeviceAddress")}
	r := C.device_create(p.instance.c, C.Handle(p.handle), C.uint32_t(p.Family), c.head(), &base[0], ce, C.uint32_t(len(exts)), d.c)
	if err := check("vkCreateDevice", vk.Result(r)); err != nil {
		C.free(unsafe.Pointer(d.c))
		return nil, err
	}
	d.handle = vk.Device(d.c.handle)
	info := vk.CommandPoolCreateInfo{SType: vk.StructureTypeCommandPoolCreateInfo, QueueFamilyIndex: uint32(p.Family)}
	defer info.Free()
	var pool vk.CommandPool
	if err := check("vkCreateCommandPool", vk.CreateCommandPool(d.handle, &info, nil, &pool)); err != nil {
		d.Destroy()
		return nil, err
	}
	d.pool = pool
	return d, nil
}

// Destroy gives the device back. Every object made from it must have been
// destroyed, and nothing may run on it.
func (d *Device) Destroy() {
	if d.pool != nil {
		vk.DestroyCommandPool(d.handle, d.pool, nil)
	}
	vk.DestroyDevice(d.handle, nil)
	C.free(unsafe.Pointer(d.c))
	d.c = nil
}

// memory allocates memory for an object of the given requirements, of the
// first type in the order of preference that has all of the flags.
func (d *Device) memory(req vk.MemoryRequirements, address bool, prefer ...uint32) (vk.DeviceMemory, uint32, error) {
	t := -1
	for _, flags := range prefer {
		t = slices.IndexFunc(d.Physical.Types, func(m MemoryType) bool { return m.Flags&flags == flags })
		for t >= 0 && req.MemoryTypeBits>>t&1 == 0 {
			rest := slices.IndexFunc(d.Physical.Types[t+1:], func(m MemoryType) bool { return m.Flags&flags == flags })
			if rest < 0 {
				t = -1
				break
			}
			t += 1 + rest
		}
		if t >= 0 {
			break
		}
	}
	if t < 0 {
		return nil, 0, &Error{"choosing a memory type", OutOfDeviceMemory}
	}
	if heap := d.Physical.Heaps[d.Physical.Types[t].Heap]; uint64(req.Size) > heap.Size {
		return nil, 0, &Error{"vkAllocateMemory", OutOfDeviceMemory}
	}
	info := vk.MemoryAllocateInfo{SType: vk.StructureTypeMemoryAllocateInfo, AllocationSize: req.Size, MemoryTypeIndex: uint32(t)}
	defer info.Free()
	var c chain
	defer c.free()
	if address {
		c.add(1000060000, 2)[0] = 2 // VkMemoryAllocateFlagsInfo, VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT
		info.PNext = c.head()
	}
	var m vk.DeviceMemory
	if err := check("vkAllocateMemory", vk.AllocateMemory(d.handle, &info, nil, &m)); err != nil {
		return nil, 0, err
	}
	return m, d.Physical.Types[t].Flags, nil
}
