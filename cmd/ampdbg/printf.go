package main

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"sync"

	"ampdbg/diag"
)

// printfLines writes the output of DebugPrintf, a line for each; further lines
// of one are set in, so that none that begins at the margin is a kernel's. What is not
// shown to a person at once is written in large pieces, and whenever progress
// is told of. Its methods may be called from any goroutine.
type printfLines struct {
	mu       sync.Mutex
	w        *bufio.Writer
	progress *progressLine
	atOnce   bool
	line     []byte
}

func newPrintfLines(w io.Writer, p *progressLine) *printfLines {
	return &printfLines{w: bufio.NewWriterSize(w, 1<<16), progress: p, atOnce: isTerminal(w)}
}

func (l *printfLines) print(t diag.Thread, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := append(l.line[:0], "thread "...)
	b = strconv.AppendUint(b, uint64(t.Local), 10)
	b = append(b, " of tile "...)
	for i, sep := range []string{"(", ",", ","} {
		b = strconv.AppendUint(append(b, sep...), uint64(t.Tile[i]), 10)
	}
	b = append(append(append(b, "): "...), setIn(strings.TrimSuffix(text, "\n"))...), '\n')
	l.line = b
	l.w.Write(b)
	if l.atOnce {
		l.progress.clear()
		l.w.Flush()
	}
}

func (l *printfLines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w.Buffered() > 0 {
		l.progress.clear()
		l.w.Flush()
	}
}
