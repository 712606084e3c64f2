//go:build cgo && linux && (amd64 || arm64)

package isolate

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ampdbg/diag"
	"ampdbg/gpu"
	"ampdbg/launch"
	"ampdbg/spirv"
)

func numbers(n int) []byte {
	var b []byte
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(i))
	}
	return b
}

func bound(buffers ...*launch.Buffer) []launch.Binding {
	var out []launch.Binding
	for i, b := range buffers {
		out = append(out, launch.Binding{Binding: uint32(i), Kind: launch.StorageBuffer, Elems: []launch.Descriptor{{Buffer: b, Range: int64(len(b.Data))}}})
	}
	return out
}

// doubling is a dispatch that doubles the numbers of a buffer.
func doubling(t testing.TB) (*launch.Dispatch, *launch.Buffer) {
	b := &launch.Buffer{Name: "data", Data: numbers(64)}
	return &launch.Dispatch{Module: kernel(t, "double.spvasm"), Entry: "main", Groups: [3]uint32{8, 1, 1}, Bindings: bound(b), Pos: diag.Pos{File: "d.amber", Line: 7}}, b
}

// works runs a dispatch, and checks its results.
func works(t *testing.T, a *Accelerator) {
	t.Helper()
	d, b := doubling(t)
	for factor := uint32(2); factor <= 4; factor *= 2 { // what one leaves the next one finds
		if err := a.Dispatch(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		for i := range 64 {
			if got := binary.LittleEndian.Uint32(b.Data[4*i:]); got != uint32(i)*factor {
				t.Fatalf("element %d: found %d", i, got)
			}
		}
	}
}

func TestResultsAreThoseOfTheDevice(t *testing.T) {
	results := 0
	a := open(t, "", Options{Options: gpu.Options{Repeat: 3, OnResult: func(_ *launch.Dispatch, r *gpu.Result) {
		results++
		if len(r.Host) != 3 {
			t.Errorf("%d runs, expected 3", len(r.Host))
		}
	}}})
	d, b := doubling(t)
	if err := a.Dispatch(t.Context(), d); err != nil || results != 1 || b.Data[4] != 2 {
		t.Errorf("%v, %d results, data % x", err, results, b.Data[:8])
	}
	here, err := gpu.Open(os.Getenv("AMPDBG_TEST_DEVICE"), gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	if diff := cmp.Diff(here.Device(), a.Device()); diff != "" {
		t.Error(diff)
	}
}

func TestAddressesLeadToTheSameBuffers(t *testing.T) {
	a := open(t, "", Options{})
	// A list of nodes (a number, the address of the next one), which the
	// kernel reads off as one number.
	head := &launch.Buffer{Name: "head", Data: make([]byte, 24)}
	node := &launch.Buffer{Name: "node", Data: make([]byte, 32)}
	node.Data[0], node.Data[16] = 1, 2
	head.Addresses = []launch.Address{{To: node}, {At: 16, To: head}}
	node.Addresses = []launch.Address{{At: 8, To: node, Add: 16}}
	d := &launch.Dispatch{Module: kernel(t, "address.spvasm"), Entry: "main", Groups: [3]uint32{1, 1, 1}, Bindings: bound(head)}
	check := func() (at [2]uint64) {
		t.Helper()
		if err := a.Dispatch(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if sum := binary.LittleEndian.Uint32(head.Data[8:]); sum != 12 {
			t.Errorf("read %d along the addresses, expected 12", sum)
		}
		return [2]uint64{binary.LittleEndian.Uint64(head.Data), binary.LittleEndian.Uint64(node.Data[8:])}
	}
	first := check()
	if again := check(); again != first {
		t.Errorf("addresses %#x, then %#x", first, again)
	}
	// A new child has new addresses.
	a.drop()
	check()
}

func TestWritesOutsideAreReported(t *testing.T) {
	a := open(t, "", Options{})
	b := &launch.Buffer{Name: "small", Data: make([]byte, 32)}
	d := &launch.Dispatch{Module: kernel(t, "outside.spvasm"), Entry: "main", Groups: [3]uint32{1, 1, 1}, Bindings: bound(b), Push: []byte{8, 0, 0, 0, 1, 0xef, 0xcd, 0xab}}
	r, err := a.Run(t.Context(), d)
	var outside *gpu.OutsideError
	if !errors.As(err, &outside) || len(r.Outside) != 1 {
		t.Fatalf("expected an OutsideError, found %v", err)
	}
	if w := outside.Writes[0]; w.Buffer != b || w.Offset != 32 || len(w.Bytes) != 8 || outside.Dispatch != d {
		t.Errorf("found %v", w)
	}
	works(t, a)
}

func TestErrorsOfLaunchesAreThoseOfTheDevice(t *testing.T) {
	a := open(t, "", Options{})
	d, _ := doubling(t)
	d.Entry = "other"
	err := a.Dispatch(t.Context(), d)
	var e *diag.Error
	if !errors.As(err, &e) || e.Class != diag.BadInput || !strings.Contains(err.Error(), `no compute entry point "other"`) {
		t.Errorf("%#v", err)
	}
	works(t, a)
	if _, err := a.host.Open(t.Context(), "no such device", Options{}); err == nil || !strings.Contains(err.Error(), "no device has that name") {
		t.Error(err)
	}
}

func TestValidationMessagesComeAlong(t *testing.T) {
	h := host(t, "")
	a, err := h.Open(t.Context(), os.Getenv("AMPDBG_TEST_DEVICE"), Options{Options: gpu.Options{Validate: true}})
	if err != nil {
		if os.Getenv("AMPDBG_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	works(t, a)
	if got := a.Messages(); len(got) > 0 {
		t.Errorf("messages about nothing: %v", got)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// A child serves one accelerator after the other, and is not started again
// for each.
func TestOneChildServesMany(t *testing.T) {
	h := host(t, "")
	started, command := 0, h.command
	h.command = func() *exec.Cmd { started++; return command() }
	for range 3 {
		if _, err := h.Devices(t.Context()); err != nil {
			t.Fatal(err)
		}
		a, err := h.Open(t.Context(), os.Getenv("AMPDBG_TEST_DEVICE"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		works(t, a)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if err := a.Dispatch(t.Context(), &launch.Dispatch{}); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("a closed accelerator: %v", err)
		}
	}
	if started != 1 {
		t.Errorf("%d children were started, expected 1", started)
	}
}

func TestChildrenThatAreNoGood(t *testing.T) {
	for how, want := range fakes {
		_, err := fakeHost(how).Devices(t.Context())
		var e *diag.Error
		if !errors.As(err, &e) || e.Class != diag.Unsupported || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected %q, found %v", how, want, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := fakeHost("hang").Devices(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a child that hangs: %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("a child that hangs was waited for %v", took)
	}
	none := &Host{command: func() *exec.Cmd { return exec.Command("/no/such/program") }}
	if _, err := none.Devices(t.Context()); err == nil || !strings.Contains(err.Error(), "no process for the device") {
		t.Errorf("no program: %v", err)
	}
	t.Setenv(childEnv, "1")
	if _, err := fakeHost("").Devices(t.Context()); !errors.Is(err, errChildOfChild) {
		t.Errorf("a child starts children: %v", err)
	}
}

// TestFaultsOfDrivers has calls fail that drivers seldom let fail, and then
// runs the next dispatch.
func TestFaultsOfDrivers(t *testing.T) {
	for _, c := range []struct {
		faults string
		class  diag.ErrorClass
		want   string // with NAME for the device's name
	}{
		{"vkQueueSubmit=-4@1", diag.Unsupported, `NAME was lost while running entry point "main", which hung it or made an access that it cannot stand: vkQueueSubmit: VK_ERROR_DEVICE_LOST`},
		{"vkWaitForFences=-4@1", diag.Unsupported, `NAME was lost while running entry point "main", which hung it or made an access that it cannot stand: vkWaitForFences: VK_ERROR_DEVICE_LOST`},
		{"vkCreateDevice=-4@1", diag.Unsupported, `NAME was lost while making the device ready for entry point "main": vkCreateDevice: VK_ERROR_DEVICE_LOST`},
		{"vkCreateBuffer=-4@1", diag.Unsupported, `NAME was lost while placing the memory of entry point "main": buffer data: vkCreateBuffer: VK_ERROR_DEVICE_LOST`},
		{"vkAllocateMemory=-2@1", diag.Unsupported, `NAME ran out of memory while placing the memory of entry point "main": buffer data: vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY`},
		{"vkAllocateMemory=-1@1", diag.Unsupported, `the driver of NAME ran out of host memory while placing the memory of entry point "main": buffer data: vkAllocateMemory: VK_ERROR_OUT_OF_HOST_MEMORY`},
		{"vkCreateComputePipelines=-13@1", diag.Unsupported, `the driver of NAME refuses double.spvasm: vkCreateComputePipelines: VK_ERROR_UNKNOWN`},
		{"vkCreateShaderModule=-3@1", diag.Unsupported, `the driver of NAME refuses double.spvasm: vkCreateShaderModule: VK_ERROR_INITIALIZATION_FAILED`},
		{"vkMapMemory=-5@1", diag.Unsupported, `NAME failed while placing the memory of entry point "main": buffer data: vkMapMemory: VK_ERROR_MEMORY_MAP_FAILED`},
		{"vkCreateComputePipelines=segv", diag.Unsupported, `the driver of NAME crashed while compiling entry point "main" (dispatch 1): SIGSEGV`},
		{"vkCreateComputePipelines=abort", diag.Unsupported, `the driver of NAME crashed while compiling entry point "main" (dispatch 1): SIGABRT`},
		{"vkCreateDevice=segv", diag.Unsupported, `the driver of NAME crashed while making the device ready for entry point "main" (dispatch 1): SIGSEGV`},
		{"vkAllocateMemory=segv", diag.Unsupported, `the driver of NAME crashed while placing the memory of entry point "main" (dispatch 1): SIGSEGV`},
		{"vkQueueSubmit=segv", diag.Unsupported, `the driver of NAME crashed while running entry point "main" (dispatch 1): SIGSEGV`},
		{"vkWaitForFences=exit", diag.Unsupported, `the process that runs NAME ended while running entry point "main" (dispatch 1): exit status 7`},
		{"vkCreateComputePipelines=hang", diag.Budget, `NAME did not end compiling entry point "main" (dispatch 1) within 2s`},
		{"vkWaitForFences=2", diag.Budget, `NAME did not end running entry point "main" within 200ms`},
	} {
		t.Run(c.faults, func(t *testing.T) {
			t.Parallel()
			opt := Options{}
			if c.class == diag.Budget {
				opt.Timeout, opt.Limit = 200*time.Millisecond, 2*time.Second
			}
			a := open(t, c.faults, opt)
			d, _ := doubling(t)
			err := a.Dispatch(t.Context(), d)
			var e *diag.Error
			if want := "d.amber:7: " + strings.ReplaceAll(c.want, "NAME", a.Device().Name); !errors.As(err, &e) || e.Class != c.class || err.Error() != want {
				t.Errorf("expected %s\nfound %v", want, err)
			}
			a.opt.Timeout, a.opt.Limit = 0, 0
			works(t, a)
		})
	}
}

// A run that hangs in the driver is given up from outside, a little after the
// child should have done so.
func TestHangingDriverIsGivenUp(t *testing.T) {
	t.Parallel()
	a := open(t, "vkQueueSubmit=hang", Options{Options: gpu.Options{Timeout: 100 * time.Millisecond}})
	d, _ := doubling(t)
	start := time.Now()
	err := a.Dispatch(t.Context(), d)
	if err == nil || !strings.Contains(err.Error(), `did not end running entry point "main" (dispatch 1) within 100ms`) {
		t.Error(err)
	}
	if took := time.Since(start); took > patience+2*time.Second {
		t.Errorf("it took %v", took)
	}
	works(t, a)
}

func TestContextEndsWhateverHangs(t *testing.T) {
	for _, faults := range []string{"vkCreateComputePipelines=hang", "vkQueueSubmit=hang", "vkWaitForFences=2"} {
		a := open(t, faults, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		d, _ := doubling(t)
		start := time.Now()
		if err := a.Dispatch(ctx, d); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: expected the context's error, found %v", faults, err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: it took %v", faults, took)
		}
		cancel()
		works(t, a)
	}
}

func TestDriversThatFailBeforeThereIsADevice(t *testing.T) {
	for faults, want := range map[string]string{
		"vkCreateInstance=segv":            "a Vulkan driver crashed while listing the devices: SIGSEGV",
		"vkEnumeratePhysicalDevices=abort": "a Vulkan driver crashed while listing the devices: SIGABRT",
		"vkEnumeratePhysicalDevices=-3":    "Vulkan does not start: vkEnumeratePhysicalDevices: VK_ERROR_INITIALIZATION_FAILED",
		"vkCreateInstance=-9":              "no Vulkan driver is installed",
	} {
		h := host(t, faults)
		if _, err := h.Devices(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected %s, found %v", faults, want, err)
		}
		h.Close()
		if _, err := h.Devices(t.Context()); err != nil {
			t.Errorf("%s: then %v", faults, err)
		}
	}
	a, err := host(t, "vkDestroyDevice=segv").Open(t.Context(), os.Getenv("AMPDBG_TEST_DEVICE"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	works(t, a)
	if err := a.Close(); err == nil || !dead(t, err).Crashed() {
		t.Errorf("a driver that crashes at the end: %v", err)
	}
}

// crashing is a kernel of which the compiler of Mesa 22.3's lavapipe dies:
// e to the power of 16-bit floats.
const crashing = `
               OpCapability Shader
               OpCapability Float16
               OpCapability StorageBuffer16BitAccess
               OpExtension "SPV_KHR_16bit_storage"
        %glsl = OpExtInstImport "GLSL.std.450"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %gid
               OpExecutionMode %main LocalSize 8 1 1
               OpDecorate %gid BuiltIn GlobalInvocationId
               OpDecorate %run ArrayStride 2
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %data DescriptorSet 0
               OpDecorate %data Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %uint3 = OpTypeVector %uint 3
       %half = OpTypeFloat 16
        %in3 = OpTypePointer Input %uint3
        %gid = OpVariable %in3 Input
        %run = OpTypeRuntimeArray %half
      %block = OpTypeStruct %run
     %pblock = OpTypePointer StorageBuffer %block
         %ph = OpTypePointer StorageBuffer %half
       %data = OpVariable %pblock StorageBuffer
         %c0 = OpConstant %uint 0
       %main = OpFunction %void None %fn
          %l = OpLabel
         %g3 = OpLoad %uint3 %gid
          %i = OpCompositeExtract %uint %g3 0
          %p = OpAccessChain %ph %data %c0 %i
          %v = OpLoad %half %p
          %w = OpExtInst %half %glsl Exp %v
               OpStore %p %w
               OpReturn
               OpFunctionEnd
`

func TestCompilerThatCrashes(t *testing.T) {
	a := open(t, "", Options{})
	m, err := spirv.AssembleVersion("exp.spvasm", crashing, spirv.MakeVersion(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	b := &launch.Buffer{Name: "data", Data: make([]byte, 16)}
	err = a.Dispatch(t.Context(), &launch.Dispatch{Module: m, Entry: "main", Groups: [3]uint32{1, 1, 1}, Bindings: bound(b)})
	lacking := err != nil && strings.Contains(err.Error(), "lacks")
	if !lacking && err != nil && !dead(t, err).Crashed() {
		t.Error(err)
	}
	if err == nil && (b.Data[0] != 0 || b.Data[1] != 0x3c) {
		t.Errorf("e^0 is % x", b.Data[:2])
	}
	t.Log(err)
	works(t, a)
}

// TestDeviceLostByTheKernel makes accesses that no device can stand: hardware
// is lost, or does not come to an end, and a driver that runs kernels on the
// processor crashes.
func TestDeviceLostByTheKernel(t *testing.T) {
	for _, name := range []string{"lost_by_write", "lost_by_read"} {
		l, err := launch.Load("../testdata/"+name+".amber", launch.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a := open(t, "", Options{Options: gpu.Options{Timeout: 20 * time.Second}})
		if !a.Device().Addresses {
			t.Skip("the device gives no addresses")
		}
		_, err = l.Execute(t.Context(), a, nil)
		t.Log(err)
		var e *diag.Error
		var death *Death
		crashed := errors.As(err, &death) && death.Crashed()
		switch {
		case !errors.As(err, &e):
			t.Errorf("%s: %v", name, err)
		case e.Class == diag.Unsupported && (crashed || strings.Contains(e.Msg, a.Device().Name+" was lost while running entry point \"main\"")):
		case e.Class == diag.Budget && strings.Contains(e.Msg, a.Device().Name+" did not end running entry point \"main\""):
		default:
			t.Errorf("%s: %v", name, err)
		}
		works(t, a)
	}
}

// Accelerators, one for all goroutines and one for each, get their results at
// the same time; what buffers the child knows does not grow with those that
// are gone.
func TestManyDispatchesAtOnce(t *testing.T) {
	h := host(t, "")
	openOne := func() *Accelerator {
		a, err := h.Open(t.Context(), os.Getenv("AMPDBG_TEST_DEVICE"), Options{})
		if err != nil {
			t.Error(err)
			return nil
		}
		return a
	}
	shared := openOne()
	m := kernel(t, "double.spvasm")
	var wg sync.WaitGroup
	for worker := range 3 {
		wg.Go(func() {
			own := openOne()
			if own == nil || shared == nil {
				return
			}
			for i := range 200 {
				a := own
				if i%2 == worker%2 {
					a = shared
				}
				b := &launch.Buffer{Name: "data", Data: numbers(64 + worker)}
				if err := a.Dispatch(t.Context(), &launch.Dispatch{Module: m, Entry: "main", Groups: [3]uint32{8, 1, 1}, Bindings: bound(b)}); err != nil {
					t.Error(err)
					return
				}
				if got := binary.LittleEndian.Uint32(b.Data[4*63:]); got != 126 {
					t.Errorf("found %d", got)
				}
			}
			if err := own.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if shared == nil {
		return
	}
	runtime.GC()
	works(t, shared)
	if n := len(shared.numbers); n > 10 {
		t.Errorf("%d buffers are known", n)
	}
	if err := shared.Close(); err != nil {
		t.Error(err)
	}
}

// What the validation layer said before the driver crashed is not lost.
func TestMessagesBeforeACrash(t *testing.T) {
	const system = "/usr/share/vulkan/explicit_layer.d"
	if _, err := os.Stat(system); err != nil {
		t.Skip(err)
	}
	h := host(t, "vkCreateComputePipelines=segv")
	command := h.command
	h.command = func() *exec.Cmd {
		cmd := command()
		for i, v := range cmd.Env {
			if strings.HasPrefix(v, "VK_LAYER_PATH=") {
				cmd.Env[i] += ":" + system
			}
		}
		return cmd
	}
	a, err := h.Open(t.Context(), os.Getenv("AMPDBG_TEST_DEVICE"), Options{Options: gpu.Options{Validate: true}})
	if err != nil {
		if os.Getenv("AMPDBG_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	defer a.Close()
	d, _ := doubling(t)
	d.Module = kernel(t, "double.spvasm", "ArrayStride 4", "ArrayStride 6")
	if err := a.Dispatch(t.Context(), d); err == nil || strings.Contains(err.Error(), "lacks") {
		t.Skip(err)
	} else if !dead(t, err).Crashed() {
		t.Error(err)
	}
	if m := a.Messages(); len(m) == 0 || !m[0].Error {
		t.Errorf("messages: %v", m)
	} else {
		t.Log(m[0])
	}
}
