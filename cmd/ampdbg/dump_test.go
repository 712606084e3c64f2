package main

import (
	"os"
	"path/filepath"
	"testing"

	"ampdbg/launch"
)

func TestSaveChoosesByName(t *testing.T) {
	dir := t.TempDir()
	typ, err := launch.ParseType("uint32", launch.Std430)
	if err != nil {
		t.Fatal(err)
	}
	l := &launch.Launch{Steps: []launch.Step{&launch.Dispatch{Bindings: []launch.Binding{
		{Binding: 0, Elems: []launch.Descriptor{{Buffer: &launch.Buffer{Data: []byte{1, 0, 0, 0, 2, 0, 0, 0}, Elem: typ}}}},
		{Binding: 1, Elems: []launch.Descriptor{{Image: &launch.Image{Data: []byte{1, 2, 3, 4}, Format: "R8_UINT"}}}},
	}}}}
	for _, c := range []struct {
		r    resource
		name string
		size int
	}{
		{"0.0", "b.bin", 8},
		{"0.0", "b.npy", 128 + 8},
		{"0.1", "i.raw", 4},
		{"0.1", "i.npy", 128 + 4},
	} {
		file := filepath.Join(dir, c.name)
		if err := c.r.save(file, l); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); len(got) != c.size {
			t.Errorf("%s: %d bytes, want %d", c.name, len(got), c.size)
		}
	}
	if err := resource("0.0").save(filepath.Join(dir, "no", "such", "folder"), l); err == nil {
		t.Error("saved into a folder that is not there")
	}
}

func TestFindPrefersTheLastDispatch(t *testing.T) {
	binding := func(name string) *launch.Dispatch {
		return &launch.Dispatch{Bindings: []launch.Binding{{Set: 0, Binding: 1, Elems: []launch.Descriptor{{Buffer: &launch.Buffer{Name: name}}}}}}
	}
	l := &launch.Launch{Steps: []launch.Step{
		binding("first"),
		&launch.Loop{Count: 2, Steps: []launch.Step{binding("last")}},
		&launch.Dispatch{},
	}}
	c, err := resource("0.1").find(l)
	if err != nil || c.Buffer.Name != "last" {
		t.Errorf("found %v, %v; want last", c.Buffer, err)
	}
	for _, r := range []resource{"0.0", "1.1", "0.1[1]", "first", "0.99999999999", "-1.0", "0.1 "} {
		if _, err := r.find(l); err == nil {
			t.Errorf("%v: found something", r)
		}
	}
}
