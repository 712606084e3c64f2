//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// childEnv makes the test binary do something else than test, in the
// environment that a test made for it.
const childEnv = "AMPDBG_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "list":
		listDevices()
	case "fault":
		runTwice()
	}
}

// listDevices lists the devices, of which there are none.
func listDevices() {
	_, err := Devices()
	_, again := Devices() // a failure is no state to be stuck in
	_, open := Open("", Options{})
	fmt.Println(err)
	if err == nil || again == nil || open == nil || err.Error() != again.Error() || err.Error() != open.Error() {
		fmt.Println("then:", again, open)
		os.Exit(1)
	}
}

func TestWithoutVulkanTheProcessSaysSo(t *testing.T) {
	broken := t.TempDir()
	for _, name := range []string{"libvulkan.so.1", "libvulkan.so"} {
		if err := os.WriteFile(filepath.Join(broken, name), []byte("no library"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	none := filepath.Join(t.TempDir(), "none.json")
	for _, c := range []struct {
		name string
		env  []string
		want []string // one of these
	}{
		{"no loader", []string{"LD_LIBRARY_PATH=" + broken}, []string{"no Vulkan on this system: no Vulkan loader (libvulkan.so.1)"}},
		{"no driver", []string{"VK_ICD_FILENAMES=" + none, "VK_DRIVER_FILES=" + none},
			[]string{"no Vulkan driver is installed", "no Vulkan device", "no Vulkan loader"}},
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), append(c.env, childEnv+"=list")...)
		out, err := cmd.CombinedOutput()
		said := false
		for _, w := range c.want {
			said = said || strings.Contains(string(out), w)
		}
		if err != nil || !said {
			t.Errorf("%s: expected one of %q, found %v:\n%s", c.name, c.want, err, out)
		}
	}
}
