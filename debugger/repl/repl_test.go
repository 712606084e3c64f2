package repl

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ampdbg/debugger"
	"ampdbg/launch"
)

var update = flag.Bool("update", false, "rewrite docs/debugger-commands.md")

func TestManualIsFresh(t *testing.T) {
	const file = "../../docs/debugger-commands.md"
	if *update {
		if err := os.WriteFile(file, []byte(manual()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(manual(), string(got)); diff != "" {
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

// familiar are lines that users of gdb and Delve know, each with some of what is
// answered; they are done one after the other.
var familiar = []struct{ lines, want string }{
	{"break 19", "breakpoint 1 at reduce_walkthrough.comp:19"},
	{"b main", "breakpoint 2 at reduce_walkthrough.comp:12"},
	{"tbreak 13", "temporary breakpoint 3 at reduce_walkthrough.comp:13"},
	{"tb 17", "temporary breakpoint 4"},
	{"info breakpoints", "tbreak  y      0  reduce_walkthrough.comp:13"},
	{"i b; bp", "break   y      0  reduce_walkthrough.comp:19"},
	{"disable 2; info break", "break   n"},
	{"enable 2; d 4; info b", "break   y"},
	{"r", "breakpoint 2: reduce_walkthrough.comp:12 in main"},
	{"delete 2; n", "breakpoint 3: reduce_walkthrough.comp:13 in main"},
	{"info b", "break  y      0  reduce_walkthrough.comp:19"},
	{"next 1", "=> 14"},
	{"s", "=> 15"},
	{"rs", "=> 14"},
	{"step", "=> 15"},
	{"si", "=> 17"},
	{"rsi", "=> 15"},
	{"reverse-stepi", "=> 14"},
	{"stepi 2", "=> 17"},
	{"cond 1 localIdx == 2 && i == 16; info b", "if localIdx == 2 && i == 16"},
	{"c", "breakpoint 1: reduce_walkthrough.comp:19 in main\nthread 2 of tile (0,0,0)"},
	{"p localIdx", "localIdx = 2"},
	{"print/x localIdx + 14", "localIdx + 14 = 0x10"},
	{"p localIdx = localIdx", "localIdx = 2"},
	{"set var localIdx = 3; p localIdx", "localIdx = 3"},
	{"set localIdx = 2; p localIdx", "localIdx = 2"},
	{"whatis localIdx", "localIdx is int"},
	{"ptype localA", "localA is int[32]"},
	{"x/4xw localA[0]", "uint, from byte 0"},
	{"x/2db localA", "uint8_t, from byte 0"},
	{"display i", "1: i = 16"},
	{"u 21", "1: i = 16"},
	{"rn", "=> 19"},
	{"undisplay 1; display", ""},
	{"info locals", "int localIdx = 2"},
	{"locals", "int i = 16"},
	{"info args", "int i = 16"},
	{"bt", ">#0  main at reduce_walkthrough.comp:19"},
	{"backtrace; bac", ">#0  main"},
	{"where", ">#0  main"},
	{"info stack", ">#0  main"},
	{"f", "#0  main"},
	{"frame 0", "=> 19"},
	{"l", "=*   19"},
	{"list main", "void main()"},
	{"l 18,19", "     18"},
	{"disas", "=> word"},
	{"thread", "thread 2 of tile (0,0,0)"},
	{"t 1", "thread 1 of tile (0,0,0)"},
	{"info threads", "313 tiles of 32"},
	{"until 21", "reduce_walkthrough.comp:21"},
	{"advance 17", "reduce_walkthrough.comp:17"},
	{"cond 1; c", "breakpoint 1: reduce_walkthrough.comp:19"},
	{"ignore 1 3; info b", "(stops at hit"},
	{"d; info b", "no breakpoints"},
	{"watch localA[0]", "watchpoint 5 (change) on localA[0]"},
	{"watch -w localA[1]", "watchpoint 6 (write) on localA[1]"},
	{"watch -r localA[2]", "watchpoint 7 (read) on localA[2]"},
	{"watch -rw localA[3]", "watchpoint 8 (access) on localA[3]"},
	{"rwatch localA[4]", "watchpoint 9 (read) on localA[4]"},
	{"awatch localA[5]", "watchpoint 10 (access) on localA[5]"},
	{"info watchpoints", "localA[5] (4 bytes, in tile 0)"},
	{"delete 6 7 8 9 10; restart; c", "watchpoint 5: write of localA[0]: 0 -> "},
	{"p localA[0]", "localA[0] = 0"},
	{"c", "watchpoint 5: write of localA[0]"},
	{"reverse-continue", "watchpoint 5: write of localA[0]: 0 -> "},
	{"rc", "the start of the launch"},
	{"dprintf 13, \"at {localIdx}\"", "logpoint 11 at reduce_walkthrough.comp:13"},
	{"clear; i b", "no breakpoints"},
	{"run; rw", "the start of the launch"},
	{"rewind", "the start of the launch"},
	{"n 2; rev n", "=> 12"},
	{"reverse-step; reverse-next", "the start of"},
	{"info functions", "main"},
	{"info sources", "reduce_walkthrough.comp"},
	{"info line", "thread 0 of tile (0,0,0)"},
	{"info display", ""},
	{"h next", "Run to the next line, over calls."},
	{"help", "Going back:"},
}

// familiarCalls are those about calls.
var familiarCalls = []struct{ lines, want string }{
	{"b attraction; c", "in attraction"},
	{"up", "#1  main at nbody.comp"},
	{"p position", "position = ("},
	{"down", "#0  attraction at nbody.comp"},
	{"f 1; info frame", ">#1  main"},
	{"f 0; fin", "in main"},
	{"d; rs; where", ">#0  attraction"},
	{"finish", "in main"},
	{"rs; stepout", "in main"},
	{"rs; so", "in main"},
	{"rs; reverse-finish", "in main"},
}

// TestFamiliarNames does what users of gdb and Delve know, and reads that it does
// what it does there.
func TestFamiliarNames(t *testing.T) {
	for _, c := range []struct {
		script string
		list   []struct{ lines, want string }
	}{{"amp/reduce_walkthrough.amber", familiar}, {"amp/nbody.amber", familiarCalls}} {
		l, err := launch.Load(filepath.Join("..", "..", "testdata", c.script), launch.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := debugger.New(l, debugger.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		r := New(s, &out, Options{})
		for _, f := range c.list {
			for line := range strings.SplitSeq(f.lines, "; ") {
				out.Reset()
				if err := r.Do(t.Context(), line); err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
			if !strings.Contains(out.String(), f.want) {
				t.Errorf("%s: expected %q, found\n%s", f.lines, f.want, out.String())
			}
		}
		for _, line := range []string{"quit", "q", "exit"} {
			r.quit = false
			if err := r.Do(t.Context(), line); err != nil || !r.Quit() {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if _, err := lookup("re"); err == nil {
		t.Error("re is ambiguous, and was taken for a command")
	}
}

// TestFamiliarNamesAreAllTried: of the names that a command has besides its own,
// those that are not ours are gdb's or Delve's.
func TestFamiliarNamesAreAllTried(t *testing.T) {
	tried := map[string]bool{}
	for _, f := range slices.Concat(familiar, familiarCalls) {
		for line := range strings.SplitSeq(f.lines, "; ") {
			name, _ := splitCommand(line)
			tried[name] = true
		}
	}
	ours := []string{"sb", "lw", "wp", "watchpoint", "tab", "step-instruction", "q", "exit"}
	for _, c := range commands() {
		for _, n := range c.names[1:] {
			if !tried[n] && !slices.Contains(ours, n) {
				t.Errorf("%s, for %s, is not tried", n, c.names[0])
			}
		}
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
