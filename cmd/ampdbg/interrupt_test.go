package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestInterruptEndsARun(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	time.AfterFunc(50*time.Millisecond, cancel)
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"run", "../../testdata/spin/spin_endless.amber"}, strings.NewReader(""), &stdout, &stderr)
	if code != exitInconclusive {
		t.Errorf("exit code %d, want %d", code, exitInconclusive)
	}
	if want := "endless.comp:7: error: interrupted: 0 of 1 tiles"; !strings.HasPrefix(stderr.String(), want) {
		t.Errorf("stderr %q, want %q...", stderr.String(), want)
	}
	if want := "../../testdata/spin/spin_endless.amber: 0 dispatches run, then ended by an error\n"; stdout.String() != want {
		t.Errorf("stdout %q, want %q", stdout.String(), want)
	}
}

// TestInterruptEndsAScriptOfTheDebugger: the command that runs is halted, and no
// other begins.
func TestInterruptEndsAScriptOfTheDebugger(t *testing.T) {
	script := filepath.Join(t.TempDir(), "session.txt")
	if err := os.WriteFile(script, []byte("continue\nprint 6 * 7\ncontinue\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-x", script}, nil} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		time.AfterFunc(200*time.Millisecond, cancel)
		var stdout, stderr bytes.Buffer
		args = append([]string{"debug", "../../testdata/spin/spin_endless.amber"}, args...)
		code := run(ctx, args, strings.NewReader("continue\nprint 6 * 7\ncontinue\n"), &stdout, &stderr)
		if code != exitInconclusive || !strings.Contains(stderr.String(), ":1: interrupted: dispatch 1 had taken ") {
			t.Errorf("exit code %d, stderr %q; expected %d", code, stderr.String(), exitInconclusive)
		}
		if out := stdout.String(); !strings.Contains(out, "halted: ") || strings.Contains(out, "6 * 7") {
			t.Errorf("stdout:\n%s", out)
		}
	}
}

// TestInterruptEndsAWaitForInput: nobody writes to the standard input, nor
// closes it.
func TestInterruptEndsAWaitForInput(t *testing.T) {
	for _, args := range [][]string{
		{"debug", "../../testdata/spin/spin_endless.amber"},
		{"debug", "../../testdata/spin/spin_endless.amber", "-x", "-"},
		{"disasm", "-"},
	} {
		stdin, w := io.Pipe()
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(200*time.Millisecond, func() { cancel(ended("interrupted")) })
		var stdout, stderr bytes.Buffer
		code := make(chan int, 1)
		go func() { code <- run(ctx, args, stdin, &stdout, &stderr) }()
		select {
		case code := <-code:
			if code != exitInconclusive || !strings.Contains(stderr.String(), "interrupted") {
				t.Errorf("%s: exit code %d, stderr %q; expected %d", args, code, stderr.String(), exitInconclusive)
			}
		case <-time.After(30 * time.Second):
			t.Errorf("%s: still waits for input", args)
		}
		w.Close()
	}
}

func TestLongLineOfInput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"debug", "../../testdata/spin/spin_endless.amber"}, strings.NewReader("info line\n"+strings.Repeat("x", 2<<20)), &stdout, &stderr)
	if want := "ampdbg debug: stdin:2: the line has more than 1 MiB\n"; code != exitBadInput || stderr.String() != want {
		t.Errorf("exit code %d, stderr %q; expected %d, %q", code, stderr.String(), exitBadInput, want)
	}
}
