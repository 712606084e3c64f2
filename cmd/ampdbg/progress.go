package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progressDelay is how long a run takes before it says how far it is.
const progressDelay = 2 * time.Second

// progressLine shows how far a run is, on one line of a terminal that is
// written over and over. It shows nothing on anything else, nor for runs
// shorter than progressDelay. Its methods may be called from any goroutine.
type progressLine struct {
	w      io.Writer // nil: show nothing
	begin  time.Time
	mu     sync.Mutex
	last   time.Time
	length int
}

func newProgressLine(w io.Writer, now time.Time) *progressLine {
	p := &progressLine{begin: now}
	if isTerminal(w) {
		p.w = fileOf(w) // the text is ours, with carriage returns
	}
	return p
}

// update tells of done out of total tiles, and how many instructions of
// threads were executed.
func (p *progressLine) update(now time.Time, done, total, steps uint64) {
	if p.w == nil || now.Sub(p.begin) < progressDelay {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.last) < 200*time.Millisecond {
		return
	}
	p.last = now
	line := fmt.Sprintf("%d of %d tiles, %.1f million steps, %.0f s", done, total, float64(steps)/1e6, now.Sub(p.begin).Seconds())
	pad := max(p.length-len(line), 0)
	fmt.Fprintf(p.w, "\r%s%*s", line, pad, "")
	p.length = len(line)
}

// clear takes the line away again.
func (p *progressLine) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.length > 0 {
		fmt.Fprintf(p.w, "\r%*s\r", p.length, "")
		p.length = 0
	}
}
