package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp"
)

var disasmCommand = command{
	name:  "disasm",
	args:  "FILE",
	short: "SPIR-V text, with source lines between",
	long: `Writes the module in FILE as SPIR-V assembly, with a comment where the
source line changes. The text can be assembled again.

FILE is a SPIR-V binary of either byte order, SPIR-V assembly, a shader (.comp,
.glsl, .hlsl), or an AmberScript, of which the modules that it runs are written
one after the other; "-" is a binary or assembly from the standard input.

With --lowered it writes what the emulator runs in place of the module: the flat
program of an entry point, for warps of one width, with calls inlined. An
operation is a line: where it is, the rows of registers that it writes, its name
and what it reads. Beside it stand the instructions of the module that it ends
(steps), and the interpreter's quick form, where that is another operation, or
several at once. Nothing has to be bound for that.

	ampdbg disasm --lowered --warp 32 kernel.comp`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		var opt disasmOptions
		opt.register(fs)
		return func(env *environment, operands []string) (int, error) {
			if len(operands) != 1 {
				return 0, usagef("expected one FILE, found %d", len(operands))
			}
			if err := opt.check(fs); err != nil {
				return 0, err
			}
			// Text in a module may hold anything. A file gets it as it is, so that
			// it can be assembled again.
			var to io.Writer = env.stdout
			if !isTerminal(to) {
				to = env.stdout.Exact()
			}
			out := bufio.NewWriter(to)
			write := opt.modules
			if opt.lowered {
				write = opt.programs
			}
			if err := write(out, operands[0], untilDone{env.ctx, env.stdin}); err != nil {
				return 0, err
			}
			return exitClean, out.Flush()
		}
	},
}

// disasmOptions are the flags of disasm.
type disasmOptions struct {
	raw, noHeader, noSource bool
	lowered, exact          bool
	warp                    int
	entry                   string
	spec                    repeated
}

func (o *disasmOptions) register(fs *flag.FlagSet) {
	fs.BoolVar(&o.raw, "raw-id", false, "write ids as numbers, not by name")
	fs.BoolVar(&o.noHeader, "no-header", false, "leave out the comments that tell the header's words")
	fs.BoolVar(&o.noSource, "no-source", false, "leave out the source lines")
	fs.BoolVar(&o.lowered, "lowered", false, "write the program that the emulator runs")
	fs.IntVar(&o.warp, "warp", 0, "with --lowered: for warps of `N` lanes, 1 to 128; by default 4, or what the launch requires")
	fs.BoolVar(&o.exact, "exact", false, "with --lowered: as the debugger runs it, with every intermediate value")
	fs.StringVar(&o.entry, "entry", "", "with --lowered: the entry point `NAME` in place of the script's, or of main")
	fs.Var(&o.spec, "spec", "with --lowered, of a bare module: a specialization constant, `ID=TYPE:VALUE`; may be given several times")
}

// check refuses flags that do not go together.
func (o *disasmOptions) check(fs *flag.FlagSet) error {
	if o.warp < 0 || o.warp > warp.MaxLanes {
		return usagef("--warp %d: expected 1 to %d lanes", o.warp, warp.MaxLanes)
	}
	var err error
	fs.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "raw-id", "no-header":
			if o.lowered {
				err = usagef("--%s is for the module, not for --lowered", f.Name)
			}
		case "warp", "exact", "entry", "spec":
			if !o.lowered {
				err = usagef("--%s needs --lowered", f.Name)
			}
		}
	})
	return err
}

// modules writes the modules of a file.
func (o *disasmOptions) modules(out io.Writer, file string, stdin io.Reader) error {
	modules, err := readModules(file, stdin)
	if err != nil {
		return err
	}
	for i, m := range modules {
		opt := spirv.DisasmOptions{FriendlyNames: !o.raw, TextNames: !o.raw, NoHeader: o.noHeader}
		if !o.noSource {
			opt.Line = sourceLines(m)
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := spirv.Disassemble(out, m, opt); err != nil {
			return err
		}
	}
	return nil
}

// programs writes the lowered programs of a file.
func (o *disasmOptions) programs(out io.Writer, file string, stdin io.Reader) error {
	dispatches, err := o.dispatches(file, stdin)
	if err != nil {
		return err
	}
	for i, d := range dispatches {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := o.program(out, d); err != nil {
			return err
		}
	}
	return nil
}

// dispatches are what a file runs, each kernel once.
func (o *disasmOptions) dispatches(file string, stdin io.Reader) ([]*launch.Dispatch, error) {
	opt := launch.LoadOptions{Entry: o.entry, Spec: o.spec}
	if !isScript(file) {
		modules, err := readModules(file, stdin)
		if err != nil {
			return nil, err
		}
		d, err := launch.Unbound(modules[0], opt)
		return []*launch.Dispatch{d}, err
	}
	l, err := launch.Load(file, opt)
	if err != nil {
		return nil, err
	}
	var list []*launch.Dispatch
	for _, d := range launch.Dispatches(l.Steps) {
		if !slices.ContainsFunc(list, func(x *launch.Dispatch) bool {
			return x.Module == d.Module && x.Entry == d.Entry && maps.Equal(x.Spec, d.Spec) && x.Subgroup == d.Subgroup
		}) {
			list = append(list, d)
		}
	}
	return list, nil
}

// program writes the program of one kernel.
func (o *disasmOptions) program(out io.Writer, d *launch.Dispatch) error {
	low, err := emu.Lower(d, emu.Options{Warp: o.warp, Exact: o.exact})
	if err != nil {
		return err
	}
	p := low.Program
	code, err := warp.Interpreter{}.Interpret(p)
	if err != nil {
		return err
	}
	opt := program.DumpOptions{
		View: func(view int) string {
			if view < 0 || view >= len(low.Views) {
				return ""
			}
			return low.Views[view]
		},
		Beside: func(pc int) string {
			name, n := code.Form(pc)
			switch {
			case name == "":
				return ""
			case n > 1:
				return fmt.Sprintf("quick: %s to @%d", name, pc+n-1)
			}
			return "quick: " + name
		},
	}
	if line := sourceLines(d.Module); line != nil && !o.noSource {
		var last diag.Pos
		opt.Before = func(pc int) string {
			pos, text := line(int(p.Inst[pc]))
			if !pos.IsValid() || pos.File == last.File && pos.Line == last.Line {
				return ""
			}
			last = pos
			return fmt.Sprintf("; %s:%d: %s", pos.File, pos.Line, text)
		}
	}
	return p.Dump(out, opt)
}

// readModules reads the module of a file, or those that a script runs.
func readModules(file string, stdin io.Reader) ([]*spirv.Module, error) {
	ext := strings.ToLower(filepath.Ext(file))
	if isScript(file) {
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

func isScript(file string) bool { return strings.ToLower(filepath.Ext(file)) == ".amber" }

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
	sources := diag.FirstOf(u.Source, launch.FileSources(&launch.LoadOptions{}, ""))
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
