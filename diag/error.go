package diag

import (
	"errors"
	"fmt"
)

// ErrorClass says what kind of failure an error is; the command turns it into
// the exit code.
type ErrorClass uint8

// The classes of failure.
const (
	BadInput    ErrorClass = iota // unusable input or flags: exit 2
	Unsupported                   // a feature that is not supported, a missing tool or device: exit 3
	Budget                        // a step budget or deadline ran out: exit 3
	NotRun                        // nothing, or not all, of a launch was run, without a finding that says why: exit 3
)

// Error is a failure with a place: what was expected, what was found.
// It is the only error type that crosses package boundaries for failures of
// the input (a kernel's own faults are findings, see Finding).
type Error struct {
	Class ErrorClass
	Pos   Pos
	Msg   string
	Err   error // wrapped cause, may be nil
}

func (e *Error) Error() string {
	s := e.Msg
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Pos.IsValid() {
		s = e.Pos.String() + ": " + s
	}
	return s
}

// AsError is the Error in err's chain, or one that says what err says.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Msg: err.Error()}
}

func (e *Error) Unwrap() error { return e.Err }

func (c ErrorClass) String() string {
	switch c {
	case BadInput:
		return "bad-input"
	case Unsupported:
		return "unsupported"
	case Budget:
		return "budget"
	case NotRun:
		return "not-run"
	}
	return fmt.Sprintf("ErrorClass(%d)", uint8(c))
}
