package debugger

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestAContextHaltsACommand ends the contexts of runs while they go on; go test
// -race sees to the rest.
func TestAContextHaltsACommand(t *testing.T) {
	s := open(t, "speed/matmul_naive.amber", Options{})
	halts := 0
	for range 20 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		s.ctx = ctx
		st := must(t)(s.Continue())
		cancel()
		if st.Reason != AtHalt {
			break
		}
		halts++
	}
	if halts == 0 {
		t.Error("no run was halted")
	}
	s.ctx = context.Background()
	if st := must(t)(s.ReverseContinue()); st.Reason != AtHistoryEnd {
		t.Errorf("stopped: %+v", st)
	}
}

// TestAnEndedContextHaltsAtOnce gives commands of all kinds a context that has
// ended: they move nothing, and the next one goes on as if they had not been.
func TestAnEndedContextHaltsAtOnce(t *testing.T) {
	s := open(t, "speed/matmul_naive.amber", Options{})
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, step := range []struct {
		name string
		do   func() (*Stop, error)
	}{
		{"step", func() (*Stop, error) { return s.Step(StepIn, ThreadScope, "") }},
		{"step tile", func() (*Stop, error) { return s.Step(StepIn, TileScope, "") }},
		{"reverse-step", func() (*Stop, error) { return s.ReverseStep(StepIn, ThreadScope) }},
		{"continue", s.Continue},
	} {
		for range 3 {
			must(t)(s.Step(StepIn, ThreadScope, ""))
		}
		here := record(s, "")
		s.ctx = ended
		if st := must(t)(step.do()); st.Reason != AtHalt || s.now() != here.at || fullHash(s) != here.hash {
			t.Errorf("%s: stopped: %+v", step.name, st)
		}
		s.ctx = context.Background()
		if st := must(t)(step.do()); st.Reason == AtHalt {
			t.Errorf("%s: stopped: %+v", step.name, st)
		}
	}
}

// TestWhatIsAskedWhileACommandRuns: what was seen before no longer holds, nothing
// can be changed, and what is known of the launch is what was known before.
func TestWhatIsAskedWhileACommandRuns(t *testing.T) {
	s := open(t, "speed/matmul_naive.amber", Options{})
	b, err := s.Break("16")
	if err != nil {
		t.Fatal(err)
	}
	at, launched := s.at(), s.Launch()
	ctx, cancel := context.WithCancel(context.Background())
	s.ctx = ctx
	if err := s.Delete(b.id); err != nil {
		t.Fatal(err)
	}
	before := s.Points()
	running := make(chan struct{})
	s.Listen(func(e Event) {
		if _, ok := e.(ContinuedEvent); ok {
			close(running)
		}
	})
	done := make(chan *Stop)
	go func() {
		st, _ := s.Session.Continue(ctx, ThreadID{})
		done <- st
	}()
	<-running
	if _, ok := s.Stopped(); ok {
		t.Error("the session stands still while it runs")
	}
	if _, err := at.Thread(ThreadID{}); !errors.Is(err, ErrMoved) {
		t.Errorf("a thread: %v", err)
	}
	for what, do := range map[string]func() error{
		"a breakpoint": func() error { _, err := s.AddBreakpoint(Breakpoint{At: FileLine{Line: 16}}); return err },
		"a step":       func() error { _, err := s.Session.Step(ctx, Step{Kind: StepIn}); return err },
		"a restart":    func() error { _, err := s.Session.Restart(); return err },
		"a catch":      func() error { return s.Catch("race", true) },
	} {
		if err := do(); !errors.Is(err, ErrRunning) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if l := s.Launch(); l != launched || len(s.Findings()) > 0 || len(s.Points()) != len(before) {
		t.Errorf("%+v, expected %+v", l, launched)
	}
	cancel()
	if st := <-done; st == nil || st.Reason != AtHalt {
		t.Errorf("stopped: %+v", st)
	}
}
