package repl

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/debugger"
	"ampdbg/launch"
)

// FuzzCommands gives a session lines of commands. Each is done or an error.
func FuzzCommands(f *testing.F) {
	for _, text := range []string{
		"break 15\nrun\ntable l, g\nreverse-step\nlastwrite values[0]\nrewind dispatch\ninfo history",
		"catch race\ncatch uninit\nrun\nfirst\nrun\nrc\nrun", "x/4xb values[0]\nheat --width 3 values\nlist main\nlist 3,9\nlist",
		"thread 3,0,0\nfreeze warp\nthreads by status\nthaw all\nlanes\nstacks all\nbarrier\ntile 1,0,0", "step grid 2\nreverse-next tile\nrsi 3\nup\ndown\nframe 0",
		"watch copied[0]\nrun 3\nrev c\nset copied[0] = 9\np/x copied\ndisplay add\nn\nundisplay 1", "tbreak main threads tile.x == 1 if l == 2\nc\nignore 1 2\ncond 1 l\nc",
		"log 12, \"{l}: {seen[l]}\"\nrun\ndelete\nrestart\nuntil tile 15\nsb\nfinish", "table --csv f --where l --sort -1 --max 2 l, y: g\nflag if l > 3\nthreads flagged",
	} {
		f.Add(text)
	}
	script := filepath.Join("..", "..", "testdata", "features", "rounds.amber")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := launch.Load(script, launch.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := debugger.New(l, debugger.Options{Steps: 20000, History: 1 << 16})
		if err != nil {
			t.Fatal(err)
		}
		r := New(s, io.Discard, Options{})
		r.Greet()
		lines := strings.Split(text, "\n")
		for _, line := range lines[:min(len(lines), 12)] {
			if r.Quit() || len(line) > 200 {
				break
			}
			if err := r.Do(context.Background(), line); err != nil && strings.Contains(err.Error(), "history has changed") {
				t.Fatal(err)
			}
			r.complete(line, len(line))
		}
		r.Clean()
	})
}
