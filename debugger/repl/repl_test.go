package repl

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ampdbg/debugger"
)

var update = flag.Bool("update", false, "rewrite docs/debugger-commands.md")

func TestManualIsFresh(t *testing.T) {
	const file = "../../docs/debugger-commands.md"
	if *update {
		if err := os.WriteFile(file, []byte(Manual()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Manual(), string(got)); diff != "" {
		t.Errorf("%s is stale; -update rewrites it:\n%s", file, diff)
	}
}

func TestCommandsAreNamedOnce(t *testing.T) {
	seen := map[string]string{}
	for _, c := range commands() {
		if c.run == nil || c.short == "" || !slices.Contains(groups, c.group) {
			t.Errorf("%s is incomplete", c.names[0])
		}
		if strings.HasSuffix(c.short, ".") || strings.ToLower(c.short[:1]) != c.short[:1] {
			t.Errorf("%s: %q should be a phrase", c.names[0], c.short)
		}
		for _, n := range c.names {
			if seen[n] != "" {
				t.Errorf("%s is both %s and %s", n, seen[n], c.names[0])
			}
			seen[n] = c.names[0]
		}
	}
}

// TestFamiliarNames holds the names that users of gdb and Delve know to what
// they do there.
func TestFamiliarNames(t *testing.T) {
	for name, want := range map[string]string{
		"b": "break", "break": "break", "tbreak": "tbreak", "c": "continue", "continue": "continue", "n": "next", "next": "next",
		"s": "step", "step": "step", "si": "stepi", "stepi": "stepi", "finish": "finish", "fin": "finish", "stepout": "finish",
		"until": "until", "u": "until", "p": "print", "print": "print", "display": "display", "watch": "watch", "info": "info", "i": "info",
		"bt": "backtrace", "backtrace": "backtrace", "where": "backtrace", "l": "list", "list": "list", "f": "frame", "frame": "frame",
		"thread": "thread", "t": "thread", "cond": "condition", "condition": "condition", "d": "delete", "delete": "delete", "x": "mem",
		"set": "set", "restart": "restart", "rewind": "rewind", "rw": "rewind", "rev": "rev", "up": "up", "down": "down", "q": "quit",
		"exit": "quit", "h": "help", "help": "help", "rc": "reverse-continue", "rs": "reverse-step", "rn": "reverse-next",
		"reverse-next": "reverse-next", "locals": "locals", "whatis": "whatis", "disas": "disassemble", "r": "continue", "bac": "backtrace", "thaw": "thaw",
	} {
		c, err := lookup(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if c.names[0] != want {
			t.Errorf("%s is %s, expected %s", name, c.names[0], want)
		}
	}
	if _, err := lookup("re"); err == nil {
		t.Error("re is ambiguous, and was taken for a command")
	}
}

// TestSeesOnlyTheSession checks that the terminal goes through the session.
func TestSeesOnlyTheSession(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range strings.Fields(string(out)) {
		if strings.HasPrefix(p, "ampdbg/") && p != "ampdbg/debugger" && p != "ampdbg/diag" {
			t.Errorf("imports %s", p)
		}
	}
}

func TestWatchColumns(t *testing.T) {
	cols := []debugger.Column{{Name: "a"}, {Name: "element"}}
	for text, want := range map[string]int{"": 0, "1": 1, "-2": -2, "element": 2, "-element": -2} {
		if got, err := sortColumn(text, cols); err != nil || got != want {
			t.Errorf("%q: %d, %v; expected %d", text, got, err, want)
		}
	}
	if _, err := sortColumn("3", cols); err == nil {
		t.Error("column 3 of 2 was accepted")
	}
	if diff := cmp.Diff([]string{"a[i, j]", "f(1, 2)", "c"}, commas("a[i, j], f(1, 2), c")); diff != "" {
		t.Error(diff)
	}
}
