package warp_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/warp"
)

// A rule that few kernels have is a trick for one of them: each is used in at least
// five of testdata.
func TestKernelsUseEveryRule(t *testing.T) {
	kernels := map[string][]string{} // by rule
	err := filepath.WalkDir("../testdata", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".amber" {
			return err
		}
		l, err := launch.Load(path, launch.LoadOptions{})
		if err != nil {
			return nil // made to fail
		}
		for _, s := range l.Steps {
			d, ok := s.(*launch.Dispatch)
			if !ok {
				continue
			}
			// Watch: checks of indexes are for checked runs alone.
			c, err := (&emu.Emulator{Options: emu.Options{Warp: 4, Checks: true}}).Control(context.Background(), d)
			if err != nil {
				continue
			}
			code, err := warp.Interpreter{}.Interpret(c.Program)
			if err != nil {
				return err
			}
			name := strings.TrimSuffix(filepath.Base(d.Module.Name), filepath.Ext(d.Module.Name))
			for pc := range c.Program.Code {
				if rule, _ := code.Form(pc); rule != "" && !slices.Contains(kernels[rule], name) {
					kernels[rule] = append(kernels[rule], name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range warp.RuleNames() {
		if k := kernels[rule]; len(k) < 5 {
			t.Errorf("%s: in %d kernels only: %v", rule, len(k), k)
		} else {
			t.Logf("%s: in %d kernels", rule, len(k))
		}
	}
}
