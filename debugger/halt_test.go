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
	if st := must(t)(s.ReverseContinue()); st.Reason != AtHistoryEnd {
		t.Errorf("stopped: %+v", st)
	}
}
