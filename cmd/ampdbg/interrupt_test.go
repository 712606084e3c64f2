package main

import (
	"bytes"
	"context"
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
