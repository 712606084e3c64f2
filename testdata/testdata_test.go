// Package testdata_test holds the kernels and launch scripts of this folder to
// their rules: the checked-in text is what the compiler makes of the source
// beside it, every module is valid, every script expects something, and the
// generated scripts say what plain Go computes.
//
// With -update, the SPIR-V text and the generated scripts are written anew:
//
//	go test ./testdata -update
package testdata_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the SPIR-V text and the generated scripts")

// compilerVersion is the glslang whose output is checked in; another version
// numbers ids differently.
const compilerVersion = "Glslang Version: 11:12.0.0"

// defaultCompile makes the SPIR-V text of a source that has no "Compile:" line.
const defaultCompile = "glslangValidator -V -g --target-env vulkan1.1"

var compileLine = regexp.MustCompile(`(?m)^// Compile: (.*)$`)

// need skips the test unless every tool is installed.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
}

// run executes a tool inside dir and returns its standard output.
func run(t *testing.T, dir, tool string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", tool, strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return out
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no files match %s", pattern)
	}
	return files
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// compile returns the SPIR-V text of a GLSL source: the compiler and any
// spirv-opt of its "Compile:" line, then spirv-dis. The tools run inside the
// source's folder, so that debug information names the bare file.
func compile(t *testing.T, path string) string {
	t.Helper()
	dir, name := filepath.Split(path)
	line := defaultCompile
	if m := compileLine.FindStringSubmatch(read(t, path)); m != nil {
		line = m[1]
	}
	front, opt, optimised := strings.Cut(line, "; ")
	out := filepath.Join(t.TempDir(), "a.spv")
	words := strings.Fields(front)
	run(t, dir, words[0], append(words[1:], "-o", out, name)...)
	if optimised {
		words := strings.Fields(opt)
		run(t, dir, words[0], append(words[1:], "-o", out, out)...)
	}
	return string(run(t, dir, "spirv-dis", out))
}

func TestTextIsWhatTheCompilerMakes(t *testing.T) {
	need(t, "glslangValidator", "spirv-opt", "spirv-dis")
	if v := string(run(t, ".", "glslangValidator", "--version")); !strings.HasPrefix(v, compilerVersion+"\n") {
		t.Skipf("the text was made by %q, installed is %q", compilerVersion, strings.SplitN(v, "\n", 2)[0])
	}
	for _, source := range glob(t, "*/*.comp") {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			want := compile(t, source)
			text := strings.TrimSuffix(source, ".comp") + ".spvasm"
			if *update {
				if err := os.WriteFile(text, []byte(want), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if read(t, text) != want {
				t.Errorf("%s is not what the compiler makes of %s; run go test ./testdata -update", text, source)
			}
		})
	}
}

var versionLine = regexp.MustCompile(`(?m)^; Version: (1\.[0-6])$`)

func TestModulesAreValid(t *testing.T) {
	need(t, "spirv-as", "spirv-val")
	for _, text := range glob(t, "*/*.spvasm") {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			m := versionLine.FindStringSubmatch(read(t, text))
			if m == nil {
				t.Fatal(`no "; Version: 1.x" line`)
			}
			out := filepath.Join(t.TempDir(), "a.spv")
			run(t, ".", "spirv-as", "--target-env", "spv"+m[1], "-o", out, text)
			run(t, ".", "spirv-val", "--target-env", "vulkan1.3", out)
		})
	}
}

// noExpect says whether a script may lack an EXPECT: its verdict, which stands
// in its name, is the expectation.
func noExpect(script string) bool {
	name := filepath.Base(script)
	for _, verdict := range []string{"diverge_", "spin_", "oob_", "race_", "uninit_", "undefined_", "fault_"} {
		if strings.HasPrefix(name, verdict) {
			return true
		}
	}
	return false
}

var shaderFile = regexp.MustCompile(`(?m)^SHADER compute \S+ SPIRV-ASM TARGET_ENV spv(1\.[0-6]) FILE (\S+)$`)

func TestScriptsFollowTheRules(t *testing.T) {
	used := map[string]bool{}
	for _, script := range glob(t, "*/*.amber") {
		text := read(t, script)
		if !strings.HasPrefix(text, "#!amber\n") {
			t.Errorf("%s does not start with #!amber", script)
		}
		if !noExpect(script) && !strings.Contains(text, "\n  EXPECT ") && !strings.Contains(text, "\nEXPECT ") {
			t.Errorf("%s has no EXPECT", script)
		}
		if !strings.Contains(text, "\nRUN ") && !strings.Contains(text, "\n  RUN ") {
			t.Errorf("%s runs nothing", script)
		}
		for _, m := range shaderFile.FindAllStringSubmatch(text, -1) {
			module := filepath.Join(filepath.Dir(script), m[2])
			used[module] = true
			if v := versionLine.FindStringSubmatch(read(t, module)); v == nil || v[1] != m[1] {
				t.Errorf("%s asks for spv%s, %s is of another version", script, m[1], module)
			}
		}
	}
	for _, module := range glob(t, "*/*.spvasm") {
		if !used[module] {
			t.Errorf("no script runs %s", module)
		}
	}
}
