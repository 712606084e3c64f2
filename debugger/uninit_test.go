package debugger

import (
	"fmt"
	"path/filepath"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// atEnd runs a session to the end of its dispatch, past all stops, and gives
// the findings that it stopped at.
func atEnd(t *testing.T, s *Session) (found []diag.Finding) {
	t.Helper()
	for {
		st := must(t)(s.drive(s.breakGoal(&goal{})))
		if st.Reason == AtEnd {
			return found
		}
		s.settle(st)
		if st.Finding == nil {
			t.Fatalf("stopped: %+v", st)
		}
		if f := *st.Finding; f.Code == diag.Uninitialized {
			found = append(found, f)
			here := record(s, "")
			if err := s.travel(here.at); err != nil || fullHash(s) != here.hash {
				t.Fatalf("the state at the stop differs, %v", err)
			}
		}
		if len(found) > 100 {
			t.Fatal("no end")
		}
	}
}

// TestCatchUninit stops at the uses that a check of the same script reports,
// and the run ends as one without stops.
func TestCatchUninit(t *testing.T) {
	for _, name := range []string{
		"uninit_private_address", "uninit_private_branch", "uninit_private_store", "uninit_tile_static", "norace_uninitialised_but_unused",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("race", name+".amber")
			l, err := launch.Load(filepath.Join("..", "testdata", path), launch.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := racecheck.Run(t.Context(), l, racecheck.Options{Warp: 4}, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			plainAccess := func(a diag.Access) string { return fmt.Sprint(a.Kind, a.Pos, a.ID, a.Thread) }
			for _, f := range r.Findings {
				if f.Code == diag.Uninitialized {
					want[plainAccess(f.Accesses[1])] = true
				}
			}
			plain := open(t, path, Options{})
			atEnd(t, plain)
			for _, both := range []bool{false, true} {
				s := open(t, path, Options{})
				s.Catch("uninit", true)
				s.Catch("race", both)
				found := atEnd(t, s)
				for _, f := range found {
					if !want[plainAccess(f.Accesses[1])] {
						t.Errorf("a stop at %+v, which a check does not report", f.Accesses[1])
					}
				}
				if len(found) != len(want) {
					t.Errorf("%d stops, a check reports %d", len(found), len(want))
				}
				if fullHash(s) != fullHash(plain) {
					t.Error("the end of the run differs from that of one without stops")
				}
			}
		})
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
		s.halt.Store(true)
		err := s.uninit.begin(&goal{})
		if kind == "race" {
			err = s.races.begin(&goal{})
		}
		if err != nil || s.uninit.tracing || s.races.watch != nil || s.now() != here.at || fullHash(s) != here.hash {
			t.Errorf("%s: at %v, %v", kind, s.now(), err)
		}
		s.Catch(kind, false)
	}
}
