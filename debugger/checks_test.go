package debugger

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// atEnd runs a session to the end of its last dispatch, past all stops, and gives
// the findings that it stopped at.
func atEnd(t *testing.T, s *dialogue) (found []diag.Finding) {
	t.Helper()
	for {
		st := must(t)(s.drive(s.breakGoal(&goal{})))
		s.settle(st)
		if st.Reason == AtEnd {
			if !s.more() {
				return found
			}
			must(t)(s.cross())
			continue
		}
		if st.Finding == nil {
			t.Fatalf("stopped: %+v", st)
		}
		found = append(found, *st.Finding)
		if s.t.c.Stopped() {
			return found
		}
		here := record(s, "")
		if err := s.travel(here.at); err != nil || fullHash(s) != here.hash {
			t.Fatalf("the state at the stop differs, %v", err)
		}
		if len(found) > 100 {
			t.Fatal("no end")
		}
	}
}

// TestStopsAreWhatACheckReports stops at the uses of values and at the
// operations that a check of the same script reports, and the run ends as one
// without stops.
func TestStopsAreWhatACheckReports(t *testing.T) {
	scripts, err := filepath.Glob("../testdata/race/*.amber")
	if err != nil || len(scripts) < 10 {
		t.Fatal(scripts, err)
	}
	some, excused := 0, 0
	for _, path := range scripts {
		t.Run(filepath.Base(path), func(t *testing.T) {
			l, err := launch.Load(path, launch.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := racecheck.Run(t.Context(), l, racecheck.Options{Warp: 4}, nil)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join("race", filepath.Base(path))
			plain := open(t, name, Options{})
			if fault := slices.ContainsFunc(atEnd(t, plain), func(f diag.Finding) bool { return f.Code != diag.Race }); fault {
				return // a check goes on after faults
			}
			place := func(f diag.Finding) string {
				a := f.Accesses[len(f.Accesses)-1]
				return fmt.Sprint(f.Code, f.Class, a.Kind, a.Pos, a.Thread)
			}
			want := map[string]bool{}
			racy := false
			for _, f := range r.Findings {
				racy = racy || f.Code == diag.Race
				if f.Code == diag.Uninitialized || f.Code == diag.UndefinedValue {
					want[place(f)] = true
				}
			}
			some += len(want)
			for _, both := range []bool{false, true} {
				s := open(t, name, Options{})
				s.Catch("uninit", true)
				s.Catch("undefined", true)
				s.Catch("race", both)
				found := map[string]bool{}
				for _, f := range atEnd(t, s) {
					if f.Code == diag.Race {
						continue
					}
					found[place(f)] = true
					if !want[place(f)] {
						t.Errorf("a stop at %s, which a check does not report", place(f))
					}
				}
				if len(found) != len(want) {
					t.Errorf("%d stops, a check reports %d", len(found), len(want))
				}
				if racy && s.checks.log != nil && len(found) == 0 {
					excused++
				}
				if fullHash(s) != fullHash(plain) {
					t.Error("the end of the run differs from that of one without stops")
				}
			}
		})
	}
	if some == 0 || excused == 0 {
		t.Errorf("%d findings, %d launches with races that excuse uses", some, excused)
	}
}

// TestRacesOfAWarpThatGoesOn stops at races, and goes on from each with the
// detector that has seen the access: the stops are those of a detector that sees
// the dispatch again from its start after every stop, and the run comes to its
// end.
func TestRacesOfAWarpThatGoesOn(t *testing.T) {
	scripts, err := filepath.Glob("../testdata/race/race_*.amber")
	if err != nil || len(scripts) < 10 {
		t.Fatal(scripts, err)
	}
	races := 0
	for _, path := range scripts {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var stops [2][]string
			for i := range stops {
				s := open(t, filepath.Join("race", filepath.Base(path)), Options{})
				s.Catch("race", true)
				for {
					st := must(t)(s.Continue())
					if st.Finding == nil || s.t.c.Stopped() {
						break
					}
					a := st.Finding.Accesses
					stops[i] = append(stops[i], fmt.Sprint(s.now(), st.Finding.Class, st.Finding.Variable, a[0].Thread, a[len(a)-1].Thread))
					if len(stops[i]) > 1000 {
						t.Fatal("no end")
					}
					if i == 1 {
						if err := s.travel(s.now()); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			races += len(stops[0])
			if !slices.Equal(stops[0], stops[1]) {
				t.Errorf("stops are\n%s\nafter going back\n%s", strings.Join(stops[0], "\n"), strings.Join(stops[1], "\n"))
			}
		})
	}
	if races == 0 {
		t.Error("no races")
	}
}

// TestFirstGoesToTheReadOfAnUninitialisedValue goes from the use to the read.
func TestFirstGoesToTheReadOfAnUninitialisedValue(t *testing.T) {
	s := open(t, "race/uninit_tile_static.amber", Options{})
	s.Catch("uninit", true)
	use := must(t)(s.Continue())
	if use.Reason != AtFinding || use.Thread != (ThreadID{0, 7}) || use.Pos.Line != 12 {
		t.Fatalf("stopped: %+v", use)
	}
	here := record(s, "")
	read := use.Finding.Accesses[0]
	st := must(t)(s.FirstAccess())
	pc := s.state(s.focus).pc
	if st.Thread != (ThreadID{0, 7}) || s.t.c.ID(pc) != read.ID || s.now() == here.at {
		t.Errorf("first is at %+v, %%%d", st, s.t.c.ID(pc))
	}
	// The use is found again, at the same moment.
	if st := must(t)(s.Continue()); st.Reason != AtFinding || s.now() != here.at || fullHash(s) != here.hash {
		t.Errorf("stopped: %+v", st)
	}
	if _, err := s.Break("12"); err != nil {
		t.Fatal(err)
	}
	must(t)(s.Rewind(1))
	for n := range 3 {
		if st := must(t)(s.Continue()); (st.Reason == AtBreakpoint) != (n < 2) {
			t.Errorf("stop %d: %+v", n, st)
		}
	}
}

// TestHaltWhileTheDispatchIsSeenAgain halts the run up to the present that
// catching needs: it leaves the present as it was.
func TestHaltWhileTheDispatchIsSeenAgain(t *testing.T) {
	s := open(t, "amp/reduce_walkthrough.amber", Options{})
	if _, err := s.Break("19"); err != nil {
		t.Fatal(err)
	}
	must(t)(s.Continue())
	here := record(s, "")
	for _, kind := range []string{"uninit", "race"} {
		s.Catch(kind, true)
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		s.command.ctx = ended
		err := s.checks.begin(&goal{})
		s.command.ctx = context.Background()
		if err != nil || s.checks.values != nil || s.checks.races != nil || s.now() != here.at || fullHash(s) != here.hash {
			t.Errorf("%s: at %v, %v", kind, s.now(), err)
		}
		s.Catch(kind, false)
	}
}
