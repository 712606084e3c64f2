package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/spirv"
)

const glslScript = `#!amber
# some lines
# before the shader
SHADER compute k GLSL
#version 430
layout(set = 0, binding = 0) buffer Data { uint value[]; };
void main() {
  value[0] = BODY;
}
END
BUFFER b DATA_TYPE uint32 SIZE 1 FILL 0
PIPELINE compute p
  ATTACH k
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
`

func loadTemp(t *testing.T, name, text string, opt LoadOptions) (*Launch, string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Load(path, opt)
	return l, path, err
}

func TestInlineShaderLinesAreTheScripts(t *testing.T) {
	needTool(t, "glslangValidator")
	l, path, err := loadTemp(t, "k.amber", strings.ReplaceAll(glslScript, "BODY", "7u"), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := l.Steps[0].(*Dispatch).Module
	strs := map[uint32]string{}
	lines := map[uint32]bool{}
	for _, in := range m.Insts {
		switch in.Op {
		case spirv.OpString:
			strs[uint32(in.Result)], _, _ = spirv.String(in.Args)
		case spirv.OpLine:
			if strs[in.Args[0]] != path {
				t.Errorf("OpLine names %q, want %q", strs[in.Args[0]], path)
			}
			lines[in.Args[1]] = true
		}
	}
	if !lines[8] {
		t.Errorf("no OpLine for line 8, where the store stands: %v", lines)
	}
}

func TestShaderCompileErrorIsPlacedInScript(t *testing.T) {
	needTool(t, "glslangValidator")
	_, path, err := loadTemp(t, "k.amber", strings.ReplaceAll(glslScript, "BODY", "nowhere"), LoadOptions{})
	var d *diag.Error
	if !errors.As(err, &d) || d.Pos.File != path || d.Pos.Line != 8 || !strings.Contains(d.Msg, "'nowhere' : undeclared identifier") {
		t.Errorf("error %v, want one at line 8 about 'nowhere'", err)
	}
}

func TestAssemblyErrorIsPlacedInScript(t *testing.T) {
	_, err := fromText(t, strings.Replace(increment, "OpStore", "OpStroe", 1)+`
PIPELINE compute p
  ATTACH k
END
RUN p 1 1 1
`, nil)
	var d *diag.Error
	if !errors.As(err, &d) || d.Pos.File != "k.amber" || d.Pos.Line != 28 || !strings.Contains(d.Msg, "OpStroe") {
		t.Errorf("error %v, want one at k.amber:28 about OpStroe", err)
	}
}

func TestMissingCompilerIsUnsupported(t *testing.T) {
	_, err := fromText(t, strings.TrimPrefix(glslScript, "#!amber\n"), nil)
	var d *diag.Error
	if !errors.As(err, &d) || d.Class != diag.Unsupported || !strings.Contains(d.Msg, "glslangValidator") || d.Pos.Line != 4 {
		t.Errorf("error %v, want unsupported at line 4, naming glslangValidator", err)
	}
}

func TestMissingOptimizerIsANote(t *testing.T) {
	l := mustLoad(t, increment+`
PIPELINE compute p
  ATTACH k
  SHADER_OPTIMIZATION k
    -O
  END
END
RUN p 1 1 1
`)
	if len(l.Notes) != 1 || !strings.Contains(l.Notes[0].Text, "spirv-opt is not installed") {
		t.Errorf("notes %v", l.Notes)
	}
}

func TestOptimizerRuns(t *testing.T) {
	needTool(t, "spirv-opt")
	l, _, err := loadTemp(t, "k.amber", "#!amber\n"+increment+`
PIPELINE compute p
  ATTACH k
  SHADER_OPTIMIZATION k
    --strip-debug
  END
END
DERIVE_PIPELINE q FROM p
  SHADER_OPTIMIZATION k
    --no-such-pass
  END
END
RUN p 1 1 1
`, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range l.Steps[0].(*Dispatch).Module.Insts {
		if in.Op == spirv.OpName {
			t.Error("a name is left after --strip-debug")
		}
	}
}

func TestBareShaderBindsByDeclaration(t *testing.T) {
	needTool(t, "glslangValidator")
	const text = `#version 450
layout(local_size_x = 8) in;
layout(std140, set = 0, binding = 0) uniform U { vec4 scale; } u;
layout(std430, set = 0, binding = 1) buffer B { float x[]; } b;
layout(set = 1, binding = 2, r32ui) uniform uimage2D img;
layout(push_constant) uniform P { uint n; float f; } p;
void main() { b.x[0] = u.scale.x * p.f + float(p.n); imageStore(img, ivec2(0), uvec4(1)); }
`
	l, _, err := loadTemp(t, "k.comp", text, LoadOptions{
		Groups: [3]uint32{2, 1, 1}, Push: "uint32:3;float:1.5",
		Binds: []string{"0.0=vec4<float>:1,2,3,4", "0.1=float[16]:fill 2.5", "1.2=image R32_UINT 4x2:series 0 1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := l.Steps[0].(*Dispatch)
	kinds := []DescriptorKind{d.Bindings[0].Kind, d.Bindings[1].Kind, d.Bindings[2].Kind}
	if kinds[0] != UniformBuffer || kinds[1] != StorageBuffer || kinds[2] != StorageImage {
		t.Errorf("kinds %v", kinds)
	}
	if got := d.Bindings[1].Elems[0]; got.Range != 64 || len(got.Buffer.Data) != 64 || got.Buffer.Name != "b" {
		t.Errorf("descriptor %+v", got)
	}
	if len(d.Push) != 8 || d.Push[0] != 3 || d.Push[7] != 0x3f {
		t.Errorf("push constants % x", d.Push)
	}
	if got := l.Images[0]; got.Width != 4 || got.Height != 2 || got.Data[4*7] != 7 {
		t.Errorf("image %+v", got)
	}
	_, _, err = loadTemp(t, "k.comp", text, LoadOptions{Binds: []string{"0.1=float[1]"}})
	if err == nil || !strings.HasSuffix(err.Error(), "k.comp: nothing is bound to 0.0 (uniform buffer u), 1.2 (storage image img)") {
		t.Errorf("unbound: %v", err)
	}
}
