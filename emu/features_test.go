package emu

import (
	"slices"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
)

func TestEmulatorFeaturesAreVulkans(t *testing.T) {
	for group, members := range Features {
		for member := range strings.FieldsSeq(members) {
			name := member
			if group != "" {
				name = group + "." + member
			}
			if !launch.KnownFeature(name) {
				t.Errorf("%s is no feature that a script can ask for", name)
			}
		}
	}
	list := strings.Fields(Extensions)
	slices.Sort(list)
	if n := len(slices.Compact(list)); n != len(list) {
		t.Error("an extension stands twice")
	}
}

func TestLacksNamesWhatIsMissing(t *testing.T) {
	l := &launch.Launch{Require: []launch.Requirement{
		{Kind: "DEVICE_FEATURE", Name: "shaderInt64"},
		{Kind: "DEVICE_FEATURE", Name: "geometryShader", Pos: diag.Pos{File: "s.amber", Line: 3}},
		{Kind: "DEVICE_FEATURE", Name: "Float16Int8Features.shaderInt8"},
		{Kind: "DEVICE_FEATURE", Name: "MeshShaderFeatures.meshShader"},
		{Kind: "DEVICE_PROPERTY", Name: "FloatControlsProperties.shaderDenormPreserveFloat32"},
		{Kind: "DEVICE_EXTENSION", Name: "VK_KHR_16bit_storage"},
		{Kind: "DEVICE_EXTENSION", Name: "VK_KHR_ray_query"},
	}}
	var got []string
	for _, e := range Lacks(l) {
		if e.Class != diag.Unsupported {
			t.Errorf("%v: class %v", e, e.Class)
		}
		got = append(got, e.Error())
	}
	want := []string{
		"s.amber:3: unsupported: the emulator has no DEVICE_FEATURE geometryShader",
		"unsupported: the emulator has no DEVICE_FEATURE MeshShaderFeatures.meshShader",
		"unsupported: the emulator has no DEVICE_EXTENSION VK_KHR_ray_query",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
