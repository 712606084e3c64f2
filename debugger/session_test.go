package debugger

import (
	"path/filepath"
	"testing"

	"ampdbg/launch"
)

// open makes a session of a script in testdata.
func open(t testing.TB, name string, opt Options) *Session {
	t.Helper()
	l, err := launch.Load(filepath.Join("..", "testdata", name), launch.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(l, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// must gives a stop, failing the test on an error.
func must(t testing.TB) func(st *Stop, err error) *Stop {
	return func(st *Stop, err error) *Stop {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
}

func evalText(t testing.TB, s *Session, text string) string {
	t.Helper()
	e, err := ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Eval(e, 0)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.Text
}
