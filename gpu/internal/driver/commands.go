//go:build cgo && linux && (amd64 || arm64)

package driver

/*
#include "shim.h"
*/
import "C"

import (
	"time"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Stages and accesses of the barriers.
const (
	stageHost, stageTransfer, stageCompute = 0x4000, 0x1000, 0x800
	stageBottom                            = 0x2000

	accessUniformRead                     = 0x8
	accessShaderRead, accessShaderWrite   = 0x20, 0x40
	accessTransferRead, accessTransferWri = 0x800, 0x1000
	accessHostRead, accessHostWrite       = 0x2000, 0x4000
)

// Commands is one command buffer with its fence and timestamps. Record it
// once, then Submit and Wait as often as wanted.
type Commands struct {
	dev     *Device
	handle  vk.CommandBuffer
	fence   vk.Fence
	queries vk.QueryPool // nil where the queue has no timestamps
}

// NewCommands makes a command buffer and begins it.
func (d *Device) NewCommands() (_ *Commands, err error) {
	c := &Commands{dev: d}
	defer func() {
		if err != nil {
			c.Destroy()
		}
	}()
	fence := vk.FenceCreateInfo{SType: vk.StructureTypeFenceCreateInfo}
	defer fence.Free()
	var f vk.Fence
	if err := check("vkCreateFence", vk.CreateFence(d.handle, &fence, nil, &f)); err != nil {
		return nil, err
	}
	c.fence = f
	if d.Physical.TimestampBits > 0 {
		info := vk.QueryPoolCreateInfo{SType: vk.StructureTypeQueryPoolCreateInfo, QueryType: vk.QueryTypeTimestamp, QueryCount: 2}
		defer info.Free()
		var q vk.QueryPool
		if err := check("vkCreateQueryPool", vk.CreateQueryPool(d.handle, &info, nil, &q)); err != nil {
			return nil, err
		}
		c.queries = q
	}
	alloc := vk.CommandBufferAllocateInfo{SType: vk.StructureTypeCommandBufferAllocateInfo, CommandPool: d.pool, CommandBufferCount: 1}
	defer alloc.Free()
	handles := make([]vk.CommandBuffer, 1)
	if err := check("vkAllocateCommandBuffers", vk.AllocateCommandBuffers(d.handle, &alloc, handles)); err != nil {
		return nil, err
	}
	c.handle = handles[0]
	begin := vk.CommandBufferBeginInfo{SType: vk.StructureTypeCommandBufferBeginInfo}
	defer begin.Free()
	if err := check("vkBeginCommandBuffer", vk.BeginCommandBuffer(c.handle, &begin)); err != nil {
		return nil, err
	}
	if c.queries != nil {
		vk.CmdResetQueryPool(c.handle, c.queries, 0, 2)
	}
	return c, nil
}

// Destroy frees the command buffer; it must not be running.
func (c *Commands) Destroy() {
	d := c.dev.handle
	if c.handle != nil {
		vk.FreeCommandBuffers(d, c.dev.pool, 1, []vk.CommandBuffer{c.handle})
	}
	if c.queries != nil {
		vk.DestroyQueryPool(d, c.queries, nil)
	}
	if c.fence != nil {
		vk.DestroyFence(d, c.fence, nil)
	}
}

// End closes the recording.
func (c *Commands) End() error {
	return check("vkEndCommandBuffer", vk.EndCommandBuffer(c.handle))
}

// Copy records a copy between buffers.
func (c *Commands) Copy(from, to *Buffer, fromOffset, toOffset, size int64) {
	C.command_copy(c.dev.c, C.Handle(c.handle), C.Handle(from.handle), C.Handle(to.handle), C.DeviceSize(fromOffset), C.DeviceSize(toOffset), C.DeviceSize(size))
}

// Region is a level and its layers in a buffer.
type Region struct {
	Offset               int64
	Mip, Layers          uint32
	Width, Height, Depth uint32
}

func regions(i *Image, rs []Region) []C.BufferImageCopy {
	out := make([]C.BufferImageCopy, len(rs))
	for k, r := range rs {
		out[k] = C.BufferImageCopy{offset: C.DeviceSize(r.Offset), aspect: C.uint32_t(i.Aspect), mip: C.uint32_t(r.Mip), layers: C.uint32_t(r.Layers),
			width: C.uint32_t(r.Width), height: C.uint32_t(r.Height), depth: C.uint32_t(r.Depth)}
	}
	return out
}

// VkImageLayout.
const (
	layoutUndefined = 0
	layoutGeneral   = 1
)

// CopyToImage records the transition of an image to the general layout,
// forgetting its contents, and the copy of its texels from a buffer.
func (c *Commands) CopyToImage(from *Buffer, to *Image, rs []Region) {
	c.toGeneral(to)
	r := regions(to, rs)
	C.command_copy_image(c.dev.c, C.Handle(c.handle), 1, C.Handle(from.handle), C.Handle(to.handle), layoutGeneral, &r[0], C.uint32_t(len(r)))
}

// Zero records the transition of an image to the general layout, forgetting
// its contents, and sets all of it to zero.
func (c *Commands) Zero(i *Image) {
	c.toGeneral(i)
	r := i.all()
	C.command_zero(c.dev.c, C.Handle(c.handle), C.Handle(i.handle), layoutGeneral, &r)
}

// BeforeFill records the transition of an image to the general layout,
// forgetting its contents, before a kernel fills it.
func (c *Commands) BeforeFill(i *Image) { c.toGeneral(i) }

// all is every level and layer of an image.
func (i *Image) all() C.SubresourceRange {
	return C.SubresourceRange{aspect: C.uint32_t(i.Aspect), mips: C.uint32_t(i.Mips), layers: C.uint32_t(i.Layers)}
}

func (c *Commands) toGeneral(to *Image) {
	b := C.ImageMemoryBarrier{sType: 45, dst: accessTransferWri | accessShaderRead | accessShaderWrite, from: layoutUndefined, to: layoutGeneral,
		srcFamily: C.uint32_t(vk.QueueFamilyIgnored), dstFamily: C.uint32_t(vk.QueueFamilyIgnored), image: C.Handle(to.handle)}
	b._range = to.all()
	C.command_image_barrier(c.dev.c, C.Handle(c.handle), stageTransfer|stageCompute|stageHost, stageTransfer|stageCompute, &b)
}

// CopyFromImage records the copy of an image's texels to a buffer.
func (c *Commands) CopyFromImage(from *Image, to *Buffer, rs []Region) {
	r := regions(from, rs)
	C.command_copy_image(c.dev.c, C.Handle(c.handle), 0, C.Handle(to.handle), C.Handle(from.handle), layoutGeneral, &r[0], C.uint32_t(len(r)))
}

// BeforeDispatch records the barrier between the copies and the host's writes
// on one side and the kernel on the other.
func (c *Commands) BeforeDispatch() {
	C.command_barrier(c.dev.c, C.Handle(c.handle), stageTransfer|stageHost, stageCompute,
		accessTransferWri|accessHostWrite, accessShaderRead|accessShaderWrite|accessUniformRead)
}

// AfterDispatch records the barrier between the kernel and the copies and the
// host's reads after it.
func (c *Commands) AfterDispatch() {
	C.command_barrier(c.dev.c, C.Handle(c.handle), stageCompute, stageTransfer|stageHost,
		accessShaderWrite, accessTransferRead|accessTransferWri|accessHostRead)
}

// BetweenKernels records the barrier between two kernels.
func (c *Commands) BetweenKernels() {
	C.command_barrier(c.dev.c, C.Handle(c.handle), stageCompute, stageCompute, accessShaderWrite, accessShaderRead|accessShaderWrite|accessUniformRead)
}

// BeforeHost records the barrier between copies, by commands and by kernels,
// and the host's reads.
func (c *Commands) BeforeHost() {
	C.command_barrier(c.dev.c, C.Handle(c.handle), stageTransfer|stageCompute, stageHost, accessTransferWri|accessShaderWrite, accessHostRead)
}

// Dispatch records the binding of everything and a dispatch between two
// timestamps. dynamic holds the dynamic offsets in the order of set, binding
// and element.
func (c *Commands) Dispatch(p *Pipeline, ds *Descriptors, dynamic []uint32, push []byte, groups [3]uint32) {
	c.bind(p, ds, dynamic, push)
	if c.queries != nil {
		// At the bottom too: the copies before it have then ended.
		vk.CmdWriteTimestamp(c.handle, stageBottom, c.queries, 0)
	}
	vk.CmdDispatch(c.handle, groups[0], groups[1], groups[2])
	if c.queries != nil {
		vk.CmdWriteTimestamp(c.handle, stageBottom, c.queries, 1)
	}
}

// Help records a dispatch without timestamps, of a kernel that moves memory
// for another one.
func (c *Commands) Help(p *Pipeline, ds *Descriptors, push []byte, groups [3]uint32) {
	c.bind(p, ds, nil, push)
	vk.CmdDispatch(c.handle, groups[0], groups[1], groups[2])
}

func (c *Commands) bind(p *Pipeline, ds *Descriptors, dynamic []uint32, push []byte) {
	vk.CmdBindPipeline(c.handle, vk.PipelineBindPointCompute, p.handle)
	if len(ds.sets) > 0 {
		vk.CmdBindDescriptorSets(c.handle, vk.PipelineBindPointCompute, p.layout, 0, uint32(len(ds.sets)), ds.sets, uint32(len(dynamic)), dynamic)
	}
	if len(push) > 0 {
		vk.CmdPushConstants(c.handle, p.layout, vk.ShaderStageFlags(vk.ShaderStageComputeBit), 0, uint32(len(push)), unsafe.Pointer(&push[0]))
	}
}

// Submit starts the commands.
func (c *Commands) Submit() error {
	if err := check("vkResetFences", vk.ResetFences(c.dev.handle, 1, []vk.Fence{c.fence})); err != nil {
		return err
	}
	return check("vkQueueSubmit", vk.Result(C.device_submit(c.dev.c, C.Handle(c.handle), C.Handle(c.fence))))
}

// Wait waits at most for the slice of time and reports whether the commands
// have ended. It may be called from another goroutine than the device's
// other methods.
func (c *Commands) Wait(slice time.Duration) (bool, error) {
	r := vk.WaitForFences(c.dev.handle, 1, []vk.Fence{c.fence}, vk.True, uint64(slice))
	return r == vk.Success, check("vkWaitForFences", r)
}

// Duration is the time between the timestamps of the last run; false where
// the queue has none.
func (c *Commands) Duration() (time.Duration, bool) {
	if c.queries == nil {
		return 0, false
	}
	var t [2]uint64
	const result64, wait = 1, 2
	r := vk.GetQueryPoolResults(c.dev.handle, c.queries, 0, 2, uint(unsafe.Sizeof(t)), unsafe.Pointer(&t), 8, result64|wait)
	if r != vk.Success {
		return 0, false
	}
	ticks := t[1] - t[0]
	if bits := c.dev.Physical.TimestampBits; bits < 64 {
		ticks &= 1<<bits - 1
	}
	return time.Duration(float64(ticks) * float64(c.dev.Physical.Limits.TimestampPeriod)), true
}
