//go:build cgo && linux && (amd64 || arm64)

package driver

/*
#include "shim.h"
*/
import "C"

import (
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Memory property flags.
const (
	deviceLocal  = 1
	hostVisible  = 2
	hostCoherent = 4
	hostCached   = 8
)

// Buffer usage flags.
const (
	UseCopySource   = 0x1
	UseCopyTarget   = 0x2
	UseUniformTexel = 0x4
	UseStorageTexel = 0x8
	UseUniform      = 0x10
	UseStorage      = 0x20
	UseAddress      = 0x20000
)

// Buffer is a VkBuffer with memory of its own.
type Buffer struct {
	dev    *Device
	handle vk.Buffer
	memory vk.DeviceMemory
	Size   int64
	// Bytes is the memory itself where the host sees it, else nil.
	Bytes []byte
}

// Where says what memory a buffer wants.
type Where int

// The kinds of memory.
const (
	OnDevice Where = iota // fast for kernels; seen by the host where that costs nothing
	Hidden                // fast for kernels, never mapped
	Staging               // seen by the host, for copies
)

// NewBuffer makes a buffer of size bytes for the usage flags.
func (d *Device) NewBuffer(size int64, usage uint32, where Where) (*Buffer, error) {
	info := vk.BufferCreateInfo{SType: vk.StructureTypeBufferCreateInfo, Size: vk.DeviceSize(size), Usage: vk.BufferUsageFlags(usage)}
	defer info.Free()
	var h vk.Buffer
	if err := check("vkCreateBuffer", vk.CreateBuffer(d.handle, &info, nil, &h)); err != nil {
		return nil, err
	}
	b := &Buffer{dev: d, handle: h, Size: size}
	var req vk.MemoryRequirements
	vk.GetBufferMemoryRequirements(d.handle, h, &req)
	req.Deref()
	req.Free()
	// Reading write-combined memory from the host is slower than a copy, so
	// device memory is mapped only where it is cached.
	prefer := []uint32{deviceLocal | hostVisible | hostCoherent | hostCached, deviceLocal, 0}
	switch where {
	case Hidden:
		prefer = prefer[1:]
	case Staging:
		prefer = []uint32{hostVisible | hostCoherent | hostCached, hostVisible | hostCoherent}
	}
	m, flags, err := d.memory(req, usage&UseAddress != 0, prefer...)
	if err != nil {
		b.Destroy()
		return nil, err
	}
	b.memory = m
	if err := check("vkBindBufferMemory", vk.BindBufferMemory(d.handle, h, m, 0)); err != nil {
		b.Destroy()
		return nil, err
	}
	if where != Hidden && flags&(hostVisible|hostCoherent) == hostVisible|hostCoherent {
		var p unsafe.Pointer
		if err := check("vkMapMemory", vk.MapMemory(d.handle, m, 0, vk.DeviceSize(vk.WholeSize), 0, &p)); err != nil {
			b.Destroy()
			return nil, err
		}
		b.Bytes = unsafe.Slice((*byte)(p), size)
	}
	return b, nil
}

// Destroy frees the buffer and its memory.
func (b *Buffer) Destroy() {
	b.Bytes = nil
	vk.DestroyBuffer(b.dev.handle, b.handle, nil)
	if b.memory != nil {
		vk.FreeMemory(b.dev.handle, b.memory, nil)
	}
}

// Address is the device address of the buffer's first byte; the buffer must
// have been made with UseAddress.
func (b *Buffer) Address() uint64 {
	return uint64(C.device_address(b.dev.c, C.Handle(b.handle)))
}

// BufferView is a texel buffer.
type BufferView struct {
	dev    *Device
	handle vk.BufferView
}

// NewView makes a texel view of part of the buffer.
func (b *Buffer) NewView(format int32, offset, size int64) (*BufferView, error) {
	info := vk.BufferViewCreateInfo{SType: vk.StructureTypeBufferViewCreateInfo, Buffer: b.handle, Format: vk.Format(format), Offset: vk.DeviceSize(offset), Range: vk.DeviceSize(size)}
	defer info.Free()
	var v vk.BufferView
	if err := check("vkCreateBufferView", vk.CreateBufferView(b.dev.handle, &info, nil, &v)); err != nil {
		return nil, err
	}
	return &BufferView{b.dev, v}, nil
}

// Destroy frees the view.
func (v *BufferView) Destroy() { vk.DestroyBufferView(v.dev.handle, v.handle, nil) }
