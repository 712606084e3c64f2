package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"ampdbg/diag"
)

// fileOf is the file that what is written to w ends up in, nil if there is
// none: w itself, or what it writes to.
func fileOf(w io.Writer) *os.File {
	if d, ok := w.(*diag.Writer); ok {
		w = d.Unwrap()
	}
	f, _ := w.(*os.File)
	return f
}

// isTerminal reports whether w shows what is written to a person at once.
func isTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// useColor reports whether text for w may be coloured: on a terminal that can,
// unless NO_COLOR is set to anything (no-color.org).
func useColor(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
