package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/spirv"
)

var disasmCommand = command{
	name:  "disasm",
	args:  "FILE",
	short: "SPIR-V text, with source lines between",
	long: `Writes the module in FILE as SPIR-V assembly, with a comment where the
source line changes. The text can be assembled again.

FILE is a SPIR-V binary of either byte order, SPIR-V assembly, a shader (.comp,
.glsl, .hlsl), or an AmberScript, of which the modules that it runs are written
one after the other; "-" is a binary or assembly from the standard input.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		raw := fs.Bool("raw-id", false, "write ids as numbers, not by name")
		noHeader := fs.Bool("no-header", false, "leave out the comments that tell the header's words")
		noSource := fs.Bool("no-source", false, "leave out the source lines")
		return func(env *environment, operands []string) (int, error) {
			if len(operands) != 1 {
				return 0, usagef("expected one FILE, found %d", len(operands))
			}
			modules, err := readModules(operands[0], untilDone{env.ctx, env.stdin})
			if err != nil {
				return 0, err
			}
			// Text in a module may hold anything. A file gets it as it is, so that
			// it can be assembled again.
			var to io.Writer = env.stdout
			if !isTerminal(to) {
				to = env.stdout.Exact()
			}
			out := bufio.NewWriter(to)
			for i, m := range modules {
				opt := spirv.DisasmOptions{FriendlyNames: !*raw, TextNames: !*raw, NoHeader: *noHeader}
				if !*noSource {
					opt.Line = sourceLines(m)
				}
				if i > 0 {
					fmt.Fprintln(out)
				}
				if err := spirv.Disassemble(out, m, opt); err != nil {
					return 0, err
				}
			}
			return exitClean, out.Flush()
		}
	},
}

// readModules reads the module of a file, or those that a script runs.
func readModules(file string, stdin io.Reader) ([]*spirv.Module, error) {
	ext := strings.ToLower(filepath.Ext(file))
	if ext == ".amber" {
		l, err := launch.Load(file, launch.LoadOptions{})
		if err != nil {
			return nil, err
		}
		var modules []*spirv.Module
		for _, d := range launch.Dispatches(l.Steps) {
			if !slices.Contains(modules, d.Module) {
				modules = append(modules, d.Module)
			}
		}
		return modules, nil
	}
	data, err := readFile(file, stdin)
	if err != nil {
		return nil, err
	}
	var m *spirv.Module
	switch language := map[string]string{".comp": "GLSL", ".glsl": "GLSL", ".hlsl": "HLSL"}[ext]; {
	case language != "":
		data, err = launch.InstalledTools{}.Compile(launch.Source{
			Language: language, File: file, Line: 1, Text: string(data), Entry: "main", TargetEnv: "vulkan1.2",
		})
		if err != nil {
			return nil, err
		}
		m, err = spirv.Decode(file, data)
	case isBinary(data):
		m, err = spirv.Decode(file, data)
	default:
		m, err = spirv.Assemble(file, string(data))
	}
	return []*spirv.Module{m}, err
}

// isBinary tells a SPIR-V binary from text by its magic number or, where that
// is damaged, by a zero byte.
func isBinary(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0x03, 0x02, 0x23, 0x07}) || bytes.HasPrefix(data, []byte{0x07, 0x23, 0x02, 0x03}) ||
		bytes.IndexByte(data, 0) >= 0
}

// readFile reads a file named on the command line; "-" is stdin.
func readFile(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		data, err := host.ReadAll(stdin, "the standard input", host.MaxText)
		if err != nil {
			return nil, &diag.Error{Msg: "cannot read the standard input", Err: err}
		}
		return data, nil
	}
	data, err := host.ReadFile(file, host.MaxText)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, &diag.Error{Pos: diag.Pos{File: file}, Msg: "cannot read the file", Err: err}
	}
	return data, nil
}

// sourceLines gives the position of each instruction of m and the text of
// its line. A module that does not resolve has no positions.
func sourceLines(m *spirv.Module) func(inst int) (diag.Pos, string) {
	u, err := spirv.Resolve(m, nil)
	if err != nil {
		return nil
	}
	sources := moduleSources(u, fileSources())
	split := map[string][]string{}
	return func(inst int) (diag.Pos, string) {
		pos := u.PosOf(inst)
		if pos == m.TextPos(inst) { // no line of a source
			pos = diag.Pos{}
		}
		if !pos.IsValid() {
			return pos, ""
		}
		lines, known := split[pos.File]
		if !known {
			if text, ok := sources(pos.File); ok {
				lines = strings.Split(text, "\n")
			}
			split[pos.File] = lines
		}
		if pos.Line < 1 || pos.Line > len(lines) {
			return pos, ""
		}
		return pos, strings.TrimSpace(lines[pos.Line-1])
	}
}

// moduleSources looks a source up among those that the module carries, then
// in rest.
func moduleSources(u *spirv.Unit, rest diag.Sources) diag.Sources {
	return func(file string) (string, bool) {
		for _, s := range u.Debug.Sources {
			if s.Name == file && s.Text != "" {
				return s.Text, true
			}
		}
		return rest(file)
	}
}
