package debugger

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestWatchpoints counts the stops of watchpoints over a whole run.
func TestWatchpoints(t *testing.T) {
	for _, c := range []struct {
		name, expr string
		kind       WatchKind
		line       string
		stops      int
		first      WatchHit
	}{
		{"change of tile_static", "sums[1]", WatchChange, "", 1, WatchHit{Kind: "write", Object: "sums[1]", Old: "0", New: "6"}},
		{"read of tile_static", "sums[1]", WatchRead, "", 1, WatchHit{Kind: "read", Object: "sums[1]", Old: "6"}},
		{"write of a buffer", "data[0]", WatchWrite, "", 1, WatchHit{Kind: "write", Object: "Data.data[0]", Old: "0", New: "-15"}},
		{"access to a buffer", "data[1]", WatchAccess, "", 3, WatchHit{Kind: "read", Object: "Data.data[1]", Old: "1"}},
		{"writes of a variable", "total", WatchWrite, "13", 4, WatchHit{Kind: "write", Object: "total", Old: "0", New: "0"}},
		{"reads of a variable", "total", WatchRead, "13", 4, WatchHit{Kind: "read", Object: "total", Old: "0"}},
		{"accesses to a variable", "total", WatchAccess, "13", 8, WatchHit{Kind: "write", Object: "total", Old: "0", New: "0"}},
		{"reads of a counter", "i", WatchRead, "14", 7, WatchHit{Kind: "read", Object: "i", Old: "0"}},
		{"change of a variable", "total", WatchChange, "14", 2, WatchHit{Kind: "write", Object: "total", Old: "0", New: "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := compiled(t, stepKernel, false, "-g")
			if c.line == "" {
				c.line = "12"
			}
			must(t)(s.Step(StepTo, ThreadScope, c.line))
			if _, err := s.Watch(c.expr, c.kind, 0); err != nil {
				t.Fatal(err)
			}
			stops := 0
			for {
				st := must(t)(s.Continue())
				if st.Reason != AtWatchpoint {
					break
				}
				if stops++; stops == 1 {
					if w := st.Watch; w.Kind != c.first.Kind || w.Object != c.first.Object || w.Old != c.first.Old || w.New != c.first.New {
						t.Errorf("%+v, expected %+v", w, c.first)
					}
				}
			}
			if stops != c.stops {
				t.Errorf("%d stops, expected %d", stops, c.stops)
			}
		})
	}
}

// TestLastWrite goes back to the write of an element, before it happened.
func TestLastWrite(t *testing.T) {
	s := compiled(t, stepKernel, false, "-g")
	must(t)(s.Continue())
	st := must(t)(s.LastWrite("data[7]"))
	if st.Pos.Line != 26 || s.Focus().Local != 7 {
		t.Errorf("at line %d, thread %d", st.Pos.Line, s.Focus().Local)
	}
	if got := evalText(t, s, "data[7]"); got != "7" {
		t.Errorf("data[7] is %s before the write", got)
	}
}

func TestConditionsFiltersHitsAndLogs(t *testing.T) {
	s := compiled(t, stepKernel, false, "-g")
	b, err := s.Break("15")
	if err != nil {
		t.Fatal(err)
	}
	b.cond, _ = ParseExpr("i == 1")
	b.threads, _ = ParseExpr("l >= 4")
	if _, err := s.AddLogpoint(Logpoint{At: FileLine{"k.comp", 22}, Message: "{l}: {total}"}); err != nil {
		t.Fatal(err)
	}
	st := must(t)(s.Continue())
	if st.Reason != AtBreakpoint || s.Focus().Local != 4 || evalText(t, s, "i") != "1" {
		t.Errorf("stopped: %+v", st)
	}
	if st := must(t)(s.Continue()); st.Reason != AtExit {
		t.Errorf("stopped: %+v", st)
	}
	if len(s.said) != 8 || s.said[0] != "0: 2" || s.said[7] != "7: -15" {
		t.Errorf("log %q", s.said)
	}
	if b.Hits != 1 {
		t.Errorf("%d hits", b.Hits)
	}
}

// TestWatchpointsOnVariablesWithoutAPause: of writes and reads that follow each
// other directly, none is lost, and each is told with the line it is on.
func TestWatchpointsOnVariablesWithoutAPause(t *testing.T) {
	s := compiled(t, `#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Data { int data[]; };
void main() {
    int l = int(gl_LocalInvocationID.x);
    int a = l;
    a = l + 1;
    a = 7;
    a = a;
    int b = a;
    int c[4] = int[](1, 2, 3, 4);
    c[l] = b;
    c[(l + 1) & 3] = 9;
    data[l] = a + b + c[l];
}
`, false, "-g")
	must(t)(s.Step(StepTo, ThreadScope, "6"))
	for _, w := range []struct {
		expr string
		kind WatchKind
		want string
	}{
		{"a", WatchWrite, "write 0>0 at 6, write 0>1 at 7, write 1>7 at 8, write 7>7 at 9"},
		{"a", WatchRead, "read 7> at 9, read 7> at 10, read 7> at 14"},
		{"c[1]", WatchWrite, "write 0>2 at 11, write 2>9 at 13"},
		{"c[0]", WatchChange, "write 0>1 at 11, write 1>7 at 12"},
	} {
		if _, err := s.Watch(w.expr, w.kind, 0); err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			st := must(t)(s.Continue())
			if st.Watch == nil {
				break
			}
			got = append(got, fmt.Sprintf("%s %s>%s at %d", st.Watch.Kind, st.Watch.Old, st.Watch.New, st.Watch.Pos.Line))
		}
		if text := strings.Join(got, ", "); text != w.want {
			t.Errorf("%s of %s: %s, expected %s", w.kind, w.expr, text, w.want)
		}
		s.Delete(s.lastID)
		must(t)(s.Rewind(1))
		must(t)(s.Step(StepTo, ThreadScope, "6"))
	}
}
