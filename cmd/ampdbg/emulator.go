package main

import (
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// emulatorDevice describes the emulator.
func emulatorDevice() device {
	d := device{
		Name:         "emulator",
		Kind:         "emulator",
		IsEmulated:   true,
		Driver:       "ampdbg",
		DriverInfo:   version(),
		SPIRV:        [2]string{spirv.MakeVersion(1, 0).String(), spirv.MakeVersion(1, 6).String()},
		WarpSizes:    [2]int{1, warp.MaxLanes},
		WarpSize:     emu.DefaultWarp,
		LaunchMemory: launch.MaxBytes,
	}
	for _, c := range emu.Capabilities {
		d.Capabilities = append(d.Capabilities, c.String())
	}
	return d
}
