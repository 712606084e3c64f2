package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ampdbg/diag"
	"ampdbg/host"
)

// Source is a shader in a high-level language.
type Source struct {
	Language  string // GLSL or HLSL
	File      string // where Text stands, for messages and debug information
	Line      int    // the line of File that Text starts at, from 1
	Text      string
	Entry     string
	TargetEnv string // spv1.0, vulkan1.1, ...
}

// Tools turn shaders into SPIR-V and transform it. A tool that is missing is a
// *diag.Error of class diag.Unsupported that names it.
type Tools interface {
	// Compile gives the SPIR-V binary of a shader, with debug information
	// whose lines are those of the source's File.
	Compile(Source) ([]byte, error)
	// Optimize runs spirv-opt's passes over a binary.
	Optimize(module []byte, passes []string) ([]byte, error)
}

// InstalledTools runs glslangValidator (or glslc), dxc and spirv-opt, as they
// are found in PATH.
type InstalledTools struct{}

// toolTimeout is how long a tool may run.
const toolTimeout = 60 * time.Second

// Compile implements Tools. The text is padded with empty lines so that the
// compiler counts the lines of the file that it stands in.
func (InstalledTools) Compile(s Source) ([]byte, error) {
	dir, err := os.MkdirTemp("", "shader")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// Absolute paths, lest a name that starts with - be an option; the output
	// in a folder of its own, lest it be called like the source.
	in, out := filepath.Join(dir, "in", filepath.Base(s.File)), filepath.Join(dir, "out.spv")
	text := strings.Repeat("\n", max(s.Line-1, 0)) + s.Text
	if err := os.Mkdir(filepath.Dir(in), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		return nil, err
	}
	tool, args, err := compilerCommand(s, in, out)
	if err != nil {
		return nil, err
	}
	output, err := runTool(dir, tool, args)
	if err != nil {
		return nil, compileError(s, in, tool, output, err)
	}
	data, err := host.ReadFile(out, host.MaxText)
	if err != nil {
		return nil, &diag.Error{Msg: tool + " wrote no module", Err: err}
	}
	return renameSource(data, in, s.File), nil
}

// compilerCommand picks an installed compiler and its arguments.
func compilerCommand(s Source, in, out string) (tool string, args []string, err error) {
	env := s.TargetEnv
	if v, ok := strings.CutPrefix(env, "spv"); ok {
		env = "spirv" + v
	}
	if s.Language == "HLSL" {
		if installed("dxc") {
			args = []string{"-spirv", "-T", "cs_6_2", "-E", s.Entry, "-fspv-debug=line", "-fspv-target-env=" + dxcEnv(s.TargetEnv), "-Fo", out}
			return "dxc", append(args, in), nil
		}
		if installed("glslangValidator") {
			args = []string{"-D", "-V", "-g", "-e", s.Entry, "-S", "comp", "--target-env", env, "-o", out}
			return "glslangValidator", append(args, in), nil
		}
		return "", nil, missing("dxc")
	}
	if installed("glslangValidator") {
		args = []string{"-V", "-g", "-S", "comp", "--target-env", env, "-o", out}
		return "glslangValidator", append(args, in), nil
	}
	if installed("glslc") {
		args = []string{"-g", "-fshader-stage=compute"}
		if v, ok := strings.CutPrefix(s.TargetEnv, "spv"); ok {
			args = append(args, "--target-spv=spv"+v)
		} else {
			args = append(args, "--target-env="+s.TargetEnv)
		}
		return "glslc", append(args, "-o", out, in), nil
	}
	return "", nil, missing("glslangValidator or glslc")
}

// dxcEnv names the Vulkan version whose SPIR-V version is at least that of a
// target environment.
func dxcEnv(env string) string {
	switch env {
	case "spv1.0", "vulkan1.0":
		return "vulkan1.0"
	case "spv1.1", "spv1.2", "spv1.3", "vulkan1.1":
		return "vulkan1.1"
	case "spv1.4", "vulkan1.1spv1.4":
		return "vulkan1.1spirv1.4"
	case "spv1.5", "vulkan1.2":
		return "vulkan1.2"
	}
	return "vulkan1.3"
}

func installed(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
}

func missing(tool string) error {
	return &diag.Error{Class: diag.Unsupported, Msg: "unsupported: " + tool + " is not installed"}
}

func runTool(dir, tool string, args []string) (output string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), toolTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	b, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = errors.New("it did not end in " + toolTimeout.String())
	}
	return string(b), err
}

// errorLine matches glslang's "ERROR: k.comp:12: 'x' : ..." and clang's style
// "k.comp:12:3: error: ...".
var errorLine = regexp.MustCompile(`^(?:ERROR: )?(.+?):(\d+):(?:(\d+):)? ?(?:error: )?(.*)$`)

// compileError gives the first error that a compiler printed, in its place.
func compileError(s Source, in, tool, output string, cause error) error {
	var rest []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		m := errorLine.FindStringSubmatch(line)
		if m == nil || m[1] != in || strings.Contains(line, "warning:") {
			if line != "" && line != in {
				rest = append(rest, line)
			}
			continue
		}
		pos := diag.Pos{File: s.File}
		pos.Line, _ = strconv.Atoi(m[2])
		pos.Col, _ = strconv.Atoi(m[3])
		return &diag.Error{Pos: pos, Msg: fmt.Sprintf("%s: %s", tool, m[4])}
	}
	if len(rest) > 0 {
		return &diag.Error{Msg: fmt.Sprintf("%s: %s", tool, strings.Join(rest, "; "))}
	}
	return &diag.Error{Msg: tool + " failed", Err: cause}
}

// Optimize implements Tools.
func (InstalledTools) Optimize(module []byte, passes []string) ([]byte, error) {
	if !installed("spirv-opt") {
		return nil, missing("spirv-opt")
	}
	dir, err := os.MkdirTemp("", "shader")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "in.spv"), module, 0o600); err != nil {
		return nil, err
	}
	output, err := runTool(dir, "spirv-opt", append(append([]string{}, passes...), "in.spv", "-o", "out.spv"))
	if err != nil {
		msg := strings.TrimSpace(output)
		if msg == "" {
			msg = err.Error()
		}
		return nil, &diag.Error{Msg: "spirv-opt: " + strings.ReplaceAll(msg, "\n", "; ")}
	}
	return host.ReadFile(filepath.Join(dir, "out.spv"), host.MaxText)
}
