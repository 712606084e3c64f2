package diff

import (
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
