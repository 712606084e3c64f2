package emu_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
)

// scripts finds the launch scripts of testdata.
func scripts(tb testing.TB) []string {
	var out []string
	root := "../testdata"
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".amber") {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// verdict is what a script's file name says of its kernel.
func verdict(path string) string {
	name := filepath.Base(path)
	for _, v := range []string{"diverge", "spin", "oob", "race", "uninit", "undefined", "fault", "expect"} {
		if strings.HasPrefix(name, v+"_") {
			return v
		}
	}
	return "clean"
}

// outcome runs a script and says in a word what happened, with the findings.
func outcome(path string, opt emu.Options) (string, *emu.Emulator, error) {
	l, err := launch.Load(path, launch.LoadOptions{})
	if err != nil {
		return "load", nil, err
	}
	e := &emu.Emulator{Options: opt}
	var failed []string
	_, err = l.Execute(context.Background(), e, func(r *launch.ExpectResult) {
		if !r.OK() {
			failed = append(failed, r.String())
		}
	})
	var stopped *emu.StoppedError
	var d *diag.Error
	fs := e.Findings()
	switch {
	case errors.As(err, &stopped):
		return string(fs[0].Code), e, nil
	case errors.As(err, &d) && d.Class == diag.Budget:
		return "budget", e, nil
	case err != nil:
		return "error", e, err
	case len(fs) > 0:
		return string(fs[0].Code), e, nil
	case len(failed) > 0:
		return "expect", e, fmt.Errorf("%s", strings.Join(failed, "\n"))
	}
	return "clean", e, nil
}

func TestKernels(t *testing.T) {
	for _, path := range scripts(t) {
		if strings.Contains(path, "/race/oob_inner_") {
			continue // indexes outside a part of an object: only checked runs look
		}
		t.Run(strings.TrimSuffix(strings.TrimPrefix(path, "../testdata/"), ".amber"), func(t *testing.T) {
			got, e, err := outcome(path, emu.Options{Steps: 1 << 28})
			want := map[string]string{"clean": "clean", "diverge": "divergent-barrier", "oob": "out-of-bounds"}[verdict(path)]
			switch verdict(path) {
			case "fault":
				want = strings.ReplaceAll(strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), ".amber"), "fault_"), "_", "-")
			case "expect":
				want = "expect"
			case "race", "uninit", "undefined":
				// Found by checkers, which package racecheck tests; the results
				// depend on the schedule.
				if got == "error" || got == "load" {
					t.Error(err)
				}
				return
			case "spin":
				if got != "livelock" && got != "deadlock" && got != "budget" {
					t.Errorf("got %s (%v), want a verdict on the spin loop", got, err)
				}
				return
			}
			if got != want {
				t.Errorf("got %s (%v), want %s", got, err, want)
			}
			if verdict(path) == "diverge" && len(e.Findings()) != 1 {
				t.Errorf("%d findings, want 1", len(e.Findings()))
			}
		})
	}
}
