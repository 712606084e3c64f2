package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ampdbg/diag"
)

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestPanicIsReportedAsABug(t *testing.T) {
	var stderr bytes.Buffer
	broken := writerFunc(func([]byte) (int, error) { panic("index out of range") })
	code := run(context.Background(), []string{"help"}, strings.NewReader(""), broken, &stderr)
	if code != exitBug {
		t.Errorf("exit code %d, want %d", code, exitBug)
	}
	for _, want := range []string{"this is a bug in ampdbg: index out of range", "goroutine", "command_test.go"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr lacks %q:\n%s", want, stderr.String())
		}
	}
}

// TestBugOfAnotherGoroutineKeepsItsStack: the stack to look at is the one where
// it happened, not the one that reports it.
func TestBugOfAnotherGoroutineKeepsItsStack(t *testing.T) {
	var stderr bytes.Buffer
	broken := writerFunc(func([]byte) (int, error) {
		panicAtBug(fmt.Errorf("x: %w", &diag.Bug{Cause: "no such lane", Stack: []byte("goroutine 7 of a worker")}))
		return 0, nil
	})
	code := run(context.Background(), []string{"help"}, strings.NewReader(""), broken, &stderr)
	if want := "this is a bug in ampdbg: no such lane\n\ngoroutine 7 of a worker"; code != exitBug || !strings.HasPrefix(stderr.String(), want) {
		t.Errorf("exit code %d, stderr %q, want %q", code, stderr.String(), want)
	}
}

func TestErrorCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, exitClean},
		{&diag.Error{Class: diag.BadInput}, exitBadInput},
		{fmt.Errorf("x: %w", &diag.Error{Class: diag.Unsupported}), exitInconclusive},
		{&diag.Error{Class: diag.Budget}, exitInconclusive},
		{errors.Join(&diag.Error{Class: diag.BadInput}), exitBadInput},
		{context.Canceled, exitInconclusive},
		{usagef("x"), exitBadInput},
		{errors.New("disk full"), exitBadInput},
	} {
		if got := errorCode(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}

func TestReportCodes(t *testing.T) {
	finding := func(s diag.Severity) []diag.Finding { return []diag.Finding{{Code: diag.Race, Severity: s}} }
	failure := func(c diag.ErrorClass) []*diag.Error { return []*diag.Error{{Class: c}} }
	gap := &diag.Coverage{Unchecked: []diag.Unchecked{{Count: 1, Why: "x"}}}
	for name, c := range map[string]struct {
		report diag.Report
		want   int
	}{
		"clean":                   {diag.Report{Coverage: &diag.Coverage{Checked: 1}}, exitClean},
		"error":                   {diag.Report{Findings: finding(diag.SeverityError)}, exitFindings},
		"warning":                 {diag.Report{Findings: finding(diag.SeverityWarning)}, exitFindings},
		"note":                    {diag.Report{Findings: finding(diag.SeverityNote)}, exitClean},
		"bad input":               {diag.Report{Errors: failure(diag.BadInput)}, exitBadInput},
		"unsupported":             {diag.Report{Errors: failure(diag.Unsupported)}, exitInconclusive},
		"gap":                     {diag.Report{Coverage: gap}, exitInconclusive},
		"finding and gap":         {diag.Report{Findings: finding(diag.SeverityError), Coverage: gap}, exitFindings},
		"finding and unsupported": {diag.Report{Findings: finding(diag.SeverityError), Errors: failure(diag.Unsupported)}, exitFindings},
		"bad input and gap":       {diag.Report{Errors: failure(diag.BadInput), Coverage: gap}, exitBadInput},
	} {
		if got := reportCode([]*diag.Report{{}, &c.report}); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestFlagsMayFollowOperands(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
		n    int
	}{
		{"-n 3 a b", []string{"a", "b"}, 3},
		{"a -n 3 b", []string{"a", "b"}, 3},
		{"a b --n=3", []string{"a", "b"}, 3},
		{"a -- -n 3", []string{"a", "-n", "3"}, 0},
		{"-- -n", []string{"-n"}, 0},
		{"- -n 3", []string{"-"}, 3},
	} {
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		n := fs.Int("n", 0, "")
		got, err := parseInterleaved(fs, strings.Fields(c.args))
		if err != nil || !slices.Equal(got, c.want) || *n != c.n {
			t.Errorf("%q: %q, n = %d, %v; want %q, n = %d", c.args, got, *n, err, c.want, c.n)
		}
	}
}

func TestHelpTextsAreWhole(t *testing.T) {
	for _, text := range append([]string{usage()}, helps()...) {
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("a line of %d columns: %s", n, line)
			}
		}
	}
	for _, c := range commands() {
		if c.short == "" || c.long == "" {
			t.Errorf("%s lacks a text", c.name)
		}
		for _, f := range c.flagHelp() {
			if f.usage == "" {
				t.Errorf("%s: flag %s lacks a text", c.name, f.syntax)
			}
		}
	}
}

func helps() []string {
	var out []string
	for _, c := range commands() {
		out = append(out, c.help())
	}
	return out
}
