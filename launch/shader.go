package launch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"ampdbg/amber"
	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/spirv"
)

// moduleResult is a compiled shader or why there is none.
type moduleResult struct {
	module *spirv.Module
	err    error
}

// module compiles the shader of a pipeline, once for each entry point and list
// of optimiser passes.
func (b *builder) module(p *pipeline, entry string) (*spirv.Module, error) {
	passes, err := b.passes(p.optimize[p.shader.Name.Text])
	if err != nil {
		return nil, err
	}
	key := strings.Join([]string{p.shader.Name.Text, entry, strings.Join(passes, " ")}, "\x00")
	if r, ok := b.modules[key]; ok {
		return r.module, r.err
	}
	m, err := b.compile(p.shader, entry)
	if err == nil && len(passes) > 0 {
		m, err = b.optimize(p.shader, m, passes)
	}
	b.modules[key] = &moduleResult{m, err}
	return m, err
}

// passFlag is how spirv-opt spells a pass. Its other flags name files, and are
// no business of a script.
var passFlag = regexp.MustCompile(`^(-O|-Os|--[a-z0-9][a-z0-9-]*(=.*)?)$`)

func (b *builder) passes(list []amber.Word) ([]string, error) {
	var flags []string
	for _, w := range list {
		if !passFlag.MatchString(w.Text) {
			return nil, b.bad(w, "expected a pass of spirv-opt (-O, --inline-entry-points-exhaustive, ...), found %q", w.Text)
		}
		flags = append(flags, w.Text)
	}
	return flags, nil
}

// source is a shader's text and where it starts: line Line of File.
type source struct {
	file string
	line int
	text string
}

func (b *builder) source(s *amber.Shader) (source, error) {
	switch {
	case s.Inline:
		return source{b.script.File, b.script.Pos(s.TextOff).Line, s.Text}, nil
	case s.VirtualFile.Given():
		v := b.virtual[s.VirtualFile.Text]
		if v == nil {
			return source{}, b.bad(s.VirtualFile, "no virtual file is named %s", s.VirtualFile.Text)
		}
		return source{b.script.File, b.script.Pos(v.TextOff).Line, v.Text}, nil
	case s.File.Given():
		data, err := b.read(s.File)
		if err != nil {
			return source{}, err
		}
		if err := host.Need(textCost*int64(len(data)), s.File.Text); err != nil {
			return source{}, b.place(s.File, err)
		}
		file := s.File.Text
		if !path.IsAbs(file) {
			file = path.Join(path.Dir(b.script.File), file)
		}
		return source{file, 1, string(data)}, nil
	}
	return source{}, b.bad(s.Name, "shader %s has no source", s.Name.Text)
}

func (b *builder) compile(s *amber.Shader, entry string) (*spirv.Module, error) {
	src, err := b.source(s)
	if err != nil {
		return nil, err
	}
	env, err := b.targetEnv(s)
	if err != nil {
		return nil, err
	}
	switch s.Format.Text {
	case "SPIRV-ASM":
		v, err := envVersion(env)
		if err != nil {
			return nil, b.bad(s.TargetEnv, "%s", err)
		}
		return assemble(src, v)
	case "SPIRV-HEX":
		data, err := parseHex(src.text)
		if err != nil {
			return nil, &diag.Error{Pos: diag.Pos{File: src.file, Line: src.line + err.line}, Msg: err.msg}
		}
		return b.decode(s, src, data)
	case "SPIRV-BIN":
		return b.decode(s, src, []byte(src.text))
	case "GLSL", "HLSL":
		if env == "" {
			env = "spv1.0"
		}
		data, err := b.opt.Tools.Compile(Source{
			Language: s.Format.Text, File: src.file, Line: src.line, Text: src.text, Entry: entry, TargetEnv: env,
		})
		if err != nil {
			return nil, b.wrapTool(s, err)
		}
		return b.decode(s, src, data)
	}
	return nil, b.unsupported(s.Format, "%s shaders", s.Format.Text)
}

// wrapTool gives a tool's error without a place that of the shader.
func (b *builder) wrapTool(s *amber.Shader, err error) error {
	var d *diag.Error
	if errors.As(err, &d) && !d.Pos.IsValid() {
		placed := *d
		placed.Pos = b.script.WordPos(s.Format)
		return &placed
	}
	return b.wrap(s.Format, err)
}

// decode reads a binary. Its name is that of the source file, or that of the
// script with the shader's name for text in the script.
func (b *builder) decode(s *amber.Shader, src source, data []byte) (*spirv.Module, error) {
	name := src.file
	if name == b.script.File {
		name = fmt.Sprintf("%s(%s)", name, s.Name.Text)
	}
	return spirv.Decode(name, data)
}

// assemble reads assembly; the error's place is in the file that holds it.
func assemble(src source, v spirv.Version) (*spirv.Module, error) {
	m, err := spirv.AssembleVersion(src.file, src.text, v)
	var d *diag.Error
	if errors.As(err, &d) && d.Pos.Line > 0 {
		moved := *d
		moved.Pos.Line += src.line - 1
		if moved.Pos.EndLine > 0 {
			moved.Pos.EndLine += src.line - 1
		}
		return nil, &moved
	}
	if err == nil {
		m.ShiftLines(src.line - 1)
	}
	return m, err
}

type hexError struct {
	line int // from 0
	msg  string
}

// parseHex reads SPIRV-HEX: bytes (or whole 32-bit words) in hex, with or
// without 0x, separated by blanks or commas.
func parseHex(text string) ([]byte, *hexError) {
	var data []byte
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		for _, f := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\v\f,", r) }) {
			digits := strings.TrimPrefix(strings.TrimPrefix(f, "0x"), "0X")
			v, err := strconv.ParseUint(digits, 16, 32)
			switch {
			case err == nil && len(digits) <= 2:
				data = append(data, byte(v))
			case err == nil && len(digits) == 8:
				data = binary.LittleEndian.AppendUint32(data, uint32(v))
			default:
				return nil, &hexError{i, fmt.Sprintf("expected a byte of 2 or a word of 8 hex digits, found %q", f)}
			}
		}
	}
	return data, nil
}

// targetEnv is the shader's TARGET_ENV, checked; "" if not given.
func (b *builder) targetEnv(s *amber.Shader) (string, error) {
	env := s.TargetEnv.Text
	if env == "" {
		return "", nil
	}
	if _, err := envVersion(env); err != nil {
		return "", b.bad(s.TargetEnv, "%s", err)
	}
	return env, nil
}

// envVersion is the newest SPIR-V version of a target environment; 0 for "".
func envVersion(env string) (spirv.Version, error) {
	switch env {
	case "":
		return 0, nil
	case "vulkan1.0":
		return spirv.MakeVersion(1, 0), nil
	case "vulkan1.1":
		return spirv.MakeVersion(1, 3), nil
	case "vulkan1.1spv1.4":
		return spirv.MakeVersion(1, 4), nil
	case "vulkan1.2":
		return spirv.MakeVersion(1, 5), nil
	case "vulkan1.3", "vulkan1.4":
		return spirv.MakeVersion(1, 6), nil
	}
	if minor, ok := strings.CutPrefix(env, "spv1."); ok && len(minor) == 1 && '0' <= minor[0] && minor[0] <= '6' {
		return spirv.MakeVersion(1, int(minor[0]-'0')), nil
	}
	return 0, fmt.Errorf("expected a target environment (spv1.0 to spv1.6, vulkan1.0 to vulkan1.4), found %q", env)
}

// optimize runs spirv-opt passes. Without an optimiser, the module stays as
// it is and the launch gets a note.
func (b *builder) optimize(s *amber.Shader, m *spirv.Module, passes []string) (*spirv.Module, error) {
	data, err := b.opt.Tools.Optimize(m.Encode(binary.LittleEndian), passes)
	var d *diag.Error
	if errors.As(err, &d) && d.Class == diag.Unsupported {
		b.launch.Notes = append(b.launch.Notes, Note{b.script.WordPos(s.Name),
			fmt.Sprintf("shader %s is run without SHADER_OPTIMIZATION: %s", s.Name.Text, d.Msg)})
		return m, nil
	}
	if err != nil {
		return nil, b.wrapTool(s, err)
	}
	return spirv.Decode(m.Name, data)
}

// hasEntry checks that a module has a compute entry point of the name.
func hasEntry(m *spirv.Module, name string) error {
	names := entryPoints(m)
	for _, n := range names {
		if n == name {
			return nil
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("the shader has no compute entry point")
	}
	return fmt.Errorf("the shader has no compute entry point %s (it has %s)", name, strings.Join(names, ", "))
}

// entryPoints lists the compute entry points of a module.
func entryPoints(m *spirv.Module) []string {
	var names []string
	for i := range m.Insts {
		in := &m.Insts[i]
		if in.Op != spirv.OpEntryPoint || len(in.Args) < 3 {
			continue
		}
		if model := spirv.ExecutionModel(in.Args[0]); model == spirv.ExecutionModelGLCompute || model == spirv.ExecutionModelKernel {
			if n, _, ok := spirv.String(in.Args[2:]); ok {
				names = append(names, n)
			}
		}
	}
	return names
}
