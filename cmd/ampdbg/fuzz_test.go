package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"ampdbg/launch"
)

// Bounds of one input of a fuzz target.
const (
	fuzzSteps   = "50000"
	fuzzMemory  = "64MiB"
	fuzzTimeout = 20 * time.Second
)

// fuzzed runs a command line on an input from outside, and holds what comes
// out to what is promised of every command: an exit code, no bug, an end,
// text that a terminal only shows, and documents that parse. The same again
// gives the same.
func fuzzed(t *testing.T, args ...string) {
	t.Helper()
	name := args[0]
	args = append([]string{name, "--steps", fuzzSteps, "--memory", fuzzMemory}, args[1:]...)
	var first string
	for again := range 2 {
		var out, errs bytes.Buffer
		ctx, cancel := context.WithTimeout(context.Background(), fuzzTimeout)
		code := run(ctx, args, strings.NewReader(""), &out, &errs)
		late := ctx.Err() != nil
		cancel()
		if late {
			t.Fatalf("no end: ampdbg %q", args)
		}
		if code == exitBug || code < 0 {
			t.Fatalf("code %d: ampdbg %q\n%s", code, args, errs.String())
		}
		if code != exitClean && out.Len()+errs.Len() == 0 {
			t.Fatalf("code %d without a word: ampdbg %q", code, args)
		}
		for _, r := range out.String() + errs.String() {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("shows %q: ampdbg %q\n%q\n%q", r, args, out.String(), errs.String())
			}
		}
		wellFormed(t, args, out.Bytes())
		if got := out.String() + errs.String(); again > 0 && got != first {
			t.Fatalf("another result of the same: ampdbg %q\n%s\n%s", args, first, got)
		} else {
			first = got
		}
	}
}

// wellFormed parses a report in a machine's format.
func wellFormed(t *testing.T, args []string, out []byte) {
	t.Helper()
	for _, arg := range args {
		switch arg {
		case "--format=json", "--format=sarif":
			if !json.Valid(out) {
				t.Fatalf("no JSON: ampdbg %q\n%s", args, out)
			}
		case "--format=junit":
			for d := xml.NewDecoder(bytes.NewReader(out)); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("no XML: %v: ampdbg %q\n%s", err, args, out)
				}
			}
		}
	}
}

var fuzzFormats = []string{"--format=text", "--format=json", "--format=sarif", "--format=junit"}

// outside tells words that make a launch read files of this machine.
var outside = regexp.MustCompile(`(?i)file|/|\\`)

// FuzzBareFlags: whatever is said of a bare module's launch, it runs or is
// refused.
func FuzzBareFlags(f *testing.F) {
	f.Add("4", "0.0=uint32[16]:series 0 1", "", "", "main", "0.0", uint8(0))
	f.Add("1x2x3", "0.0=uniform vec4<float>:1,2,3,4", "int32:4;float:1,2", "1=uint32:3", "", "0.0[1]", uint8(1))
	f.Add("4294967295x4294967295x1", "0.0=uint8[4294967295]:fill 7", "uint64:-1", "99=bool:true", "x", "1.1", uint8(2))
	f.Add("0", "0.0=image R32_UINT 8x8:fill 1", "float16:1e9", "0=float:nan", "main", "0.0", uint8(3))
	f.Add("1", "0.0=sampler linear clamp_to_edge", "mat3x3<float>:1,0,0,0,1,0,0,0,1", "", "main", "", uint8(4))
	f.Add("1", "0.5=uint64:&0.0+16", "", "", "main", "", uint8(9))
	module := filepath.Join("..", "..", "testdata", "race", "race_inter_tile.spvasm")
	f.Fuzz(func(t *testing.T, grid, bind, push, spec, entry, dump string, how uint8) {
		if outside.MatchString(bind) || outside.MatchString(push) {
			t.Skip()
		}
		args := []string{[]string{"check", "run"}[how>>2&1], "--grid", grid, "--bind", bind, "--push", push, "--entry", entry, module}
		if spec != "" {
			args = append(args, "--spec", spec)
		}
		format := fuzzFormats[how&3]
		if args[0] == "run" && dump != "" {
			args, format = append(args, "--dump", dump), fuzzFormats[0]
		}
		fuzzed(t, append(args, format)...)
	})
}

// FuzzCheckScript: whole scripts with their dispatches, through the checkers
// to a report in each format.
func FuzzCheckScript(f *testing.F) {
	kernels, err := filepath.Glob("../../testdata/race/*.amber")
	if err != nil || len(kernels) == 0 {
		f.Fatal("no scripts:", err)
	}
	inline := regexp.MustCompile(`(?m)^(SHADER compute \S+ SPIRV-ASM.*) FILE (\S+)$`)
	for i, name := range kernels {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		script := inline.ReplaceAllStringFunc(string(text), func(s string) string {
			m := inline.FindStringSubmatch(s)
			module, err := os.ReadFile(filepath.Join(filepath.Dir(name), m[2]))
			if err != nil {
				f.Fatal(err)
			}
			return m[1] + "\n" + string(module) + "END"
		})
		f.Add(script, uint8(i))
	}
	f.Fuzz(func(t *testing.T, script string, how uint8) {
		// No files of this machine, no compilers.
		if regexp.MustCompile(`(?i)\bfile\b|GLSL|HLSL|OPENCL`).MatchString(regexp.MustCompile(`(?m)^\s*Op.*$|"[^"]*"`).ReplaceAllString(script, "")) {
			t.Skip()
		}
		file := filepath.Join(t.TempDir(), "s.amber")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := launch.Load(file, launch.LoadOptions{}); err != nil && how&0xf0 != 0 {
			return // most are refused: one in sixteen is seen to the end
		}
		fuzzed(t, "check", file, fuzzFormats[how&3])
	})
}
