//go:build cgo && linux && (amd64 || arm64)

package capture_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ampdbg/diff"
	"ampdbg/emu"
	"ampdbg/gpu"
	"ampdbg/gpu/capture"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// clientEnv makes a process of this test a program that runs launches: the
// files that the variable names.
const clientEnv = "AMPDBG_TEST_CAPTURE_CLIENT"

func TestMain(m *testing.M) {
	if files := os.Getenv(clientEnv); files != "" {
		runLaunches(filepath.SplitList(files))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runLaunches runs launches on the device and says of each how many dispatches
// it had.
func runLaunches(files []string) {
	for _, file := range files {
		n := 0
		l, err := launch.Load(file, launch.LoadOptions{})
		if err == nil {
			var a *gpu.Accelerator
			if a, err = gpu.Open("", gpu.Options{Require: l.Require, Timeout: 30 * time.Second}); err == nil {
				_, err = l.Execute(context.Background(), counting{a, &n}, nil)
				a.Close()
			}
		}
		fmt.Printf("%s\t%d\t%v\n", file, n, err)
	}
}

// counting counts the dispatches that the device ran.
type counting struct {
	*gpu.Accelerator
	n *int
}

func (c counting) Dispatch(ctx context.Context, d *launch.Dispatch) error {
	err := c.Accelerator.Dispatch(ctx, d)
	var outside *gpu.OutsideError
	if err == nil || errors.As(err, &outside) {
		*c.n++
	}
	return err
}

// requireGPU skips a test where no device is, unless there has to be one.
func requireGPU(t *testing.T) {
	t.Helper()
	if _, err := gpu.Devices(); err != nil && os.Getenv("AMPDBG_REQUIRE_GPU") != "1" {
		t.Skip("no Vulkan device: ", err)
	}
	if _, err := exec.LookPath("cc"); err != nil && os.Getenv("AMPDBG_REQUIRE_GPU") != "1" {
		t.Skip("no C compiler: ", err)
	}
}

// layer is where the layer was built for the tests.
func layer(t *testing.T) string {
	t.Helper()
	dir, err := capture.Build(filepath.Join(os.TempDir(), "ampdbg-test-layer"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// under runs a program under the layer and gives its output and what the layer
// wrote.
func under(t *testing.T, s capture.Settings, env []string, name string, args ...string) (output string, processes []capture.Process) {
	t.Helper()
	raw := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = s.Environ(append(os.Environ(), env...), layer(t), raw)
	out, err := cmd.CombinedOutput()
	if err != nil {
		output = fmt.Sprintf("%v\n", err)
	}
	processes, err = capture.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return output + string(out), processes
}

// reload writes a shot as a launch and reads that.
func reload(t *testing.T, s *capture.Shot) (l *launch.Launch, results string) {
	t.Helper()
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	l, err := launch.Load(filepath.Join(dir, capture.LaunchFile), launch.LoadOptions{})
	if err != nil {
		text, _ := os.ReadFile(filepath.Join(dir, capture.LaunchFile))
		t.Fatalf("%v\n%s", err, text)
	}
	if s.After == nil {
		return l, ""
	}
	results = filepath.Join(dir, capture.ResultsFolder)
	seen := diff.Observed{Launch: s.Launch, Device: s.Device, Driver: s.Driver, Subgroup: s.Subgroup, After: s.After}
	if err := seen.Keep(results); err != nil {
		t.Fatal(err)
	}
	return l, results
}

// agree compares the emulator with what the device left of a shot.
func agree(t *testing.T, s *capture.Shot) {
	t.Helper()
	l, results := reload(t, s)
	saved, err := diff.SavedSide(l, results)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := reload(t, s)
	out, err := diff.Compare(t.Context(), [2]*diff.Side{diff.EmulatorSide(again, emu.Options{}), saved}, diff.Options{Override: diff.NoOverride})
	if err != nil {
		t.Error(err)
		return
	}
	if !out.Same() {
		t.Errorf("dispatch %d: the emulator and the capture differ:\n%s\n%v", s.Number, strings.Join(out.Lines(), "\n"), out.Report())
	}
}

// kindsFound are the kinds of findings that checking launches gives.
func kindsFound(t *testing.T, launches ...*launch.Launch) []string {
	t.Helper()
	set := map[string]bool{}
	for _, l := range launches {
		r, err := racecheck.Run(t.Context(), l, racecheck.Options{Steps: 1 << 26}, nil)
		if err != nil {
			t.Log(err)
			continue
		}
		for _, f := range r.Findings {
			set[string(f.Code)] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// The project's own launches, run on the device, are captured as launches that
// leave on the emulator what the device left, and that the checkers find the
// same in.
func TestOwnLaunchesComeBack(t *testing.T) {
	requireGPU(t)
	files, err := filepath.Glob("../../testdata/*/*.amber")
	if err != nil || len(files) == 0 {
		t.Fatal("no launches", err)
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		verdict, _, _ := strings.Cut(filepath.Base(file), "_")
		folder := filepath.Base(filepath.Dir(file))
		text, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(text), "SAMPLES") {
			return true // filled and read by kernels of package gpu's own
		}
		return verdict == "fault" || verdict == "expect" || verdict == "diverge" || verdict == "spin" || folder == "speed" || folder == "spin"
	})
	if testing.Short() {
		files = files[:40]
	}
	output, processes := under(t, capture.Settings{Every: true, Shots: 1 << 20}, []string{clientEnv + "=" + strings.Join(files, string(os.PathListSeparator))}, os.Args[0])
	if len(processes) != 1 {
		t.Fatalf("%d processes:\n%s", len(processes), output)
	}
	p := processes[0]
	shots, refused := 0, map[string]int{}
	at := 0
	for lines := bufio.NewScanner(strings.NewReader(output)); lines.Scan(); {
		file, rest, _ := strings.Cut(lines.Text(), "\t")
		var n int
		if _, err := fmt.Sscan(rest, &n); err != nil {
			t.Fatalf("%s\n%s", err, output)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			verdict, _, _ := strings.Cut(filepath.Base(file), "_")
			var captured []*launch.Launch
			for range n {
				if at == len(p.Dispatches) {
					t.Fatal("the capture ends early")
				}
				d := p.Dispatches[at]
				at++
				if d.Status != "captured" {
					refused[d.Status+" "+d.Reason]++
					continue
				}
				s, err := p.Load(d.Number)
				if err != nil {
					refused[err.Error()]++
					continue
				}
				shots++
				l, _ := reload(t, s)
				captured = append(captured, l)
				if !slices.Contains([]string{"race", "oob", "undefined", "uninit"}, verdict) { // what these leave is not defined
					agree(t, s)
				}
			}
			// Package gpu binds a guard zone behind buffers, so that there an access
			// out of bounds is none for the capture.
			if l, err := launch.Load(file, launch.LoadOptions{}); err == nil && verdict != "oob" && n > 0 && n == len(captured) && n < 10 {
				if want, got := kindsFound(t, l), kindsFound(t, captured...); !slices.Equal(want, got) {
					t.Errorf("a check of the launch finds %q, one of its capture %q", want, got)
				}
			}
		})
	}
	t.Logf("%d of %d dispatches came back", shots, len(p.Dispatches))
	if shots < len(p.Dispatches)-5 || shots == 0 {
		t.Errorf("only %d of %d dispatches came back", shots, len(p.Dispatches))
	}
	for _, why := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("%d: %s", refused[why], why)
	}
}
