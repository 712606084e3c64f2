package gpu

import (
	"encoding/binary"
	"path/filepath"
	"testing"

	"ampdbg/launch"
	"ampdbg/spirv"
)

func TestUsageOfAnEntryPoint(t *testing.T) {
	u, err := spirv.Resolve(kernel(t, "kinds.spvasm"), nil)
	if err != nil {
		t.Fatal(err)
	}
	us, err := use(u, "main")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range us.resources {
		got = append(got, r.kindsFor()[0].String())
	}
	want := []string{"uniform buffer", "uniform buffer", "storage buffer", "storage texel buffer", "uniform texel buffer", "storage buffer", "storage buffer"}
	if len(got) != len(want) {
		t.Fatalf("expected %q, found %q", want, got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("resource %d: expected a %s, found a %s", i, want[i], got[i])
		}
	}
	if r := us.resource(1, 3); r == nil || r.count != 2 {
		t.Errorf("the array: %+v", r)
	}
	if us.push != 8 || us.shared != 0 || us.lengths {
		t.Errorf("push %d, tile_static %d, lengths %t", us.push, us.shared, us.lengths)
	}
	if us.resource(0, 9) != nil {
		t.Error("a resource where none is")
	}
}

// FuzzUse feeds modules that decode: an error or a usage, never a panic.
func FuzzUse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.spvasm")
	if err != nil || len(files) == 0 {
		f.Fatal("no kernels", err)
	}
	for _, file := range files {
		f.Add(kernel(f, filepath.Base(file)).Encode(binary.LittleEndian))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := spirv.Decode("fuzz", data)
		if err != nil {
			return
		}
		u, err := spirv.Resolve(m, nil)
		if err != nil {
			return
		}
		us, err := use(u, "main")
		if err != nil {
			return
		}
		dev := sample()[0]
		us.needs.missing(&dev)
		us.extensionsFor(dev.API).missing(&dev)
		d := &launch.Dispatch{Module: m, Entry: "main"}
		if us.checkBindings(d) == nil {
			_ = us.checkLimits(&dev, d)
		}
	})
}
