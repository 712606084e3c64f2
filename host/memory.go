package host

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"ampdbg/diag"
)

// limit is the most memory that may be in use, in bytes; 0: no limit.
var limit atomic.Int64

// SetMemoryLimit sets the most memory that this process may use, in bytes; 0
// sets no limit.
func SetMemoryLimit(n int64) {
	limit.Store(n)
	if n == 0 {
		n = math.MaxInt64
	}
	debug.SetMemoryLimit(n) // what is garbage is collected before it counts
}

// DefaultMemoryLimit is half of the memory that is free, or MaxInt64 where that
// is not known.
func DefaultMemoryLimit() int64 {
	if n := free(); n > 0 {
		return max(n/2, 1<<20)
	}
	return math.MaxInt64
}

// Need asks for n bytes, which what takes ("buffer data"). The error is a
// *diag.Error that says how much is there.
func Need(n int64, what string) error {
	l := limit.Load()
	if l == 0 || n >= 0 && n <= l-used(objects) {
		return nil
	}
	if n < 0 {
		n = math.MaxInt64
	}
	if n <= l {
		runtime.GC()
		if n <= l-used(live) {
			return nil
		}
	}
	return &diag.Error{Class: diag.Budget, Msg: fmt.Sprintf(
		"out of memory: %s takes %s, and of the limit of %s, %s are in use; launch less, or raise the limit with --memory", what, size(n), size(l), size(min(used(objects), l)))}
}

// The kinds of memory in use.
const (
	objects = "/memory/classes/heap/objects:bytes" // with what is garbage by now
	live    = "/gc/heap/live:bytes"                // as of the last collection
	stacks  = "/memory/classes/heap/stacks:bytes"
)

func used(names ...string) int64 {
	samples := make([]metrics.Sample, len(names))
	for i, n := range names {
		samples[i].Name = n
	}
	metrics.Read(samples)
	var sum int64
	for _, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			sum += int64(s.Value.Uint64())
		}
	}
	return sum
}

// Watch calls stop with an error once the memory in use is beyond the limit,
// and kill if it goes on to grow all the same. It watches until done is closed.
func Watch(done <-chan struct{}, stop, kill func(error)) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	stopped := false
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		l := limit.Load()
		n := used(live, stacks)
		if l == 0 || n <= l {
			continue
		}
		err := &diag.Error{Class: diag.Budget, Msg: fmt.Sprintf("out of memory: %s are in use, and the limit is %s; launch less, or raise the limit with --memory", size(n), size(l))}
		if !stopped {
			stopped = true
			stop(err)
		}
		if n > l+max(l/2, 256<<20) {
			kill(err)
			return
		}
	}
}

// size is a number of bytes for people: "1.5 GiB".
func size(n int64) string {
	for _, u := range []struct {
		shift uint
		name  string
	}{{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n >= 1<<u.shift {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(int64(1)<<u.shift), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
