package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"

	"ampdbg/diag"
)

var devicesCommand = command{
	name:  "devices",
	short: "list accelerators and what they can do",
	long: `Lists what can run a launch: the emulator, with its limits and the SPIR-V
capabilities of the kernels that it runs.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		f := formatText
		fs.Var(&f, "format", "how to write the list: `text|json`")
		return func(env *environment, operands []string) (int, error) {
			switch {
			case len(operands) > 0:
				return 0, usagef("expected no operands, found %q", operands[0])
			case f == formatJSON:
				return exitClean, writeDevicesJSON(env.stdout, devices())
			case f == formatText:
				return exitClean, writeDevices(env.stdout, devices())
			}
			return 0, usagef("--format %s: expected text or json", f)
		}
	},
}

// device is something that can run a launch, in the words of C++ AMP's
// accelerator and of Vulkan.
type device struct {
	Name         string    `json:"name"`
	Kind         string    `json:"kind"`
	IsEmulated   bool      `json:"is_emulated"`
	Driver       string    `json:"driver"`
	DriverInfo   string    `json:"driver_info,omitempty"`
	SPIRV        [2]string `json:"spirv"`         // lowest and highest version
	WarpSizes    [2]int    `json:"warp_sizes"`    // lowest and highest, in lanes
	WarpSize     int       `json:"warp_size"`     // by default, in lanes
	LaunchMemory int64     `json:"launch_memory"` // bytes that the buffers and images of a launch may take
	Capabilities []string  `json:"capabilities"`  // of SPIR-V
}

// devices lists all devices in a fixed order, the emulator first.
func devices() []device { return []device{emulatorDevice()} }

func writeDevices(w io.Writer, devices []device) error {
	var b strings.Builder
	for i, d := range devices {
		fmt.Fprintf(&b, "%d: %s\n", i, d.Name)
		row := func(name, format string, args ...any) {
			b.WriteString(diag.Wrap(fmt.Sprintf(format, args...), 80, fmt.Sprintf("   %-16s ", name), strings.Repeat(" ", 20)) + "\n")
		}
		row("driver", "%s %s", d.Driver, d.DriverInfo)
		row("SPIR-V", "%s to %s", d.SPIRV[0], d.SPIRV[1])
		row("lanes per warp", "%d to %d, %d by default", d.WarpSizes[0], d.WarpSizes[1], d.WarpSize)
		row("launch memory", "%d MiB", d.LaunchMemory>>20)
		row("capabilities", "%s", strings.Join(d.Capabilities, " "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeDevicesJSON(w io.Writer, devices []device) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Devices []device `json:"devices"`
	}{devices})
}
