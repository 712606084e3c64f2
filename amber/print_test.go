package amber

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree is a script's dump without places.
func tree(s *Script) string {
	var b strings.Builder
	for _, stmt := range s.Stmts {
		dump(&b, s, "", reflect.ValueOf(stmt), 0)
	}
	text := regexp.MustCompile(`(?m) \d+:\d+$`).ReplaceAllString(b.String(), "")
	text = regexp.MustCompile(`(?m)^ *TextOff \d+\n`).ReplaceAllString(text, "")
	return regexp.MustCompile(`(Tolerance\[\d+\] [^%]*) %=`).ReplaceAllString(text, "$1 %=")
}

// What Print writes, Parse reads back as the same script.
func TestScriptsArePrinted(t *testing.T) {
	var files []string
	for _, pattern := range []string{"testdata/*.amber", "../testdata/*/*.amber", "../*/testdata/*.amber", "../cmd/ampdbg/testdata/*.amber"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	printed := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, errs := Parse(file, src)
		if len(errs) > 0 {
			continue
		}
		again, errs := Parse(file, []byte(Print(s)))
		if len(errs) > 0 {
			t.Errorf("%s: %v\n%s", file, errs[0], Print(s))
			continue
		}
		if diff := cmp.Diff(tree(s), tree(again)); diff != "" {
			t.Errorf("%s reads back as another script:\n%s", file, diff)
		}
		printed++
	}
	if printed < 200 {
		t.Errorf("only %d scripts were printed", printed)
	}
}

func TestAddressesOfBuffers(t *testing.T) {
	s, errs := Parse("x", []byte("#!amber\nBUFFER a DATA_TYPE uint32 SIZE 8 ADDRESS 8 &b+16 ADDRESS 0 &b FILE BINARY a.bin\n"))
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	b := s.Stmts[0].(*Buffer)
	if len(b.Addresses) != 2 || b.Addresses[0].At.Value != 8 || b.Addresses[0].To.Text != "&b+16" || b.Init == nil {
		t.Errorf("found %+v", b)
	}
	if _, errs := Parse("x", []byte("#!amber\nBUFFER a DATA_TYPE uint32 SIZE 8 ADDRESS 8 b\n")); len(errs) != 1 {
		t.Errorf("an address without & passes: %v", errs)
	}
}
