package diff

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/gpu/isolate"
	"ampdbg/launch"
)

// gpus runs the devices of tests, so that a driver that crashes fails one
// test.
var gpus isolate.Host

func TestMain(m *testing.M) {
	isolate.ServeChild()
	code := m.Run()
	gpus.Close()
	os.Exit(code)
}

// open opens the device for tests, or skips the test; with
// AMPDBG_REQUIRE_GPU=1 in the environment it fails instead.
func open(t testing.TB) *isolate.Accelerator {
	t.Helper()
	a, err := gpus.Open(t.Context(), os.Getenv("AMPDBG_TEST_DEVICE"), isolate.Options{})
	if err != nil {
		if os.Getenv("AMPDBG_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func load(t testing.TB, file string) *launch.Launch {
	t.Helper()
	l, err := launch.Load(file, launch.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// script makes the launch of an AmberScript given as text.
func script(t testing.TB, text string) *launch.Launch {
	t.Helper()
	file := t.TempDir() + "/t.amber"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return load(t, file)
}

// emulators compares two launches on two emulators: the second stands for a
// machine that computes something else.
func emulators(t testing.TB, x, y *launch.Launch, opt Options) *Outcome {
	t.Helper()
	b := EmulatorSide(y, emu.Options{})
	b.Name = "device"
	o, err := Compare(t.Context(), [2]*Side{EmulatorSide(x, emu.Options{}), b}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func text(o *Outcome) string { return strings.Join(o.Lines(), "\n") }

// needsGLSL skips a test where no GLSL compiler is installed.
func needsGLSL(t testing.TB) {
	t.Helper()
	for _, tool := range []string{"glslangValidator", "glslc"} {
		if _, err := exec.LookPath(tool); err == nil {
			return
		}
	}
	t.Skip("no GLSL compiler is installed")
}
