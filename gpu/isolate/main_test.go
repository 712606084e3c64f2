//go:build cgo && linux && (amd64 || arm64)

package isolate

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"ampdbg/gpu"
	"ampdbg/gpu/faultlayer"
)

// fakeEnv makes the test binary a child that is no good, in the way that the
// variable says.
const fakeEnv = "AMPDBG_TEST_FAKE_CHILD"

// layerFolder is where the layer of package faultlayer is built.
var layerFolder string

// layer builds it, and gives the variables with which processes use it.
var layer = sync.OnceValues(func() ([]string, error) { return faultlayer.Build(layerFolder) })

func TestMain(m *testing.M) {
	if how := os.Getenv(fakeEnv); how != "" {
		fake(how)
	}
	ServeChild()
	var err error
	if layerFolder, err = os.MkdirTemp("", "ampdbg"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(layerFolder); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// fakes are the ways in which a child may be no good, and what is said of it.
var fakes = map[string]string{
	"silent":   "the process that runs Vulkan ended while listing the devices: exit status 0",
	"exit":     "the process that runs Vulkan ended while listing the devices: exit status 3: fake: no reason",
	"rubbish":  "the process that runs Vulkan gave no answer that can be read while listing the devices: no message: a header of 1650619746 bytes",
	"no json":  "gave no answer that can be read while listing the devices: no message: invalid character",
	"half":     "the process that runs Vulkan ended while listing the devices: exit status 0",
	"killed":   "the process that runs Vulkan ended while listing the devices: SIGKILL",
	"crash":    "a Vulkan driver crashed while listing the devices: SIGSEGV",
	"no room":  "the process that runs Vulkan ended while listing the devices: exit status 2: fatal error: ",
	"memories": "gave no answer that can be read while listing the devices: no message: 1 memories, not 0",
}

func fake(how string) {
	replies := os.NewFile(repliesFD, "replies")
	say := func(s string) {
		if _, err := replies.WriteString(s); err != nil {
			os.Exit(9)
		}
	}
	switch how {
	case "exit":
		fmt.Fprintln(os.Stderr, "fake: no reason") // seen among the tests' output: a child's words are passed on
		os.Exit(3)
	case "rubbish":
		say("bubbles")
	case "no json":
		say("\x04\x00\x00\x00yes?")
	case "half":
		say("\x40\x00\x00\x00{")
		os.Exit(0)
	case "memories":
		say("\x0d\x00\x00\x00{\"Sizes\":[8]}")
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "crash":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSEGV)
	case "no room":
		fmt.Fprintln(os.Stderr, "fatal error: out of memory\n\ngoroutine 1 [running]:")
		os.Exit(2)
	case "hang":
	case "silent":
		os.Exit(0)
	}
	time.Sleep(time.Hour)
}

// fakeHost starts children that are no good.
func fakeHost(how string) *Host {
	return &Host{command: func() *exec.Cmd {
		cmd := itself()
		cmd.Env = append(os.Environ(), fakeEnv+"="+how)
		return cmd
	}}
}

// host starts children, of which the first one's Vulkan calls fail as faults
// say; it skips the test where there is no device, or no layer where faults
// are wanted. With AMPDBG_REQUIRE_GPU=1 in the environment it fails instead.
func host(t *testing.T, faults string) *Host {
	t.Helper()
	_, err := gpu.Devices()
	var layerEnv []string
	if err == nil && faults != "" {
		layerEnv, err = layer()
	}
	if err != nil {
		if os.Getenv("AMPDBG_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	h := &Host{command: func() *exec.Cmd {
		cmd := itself()
		cmd.Env = os.Environ()
		if faults != "" {
			cmd.Env = append(append(cmd.Env, layerEnv...), faultlayer.Env+"="+faults)
		}
		faults = ""
		return cmd
	}}
	t.Cleanup(h.Close)
	return h
}

// open opens the device for tests.
func open(t *testing.T, faults string, opt Options) *Accelerator {
	t.Helper()
	a, err := host(t, faults).Open(t.Context(), os.Getenv("AMPDBG_TEST_DEVICE"), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// dead gives the death that an error is about.
func dead(t *testing.T, err error) *Death {
	t.Helper()
	var d *Death
	if !errors.As(err, &d) {
		t.Fatalf("expected a *Death, found %T: %v", err, err)
	}
	return d
}
