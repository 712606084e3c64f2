package repl

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/debugger"
	"ampdbg/launch"
)

// sessionStates are all the states that a session can be in: how to change the
// launch before, and the commands that lead there.
var sessionStates = []struct {
	name, script string
	change       func(l *launch.Launch)
	commands     string
	empty        bool // nothing has run or can run
}{
	{name: "not started", script: "features/rounds.amber"},
	{name: "at a breakpoint", script: "features/rounds.amber", commands: "break main\ncontinue\nwatch copied[0]\nthread 1,0,0"},
	{name: "in the middle of a line", script: "amp/reduce_walkthrough.amber", commands: "break 19\ncontinue\nstepi 3\nfreeze"},
	{name: "in a tile that has not started", script: "amp/reduce_walkthrough.amber", commands: "break 19\ncontinue\ntile 9"},
	{name: "in a tile that has ended", script: "amp/reduce_walkthrough.amber", commands: "break 19 threads tile.x == 300\ncontinue\ntile 2"},
	{name: "at the end of a dispatch", script: "features/rounds.amber", commands: "continue 99\nrewind dispatch 2\nreverse-step"},
	{name: "between dispatches", script: "features/rounds.amber", commands: "continue 99\nrewind dispatch 2"},
	{name: "after a rewind", script: "features/rounds.amber", commands: "break main\ncontinue 5\nrewind"},
	{name: "after the end", script: "features/rounds.amber", commands: "continue 99"},
	{name: "at a fault", script: "amp/oob_reduce_walkthrough.amber", commands: "continue"},
	{name: "after a fault", script: "amp/oob_reduce_walkthrough.amber", commands: "continue\ncontinue"},
	{name: "at a barrier that is not met", script: "diverge/diverge_missing_in_warp.amber", commands: "continue"},
	{name: "at a spin that does not end", script: "spin/spin_lock_across_warps.amber", commands: "continue"},
	{name: "without a dispatch", script: "features/rounds.amber", change: func(l *launch.Launch) { l.Steps = nil }, empty: true},
	{name: "without tiles", script: "features/rounds.amber", change: func(l *launch.Launch) {
		for _, d := range allDispatches(l.Steps) {
			d.Groups = [3]uint32{0, 1, 1}
		}
	}, empty: true},
	{name: "without tiles, after the end", script: "features/rounds.amber", commands: "continue 99", change: func(l *launch.Launch) {
		for _, d := range allDispatches(l.Steps) {
			d.Groups = [3]uint32{0, 1, 1}
		}
	}, empty: true},
	{name: "before a dispatch that cannot run", script: "features/rounds.amber", commands: "break main\ncontinue 99", change: func(l *launch.Launch) {
		allDispatches(l.Steps)[1].Bindings = nil
	}},
}

func allDispatches(steps []launch.Step) (out []*launch.Dispatch) {
	for _, st := range steps {
		switch x := st.(type) {
		case *launch.Dispatch:
			out = append(out, x)
		case *launch.Loop:
			out = append(out, allDispatches(x.Steps)...)
		}
	}
	return out
}

// sweepArgs are arguments that make sense to some command, and some to none.
var sweepArgs = []string{
	"", "1", "0", "-1", "7", "99999999999999999999", "x", "main", "15", "rounds.comp:3", "nowhere:3", ":", "word 3", "word x", "%3", "%none",
	"copied[0]", "copied", "copied[99999999]", "copied[-1]", "localA[localIdx]", "i", "nothing", "nothing[", "local.x", "tile.x", "lane", "index + 1", "copied[0] = 3", "i = 1",
	"main if", "main if nothing", "main if lane == 1", "main threads", "copied[0] bytes 0", "-read copied[0]", "-wrong copied[0]", "1 lane == 2", "1 1", "9 9", "15, \"{lane}\"", "15, {",
	"/x copied[0]", "/99999999999999999999x copied", "/q copied", "/4xb copied[0]", "/", "copied @ 99999999",
	"--max", "--max x lane", "--where", "--sort 9 lane", "--csv f lane", "--width 0 copied", "--width 99999999 copied", "--width 3 copied", "--png f copied", "lane, y: index",
	"thread", "warp", "tile", "grid", "warp 2", "grid 2", "tile 0,0,0", "tile 9,9,9", "0,0,0", "99,99", "1,2,3,4", "warp 0 lane 0", "warp 9999999 lane 3", "warp 0 lane 99", "index 1", "index 4294967295", "lane",
	"all", "frozen", "flagged", "active", "if lane == 1", "if nothing", "by", "by tile", "by thread sort line", "sort", "sort count if lane == 2",
	"race on", "race maybe", "uninit on", "nothing on", "dispatch", "dispatch 2", "dispatch 99", "dispatch x", "diff", "diff 3", "step", "continue", "locals", "threads", "history", "line", "stack", "display",
	"1,9", "9,1", "main,3", "\x1b[31m", "%s%n", "\"", strings.Repeat("(", 300),
}

// moveArgs are those for commands that move.
var moveArgs = []string{
	"", "0", "-1", "x", "99999999999999999999", "warp", "tile", "grid 2", "15", "nowhere:3", "main", "copied[0]", "localA[1]", "i", "nothing[",
	"dispatch", "dispatch 2", "dispatch 99", "dispatch x", "diff 3", "step", "next warp", "1 2 3", "%s%n", "tile 15",
}

func sweepSession(t *testing.T, state int) (*Repl, *strings.Builder) {
	t.Helper()
	st := &sessionStates[state]
	l, err := launch.Load(filepath.Join("..", "..", "testdata", st.script), launch.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if st.change != nil {
		st.change(l)
	}
	s, err := debugger.New(l, debugger.Options{Steps: 200000, History: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	out := &strings.Builder{}
	r := New(s, out, Options{})
	r.Greet()
	for line := range strings.SplitSeq(st.commands, "\n") {
		if err := r.Do(context.Background(), line); err != nil && line != "" && st.name != "before a dispatch that cannot run" {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return r, out
}

// silent commands do what they say without a word.
var silent = map[string]bool{
	"delete": true, "enable": true, "disable": true, "catch": true, "undisplay": true, "display": true, "quit": true, "condition": true, "info": true, "source": true,
}

// TestEveryCommandInEveryState gives all commands all arguments in all states:
// each says something, in words for people.
func TestEveryCommandInEveryState(t *testing.T) {
	for state := range sessionStates {
		t.Run(sessionStates[state].name, func(t *testing.T) {
			for _, c := range commands() {
				list := sweepArgs
				moves := c.group == "Running" || c.group == "Going back"
				if moves {
					list = moveArgs
				}
				var r *Repl
				var out *strings.Builder
				for i, args := range list {
					if r == nil || moves && i%5 == 0 {
						r, out = sweepSession(t, state)
					}
					out.Reset()
					line := strings.TrimSpace(c.names[0] + " " + args)
					err := func() (err error) {
						defer func() {
							if p := recover(); p != nil {
								t.Errorf("%s: panics: %v", line, p)
								r = nil
							}
						}()
						return r.Do(context.Background(), line)
					}()
					if r == nil {
						break
					}
					text := out.String()
					if err != nil {
						text += err.Error()
					}
					if text == "" && !silent[c.names[0]] {
						t.Errorf("%s: says nothing", line)
					}
					for _, word := range []string{"strconv", "runtime error", "invalid syntax", "value out of range", "history has changed", "<nil>", "%!", "+Inf", "-Inf", "\x1b"} {
						if strings.Contains(text, word) && !strings.Contains(args, word) {
							t.Errorf("%s: %q in\n%s", line, word, text)
						}
					}
					r.quit = false
				}
			}
		})
	}
}
