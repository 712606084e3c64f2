package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ampdbg/emu"
)

// coverage is the text of docs/coverage.md: what the emulator runs.
func coverage() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from emu/capabilities.go and emu/features.go; `go test ./cmd/ampdbg -update` writes it. -->\n\n")
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
	return b.String()
}
