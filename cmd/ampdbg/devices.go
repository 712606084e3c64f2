package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"

	"ampdbg/diag"
	"ampdbg/gpu"
)

var devicesCommand = command{
	name:  "devices",
	short: "list accelerators and what they can do",
	long: `Lists what can run a launch: the emulator, with its limits and the SPIR-V
capabilities of the kernels that it runs, and the Vulkan devices, with what
they can do in Vulkan's words and in those of C++ AMP's accelerator. Their
numbers and names are what --device takes.

Where there are no Vulkan devices, the list says why.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		f := formatText
		fs.Var(&f, "format", "how to write the list: `text|json`")
		return func(env *environment, operands []string) (int, error) {
			switch {
			case len(operands) > 0:
				return 0, usagef("expected no operands, found %q", operands[0])
			case f == formatJSON || f == formatText:
				gpus, err := env.gpus.Devices(env.ctx)
				if env.ctx.Err() != nil {
					return 0, interrupted(env.ctx, env.ctx.Err())
				}
				if f == formatJSON {
					return exitClean, writeDevicesJSON(env.stdout, devices(), gpus, err)
				}
				return exitClean, writeDevices(env.stdout, devices(), gpus, err)
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

// devices lists what runs launches without a GPU.
func devices() []device { return []device{emulatorDevice()} }

// writeDevices writes the list; missing says why there are no gpus.
func writeDevices(w io.Writer, devices []device, gpus []gpu.Device, missing error) error {
	var b strings.Builder
	for _, d := range devices {
		fmt.Fprintf(&b, "%s\n", d.Name)
		row := func(name, format string, args ...any) {
			b.WriteString(diag.Wrap(fmt.Sprintf(format, args...), 80, fmt.Sprintf("   %-16s ", name), strings.Repeat(" ", 20)) + "\n")
		}
		row("driver", "%s %s", d.Driver, d.DriverInfo)
		row("SPIR-V", "%s to %s", d.SPIRV[0], d.SPIRV[1])
		row("lanes per warp", "%d to %d, %d by default", d.WarpSizes[0], d.WarpSizes[1], d.WarpSize)
		row("launch memory", "%d MiB", d.LaunchMemory>>20)
		row("capabilities", "%s", strings.Join(d.Capabilities, " "))
	}
	b.WriteByte('\n')
	if missing != nil {
		b.WriteString(diag.Wrap(missing.Error(), 80, "no GPU: ", "    ") + "\n")
	} else {
		b.WriteString(gpu.DevicesText(gpus))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeDevicesJSON(w io.Writer, devices []device, gpus []gpu.Device, missing error) error {
	list := struct {
		Devices []device     `json:"devices"`
		GPUs    []gpu.Device `json:"gpus"`
		Missing string       `json:"no_gpu,omitempty"`
	}{Devices: devices, GPUs: gpus}
	if missing != nil {
		list.Missing = missing.Error()
	}
	if list.GPUs == nil {
		list.GPUs = []gpu.Device{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}
