package diag_test

import (
	"bytes"
	"fmt"
	"testing"

	"ampdbg/diag"
)

func caught(f func()) (b *diag.Bug) {
	defer func() { b = diag.Recovered(recover()) }()
	f()
	return nil
}

func breaks() { panic("no such lane") }

func TestRecovered(t *testing.T) {
	if b := caught(func() {}); b != nil {
		t.Errorf("nothing panicked: %v", b)
	}
	first := caught(breaks)
	if first.Cause != "no such lane" || !bytes.Contains(first.Stack, []byte("diag_test.breaks")) {
		t.Errorf("%v\n%s\nlacks where it happened", first.Cause, first.Stack)
	}
	// What brings a bug further up does not hide where it happened.
	again := caught(func() { panic(fmt.Errorf("worker 3: %w", first)) })
	if again != first {
		t.Errorf("got %v, expected the bug that was panicked with", again)
	}
	if b := diag.AsBug(fmt.Errorf("x: %w", first)); b != first {
		t.Errorf("got %v", b)
	}
	if b := diag.AsBug(&diag.Error{}); b != nil {
		t.Errorf("got %v", b)
	}
}
