package gpu

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/launch"
	"ampdbg/spirv"
)

// kernel reads a module from testdata, after replacing pairs of text in it.
func kernel(t testing.TB, name string, replace ...string) *spirv.Module {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Assemble(name, strings.NewReplacer(replace...).Replace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// open opens the first device that is there, or skips the test; with
// AMPDBG_REQUIRE_GPU=1 in the environment it fails instead.
func open(t testing.TB, opt Options) *Accelerator {
	t.Helper()
	a, err := Open(os.Getenv("AMPDBG_TEST_DEVICE"), opt)
	if err != nil {
		if os.Getenv("AMPDBG_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// run runs a dispatch and fails the test on any error.
func run(t testing.TB, a *Accelerator, d *launch.Dispatch) *Result {
	t.Helper()
	r, err := a.Run(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Messages {
		t.Error(m)
	}
	return r
}

func words(v ...uint32) []byte {
	var b []byte
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func unwords(b []byte) []uint32 {
	var v []uint32
	for i := 0; i+4 <= len(b); i += 4 {
		v = append(v, binary.LittleEndian.Uint32(b[i:]))
	}
	return v
}

func floats(v ...float32) []byte {
	var w []uint32
	for _, f := range v {
		w = append(w, math.Float32bits(f))
	}
	return words(w...)
}

// upTo gives 0 to n-1.
func upTo(n int) []uint32 {
	v := make([]uint32, n)
	for i := range v {
		v[i] = uint32(i)
	}
	return v
}

func buffer(name string, data []byte) *launch.Buffer { return &launch.Buffer{Name: name, Data: data} }

// whole binds all of some buffers as the elements of one binding.
func whole(set, binding uint32, kind launch.DescriptorKind, buffers ...*launch.Buffer) launch.Binding {
	b := launch.Binding{Set: set, Binding: binding, Kind: kind}
	for _, buf := range buffers {
		b.Elems = append(b.Elems, launch.Descriptor{Buffer: buf, Range: int64(len(buf.Data))})
	}
	return b
}

func dispatch(m *spirv.Module, x uint32, bindings ...launch.Binding) *launch.Dispatch {
	return &launch.Dispatch{Module: m, Entry: "main", Groups: [3]uint32{x, 1, 1}, Bindings: bindings}
}
