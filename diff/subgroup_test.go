package diff

import (
	"strings"
	"testing"

	"ampdbg/gpu"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// A device without a choice of subgroup sizes says so in words, whatever the
// launch asks for.
func TestNotesOfSubgroupSizes(t *testing.T) {
	for asked, want := range map[int]string{
		16:                 "the launch asks for warps of 16 lanes, which gpu does not have: both machines run warps of 32",
		launch.RequiredMin: "the launch asks for the smallest warps, which gpu gives no choice of: both machines run warps of 32",
		launch.RequiredMax: "the launch asks for the largest warps, which gpu gives no choice of: both machines run warps of 32",
	} {
		s := &Side{Name: "gpu", Warp: 32, subgroup: &gpu.Subgroup{Size: 32, Min: 32, Max: 32}}
		d := &launch.Dispatch{Module: &spirv.Module{}, Subgroup: launch.Subgroup{RequiredSize: asked}}
		s.relax(d)
		if got := strings.Join(s.Notes, "; "); got != want || d.Subgroup.RequiredSize != 0 {
			t.Errorf("asked for %d: %q, size %d", asked, got, d.Subgroup.RequiredSize)
		}
	}
}
