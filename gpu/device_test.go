package gpu

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() []Device {
	return []Device{
		{Index: 0, Name: "llvmpipe (LLVM 15)", Type: typeCPU, ComputeQueue: true, API: makeAPIVersion(1, 3) | 230},
		{Index: 1, Name: "NVIDIA H200", Type: "discrete GPU", ComputeQueue: true, API: makeAPIVersion(1, 4)},
		{Index: 2, Name: "NVIDIA H100", Type: "discrete GPU", ComputeQueue: true, API: makeAPIVersion(1, 4)},
	}
}

func TestSelectFindsADevice(t *testing.T) {
	for _, c := range []struct {
		selector string
		want     int
	}{{"", 1}, {"0", 0}, {"vulkan:2", 2}, {"h200", 1}, {"nvidia h100", 2}, {"LLVMpipe", 0}} {
		d, err := selectDevice(sample(), c.selector)
		if err != nil || d.Index != c.want {
			t.Errorf("%q: expected device %d, found %v, %v", c.selector, c.want, d, err)
		}
	}
	if d, err := selectDevice(sample()[:1], ""); err != nil || d.Index != 0 {
		t.Errorf("the only device is not taken: %v, %v", d, err)
	}
	for _, c := range []struct{ selector, has string }{
		{"9", "below 3"}, {"-1", "below 3"}, {"vulkan:7", "below 3"}, {"radeon", "there are: 0 llvmpipe"}, {"nvidia", "2 devices"},
	} {
		_, err := selectDevice(sample(), c.selector)
		expectError(t, err, "BadInput", c.has)
	}
	_, err := selectDevice(nil, "0")
	expectError(t, err, "Unsupported", "no Vulkan device")
}

func TestDevicesAsJSON(t *testing.T) {
	want := sample()
	want[0].Accelerator = Accelerated{DevicePath: "vulkan:0", IsEmulated: true, DedicatedMemory: 2 << 20}
	want[1].Memory = []Heap{{141 << 30, true}, {1 << 30, false}}
	want[2].Subgroup = Subgroup{Size: 32, Min: 32, Max: 32, Operations: []string{"basic"}}
	b, err := devicesJSON(want)
	if err != nil {
		t.Fatal(err)
	}
	var got []Device
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, s := range []string{`"is_emulated": true`, `"dedicated_memory": 2097152`, `"api_version": "1.3.230"`, `"supports_double_precision"`} {
		if !strings.Contains(string(b), s) {
			t.Errorf("no %s in the JSON", s)
		}
	}
	if b, _ := devicesJSON(nil); string(b) != "[]\n" {
		t.Errorf("no devices: expected [], found %s", b)
	}
}

func TestDevicesAsText(t *testing.T) {
	d := sample()[1]
	d.Driver = Driver{Name: "NVIDIA", Info: "550.90"}
	d.Subgroup = Subgroup{Size: 32, Min: 8, Max: 64, SizeControl: true, Operations: []string{"basic", "vote"}}
	d.TileStatic, d.TileThreads, d.TileExtent, d.Grid = 49152, 1024, [3]uint32{1024, 1024, 64}, [3]uint32{1 << 31, 65535, 65535}
	d.Float64, d.Int64 = true, true
	d.Memory = []Heap{{Bytes: 3 << 29, Local: true}, {Bytes: 1000, Local: false}}
	d.Accelerator = Accelerated{DevicePath: "vulkan:1", DedicatedMemory: 1572864, SupportsDoublePrecision: true}
	const want = `1: NVIDIA H200
   type                               discrete GPU
   driver                             NVIDIA 550.90
   Vulkan                             1.4.0
   subgroup size                      32 (8 to 64, can be asked for)
   subgroup operations                basic, vote
   tile_static                        48 KiB
   threads per tile                   1024 (at most 1024x1024x64)
   tiles per grid                     2147483648x65535x65535
   types                              float64, int64
   atomics beyond 32-bit integers     none
   Vulkan memory model                no
   buffer device address              no
   device memory                      1.5 GiB
   host memory                        1000 bytes
   timestamps                         no
   device_path                        vulkan:1
   is_emulated                        false
   dedicated_memory                   1572864 KiB
   supports_double_precision          true
   supports_limited_double_precision  false
   supports_cpu_shared_memory         false
`
	if diff := cmp.Diff(want, DevicesText([]Device{d})); diff != "" {
		t.Error(diff)
	}
}
