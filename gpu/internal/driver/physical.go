//go:build cgo && linux && (amd64 || arm64)

package driver

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"bytes"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Physical is one device with all that it says of itself.
type Physical struct {
	instance   *Instance
	handle     vk.PhysicalDevice
	Name       string
	Type       uint32 // VkPhysicalDeviceType: 0 other, 1 integrated, 2 discrete, 3 virtual, 4 CPU
	API        uint32
	VendorID   uint32
	DeviceID   uint32
	DriverWord uint32 // the vendor's own packing
	DriverName string
	DriverInfo string
	UUID       [16]byte
	Limits     vk.PhysicalDeviceLimits
	Features   map[string]bool
	Extensions map[string]uint32 // with their revision
	// Properties are the yes-or-no properties, those of
	// VkPhysicalDeviceFloatControlsProperties.
	Properties    map[string]bool
	Subgroup      Subgroup
	MaxAllocation uint64 // bytes in one allocation
	Heaps         []Heap
	Types         []MemoryType
	Family        int // of the compute queue; -1 if the device has none
	TimestampBits uint32
}

// Subgroup is what a device says of its subgroups. Min and Max equal Size
// where the device has no size control.
type Subgroup struct {
	Size, Min, Max   uint32
	Stages, Ops      uint32 // VkShaderStageFlags, VkSubgroupFeatureFlags
	RequiredStages   uint32 // stages that take a required size
	MaxSubgroupsTile uint32 // subgroups in a tile of required size; 0 unknown
}

// Heap is a memory heap.
type Heap struct {
	Size  uint64
	Local bool // device-local
}

// MemoryType is a kind of memory in a heap.
type MemoryType struct {
	Heap  int
	Flags uint32 // VkMemoryPropertyFlags
}

var floatControls = []string{
	"shaderSignedZeroInfNanPreserveFloat16", "shaderSignedZeroInfNanPreserveFloat32", "shaderSignedZeroInfNanPreserveFloat64",
	"shaderDenormPreserveFloat16", "shaderDenormPreserveFloat32", "shaderDenormPreserveFloat64",
	"shaderDenormFlushToZeroFloat16", "shaderDenormFlushToZeroFloat32", "shaderDenormFlushToZeroFloat64",
	"shaderRoundingModeRTEFloat16", "shaderRoundingModeRTEFloat32", "shaderRoundingModeRTEFloat64",
	"shaderRoundingModeRTZFloat16", "shaderRoundingModeRTZFloat32", "shaderRoundingModeRTZFloat64",
}

func newPhysical(i *Instance, h vk.PhysicalDevice) (*Physical, error) {
	p := &Physical{instance: i, handle: h, Features: map[string]bool{}, Extensions: map[string]uint32{}, Properties: map[string]bool{}, Family: -1}
	var props vk.PhysicalDeviceProperties
	vk.GetPhysicalDeviceProperties(h, &props)
	props.Deref()
	props.Limits.Deref()
	p.Name = vk.ToString(props.DeviceName[:])
	p.Type, p.API = uint32(props.DeviceType), props.ApiVersion
	p.VendorID, p.DeviceID, p.DriverWord = props.VendorID, props.DeviceID, props.DriverVersion
	p.Limits = props.Limits
	props.Free()

	var n C.uint32_t
	var exts *C.ExtensionProperties
	r := C.physical_extensions(i.c, C.Handle(h), &n, &exts)
	defer func() { C.free(unsafe.Pointer(exts)) }()
	if err := check("vkEnumerateDeviceExtensionProperties", vk.Result(r)); err != nil {
		return nil, err
	}
	for _, e := range unsafe.Slice(exts, int(n)) {
		p.Extensions[C.GoString(&e.name[0])] = uint32(e.version)
	}
	p.readFamilies()
	p.readMemory()
	if p.API >= v11 {
		p.readFeatures()
		p.readProperties()
	}
	return p, nil
}

// has reports whether the device offers an extension, or what it became in
// core version from.
func (p *Physical) has(extension string, from uint32) bool {
	_, ok := p.Extensions[extension]
	return ok || from != 0 && p.API >= from
}

func (p *Physical) readFamilies() {
	var n C.uint32_t
	var fams *C.QueueFamilyProperties
	C.physical_families(p.instance.c, C.Handle(p.handle), &n, &fams)
	defer C.free(unsafe.Pointer(fams))
	const graphics, compute = 1, 2
	for i, f := range unsafe.Slice(fams, int(n)) {
		if f.flags&compute == 0 || f.count == 0 {
			continue
		}
		// The general queue first: it is the one that every driver tests
		// most, and its timestamps are never missing.
		if p.Family < 0 || f.flags&graphics != 0 && p.TimestampBits == 0 {
			p.Family, p.TimestampBits = i, uint32(f.timestampBits)
		}
	}
}

func (p *Physical) readMemory() {
	var m vk.PhysicalDeviceMemoryProperties
	vk.GetPhysicalDeviceMemoryProperties(p.handle, &m)
	m.Deref()
	for i := range m.MemoryHeapCount {
		h := m.MemoryHeaps[i]
		h.Deref()
		p.Heaps = append(p.Heaps, Heap{uint64(h.Size), h.Flags&1 != 0})
	}
	for i := range m.MemoryTypeCount {
		t := m.MemoryTypes[i]
		t.Deref()
		p.Types = append(p.Types, MemoryType{int(t.HeapIndex), uint32(t.PropertyFlags)})
	}
	m.Free()
}

func (p *Physical) readFeatures() {
	var c chain
	defer c.free()
	var structs []*featureStruct
	var payloads [][]uint32
	for i := range featureStructs {
		f := &featureStructs[i]
		if f.on(p.API, p.Extensions) {
			structs = append(structs, f)
			payloads = append(payloads, c.add(f.sType, len(f.names)))
		}
	}
	base := make([]C.Bool32, len(coreFeatures))
	C.physical_features2(p.instance.c, C.Handle(p.handle), c.head(), &base[0])
	for i, name := range coreFeatures {
		p.Features[name] = base[i] != 0
	}
	for i, f := range structs {
		for k, name := range f.names {
			p.Features[name] = payloads[i][k] != 0
		}
	}
}

func (p *Physical) readProperties() {
	var c chain
	defer c.free()
	ids := c.add(1000071004, 12) // VkPhysicalDeviceIDProperties
	subgroup := c.add(1000094000, 4)
	maintenance3 := c.add(1000168000, 4)
	var driver, float, size []uint32
	if p.has("VK_KHR_driver_properties", v12) {
		driver = c.add(1000196000, 1+64+64+1)
	}
	if p.has("VK_KHR_shader_float_controls", v12) {
		float = c.add(1000197000, 2+len(floatControls))
	}
	if p.has("VK_EXT_subgroup_size_control", v13) {
		size = c.add(1000225000, 4)
	}
	C.physical_properties2(p.instance.c, C.Handle(p.handle), c.head())
	copy(p.UUID[:], wordBytes(ids))
	p.Subgroup = Subgroup{Size: subgroup[0], Min: subgroup[0], Max: subgroup[0], Stages: subgroup[1], Ops: subgroup[2]}
	p.MaxAllocation = uint64(maintenance3[2]) | uint64(maintenance3[3])<<32
	if driver != nil {
		p.DriverName, p.DriverInfo = cString(driver[1:65]), cString(driver[65:129])
	}
	if float != nil {
		for i, name := range floatControls {
			p.Properties[name] = float[2+i] != 0
		}
	}
	if size != nil {
		s := &p.Subgroup
		s.Min, s.Max, s.MaxSubgroupsTile, s.RequiredStages = size[0], size[1], size[2], size[3]
	}
}

func wordBytes(w []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), len(w)*4)
}

func cString(w []uint32) string {
	b := wordBytes(w)
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// FormatFeatures gives what a format can be used for, as VkFormatFeatureFlags:
// for images of optimal tiling and for texel buffers.
func (p *Physical) FormatFeatures(format int32) (image, buffer uint32) {
	var f vk.FormatProperties
	vk.GetPhysicalDeviceFormatProperties(p.handle, vk.Format(format), &f)
	f.Deref()
	image, buffer = uint32(f.OptimalTilingFeatures), uint32(f.BufferFeatures)
	f.Free()
	return image, buffer
}

// ImageLimits are the largest images of a kind.
type ImageLimits struct {
	Width, Height, Depth, Mips, Layers uint32
	// Samples has a bit set for each number of samples: bit 2 for 4.
	Samples uint32
}

// ImageLimits gives the limits for images as info describes them, or an error
// where the device has no such images.
func (p *Physical) ImageLimits(info ImageInfo) (ImageLimits, error) {
	var f vk.ImageFormatProperties
	r := vk.GetPhysicalDeviceImageFormatProperties(p.handle, vk.Format(info.Format), vk.ImageType(info.Dim-1), vk.ImageTilingOptimal,
		vk.ImageUsageFlags(info.Usage), vk.ImageCreateFlags(info.flags()), &f)
	defer f.Free()
	if err := check("vkGetPhysicalDeviceImageFormatProperties", r); err != nil {
		return ImageLimits{}, err
	}
	f.Deref()
	f.MaxExtent.Deref()
	e := f.MaxExtent
	return ImageLimits{e.Width, e.Height, e.Depth, f.MaxMipLevels, f.MaxArrayLayers, uint32(f.SampleCounts)}, nil
}
