package debugger

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// recorded is a stop of a forward run.
type recorded struct {
	at   moment
	hash [32]byte
	what string
}

func record(s *Session, what string) recorded {
	return recorded{s.now(), s.t.c.Hash(), what}
}

// someKernels are scripts of testdata with loops, branches, calls, barriers,
// atomics and spinning.
var someKernels = []string{
	"amp/reduce_walkthrough.amber", "amp/bitonic_sort.amber", "amp/histogram.amber", "amp/prefix_scan.amber",
	"features/control_flow.amber", "features/atomics.amber", "diverge/diverge_missing_in_warp.amber", "spin/clean_handoff_tile1_waits.amber",
}

// TestTravelRestoresTheExactState runs random scripts forward and hashes the
// whole state at every stop; then it goes back to the stops in random order.
func TestTravelRestoresTheExactState(t *testing.T) {
	for _, name := range someKernels {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				s := open(t, name, Options{Seed: seed / 2 * 7, History: 4 << 20})
				s.Catch("uninit", seed == 2)
				rng := rand.New(rand.NewPCG(seed, 1))
				stops := []recorded{record(s, "start")}
				for range 40 {
					if s.exited || s.t.c.Stopped() {
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
					if got := s.t.c.Hash(); got != r.hash {
						t.Fatalf("after %s, at %v: the state differs", r.what, r.at)
					}
				}
			})
		}
	}
}

// randomCommand does something random that goes forward or changes the state.
func randomCommand(s *Session, rng *rand.Rand) string {
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
	if s.more() {
		return "nothing" // continue would leave the dispatch
	}
	s.Continue()
	return "continue"
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
						if err != nil || st.Reason != AtStep || s.state(s.focus).status == Finished {
							break
						}
						there = append(there, record(s, string(kind)))
					}
					if len(there) < 3 {
						t.Skipf("%d steps only", len(there))
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
			if err := s.travel(present.at); err != nil || s.t.c.Hash() != present.hash {
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
	if s.t.c.Hash() != after.hash {
		t.Error("the state differs when the assignment is made again")
	}
}
