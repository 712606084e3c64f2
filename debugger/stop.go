package debugger

import (
	"slices"

	"ampdbg/diag"
)

// Reason says why a command came to its end.
type Reason string

// The reasons.
const (
	AtStart      Reason = "start"      // nothing has run yet
	AtBreakpoint Reason = "breakpoint" //
	AtWatchpoint Reason = "watchpoint" //
	AtStep       Reason = "step"       // a step is done
	AtFinding    Reason = "finding"    // the kernel did something wrong
	AtHalt       Reason = "halt"       // the context ended
	AtHeld       Reason = "frozen"     // only frozen threads could go on
	AtEnd        Reason = "end"        // the dispatch has ended
	AtExit       Reason = "exit"       // the launch has ended
	AtHistoryEnd Reason = "history"    // the start of the launch, or of the dispatch, going backwards
	AtBudget     Reason = "budget"     // the step budget is used up
	AtError      Reason = "error"      // the command gave an error; only listeners are told so
)

// Stop says where a command came to its end, and why.
type Stop struct {
	Reason      Reason
	Thread      ThreadID  // that came here; without one, that the command is about
	From        *ThreadID // the thread that a step was about, if what happened to another ended it
	Pos         diag.Pos
	Func        string
	Active      int // threads of its warp that are about to execute that place
	Breakpoints []int
	Watch       *WatchHit
	Finding     *diag.Finding
	Failed      []string // expectations of the launch that failed right before
	Text        string   // more, for people

	at moment
}

// copied is a stop that shares nothing with st but what never changes.
func (st *Stop) copied() Stop {
	out := *st
	out.Breakpoints, out.Failed = slices.Clone(st.Breakpoints), slices.Clone(st.Failed)
	if st.From != nil {
		from := *st.From
		out.From = &from
	}
	if st.Watch != nil {
		w := *st.Watch
		out.Watch = &w
	}
	if st.Finding != nil {
		f := *st.Finding
		out.Finding = &f
	}
	return out
}

// and is the stop at one moment for the reasons of two, either of which may be
// nil. The thread is that of the first.
func (st *Stop) and(other *Stop) *Stop {
	switch {
	case st == nil:
		return other
	case other == nil:
		return st
	}
	for _, id := range other.Breakpoints {
		if !slices.Contains(st.Breakpoints, id) {
			st.Breakpoints = append(st.Breakpoints, id)
		}
	}
	if st.Watch == nil {
		st.Watch = other.Watch
	}
	if st.Finding == nil && other.Finding != nil {
		st.Reason, st.Finding = AtFinding, other.Finding
	}
	if st.Text == "" {
		st.Text = other.Text
	}
	return st
}
