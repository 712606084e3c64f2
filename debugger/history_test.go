package debugger

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ampdbg/launch"
)

// recorded is a stop of a forward run.
type recorded struct {
	at   moment
	hash [32]byte
	what string
}

func record(s *dialogue, what string) recorded {
	return recorded{s.now(), fullHash(s), what}
}

// fullHash is a digest of the dispatch's whole state, all memory of the launch
// and how far that is.
func fullHash(s *dialogue) [32]byte {
	h := sha256.New()
	if s.number == s.t.number {
		state := s.t.c.Hash()
		h.Write(state[:])
	}
	for _, data := range s.memory() {
		fmt.Fprintln(h, len(data))
		h.Write(data)
	}
	fmt.Fprintln(h, s.number, len(s.steps)-s.progress.at, s.before, len(s.past), s.Failed())
	return [32]byte(h.Sum(nil))
}

// someKernels are scripts of testdata with loops, branches, calls, barriers,
// atomics and spinning.
var someKernels = []string{
	"amp/reduce_walkthrough.amber", "amp/bitonic_sort.amber", "amp/histogram.amber", "amp/prefix_scan.amber",
	"features/control_flow.amber", "features/atomics.amber", "diverge/diverge_missing_in_warp.amber", "spin/clean_handoff_tile1_waits.amber",
}

// severalDispatches are scripts of several dispatches: of one pipeline and of
// many, in loops, with copies and expectations between them, with images, push
// constants from buffers that kernels write, and a fault at the end.
var severalDispatches = []string{
	"features/rounds.amber", "amp/prefix_scan.amber", "amp/reduction.amber", "features/mip_levels.amber",
	"features/image_atomics.amber", "features/spec_constants.amber", "race/norace_two_dispatches.amber", "amp/oob_reduce_walkthrough.amber",
}

// TestTravelRestoresTheExactState runs random scripts forward and hashes the
// whole state at every stop; then it goes back to the stops in random order.
func TestTravelRestoresTheExactState(t *testing.T) {
	for _, name := range slices.Concat(someKernels, severalDispatches) {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				s := open(t, name, Options{Seed: seed / 2 % 2 * 7, History: []int{4 << 20, 64 << 10}[seed%2]})
				s.Catch("uninit", seed == 2)
				rng := rand.New(rand.NewPCG(seed, 1))
				stops := []recorded{record(s, "start")}
				for range 40 {
					if s.exited {
						break
					}
					what := randomCommand(s, rng)
					stops = append(stops, record(s, what))
					if rng.IntN(8) == 0 {
						s.history.interval = 1 + uint64(rng.IntN(2000)) // more checkpoints
						s.history.cost = 0
					}
				}
				for range 60 {
					r := stops[rng.IntN(len(stops))]
					if err := s.travel(r.at); err != nil {
						t.Fatalf("after %s: %v", r.what, err)
					}
					if got := fullHash(s); got != r.hash {
						t.Fatalf("after %s, at %v: the state differs", r.what, r.at)
					}
				}
			})
		}
	}
}

// randomCommand does something random that goes forward or changes the state.
func randomCommand(s *dialogue, rng *rand.Rand) string {
	size := s.t.tileSize()
	pick := ThreadID{s.focus.Tile, rng.IntN(size)}
	switch rng.IntN(14) {
	case 0, 1, 2:
		s.settled(s.Step(StepIn, ThreadScope, ""))
		return "step"
	case 3:
		s.settled(s.Step(StepOver, WarpScope, ""))
		return "next warp"
	case 4:
		s.settled(s.Step(StepInst, ThreadScope, ""))
		return "stepi"
	case 5:
		s.settled(s.Step(StepOver, TileScope, ""))
		return "next tile"
	case 6:
		s.SetFocus(pick)
		return "thread"
	case 7:
		s.Freeze(ThreadSet{pick})
		return "freeze"
	case 8:
		s.Freeze(s.WarpThreads())
		return "freeze warp"
	case 9, 10:
		s.Thaw(s.FrozenThreads())
		return "thaw"
	case 11:
		for _, n := range s.t.localNames(s.thread(s.focus)) {
			if e, err := ParseExpr(n + " = " + n); err == nil {
				if _, err := s.Set(e); err == nil {
					return "set"
				}
			}
		}
		return "set"
	case 12:
		if files := s.Files(); len(files) > 0 {
			var lines []int
			for n := range s.t.lines.byLine[files[0]] {
				lines = append(lines, n)
			}
			s.Break(fmt.Sprintf("%s:%d", files[0], lines[rng.IntN(len(lines))]))
		}
		return "break"
	}
	s.Continue()
	return "continue"
}

// TestReverseContinueRetracesContinue runs from breakpoint to breakpoint to the
// end of a launch, back to its start, and to its end again. The stops on all
// three ways are the same, bit for bit.
func TestReverseContinueRetracesContinue(t *testing.T) {
	for _, name := range severalDispatches {
		for _, limit := range []int{1, 32 << 10, 4 << 20} {
			t.Run(fmt.Sprintf("%s/%d", name, limit), func(t *testing.T) {
				s := open(t, name, Options{History: limit})
				s.history.interval = 1000
				rng := rand.New(rand.NewPCG(1, uint64(limit)))
				for _, file := range s.Files() {
					var lines []int
					for n := range s.t.lines.byLine[file] {
						lines = append(lines, n)
					}
					slices.Sort(lines)
					for range 2 {
						b, err := s.Break(fmt.Sprintf("%s:%d", file, lines[rng.IntN(len(lines))]))
						if err != nil {
							t.Fatal(err)
						}
						if b.threads, err = ParseExpr("local.x == 3 && tile.x % 4 == 0"); err != nil {
							t.Fatal(err)
						}
					}
				}
				for _, b := range s.launch.Buffers[:1] {
					s.Watch(b.Name+"[0]", WatchChange, 0)
				}
				forward := func() (stops []recorded) {
					stops = append(stops, record(s, "start"))
					for !s.exited && len(stops) < 60 {
						s.history.cost = 0
						st := must(t)(s.Continue())
						// A watchpoint stops after an access as well as before it; and
						// on the way back a COPY's is before it.
						if st.Watch == nil {
							stops = append(stops, record(s, string(st.Reason)))
						}
					}
					return stops
				}
				same := func(where string, got, want recorded) {
					t.Helper()
					if got.at != want.at || got.hash != want.hash {
						t.Fatalf("%s: at %v, expected %s at %v; the same state: %t", where, got.at, want.what, want.at, got.hash == want.hash)
					}
				}
				there := forward()
				for i := len(there) - 2; i >= 0; {
					if st := must(t)(s.ReverseContinue()); st.Watch == nil {
						same(fmt.Sprintf("back, stop %d", i), record(s, ""), there[i])
						i--
					}
				}
				for i, r := range forward() {
					same(fmt.Sprintf("again, stop %d", i), r, there[i])
				}
				if n := s.history.bytes; n > limit && len(s.history.marks) > 1 {
					t.Errorf("%d bytes of checkpoints, at most %d allowed", n, limit)
				}
			})
		}
	}
}

// TestStepsCrossDispatches steps to the end of each dispatch and into the next,
// and back again the same way.
func TestStepsCrossDispatches(t *testing.T) {
	s := open(t, "features/rounds.amber", Options{})
	var there []recorded
	for !s.exited {
		there = append(there, record(s, ""))
		if s.t.c.Stopped() {
			must(t)(s.Step(StepOver, ThreadScope, ""))
			continue
		}
		must(t)(s.settled(s.drive(&goal{}))) // to the end of the dispatch
	}
	if len(there) != 14 {
		t.Fatalf("%d stops, expected the start and the end of 7 dispatches", len(there))
	}
	for i := len(there) - 2; i >= 0; i-- {
		for range 1000 {
			must(t)(s.ReverseStep(StepInst, GridScope))
			if s.now().compare(there[i].at) <= 0 {
				break
			}
		}
		if back := record(s, ""); back.at != there[i].at || back.hash != there[i].hash {
			t.Fatalf("at %v, expected %v; the same state: %t", back.at, there[i].at, back.hash == there[i].hash)
		}
	}
}

// TestLastWriteCrossesDispatches finds the writer of an element in an earlier
// dispatch, under another name, and the COPY between two.
func TestLastWriteCrossesDispatches(t *testing.T) {
	s := open(t, "features/rounds.amber", Options{})
	for !s.exited {
		must(t)(s.Continue())
	}
	st := must(t)(s.LastWrite("copied[5]"))
	if st.Watch == nil || st.Watch.Kind != "COPY" || st.Watch.Old != "31" || st.Watch.New != "44" || s.number != 6 {
		t.Errorf("copied[5]: %+v in dispatch %d", st.Watch, s.number)
	}
	must(t)(s.Continue())
	st = must(t)(s.LastWrite("values[5]")) // the launch's name: tally does not know it
	if w := st.Watch; w == nil || w.Kind != "write" || w.Old != "31" || w.New != "44" || s.number != 6 || s.focus != (ThreadID{0, 5}) {
		t.Errorf("values[5]: %+v in dispatch %d", w, s.number)
	}
	at := s.now()
	if _, err := s.LastWrite("seen[20 - 13]"); err != nil {
		t.Errorf("tile_static memory: %v", err)
	}
	must(t)(s.Rewind(1))
	if _, err := s.LastWrite("values[5]"); err == nil {
		t.Error("a write before the start of the launch")
	}
	if err := s.travel(at); err != nil {
		t.Fatal(err)
	}
	if got := evalText(t, s, "values[5]"); got != "31" {
		t.Errorf("before the write values[5] is %s", got)
	}
}

// TestFindingsAndExpectationsArePartOfHistory goes back over failed
// expectations and forward again.
func TestFindingsAndExpectationsArePartOfHistory(t *testing.T) {
	s := open(t, "features/rounds.amber", Options{})
	e, _ := ParseExpr("values[3] = 100")
	if _, err := s.Set(e); err != nil {
		t.Fatal(err)
	}
	for !s.exited {
		must(t)(s.Continue())
	}
	want := s.Failed()
	if len(want) != 3 {
		t.Fatalf("failed: %q", want)
	}
	must(t)(s.Rewind(1))
	if got := s.Failed(); len(got) != 0 {
		t.Errorf("failed at the start: %q", got)
	}
	if err := s.travel(s.startOf(2)); err != nil {
		t.Fatal(err)
	}
	if got := s.Failed(); len(got) != 1 {
		t.Errorf("failed before dispatch 2: %q", got)
	}
	for !s.exited {
		must(t)(s.Continue())
	}
	if got := s.Failed(); !slices.Equal(got, want) {
		t.Errorf("failed: %q, before: %q", got, want)
	}
	must(t)(s.Rewind(1))
	for !s.exited {
		must(t)(s.Continue()) // a new future, without the assignment
	}
	if got := s.Failed(); len(got) != 0 {
		t.Errorf("failed without the assignment: %q", got)
	}
}

// TestReverseStepsUndoSteps steps a thread, a warp, a tile or the grid through
// a kernel, and back again:
// every stop on the way back is the one on the way there, bit for bit.
func TestReverseStepsUndoSteps(t *testing.T) {
	for _, name := range someKernels {
		for _, kind := range []StepKind{StepIn, StepOver, StepInst} {
			for _, scope := range []Scope{ThreadScope, WarpScope, TileScope, GridScope} {
				t.Run(name+"/"+string(kind)+"/"+string(scope), func(t *testing.T) {
					s := open(t, name, Options{})
					s.history.interval, s.history.cost = 100, 0
					var there []recorded
					for range 60 {
						st, err := s.Step(kind, scope, "")
						if err != nil {
							t.Fatal(err)
						}
						if st.Reason != AtStep || s.state(s.focus).status == Finished {
							break
						}
						there = append(there, record(s, string(kind)))
					}
					if len(there) < 3 {
						t.Fatalf("%d steps only", len(there))
					}
					if err := s.travel(there[len(there)-1].at); err != nil {
						t.Fatal(err)
					}
					for i := len(there) - 2; i >= 0; i-- {
						must(t)(s.ReverseStep(kind, scope))
						back := record(s, "")
						if back.at != there[i].at {
							t.Fatalf("stop %d: at %v, forward it was %v", i, back.at, there[i].at)
						}
						if back.hash != there[i].hash {
							t.Fatalf("stop %d, at %v: the state differs", i, back.at)
						}
					}
				})
			}
		}
	}
}

// TestReverseStepOfATile goes back in a tile that came where it is by other
// ways than steps of the tile: to the latest of the places that its warps would
// go back to.
func TestReverseStepOfATile(t *testing.T) {
	for _, name := range someKernels {
		for _, kind := range []StepKind{StepIn, StepInst} {
			s := open(t, name, Options{})
			for range 25 {
				s.settled(s.Step(StepIn, WarpScope, ""))
				for s.state(s.focus).status == Finished && s.focus.Local+s.t.p.Width < s.t.tileSize() {
					s.SetFocus(ThreadID{s.focus.Tile, s.focus.Local + s.t.p.Width})
				}
			}
			if s.exited || s.t.c.Stopped() {
				must(t)(s.ReverseStep(kind, ThreadScope))
			}
			present, focus := record(s, ""), s.focus
			var want moment
			for first := 0; first < s.t.tileSize(); first += s.t.p.Width {
				s.SetFocus(ThreadID{focus.Tile, first})
				if _, err := s.ReverseStep(kind, WarpScope); err == nil && s.now().compare(want) > 0 {
					want = s.now()
				}
				if err := s.travel(present.at); err != nil {
					t.Fatal(err)
				}
			}
			s.SetFocus(focus)
			must(t)(s.ReverseStep(kind, TileScope))
			if s.now() != want {
				t.Errorf("%s, %s: at %v, expected %v", name, kind, s.now(), want)
			}
			if err := s.travel(present.at); err != nil || fullHash(s) != present.hash {
				t.Errorf("%s: the state differs on return, %v", name, err)
			}
		}
	}
}

func TestThinnedHistoryStaysInItsBounds(t *testing.T) {
	s := open(t, "speed/matmul_tiled.amber", Options{History: 1 << 20})
	s.history.interval = 1000
	for range 3 {
		s.history.cost = 0
		must(t)(s.Continue())
		if s.exited {
			break
		}
	}
	if n := s.history.bytes; n > 1<<20 && len(s.history.marks) > 1 {
		t.Errorf("%d bytes of checkpoints, at most %d allowed", n, 1<<20)
	}
	if len(s.history.marks) > maxMarks {
		t.Errorf("%d checkpoints", len(s.history.marks))
	}
	must(t)(s.Rewind(1))
	if s.t.c.Time() != s.history.marks[0].at.Time || s.t.c.Steps() != 0 {
		t.Errorf("rewound to %v", s.t.c.Time())
	}
}

func TestAssignmentsAreMadeAgain(t *testing.T) {
	s := open(t, "amp/reduce_walkthrough.amber", Options{})
	if _, err := s.Break("19"); err != nil {
		t.Fatal(err)
	}
	must(t)(s.Continue())
	e, _ := ParseExpr("localA[16] = 1000")
	if _, err := s.Set(e); err != nil {
		t.Fatal(err)
	}
	must(t)(s.Continue())
	if got := evalText(t, s, "localA[0]"); got != "1041" {
		t.Errorf("localA[0] is %s after the assignment, expected 41 + 1000", got)
	}
	after := record(s, "")
	must(t)(s.ReverseContinue())
	must(t)(s.ReverseStep(StepIn, ThreadScope))
	if got := evalText(t, s, "localA[16]"); got != "2995" {
		t.Errorf("localA[16] is %s before the assignment", got)
	}
	if err := s.travel(after.at); err != nil {
		t.Fatal(err)
	}
	if fullHash(s) != after.hash {
		t.Error("the state differs when the assignment is made again")
	}
}

// TestADispatchThatCannotRun leaves history as it was: going back puts the
// memory back that a COPY before it has changed.
func TestADispatchThatCannotRun(t *testing.T) {
	s := open(t, "features/rounds.amber", Options{})
	for _, st := range s.launch.Steps {
		if l, ok := st.(*launch.Loop); ok {
			l.Steps[2].(*launch.Dispatch).Bindings = nil
		}
	}
	start := record(s, "")
	for range 2 {
		if _, err := s.Continue(); err == nil || !strings.Contains(err.Error(), "nothing is bound") {
			t.Fatalf("continue: %v", err)
		}
		if s.exited || s.number != 2 {
			t.Errorf("in dispatch %d", s.number)
		}
	}
	must(t)(s.Rewind(1))
	if back := record(s, ""); back.at != start.at || back.hash != start.hash {
		t.Error("the state at the start differs")
	}
}

// TestManyStepsBackAreOneByOne goes back by many steps at once, in one search, and
// by as many one after the other: over checkpoints, into calls and out of them,
// past the start of the dispatch.
func TestManyStepsBackAreOneByOne(t *testing.T) {
	open := func(t *testing.T, name string) *dialogue {
		if name == "calls" {
			return compiled(t, loopKernel, false, "-g")
		}
		return open(t, name, Options{})
	}
	for _, name := range append([]string{"calls", "amp/nbody.amber"}, someKernels...) {
		s := open(t, name)
		s.history.interval = 500
		rng := rand.New(rand.NewPCG(3, 11))
		for round := range 12 {
			for range 2 + rng.IntN(40) {
				if s.history.cost = 0; s.exited || s.t.c.Stopped() || s.state(s.focus).status == Finished {
					break
				}
				must(t)(s.Step([]StepKind{StepIn, StepIn, StepInst, StepOver}[rng.IntN(4)], ThreadScope, ""))
			}
			here, focus, frame := s.now(), s.focus, 0
			if fs, err := s.Stack(focus); err == nil {
				frame = rng.IntN(len(fs))
			}
			kind, scope, n := []StepKind{StepIn, StepOver, StepInst}[round%3], []Scope{ThreadScope, WarpScope}[rng.IntN(2)], 1+rng.IntN(30)
			if _, err := s.went(s.Session.ReverseStep(s.ctx, Step{Kind: kind, Scope: scope, Thread: focus, Frame: frame, Count: n})); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, at := record(s, ""), s.focus
			if err := s.travel(here); err != nil {
				t.Fatal(err)
			}
			s.focus, s.frame = focus, frame
			for range n {
				if st := must(t)(s.ReverseStep(kind, scope)); !st.steppedOn() {
					break
				}
			}
			if s.now() != got.at || fullHash(s) != got.hash || scope == ThreadScope && s.focus != at {
				t.Fatalf("%s: %s %s %d from %v, frame %d: at %v, thread %v, one by one at %v, thread %v", name, kind, scope, n, here, frame, got.at, at, s.now(), s.focus)
			}
			if rng.IntN(2) == 0 {
				if err := s.travel(here); err != nil {
					t.Fatal(err)
				}
				s.focus, s.frame = focus, 0
			}
		}
	}
}
