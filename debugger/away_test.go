package debugger

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

const awayKernel = `#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { int data[]; };
shared int sums[8];
int own = 5;

int twice(int v) {
    int w = v + v;
    if (w > 4) {
        int more = w * 3;
        w = more - v;
    }
    return w;
}

void main() {
    int l = int(gl_LocalInvocationID.x);
    own += l;
    int total = 0;
    for (int i = 0; i < 2; i++) {
        int inner = data[l + i];
        total += inner;
    }
    if (l % 3 != 1) {
        int arg = total + 1;
        total = twice(arg);
    }
    sums[l] = total;
    barrier();
    data[l] = sums[7 - l] + own;
}
`

// scopes are the lines on which each variable of awayKernel is in scope, behind
// its declaration.
var scopes = map[string]struct {
	fn          string
	first, last int
}{
	"v": {"twice", 8, 13}, "w": {"twice", 9, 13}, "more": {"twice", 11, 11},
	"l": {"main", 18, 29}, "total": {"main", 20, 29}, "inner": {"main", 22, 22}, "arg": {"main", 26, 26},
}

// TestWhoTakesPart looks at every variable in every thread at random places: a
// value is shown if and only if the thread has started, is in a frame of the
// focus' function, and is where the variable is in scope. The others take no part
// in filters, and cannot be set.
func TestWhoTakesPart(t *testing.T) {
	s := compiled(t, awayKernel, false, "-gVS")
	rng := rand.New(rand.NewPCG(9, 9))
	shown, absent := map[string]int{}, map[string]int{}
	for range 60 {
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
		for range 1 + rng.IntN(4) {
			if err := s.SetFocus(ThreadID{0, rng.IntN(8)}); err != nil {
				t.Fatal(err)
			}
			kind, n := StepInst, rng.IntN(90)
			if rng.IntN(2) == 0 {
				kind, n = StepIn, rng.IntN(14)
			}
			for range n {
				if st, err := s.Step(kind, ThreadScope, ""); err != nil || st.Reason == AtExit {
					break
				}
			}
		}
		if s.exited {
			continue
		}
		if fs, err := s.Stack(s.Focus()); err == nil {
			if err := s.SetFrame(rng.IntN(len(fs))); err != nil {
				t.Fatal(err)
			}
		}
		fn := "main"
		if th, _ := s.Thread(s.Focus()); th.Status != NotStarted {
			if fs, err := s.Stack(s.Focus()); err == nil {
				fn = fs[s.Frame()].Func
			}
		}
		for name, scope := range scopes {
			e := mustParse(t, name)
			rows, _ := s.Across(s.TileThreads(), Table{Columns: []Column{{Name: name, Expr: e}}})
			kept, _ := s.Filter(s.TileThreads(), mustParse(t, name+" == "+name))
			for i, id := range s.TileThreads() {
				th, err := s.Thread(id)
				if err != nil {
					t.Fatal(err)
				}
				line := 0
				if fs, err := s.Stack(id); err == nil && th.Status != NotStarted {
					for _, f := range fs {
						if f.Func == fn {
							line = f.Pos.Line
						}
					}
				}
				want := scope.fn == fn && line >= scope.first && line <= scope.last
				if scope.fn == fn && (line == scope.first-1 || name == "inner" && (line == 20 || line > 22) || line == scope.last+1 || th.Status == Diverged || th.Status == Finished) {
					continue // in the middle of the declaration, at the end of the block, or where lanes meet; glslang gives loops no scope
				}
				got := rows != nil && rows[i].Cells[0].Err == nil
				if got != want {
					why := ""
					if rows != nil && rows[i].Cells[0].Err != nil {
						why = rows[i].Cells[0].Err.Error()
					}
					t.Fatalf("%s in thread %d, %s on line %d of %s: shown: %v, expected %v; %s", name, id.Local, th.Status, line, fn, got, want, why)
				}
				in := false
				for _, k := range kept {
					in = in || k == id
				}
				if in != got {
					t.Fatalf("%s in thread %d: shown %v, taken by a filter %v", name, id.Local, got, in)
				}
				if got {
					shown[name]++
					continue
				}
				absent[name]++
				if id == s.Focus() {
					if _, err := s.Set(mustParse(t, name+" = 1")); err == nil {
						t.Fatalf("%s was set in thread %d, %s", name, id.Local, th.Status)
					}
				}
			}
			// The variables of the threads themselves.
			rows, _ = s.Across(s.TileThreads(), Table{Columns: []Column{{Name: "own", Expr: mustParse(t, "own")}}})
			for i, id := range s.TileThreads() {
				th, _ := s.Thread(id)
				if got := rows != nil && rows[i].Cells[0].Err == nil; got != (th.Status != NotStarted) {
					t.Fatalf("own of thread %d, %s: shown: %v", id.Local, th.Status, got)
				}
			}
		}
	}
	for name := range scopes {
		if shown[name] == 0 || absent[name] == 0 {
			t.Errorf("%s was shown %d times and not %d times: the test proves nothing", name, shown[name], absent[name])
		}
	}
}

// TestAbsentThreads reads the sentences, and what takes part in pictures.
func TestAbsentThreads(t *testing.T) {
	s := compiled(t, awayKernel, false, "-gVS")
	for text, want := range map[string]string{"total": "the thread has not started", "own": "the thread has not started", "$line": "the thread has not started", "total = 1": "the thread has not started", "own = 1": "the thread has not started"} {
		e := mustParse(t, text)
		_, err := s.Eval(e, 0)
		if e.Assigns() {
			_, err = s.Set(e)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
	if got := evalText(t, s, "local.x + sums.length()"); got != "8" {
		t.Errorf("what is not the thread's own: %s", got)
	}
	must(t)(s.Step(StepTo, ThreadScope, "26"))
	must(t)(s.Step(StepIn, ThreadScope, ""))
	if got := evalText(t, s, "v"); got != "2" {
		t.Errorf("v is %s", got)
	}
	p, err := s.Picture(mustParse(t, "v"), 0)
	if err != nil || len(p.None) != 8 || p.None[0] || !p.None[1] || !p.None[4] {
		t.Errorf("%+v, %v", p, err)
	}
	if err := s.SetFrame(1); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Across(s.TileThreads(), Table{Columns: []Column{{Name: "total", Expr: mustParse(t, "total")}}, Where: mustParse(t, "total >= 0")})
	if err != nil || len(rows) != 4 {
		t.Errorf("%d threads have a total: %v", len(rows), err)
	}
	if sum := Summarize(rows, 0); sum.Min != "1" || sum.Max != "7" {
		t.Errorf("total is %s to %s", sum.Min, sum.Max)
	}
	groups, err := s.Groups(ByEachAlone, mustParse(t, "total >= 0"), false, "")
	if err != nil || len(groups) != 4 {
		t.Errorf("%d threads: %v", len(groups), err)
	}
	if err := s.SetFocus(ThreadID{0, 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Eval(mustParse(t, "nothing"), 0); err == nil || !strings.Contains(err.Error(), "no variable nothing in main") {
		t.Errorf("%v", err)
	}
}

// TestTileWithoutMemory looks at the tile_static memory of a tile that has not
// started: every view says so, and a table shows "-" for it.
func TestTileWithoutMemory(t *testing.T) {
	s := open(t, "amp/reduce_walkthrough.amber", Options{})
	expr := func(text string) *Expr {
		e, err := ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	element, all := expr("localA[1]"), expr("localA")
	_, printed := s.Eval(element, Format(0))
	_, dumped := s.Memory(element, 4, 0, Format(0))
	_, drawn := s.Picture(all, 0)
	for name, err := range map[string]error{"print": printed, "x": dumped, "heat": drawn} {
		if !errors.Is(err, errNoTile) {
			t.Errorf("%s: %v", name, err)
		}
	}
	rows, err := s.Across(ThreadSet{{0, 0}, {0, 1}}, Table{Columns: []Column{{Expr: element}, {Expr: expr("tile.x")}}})
	if err != nil || len(rows) != 2 || !errors.Is(rows[1].Cells[0].Err, errNoTile) || rows[1].Cells[1].Err != nil {
		t.Errorf("%+v, %v", rows, err)
	}
}
