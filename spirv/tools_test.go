package spirv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// runTool runs one of SPIRV-Tools on input, and skips the test where the tool
// is missing. ok is false where the tool rejects the input.
func runTool(t *testing.T, input []byte, name string, args ...string) (output []byte, ok bool) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	file := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(file, input, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append(args, file)...)
	output, err = cmd.Output()
	if err != nil {
		if exit, isExit := err.(*exec.ExitError); isExit {
			return exit.Stderr, false
		}
		t.Fatal(err)
	}
	return output, true
}

// spirvAs gives the binary that spirv-as makes of text.
func spirvAs(t *testing.T, text string, v Version) ([]byte, bool) {
	t.Helper()
	return runTool(t, []byte(text), "spirv-as", "--target-env", "spv"+v.String(), "-o", "-")
}

// corpusFiles lists every assembly file of the project's test data.
func corpusFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, dir := range []string{"testdata", filepath.Join("..", "testdata")} {
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".spvasm" {
				files = append(files, path)
			}
			return nil
		})
	}
	if len(files) < 25 {
		t.Fatalf("found %d assembly files, expected 25 or more", len(files))
	}
	return files
}

func readText(t testing.TB, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
