package repl

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// malformed are command lines that cannot be done.
var malformed = []string{
	"brake 19", "re", "break a, b", "break :3", "break reduce_walkthrough.comp:", "break 0", "break -3", "break 99999999999999999999", "break 19 if", "break 19 threads", "break 19 threads if i == 1",
	"break 19 if nosuch == 1", "break 19 if i +", "break 19 if localA", "break 19 if i = 1", "break 19 if gid.nothing > 1", "break 19 threads tile.q == 1", "break word", "break word x",
	"tbreak 19 if vec2(i)", "log 19", "log 19,", "log 19, {i", "log 19, {}", "log 99999999999999999999, x",
	"watch", "watch 1 + 1", "watch localA[", "watch localA[0] bytes", "watch localA[0] bytes -4", "watch localA[0] bytes ten", "watch -wrote localA[0]", "watch localA[0] if", "watch localA[0] if nosuch",
	"condition", "condition x", "condition 77 i == 1", "condition 1 nosuch", "ignore 1", "ignore 1 -1", "delete x", "delete 77", "enable x", "catch fire", "catch race maybe",
	"continue x", "continue 0", "continue 99999999999999999999", "step sideways", "step 0", "until nowhere", "finish", "rewind 9", "rewind x", "rev", "rev print", "lastwrite", "lastwrite nosuch", "goto", "goto diff",
	"print", "print 1 +", "print nosuch", "print localA[99]", "print /q i", "print /99999999999999999999x i", "set", "set i", "set 1 = 2", "display /q i", "undisplay 9", "table", "table --max lots i", "table --sort 9 i", "table --what i", "table --where", "table --threads \"nosuch\" i",
	"mem", "mem 1", "heat", "heat --width x localA", "heat --png", "whatis", "thread 1,2,3,4", "thread x", "thread warp 99", "thread warp 0 lane 9", "thread tile 999", "thread index -1", "tile x", "tile 313",
	"threads by", "threads by colour", "threads sort", "threads if", "threads nonsense", "freeze x", "stacks x", "frame x", "frame 9", "up x", "list 9999", "list nowhere:3", "list 3,x", "disassemble x", "info nonsense", "source", "help nonsense", "locals all", "lanes 3", "list 5,1", "step 1 2", "next tile tile", "reverse-step 2 warp", "table i,", "table ,",
}

// TestMalformedCommands compares what is answered to command lines that cannot
// be done.
func TestMalformedCommands(t *testing.T) {
	const file = "testdata/malformed.txt"
	r, _ := sweepSession(t, 2) // in the middle of a line
	if err := r.Do(context.Background(), "thaw"); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, line := range malformed {
		err := r.Do(context.Background(), line)
		if err == nil {
			t.Errorf("%s: no error", line)
			continue
		}
		fmt.Fprintf(&b, "%s%s\n%v\n", prompt, line, err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("answers have changed; -update rewrites %s:\n%s", file, diff)
	}
}
