package racecheck

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
)

// A shadow program leaves memory as the program does, and misses no use of an
// undefined result that the tracer finds.
func TestShadowsMissNoUse(t *testing.T) {
	var list []string
	for _, pattern := range []string{"race", "amp", "features", "diverge"} {
		l, err := filepath.Glob("../testdata/" + pattern + "/*.amber")
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, l...)
	}
	found, clean := 0, 0
	for _, path := range list {
		for _, width := range []int{4, 6} {
			if width == 6 && !strings.Contains(path, "/race/") {
				continue
			}
			l, err := launch.Load(path, launch.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			x := &twoWays{t: t, path: path, c: NewChecker(Options{Warp: width})}
			var stopped *emu.StoppedError
			var refused *diag.Error
			if _, err := l.Execute(t.Context(), x, nil); err != nil && !errors.As(err, &stopped) && !errors.As(err, &refused) {
				t.Errorf("%s: %v", path, err)
			}
			found, clean = found+x.found, clean+x.clean
		}
	}
	if found < 20 || clean < 100 {
		t.Errorf("%d dispatches with uses, %d without", found, clean)
	}
}

type twoWays struct {
	t            *testing.T
	path         string
	c            *Checker
	found, clean int
}

func (x *twoWays) Dispatch(ctx context.Context, d *launch.Dispatch) error {
	if err := x.c.Dispatch(ctx, d); err != nil {
		return err
	}
	var after [][]byte
	for _, b := range x.c.saved.live {
		after = append(after, bytes.Clone(b))
	}
	used, err := x.c.uses(ctx, d)
	if err != nil && !used {
		x.t.Errorf("%s: %v", x.path, err)
	}
	for i, b := range x.c.saved.live {
		if !used && !bytes.Equal(b, after[i]) && !strings.Contains(x.path, "clock") {
			x.t.Errorf("%s: a shadow program changes results", x.path)
		}
	}
	x.c.findings = nil
	if err := x.c.trace(ctx, d); err != nil {
		x.t.Errorf("%s: %v", x.path, err)
	}
	results := false
	for _, f := range x.c.findings {
		results = results || f.Code == diag.UndefinedValue && f.Class != diag.UndefOperand && len(f.Accesses) == 2
	}
	if results {
		x.found++
	} else {
		x.clean++
	}
	if results && !used {
		x.t.Errorf("%s: a use is missed", x.path)
	}
	return nil
}
