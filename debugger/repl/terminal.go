package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-delve/liner"
)

// Terminal reads commands from the terminal that stdin is, until quit or the
// end of the input. interrupt makes the context of a command of ctx: one that
// Ctrl-C ends, until its function is called. Commands are kept in the file
// history, unless it is empty.
func (r *Repl) Terminal(ctx context.Context, history string, interrupt func(context.Context) (context.Context, context.CancelFunc)) error {
	line := liner.NewLiner()
	defer line.Close()
	line.SetCtrlCAborts(true)
	line.SetTabCompletionStyle(liner.TabPrints)
	line.SetWordCompleter(r.complete)
	if history != "" {
		if f, err := os.Open(history); err == nil {
			line.ReadHistory(f)
			f.Close()
		}
		defer saveHistory(line, history)
	}
	for !r.quit {
		text, err := line.Prompt(prompt)
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(r.out)
			r.out.Flush()
			return nil
		case err != nil:
			return err
		}
		if text == "" {
			text = r.lastLine
		} else {
			line.AppendHistory(text)
		}
		if text == "" {
			continue
		}
		command, done := interrupt(ctx)
		err = r.Do(command, text)
		done()
		if err != nil {
			fmt.Fprintf(r.out, "error: %v\n", err)
			r.out.Flush()
		}
	}
	return nil
}

func saveHistory(line *liner.State, name string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return
	}
	line.WriteHistory(f)
	f.Close()
}
