package diag_test

import (
	"testing"

	"ampdbg/diag"
)

func TestElement(t *testing.T) {
	e := diag.Element{Name: "cells"}
	e.Index(3)
	e.Member("value")
	e.Index(1, 2, -1)
	if got, want := e.String(), "cells[3].value[1,2,-1]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := e.Members, "[].value[]"; got != want {
		t.Errorf("members %q, want %q", got, want)
	}
}

// Findings are told apart by what a variable is, not by how its name prints.
func TestFingerprintOfNamesWithBrackets(t *testing.T) {
	print := func(name string, i int64) string {
		f := diag.Finding{Code: diag.OutOfBounds, Variable: diag.Element{Name: name}}
		f.Variable.Index(i)
		return f.Fingerprint()
	}
	if print("a[x]", 1) == print("a[y]", 1) {
		t.Error("two variables, one fingerprint")
	}
	if print("a[x]", 1) != print("a[x]", 2) {
		t.Error("two elements of one variable, two fingerprints")
	}
}
