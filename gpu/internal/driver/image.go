//go:build cgo && linux && (amd64 || arm64)

package driver

/*
#include "shim.h"
*/
import "C"

import (
	vk "github.com/vulkan-go/vulkan"
)

// Image usage flags; the copies are always added.
const (
	imageSampled = 0x4
	ImageStorage = 0x8
)

// ImageInfo describes an image.
type ImageInfo struct {
	Dim                  int // 1, 2, 3
	Format               int32
	Width, Height, Depth uint32
	Mips, Layers         uint32
	Samples              uint32
	Cube                 bool
	Mutable              bool // views may have other formats, and other uses than Format allows
	Usage                uint32
	Aspect               uint32 // VkImageAspectFlags: 1 colour, 2 depth, 4 stencil
}

func (i *ImageInfo) flags() uint32 {
	var flags uint32
	if i.Cube {
		flags |= 0x10 // VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT
	}
	if i.Mutable {
		flags |= 0x8 | 0x100 // VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, VK_IMAGE_CREATE_EXTENDED_USAGE_BIT
	}
	return flags
}

// Image is a VkImage of optimal tiling with memory of its own.
type Image struct {
	ImageInfo
	dev    *Device
	handle vk.Image
	memory vk.DeviceMemory
}

// NewImage makes an image; its layout is undefined until the first copy to it.
func (d *Device) NewImage(i ImageInfo) (*Image, error) {
	info := vk.ImageCreateInfo{
		SType: vk.StructureTypeImageCreateInfo, Flags: vk.ImageCreateFlags(i.flags()),
		ImageType: vk.ImageType(i.Dim - 1), Format: vk.Format(i.Format),
		Extent:    vk.Extent3D{Width: i.Width, Height: i.Height, Depth: i.Depth},
		MipLevels: i.Mips, ArrayLayers: i.Layers, Samples: vk.SampleCountFlagBits(i.Samples),
		Tiling: vk.ImageTilingOptimal, Usage: vk.ImageUsageFlags(i.Usage),
	}
	defer info.Free()
	var h vk.Image
	if err := check("vkCreateImage", vk.CreateImage(d.handle, &info, nil, &h)); err != nil {
		return nil, err
	}
	img := &Image{ImageInfo: i, dev: d, handle: h}
	var req vk.MemoryRequirements
	vk.GetImageMemoryRequirements(d.handle, h, &req)
	req.Deref()
	req.Free()
	m, _, err := d.memory(req, false, deviceLocal, 0)
	if err != nil {
		img.Destroy()
		return nil, err
	}
	img.memory = m
	if err := check("vkBindImageMemory", vk.BindImageMemory(d.handle, h, m, 0)); err != nil {
		img.Destroy()
		return nil, err
	}
	return img, nil
}

// Destroy frees the image and its memory.
func (i *Image) Destroy() {
	vk.DestroyImage(i.dev.handle, i.handle, nil)
	if i.memory != nil {
		vk.FreeMemory(i.dev.handle, i.memory, nil)
	}
}

// ViewType is the kind of an image view, as VkImageViewType.
type ViewType int32

// The kinds of view.
const (
	View1D ViewType = iota
	View2D
	View3D
	ViewCube
	View1DArray
	View2DArray
	ViewCubeArray
)

// ImageView is a view of an image.
type ImageView struct {
	dev    *Device
	handle vk.ImageView
}

// ViewInfo describes a view of some levels and layers of an image.
type ViewInfo struct {
	Type              ViewType
	Format            int32  // the image's, or any as large where it is Mutable
	Usage             uint32 // what the view is for, of the image's usage
	Mip, Mips, Layers uint32
}

// NewView makes a view of the image.
func (i *Image) NewView(v ViewInfo) (*ImageView, error) {
	r := C.SubresourceRange{aspect: C.uint32_t(i.Aspect), mip: C.uint32_t(v.Mip), mips: C.uint32_t(v.Mips), layers: C.uint32_t(v.Layers)}
	var h C.Handle
	result := C.device_view(i.dev.c, C.Handle(i.handle), C.int32_t(v.Type), C.int32_t(v.Format), C.uint32_t(v.Usage), &r, &h)
	if err := check("vkCreateImageView", vk.Result(result)); err != nil {
		return nil, err
	}
	return &ImageView{i.dev, vk.ImageView(h)}, nil
}

// Destroy frees the view.
func (v *ImageView) Destroy() { vk.DestroyImageView(v.dev.handle, v.handle, nil) }

// SamplerInfo describes a sampler; the numbers are Vulkan's.
type SamplerInfo struct {
	MagLinear, MinLinear, MipLinear bool
	Address                         [3]int32 // VkSamplerAddressMode of u, v, w
	LODBias, MinLOD, MaxLOD         float32
	Compare                         bool
	CompareOp                       int32
	Border                          int32
	Unnormalized                    bool
}

// Sampler is a VkSampler.
type Sampler struct {
	dev    *Device
	handle vk.Sampler
}

// NewSampler makes a sampler.
func (d *Device) NewSampler(s SamplerInfo) (*Sampler, error) {
	filter := func(linear bool) vk.Filter {
		if linear {
			return vk.FilterLinear
		}
		return vk.FilterNearest
	}
	info := vk.SamplerCreateInfo{
		SType: vk.StructureTypeSamplerCreateInfo, MagFilter: filter(s.MagLinear), MinFilter: filter(s.MinLinear),
		AddressModeU: vk.SamplerAddressMode(s.Address[0]), AddressModeV: vk.SamplerAddressMode(s.Address[1]), AddressModeW: vk.SamplerAddressMode(s.Address[2]),
		MipLodBias: s.LODBias, MinLod: s.MinLOD, MaxLod: s.MaxLOD,
		CompareOp: vk.CompareOp(s.CompareOp), BorderColor: vk.BorderColor(s.Border),
	}
	if s.MipLinear {
		info.MipmapMode = vk.SamplerMipmapModeLinear
	}
	if s.Compare {
		info.CompareEnable = vk.True
	}
	if s.Unnormalized {
		info.UnnormalizedCoordinates = vk.True
	}
	defer info.Free()
	var h vk.Sampler
	if err := check("vkCreateSampler", vk.CreateSampler(d.handle, &info, nil, &h)); err != nil {
		return nil, err
	}
	return &Sampler{d, h}, nil
}

// Destroy frees the sampler.
func (s *Sampler) Destroy() { vk.DestroySampler(s.dev.handle, s.handle, nil) }
