package gpu

import (
	"fmt"
	"slices"
	"time"

	"ampdbg/launch"
)

// Options says how an accelerator runs launches. The zero value is ready.
type Options struct {
	// Validate runs everything under VK_LAYER_KHRONOS_validation and gathers
	// its messages. Open fails where the layer is not installed: a launch that
	// was not validated must not look like a clean one.
	Validate bool
	// Timeout bounds each run of a dispatch on the device; 0 is no bound. The
	// context bounds them too.
	Timeout time.Duration
	// Repeat is how often each dispatch runs, every time from the same
	// contents; less than 2 is once. The last run's results count.
	Repeat int
	// Require are the launch's own requirements: features and extensions that
	// are enabled beside those that the modules need.
	Require []launch.Requirement
	// OnResult, if set, is called after every dispatch that ran.
	OnResult func(*launch.Dispatch, *Result)
	// OnPhase, if set, is called when a phase of a dispatch begins, and when
	// there are messages in the middle of one: whoever watches the process
	// from outside then knows what it died of. Messages are those of the
	// validation layer since the last call; a Result has them too.
	OnPhase func(Phase, []Message)
}

// Result tells how one dispatch ran.
type Result struct {
	// Device holds the duration of each run between two timestamps of the
	// device; empty where its queue has none.
	Device []time.Duration
	// Host holds the duration of each run from submitting to knowing that it
	// ended, copies included.
	Host []time.Duration
	// Messages of the validation layer.
	Messages []Message
	// Outside are the writes found in the guard zones, by buffer and offset.
	Outside []Write
}

// Timing is a summary of durations.
type Timing struct {
	N                int
	Min, Median, Max time.Duration
}

// Summarize gives the least, the middle and the largest duration; of an even
// number the middle is the mean of two. Without durations all is 0.
func Summarize(d []time.Duration) Timing {
	if len(d) == 0 {
		return Timing{}
	}
	s := slices.Clone(d)
	slices.Sort(s)
	n := len(s)
	return Timing{N: n, Min: s[0], Median: s[(n-1)/2]/2 + s[n/2]/2 + (s[(n-1)/2]%2+s[n/2]%2)/2, Max: s[n-1]}
}

func (t Timing) String() string {
	if t.N == 1 {
		return t.Min.String()
	}
	return fmt.Sprintf("min %v, median %v, max %v of %d runs", t.Min, t.Median, t.Max, t.N)
}

// Message is a message of the validation layer.
type Message struct {
	Error bool   // an error; otherwise a warning
	ID    string // "VUID-vkCmdDispatch-None-02697"
	Text  string
}

func (m Message) String() string {
	kind := "warning"
	if m.Error {
		kind = "error"
	}
	if m.ID == "" {
		return fmt.Sprintf("validation %s: %s", kind, m.Text)
	}
	return fmt.Sprintf("validation %s %s: %s", kind, m.ID, m.Text)
}
