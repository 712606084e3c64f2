//go:build cgo && linux && (amd64 || arm64)

package isolate

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

// faultLine is where Go's runtime names the signal of a fault in C code.
var faultLine = regexp.MustCompile(`(?m)^(?:\[signal )?(SIG[A-Z]+): `)

var signalNames = map[syscall.Signal]string{
	syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGILL: "SIGILL", syscall.SIGKILL: "SIGKILL",
	syscall.SIGSEGV: "SIGSEGV", syscall.SIGTERM: "SIGTERM", syscall.SIGTRAP: "SIGTRAP",
}

// causeOfDeath reads the state of a process that has ended and what it wrote
// of its end.
func causeOfDeath(state *os.ProcessState, said string) *Death {
	if m := faultLine.FindStringSubmatch(said); m != nil {
		return &Death{Signal: m[1]}
	}
	if state == nil {
		return &Death{Status: "it cannot be ended"}
	}
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		if name := signalNames[w.Signal()]; name != "" {
			return &Death{Signal: name}
		}
		return &Death{Signal: fmt.Sprintf("signal %d", w.Signal())}
	}
	d := &Death{Status: state.String()}
	if first, _, _ := strings.Cut(strings.TrimSpace(said), "\n"); first != "" {
		d.Status += ": " + first
	}
	return d
}

// lastWords is the standard error of a child: it passes on what drivers and
// layers print, and keeps what Go's runtime prints of a crash for
// causeOfDeath.
type lastWords struct {
	mu    sync.Mutex
	to    io.Writer
	line  []byte // the current line, not passed on yet
	crash []byte // of the crash report, once it began
	dying bool
	last  string // the last line that was passed on
}

// maxLastWords bounds what is kept of a crash report, in bytes.
const maxLastWords = 64 << 10

// crashStarts are how the lines begin that Go's runtime starts a crash report
// with.
var crashStarts = []string{"SIG", "fatal error: ", "panic: ", "unexpected fault address ", "runtime: ", "[signal "}

// Write implements io.Writer.
func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		whole := end > 0
		if !whole {
			end = len(rest)
		}
		w.line = append(w.line, rest[:end]...)
		rest = rest[end:]
		if whole || len(w.line) > maxLastWords {
			w.pass()
		}
	}
	return len(p), nil
}

// pass takes the current line to where it belongs.
func (w *lastWords) pass() {
	for _, s := range crashStarts {
		w.dying = w.dying || bytes.HasPrefix(w.line, []byte(s))
	}
	if w.dying {
		w.crash = append(w.crash, w.line[:min(len(w.line), maxLastWords-len(w.crash))]...)
	} else {
		// Where nobody reads it, it is lost, as it would be without us.
		_, _ = w.to.Write(w.line)
		w.last = string(w.line)
	}
	w.line = w.line[:0]
}

// said gives the crash report, or else the last line that was written.
func (w *lastWords) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.line) > 0 {
		w.pass()
	}
	if w.dying {
		return string(w.crash)
	}
	return w.last
}
