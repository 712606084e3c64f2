package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// flatKernel stores to a buffer, and says so.
const flatKernel = `#!amber
SHADER compute k SPIRV-ASM
OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
%printf = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 16 1 1
%text = OpString "a line of some length, so that many of them take memory"
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%0 = OpConstant %uint 0
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%ptr = OpTypePointer Uniform %block
%uptr = OpTypePointer Uniform %uint
%b = OpVariable %ptr Uniform
%main = OpFunction %void None %fn
%l = OpLabel
PRINT
%p = OpAccessChain %uptr %b %0 %0
%x = OpLoad %uint %p
OpReturn
OpFunctionEnd
END
BUFFER b DATA_TYPE uint32 SIZE 4 FILL 0
PIPELINE compute p
  ATTACH k
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
`

// TestMemoryStaysFlat runs launches ten times as long as others, which may take
// hardly more memory: what is left of a dispatch, an expectation or a line of
// output when it is over.
func TestMemoryStaysFlat(t *testing.T) {
	print := "%said = OpExtInst %void %printf 1 %text"
	for _, c := range []struct {
		name   string
		args   []string
		script func(n int) string
	}{
		{"dispatches", []string{"run"}, func(n int) string { return strings.Repeat("RUN p 1 1 1\n", 200*n) }},
		{"checked dispatches in a loop", []string{"check"}, func(n int) string { return fmt.Sprintf("REPEAT %d\nRUN p 1 1 1\nEND\n", 100*n) }},
		{"failed expectations", []string{"run"}, func(n int) string {
			return fmt.Sprintf("RUN p 1 1 1\nREPEAT %d\nEXPECT b IDX 0 EQ 1\nEND\n", 2000*n)
		}},
		{"output of several workers", []string{"run", "--workers", "4"}, func(n int) string { return fmt.Sprintf("RUN p %d 1 1\n", 2500*n) }},
		{"output of a checked dispatch", []string{"check"}, func(n int) string { return fmt.Sprintf("RUN p %d 1 1\n", 500*n) }},
	} {
		peak := func(n int) int64 {
			text := strings.Replace(flatKernel, "PRINT", print, 1)
			if !strings.Contains(c.name, "output") {
				text = strings.Replace(flatKernel, "PRINT\n", "", 1)
			}
			file := filepath.Join(t.TempDir(), "k.amber")
			if err := os.WriteFile(file, []byte(text+c.script(n)), 0o666); err != nil {
				t.Fatal(err)
			}
			m := &meter{}
			var stderr bytes.Buffer
			code := run(context.Background(), append(c.args, file), strings.NewReader(""), m, &tail{&stderr})
			if code > exitFindings {
				t.Fatalf("%s: exit code %d: %s", c.name, code, stderr.String())
			}
			return m.most
		}
		few, many := peak(1), peak(10)
		if many > few+4<<20 {
			t.Errorf("%s: %d KiB in use, and %d KiB after ten times as many", c.name, few>>10, many>>10)
		}
	}
}

// meter is a standard output that notes the most memory in use when something
// is written.
type meter struct {
	most   int64
	writes int
}

func (m *meter) Write(p []byte) (int, error) {
	if m.writes++; m.writes&(m.writes-1) == 0 || bytes.Contains(p, []byte("k.amber: ")) {
		m.most = max(m.most, inUse())
	}
	return len(p), nil
}

func inUse() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// tail keeps the first part of what is written.
type tail struct{ b *bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	if t.b.Len() < 4096 {
		t.b.Write(p)
	}
	return len(p), nil
}
