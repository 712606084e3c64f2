package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostileText clears the screen, rings, reorders and begins a line of its own.
const hostileText = "x\x1b[2J\x1b]0;title\a\u009b31m\u202e\x9b\nno findings\n"

// TestTextOfModulesDoesNotReachTheTerminal: names, file names and Printf texts
// of a module, names of files and of the command line are shown with escapes,
// by every command, in every format.
func TestTextOfModulesDoesNotReachTheTerminal(t *testing.T) {
	text, err := os.ReadFile("../../testdata/race/race_inter_tile.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	evil := func(name string) string { return name + hostileText }
	module := strings.NewReplacer(
		`"race_inter_tile.comp"`, `"`+evil("file.comp")+`"`,
		`OpMemberName %Result 0 "result"`, `OpMemberName %Result 0 "`+evil("result")+`"`,
		`OpName %Result "Result"`, `OpName %Result "`+evil("Result")+`"`,
		`OpName %_ ""`, `OpName %_ "`+evil("var")+`"`,
		`OpName %main "main"`, `OpName %main "`+evil("main")+`"`,
		`%2 = OpExtInstImport "GLSL.std.450"`, `%2 = OpExtInstImport "NonSemantic.DebugPrintf"`+"\n%99 = OpString \""+evil("printed")+"\"",
		`OpMemoryModel`, `OpMemoryModel`,
		`%19 = OpAccessChain`, "%98 = OpExtInst %void %2 1 %99\n%19 = OpAccessChain",
		`OpCapability Shader`, "OpCapability Shader\nOpExtension \"SPV_KHR_non_semantic_info\"",
	).Replace(string(text))
	folder := t.TempDir()
	file := filepath.Join(folder, "hostile.spvasm")
	bad := filepath.Join(folder, "bad\x1b[2J\n.spvasm")
	for name, content := range map[string]string{file: module, bad: "%a = OpBogus" + hostileText} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	session := "break main\nrun\nbt\nlocals\ninfo locals\nprint result\nprint var\nlist\nthreads\nlanes\ntile\nstep\ncontinue\nfindings\ninfo findings\n" +
		"print " + hostileText + "\n"
	launch := []string{"--grid", "2", "--bind", "0.0=uint32[4]:1"}
	var tests [][]string
	for _, format := range []string{"text", "json", "sarif", "junit"} {
		for _, name := range []string{file, bad, filepath.Join(folder, "absent"+hostileText)} {
			tests = append(tests, append([]string{"run", "--format", format, name}, launch...), append([]string{"check", "--format", format, name}, launch...))
		}
		tests = append(tests, []string{"check", "--format", format, "--severity", hostileText, file})
	}
	tests = append(tests, append([]string{"debug", file}, launch...), append([]string{"debug", "--asm", file}, launch...),
		[]string{"disasm", bad}, []string{"explain", hostileText}, []string{hostileText}, []string{"run", "--" + hostileText})
	for _, args := range tests {
		// Each command of a session on its own: a script ends at the first that fails.
		inputs := []string{""}
		if args[0] == "debug" {
			inputs = nil
			for line := range strings.Lines(session) {
				inputs = append(inputs, "break main\nrun\n"+line)
			}
		}
		for _, in := range inputs {
			var out, errs bytes.Buffer
			code := run(context.Background(), args, strings.NewReader(in), &out, &errs)
			where := fmt.Sprintf("ampdbg %q, input %q: code %d", args, in, code)
			if code == exitBug {
				t.Errorf("%s\n%s", where, errs.String())
			}
			for _, r := range out.String() + errs.String() {
				if r != '\n' && r != '\t' && (unicode.IsControl(r) || r == '\u202e') {
					t.Errorf("%s: shows %q:\n%q\n%q", where, r, out.String(), errs.String())
					break
				}
			}
			for line := range strings.Lines(out.String() + errs.String()) {
				if strings.HasPrefix(line, "no findings") {
					t.Errorf("%s: a line from outside:\n%s%s", where, out.String(), errs.String())
					break
				}
			}
		}
	}
	// A file gets a module's text as it is: it can be assembled again.
	var out bytes.Buffer
	if run(context.Background(), []string{"disasm", file}, nil, &out, &out) != exitClean || !strings.Contains(out.String(), evil("result")) {
		t.Errorf("disasm gives:\n%q", out.String())
	}
}
