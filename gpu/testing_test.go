package gpu

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampdbg/diag"
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

func expectWords(t testing.TB, what string, data []byte, want ...uint32) {
	t.Helper()
	if got := unwords(data); !slices.Equal(got, want) {
		t.Errorf("%s: expected %d, found %d", what, want, got)
	}
}

// expectError expects a *diag.Error of a class whose text has all the words.
func expectError(t testing.TB, err error, class string, has ...string) {
	t.Helper()
	var d *diag.Error
	if !errors.As(err, &d) {
		t.Errorf("expected a *diag.Error, found %T: %v", err, err)
		return
	}
	classes := map[string]diag.ErrorClass{"BadInput": diag.BadInput, "Unsupported": diag.Unsupported, "Budget": diag.Budget}
	if d.Class != classes[class] {
		t.Errorf("expected class %s, found %d: %v", class, d.Class, err)
	}
	for _, s := range has {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("expected %q in: %v", s, err)
		}
	}
}
