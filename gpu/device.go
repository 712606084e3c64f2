package gpu

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ampdbg/diag"
)

// Device is an accelerator with what a kernel's author needs to know of it.
type Device struct {
	Index  int        `json:"index"` // its number in selectors
	Name   string     `json:"name"`
	Type   string     `json:"type"` // "discrete GPU", "integrated GPU", "virtual GPU", "CPU", "other"
	API    APIVersion `json:"api_version"`
	Driver Driver     `json:"driver"`
	UUID   string     `json:"uuid"`

	Accelerator Accelerated `json:"accelerator"`

	Subgroup     Subgroup  `json:"subgroup"`
	TileStatic   uint32    `json:"tile_static_bytes"`
	TileThreads  uint32    `json:"threads_per_tile"`
	TileExtent   [3]uint32 `json:"tile_extent"` // most threads of a tile in x, y, z
	Grid         [3]uint32 `json:"grid"`        // most tiles in x, y, z
	Float16      bool      `json:"float16"`
	Float64      bool      `json:"float64"`
	Int8         bool      `json:"int8"`
	Int16        bool      `json:"int16"`
	Int64        bool      `json:"int64"`
	Atomics      []string  `json:"atomics"` // beyond those on 32-bit integers: "int64 buffer", "float32 add tile_static"
	MemoryModel  bool      `json:"vulkan_memory_model"`
	DeviceScope  bool      `json:"vulkan_memory_model_device_scope"`
	Addresses    bool      `json:"buffer_device_address"`
	Memory       []Heap    `json:"memory"`
	Timestamps   bool      `json:"timestamps"`
	ComputeQueue bool      `json:"compute_queue"`
	Limits       Limits    `json:"limits"`

	Features   []string `json:"features"`   // by Vulkan's names, sorted
	Properties []string `json:"properties"` // yes-or-no properties that hold, by Vulkan's names, sorted
	Extensions []string `json:"extensions"` // sorted
}

// Accelerated is the device in the words of C++ AMP's class accelerator.
type Accelerated struct {
	DevicePath                     string `json:"device_path"` // the selector that names this device alone
	Description                    string `json:"description"`
	Version                        uint32 `json:"version"`          // API version: major in the upper 16 bits, minor in the lower
	DedicatedMemory                uint64 `json:"dedicated_memory"` // KiB
	SupportsDoublePrecision        bool   `json:"supports_double_precision"`
	SupportsLimitedDoublePrecision bool   `json:"supports_limited_double_precision"`
	SupportsCPUSharedMemory        bool   `json:"supports_cpu_shared_memory"`
	IsEmulated                     bool   `json:"is_emulated"`
	IsDebug                        bool   `json:"is_debug"`
	HasDisplay                     bool   `json:"has_display"`
}

// Driver is who made the driver and which it is.
type Driver struct {
	Name    string `json:"name"`
	Info    string `json:"info"`
	Version uint32 `json:"version"` // in the vendor's own packing
}

// Subgroup is the device's warp.
type Subgroup struct {
	Size        uint32   `json:"size"`
	Min         uint32   `json:"min"`
	Max         uint32   `json:"max"`
	PerTile     uint32   `json:"per_tile"`     // most subgroups of a required size in a tile; 0 unknown
	SizeControl bool     `json:"size_control"` // compute pipelines may ask for a size
	Compute     bool     `json:"compute"`      // subgroup operations work in compute shaders
	Operations  []string `json:"operations"`   // "basic", "vote", ...
}

// Heap is a memory heap of the device.
type Heap struct {
	Bytes uint64 `json:"bytes"`
	Local bool   `json:"device_local"`
}

// Limits are further limits that launches run into; sizes and alignments in
// bytes.
type Limits struct {
	PushConstants        uint32  `json:"push_constants"`
	StorageRange         uint32  `json:"storage_buffer_range"`
	UniformRange         uint32  `json:"uniform_buffer_range"`
	TexelElements        uint32  `json:"texel_buffer_elements"`
	StorageAlign         uint64  `json:"storage_buffer_alignment"`
	UniformAlign         uint64  `json:"uniform_buffer_alignment"`
	TexelAlign           uint64  `json:"texel_buffer_alignment"`
	DescriptorSets       uint32  `json:"descriptor_sets"`
	Allocation           uint64  `json:"allocation"`
	DynamicStorage       uint32  `json:"dynamic_storage_buffers"`
	DynamicUniform       uint32  `json:"dynamic_uniform_buffers"`
	StorageBuffers       uint32  `json:"storage_buffers"`
	UniformBuffers       uint32  `json:"uniform_buffers"`
	SampledImages        uint32  `json:"sampled_images"`
	StorageImages        uint32  `json:"storage_images"`
	Samplers             uint32  `json:"samplers"`
	TimestampNanoseconds float32 `json:"timestamp_nanoseconds"` // per tick
}

// APIVersion is a Vulkan version word.
type APIVersion uint32

// makeAPIVersion gives the version word of major.minor.0.
func makeAPIVersion(major, minor uint32) APIVersion { return APIVersion(major<<22 | minor<<12) }

func (v APIVersion) String() string {
	return fmt.Sprintf("%d.%d.%d", v>>22&0x7f, v>>12&0x3ff, v&0xfff)
}

// MarshalText gives the version as text.
func (v APIVersion) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (v *APIVersion) UnmarshalText(text []byte) error {
	var major, minor, patch uint32
	if _, err := fmt.Sscanf(string(text), "%d.%d.%d", &major, &minor, &patch); err != nil {
		return fmt.Errorf("version %q: expected major.minor.patch", text)
	}
	*v = makeAPIVersion(major, minor) | APIVersion(patch)
	return nil
}

// has reports whether the device has a feature, by Vulkan's name.
func (d *Device) has(feature string) bool { return contains(d.Features, feature) }

func (d *Device) hasExtension(name string) bool { return contains(d.Extensions, name) }

func (d *Device) hasProperty(name string) bool { return contains(d.Properties, name) }

func contains(sorted []string, s string) bool {
	_, ok := slices.BinarySearch(sorted, s)
	return ok
}

// selectDevice finds the device that a selector names: its index, its device path
// ("vulkan:0"), or a part of its name in any case. The empty selector takes
// the first device that is no CPU, or else the first. The error is a
// *diag.Error: Unsupported where there is no device at all, BadInput where
// the selector names none or several.
func selectDevice(devices []Device, selector string) (*Device, error) {
	if len(devices) == 0 {
		return nil, unsupported("no Vulkan device")
	}
	if selector == "" {
		for i := range devices {
			if devices[i].Type != typeCPU && devices[i].ComputeQueue {
				return &devices[i], nil
			}
		}
		return &devices[0], nil
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(selector, pathPrefix)); err == nil {
		for i := range devices {
			if devices[i].Index == n {
				return &devices[i], nil
			}
		}
		return nil, &diag.Error{Class: diag.BadInput, Msg: fmt.Sprintf("device %d: expected a number below %d", n, len(devices))}
	}
	var found []*Device
	for i := range devices {
		if strings.EqualFold(devices[i].Name, selector) {
			return &devices[i], nil
		}
		if strings.Contains(strings.ToLower(devices[i].Name), strings.ToLower(selector)) {
			found = append(found, &devices[i])
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	what := "no device has that name"
	if len(found) > 1 {
		what = fmt.Sprintf("%d devices have that name", len(found))
	}
	var names []string
	for i := range devices {
		names = append(names, fmt.Sprintf("%d %s", devices[i].Index, devices[i].Name))
	}
	return nil, &diag.Error{Class: diag.BadInput, Msg: fmt.Sprintf("device %q: %s; there are: %s", selector, what, strings.Join(names, ", "))}
}

const (
	typeCPU    = "CPU"
	pathPrefix = "vulkan:"
)

// devicesJSON renders devices as an indented JSON array.
func devicesJSON(devices []Device) ([]byte, error) {
	if devices == nil {
		devices = []Device{}
	}
	b, err := json.MarshalIndent(devices, "", "  ")
	return append(b, '\n'), err
}
