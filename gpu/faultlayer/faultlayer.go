// Package faultlayer builds a Vulkan layer that makes calls fail or crash, so
// that tests can provoke what drivers seldom do: a lost device, no memory, a
// refused pipeline, a crash, a hang. testdata/faults.c says what it can do.
package faultlayer

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed testdata/faults.c
var source []byte

const manifest = `{
  "file_format_version": "1.1.0",
  "layer": {
    "name": "VK_LAYER_AMPDBG_faults", "type": "GLOBAL", "library_path": "./libfaults.so", "api_version": "1.3.0",
    "implementation_version": "1", "description": "makes calls fail"
  }
}
`

// Env is the environment variable that says which calls fail, and how:
// "vkQueueSubmit=-4@1".
const Env = "AMPDBG_FAULTS"

// errNoCompiler says that there is no C compiler to build the layer with.
var errNoCompiler = errors.New("no C compiler (cc)")

// Build builds the layer in the folder dir, and gives the environment
// variables that make every Vulkan instance of a process use it.
func Build(dir string) (env []string, err error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return nil, errNoCompiler
	}
	file := filepath.Join(dir, "faults.c")
	if err := os.WriteFile(file, source, 0o666); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "faults.json"), []byte(manifest), 0o666); err != nil {
		return nil, err
	}
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-O1", "-Wall", "-o", filepath.Join(dir, "libfaults.so"), file).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cc: %v\n%s", err, out)
	}
	return []string{"VK_LAYER_PATH=" + dir, "VK_INSTANCE_LAYERS=VK_LAYER_AMPDBG_faults"}, nil
}
