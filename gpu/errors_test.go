//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ampdbg/diag"
	"ampdbg/launch"
)

func TestLaunchesThatFitNoDevice(t *testing.T) {
	a := open(t, Options{})
	double := kernel(t, "double.spvasm")
	data := buffer("data", words(upTo(128)...))
	good := func() *launch.Dispatch { return dispatch(double, 1, whole(0, 0, launch.StorageBuffer, data)) }
	for _, c := range []struct {
		name   string
		change func(*launch.Dispatch)
		class  string
		has    []string
	}{
		{"no entry point", func(d *launch.Dispatch) { d.Entry = "other" }, "BadInput", []string{`no compute entry point "other"`}},
		{"nothing bound", func(d *launch.Dispatch) { d.Bindings = nil }, "BadInput", []string{"%data", "set 0 binding 0", "nothing is bound"}},
		{"wrong kind", func(d *launch.Dispatch) { d.Bindings[0].Kind = launch.UniformBuffer }, "BadInput", []string{"set 0 binding 0", "uniform buffer is bound"}},
		{"bound twice", func(d *launch.Dispatch) { d.Bindings = append(d.Bindings, d.Bindings[0]) }, "BadInput", []string{"bound twice"}},
		{"too many tiles", func(d *launch.Dispatch) { d.Groups[1] = 1 << 31 }, "Unsupported", []string{"tiles in y"}},
		{"no buffer", func(d *launch.Dispatch) {
			d.Bindings[0].Elems[0] = launch.Descriptor{Sampler: nearest()}
		}, "BadInput", []string{"has no buffer"}},
		{"range outside", func(d *launch.Dispatch) { d.Bindings[0].Elems[0].Range = 1000 }, "BadInput", []string{"data", "which has 512"}},
		{"negative offset", func(d *launch.Dispatch) { d.Bindings[0].Elems[0].Offset = -4 }, "BadInput", []string{"data"}},
		{"empty range", func(d *launch.Dispatch) { d.Bindings[0].Elems[0].Range = 0 }, "Unsupported", []string{"empty range"}},
		{"crooked offset", func(d *launch.Dispatch) {
			d.Bindings[0].Elems[0].Offset, d.Bindings[0].Elems[0].Range = 2, 100
		}, "Unsupported", []string{"offset 2", "multiples of"}},
		{"push constants too large", func(d *launch.Dispatch) { d.Push = make([]byte, 1<<20) }, "Unsupported", []string{"push constants"}},
		{"set too high", func(d *launch.Dispatch) {
			d.Bindings = append(d.Bindings, whole(1<<20, 0, launch.StorageBuffer, data))
		}, "Unsupported", []string{"descriptor sets"}},
		{"odd subgroup size", func(d *launch.Dispatch) { d.Subgroup.RequiredSize = 3 }, "Unsupported", []string{"subgroup size"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := good()
			c.change(d)
			expectError(t, a.Dispatch(t.Context(), d), c.class, c.has...)
		})
	}
	run(t, a, good())
}

func TestModulesThatNoDeviceTakes(t *testing.T) {
	a := open(t, Options{})
	data := buffer("data", words(upTo(8)...))
	for _, c := range []struct {
		name    string
		replace []string
		class   string
		has     []string
	}{
		{"capability of OpenCL", []string{"OpCapability Shader", "OpCapability Shader\nOpCapability Kernel"}, "Unsupported", []string{"capability Kernel"}},
		{"extension without a meaning", []string{"OpMemoryModel", "OpExtension \"SPV_XYZ_what\"\nOpMemoryModel"}, "Unsupported", []string{"SPV_XYZ_what"}},
		{"a member that is not there", []string{"%puint %data %c0 %x", "%puint %data %c2 %x"}, "BadInput", []string{"module word offset", "OpAccessChain indexes a part that does not exist"}},
		{"a member by a variable", []string{"%puint %data %c0 %x", "%puint %data %x %x"}, "BadInput", []string{"OpAccessChain"}},
		{"a chain into a scalar", []string{"%puint %data %c0 %x", "%puint %data %c0 %x %c0"}, "BadInput", []string{"OpAccessChain"}},
		{"a component that is not there", []string{"%w = OpIMul %uint %v %c2", "%g = OpLoad %v3uint %gid\n%w = OpCompositeExtract %uint %g 3"}, "BadInput", []string{"OpCompositeExtract"}},
		{"a shuffle from nowhere", []string{"%w = OpIMul %uint %v %c2", "%g = OpLoad %v3uint %gid\n%h = OpVectorShuffle %v3uint %g %g 0 1 6\n%w = OpIMul %uint %v %c2"}, "BadInput", []string{"OpVectorShuffle"}},
		{"refused by the driver", []string{"%w = OpIMul %uint %v %c2", "%w = OpIMul %v3uint %v %c2"}, "driver", []string{"the driver of", "refuses double.spvasm"}},
		{"tile too wide", []string{"LocalSize 8 1 1", "LocalSize 100000 1 1"}, "Unsupported", []string{"threads per tile in x"}},
		{"tile too large", []string{"LocalSize 8 1 1", "LocalSize 1024 64 1"}, "Unsupported", []string{"threads per tile"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.class == "driver" {
				if !a.Device().Accelerator.IsEmulated {
					t.Skip("hardware drivers may crash on it")
				}
				c.class = "Unsupported"
			}
			m := kernel(t, "double.spvasm", c.replace...)
			_, err := a.Run(t.Context(), dispatch(m, 1, whole(0, 0, launch.StorageBuffer, data)))
			expectError(t, err, c.class, c.has...)
		})
	}
	run(t, a, dispatch(kernel(t, "double.spvasm"), 1, whole(0, 0, launch.StorageBuffer, data)))
}

func TestMissingFeatureIsNamed(t *testing.T) {
	a := open(t, Options{})
	device := a.device
	a.device.Features = nil
	_, err := a.Run(t.Context(), dispatch(kernel(t, "types.spvasm"), 1, whole(0, 0, launch.StorageBuffer, buffer("b", make([]byte, 80)))))
	expectError(t, err, "Unsupported", "feature shaderFloat16 (capability Float16)", "feature shaderFloat64", "storageBuffer8BitAccess",
		"shaderSharedInt64Atomics (OpAtomicIAdd on a 64-bit integer)", "shaderBufferFloat32AtomicAdd (OpAtomicFAddEXT on a 32-bit float)",
		"shaderSubgroupExtendedTypes")
	a.device = device
}

func TestRequirementsOfTheLaunch(t *testing.T) {
	require := func(kind, name string) Options {
		return Options{Require: []launch.Requirement{{Kind: kind, Name: name, Pos: diag.Pos{File: "x.amber", Line: 3}}}}
	}
	a := open(t, require("DEVICE_FEATURE", "robustBufferAccess"))
	run(t, a, dispatch(kernel(t, "double.spvasm"), 1, whole(0, 0, launch.StorageBuffer, buffer("b", words(upTo(8)...)))))
	for _, c := range []struct{ kind, name, class, has string }{
		{"DEVICE_FEATURE", "Nonsense.shaderNonsense", "Unsupported", "feature shaderNonsense"},
		{"DEVICE_FEATURE", "SubgroupSupportedOperations.nonsense", "Unsupported", "nonsense"},
		{"DEVICE_EXTENSION", "VK_XYZ_nonsense", "Unsupported", "extension VK_XYZ_nonsense"},
		{"INSTANCE_EXTENSION", "VK_XYZ_nonsense", "Unsupported", "VK_XYZ_nonsense"},
		{"DEVICE_PROPERTY", "FloatControlsProperties.nonsense", "Unsupported", "property nonsense"},
		{"WISH", "x", "BadInput", "WISH"},
	} {
		_, err := Open("", require(c.kind, c.name))
		expectError(t, err, c.class, c.has)
	}
	open(t, require("DEVICE_FEATURE", "SubgroupSupportedOperations.basic"))
	open(t, require("DEVICE_EXTENSION", a.Device().Extensions[0]))
}

func TestHugeBufferIsOutOfMemory(t *testing.T) {
	a := open(t, Options{})
	place, err := (&job{a: a, l: mustLogical(t, a)}).newDeviceBuffer(1<<46, 0x20)
	if err == nil {
		place.destroy()
		t.Fatal("64 TiB were allocated")
	}
	t.Log(a.explain(err, &launch.Dispatch{}))
	expectError(t, a.explain(err, &launch.Dispatch{}), "Unsupported")
}

func mustLogical(t *testing.T, a *Accelerator) *logical {
	l, err := a.logical(needs{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// spin makes a dispatch that runs for a second or more: many tiles, since
// lavapipe ends a loop after 65,535 rounds.
func spin(t *testing.T) *launch.Dispatch {
	return dispatch(kernel(t, "spin.spvasm"), 400, whole(0, 0, launch.StorageBuffer, buffer("data", words(1, 256, 0))))
}

func TestTimeoutLeavesTheProcessAlive(t *testing.T) {
	a := open(t, Options{Timeout: 50 * time.Millisecond})
	start := time.Now()
	err := a.Dispatch(t.Context(), spin(t))
	expectError(t, err, "Budget", "50ms")
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("the timeout took %v", d)
	}
	b := buffer("data", words(upTo(8)...))
	a.opt.Timeout = 0
	run(t, a, dispatch(kernel(t, "double.spvasm"), 1, whole(0, 0, launch.StorageBuffer, b)))
	expectWords(t, "data", b.Data, 0, 2, 4, 6, 8, 10, 12, 14)
}

func TestContextEndsTheWait(t *testing.T) {
	a := open(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := a.Dispatch(ctx, spin(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("expected the context's error, found %v", err)
	}
	if err := a.Dispatch(ctx, spin(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("expected the context's error, found %v", err)
	}
}

func TestClosedAcceleratorSaysSo(t *testing.T) {
	a := open(t, Options{})
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Dispatch(t.Context(), spin(t)); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("expected an error about closing, found %v", err)
	}
}

func TestWritesOutsideAreCaught(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		outside := kernel(t, "outside.spvasm")
		for _, c := range []struct {
			at     uint32
			offset int // of the write that is found, in bytes; 0 for none
			bytes  int
		}{{3, 0, 0}, {6, 32, 0}, {8, 32, 8}, {7, 32, 4}, {100, 400, 8}} {
			b := buffer("small", make([]byte, 32))
			d := dispatch(outside, 1, whole(0, 0, launch.StorageBuffer, b))
			d.Push = words(c.at, 0xabcdef01)
			r, err := a.Run(t.Context(), d)
			if c.bytes == 0 {
				if err != nil {
					t.Errorf("element %d: %v", c.at, err)
				}
				continue
			}
			var o *OutsideError
			if !errors.As(err, &o) || len(r.Outside) != 1 {
				t.Errorf("element %d: expected an OutsideError, found %v", c.at, err)
				continue
			}
			w := o.Writes[0]
			if w.Buffer != b || w.Offset != c.offset || len(w.Bytes) != c.bytes {
				t.Errorf("element %d: expected %d bytes at %d, found %v", c.at, c.bytes, c.offset, err)
			}
			if f := o.Finding(); f.Code != diag.OutOfBounds || f.Variable.String() != "small" {
				t.Errorf("finding %+v", f)
			}
		}
		// Where the range ends before the buffer, the kernel's writes behind
		// it must not reach the rest of the buffer by our doing.
		b := buffer("ranged", make([]byte, 512))
		d := dispatch(outside, 1, launch.Binding{Kind: launch.StorageBuffer, Elems: []launch.Descriptor{{Buffer: b, Range: 8}}})
		d.Push = words(0, 5)
		run(t, a, d)
		expectWords(t, "ranged", b.Data[:12], 5, 5, 0)
	})
}

func TestWritesThroughAddressesAreCaught(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		for _, off := range []int32{-4, -100, 24, 4000} {
			list := addressLaunch(off)
			err := a.Dispatch(t.Context(), dispatch(kernel(t, "address.spvasm"), 1, whole(0, 0, launch.StorageBuffer, list[0])))
			var o *OutsideError
			if !errors.As(err, &o) {
				t.Errorf("offset %d: expected an OutsideError, found %v", off, err)
				continue
			}
			if w := o.Writes[0]; w.Buffer != list[0] || w.Offset != int(off) || fmt.Sprintf("%x", w.Bytes) != "efbeadde" {
				t.Errorf("offset %d: found %v", off, err)
			}
		}
	})
}
