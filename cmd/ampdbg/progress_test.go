package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	var out bytes.Buffer
	begin := time.Unix(1000, 0)
	p := &progressLine{w: &out, begin: begin}
	p.update(begin.Add(time.Second), 1, 100, 10)
	if out.Len() > 0 {
		t.Errorf("a run of one second shows %q", out.String())
	}
	p.update(begin.Add(3*time.Second), 50, 100, 2_500_000)
	p.update(begin.Add(3*time.Second+time.Millisecond), 51, 100, 2_600_000) // too soon
	p.update(begin.Add(4*time.Second), 9, 100, 2_000_000)
	p.clear()
	p.clear()
	want := "\r50 of 100 tiles, 2.5 million steps, 3 s" + "\r9 of 100 tiles, 2.0 million steps, 4 s "
	if got := out.String(); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want it to start with %q", got, want)
	}
	if rest := strings.TrimPrefix(out.String(), want); strings.Trim(rest, "\r ") != "" || strings.Count(rest, "\r") != 2 {
		t.Errorf("clearing writes %q", rest)
	}
}

func TestProgressIsForTerminals(t *testing.T) {
	var out bytes.Buffer
	p := newProgressLine(&out, time.Unix(0, 0))
	p.update(time.Unix(100, 0), 1, 2, 3)
	p.clear()
	if out.Len() > 0 {
		t.Errorf("wrote %q to something that is no terminal", out.String())
	}
}
