//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"ampdbg/diag"
	"ampdbg/gpu/internal/driver"
)

// process is the instance without validation, kept for the whole process:
// drivers are not made to be loaded and unloaded again and again.
var process struct {
	sync.Mutex
	instance *driver.Instance
}

func processInstance() (*driver.Instance, error) {
	process.Lock()
	defer process.Unlock()
	if process.instance == nil {
		i, err := driver.NewInstance(false)
		if err != nil {
			return nil, instanceError(err)
		}
		process.instance = i
	}
	return process.instance, nil
}

// instanceError says why there is no Vulkan here.
func instanceError(err error) error {
	var e *driver.Error
	switch {
	case errors.Is(err, driver.ErrNoLoader):
		return &diag.Error{Class: diag.Unsupported, Msg: "no Vulkan on this system", Err: err}
	case errors.As(err, &e) && e.Code == driver.IncompatibleICD:
		return &diag.Error{Class: diag.Unsupported, Msg: "no Vulkan driver is installed", Err: err}
	case errors.Is(err, driver.ErrNoValidation):
		return &diag.Error{Class: diag.Unsupported, Msg: "validation", Err: err}
	}
	return &diag.Error{Class: diag.Unsupported, Msg: "Vulkan does not start", Err: err}
}

// Devices lists the accelerators in the Vulkan loader's order. Where the
// system has no loader, no driver or no device, the error is a *diag.Error of
// class Unsupported that says so.
func Devices() ([]Device, error) {
	i, err := processInstance()
	if err != nil {
		return nil, err
	}
	devices, _, err := enumerate(i)
	return devices, err
}

func enumerate(i *driver.Instance) ([]Device, []*driver.Physical, error) {
	physical, err := i.Physical()
	if err != nil {
		return nil, nil, instanceError(err)
	}
	if len(physical) == 0 {
		return nil, nil, unsupported("no Vulkan device")
	}
	var out []Device
	for n, p := range physical {
		out = append(out, describe(n, p))
	}
	return out, physical, nil
}

var subgroupKinds = []string{"basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle_relative", "clustered", "quad", "partitioned", "rotate", "rotate_clustered"}

const computeStage = 0x20

// describe turns what a driver says of a device into a Device.
func describe(index int, p *driver.Physical) Device {
	l := &p.Limits
	d := Device{
		Index: index, Name: p.Name, API: APIVersion(p.API),
		Type:       "other",
		Driver:     Driver{p.DriverName, p.DriverInfo, p.DriverWord},
		UUID:       hex.EncodeToString(p.UUID[:]),
		TileStatic: l.MaxComputeSharedMemorySize, TileThreads: l.MaxComputeWorkGroupInvocations,
		TileExtent: l.MaxComputeWorkGroupSize, Grid: l.MaxComputeWorkGroupCount,
		Float16: p.Features["shaderFloat16"], Float64: p.Features["shaderFloat64"],
		Int8: p.Features["shaderInt8"], Int16: p.Features["shaderInt16"], Int64: p.Features["shaderInt64"],
		Atomics:     atomics(p.Features),
		MemoryModel: p.Features["vulkanMemoryModel"], DeviceScope: p.Features["vulkanMemoryModelDeviceScope"],
		Addresses:  p.Features["bufferDeviceAddress"],
		Timestamps: p.TimestampBits > 0, ComputeQueue: p.Family >= 0,
		Limits: Limits{
			PushConstants: l.MaxPushConstantsSize, StorageRange: l.MaxStorageBufferRange, UniformRange: l.MaxUniformBufferRange,
			TexelElements: l.MaxTexelBufferElements,
			StorageAlign:  uint64(l.MinStorageBufferOffsetAlignment), UniformAlign: uint64(l.MinUniformBufferOffsetAlignment),
			TexelAlign: uint64(l.MinTexelBufferOffsetAlignment), DescriptorSets: l.MaxBoundDescriptorSets, Allocation: p.MaxAllocation,
			DynamicStorage: l.MaxDescriptorSetStorageBuffersDynamic, DynamicUniform: l.MaxDescriptorSetUniformBuffersDynamic,
			StorageBuffers: l.MaxPerStageDescriptorStorageBuffers, UniformBuffers: l.MaxPerStageDescriptorUniformBuffers,
			SampledImages: l.MaxPerStageDescriptorSampledImages, StorageImages: l.MaxPerStageDescriptorStorageImages,
			Samplers: l.MaxPerStageDescriptorSamplers, TimestampNanoseconds: l.TimestampPeriod,
		},
		Features:   holding(p.Features),
		Properties: holding(p.Properties),
		Extensions: slices.Sorted(maps.Keys(p.Extensions)),
	}
	if types := []string{"other", "integrated GPU", "discrete GPU", "virtual GPU", typeCPU}; int(p.Type) < len(types) {
		d.Type = types[p.Type]
	}
	s := p.Subgroup
	d.Subgroup = Subgroup{Size: s.Size, Min: s.Min, Max: s.Max, PerTile: s.MaxSubgroupsTile, Compute: s.Stages&computeStage != 0, Operations: []string{},
		SizeControl: p.Features["subgroupSizeControl"] && s.RequiredStages&computeStage != 0}
	for bit, name := range subgroupKinds {
		if s.Ops>>bit&1 != 0 {
			d.Subgroup.Operations = append(d.Subgroup.Operations, name)
		}
	}
	var local uint64
	for _, h := range p.Heaps {
		d.Memory = append(d.Memory, Heap{h.Size, h.Local})
		if h.Local {
			local += h.Size
		}
	}
	shared := false
	for _, t := range p.Types {
		shared = shared || t.Flags&3 == 3 // device-local and seen by the host
	}
	d.Accelerator = Accelerated{
		DevicePath: fmt.Sprint(pathPrefix, index), Description: p.Name,
		Version: uint32(d.API>>22&0x7f<<16 | d.API>>12&0x3ff), DedicatedMemory: local / 1024,
		SupportsDoublePrecision: d.Float64, SupportsLimitedDoublePrecision: d.Float64,
		SupportsCPUSharedMemory: shared, IsEmulated: d.Type == typeCPU,
	}
	return d
}

// holding lists the names that hold, sorted; never nil.
func holding(m map[string]bool) []string {
	out := []string{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if m[name] {
			out = append(out, name)
		}
	}
	return out
}

// atomics puts the atomic features into words.
func atomics(features map[string]bool) []string {
	out := []string{}
	for _, where := range []struct{ vulkan, word string }{{"Buffer", "buffer"}, {"Shared", "tile_static"}, {"Image", "image"}} {
		if features["shader"+where.vulkan+"Int64Atomics"] {
			out = append(out, "int64 "+where.word)
		}
		for _, width := range []string{"16", "32", "64"} {
			for _, kind := range []struct{ vulkan, word string }{{"Atomics", "exchange"}, {"AtomicAdd", "add"}, {"AtomicMinMax", "min/max"}} {
				if features["shader"+where.vulkan+"Float"+width+kind.vulkan] {
					out = append(out, "float"+width+" "+kind.word+" "+where.word)
				}
			}
		}
	}
	return out
}
