package main

import (
	"fmt"
	"io"
	"os"
)

// output is the standard output. It remembers that something could not be
// written, so that a report that nobody got is not taken for a clean one.
type output struct {
	io.Writer
	err error // the first
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// check tells of a failure, and gives the exit code after it.
func (o *output) check(stderr io.Writer, command string, code int) int {
	if o.err == nil {
		return code
	}
	fmt.Fprintf(stderr, "ampdbg %s: cannot write the output: %v\n", command, o.err)
	if code == exitClean {
		return exitInconclusive
	}
	return code
}

// fileOf is the file that w writes to, nil if it is none.
func fileOf(w io.Writer) *os.File {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	f, _ := w.(*os.File)
	return f
}
