package main

import (
	"context"
	"errors"

	"ampdbg/diag"
)

// The exit codes.
const (
	exitClean        = 0  // nothing to report
	exitFindings     = 1  // findings, a failed expectation, or a difference
	exitBadInput     = 2  // unusable input or flags
	exitInconclusive = 3  // something unsupported, a budget that ran out, accesses left unchecked
	exitBug          = 70 // a bug of this program
)

// exitCodes describes the exit codes for the help texts.
var exitCodes = []struct {
	code int
	what string
}{
	{exitClean, "clean"},
	{exitFindings, "findings, a failed EXPECT, or a difference"},
	{exitBadInput, "unusable input or flags"},
	{exitInconclusive, "inconclusive: a feature that is not supported, a budget that ran out, accesses left unchecked, or nothing that ran to its end"},
	{exitBug, "a bug in ampdbg"},
}

// errorCode is the exit code for an error that is not part of a report.
func errorCode(err error) int {
	var e *diag.Error
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &e) && e.Class != diag.BadInput,
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return exitInconclusive
	}
	return exitBadInput
}

// panicAtBug panics if an error is a bug of this program, which is no part of a
// report: run tells of it, with the stack of where it happened.
func panicAtBug(err error) {
	if b := diag.AsBug(err); b != nil {
		panic(b)
	}
}

// reportCode is the exit code for reports: findings count before errors, and
// errors before gaps in the coverage. Notes do not count.
func reportCode(reports []*diag.Report) int {
	code := exitClean
	for _, r := range reports {
		for i := range r.Findings {
			if r.Findings[i].Severity < diag.SeverityNote {
				return exitFindings
			}
		}
		for _, e := range r.Errors {
			if c := errorCode(e); code == exitClean || c < code {
				code = c
			}
		}
		if code == exitClean && r.Coverage != nil && !r.Coverage.Complete() {
			code = exitInconclusive
		}
	}
	return code
}
