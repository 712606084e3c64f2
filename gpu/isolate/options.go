package isolate

import (
	"time"

	"ampdbg/gpu"
)

// Options are those of package gpu, and what is bounded from outside.
// OnPhase is of no account.
type Options struct {
	gpu.Options
	// Limit bounds each phase of a dispatch (see gpu.Phase): the driver's
	// work, which Options.Timeout does not bound. 0 is no bound.
	Limit time.Duration
}
