package launch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/amber"
	"ampdbg/diag"
)

// noTools stands for a machine without compilers.
type noTools struct{}

func (noTools) Compile(Source) ([]byte, error)            { return nil, missing("glslangValidator or glslc") }
func (noTools) Optimize([]byte, []string) ([]byte, error) { return nil, missing("spirv-opt") }

// increment is a kernel in assembly that the fake executor stands in for.
const increment = `SHADER compute k SPIRV-ASM
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               OpName %data "data"
               OpDecorate %runtime ArrayStride 4
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %block BufferBlock
               OpDecorate %data DescriptorSet 0
               OpDecorate %data Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %uint = OpTypeInt 32 0
     %uint_0 = OpConstant %uint 0
     %uint_1 = OpConstant %uint 1
    %runtime = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %runtime
  %ptr_block = OpTypePointer Uniform %block
   %ptr_uint = OpTypePointer Uniform %uint
       %data = OpVariable %ptr_block Uniform
       %main = OpFunction %void None %fn
      %label = OpLabel
          %p = OpAccessChain %ptr_uint %data %uint_0 %uint_0
          %v = OpLoad %uint %p
        %sum = OpIAdd %uint %v %uint_1
               OpStore %p %sum
               OpReturn
               OpFunctionEnd
END
`

func fromText(t testing.TB, text string, files map[string]string) (*Launch, error) {
	t.Helper()
	s, errs := amber.Parse("k.amber", []byte("#!amber\n"+text))
	if len(errs) > 0 {
		return nil, joinErrors(errs)
	}
	return FromScript(s, ScriptOptions{Tools: noTools{}, MaxBytes: 1 << 24, Read: func(path string) ([]byte, error) {
		if f, ok := files[path]; ok {
			return []byte(f), nil
		}
		return nil, fs.ErrNotExist
	}})
}

func mustLoad(t testing.TB, text string) *Launch {
	t.Helper()
	l, err := fromText(t, text, nil)
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	return l
}

// addOne adds 1 to the first word of binding 0.0 for each tile.
type addOne struct{ dispatches []*Dispatch }

func (a *addOne) Dispatch(_ context.Context, d *Dispatch) error {
	a.dispatches = append(a.dispatches, d)
	if len(d.Bindings) == 0 || d.Bindings[0].Elems[0].Buffer == nil {
		return nil
	}
	e := d.Bindings[0].Elems[0]
	p := e.Buffer.Data[e.Offset:]
	binary.LittleEndian.PutUint32(p, binary.LittleEndian.Uint32(p)+d.Groups[0]*d.Groups[1]*d.Groups[2])
	return nil
}

func TestScriptRunsInFileOrder(t *testing.T) {
	l := mustLoad(t, increment+`
BUFFER a DATA_TYPE uint32 DATA 5 6 7 END
BUFFER b DATA_TYPE uint32 SIZE 3 FILL 9
PIPELINE compute p
  ATTACH k
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
END
EXPECT a IDX 0 EQ 5 6 7
RUN p 1 1 1
EXPECT a IDX 0 EQ 6 6 7
REPEAT 3
  RUN p 2 1 1
  EXPECT a IDX 0 GT 7
END
EXPECT a IDX 0 EQ 12 6 7
COPY a TO b
EXPECT b EQ_BUFFER a
EXPECT b IDX 8 EQ 8
`)
	var got bytes.Buffer
	ex := &addOne{}
	sum, err := l.Execute(context.Background(), ex, func(r *ExpectResult) {
		if !r.OK() {
			got.WriteString(r.String() + "\n")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Summary{Dispatches: 4, Copies: 1, Expects: 8, Failed: 1}); sum != want {
		t.Errorf("summary %+v, want %+v", sum, want)
	}
	want := "k.amber:49:1: EXPECT failed: b[2] at byte 8: expected 8, found 7\n"
	if got.String() != want {
		t.Errorf("failures %q, want %q", &got, want)
	}
}

func TestTestSuiteScriptsLoad(t *testing.T) {
	files, err := filepath.Glob("../amber/testdata/*.amber")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".amber"), func(t *testing.T) {
			l, err := Load(f, LoadOptions{})
			var d *diag.Error
			if errors.As(err, &d) && d.Class == diag.Unsupported && strings.Contains(d.Msg, "installed") {
				t.Skip(d.Msg)
			}
			text, _ := os.ReadFile(f)
			if want, ok := bytes.CutPrefix(bytes.SplitAfterN(text, []byte("\n"), 3)[1], []byte("# UNSUPPORTED ")); ok {
				if err == nil || d == nil || d.Class != diag.Unsupported || !strings.Contains(err.Error(), string(bytes.TrimSpace(want))) {
					t.Fatalf("error %v, want unsupported: %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = l.Execute(context.Background(), increments{}, func(r *ExpectResult) {
				if !r.OK() {
					t.Error(r)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// increments does what the kernels of the test scripts do: "increment" adds 1
// to every word, the others nothing.
type increments struct{}

func (increments) Dispatch(_ context.Context, d *Dispatch) error {
	if len(d.Bindings) == 0 || d.Bindings[0].Elems[0].Buffer == nil || d.Bindings[0].Elems[0].Buffer.Name != "data" {
		return nil
	}
	data := d.Bindings[0].Elems[0].Buffer.Data
	for i := 0; i < len(data); i += 4 {
		binary.LittleEndian.PutUint32(data[i:], binary.LittleEndian.Uint32(data[i:])+1)
	}
	return nil
}

func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(name + " is not installed")
	}
}
