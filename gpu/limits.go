package gpu

import (
	"ampdbg/diag"
	"ampdbg/launch"
)

// checkLimits holds a dispatch against what the device can run at all: what
// passes a driver unchecked may hang or kill it.
func (us *usage) checkLimits(dev *Device, d *launch.Dispatch) error {
	fail := func(format string, args ...any) error { return at(unsupported(format, args...), d.Pos) }
	threads := uint64(1)
	for i, axis := range "xyz" {
		if d.Groups[i] > dev.Grid[i] {
			return fail("%d tiles in %c: %s runs at most %d", d.Groups[i], axis, dev.Name, dev.Grid[i])
		}
		n := us.entry.LocalSize[i]
		if n == 0 {
			return at(badInput("entry point %q gives no tile size (LocalSize)", us.entry.Name), d.Pos)
		}
		if n > dev.TileExtent[i] {
			return fail("%d threads per tile in %c: %s runs at most %d", n, axis, dev.Name, dev.TileExtent[i])
		}
		threads *= uint64(n)
	}
	if threads > uint64(dev.TileThreads) {
		return fail("%d threads per tile: %s runs at most %d", threads, dev.Name, dev.TileThreads)
	}
	if us.shared > int(dev.TileStatic) {
		return fail("%d bytes of tile_static memory: %s has %d per tile", us.shared, dev.Name, dev.TileStatic)
	}
	if n := max(us.push, len(pushData(d))); n > int(dev.Limits.PushConstants) {
		return fail("%d bytes of push constants: %s takes %d", n, dev.Name, dev.Limits.PushConstants)
	}
	return us.checkDescriptors(dev, d)
}

// checkDescriptors holds the number of descriptors against the limits.
func (us *usage) checkDescriptors(dev *Device, d *launch.Dispatch) error {
	count := map[launch.DescriptorKind]int{}
	for i := range d.Bindings {
		b := &d.Bindings[i]
		if b.Set >= dev.Limits.DescriptorSets {
			return bindingError(diag.Unsupported, b, "%s takes descriptor sets below %d", dev.Name, dev.Limits.DescriptorSets)
		}
		count[b.Kind] += len(b.Elems)
	}
	l := &dev.Limits
	for _, c := range []struct {
		n    int
		max  uint32
		what string
	}{
		{count[launch.StorageBuffer] + count[launch.StorageBufferDynamic], l.StorageBuffers, "storage buffers"},
		{count[launch.UniformBuffer] + count[launch.UniformBufferDynamic], l.UniformBuffers, "uniform buffers"},
		{count[launch.StorageBufferDynamic], l.DynamicStorage, "dynamic storage buffers"},
		{count[launch.UniformBufferDynamic], l.DynamicUniform, "dynamic uniform buffers"},
		{count[launch.SampledImage] + count[launch.CombinedImageSampler] + count[launch.UniformTexelBuffer], l.SampledImages, "sampled images and uniform texel buffers"},
		{count[launch.StorageImage] + count[launch.StorageTexelBuffer], l.StorageImages, "storage images and storage texel buffers"},
		{count[launch.SeparateSampler] + count[launch.CombinedImageSampler], l.Samplers, "samplers"},
	} {
		if uint64(c.n) > uint64(c.max) {
			return at(unsupported("%d %s: %s takes %d", c.n, c.what, dev.Name, c.max), d.Pos)
		}
	}
	return nil
}

// pushData is the push constants of a dispatch that starts now.
func pushData(d *launch.Dispatch) []byte {
	if d.PushBuffer != nil {
		return d.PushBuffer.Data
	}
	return d.Push
}
