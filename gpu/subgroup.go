package gpu

import (
	"ampdbg/launch"
)

// requiredSize is the subgroup size that a pipeline asks for on this device,
// 0 for none.
func (s *Subgroup) requiredSize(asked int) int {
	switch asked {
	case launch.RequiredMin:
		return int(s.Min)
	case launch.RequiredMax:
		return int(s.Max)
	}
	return asked
}

// checkSubgroup adds what a pipeline's subgroup request needs, and holds it
// against what Vulkan allows.
func (us *usage) checkSubgroup(dev *Device, d *launch.Dispatch, all needs) error {
	fail := func(format string, args ...any) error { return at(unsupported(format, args...), d.Pos) }
	s, have := d.Subgroup, &dev.Subgroup
	if s.VaryingSize || s.RequiredSize != 0 {
		all.feature("subgroupSizeControl", "the pipeline asks for a subgroup size")
	}
	if s.FullyPopulated {
		all.feature("computeFullSubgroups", "the pipeline asks for full subgroups")
	}
	if s.RequiredSize != 0 && s.VaryingSize {
		return at(badInput("the pipeline asks for a subgroup size and for varying sizes"), d.Pos)
	}
	size := int(have.Size)
	if n := have.requiredSize(s.RequiredSize); n != 0 {
		if !have.SizeControl {
			return fail("%s takes no required subgroup size in compute shaders", dev.Name)
		}
		if n&(n-1) != 0 || n < int(have.Min) || n > int(have.Max) {
			return fail("subgroup size %d: %s takes powers of two from %d to %d", n, dev.Name, have.Min, have.Max)
		}
		l := us.entry.LocalSize
		if threads := uint64(l[0]) * uint64(l[1]) * uint64(l[2]); have.PerTile > 0 && threads > uint64(n)*uint64(have.PerTile) {
			return fail("%d threads per tile: %s runs at most %d subgroups of the required size %d", threads, dev.Name, have.PerTile, n)
		}
		size = n
	}
	if s.VaryingSize {
		size = int(have.Max)
	}
	if s.FullyPopulated && us.entry.LocalSize[0]%uint32(size) != 0 {
		return fail("full subgroups: tiles must be a multiple of %d wide on %s, and are %d", size, dev.Name, us.entry.LocalSize[0])
	}
	return nil
}
