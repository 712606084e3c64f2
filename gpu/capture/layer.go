// Package capture takes compute dispatches out of running Vulkan programs. A
// layer in C, built on first use and kept in the user's cache, stands between
// the program and the driver, copies what a dispatch sees before and after it
// runs, and writes raw files; this package reads them and makes a launch of
// each. layer/ says how the copies are made, docs/capture.md what is captured.
package capture

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"ampdbg/diag"
)

//go:embed layer/*.c layer/*.h
var source embed.FS

const layerName = "VK_LAYER_AMPDBG_capture"

const manifest = `{
  "file_format_version": "1.1.0",
  "layer": {
    "name": "` + layerName + `", "type": "GLOBAL", "library_path": "./libampcapture.so", "api_version": "1.3.0",
    "implementation_version": "1", "description": "captures dispatches"
  }
}
`

// options are those of the C compiler. nodelete: the loader closes layers with
// the last instance, and a thread of the layer's goes on.
var options = []string{"-std=gnu11", "-shared", "-fPIC", "-O1", "-Wall", "-fvisibility=hidden", "-Wl,-z,nodelete", "-pthread"}

// Build gives the folder with the layer, built by the installed C compiler
// unless the cache (in cache, or the user's cache folder) has it already. The
// error where there is no compiler is a *diag.Error of class Unsupported.
func Build(cache string) (dir string, err error) {
	files, err := fs.Glob(source, "layer/*")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprint(sum, options, manifest)
	for _, f := range files {
		data, err := source.ReadFile(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, f, len(data))
		sum.Write(data)
	}
	if cache == "" {
		if cache, err = os.UserCacheDir(); err != nil {
			return "", err
		}
		cache = filepath.Join(cache, "ampdbg")
	}
	dir = filepath.Join(cache, "capture-"+hex.EncodeToString(sum.Sum(nil)[:8]))
	if _, err := os.Stat(filepath.Join(dir, "capture.json")); err == nil {
		return dir, nil
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", &diag.Error{Class: diag.Unsupported, Msg: "capture builds its Vulkan layer with a C compiler, and there is none (cc)"}
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return "", err
	}
	// Built elsewhere and moved as a whole: another process may be at it too.
	work, err := os.MkdirTemp(cache, "building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	args := append(append([]string{}, options...), "-o", "libampcapture.so")
	for _, f := range files {
		data, _ := source.ReadFile(f)
		name := filepath.Base(f)
		if err := os.WriteFile(filepath.Join(work, name), data, 0o666); err != nil {
			return "", err
		}
		if strings.HasSuffix(name, ".c") {
			args = append(args, name)
		}
	}
	cmd := exec.Command(cc, args...)
	cmd.Dir = work
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s cannot build the capture layer: %v\n%s", cc, err, out)
	}
	if err := os.WriteFile(filepath.Join(work, "capture.json"), []byte(manifest), 0o666); err != nil {
		return "", err
	}
	if err := os.Rename(work, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, there := os.Stat(filepath.Join(dir, "capture.json")); there != nil {
			return "", err
		}
	}
	return dir, os.Chmod(dir, 0o755)
}

// Range is dispatches by number, both ends included.
type Range struct{ First, Last uint64 }

// Settings say which dispatches of a process are captured. The zero value
// captures the first of each kernel (module, entry point, specialization).
type Settings struct {
	List       bool     // only list them
	Every      bool     // all of them
	Nth        int      // leave out so many of a kernel before the first one
	Ranges     []Range  // these
	Shaders    []string // kernels by name, entry point or the beginning of their id
	ShotBytes  int64    // of copies of one dispatch; 0: 256 MiB
	TotalBytes int64    // of copies in all; 0: 4 GiB
	Shots      int      // at most; 0: 64
}

// variable is the layer's environment variable.
const variable = "AMPDBG_CAPTURE"

// Environ gives the environment for a program: base with the layer of the
// folder layer named to the Vulkan loader, before all layers that base names,
// and the settings. The layer writes into the folder raw, which must exist.
func (s *Settings) Environ(base []string, layer, raw string) []string {
	var b strings.Builder
	set := func(key string, value any) { fmt.Fprintf(&b, "%s %v\n", key, value) }
	set("folder", raw)
	for key, n := range map[string]int64{
		"shot-bytes": s.ShotBytes, "total-bytes": s.TotalBytes, "shots": int64(s.Shots), "nth": int64(s.Nth),
	} {
		if n > 0 {
			set(key, n)
		}
	}
	if s.List {
		set("list", 1)
	}
	if s.Every {
		set("every", 1)
	}
	for _, r := range s.Ranges {
		set("range", strconv.FormatUint(r.First, 10)+" "+strconv.FormatUint(r.Last, 10))
	}
	for _, name := range s.Shaders {
		set("shader", name)
	}
	// Where VK_LAYER_PATH is set, the loader passes VK_ADD_LAYER_PATH over.
	path := "VK_ADD_LAYER_PATH"
	if lookup(base, "VK_LAYER_PATH") != "" {
		path = "VK_LAYER_PATH"
	}
	env := prepend(base, path, layer)
	env = prepend(env, "VK_INSTANCE_LAYERS", layerName)
	return append(env, variable+"="+b.String())
}

func lookup(env []string, name string) string {
	value := ""
	for _, e := range env {
		if k, v, _ := strings.Cut(e, "="); k == name {
			value = v
		}
	}
	return value
}

// prepend puts an element before those of a list variable.
func prepend(env []string, name, element string) []string {
	if old := lookup(env, name); old != "" {
		element += string(os.PathListSeparator) + old
	}
	return append(append([]string{}, env...), name+"="+element)
}
