//go:build cgo && linux && (amd64 || arm64)

package driver

/*
#include "shim.h"
*/
import "C"

import (
	vk "github.com/vulkan-go/vulkan"
)

// Descriptors are the descriptor sets of one dispatch, from a pool of their
// own.
type Descriptors struct {
	dev  *Device
	pool vk.DescriptorPool
	sets []vk.DescriptorSet
}

// NewDescriptors allocates a descriptor set for each of the pipeline's sets.
func (p *Pipeline) NewDescriptors() (*Descriptors, error) {
	ds := &Descriptors{dev: p.dev}
	if len(p.sets) == 0 {
		return ds, nil
	}
	var sizes []C.DescriptorPoolSize
	for _, set := range p.info {
		for _, b := range set {
			sizes = append(sizes, C.DescriptorPoolSize{_type: C.int32_t(b.Type), count: C.uint32_t(b.Count)})
		}
	}
	if len(sizes) == 0 {
		sizes = []C.DescriptorPoolSize{{_type: C.int32_t(vk.DescriptorTypeStorageBuffer), count: 1}}
	}
	var h C.Handle
	r := C.device_pool(p.dev.c, C.uint32_t(len(p.sets)), &sizes[0], C.uint32_t(len(sizes)), &h)
	if err := check("vkCreateDescriptorPool", vk.Result(r)); err != nil {
		return nil, err
	}
	ds.pool = vk.DescriptorPool(h)
	for _, layout := range p.sets {
		var s C.Handle
		r := C.device_allocate_set(p.dev.c, C.Handle(ds.pool), C.Handle(layout), &s)
		if err := check("vkAllocateDescriptorSets", vk.Result(r)); err != nil {
			ds.Destroy()
			return nil, err
		}
		ds.sets = append(ds.sets, vk.DescriptorSet(s))
	}
	return ds, nil
}

// Destroy frees the sets.
func (ds *Descriptors) Destroy() {
	if ds.pool != nil {
		vk.DestroyDescriptorPool(ds.dev.handle, ds.pool, nil)
	}
}

// Slot is one element of one binding.
type Slot struct {
	Set, Binding, Element uint32
	Type                  int32 // VkDescriptorType
}

// SetBuffer writes a buffer descriptor.
func (ds *Descriptors) SetBuffer(s Slot, b *Buffer, offset, size int64) {
	C.device_write(ds.dev.c, C.Handle(ds.sets[s.Set]), C.uint32_t(s.Binding), C.uint32_t(s.Element), C.int32_t(s.Type),
		C.Handle(b.handle), C.DeviceSize(offset), C.DeviceSize(size), nil, nil, nil)
}

// SetTexel writes a texel buffer descriptor.
func (ds *Descriptors) SetTexel(s Slot, v *BufferView) {
	C.device_write(ds.dev.c, C.Handle(ds.sets[s.Set]), C.uint32_t(s.Binding), C.uint32_t(s.Element), C.int32_t(s.Type),
		nil, 0, 0, C.Handle(v.handle), nil, nil)
}

// SetImage writes an image or sampler descriptor; either may be nil.
func (ds *Descriptors) SetImage(s Slot, v *ImageView, sampler *Sampler) {
	var hv, hs C.Handle
	if v != nil {
		hv = C.Handle(v.handle)
	}
	if sampler != nil {
		hs = C.Handle(sampler.handle)
	}
	C.device_write(ds.dev.c, C.Handle(ds.sets[s.Set]), C.uint32_t(s.Binding), C.uint32_t(s.Element), C.int32_t(s.Type),
		nil, 0, 0, nil, hs, hv)
}
