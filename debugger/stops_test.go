package debugger

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/program"
	"ampdbg/warp"
)

// traced is an access of a launch that ran without a debugger.
type traced struct {
	key   accessKey
	kind  warp.AccessKind
	op    program.AtomicOp
	lanes []tracedLane
}

// tracedLane is what one lane of it touches: a buffer or image of the launch,
// by its index, or else tile_static memory, by its number in the dispatch.
type tracedLane struct {
	lane      int
	buffer    int
	mem       int
	off, size int64
	changed   []bool // by byte, of a write
}

// accessTrace records all accesses of a launch.
type accessTrace struct {
	dispatch int
	memory   [][]byte
	list     []traced
}

func (r *accessTrace) Access(w *warp.Warp, a *warp.Access) {
	key := accessKey{r.dispatch, uint64(w.T.Index), w.Index, w.Steps, a.PC}
	if n := len(r.list); n == 0 || r.list[n-1].key != key {
		r.list = append(r.list, traced{key: key, kind: a.Kind, op: a.Op})
	}
	x := &r.list[len(r.list)-1]
	for l := a.Mask.First(); l >= 0; l = a.Mask.Next(l) {
		if a.View[l] <= 0 {
			continue
		}
		v := &w.T.Views[a.View[l]]
		lane := tracedLane{lane: l, buffer: -1, mem: v.Mem.ID, off: v.Base + a.Off[l], size: a.Size}
		for i, data := range r.memory {
			if len(data) > 0 && len(v.Mem.Data) > 0 && &data[0] == &v.Mem.Data[0] {
				lane.buffer = i
			}
		}
		old := v.Data[a.Off[l]:][:a.Size]
		for i := range int(a.Size) {
			var b byte
			switch {
			case a.Texel != nil:
				b = a.Texel[i]
			case a.Kind == warp.AtomicAccess:
				b = byte(a.New >> (8 * i))
			case a.Kind == warp.Write:
				b = byte(w.R[int(a.Value)+i/a.Width*w.P.Stride+l] >> (8 * (i % a.Width)))
			}
			changed := b != old[i]
			if a.Kind == warp.AtomicAccess {
				changed = b != byte(a.Old>>(8*i))
			}
			lane.changed = append(lane.changed, changed)
		}
		x.lanes = append(x.lanes, lane)
	}
}

// traceOf runs a script by itself, as a session with the same seed would.
func traceOf(t *testing.T, name string, seed uint64) []traced {
	t.Helper()
	l, err := launch.Load(filepath.Join("..", "testdata", name), launch.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := &accessTrace{memory: (&Session{launch: l}).memory()}
	e := &emu.Emulator{Options: emu.Options{
		Seed: seed, Exact: true, Observe: func(*emu.Machine) ([]emu.Observer, error) { r.dispatch++; return []emu.Observer{r}, nil },
		OnFault: func(_ *emu.Machine, _ *warp.Warp, f *warp.Fault) bool { return f.Kind == warp.ArrayIndex },
	}}
	l.Execute(context.Background(), e, nil) // a fault ends it as it ends the session's
	return r.list
}

// wants reports whether a watchpoint stops at an access.
func (x *traced) wants(s *dialogue, b *point, cond string) bool {
	w := b.watch
	buffer := -1
	for i, data := range s.memory() {
		if len(data) > 0 && len(w.data) > 0 && &data[0] == &w.data[0] {
			buffer = i
		}
	}
	if b.Disabled {
		return false
	}
	return slices.ContainsFunc(x.lanes, func(l tracedLane) bool {
		if buffer != l.buffer || buffer < 0 && (x.key.dispatch != s.number || l.mem != w.mem.ID || w.tile >= 0 && w.tile != int64(x.key.tile)) {
			return false
		}
		if l.off >= w.off+w.size || l.off+l.size <= w.off || cond != "" && l.lane != 1 {
			return false
		}
		writes := x.kind == warp.Write || x.kind == warp.AtomicAccess && x.op.Writes()
		switch b.kind {
		case WatchRead:
			return x.kind != warp.Write
		case WatchWrite:
			return writes
		case WatchChange:
			for i, changed := range l.changed {
				if at := l.off + int64(i); writes && changed && (x.kind == warp.AtomicAccess || at >= w.off && at < w.off+w.size) {
					return true
				}
			}
			return false
		}
		return true
	})
}

// stopKernels are the scripts over which stops are compared.
var stopKernels = slices.Concat(someKernels, severalDispatches, []string{"features/storage_images.amber"})

// TestContinueStopsAtEveryAccessOfATrace sets, changes and deletes watchpoints
// on random elements at random stops. Each continue comes to the next access
// that a trace of the same launch, made without a debugger, says they are for,
// and after the last of them to the end.
func TestContinueStopsAtEveryAccessOfATrace(t *testing.T) {
	total := 0
	for _, name := range stopKernels {
		for _, seed := range []uint64{0, 7} {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				trace := traceOf(t, name, seed)
				for round := range uint64(2) {
					s := open(t, name, Options{Seed: seed, History: 64 << 10})
					s.history.interval = 1000
					s.Catch("barrier", false)
					s.Catch("index", false)
					s.Catch("expect", false)
					rng := rand.New(rand.NewPCG(seed, round+100))
					conds := map[*point]string{}
					if round == 1 { // tiles have come and gone before anything is watched
						for range 3 {
							if st := must(t)(s.Continue()); st.Reason == AtExit || st.Reason == AtFinding {
								break
							}
						}
						must(t)(s.Rewind(1))
					}
					randomWatch(s, rng, conds)
					at := 0 // the first access that has not been passed
					for stops := 0; stops < 80 && !s.exited; {
						st := must(t)(s.Continue())
						if st.Watch != nil && st.Watch.Kind == "COPY" {
							continue
						}
						if st.Reason != AtWatchpoint && st.Reason != AtExit {
							break // a fault, or a state from which nothing goes on
						}
						for at < len(trace) && !slices.ContainsFunc(s.points, func(b *point) bool {
							return b.watch.mem != nil && trace[at].wants(s, b, conds[b])
						}) && (st.Watch == nil || trace[at].key != st.Watch.key) {
							at++
						}
						if at == len(trace) {
							if st.Watch != nil {
								t.Fatalf("stopped at %+v, of which the trace knows nothing", st.Watch)
							}
							break
						}
						if st.Watch == nil || st.Watch.key != trace[at].key {
							t.Fatalf("expected a stop at %+v, stopped at %+v", trace[at].key, st)
						}
						for _, b := range s.points {
							if slices.Contains(st.Breakpoints, b.id) != trace[at].wants(s, b, conds[b]) {
								t.Fatalf("at %+v: breakpoints %v; watchpoint %d (%s of %s) is named or missing wrongly", st.Watch.key, st.Breakpoints, b.id, b.kind, b.spec)
							}
						}
						at++
						stops++
						total++
						switch rng.IntN(8) {
						case 0:
							randomWatch(s, rng, conds)
						case 1:
							s.Delete(s.points[rng.IntN(len(s.points))].id)
							randomWatch(s, rng, conds)
						case 2:
							b := s.points[rng.IntN(len(s.points))]
							b.Disabled = !b.Disabled
						case 3:
							s.points[rng.IntN(len(s.points))].kind = kinds[rng.IntN(4)]
						case 4: // there and back
							now := record(s, "")
							must(t)(s.Rewind(1))
							for s.now() != now.at {
								if st := must(t)(s.Continue()); st.Reason == AtExit || s.now().compare(now.at) > 0 {
									break
								}
							}
							if s.now() != now.at {
								if err := s.travel(now.at); err != nil {
									t.Fatal(err)
								}
								s.watcher.tell(st.Watch)
							}
						}
					}
				}
			})
		}
	}
	if total < 100 {
		t.Errorf("%d stops only", total)
	}
}

var kinds = []WatchKind{WatchChange, WatchWrite, WatchRead, WatchAccess}

// randomWatch sets a watchpoint on a random element of a buffer, image or
// tile_static array.
func randomWatch(s *dialogue, rng *rand.Rand, conds map[*point]string) {
	var names []string
	for _, b := range s.launch.Buffers {
		names = append(names, b.Name)
	}
	names = append(names, s.t.globalNames()...)
	for range 100 {
		n := names[rng.IntN(len(names))]
		for _, index := range []string{fmt.Sprintf("[%d]", rng.IntN(40)), fmt.Sprintf("[%d][%d]", rng.IntN(4), rng.IntN(4)), ""} {
			b, err := s.Watch(n+index, kinds[rng.IntN(4)], int64(rng.IntN(2)*rng.IntN(3)*4))
			if err != nil {
				continue
			}
			if b.Problem != "" || b.watch.private() {
				s.Delete(b.id)
				continue
			}
			if rng.IntN(4) == 0 {
				b.cond, _ = ParseExpr("lane == 1")
				conds[b] = "lane == 1"
			}
			return
		}
	}
}

// TestReverseContinueFindsTheStopsOfContinue sets breakpoints and watchpoints of
// all kinds, on memory and on variables, with conditions; some are deleted or
// changed while the launch runs. In the end the stops from the start of the
// launch to its end are those from there back, bit for bit.
func TestReverseContinueFindsTheStopsOfContinue(t *testing.T) {
	total := 0
	for _, name := range stopKernels {
		for round := range uint64(3) {
			t.Run(fmt.Sprintf("%s/%d", name, round), func(t *testing.T) {
				s := open(t, name, Options{Seed: round % 2 * 7, History: 64 << 10})
				s.history.interval = 1000
				rng := rand.New(rand.NewPCG(round, 5))
				for range 6 {
					randomStop(s, rng)
					if rng.IntN(2) == 0 && len(s.points) > 0 {
						s.Delete(s.points[rng.IntN(len(s.points))].id)
					}
					for range rng.IntN(4) {
						if !s.exited {
							must(t)(s.Continue())
						}
					}
					if s.exited {
						break
					}
				}
				randomStop(s, rng)
				must(t)(s.Rewind(1))
				text := func(st *Stop) string {
					out := fmt.Sprint(st.Breakpoints, st.Thread)
					if st.Watch != nil {
						out += fmt.Sprintf(" %s %s: %s, %s, %d more", st.Watch.Kind, st.Watch.Object, st.Watch.Old, st.Watch.New, st.Watch.More)
					}
					return out
				}
				var there []recorded
				for len(there) < 60 && !s.exited {
					s.history.cost = 0
					st := must(t)(s.Continue())
					if st.Breakpoints != nil && (st.Watch == nil || st.Watch.Kind != "COPY") {
						there = append(there, record(s, text(st)))
					}
				}
				if !s.exited && len(there) > 0 {
					there = there[:len(there)-1]
				}
				total += len(there)
				for i := len(there) - 1; ; {
					st := must(t)(s.ReverseContinue())
					if st.Watch != nil && st.Watch.Kind == "COPY" {
						continue
					}
					if i < 0 || st.Reason == AtHistoryEnd {
						if i >= 0 || st.Reason != AtHistoryEnd {
							t.Fatalf("%d stops are left at %s %s: %v", i+1, st.Reason, text(st), there[i])
						}
						break
					}
					back := record(s, text(st))
					// The focus before a stop decides which of several threads gets it.
					want := there[i]
					if back.at != want.at || back.hash != want.hash || !sameStop(back.what, want.what) {
						t.Fatalf("stop %d: %s at %v, expected %s at %v; the same state: %t", i, back.what, back.at, want.what, want.at, back.hash == want.hash)
					}
					i--
				}
			})
		}
	}
	if total < 100 {
		t.Errorf("%d stops only", total)
	}
}

// sameStop compares the texts of two stops but for the thread of a breakpoint:
// where several came to it, the focus of before decides.
func sameStop(a, b string) bool {
	return a == b || !strings.Contains(a, ":") && a[:strings.Index(a, "]")] == b[:strings.Index(b, "]")]
}

// randomStop sets a breakpoint or a watchpoint.
func randomStop(s *dialogue, rng *rand.Rand) {
	var b *point
	switch rng.IntN(3) {
	case 0:
		randomWatch(s, rng, map[*point]string{})
		return
	case 1:
		if names := s.t.localNames(s.thread(s.focus)); len(names) > 0 {
			b, _ = s.Watch(names[rng.IntN(len(names))], kinds[rng.IntN(4)], 0)
		}
	default:
		if files := s.Files(); len(files) > 0 {
			var lines []int
			for n := range s.t.lines.byLine[files[0]] {
				lines = append(lines, n)
			}
			slices.Sort(lines)
			b, _ = s.Break(fmt.Sprintf("%s:%d", files[0], lines[rng.IntN(len(lines))]))
		}
	}
	if b != nil && rng.IntN(2) == 0 {
		b.cond, _ = ParseExpr([]string{"lane == 1", "index > 2", "global.x % 3 == 1"}[rng.IntN(3)])
	}
}

// TestWatchpointsReachLaterTiles sets a watchpoint when many tiles have ended
// whose memory later ones get, and deletes it again before others begin.
func TestWatchpointsReachLaterTiles(t *testing.T) {
	s := open(t, "amp/reduce_walkthrough.amber", Options{})
	b, err := s.Break("18")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.condition(b, "", "tile.x == 200"); err != nil {
		t.Fatal(err)
	}
	must(t)(s.Continue())
	s.Delete(b.id)
	for tile := 220; tile < 300; tile += 20 {
		s.SetFocus(ThreadID{uint64(tile), 0})
		w, err := s.Watch("localA[0]", WatchWrite, 0)
		if err != nil {
			t.Fatal(err)
		}
		if st := must(t)(s.Continue()); st.Reason != AtWatchpoint || st.Thread.Tile != uint64(tile) {
			t.Fatalf("tile %d: stopped: %+v", tile, st)
		}
		s.Delete(w.id)
	}
	if st := must(t)(s.Continue()); st.Watch != nil {
		t.Errorf("a watchpoint that has been deleted stopped: %+v", st)
	}
}
