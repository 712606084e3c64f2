package amber

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ampdbg/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// dump writes a tree as one line per word, number or flag, leaving out what
// was not given.
func dump(b *strings.Builder, s *Script, name string, v reflect.Value, depth int) {
	indent := strings.Repeat("  ", depth)
	place := func(off int) string {
		p := s.Pos(off)
		return fmt.Sprintf("%d:%d", p.Line, p.Col)
	}
	switch x := v.Interface().(type) {
	case Word:
		if x.Given() {
			fmt.Fprintf(b, "%s%s %q %s\n", indent, name, x.Text, place(x.Off))
		}
		return
	case Number:
		if x.Given() {
			fmt.Fprintf(b, "%s%s %d %s\n", indent, name, x.Value, place(x.Off))
		}
		return
	case Tolerance:
		fmt.Fprintf(b, "%s%s %g %%=%v %s\n", indent, name, x.Value, x.Percent, place(x.Off))
		return
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			dump(b, s, name, v.Elem(), depth)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			dump(b, s, fmt.Sprintf("%s[%d]", name, i), v.Index(i), depth)
		}
	case reflect.Struct:
		title := strings.TrimSpace(name + " " + v.Type().Name())
		if st, ok := v.Interface().(Stmt); ok {
			title += " " + place(st.Offset())
		}
		fmt.Fprintf(b, "%s%s\n", indent, title)
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				dump(b, s, f.Name, v.Field(i), depth+1)
			}
		}
	case reflect.Bool:
		if v.Bool() {
			fmt.Fprintf(b, "%s%s\n", indent, name)
		}
	case reflect.String:
		if v.String() != "" {
			fmt.Fprintf(b, "%s%s %q\n", indent, name, v.String())
		}
	default:
		if !v.IsZero() {
			fmt.Fprintf(b, "%s%s %v\n", indent, name, v.Interface())
		}
	}
}

func TestScriptsParseToGoldenTrees(t *testing.T) {
	files, err := filepath.Glob("testdata/*.amber")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			s, errs := Parse(filepath.Base(f), src)
			var b strings.Builder
			for _, st := range s.Stmts {
				dump(&b, s, "", reflect.ValueOf(st), 0)
			}
			for _, e := range errs {
				fmt.Fprintln(&b, e)
			}
			golden := strings.TrimSuffix(f, ".amber") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("the tree differs from %s; run with -update and look at the difference\n%s", golden, &b)
			}
		})
	}
}

// expectation is "# ERROR column message" or "# UNSUPPORTED column message" at
// the end of the line that the error is in; several are separated by ";;".
var expectation = regexp.MustCompile(`# (ERROR|UNSUPPORTED) (\d+) (.*)$`)

func TestErrorsStandWhereTheScriptSays(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.amber")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i, line := range strings.Split(string(src), "\n") {
				m := expectation.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				for k, part := range strings.Split(m[0], ";;") {
					if k > 0 {
						part = "# " + strings.TrimSpace(part)
					}
					m := expectation.FindStringSubmatch(strings.TrimSpace(part))
					col, _ := strconv.Atoi(m[2])
					want = append(want, fmt.Sprintf("%s %d:%d: %s", m[1], i+1, col, m[3]))
				}
			}
			_, errs := Parse(f, src)
			var got []string
			for _, e := range errs {
				class := "ERROR"
				if e.Class == diag.Unsupported {
					class = "UNSUPPORTED"
				}
				got = append(got, fmt.Sprintf("%s %d:%d: %s", class, e.Pos.Line, e.Pos.Col, e.Msg))
			}
			if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}
