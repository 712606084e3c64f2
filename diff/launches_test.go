package diff

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/gpu"
	"ampdbg/gpu/isolate"
)

// lavapipe is what to expect of Mesa's lavapipe 22.3, by launch: what it
// lacks, in a word of the error, and what it gets wrong. A newer version may
// do better; the test says when an entry of this one is out of date.
var lavapipe = struct {
	lacks  map[string]string
	faults map[string]bool
}{
	lacks: map[string]string{
		"clean_false_assumption":      "shaderExpectAssume",
		"clean_nonuniform_descriptor": "shaderStorageBufferArrayNonUniformIndexing",
		"undefined_false_assumption":  "shaderExpectAssume",
		"descriptor_arrays":           "runtimeDescriptorArray",
		"float_atomics":               "shaderBufferFloat64Atomics",
		"float_atomics_minmax":        "shaderBufferFloat64AtomicMinMax",
		"float_controls":              "shaderDenormPreserveFloat32",
		"image_descriptor_arrays":     "shaderSampledImageArrayNonUniformIndexing",
		"images_without_format":       "shaderStorageImageReadWithoutFormat",
		"subgroup_clustered":          "subgroup operations of kind clustered",
		"subgroup_rotate":             "VK_KHR_shader_subgroup_rotate",
		"subgroup_types":              "subgroup operations of kind clustered",
		"workgroup_explicit_layout":   "VK_KHR_workgroup_memory_explicit_layout",
	},
	faults: map[string]bool{
		// It ends every loop after 65,535 rounds, so a tile that waits for
		// another may go on without its message; it depends on the moment.
		"clean_handoff_tile0_waits": true,
		"clean_handoff_tile1_waits": true,
		"norace_release_acquire":    true,
		"norace_release_fence":      true,
	},
}

// testdata lists the launch scripts of the project.
func testdata(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/*/*.amber")
	if err != nil || len(files) == 0 {
		t.Fatal("no launches in ../testdata", err)
	}
	return files
}

// outcome compares emulator and device on a launch.
func outcome(t testing.TB, file string, opt Options) (*Outcome, error) {
	t.Helper()
	x, y := load(t, file), load(t, file)
	a, err := gpus.Open(t.Context(), os.Getenv("AMPDBG_TEST_DEVICE"), isolate.Options{Options: gpu.Options{Require: y.Require, Timeout: 30 * time.Second}})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	return Compare(t.Context(), [2]*Side{EmulatorSide(x, emu.Options{}), GPUSide(y, a)}, opt)
}

// TestLaunchesOfTestdata compares every launch of the project's own kernels:
// on clean ones emulator and device must agree; of those with a fault that
// the emulator reports the device must not run any; others may differ. Where
// a module's operations all have to be exact, results must be bit-equal.
func TestLaunchesOfTestdata(t *testing.T) {
	device := *open(t).Device()
	old := strings.HasPrefix(device.Name, "llvmpipe") && strings.Contains(device.Driver.Info, "Mesa 22.3")
	var rows []Row
	exact := 0 // buffers and images that are held to exactness
	for _, file := range testdata(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".amber")
		verdict, _, _ := strings.Cut(name, "_")
		if verdict == "spin" {
			continue // nothing to compare: the emulator ends them at a verdict
		}
		t.Run(name, func(t *testing.T) {
			o, err := outcome(t, file, Options{Override: NoOverride})
			rows = append(rows, NewRow(file, o, err))
			var lack *diag.Error
			if errors.As(err, &lack) && lack.Class == diag.Unsupported && strings.Contains(err.Error(), device.Name) {
				if why := lavapipe.lacks[name]; old && (why == "" || !strings.Contains(err.Error(), why)) {
					t.Errorf("expected the device to lack %q: %v", why, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if why := lavapipe.lacks[name]; old && why != "" {
				t.Errorf("the device no longer lacks %s", why)
			}
			got := o.class()
			t.Log(text(o))
			switch verdict {
			case "diverge", "oob", "fault":
				if strings.HasPrefix(name, "oob_inner") {
					return // only the checkers see it
				}
				if got != "faulty" || o.Dispatches != 0 {
					t.Errorf("%s after %d dispatches; a faulty launch is not for a device", got, o.Dispatches)
				}
			case "race", "undefined", "uninit":
				// They may differ, and what differs in a race is racy.
				if verdict == "race" && got == "differs" {
					t.Errorf("a race, and the difference is not put down to it: %v", o.Suspects)
				}
			default:
				want := "equal"
				if got == "within tolerance" {
					want = got
				}
				if old && lavapipe.faults[name] {
					return
				}
				if got != want {
					t.Errorf("%s, expected %s:\n%s", got, want, text(o))
				}
				for _, m := range o.Memories {
					if !m.Tolerance.exact() {
						continue
					}
					exact++
					if m.Data[0] != nil && (m.Buffer == nil || len(m.Buffer.Addresses) == 0) {
						t.Errorf("%s has to be exact, and is not bit-equal", m.Name)
					}
				}
			}
		})
	}
	if exact < 50 {
		t.Errorf("only %d buffers and images are held to exactness", exact)
	}
	t.Logf("%d buffers and images held to exactness\n%s", exact, Table(rows))
}
