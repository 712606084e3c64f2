//go:build cgo && linux && (amd64 || arm64)

package driver

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// LayoutBinding is one binding of a descriptor set's layout.
type LayoutBinding struct {
	Binding uint32
	Type    int32 // VkDescriptorType
	Count   uint32
	Partial bool // some elements stay unwritten (descriptorBindingPartiallyBound)
}

// SpecConstant is the value of one specialization constant.
type SpecConstant struct {
	ID    uint32
	Bits  uint64
	Bytes int // 1, 2, 4, 8
}

// PipelineInfo describes a compute pipeline.
type PipelineInfo struct {
	Words    []uint32
	Entry    string
	Sets     [][]LayoutBinding // by set number; empty sets stand between
	Push     int               // bytes of push constants
	Spec     []SpecConstant
	Subgroup uint32 // required size, 0 for none
	Varying  bool   // allow varying subgroup sizes
	Full     bool   // require full subgroups
	Module   func() // called between vkCreateShaderModule and the compilation; may be nil
}

// Pipeline is a compute pipeline with its layouts.
type Pipeline struct {
	dev    *Device
	handle vk.Pipeline
	layout vk.PipelineLayout
	sets   []vk.DescriptorSetLayout
	info   [][]LayoutBinding
}

// NewPipeline makes a pipeline.
func (d *Device) NewPipeline(info PipelineInfo) (_ *Pipeline, err error) {
	p := &Pipeline{dev: d, info: info.Sets}
	defer func() {
		if err != nil {
			p.Destroy()
		}
	}()
	for _, set := range info.Sets {
		bindings := make([]C.LayoutBinding, len(set)+1)
		for i, b := range set {
			bindings[i] = C.LayoutBinding{binding: C.uint32_t(b.Binding), _type: C.int32_t(b.Type), count: C.uint32_t(b.Count)}
			if b.Partial {
				bindings[i].flags = 4 // VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT
			}
		}
		var h C.Handle
		r := C.device_set_layout(d.c, &bindings[0], C.uint32_t(len(set)), &h)
		if err := check("vkCreateDescriptorSetLayout", vk.Result(r)); err != nil {
			return nil, err
		}
		p.sets = append(p.sets, vk.DescriptorSetLayout(h))
	}
	layouts := make([]C.Handle, len(p.sets)+1)
	for i, s := range p.sets {
		layouts[i] = C.Handle(s)
	}
	var h C.Handle
	r := C.device_pipeline_layout(d.c, &layouts[0], C.uint32_t(len(p.sets)), C.uint32_t(info.Push), &h)
	if err := check("vkCreatePipelineLayout", vk.Result(r)); err != nil {
		return nil, err
	}
	p.layout = vk.PipelineLayout(h)

	var module C.Handle
	r = C.device_module(d.c, (*C.uint32_t)(unsafe.SliceData(info.Words)), C.size_t(4*len(info.Words)), &module)
	if err := check("vkCreateShaderModule", vk.Result(r)); err != nil {
		return nil, err
	}
	defer vk.DestroyShaderModule(d.handle, vk.ShaderModule(module), nil)
	if info.Module != nil {
		info.Module()
	}

	n := len(info.Spec)
	ids, offsets, sizes := make([]C.uint32_t, n+1), make([]C.uint32_t, n+1), make([]C.uint32_t, n+1)
	data := make([]byte, 8*n+8)
	for i, s := range info.Spec {
		ids[i], offsets[i], sizes[i] = C.uint32_t(s.ID), C.uint32_t(8*i), C.uint32_t(s.Bytes)
		for k := range s.Bytes {
			data[8*i+k] = byte(s.Bits >> (8 * k))
		}
	}
	var flags C.uint32_t
	if info.Varying {
		flags |= 1 // VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT
	}
	if info.Full {
		flags |= 2 // VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT
	}
	entry := C.CString(info.Entry)
	defer C.free(unsafe.Pointer(entry))
	r = C.device_pipeline(d.c, nil, module, entry, C.Handle(p.layout), flags, C.uint32_t(info.Subgroup),
		&ids[0], &offsets[0], &sizes[0], C.uint32_t(n), unsafe.Pointer(&data[0]), C.size_t(8*n), &h)
	if err := check("vkCreateComputePipelines", vk.Result(r)); err != nil {
		return nil, err
	}
	if h == nil || r != 0 {
		return nil, &Error{"vkCreateComputePipelines", int32(r)}
	}
	p.handle = vk.Pipeline(h)
	return p, nil
}

// Destroy frees the pipeline; it must not be in use.
func (p *Pipeline) Destroy() {
	d := p.dev.handle
	if p.handle != nil {
		vk.DestroyPipeline(d, p.handle, nil)
	}
	if p.layout != nil {
		vk.DestroyPipelineLayout(d, p.layout, nil)
	}
	for _, s := range p.sets {
		vk.DestroyDescriptorSetLayout(d, s, nil)
	}
}
