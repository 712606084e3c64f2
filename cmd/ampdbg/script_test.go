package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"ampdbg/gpu"
	"ampdbg/gpu/faultlayer"
	"ampdbg/gpu/isolate"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts, docs/commands.md and docs/coverage.md")

func TestMain(m *testing.M) {
	isolate.ServeChild()
	testscript.Main(m, map[string]func(){"ampdbg": main})
}

// TestScripts runs testdata/script/*.txtar: the specification of the command.
func TestScripts(t *testing.T) {
	kernels, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	gpuKernels, err := filepath.Abs("../../gpu/testdata")
	if err != nil {
		t.Fatal(err)
	}
	checkKernels, err := filepath.Abs("../../racecheck/testdata")
	if err != nil {
		t.Fatal(err)
	}
	layer := t.TempDir()
	_, layerErr := faultlayer.Build(layer)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			// Names of the same length wherever the checkout lies: text is broken
			// into lines of 80 columns.
			env.Setenv("KERNELS", "kernels")
			env.Setenv("GPU_KERNELS", "gpu_kernels")
			env.Setenv("CHECK_KERNELS", "check_kernels")
			env.Setenv("FAULT_LAYER", layer)
			return errors.Join(
				os.Symlink(kernels, filepath.Join(env.WorkDir, "kernels")),
				os.Symlink(gpuKernels, filepath.Join(env.WorkDir, "gpu_kernels")),
				os.Symlink(checkKernels, filepath.Join(env.WorkDir, "check_kernels")),
			)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "gpu":
				return haveGPU(), nil
			case "faults":
				// $FAULT_LAYER holds a Vulkan layer whose calls fail, for
				// VK_LAYER_PATH.
				return haveGPU() && (layerErr == nil || os.Getenv("AMPDBG_REQUIRE_GPU") == "1"), nil
			}
			// [glslangValidator] and the like: the tool is installed.
			_, err := exec.LookPath(cond)
			return err == nil, nil
		},
	})
}

// haveGPU reports whether there is a Vulkan device, or has to be.
func haveGPU() bool {
	_, err := gpu.Devices()
	return err == nil || os.Getenv("AMPDBG_REQUIRE_GPU") == "1"
}

// exits CODE COMMAND… runs a command and compares its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if exit, ok := err.(*exec.ExitError); ok {
		code = exit.ProcessState.String()[len("exit status "):]
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, expected %s", code, args[0])
	}
}

func TestGeneratedDocumentsAreFresh(t *testing.T) {
	for file, want := range map[string]string{
		"../../docs/commands.md": manual(),
		"../../docs/coverage.md": coverage(),
	} {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is stale; -update rewrites it:\n%s", file, diff)
		}
	}
}
