//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"ampdbg/gpu/faultlayer"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// runTwice runs a dispatch that a fault ends, and another one on the same
// accelerator.
func runTwice() {
	text, err := os.ReadFile("testdata/double.spvasm")
	if err != nil {
		panic(err)
	}
	m, err := spirv.Assemble("double.spvasm", string(text))
	if err != nil {
		panic(err)
	}
	a, err := Open(os.Getenv("AMPDBG_TEST_DEVICE"), Options{})
	if err != nil {
		panic(err)
	}
	for range 2 {
		b := buffer("data", words(upTo(8)...))
		err := a.Dispatch(context.Background(), dispatch(m, 1, whole(0, 0, launch.StorageBuffer, b)))
		fmt.Println("lost:", Lost(err), "error:", err, "data:", unwords(b.Data))
	}
	fmt.Println("closed:", a.Close())
}

// Where a call fails, the next dispatch runs, in the same process and on the
// same accelerator; package isolate tests faults that end the process.
func TestNextDispatchRunsAfterAFault(t *testing.T) {
	open(t, Options{})
	env, err := faultlayer.Build(t.TempDir())
	if err != nil {
		if os.Getenv("AMPDBG_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for fault, want := range map[string]string{
		"vkQueueSubmit=-4@1":             "lost: true error: %s was lost while running",
		"vkWaitForFences=-4@1":           "lost: true error: %s was lost while running",
		"vkCreateDevice=-4@1":            "lost: true error: %s was lost while making the device ready",
		"vkCreateBuffer=-4@1":            "lost: true error: %s was lost while placing the memory",
		"vkAllocateMemory=-2@1":          "lost: false error: %s ran out of memory",
		"vkCreateComputePipelines=-13@1": "lost: false error: the driver of %s refuses double.spvasm",
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(append(os.Environ(), env...), childEnv+"=fault", faultlayer.Env+"="+fault)
		out, err := cmd.CombinedOutput()
		first, then, _ := strings.Cut(string(out), "\n")
		name, _, _ := strings.Cut(want, "%s")
		if err != nil || !strings.HasPrefix(first, name) || !strings.Contains(first, want[len(name)+2:]) ||
			then != "lost: false error: <nil> data: [0 2 4 6 8 10 12 14]\nclosed: <nil>\n" {
			t.Errorf("%s: expected %s, found %v:\n%s", fault, want, err, out)
		}
	}
}
