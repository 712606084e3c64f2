package launch_test

import (
	"os"
	"path/filepath"
	"testing"

	"ampdbg/launch"
)

// A source is found beside the script, once read stays as it was, and where
// loading is confined is not looked for elsewhere.
func TestSources(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write := func(dir, text string) string {
		name := filepath.Join(dir, "k.comp")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write(dir, "inside")
	outside := write(other, "outside")
	l := &launch.Launch{Name: filepath.Join(dir, "k.amber")}
	free, confined := launch.Sources(l, &launch.LoadOptions{}), launch.Sources(l, &launch.LoadOptions{Confine: true})
	for range 2 {
		if text, ok := free("k.comp"); !ok || text != "inside" {
			t.Errorf("beside the script: %q, %t", text, ok)
		}
		write(dir, "changed")
	}
	if text, ok := free(outside); !ok || text != "outside" {
		t.Errorf("elsewhere: %q, %t", text, ok)
	}
	if text, ok := confined(outside); ok {
		t.Errorf("elsewhere, confined: %q", text)
	}
	if _, ok := free("missing.comp"); ok {
		t.Error("found what is not there")
	}
}
