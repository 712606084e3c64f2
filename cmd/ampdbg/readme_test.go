package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestReadmeIsTrue carries out each "$ ampdbg …" of the README and looks for
// its output there.
func TestReadmeIsTrue(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for line := range strings.Lines(string(readme)) {
		args, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "$ ampdbg ")
		if !ok {
			continue
		}
		shown++
		var out bytes.Buffer
		run(context.Background(), strings.Fields(args), strings.NewReader(""), &out, &out)
		if !strings.Contains(string(readme), line+out.String()+"```\n") {
			t.Errorf("README.md does not show what ampdbg %s writes:\n%s", args, out.String())
		}
	}
	if shown == 0 {
		t.Error("README.md shows no report")
	}
}
