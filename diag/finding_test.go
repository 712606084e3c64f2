package diag

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFingerprintIgnoresWhatVaries(t *testing.T) {
	base := sampleReports()[0].Findings
	for i := range base {
		f := base[i]
		want := f.Fingerprint()
		if len(want) != 16 {
			t.Errorf("fingerprint %q has not 16 digits", want)
		}
		g := f
		g.Count, g.Message, g.Severity = 7, "other words", SeverityNote
		g.Variable.Path = strings.Replace(f.Variable.Path, "[3", "[4", 1)
		g.Pos = inFolder(f.Pos)
		g.Accesses = nil
		for _, a := range f.Accesses {
			a.Thread, a.Old, a.New, a.Pos = Thread{Local: 9}, "1", "2", inFolder(a.Pos)
			g.Accesses = append([]Access{a}, g.Accesses...)
		}
		if got := g.Fingerprint(); got != want {
			t.Errorf("%s: fingerprint changed from %s to %s", f.Rule(), want, got)
		}
		g.Class += "x"
		if g.Fingerprint() == want {
			t.Errorf("%s: fingerprint does not see the class", f.Rule())
		}
	}
}

// element is an element of an array.
func element(name string, i int64) Element {
	e := Element{Name: name}
	e.Index(i)
	return e
}

func inFolder(p Pos) Pos {
	if p.File != "" {
		p.File = "some/folder/" + p.File
	}
	p.Col += 3
	return p
}

func TestFoldMakesOneFindingPerBug(t *testing.T) {
	var all []Finding
	for line := 1; line <= 3; line++ {
		for thread := uint32(0); thread < 10; thread++ {
			all = append(all, Finding{
				Code: Race, Class: RaceInterTile, Severity: SeverityWarning, Message: "m", Variable: element("sums", int64(thread)),
				Accesses: []Access{
					{Kind: "write", Pos: Pos{File: "k.comp", Line: line}, Thread: threadAt(0, thread)},
					{Kind: "read", Pos: Pos{File: "k.comp", Line: 9}, Thread: threadAt(1, thread)},
				},
			})
		}
	}
	all[3].Severity = SeverityError
	all = append(all, Finding{Code: Livelock, Severity: SeverityOff})
	want := Fold(all)
	if len(want) != 3 {
		t.Fatalf("%d findings, want 3", len(want))
	}
	if want[0].Severity != SeverityError || want[1].Severity != SeverityWarning {
		t.Errorf("severities %v, %v: want error, warning", want[0].Severity, want[1].Severity)
	}
	for _, f := range want {
		if f.Count != 10 || f.Accesses[0].Thread.Local != 0 || f.Variable.String() != "sums[0]" {
			t.Errorf("count %d, thread %d, variable %s: want 10, 0, sums[0]", f.Count, f.Accesses[0].Thread.Local, f.Variable)
		}
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if diff := cmp.Diff(want, Fold(all)); diff != "" {
			t.Fatalf("the order of findings matters:\n%s", diff)
		}
	}
	if diff := cmp.Diff(want, Fold(want)); diff != "" {
		t.Errorf("folding twice differs:\n%s", diff)
	}
}

func TestThreadOrder(t *testing.T) {
	a := Thread{Tile: [3]uint32{9, 0, 0}}
	b := Thread{Tile: [3]uint32{0, 1, 0}}
	if a.Compare(b) >= 0 || b.Compare(a) <= 0 || a.Compare(a) != 0 {
		t.Error("tiles are ordered by z, y, x")
	}
}

func TestCoverageLine(t *testing.T) {
	for _, c := range []struct {
		c    Coverage
		want string
	}{
		{Coverage{}, "0 accesses checked, 0 not checked"},
		{Coverage{Checked: 1}, "1 access checked, 0 not checked"},
		{Coverage{Checked: 1000, Unchecked: []Unchecked{{999, "a"}, {1, "b"}}}, "1,000 accesses checked, 1,000 not checked (999 a, 1 b)"},
	} {
		if got := c.c.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestParseSeverity(t *testing.T) {
	for s := SeverityError; s <= SeverityOff; s++ {
		if got, err := ParseSeverity(s.String()); err != nil || got != s {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
	if s, err := ParseSeverity("warn"); err != nil || s != SeverityWarning {
		t.Errorf("warn: %v, %v", s, err)
	}
	if _, err := ParseSeverity("loud"); err == nil {
		t.Error("loud is no severity")
	}
}

// kinds are the codes and classes that finding.go declares.
func kinds(t *testing.T) (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "finding.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			for _, spec := range g.Specs {
				for _, v := range spec.(*ast.ValueSpec).Values {
					name, err := strconv.Unquote(v.(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					names = append(names, name)
				}
			}
		}
	}
	if len(names) < 50 {
		t.Fatalf("finding.go declares %d kinds", len(names))
	}
	return names
}

func TestEveryFindingIsExplained(t *testing.T) {
	seen := map[string]bool{}
	families := map[Code]bool{}
	for _, e := range Explanations() {
		if seen[e.Rule()] || e.Class != "" && seen[e.Class] {
			t.Errorf("%s: the name stands twice", e.Rule())
		}
		seen[e.Rule()] = true
		if e.Class != "" {
			seen[e.Class] = true
			if !families[e.Code] {
				t.Errorf("%s: stands before its family", e.Rule())
			}
		}
		families[e.Code] = true
		if e.Title == "" || e.Meaning == "" || e.Example == "" || e.Cure == "" || strings.HasSuffix(e.Title, ".") {
			t.Errorf("%s: incomplete", e.Rule())
		}
		for _, name := range []string{e.Rule(), e.Class} {
			if got, err := Explain(name); name != "" && (err != nil || got.Rule() != e.Rule()) {
				t.Errorf("Explain(%q): %v, %v", name, got, err)
			}
		}
		if got := DefaultSeverity(e.Code, e.Class); got != e.Severity {
			t.Errorf("%s: default severity %v, table says %v", e.Rule(), got, e.Severity)
		}
	}
	for _, name := range kinds(t) {
		if _, err := Explain(name); err != nil {
			t.Errorf("%s is not explained", name)
		}
	}
	for _, name := range []string{"", "nonsense", "race/"} {
		if _, err := Explain(name); err == nil {
			t.Errorf("Explain(%q) found something", name)
		}
	}
}

func TestFindingsMarkdownIsFresh(t *testing.T) {
	const file = "../docs/findings.md"
	if *update {
		if err := os.WriteFile(file, []byte(findingsMarkdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(findingsMarkdown(), string(got)); diff != "" {
		t.Errorf("%s is stale; -update rewrites it:\n%s", file, diff)
	}
}
