package diff

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
)

// The replay with bounds leaves the memory that a plain run leaves, for every
// launch of the project, and knows of no error where all operations are exact.
func TestReplaysWithBoundsLeaveTheSame(t *testing.T) {
	own, _ := filepath.Glob("testdata/*.amber")
	dispatches := 0
	for _, file := range append(testdata(t), own...) {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "spin") || strings.HasPrefix(name, "diverge") || strings.HasPrefix(name, "oob") || strings.Contains(file, "/speed/") || strings.HasPrefix(name, "reduce_walk") || strings.HasPrefix(name, "shader_clock") {
			continue
		}
		l := load(t, file)
		list := contents(l)
		for _, d := range launch.Dispatches(l.Steps) {
			before := save(list)
			_, err := emu.Run(t.Context(), d, emu.Options{Steps: 1 << 22})
			plain := save(list)
			if err != nil {
				break
			}
			tol, err := tolerancesOf(d, false, NoOverride)
			if err != nil {
				t.Fatal(file, err)
			}
			restore(list, before)
			b, err := replayBounds(t.Context(), d, emu.Options{Steps: 1 << 22}, tol.flow)
			if bug := diag.AsBug(err); bug != nil {
				t.Fatalf("%s: %v\n%s", file, err, bug.Stack)
			}
			if err != nil {
				t.Errorf("%s: %v", file, err)
				break
			}
			dispatches++
			for i, c := range list {
				if !bytes.Equal(c.Bytes(), plain[i]) {
					t.Errorf("%s: %s is not what a plain run leaves", file, c.Name())
				}
				s := b.memory[c.key()]
				if exact := tol.of[c.key()]; s != nil && s.inexact && exact.exact() && tol.written[c.key()] {
					t.Errorf("%s: %s has bounds up to %g, and all operations on the way to it are exact", file, c.Name(), s.largest)
				}
			}
		}
	}
	t.Logf("%d dispatches", dispatches)
	if dispatches < 100 {
		t.Errorf("only %d dispatches", dispatches)
	}
}
