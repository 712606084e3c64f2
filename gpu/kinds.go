package gpu

import (
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// kindInfo is what Vulkan wants to know of a kind of descriptor.
type kindInfo struct {
	descriptor int32  // VkDescriptorType
	usage      uint32 // VkBufferUsageFlags of a buffer bound so
	image      uint32 // VkImageUsageFlags of an image bound so
	format     uint32 // VkFormatFeatureFlags of the image's or texel buffer's format
}

var kinds = [...]kindInfo{
	launch.StorageBuffer:        {7, 0x20, 0, 0},
	launch.UniformBuffer:        {6, 0x10, 0, 0},
	launch.StorageBufferDynamic: {9, 0x20, 0, 0},
	launch.UniformBufferDynamic: {8, 0x10, 0, 0},
	launch.StorageTexelBuffer:   {5, 0x8, 0, formatStorageTexel},
	launch.UniformTexelBuffer:   {4, 0x4, 0, formatUniformTexel},
	launch.StorageImage:         {3, 0, 0x8, formatStorage},
	launch.SampledImage:         {2, 0, 0x4, formatSampled},
	launch.CombinedImageSampler: {1, 0, 0x4, formatSampled},
	launch.SeparateSampler:      {0, 0, 0, 0},
}

// kindsFor gives the kinds of descriptor that a variable may be bound to.
func (r *resource) kindsFor() []launch.DescriptorKind {
	if r.storage == spirv.StorageClassStorageBuffer || r.storage == spirv.StorageClassUniform && r.typ.BufferBlock {
		return []launch.DescriptorKind{launch.StorageBuffer, launch.StorageBufferDynamic}
	}
	if r.storage == spirv.StorageClassUniform {
		return []launch.DescriptorKind{launch.UniformBuffer, launch.UniformBufferDynamic}
	}
	switch r.typ.Kind {
	case spirv.Sampler:
		return []launch.DescriptorKind{launch.SeparateSampler, launch.CombinedImageSampler}
	case spirv.SampledImage:
		if r.typ.Elem.Dim == spirv.DimBuffer {
			return []launch.DescriptorKind{launch.UniformTexelBuffer}
		}
		return []launch.DescriptorKind{launch.CombinedImageSampler}
	case spirv.Image:
		storage := r.typ.Sampled == 2
		switch {
		case r.typ.Dim == spirv.DimBuffer && storage:
			return []launch.DescriptorKind{launch.StorageTexelBuffer}
		case r.typ.Dim == spirv.DimBuffer:
			return []launch.DescriptorKind{launch.UniformTexelBuffer}
		case storage:
			return []launch.DescriptorKind{launch.StorageImage}
		}
		return []launch.DescriptorKind{launch.SampledImage, launch.CombinedImageSampler}
	}
	return nil
}

// checkBindings holds what the kernel uses against what the launch binds: a
// driver takes a mismatch on trust and crashes on it.
func (us *usage) checkBindings(d *launch.Dispatch) error {
	bound := map[[2]uint32]*launch.Binding{}
	for i := range d.Bindings {
		b := &d.Bindings[i]
		if int(b.Kind) >= len(kinds) {
			return bindingError(diag.BadInput, b, "unknown kind %d of descriptor", b.Kind)
		}
		at := [2]uint32{b.Set, b.Binding}
		if bound[at] != nil {
			return bindingError(diag.BadInput, b, "bound twice")
		}
		bound[at] = b
	}
	for i := range us.resources {
		r := &us.resources[i]
		b := bound[[2]uint32{r.set, r.binding}]
		if b == nil || len(b.Elems) == 0 {
			return at(badInput("entry point %q uses %s at set %d binding %d, where nothing is bound", us.entry.Name, r.name, r.set, r.binding), d.Pos)
		}
		allowed := r.kindsFor()
		if !slices.Contains(allowed, b.Kind) {
			var names []string
			for _, k := range allowed {
				names = append(names, k.String())
			}
			if len(names) == 0 {
				return at(unsupported("%s at set %d binding %d: a type that no launch binds", r.name, r.set, r.binding), d.Pos)
			}
			return bindingError(diag.BadInput, b, "%s is a %s, a %s is bound", r.name, strings.Join(names, " or "), b.Kind)
		}
	}
	return nil
}

// borderColor turns AmberScript's spelling into VkBorderColor; empty is
// FLOAT_TRANSPARENT_BLACK.
func borderColor(s string) (int32, bool) {
	return index(s, []string{"FLOAT_TRANSPARENT_BLACK", "INT_TRANSPARENT_BLACK", "FLOAT_OPAQUE_BLACK",
		"INT_OPAQUE_BLACK", "FLOAT_OPAQUE_WHITE", "INT_OPAQUE_WHITE"})
}

// compareOp turns AmberScript's spelling into VkCompareOp; empty is never.
func compareOp(s string) (int32, bool) {
	return index(s, []string{"never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"})
}

func index(s string, names []string) (int32, bool) {
	if s == "" {
		return 0, true
	}
	i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, s) })
	return int32(i), i >= 0
}
