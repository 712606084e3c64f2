package diag

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files and docs/findings.md")

const reduceSource = `#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint sums[64];
void main() {
	uint i = gl_LocalInvocationID.x;
	sums[i] = data[gl_GlobalInvocationID.x];
	for (uint s = 32; s > 0; s >>= 1) {
		if (i < s) sums[i] += sums[i + s];
	}
	if (i == 0) data[gl_WorkGroupID.x] = sums[0];
}
`

func sources(file string) (string, bool) {
	switch file {
	case "reduce.comp":
		return reduceSource, true
	case "long.comp":
		return strings.Repeat("x + ", 60) + "y;\n", true
	}
	return "", false
}

func threadAt(tile, local uint32) Thread {
	return Thread{Global: [3]uint32{tile*64 + local}, Tile: [3]uint32{tile}, Local: local, Warp: local / 4, Lane: local % 4}
}

// sampleReports covers every part of a report.
func sampleReports() []*Report {
	race := Finding{
		Code: Race, Class: RaceIntraTile, Message: "data race on sums[32]: read after write (RAW), in one tile, with no barrier between",
		Variable: element("sums", 32), Space: "tile_static", Kernel: "main", Count: 2048,
		Accesses: []Access{
			{Kind: "write", Thread: threadAt(0, 32), Pos: Pos{File: "reduce.comp", Line: 7, Col: 2, EndLine: 7, EndCol: 9}, ID: 41, Old: "0", New: "33"},
			{Kind: "read", Thread: threadAt(0, 0), Pos: Pos{File: "reduce.comp", Line: 9, Col: 25}, ID: 57, Old: "33",
				Stack: []Frame{{Func: "step", Pos: Pos{File: "reduce.comp", Line: 9, Col: 25}}, {Func: "main", Pos: Pos{File: "reduce.comp", Line: 11, Col: 2}}}},
		},
		Notes: []Note{
			{Msg: "another schedule leaves 17 in data[0]"},
			{Msg: "the tile has no barrier after this line", Pos: Pos{File: "reduce.comp", Line: 8}},
		},
	}
	barrier := Finding{
		Code: DivergentBarrier, Class: BarrierExited, Message: "barrier that not all threads of tile (0,0,0) reach: 60 of 64 returned",
		Kernel: "main", Pos: Pos{File: "missing.comp", Line: 4},
		Parties: []Party{
			{Who: "lanes 0-3 of warp 0", What: "wait at this barrier", Count: 4, First: threadAt(0, 0), Pos: Pos{File: "missing.comp", Line: 4}, ID: 12},
			{Who: "warps 1-15", What: "returned", Count: 60, First: threadAt(0, 4), ID: 9},
		},
	}
	bounds := Finding{
		Code: OutOfBounds, Message: "store of 4 bytes at byte 256 of data, which has 256 bytes",
		Variable: element("data", 64), Space: "storage buffer", Pos: Pos{File: "reduce.comp", Line: 11, Col: 14},
		Accesses: []Access{{Kind: "write", Thread: threadAt(64, 0), ID: 70, Pos: Pos{File: "reduce.comp", Line: 11, Col: 14}, New: "5"}},
		Stack: []Frame{
			{Func: "store", Pos: Pos{File: "reduce.comp", Line: 11, Col: 14}},
			{Func: "main", Pos: Pos{File: "reduce.comp", Line: 12, Col: 1}},
		},
	}
	half := Finding{Code: Race, Class: RaceHalfFenced, Severity: SeverityWarning, Message: "no fence after the barrier", Variable: element("data", 3), Pos: Pos{File: "long.comp", Line: 1, Col: 200, EndLine: 2}}
	remark := Finding{Code: UndefinedValue, Class: UndefShiftRange, Severity: SeverityNote, Message: "shift of 32 bits by 32"}
	return []*Report{
		{
			Name:     "reduce.amber",
			Findings: Fold([]Finding{remark, race, half, bounds, barrier}),
			Coverage: &Coverage{Checked: 1234567, Unchecked: []Unchecked{{8, "sampled images"}, {4, "after the end of the budget"}}},
		},
		{
			Name: "broken.amber",
			Errors: []*Error{
				{Class: BadInput, Pos: Pos{File: "broken.amber", Line: 3, Col: 1}, Msg: `expected a command, found "FROB"`},
				{Class: Unsupported, Msg: "glslangValidator", Err: errors.New("exit status 2\nERROR: 0:3: '' : syntax error")},
			},
		},
		{Name: "clean.amber", Coverage: &Coverage{Checked: 1}},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); -update rewrites it:\n%s", file, diff)
	}
}

func render(t *testing.T, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTextGolden(t *testing.T) {
	plain := render(t, func(b *bytes.Buffer) error {
		return WriteText(b, sampleReports(), TextOptions{Sources: sources})
	})
	golden(t, "report.txt", plain)
	for line := range strings.Lines(string(plain)) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
		if strings.TrimRight(line, " \n") != strings.TrimSuffix(line, "\n") {
			t.Errorf("white space at the end of %q", line)
		}
	}
	if bytes.ContainsRune(plain, '\x1b') {
		t.Error("colour that no one asked for")
	}
}

func TestColorOnlyAddsEscapes(t *testing.T) {
	opt := TextOptions{Sources: sources}
	plain := render(t, func(b *bytes.Buffer) error { return WriteText(b, sampleReports(), opt) })
	opt.Color = true
	colored := render(t, func(b *bytes.Buffer) error { return WriteText(b, sampleReports(), opt) })
	golden(t, "report.ansi", colored)
	var stripped strings.Builder
	for rest := string(colored); rest != ""; {
		before, after, found := strings.Cut(rest, "\x1b[")
		stripped.WriteString(before)
		if !found {
			break
		}
		_, rest, _ = strings.Cut(after, "m")
	}
	if diff := cmp.Diff(string(plain), stripped.String()); diff != "" {
		t.Errorf("text without its colours differs (-plain +stripped):\n%s", diff)
	}
}

func TestJSONGolden(t *testing.T) {
	got := render(t, func(b *bytes.Buffer) error { return WriteJSON(b, sampleReports()) })
	golden(t, "report.json", got)
	if !json.Valid(got) {
		t.Error("not JSON")
	}
}

func TestJUnitGolden(t *testing.T) {
	got := render(t, func(b *bytes.Buffer) error { return WriteJUnit(b, sampleReports()) })
	golden(t, "report.junit.xml", got)
	var doc junitSuites
	if err := xml.Unmarshal(got, &doc); err != nil {
		t.Fatal(err)
	}
	for _, s := range doc.Suites {
		var failures, errs, skipped int
		for _, c := range s.Cases {
			switch {
			case c.Failure != nil:
				failures++
			case c.Error != nil:
				errs++
			case c.Skipped != nil:
				skipped++
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failures || s.Errors != errs || s.Skipped != skipped {
			t.Errorf("suite %s: attributes say %d tests, %d failures, %d errors, %d skipped; cases say %d, %d, %d, %d",
				s.Name, s.Tests, s.Failures, s.Errors, s.Skipped, len(s.Cases), failures, errs, skipped)
		}
	}
}

func TestSARIFGolden(t *testing.T) {
	got := render(t, func(b *bytes.Buffer) error { return WriteSARIF(b, sampleReports(), "test") })
	golden(t, "report.sarif", got)
	for _, problem := range checkSARIF(got) {
		t.Error(problem)
	}
}

func TestEmptyReportsAreWhole(t *testing.T) {
	var b bytes.Buffer
	if err := WriteText(&b, nil, TextOptions{}); err != nil || b.Len() != 0 {
		t.Errorf("text of no reports: %q, %v", b.String(), err)
	}
	for _, r := range [][]*Report{nil, {{Name: "x"}}} {
		for _, problem := range checkSARIF(render(t, func(b *bytes.Buffer) error { return WriteSARIF(b, r, "") })) {
			t.Error(problem)
		}
		if got := render(t, func(b *bytes.Buffer) error { return WriteJSON(b, r) }); bytes.Contains(got, []byte("null")) {
			t.Errorf("null in %s", got)
		}
	}
}
