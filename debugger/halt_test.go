package debugger

import (
	"testing"
	"time"
)

// TestHaltFromAnotherGoroutine halts a run from outside; go test -race sees
// to the rest.
func TestHaltFromAnotherGoroutine(t *testing.T) {
	s := open(t, "speed/matmul_naive.amber", Options{})
	stop := make(chan struct{})
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				s.Halt()
			}
		}
	}()
	halts := 0
	for range 20 {
		st := must(t)(s.Continue())
		if st.Reason != AtHalt {
			break
		}
		halts++
	}
	close(stop)
	if halts == 0 {
		t.Error("no run was halted")
	}
	s.ForgetHalt()
	if st := must(t)(s.ReverseContinue()); st.Reason != AtHistoryEnd {
		t.Errorf("stopped: %+v", st)
	}
}

// TestHaltBetweenSteps halts a command of many steps when none of them runs.
func TestHaltBetweenSteps(t *testing.T) {
	s := open(t, "speed/matmul_naive.amber", Options{})
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
		s.Halt()
		if st := must(t)(step.do()); st.Reason != AtHalt {
			t.Errorf("%s: stopped: %+v", step.name, st)
		}
		s.Halt()
		s.ForgetHalt()
		if st := must(t)(step.do()); st.Reason == AtHalt {
			t.Errorf("%s: stopped: %+v", step.name, st)
		}
	}
}
