// Package ampdbg_test holds the module as a whole to its shape.
package ampdbg_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport is the import graph: which top-level folders the packages of a
// folder may import, besides their own. Arrows only run down the list.
// docs/architecture.md shows it with what lives where.
var mayImport = map[string]string{
	"diag":      "",
	"host":      "diag",
	"spirv":     "diag",
	"amber":     "spirv diag",
	"program":   "spirv",
	"tilemem":   "program spirv",
	"launch":    "amber tilemem spirv host diag",
	"warp":      "program spirv tilemem",
	"lower":     "program tilemem warp spirv diag",
	"emu":       "lower warp program launch tilemem spirv host diag",
	"racecheck": "emu warp program launch tilemem spirv host diag",
	"debugger":  "diag spirv host launch tilemem program warp emu racecheck",
	"gpu":       "amber launch spirv host diag",
	"diff":      "gpu racecheck emu warp program launch tilemem spirv host diag",
	"testdata":  "",
	"cmd":       "diag spirv host amber launch tilemem program warp lower emu racecheck debugger gpu diff testdata",
}

// mayImportPackage holds folders to single packages of another one.
var mayImportPackage = map[string]map[string]string{
	"launch": {"tilemem": "ampdbg/tilemem/texel"},
	"lower":  {"warp": "ampdbg/warp/scalar"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
	CgoFiles   []string
	Standard   bool
}

const module = "ampdbg"

// folder is the top-level folder of one of our packages, "" for others.
func folder(path string) string {
	rest, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		return ""
	}
	top, _, _ := strings.Cut(rest, "/")
	return top
}

func listPackages(t *testing.T) map[string]*goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,CgoFiles,Standard", "./...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	packages := map[string]*goPackage{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = &p
	}
	return packages
}

func TestImportGraph(t *testing.T) {
	packages := listPackages(t)
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		from := folder(path)
		if from == "" {
			continue
		}
		allowed, known := mayImport[from]
		if !known {
			t.Errorf("%s lies in a folder that the import graph does not know", path)
			continue
		}
		for _, imported := range packages[path].Imports {
			to := folder(imported)
			if to == "" || to == from {
				continue
			}
			only, limited := mayImportPackage[from][to]
			switch {
			case !slices.Contains(strings.Fields(allowed), to):
				t.Errorf("%s imports %s; %s/ may import: %s", path, imported, from, allowed)
			case limited && imported != only:
				t.Errorf("%s imports %s; of %s/ it may import %s only", path, imported, to, only)
			}
		}
	}
}

// TestOnlyGPUNeedsCgo follows the imports of all packages outside of gpu/
// without going through gpu/: no package with cgo files may be there. (Those
// of the standard library have a variant without cgo.)
func TestOnlyGPUNeedsCgo(t *testing.T) {
	packages := listPackages(t)
	seen := map[string]bool{}
	var follow func(path, from string)
	follow = func(path, from string) {
		p := packages[path]
		if p == nil || p.Standard || seen[path] || folder(path) == "gpu" {
			return
		}
		seen[path] = true
		if len(p.CgoFiles) > 0 {
			t.Errorf("%s needs cgo through %s", from, path)
		}
		for _, imported := range p.Imports {
			follow(imported, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		if folder(path) != "" {
			follow(path, path)
		}
	}
}

func TestBuildsWithoutCgo(t *testing.T) {
	cmd := exec.Command("go", "build", "./...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("CGO_ENABLED=0 go build ./...: %v\n%s", err, out)
	}
}

// docs/architecture.md says of each folder what it may import, and no more or
// less than mayImport does.
func TestArchitectureTellsTheImportGraph(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string][]string{}
	for _, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(line, " | ")
		name, ok := strings.CutPrefix(cells[0], "| `")
		if len(cells) != 3 || !ok || !strings.HasSuffix(name, "/`") {
			continue
		}
		var list []string
		for _, f := range strings.Split(strings.TrimSuffix(cells[2], " |"), ", ") {
			f, _, _ = strings.Cut(f, "/")
			if f != "nothing of ours" && f != "|" && f != "" {
				list = append(list, f)
			}
		}
		slices.Sort(list)
		told[strings.TrimSuffix(name, "/`")] = list
	}
	for f, list := range mayImport {
		want := strings.Fields(list)
		slices.Sort(want)
		if got, ok := told[f]; f != "cmd" && (!ok || !slices.Equal(got, want)) {
			t.Errorf("%s may import %q, and the page says %q", f, want, got)
		}
	}
}
