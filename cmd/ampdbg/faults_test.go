package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"ampdbg/debugger"
	"ampdbg/debugger/repl"
	"ampdbg/gpu/faultlayer"
	"ampdbg/gpu/isolate"
)

// faulty makes the Vulkan calls of this test's children fail as faults say;
// it skips the test where there is no device, or no C compiler to build the
// layer with. With AMPDBG_REQUIRE_GPU=1 in the environment it fails instead.
func faulty(t *testing.T, faults string) {
	t.Helper()
	env, err := faultlayer.Build(t.TempDir())
	if err != nil {
		if os.Getenv("AMPDBG_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if !haveGPU() {
		t.Skip("no Vulkan device")
	}
	for _, v := range append(env, faultlayer.Env+"="+faults) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

// A session outlives the driver that its diff crashed, and compares again.
func TestSessionOutlivesTheDriver(t *testing.T) {
	faulty(t, "vkCreateComputePipelines=segv")
	file := "../../testdata/amp/stencil.amber"
	var o debugOptions
	l, err := o.load(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := debugger.New(l, debugger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	env := &environment{ctx: t.Context(), gpus: &isolate.Host{}}
	defer env.gpus.Close()
	var out strings.Builder
	r := repl.New(s, &out, repl.Options{Diff: func(ctx context.Context, machine string) (*debugger.Difference, error) {
		return o.compare(ctx, env, s, file, machine)
	}})
	for _, command := range []string{"next", "diff", "next", "diff"} {
		err := r.Do(t.Context(), command)
		if command == "next" {
			if err != nil {
				t.Errorf("the session does not go on: %v", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), `crashed while compiling entry point "main" (dispatch 1): SIGSEGV`) {
			t.Errorf("diff: %v", err)
		}
	}
	t.Setenv(faultlayer.Env, "") // the driver is mended
	if err := r.Do(t.Context(), "diff"); err != nil || !strings.Contains(out.String(), "the results agree") {
		t.Errorf("diff: %v\n%s", err, out.String())
	}
}

// Ctrl-C ends a run whose driver never comes back.
func TestInterruptEndsAHangingDriver(t *testing.T) {
	faulty(t, "vkCreateComputePipelines=hang")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(time.Second, cancel)
	var stdout, stderr bytes.Buffer
	start := time.Now()
	code := run(ctx, []string{"run", "--on", "gpu", "../../testdata/amp/stencil.amber"}, strings.NewReader(""), &stdout, &stderr)
	if code != exitInconclusive || stderr.String() != "error: interrupted\n" {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
