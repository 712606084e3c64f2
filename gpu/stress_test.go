//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ampdbg/launch"
	"ampdbg/spirv"
)

// churn allocates and collects until the test ends: what the C side holds on
// to must not depend on Go's collector.
func churn(t *testing.T) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		var keep [64][]byte
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			keep[i%len(keep)] = make([]byte, 1+i%(8<<10))
			if i%4096 == 0 {
				runtime.GC()
			}
		}
	})
	t.Cleanup(func() { close(stop); wg.Wait() })
}

func TestStressOfPipelinesAndDispatches(t *testing.T) {
	pipelines, dispatches := 200, 2000
	if testing.Short() {
		pipelines, dispatches = 20, 200
	}
	a := open(t, Options{})
	churn(t)
	m := kernel(t, "kinds.spvasm")
	uniform := buffer("uniform", words(1, 2, 3, 4))
	texel := func(binding uint32, kind launch.DescriptorKind, b *launch.Buffer) launch.Binding {
		w := whole(1, binding, kind, b)
		w.Elems[0].Format = "R32_UINT"
		return w
	}
	one := func(i int) error {
		storage, out := buffer("storage", words(1, 2, 3, 4)), buffer("out", make([]byte, 16))
		dynamic := func(binding uint32, kind launch.DescriptorKind, b *launch.Buffer) launch.Binding {
			return whole(0, binding, kind, b)
		}
		d := dispatch(m, 1, whole(0, 0, launch.UniformBuffer, uniform),
			dynamic(1, launch.UniformBufferDynamic, uniform), dynamic(2, launch.StorageBufferDynamic, storage),
			texel(0, launch.StorageTexelBuffer, buffer("texels", words(0, 0, 0, 0))), texel(1, launch.UniformTexelBuffer, uniform),
			whole(1, 3, launch.StorageBuffer, uniform, uniform), whole(3, 5, launch.StorageBuffer, out))
		scale := uint32(i % pipelines)
		d.Spec = spirv.SpecValues{3: uint64(scale)}
		d.Push = words(0, uint32(i))
		if err := a.Dispatch(t.Context(), d); err != nil {
			return err
		}
		for k, v := range unwords(out.Data) {
			if n := uint32(k + 1); v != (n+1+n)*scale+4*n+uint32(i) {
				return fmt.Errorf("dispatch %d, element %d: found %d", i, k, v)
			}
		}
		return nil
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := worker; i < dispatches; i += 4 {
				if err := one(i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// resident is the process's resident memory in bytes.
func resident(t *testing.T) int {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(b))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func TestDispatchesLeakNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 dispatches take some seconds")
	}
	a := open(t, Options{})
	m, images := kernel(t, "double.spvasm"), kernel(t, "samplerarray.spvasm")
	batch := func(n int) {
		for i := range n {
			if i%50 == 0 {
				run(t, a, dispatch(images, 1, samplerArray(nil, 3)...))
			}
			if i%50 == 25 {
				run(t, a, dispatch(kernel(t, "address.spvasm"), 1, whole(0, 0, launch.StorageBuffer, addressLaunch(0)[0])))
			}
			run(t, a, dispatch(m, 1, whole(0, 0, launch.StorageBuffer, buffer("data", make([]byte, 4096)))))
		}
		runtime.GC()
	}
	batch(2000)
	before := resident(t)
	batch(10000)
	grown := resident(t) - before
	t.Logf("10,000 dispatches: resident memory %+d KiB", grown>>10)
	if grown > 4<<20 {
		t.Errorf("resident memory grew by %d KiB over 10,000 dispatches", grown>>10)
	}
}

func TestSeveralAcceleratorsAtOnce(t *testing.T) {
	open(t, Options{})
	churn(t)
	m := kernel(t, "double.spvasm")
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for range 5 {
				if _, err := Devices(); err != nil {
					t.Error(err)
				}
				a, err := Open("", Options{})
				if err != nil {
					t.Error(err)
					return
				}
				b := buffer("data", words(upTo(8)...))
				d := dispatch(m, 1, whole(0, 0, launch.StorageBuffer, b))
				d.Robust = worker%2 == 0
				if err := a.Dispatch(t.Context(), d); err != nil {
					t.Error(err)
				}
				expectWords(t, "data", b.Data, 0, 2, 4, 6, 8, 10, 12, 14)
				if err := a.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
