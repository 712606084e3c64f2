package diag

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Bug is a failure of ampdbg itself, not of what it was given: a panic. It is
// the only error for those, wherever they happen.
type Bug struct {
	Cause any    // what was panicked with
	Stack []byte // of the goroutine that panicked
}

func (b *Bug) Error() string { return fmt.Sprintf("internal error: %v", b.Cause) }

// Recovered makes a Bug of what recover gave, nil of nothing. It is called by
// the deferred function itself: the stack is still that of the panic. A Bug
// that was panicked with again, to bring it further up, keeps its own.
func Recovered(v any) *Bug {
	if v == nil {
		return nil
	}
	if err, ok := v.(error); ok {
		if b := AsBug(err); b != nil {
			return b
		}
	}
	return &Bug{Cause: v, Stack: debug.Stack()}
}

// AsBug gives the Bug in an error's chain, nil if there is none.
func AsBug(err error) *Bug {
	var b *Bug
	errors.As(err, &b)
	return b
}
