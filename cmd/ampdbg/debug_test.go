package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sessionMark begins a session of the debugger in a document: all blocks up to
// the next mark are its commands with their output.
var sessionMark = regexp.MustCompile("(?m)^<!-- session: (.*) -->$")

// TestSessionsInDocuments runs the debugging sessions that documents show, and
// compares every line of the output.
func TestSessionsInDocuments(t *testing.T) {
	t.Chdir("../..")
	for _, file := range []string{"docs/walkthrough.md", "docs/debugging.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := regenerated(t, string(text))
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(want, string(text)); diff != "" {
			t.Errorf("%s is stale; -update rewrites it:\n%s", file, diff)
		}
	}
}

const sessionPrompt = "(ampdbg) "

// regenerated gives a document with the output of its sessions as it is now.
func regenerated(t *testing.T, text string) string {
	var out strings.Builder
	marks := sessionMark.FindAllStringSubmatchIndex(text, -1)
	if len(marks) == 0 {
		t.Fatal("a document without a session")
	}
	out.WriteString(text[:marks[0][0]])
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		args, part := strings.Fields(text[m[2]:m[3]]), text[m[0]:end]
		var commands []string
		for line := range strings.Lines(part) {
			if c, ok := strings.CutPrefix(line, sessionPrompt); ok {
				commands = append(commands, c)
			}
		}
		var stdout, stderr bytes.Buffer
		run(context.Background(), append([]string{"debug"}, args...), strings.NewReader(strings.Join(commands, "")), &stdout, &stderr)
		if stderr.Len() > 0 {
			t.Fatalf("%v: %s", args, stderr.String())
		}
		// What stands between two commands is the output of the first.
		outputs := strings.Split("\n"+strings.TrimSuffix(stdout.String(), "\n"), "\n"+sessionPrompt)
		if len(outputs) != len(commands)+1 {
			t.Fatalf("%v: %d outputs of %d commands", args, len(outputs)-1, len(commands))
		}
		n := 0
		inBlock, skip := false, false
		for line := range strings.Lines(part) {
			switch {
			case strings.HasPrefix(line, "```"):
				inBlock, skip = !inBlock, false
			case inBlock && strings.HasPrefix(line, sessionPrompt):
				n++
				_, shown, _ := strings.Cut(outputs[n]+"\n", "\n")
				fmt.Fprintf(&out, "%s%s", line, strings.TrimSuffix(shown, "\n"))
				if s := strings.TrimSuffix(shown, "\n"); s != "" {
					out.WriteByte('\n')
				}
				skip = true
				continue
			case skip:
				continue
			}
			out.WriteString(line)
		}
	}
	return out.String()
}
