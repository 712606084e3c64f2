package diff

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"ampdbg/emu"
)

// A folder of saved results, whatever is in it, gives an error or results.
func FuzzSavedResults(f *testing.F) {
	file := "../testdata/amp/vector_scaling.amber"
	dir := f.TempDir()
	if err := Record(f.Context(), EmulatorSide(load(f, file), emu.Options{}), dir, nil); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("{}"))
	f.Add([]byte(`{"memories": ["data", "expected", "args"], "dispatches": [[]]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, manifestFile), text, 0o666); err != nil {
			t.Fatal(err)
		}
		side, err := SavedSide(load(t, file), dir)
		if err != nil {
			return
		}
		_, _ = Compare(t.Context(), [2]*Side{side, EmulatorSide(load(t, file), emu.Options{})}, Options{Override: NoOverride})
	})
}

// A picture of whatever differs has a square for each number, whatever the
// number of columns, or there is one error.
func FuzzDraw(f *testing.F) {
	file := "../testdata/amp/stencil.amber"
	o := emulators(f, load(f, file), load(f, file), Options{Override: NoOverride})
	m := o.Memories[0]
	whole := m.Buffer.Data
	f.Add(0, []byte{})
	f.Add(7, []byte("abcdefgh\xff\xff\xff\x7f"))
	f.Add(-1<<63, []byte{0, 0, 0x80, 0x7f})
	f.Fuzz(func(t *testing.T, columns int, other []byte) {
		changed := *m
		changed.Data = [2][]byte{whole, bytes.Clone(whole)}
		copy(changed.Data[1], other)
		var out bytes.Buffer
		if err := Draw(&out, &changed, o.Dispatch, columns); err != nil {
			return
		}
		img, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		if columns > 0 && img.Bounds().Dx()%columns != 0 {
			t.Fatalf("%v for %d columns", img.Bounds(), columns)
		}
	})
}
