package debugger

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/launch"
)

// compiled makes a session of a GLSL kernel with one int buffer data[64] at
// set 0, binding 0, in one tile.
func compiled(t testing.TB, glsl string, optimise bool, flags ...string) *dialogue {
	t.Helper()
	return loaded(t, compile(t, glsl, optimise, flags...))
}

// compile makes a module of a GLSL kernel.
func compile(t testing.TB, glsl string, optimise bool, flags ...string) (file string) {
	t.Helper()
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip("glslangValidator is not installed")
	}
	dir := t.TempDir()
	src, out := filepath.Join(dir, "k.comp"), filepath.Join(dir, "k.spv")
	write(t, src, glsl)
	cmd := exec.Command("glslangValidator", append(append([]string{"-V", "--target-env", "vulkan1.2"}, flags...), "-o", out, "k.comp")...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if optimise {
		if _, err := exec.LookPath("spirv-opt"); err != nil {
			t.Skip("spirv-opt is not installed")
		}
		if text, err := exec.Command("spirv-opt", "-O", out, "-o", out).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return out
}

// loaded makes a session of a module with one int buffer.
func loaded(t testing.TB, out string) *dialogue {
	t.Helper()
	l, err := launch.Load(out, launch.LoadOptions{Groups: [3]uint32{1, 1, 1}, Binds: []string{"0.0=int32[64]:series 0 1"}})
	if err != nil {
		t.Fatal(err)
	}
	return debug(t, l, Options{})
}

const stepKernel = `#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { int data[]; };
shared int sums[8];

int twice(int v) {
    int w = v + v;
    return w;
}

void main() {
    int l = int(gl_LocalInvocationID.x);
    int total = 0;
    for (int i = 0; i < 2; i++) {
        total += data[l + i];
    }
    if (l < 2) {
        total = twice(total);
    } else {
        total = -total;
    }
    sums[l] = total;
    barrier();
    if (l == 3)
        return;
    data[l] = sums[7 - l];
}
`

// TestStepping holds tables of (command, line) for a thread.
func TestStepping(t *testing.T) {
	for _, c := range []struct {
		name     string
		flags    []string
		optimise bool
		local    int // the focused thread
		commands string
		lines    string
	}{
		// Straight code, a loop, a branch taken, over a call, a barrier.
		{"over", []string{"-g"}, false, 0, "next x18", "12 13 14 15 14 15 14 17 18 22 23 24 26 end"},
		{"into", []string{"-g"}, false, 0, "step x18", "12 13 14 15 14 15 14 17 18 7 8 18 22 23 24 26 end"},
		{"out", []string{"-g"}, false, 0, "until:7 finish next", "7 18 22"},
		// The other branch, and an early return.
		{"else", []string{"-g"}, false, 3, "next x16", "12 13 14 15 14 15 14 17 20 22 23 24 25 end"},
		{"barrier", []string{"-g"}, false, 5, "barrier next", "23 24"},
		{"until", []string{"-g"}, false, 1, "until:22 next next", "22 23 24"},
		{"-gVS", []string{"-gVS"}, false, 0, "next x18", "12 13 14 15 14 15 14 17 18 22 23 24 26 end"},
		{"-gVS into", []string{"-gVS"}, false, 0, "until:17 step step step step", "17 18 7 8 18"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := compiled(t, stepKernel, c.optimise, c.flags...)
			if got := walk(t, s, c.local, c.commands); got != c.lines {
				t.Errorf("%s\ngot  %s\nwant %s", c.commands, got, c.lines)
			}
		})
	}
}

// TestSteppingWithoutDebugInformation steps through the disassembly: every
// line is an instruction of the listing, and all threads come to the end.
func TestSteppingWithoutDebugInformation(t *testing.T) {
	s := compiled(t, stepKernel, true)
	if !s.Launch().Asm {
		t.Fatal("the disassembly is not the source")
	}
	for n := range 200 {
		st := must(t)(s.Step(StepInst, ThreadScope, ""))
		if th, _ := s.Thread(ThreadID{}); th.Status == Finished {
			if n < 15 {
				t.Errorf("%d instructions only", n)
			}
			return
		}
		if text := s.SourceLine(st.Pos); !strings.Contains(text, "Op") {
			t.Fatalf("step %d is at %v: %q", n, st.Pos, text)
		}
	}
	t.Error("thread 0 has not come to its end")
}

// walk does steps of a thread and lists the lines that they end at.
func walk(t *testing.T, s *dialogue, local int, commands string) string {
	t.Helper()
	if err := s.SetFocus(ThreadID{0, local}); err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(commands)
	var list []string
	for i := 0; i < len(fields); i++ {
		n := 1
		if i+1 < len(fields) && strings.HasPrefix(fields[i+1], "x") {
			fmt.Sscanf(fields[i+1], "x%d", &n)
		}
		for range n {
			list = append(list, fields[i])
		}
		if n > 1 {
			i++
		}
	}
	var out []string
	for _, f := range list {
		kind, place, _ := strings.Cut(f, ":")
		st, err := s.Step(StepKind(kind), ThreadScope, place)
		if err != nil {
			t.Fatalf("%s after %v: %v", f, out, err)
		}
		th, err := s.Thread(ThreadID{0, local})
		if err != nil {
			t.Fatal(err)
		}
		if th.Status == Finished || st.Reason == AtEnd {
			out = append(out, "end")
			break
		}
		out = append(out, fmt.Sprint(st.Pos.Line))
	}
	return strings.Join(out, " ")
}

// TestSteppingOptimisedCode steps through code that an optimiser has inlined:
// the stack shows the inlined call, and what has no value is said to.
func TestSteppingOptimisedCode(t *testing.T) {
	s := compiled(t, stepKernel, true, "-gVS")
	if _, err := s.Break("k.comp:7"); err != nil {
		t.Fatal(err)
	}
	st := must(t)(s.Continue())
	if st.Reason != AtBreakpoint {
		t.Fatalf("stopped: %+v", st)
	}
	fs, err := s.Stack(s.Focus())
	if err != nil || len(fs) != 2 || fs[0].Func != "twice" || !fs[0].Inlined || fs[1].Func != "main" || fs[1].Pos.Line != 18 {
		t.Errorf("stack %+v, %v", fs, err)
	}
	if got := evalText(t, s, "v"); got != "1" {
		t.Errorf("v of thread 0 is %s, expected data[0] + data[1]", got)
	}
	e, _ := ParseExpr("w")
	if v, err := s.Eval(e, 0); err == nil {
		t.Errorf("w has the value %s before it was computed", v.Text)
	}
}

// TestTileStep takes every warp of a tile to its next line.
func TestTileStep(t *testing.T) {
	s := compiled(t, stepKernel, false, "-g")
	must(t)(s.Step(StepTo, TileScope, "17"))
	groups, err := s.Groups(ByPlace, nil, false, "")
	if err != nil || len(groups) != 1 || groups[0].Count != 8 || groups[0].Pos.Line != 17 {
		t.Fatalf("%+v, %v", groups, err)
	}
	must(t)(s.Step(StepOver, TileScope, ""))
	groups, _ = s.Groups(ByPlace, nil, false, "line")
	var got []string
	for _, g := range groups {
		got = append(got, fmt.Sprintf("%d:%d:%s:%s", g.Count, g.Pos.Line, g.Status, g.Who))
	}
	// Warp 0 has parted: lanes 0 and 1 are first, 2 and 3 wait for their turn.
	if want := "2:18:active:0-1 2:20:diverged:2-3 4:20:active:4-7"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestPartOfAWarpFrozen freezes one lane: the others go on without it to the
// end of the loop's body, where they wait for it, and so does the tile at the
// barrier.
func TestPartOfAWarpFrozen(t *testing.T) {
	s := compiled(t, stepKernel, false, "-g")
	if _, err := s.Break("15"); err != nil {
		t.Fatal(err)
	}
	must(t)(s.Continue())
	if n, err := s.Freeze(ThreadSet{{0, 2}}); n != 1 || err != nil {
		t.Fatalf("%d frozen, %v", n, err)
	}
	s.Delete(1)
	if st := must(t)(s.Continue()); st.Reason != AtHeld {
		t.Fatalf("stopped: %+v", st)
	}
	b, err := s.Barrier()
	var got []string
	for _, g := range append(b.Waiting, b.Missing...) {
		got = append(got, fmt.Sprintf("%s %s at %d", g.Who, g.Status, g.Pos.Line))
	}
	if want := "4-7 blocked at 23, 0-1,3 diverged at 14, 2 frozen at 15"; err != nil || strings.Join(got, ", ") != want {
		t.Errorf("%v, %v, expected %s", got, err, want)
	}
	s.Thaw(s.FrozenThreads())
	if st := must(t)(s.Continue()); st.Reason != AtExit || len(s.Findings()) > 0 {
		t.Errorf("stopped: %+v, found %v", st, s.Findings())
	}
}

const loopKernel = `#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Data { int data[]; };

int add(int a, int b) {
    int c = a + b;
    return c * 2;
}

int sum(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += add(i, data[i]);
    }
    return s;
}

void main() {
    int l = int(gl_LocalInvocationID.x);
    int n = 2;
    while (n > 0) {
        data[l] += n;
        n--;
    }
    do {
        data[l] += 3;
        n++;
    } while (n < 2);
    for (int i = 0;
         i < 2;
         i++)
        data[l] ^= i;
    for (;;) {
        if (n > 3) break;
        n++;
    }
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            data[l] += x * y;
    data[l + 8] = sum(2) + add(l, n);
}
`

// TestSteppingLoops: a step comes to the head of a loop once for each iteration,
// whatever compiler and optimiser made of it, and into calls that are inlined.
func TestSteppingLoops(t *testing.T) {
	for _, c := range []struct {
		flags    string
		optimise bool
		commands string
		lines    string
	}{
		{"-g", false, "step x99", "19 20 21 22 23 21 22 23 21 26 27 28 26 27 28 29 30 32 31 30 32 31 30 34 35 34 35 34 37 38 39 38 39 38 37 38 39 38 39 38 37 40 11 12 13 6 7 13 12 13 6 7 13 12 15 40 6 7 40 end"},
		{"-gVS", false, "step x99", "19 20 21 22 23 21 22 23 21 26 27 28 26 27 28 29 30 32 31 30 32 31 30 34 35 34 35 34 37 38 39 38 39 38 37 38 39 38 39 38 37 40 11 12 13 6 7 13 12 13 6 7 13 12 15 40 6 7 40 end"},
		{"-gVS", true, "step x99", "20 21 22 23 21 22 23 21 26 27 28 26 27 28 29 30 32 31 30 32 31 30 34 35 34 35 34 37 38 39 38 39 38 37 38 39 38 39 38 37 40 12 13 6 7 13 12 13 6 7 13 12 6 7 40 end"},
		{"-gVS", false, "until:40 next", "40 end"},
		{"-gVS", true, "until:40 next", "40 end"},
		{"-gVS", false, "until:12 next x5 finish", "12 13 12 13 12 15 40"},
		{"-gVS", true, "until:12 next x3 finish", "12 13 12 13 40"},
		{"-gVS", false, "until:6 finish finish", "6 13 40"},
		{"-gVS", true, "until:6 finish finish", "6 13 40"},
	} {
		s := compiled(t, loopKernel, c.optimise, c.flags)
		if got := walk(t, s, 0, c.commands); got != c.lines {
			t.Errorf("%s, optimised %t, %s:\ngot  %s\nwant %s", c.flags, c.optimise, c.commands, got, c.lines)
		}
	}
}

// TestStackOfInlinedLoops looks at the stack at every operation of inlined code:
// a line of a function is in that function, its branches and merges too.
func TestStackOfInlinedLoops(t *testing.T) {
	s := compiled(t, loopKernel, true, "-gVS")
	for pc := range s.t.p.Code {
		want := ""
		switch line := s.t.lines.pos[pc].Line; {
		case line >= 18:
			want = "main"
		case line >= 10:
			want = "sum main"
		case line >= 5:
			want = "add main, add sum main"
		}
		var got []string
		for _, f := range s.t.lines.stack(pc) {
			got = append(got, f.Func)
		}
		if text := strings.Join(got, " "); want != "" && !strings.Contains(", "+want+",", ", "+text+",") {
			t.Errorf("operation %d (%v), line %d: in %s, expected %s", pc, s.t.p.Code[pc].Code, s.t.lines.pos[pc].Line, text, want)
		}
	}
}

// TestABreakpointOfAnotherWarpTakesTheFocus: where a step of one thread, or of
// its tile, ends because another warp comes to a breakpoint, the focus is on a
// thread that did.
func TestABreakpointOfAnotherWarpTakesTheFocus(t *testing.T) {
	for _, c := range []struct {
		kind  StepKind
		scope Scope
		place string
	}{{StepTo, ThreadScope, "26"}, {StepOver, TileScope, ""}, {StepOver, GridScope, ""}} {
		s := compiled(t, stepKernel, false, "-g")
		must(t)(s.Step(StepTo, TileScope, "20")) // lanes 2 to 7; 0 and 1 are past it
		s.SetFocus(ThreadID{0, 2})
		b, err := s.Break("22")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.condition(b, "l > 5", ""); err != nil {
			t.Fatal(err)
		}
		st := must(t)(s.Step(c.kind, c.scope, c.place))
		if st.Reason != AtBreakpoint || st.Thread.Local < 6 || s.Focus() != st.Thread || st.Pos.Line != 22 || st.From == nil || st.From.Local != 2 {
			t.Errorf("%s %s: %+v", c.kind, c.scope, st)
		}
	}
}

// TestABreakpointBehindABarrierIsNotSteppedOver: a warp that was let go on from a
// barrier, and is chosen by a step, has not passed the breakpoint that it is at.
func TestABreakpointBehindABarrierIsNotSteppedOver(t *testing.T) {
	s := compiled(t, stepKernel, false, "-g")
	b, err := s.Break("24")
	if err != nil {
		t.Fatal(err)
	}
	st := must(t)(s.Continue())
	if st.Thread.Local/4 != 0 || s.state(ThreadID{0, 4}).status != Blocked {
		t.Fatalf("stopped: %+v", st)
	}
	first := record(s, "")
	s.SetFocus(ThreadID{0, 4})
	if st = must(t)(s.Step(StepOver, ThreadScope, "")); st.Reason != AtBreakpoint || st.Thread.Local != 4 || st.Pos.Line != 24 || b.Hits != 2 {
		t.Fatalf("stopped: %+v, %d hits", st, b.Hits)
	}
	second := record(s, "")
	if st = must(t)(s.Step(StepOver, ThreadScope, "")); st.Reason != AtStep || st.Pos.Line != 26 {
		t.Errorf("stopped: %+v", st)
	}
	for _, want := range []recorded{second, first} {
		st = must(t)(s.ReverseContinue())
		if st.Reason != AtBreakpoint || s.now() != want.at || fullHash(s) != want.hash {
			t.Errorf("back at %v: %+v, expected %v", s.now(), st, want.at)
		}
	}
}
