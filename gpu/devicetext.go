package gpu

import (
	"fmt"
	"strings"

	"ampdbg/diag"
)

// DevicesText renders devices for people: a headline and a table each, in
// Vulkan's words and C++ AMP's.
func DevicesText(devices []Device) string {
	var b strings.Builder
	for i := range devices {
		if i > 0 {
			b.WriteByte('\n')
		}
		devices[i].text(&b)
	}
	return b.String()
}

func (d *Device) text(b *strings.Builder) {
	fmt.Fprintf(b, "%d: %s\n", d.Index, d.Name)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(b, "   %-34s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("type", "%s", d.Type)
	row("driver", "%s", strings.TrimSpace(d.Driver.Name+" "+d.Driver.Info))
	row("Vulkan", "%s", d.API)
	if s := d.Subgroup; s.Min != s.Max {
		row("subgroup size", "%d (%d to %d%s)", s.Size, s.Min, s.Max, onlyIf(s.SizeControl, ", can be asked for"))
	} else {
		row("subgroup size", "%d", s.Size)
	}
	row("subgroup operations", "%s", orNone(d.Subgroup.Operations))
	row("tile_static", "%s", bytesText(uint64(d.TileStatic)))
	row("threads per tile", "%d (at most %s)", d.TileThreads, diag.Size(d.TileExtent))
	row("tiles per grid", "%s", diag.Size(d.Grid))
	row("types", "%s", orNone(d.typeNames()))
	row("atomics beyond 32-bit integers", "%s", orNone(d.Atomics))
	row("Vulkan memory model", "%s%s", yesNo(d.MemoryModel), onlyIf(d.MemoryModel && d.DeviceScope, ", with device scope"))
	row("buffer device address", "%s", yesNo(d.Addresses))
	for _, h := range d.Memory {
		kind := "host memory"
		if h.Local {
			kind = "device memory"
		}
		row(kind, "%s", bytesText(h.Bytes))
	}
	row("timestamps", "%s", yesNo(d.Timestamps))
	a := d.Accelerator
	row("device_path", "%s", a.DevicePath)
	row("is_emulated", "%t", a.IsEmulated)
	row("dedicated_memory", "%d KiB", a.DedicatedMemory)
	row("supports_double_precision", "%t", a.SupportsDoublePrecision)
	row("supports_limited_double_precision", "%t", a.SupportsLimitedDoublePrecision)
	row("supports_cpu_shared_memory", "%t", a.SupportsCPUSharedMemory)
}

func (d *Device) typeNames() []string {
	var out []string
	for _, t := range []struct {
		has  bool
		name string
	}{{d.Float16, "float16"}, {d.Float64, "float64"}, {d.Int8, "int8"}, {d.Int16, "int16"}, {d.Int64, "int64"}} {
		if t.has {
			out = append(out, t.name)
		}
	}
	return out
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

func onlyIf(v bool, s string) string {
	if v {
		return s
	}
	return ""
}

// bytesText gives a size in the largest binary unit that it is at least one
// of, with a decimal where it is no whole number of them.
func bytesText(n uint64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	v, u := float64(n), 0
	for v >= 1024 && u < len(units)-1 {
		v /= 1024
		u++
	}
	if v == float64(uint64(v)) {
		return fmt.Sprintf("%.0f %s", v, units[u])
	}
	return fmt.Sprintf("%.1f %s", v, units[u])
}
