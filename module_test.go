package ampdbg_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAnotherModuleUsesIt builds the test that the README shows in a module of
// its own, with the README's own command.
func TestAnotherModuleUsesIt(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```go\n(func TestReduce.*?)```").FindSubmatch(readme)
	edit := regexp.MustCompile(`(?m)^go (mod edit -require.*)\.\./ampdbg$`).FindSubmatch(readme)
	if shown == nil || edit == nil {
		t.Fatal("the README shows no test, or no way to require the module")
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil && args[0] != "test" {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	write("kernel_test.go", "package kernel\n\nimport (\n\t\"testing\"\n\n\t\"ampdbg/racecheck/kerneltest\"\n)\n\n"+string(shown[1]))
	copyLaunch := func(from string) {
		script, err := os.ReadFile(filepath.Join("testdata", from+".amber"))
		if err != nil {
			t.Fatal(err)
		}
		module, err := os.ReadFile(filepath.Join("testdata", from+".spvasm"))
		if err != nil {
			t.Fatal(err)
		}
		write("testdata/reduce.amber", string(script))
		write("testdata/"+filepath.Base(from)+".spvasm", string(module))
	}
	run("mod", "init", "kernel")
	run(strings.Fields(string(edit[1]) + here)...)

	copyLaunch("race/norace_barrier")
	if out := run("test", "."); !strings.HasPrefix(out, "ok") {
		t.Errorf("of a clean kernel:\n%s", out)
	}
	copyLaunch("race/race_intra_tile_shared")
	if out := run("test", "."); !strings.Contains(out, "error: data race on s[0] (RAW, in-tile)") || !strings.Contains(out, "FAIL") {
		t.Errorf("of a race:\n%s", out)
	}
}

// TestTheCommandLinksNoTesting holds what tests use out of the command.
func TestTheCommandLinksNoTesting(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/ampdbg").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if path == "testing" {
			t.Error("cmd/ampdbg imports testing")
		}
	}
}
