package kerneltest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/racecheck"
	"ampdbg/racecheck/kerneltest"
)

// withOption are kernels that pass Check with an option, and fail without.
var withOption = []struct {
	name, kernel string
	option       kerneltest.Option
	reverse      bool // fails with it
	says         string
}{
	{"lockstep", "race_lockstep", kerneltest.AssumeLockstep(), false, "race/lockstep"},
	{"same value", "race_same_value", kerneltest.AllowSameValue(racecheck.UniformWrites), false, "race/same-value"},
	{"severity", "race_half_fenced", kerneltest.Severity("half-fenced", diag.SeverityNote), false, "race/half-fenced"},
	{"strict", "strict_unavailable_fence", kerneltest.Strict(), true, "unavailable"},
	{"steps", "norace_barrier", kerneltest.Steps(3), true, "budget"},
}

const failing = "AMPDBG_KERNELTEST"

// TestFailing fails, when TestOptions runs it in a process of its own.
func TestFailing(t *testing.T) {
	name := os.Getenv(failing)
	if name == "" {
		t.Skip("runs as a part of TestOptions")
	}
	for _, c := range withOption {
		if c.name != name {
			continue
		}
		var opts []kerneltest.Option
		if c.reverse {
			opts = append(opts, c.option)
		}
		kerneltest.Check(t, race(t, c.kernel), opts...)
	}
}

func race(t *testing.T, name string) *kerneltest.Kernel {
	return kerneltest.Load(t, "../../testdata/race/"+name+".amber")
}

func TestOptions(t *testing.T) {
	for _, c := range withOption {
		var opts []kerneltest.Option
		if !c.reverse {
			opts = append(opts, c.option)
		}
		kerneltest.Check(t, race(t, c.kernel), opts...)

		cmd := exec.Command(os.Args[0], "-test.run=^TestFailing$")
		cmd.Env = append(os.Environ(), failing+"="+c.name)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: %v, expected a failure that says %q\n%s", c.name, err, c.says, out)
		}
	}
	kerneltest.ExpectWith(t, race(t, "strict_unavailable_fence"), []kerneltest.Option{kerneltest.Strict()}, kerneltest.Race())
}

// Each width and each seed is a run.
func TestRuns(t *testing.T) {
	loads := 0
	k := kerneltest.New(t, "counted", func() (*launch.Launch, error) {
		loads++
		return launch.Load("../../testdata/race/norace_barrier.amber", launch.LoadOptions{})
	})
	before := loads
	kerneltest.Check(t, k, kerneltest.Warp(1, 2, 8), kerneltest.Seeds(0, 7))
	if got := loads - before; got != 6 {
		t.Errorf("%d runs, want 6", got)
	}
}
