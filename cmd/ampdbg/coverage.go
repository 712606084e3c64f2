package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ampdbg/emu"
	"ampdbg/spirv"
)

// coverage is the text of docs/coverage.md: what the emulator runs.
func coverage() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from emu/capabilities.go, emu/features.go and emu/instructions.go; `go test ./cmd/ampdbg -update` writes it. -->\n\n")
	b.WriteString("# What the emulator runs\n\n")
	b.WriteString("Compute kernels that declare these capabilities of SPIR-V, and scripts that require these features and extensions of Vulkan. What is not supported stands in [limits](limits.md).\n\n")
	b.WriteString("## Capabilities\n\n")
	for _, c := range emu.Capabilities {
		fmt.Fprintf(&b, "- %s\n", c)
	}
	b.WriteString("\n## Features (DEVICE_FEATURE)\n\n| structure | features |\n|---|---|\n")
	for _, group := range slices.Sorted(maps.Keys(emu.Features)) {
		name := group
		if name == "" {
			name = "VkPhysicalDeviceFeatures"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.Join(strings.Fields(emu.Features[group]), ", "))
	}
	b.WriteString("\n## Extensions (DEVICE_EXTENSION, INSTANCE_EXTENSION)\n\n")
	for _, e := range slices.Sorted(strings.FieldsSeq(emu.Extensions)) {
		fmt.Fprintf(&b, "- %s\n", e)
	}
	b.WriteString("\n## Instructions\n\nWhat function bodies may contain, by the class in which the specification lists them.\n\n| class | instructions |\n|---|---|\n")
	classes := map[string][]string{}
	for _, op := range emu.Instructions() {
		class := strings.ReplaceAll(op.Class(), "_", " ")
		if class == "Reserved" {
			class = "of extensions"
		}
		classes[class] = append(classes[class], strings.TrimPrefix(op.String(), "Op"))
	}
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		fmt.Fprintf(&b, "| %s | %s |\n", class, strings.Join(classes[class], ", "))
	}
	var ext []string
	for _, inst := range emu.ExtendedInstructions() {
		ext = append(ext, spirv.ExtInstName("GLSL.std.450", inst))
	}
	fmt.Fprintf(&b, "| GLSL.std.450 | %s |\n| NonSemantic.DebugPrintf | DebugPrintf |\n", strings.Join(ext, ", "))
	return b.String()
}
