package debugger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ampdbg/debugger"
	"ampdbg/launch"
)

// editor is a front end as an editor has one: commands run while it waits for
// events, and it asks for what its panes show when the session stands still.
type editor struct {
	*testing.T
	s      *debugger.Session
	events chan debugger.Event
	seen   []debugger.Event // of the last command
}

func edit(t *testing.T, l *launch.Launch, err error) *editor {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	s, err := debugger.New(l, debugger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{T: t, s: s, events: make(chan debugger.Event, 1<<12)}
	s.Listen(func(ev debugger.Event) { e.events <- ev })
	return e
}

func script(t *testing.T, name string) *editor {
	t.Helper()
	l, err := launch.Load(filepath.Join("..", "testdata", name), launch.LoadOptions{})
	return edit(t, l, err)
}

// run does a command elsewhere, and waits for the event that ends it.
func (e *editor) run(command func() (*debugger.Stop, error)) debugger.Stop {
	e.Helper()
	result := make(chan error)
	go func() {
		_, err := command()
		result <- err
	}()
	e.seen = nil
	for ev := range e.events {
		e.seen = append(e.seen, ev)
		switch ev := ev.(type) {
		case debugger.StoppedEvent:
			if err := <-result; (err != nil) != (ev.Stop.Reason == debugger.AtError) {
				e.Fatalf("the event is %+v, the error %v", ev.Stop, err)
			}
			return ev.Stop
		case debugger.ExitedEvent:
			<-result
			return ev.Stop
		}
	}
	panic("no events")
}

// kinds are the events of the last command, without the package's name, each kind
// that repeats once with its number.
func (e *editor) kinds() string {
	var out []string
	for i, n := 0, 0; i < len(e.seen); i += n {
		kind := fmt.Sprintf("%T", e.seen[i])
		for n = 1; i+n < len(e.seen) && fmt.Sprintf("%T", e.seen[i+n]) == kind; n++ {
		}
		kind = strings.TrimSuffix(strings.TrimPrefix(kind, "debugger."), "Event")
		if n > 1 {
			kind = fmt.Sprintf("%s x%d", kind, n)
		}
		out = append(out, kind)
	}
	return strings.Join(out, ", ")
}

// took drains the events of something that is done at once.
func (e *editor) took() []debugger.Event {
	var out []debugger.Event
	for {
		select {
		case ev := <-e.events:
			out = append(out, ev)
		default:
			return out
		}
	}
}

func (e *editor) stopped() *debugger.Stopped {
	e.Helper()
	at, ok := e.s.Stopped()
	if !ok {
		e.Fatal("the session does not stand still")
	}
	return at
}

// value is an expression in a frame of a thread.
func (e *editor) value(id debugger.ThreadID, frame int, text string) debugger.Value {
	e.Helper()
	x, err := debugger.ParseExpr(text)
	if err != nil {
		e.Fatal(err)
	}
	v, err := e.stopped().EvalAt(id, frame, x)
	if err != nil {
		e.Fatalf("%s: %v", text, err)
	}
	return v
}

func (e *editor) text(id debugger.ThreadID, frame int, expr string) string {
	e.Helper()
	out, err := e.value(id, frame, expr).Text(0)
	if err != nil {
		e.Fatalf("%s: %v", expr, err)
	}
	return out
}

// TestAnEditorDrivesASession goes through a launch by the API alone: points, what
// their events say, panes, steps there and back, a changed value, the end.
func TestAnEditorDrivesASession(t *testing.T) {
	e := script(t, "amp/reduce_walkthrough.amber")
	ctx := context.Background()
	const file = "reduce_walkthrough.comp"

	// Points are data: what is done to a copy is done to nothing else.
	given := debugger.Breakpoint{At: debugger.FileLine{File: file, Line: 19}, Settings: debugger.Settings{Condition: "localIdx == 3"}}
	b, err := e.s.AddBreakpoint(given)
	if err != nil || b.ID != 1 || b.Pos.Line != 19 || b.Places == 0 {
		t.Fatalf("%+v, %v", b, err)
	}
	given.Condition, b.Disabled = "localIdx == 4", true
	if p, err := e.s.Point(1); err != nil || p.Common().Condition != "localIdx == 3" || p.Common().Disabled {
		t.Errorf("%+v, %v", p, err)
	}
	l, err := e.s.AddLogpoint(debugger.Logpoint{At: debugger.FileLine{Line: 13}, Message: "thread {localIdx}", Settings: debugger.Settings{Threads: "tile.x == 0"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []debugger.Logpoint{
		{At: debugger.FileLine{Line: 13}, Message: "{nothing}"}, {At: debugger.FileLine{Line: 13}, Message: "{localIdx = 1}"},
		{At: debugger.FileLine{Line: 13}, Message: "{"}, {Message: "x"},
	} {
		if _, err := e.s.AddLogpoint(wrong); err == nil {
			t.Errorf("%+v was set", wrong)
		}
	}
	for _, ev := range e.took() {
		if ev, ok := ev.(debugger.PointEvent); !ok || ev.Removed {
			t.Errorf("%+v", ev)
		}
	}

	// What happens is told in order.
	st := e.run(func() (*debugger.Stop, error) { return e.s.Continue(ctx, debugger.ThreadID{}) })
	if st.Reason != debugger.AtBreakpoint || !slices.Equal(st.Breakpoints, []int{1}) || st.Thread.Local != 3 || st.Pos.Line != 19 {
		t.Fatalf("stopped: %+v", st)
	}
	if got := e.kinds(); got != "Continued, Output x32, Point x2, Stopped" {
		t.Errorf("events: %s", got)
	}
	if out := e.seen[1].(debugger.OutputEvent); out.Text != "thread 0" || out.Point != l.ID {
		t.Errorf("%+v", out)
	}
	if p := e.seen[33].(debugger.PointEvent).Point.(debugger.Breakpoint); p.ID != 1 || p.Hits != 1 || p.Condition != "localIdx == 3" {
		t.Errorf("%+v", p)
	}

	// The panes: threads, frames, variables, and all threads of a tile at once.
	at := e.stopped()
	frames, err := at.Frames(st.Thread)
	if err != nil || len(frames) != 1 || frames[0].Func != "main" {
		t.Errorf("%+v, %v", frames, err)
	}
	names := map[string]debugger.Variable{}
	locals, err := at.LocalsAt(st.Thread, 0)
	if err != nil {
		t.Fatal(err)
	}
	globals, err := at.GlobalsAt(st.Thread, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range slices.Concat(locals, globals) {
		names[v.Name] = v
	}
	if text, err := names["localIdx"].Value.Text(0); err != nil || text != "3" {
		t.Errorf("localIdx: %s, %v", text, err)
	}
	shared := names["localA"]
	if shared.Scope != "tile_static" || shared.Value.Type != "int[32]" || shared.Value.Len != 32 {
		t.Errorf("localA: %+v", shared)
	}
	parts, err := shared.Value.Children(30, 10)
	if err != nil || len(parts) != 2 || parts[1].Name != "[31]" || parts[1].Value.Expr != "localA[31]" {
		t.Errorf("children: %+v, %v", parts, err)
	}
	tile, err := at.Tile(st.Thread)
	if err != nil || len(tile) != 32 {
		t.Fatalf("%d threads, %v", len(tile), err)
	}
	var all sync.WaitGroup
	for _, id := range tile {
		all.Go(func() {
			if got := e.text(id, 0, "localIdx"); got != fmt.Sprint(id.Local) {
				t.Errorf("localIdx of thread %d is %s", id.Local, got)
			}
		})
	}
	all.Wait()

	// There and back is where it was.
	moment := func() string { return fmt.Sprint(e.text(st.Thread, 0, "localA"), e.text(st.Thread, 0, "i")) }
	here := moment()
	next := debugger.Step{Kind: debugger.StepOver, Thread: st.Thread, Count: 2}
	if over := e.run(func() (*debugger.Stop, error) { return e.s.Step(ctx, next) }); over.Reason != debugger.AtStep || over.Pos.Line != 17 {
		t.Errorf("stopped: %+v", over)
	}
	if back := e.run(func() (*debugger.Stop, error) { return e.s.ReverseStep(ctx, next) }); back.Pos.Line != 19 || back.Thread != st.Thread {
		t.Errorf("stopped: %+v", back)
	}
	if got := moment(); got != here {
		t.Errorf("%s, expected %s", got, here)
	}

	// What was seen before holds no longer.
	if _, err := at.Thread(st.Thread); !errors.Is(err, debugger.ErrMoved) {
		t.Errorf("a thread of before: %v", err)
	}
	if _, err := shared.Value.Text(0); !errors.Is(err, debugger.ErrMoved) {
		t.Errorf("a value of before: %v", err)
	}
	if _, err := shared.Value.Children(0, 1); !errors.Is(err, debugger.ErrMoved) {
		t.Errorf("children of before: %v", err)
	}

	// A value is changed, and a watchpoint waits for the kernel to write one.
	assign, err := debugger.ParseExpr("localA[3] = 1000")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := e.stopped().AssignAt(st.Thread, 0, assign); err != nil {
		t.Error(err)
	} else if text, _ := v.Text(0); text != "1000" || e.text(st.Thread, 0, "localA[3]") != "1000" {
		t.Errorf("localA[3] is %s", text)
	}
	if _, err := e.s.Configure(1, debugger.Settings{Disabled: true}); err != nil {
		t.Error(err)
	}
	w, err := e.s.AddWatchpoint(debugger.Watchpoint{Expr: "A[0]", Kind: debugger.WatchWrite, Thread: st.Thread})
	if err != nil || w.Size != 4 || w.Tile != -1 || w.Private {
		t.Fatalf("%+v, %v", w, err)
	}
	e.took()
	st = e.run(func() (*debugger.Stop, error) { return e.s.Continue(ctx, st.Thread) })
	if st.Reason != debugger.AtWatchpoint || st.Watch.Kind != "write" || st.Thread.Local != 0 || st.Pos.Line != 25 {
		t.Errorf("stopped: %+v", st)
	}

	// A mistake is told too, and the session stands where it stood.
	if st := e.run(func() (*debugger.Stop, error) { return e.s.Rewind(ctx, st.Thread, 7) }); st.Reason != debugger.AtError || !strings.Contains(st.Text, "no dispatch 7") {
		t.Errorf("stopped: %+v", st)
	}
	if st := e.run(func() (*debugger.Stop, error) { return e.s.Rewind(ctx, st.Thread, 1) }); st.Reason != debugger.AtHistoryEnd {
		t.Errorf("stopped: %+v", st)
	}
	for _, p := range e.s.Points() {
		if err := e.s.Delete(p.Common().ID); err != nil {
			t.Error(err)
		}
	}
	e.took()
	if st := e.run(func() (*debugger.Stop, error) { return e.s.Continue(ctx, st.Thread) }); st.Reason != debugger.AtExit || e.kinds() != "Continued, Exited" {
		t.Errorf("stopped: %+v, %s", st, e.kinds())
	}
	if got := e.text(debugger.ThreadID{}, 0, "A[0]"); got != "165075799" {
		t.Errorf("the sum is %s", got)
	}
	if st := e.run(e.s.Restart); st.Reason != debugger.AtStart || e.s.Launch().Dispatch != 1 {
		t.Errorf("stopped: %+v", st)
	}
}

// TestFramesAndThreadsAreNamed asks for one name in two frames of several threads:
// none of that depends on what was asked before.
func TestFramesAndThreadsAreNamed(t *testing.T) {
	e := script(t, "amp/nbody.amber")
	if _, err := e.s.AddBreakpoint(debugger.Breakpoint{At: debugger.Function{Name: "attraction"}, Temporary: true}); err != nil {
		t.Fatal(err)
	}
	e.took()
	st := e.run(func() (*debugger.Stop, error) { return e.s.Continue(context.Background(), debugger.ThreadID{}) })
	if p, ok := e.seen[len(e.seen)-2].(debugger.PointEvent); !ok || !p.Removed || len(e.s.Points()) != 0 {
		t.Errorf("a temporary breakpoint is still there: %+v", e.seen)
	}
	for _, local := range []int{2, 0, 3, 1} {
		id := debugger.ThreadID{Tile: st.Thread.Tile, Local: local}
		for frame, want := range map[int]string{0: "vec3", 1: "vec4"} {
			v := e.value(id, frame, "position")
			if v.Type != want || v.Len != int(want[3]-'0') {
				t.Errorf("position in frame %d of thread %d is a %s of %d", frame, local, v.Type, v.Len)
			}
			parts, err := v.Children(0, 9)
			if err != nil || len(parts) != v.Len || parts[0].Name != "x" || parts[0].Value.Expr != "position.x" {
				t.Errorf("%+v, %v", parts, err)
			}
			if n, ok := parts[0].Value.Number(); !ok || n == 0 {
				t.Errorf("position.x is %v", n)
			}
		}
		if got := e.text(id, 1, "local"); got != fmt.Sprint(local) {
			t.Errorf("local of thread %d is %s", local, got)
		}
	}
	x, _ := debugger.ParseExpr("position")
	for _, wrong := range []struct {
		id    debugger.ThreadID
		frame int
		want  string
	}{{st.Thread, 2, "the stack has 2"}, {st.Thread, -1, "no frame -1"}, {debugger.ThreadID{Tile: 1 << 40}, 0, "no such thread"}, {debugger.ThreadID{Local: -1}, 0, "no such thread"}} {
		if _, err := e.stopped().EvalAt(wrong.id, wrong.frame, x); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// endless is a kernel that counts in data[0] for ever.
const endless = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpName %Data "Data"
OpMemberName %Data 0 "data"
OpDecorate %ints ArrayStride 4
OpDecorate %Data BufferBlock
OpMemberDecorate %Data 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%zero = OpConstant %int 0
%one = OpConstant %int 1
%ints = OpTypeRuntimeArray %int
%Data = OpTypeStruct %ints
%ptrData = OpTypePointer Uniform %Data
%ptrInt = OpTypePointer Uniform %int
%buffer = OpVariable %ptrData Uniform
%main = OpFunction %void None %fn
%entry = OpLabel
OpBranch %head
%head = OpLabel
OpLoopMerge %end %again None
OpBranch %again
%again = OpLabel
%p = OpAccessChain %ptrInt %buffer %zero %zero
%v = OpLoad %int %p
%w = OpIAdd %int %v %one
OpStore %p %w
OpBranch %head
%end = OpLabel
OpReturn
OpFunctionEnd
`

func endlessEditor(t *testing.T) *editor {
	t.Helper()
	file := filepath.Join(t.TempDir(), "endless.spvasm")
	if err := os.WriteFile(file, []byte(endless), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := launch.Load(file, launch.LoadOptions{Groups: [3]uint32{1, 1, 1}, Binds: []string{"0.0=int32[1000000]:0"}})
	return edit(t, l, err)
}

// TestAContextEndsAnEndlessKernel halts a kernel that never ends, goes on, halts
// it again, and goes back to the start.
func TestAContextEndsAnEndlessKernel(t *testing.T) {
	e := endlessEditor(t)
	count := 0.0
	for range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		st := e.run(func() (*debugger.Stop, error) { return e.s.Continue(ctx, debugger.ThreadID{}) })
		cancel()
		n, ok := e.value(st.Thread, 0, "data[0]").Number()
		if st.Reason != debugger.AtHalt || !ok || n <= count {
			t.Fatalf("stopped: %+v, at %v after %v", st, n, count)
		}
		count = n
	}
	if st := e.run(func() (*debugger.Stop, error) {
		return e.s.ReverseContinue(context.Background(), debugger.ThreadID{})
	}); st.Reason != debugger.AtHistoryEnd || e.text(st.Thread, 0, "data[0]") != "0" {
		t.Errorf("stopped: %+v", st)
	}
}

// TestPartsAreReadWhenAskedFor looks at parts of an array that is too long to be
// read at once.
func TestPartsAreReadWhenAskedFor(t *testing.T) {
	e := endlessEditor(t)
	v := e.value(debugger.ThreadID{}, 0, "data")
	if v.Type != "int[]" || v.Len != 1000000 {
		t.Errorf("%s, %d parts", v.Type, v.Len)
	}
	if _, err := v.Text(0); err == nil || !strings.Contains(err.Error(), "look at a part") {
		t.Errorf("the whole: %v", err)
	}
	if text, err := v.Short(); err != nil || !strings.HasSuffix(text, "1000000 in all}") {
		t.Errorf("in short: %s, %v", text, err)
	}
	for _, c := range []struct{ from, n, want int }{{0, 3, 3}, {999998, 5, 2}, {1000000, 5, 0}, {5, 0, 0}} {
		parts, err := v.Children(c.from, c.n)
		if err != nil || len(parts) != c.want {
			t.Errorf("%d from %d on: %d, %v", c.n, c.from, len(parts), err)
		}
		for i, p := range parts {
			if text, err := p.Value.Text('x'); err != nil || text != "0x0" || p.Name != fmt.Sprintf("[%d]", c.from+i) {
				t.Errorf("%s: %s, %v", p.Name, text, err)
			}
		}
	}
	if _, err := v.Children(-1, 3); err == nil {
		t.Error("there are parts before the first")
	}
	// Texels are parts of an image, by their coordinates.
	e = script(t, "features/storage_images.amber")
	for _, name := range []string{"target", "cube"} {
		image := e.value(debugger.ThreadID{}, 0, name)
		parts, err := image.Children(0, 1<<20)
		if err != nil || len(parts) != image.Len || image.Len == 0 {
			t.Fatalf("%s: %d of %d texels, %v", name, len(parts), image.Len, err)
		}
		for _, p := range parts {
			text, err := p.Value.Text(0)
			if want := e.text(debugger.ThreadID{}, 0, p.Value.Expr); err != nil || text != want {
				t.Errorf("%s: %s, expected %s, %v", p.Value.Expr, text, want, err)
			}
		}
	}
	// What an expression says of its parts is what they say of themselves.
	for _, name := range []string{"amp/nbody.amber", "features/rounds.amber", "features/descriptor_arrays.amber", "features/control_flow.amber"} {
		e := script(t, name)
		st := e.run(func() (*debugger.Stop, error) {
			return e.s.Step(context.Background(), debugger.Step{Kind: debugger.StepOver, Count: 4})
		})
		list, err := e.stopped().GlobalsAt(st.Thread, 0)
		if err != nil {
			t.Fatal(err)
		}
		for len(list) > 0 {
			v := list[0]
			list = list[1:]
			if v.Err != nil {
				t.Errorf("%s: %s: %v", name, v.Name, v.Err)
				continue
			}
			if again := e.value(st.Thread, 0, v.Value.Expr); again.Type != v.Value.Type || again.Len != v.Value.Len {
				t.Errorf("%s: %s is a %s of %d, and again a %s of %d", name, v.Value.Expr, v.Value.Type, v.Value.Len, again.Type, again.Len)
			}
			parts, err := v.Value.Children(0, 5)
			if err != nil || len(parts) != min(v.Value.Len, 5) {
				t.Errorf("%s: %s has %d parts, and gives %d, %v", name, v.Value.Expr, v.Value.Len, len(parts), err)
			}
			list = append(list, parts...)
		}
	}
}
