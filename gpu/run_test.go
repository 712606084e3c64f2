//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"ampdbg/launch"
	"ampdbg/spirv"
)

func TestDispatchDoublesABuffer(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		b := buffer("data", words(upTo(64)...))
		d := dispatch(kernel(t, "double.spvasm"), 8, whole(0, 0, launch.StorageBuffer, b))
		run(t, a, d)
		run(t, a, d) // what a dispatch leaves is what the next one finds
		for i, v := range unwords(b.Data) {
			if v != uint32(4*i) {
				t.Fatalf("element %d: expected %d, found %d", i, 4*i, v)
			}
		}
	})
}

func TestEveryKindOfBuffer(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		dynamic := make([]byte, 1024)
		copy(dynamic[512:], words(30))
		far := make([]byte, 1024)
		copy(far[768:], words(100, 200, 300, 400))
		uniform := buffer("uniform", words(1, 2, 3, 4))
		dyn, sd := buffer("dynamic uniform", dynamic), buffer("dynamic storage", far)
		storageTexel, uniformTexel := buffer("storage texel", words(1, 2, 3, 4)), buffer("uniform texel", words(5, 6, 7, 8))
		a0, a1 := buffer("array 0", words(10, 10, 10, 10)), buffer("array 1", words(1, 2, 3, 4))
		out := buffer("out", make([]byte, 16))
		texel := func(set, binding uint32, kind launch.DescriptorKind, b *launch.Buffer) launch.Binding {
			w := whole(set, binding, kind, b)
			w.Elems[0].Format = "R32_UINT"
			return w
		}
		d := dispatch(kernel(t, "kinds.spvasm"), 1,
			whole(3, 5, launch.StorageBuffer, out),
			launch.Binding{Binding: 2, Kind: launch.StorageBufferDynamic, Elems: []launch.Descriptor{{Buffer: sd, Offset: 768, Dynamic: 256, Range: 256}}},
			whole(0, 0, launch.UniformBuffer, uniform),
			launch.Binding{Binding: 1, Kind: launch.UniformBufferDynamic, Elems: []launch.Descriptor{{Buffer: dyn, Offset: 512, Dynamic: 512, Range: 256}}},
			texel(1, 0, launch.StorageTexelBuffer, storageTexel), texel(1, 1, launch.UniformTexelBuffer, uniformTexel),
			whole(1, 3, launch.StorageBuffer, a0, a1),
		)
		d.Spec = spirv.SpecValues{3: 2}
		d.PushBuffer = buffer("push", words(9, 7))
		run(t, a, d)
		var want []uint32
		for i := range uint32(4) {
			want = append(want, (i+1+30+100*(i+1))*2+5+i+10+2*(i+1)+907)
		}
		expectWords(t, "out", out.Data, want...)
		expectWords(t, "dynamic storage", sd.Data[768:784], 7, 8, 9, 10)
		expectWords(t, "storage texel", storageTexel.Data, 1001, 1002, 1003, 1004)
		expectWords(t, "uniform", uniform.Data, 1, 2, 3, 4)
	})
}

func TestOneBufferInSeveralPlacesIsOneMemory(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		b := buffer("both", words(7, 0))
		run(t, a, dispatch(kernel(t, "length.spvasm"), 1, whole(0, 0, launch.StorageBuffer, b), whole(0, 1, launch.StorageBuffer, b)))
		// n is written to element 0 before element 0 is read.
		expectWords(t, "both", b.Data, 2, 2)
	})
}

func TestRangeIsWhatTheKernelSees(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		in, out := buffer("in", words(upTo(256)...)), buffer("out", words(0, 0))
		part := launch.Binding{Kind: launch.StorageBuffer, Elems: []launch.Descriptor{{Buffer: in, Offset: 256, Range: 40}}}
		run(t, a, dispatch(kernel(t, "length.spvasm"), 1, part, whole(0, 1, launch.StorageBuffer, out)))
		expectWords(t, "out", out.Data, 10, 64)
		rest := launch.Binding{Kind: launch.StorageBuffer, Elems: []launch.Descriptor{{Buffer: in, Offset: 256, Range: 768}}}
		run(t, a, dispatch(kernel(t, "length.spvasm"), 1, rest, whole(0, 1, launch.StorageBuffer, out)))
		expectWords(t, "out", out.Data, 192, 64)
	})
}

func TestNumericTypesAndSpecialization(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		data := make([]byte, 80)
		for i := range 8 {
			binary.LittleEndian.PutUint16(data[12+2*i:], 0x3c00) // 1.0
			data[28+i] = byte(i)
			binary.LittleEndian.PutUint16(data[36+2*i:], uint16(i))
		}
		b := buffer("types", data)
		d := dispatch(kernel(t, "types.spvasm"), 1, whole(0, 0, launch.StorageBuffer, b))
		d.Spec = spirv.SpecValues{0: 1, 1: 0x123456789abcdef0, 2: math.Float64bits(2.5), 77: 1}
		run(t, a, d)
		want := make([]byte, 80)
		binary.LittleEndian.PutUint64(want, 28<<32)
		binary.LittleEndian.PutUint32(want[8:], math.Float32bits(4))
		for i := range 8 {
			binary.LittleEndian.PutUint16(want[12+2*i:], 0x4000)
			want[28+i] = byte(i + 1)
			binary.LittleEndian.PutUint16(want[36+2*i:], uint16(-i))
		}
		binary.LittleEndian.PutUint64(want[56:], 0x123456789abcdef0)
		binary.LittleEndian.PutUint64(want[64:], math.Float64bits(2.5))
		binary.LittleEndian.PutUint32(want[72:], 1)
		binary.LittleEndian.PutUint32(want[76:], min(7, a.Device().Subgroup.Size-1))
		if !bytes.Equal(b.Data, want) {
			t.Errorf("expected\n% x, found\n% x", want, b.Data)
		}
	})
}

func TestAddressesLeadToOtherBuffers(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		list := addressLaunch(0)
		d := dispatch(kernel(t, "address.spvasm"), 1, whole(0, 0, launch.StorageBuffer, list[0]))
		for range 3 {
			run(t, a, d)
			expectWords(t, "sum", list[0].Data[8:12], 123)
		}
	})
}

// addressLaunch makes a head that points to nodes with the values 1, 2 and 3,
// the last two in one buffer, and that writes off bytes from its own start.
func addressLaunch(off int32) []*launch.Buffer {
	head := buffer("head", append(make([]byte, 8), words(0, uint32(off), 0, 0)...))
	first := buffer("first", words(1, 0, 0, 0))
	rest := buffer("rest", words(3, 0, 0, 0, 2, 0, 0, 0))
	head.Addresses = []launch.Address{{At: 0, To: first}, {At: 16, To: head}}
	first.Addresses = []launch.Address{{At: 8, To: rest, Add: 16}}
	rest.Addresses = []launch.Address{{At: 24, To: rest}}
	return []*launch.Buffer{head, first, rest}
}

func TestDescriptorArrayMayBePartlyEmpty(t *testing.T) {
	a := open(t, Options{})
	if a.device.has("descriptorBindingPartiallyBound") {
		t.Skip("the device allows it")
	}
	// A device without the feature says so by name.
	_, err := a.Run(t.Context(), dispatch(kernel(t, "samplerarray.spvasm"), 1, samplerArray(nil, 2)...))
	expectError(t, err, "Unsupported", "descriptorBindingPartiallyBound", "set 0 binding 0")
}

func TestNoTilesIsNoRun(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		b := buffer("data", words(1, 2))
		run(t, a, dispatch(kernel(t, "double.spvasm"), 0, whole(0, 0, launch.StorageBuffer, b)))
		expectWords(t, "data", b.Data, 1, 2)
	})
}

func TestRepeatStartsFromTheSameContents(t *testing.T) {
	everyWay(t, Options{Repeat: 5}, func(t *testing.T, a *Accelerator) {
		b := buffer("data", words(1, 2, 3, 4, 5, 6, 7, 8))
		r := run(t, a, dispatch(kernel(t, "double.spvasm"), 1, whole(0, 0, launch.StorageBuffer, b)))
		expectWords(t, "data", b.Data, 2, 4, 6, 8, 10, 12, 14, 16)
		if len(r.Host) != 5 || a.Device().Timestamps && len(r.Device) != 5 {
			t.Errorf("expected 5 durations, found %d and %d", len(r.Host), len(r.Device))
		}
		for i, d := range r.Device {
			if d <= 0 || d > r.Host[i] {
				t.Errorf("run %d took %v on the device and %v in all", i, d, r.Host[i])
			}
		}
	})
}

func TestSubgroupSizeRequests(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		s := a.Device().Subgroup
		out := buffer("size", words(0))
		d := dispatch(kernel(t, "subgroup.spvasm"), 1, whole(0, 0, launch.StorageBuffer, out))
		run(t, a, d)
		expectWords(t, "size", out.Data, s.Size)
		if !s.SizeControl {
			d.Subgroup.RequiredSize = launch.RequiredMax
			_, err := a.Run(t.Context(), d)
			expectError(t, err, "Unsupported", "subgroup size")
			return
		}
		for size := s.Min; size <= s.Max; size *= 2 {
			d.Subgroup = launch.Subgroup{RequiredSize: int(size), FullyPopulated: true}
			run(t, a, d)
			expectWords(t, "size", out.Data, size)
		}
		d.Subgroup = launch.Subgroup{RequiredSize: launch.RequiredMin}
		run(t, a, d)
		expectWords(t, "size", out.Data, s.Min)
		d.Subgroup.FullyPopulated = true
		d.Module = kernel(t, "subgroup.spvasm", "OpConstant %uint 64", "OpConstant %uint 3")
		_, err := a.Run(t.Context(), d)
		expectError(t, err, "Unsupported", "full subgroups")
		d.Subgroup.RequiredSize = int(s.Max) * 2
		_, err = a.Run(t.Context(), d)
		expectError(t, err, "Unsupported", "subgroup size")
	})
}
