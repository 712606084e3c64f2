package debugger

import (
	"fmt"
	"slices"
	"strings"
)

// catches are the kinds of findings that the user may choose to stop at, and
// expect for expectations of the launch that fail between dispatches.
var catches = []string{"barrier", "expect", "index", "race", "uninit", "undefined"}

// CatchNames lists the kinds of findings that the user may choose to stop at,
// or not. Faults always stop.
func CatchNames() []string { return slices.Clone(catches) }

// Catch chooses whether to stop at a kind of finding.
func (s *Session) Catch(name string, on bool) error {
	if !slices.Contains(catches, name) {
		return fmt.Errorf("no kind of finding %q to stop at; there is: %s", name, strings.Join(catches, ", "))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		return ErrRunning
	}
	s.catch[name] = on
	return nil
}

// Catching reports whether the session stops at a kind of finding.
func (s *Session) Catching(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.catch[name]
}
