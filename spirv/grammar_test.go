package spirv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestGeneratedTablesAreFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the generator")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	out := filepath.Join(t.TempDir(), "grammar_gen.go")
	cmd := exec.Command("go", "run", "./internal/gen", filepath.Join("internal", "grammar"), out)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("grammar_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("grammar_gen.go is stale: run go generate ./spirv")
	}
}

func TestEveryOpcodeHasANameAndIsFoundByIt(t *testing.T) {
	for i := range coreInstructions {
		op := Opcode(coreInstructions[i].opcode)
		name := op.String()
		if !isOpcodeWord(name) {
			t.Errorf("opcode %d has the name %q", op, name)
		}
		if found, ok := lookupOpcode(name); !ok || found != op {
			t.Errorf("LookupOpcode(%q) = %v, %v", name, found, ok)
		}
	}
	for name, want := range opcodeAliases {
		if found, ok := lookupOpcode(name); !ok || found != want {
			t.Errorf("LookupOpcode(%q) = %v, %v, expected %v", name, found, ok, want)
		}
	}
	if _, ok := lookupOpcode("FAdd"); ok {
		t.Error("LookupOpcode finds FAdd without Op")
	}
	if s := Opcode(0xffff).String(); s != "Op(65535)" {
		t.Errorf("unknown opcode is written %s", s)
	}
}

// Look-ups by value search the tables by halves.
func TestTablesAreInOrder(t *testing.T) {
	for i := range operandKinds {
		values := operandKinds[i].values
		for k := 1; k < len(values); k++ {
			if values[k].value < values[k-1].value {
				t.Errorf("%s: %s is out of order", operandKinds[i].name, values[k].name)
			}
		}
	}
	for _, s := range extInstSets {
		for k := 1; k < len(s.instructions); k++ {
			if s.instructions[k].opcode <= s.instructions[k-1].opcode {
				t.Errorf("%s: %s is out of order", s.name, s.instructions[k].name)
			}
		}
	}
}

func TestEnumerantsFormat(t *testing.T) {
	for _, c := range []struct {
		value fmt.Stringer
		want  string
	}{
		{StorageClassUniform, "Uniform"},
		{CapabilityShader, "Shader"},
		{Capability(99999), "99999"},
		{MemoryAccessVolatile | MemoryAccessAligned, "Volatile|Aligned"},
		{MemoryAccess(0), "None"},
		{MemoryAccess(1 << 30), "0x40000000"},
		{FPFastMathMode(0), "None"},
		{KindStorageClass, "StorageClass"},
		{MakeVersion(1, 5), "1.5"},
	} {
		if got := c.value.String(); got != c.want {
			t.Errorf("got %s, expected %s", got, c.want)
		}
	}
	if got := ExtInstName("GLSL.std.450", GLSLFMix); got != "FMix" {
		t.Errorf("GLSL.std.450 %d is %s, expected FMix", GLSLFMix, got)
	}
	if got := ExtInstName("NonSemantic.Unheard.Of", 12); got != "12" {
		t.Errorf("got %s, expected 12", got)
	}
}

// samplePrelude defines the ids that sample instructions use.
const samplePrelude = `; Version: 1.6
%glsl = OpExtInstImport "GLSL.std.450"
%cl = OpExtInstImport "OpenCL.std"
%debug = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
%cldebug = OpExtInstImport "OpenCL.DebugInfo.100"
%void = OpTypeVoid
%int = OpTypeInt 32 1
%long = OpTypeInt 64 1
%sel = OpConstant %long 4
`

var sampleSets = map[string]string{
	"GLSL.std.450": "%glsl", "OpenCL.std": "%cl",
	"NonSemantic.Shader.DebugInfo.100": "%debug", "OpenCL.DebugInfo.100": "%cldebug",
}

// sampleInstructions writes instructions from the grammar: each with its
// least and its most operands, and with every enumerant and bit.
func sampleInstructions() []string {
	var samples []string
	n := 0
	operand := func(o operandInfo) string {
		switch o.kind {
		case KindIdResultType:
			return "%int"
		case KindLiteralInteger, KindLiteralContextDependentNumber:
			return "7"
		case KindLiteralString:
			return `"text"`
		case KindLiteralExtInstInteger:
			return "FClamp %int %int %int"
		case KindLiteralSpecConstantOpInteger:
			return "IAdd %int %int"
		case KindPairIdRefIdRef:
			return "%int %void"
		case KindPairIdRefLiteralInteger:
			return "%int 9"
		case KindPairLiteralIntegerIdRef:
			return "0x123456789a %int"
		}
		if o.kind.IsID() {
			return "%int"
		}
		return ""
	}
	var variants func(o operandInfo) []string
	all := func(ops []operandInfo) string {
		var b strings.Builder
		for _, o := range ops {
			b.WriteString(" " + variants(o)[0])
		}
		return b.String()
	}
	variants = func(o operandInfo) []string {
		if !o.kind.isEnum() && !o.kind.isMask() {
			return []string{operand(o)}
		}
		var out []string
		var joined, params string
		for _, e := range operandKinds[o.kind].values {
			out = append(out, e.name+all(e.params))
			if e.value != 0 && o.kind.lookup(e.value).name == e.name {
				joined += "|" + e.name
				params += all(e.params)
			}
		}
		if o.kind.isMask() && joined != "" {
			out = append(out, joined[1:]+params)
		}
		return out
	}
	instruction := func(head string, ops []operandInfo) {
		for vary, o := range ops {
			for _, variant := range variants(o) {
				for _, full := range []bool{false, true} {
					line := head
					if strings.Contains(head, "%d") {
						n++
						line = fmt.Sprintf(head, n)
					}
					for i, o := range ops {
						switch {
						case i == vary:
							line += " " + variant
						case o.quant == one || full || i < vary:
							line += " " + variants(o)[0]
						}
					}
					samples = append(samples, line)
				}
			}
		}
		if len(ops) == 0 {
			n++
			if strings.Contains(head, "%d") {
				head = fmt.Sprintf(head, n)
			}
			samples = append(samples, head)
		}
	}
	for i := range coreInstructions {
		info := &coreInstructions[i]
		switch Opcode(info.opcode) {
		case OpTypeInt, OpTypeFloat, OpExtInstImport: // define what others use; in the prelude
			continue
		case OpSwitch:
			samples = append(samples, "OpSwitch %sel %int", "OpSwitch %sel %int -1 %int 5000000000 %void")
			continue
		case OpExtInst:
			instruction("%%r%d = OpExtInst %%int %%glsl FClamp %%int %%int %%int", nil)
			continue
		}
		var head string
		ops := info.operands
		if info.hasResult() {
			head = "%%r%d = "
		}
		head += info.name
		if len(ops) > 0 && ops[0].kind == KindIdResultType {
			head, ops = head+" %%int", ops[1:]
		}
		if len(ops) > 0 && ops[0].kind == KindIdResult {
			ops = ops[1:]
		}
		instruction(head, ops)
	}
	for _, set := range extInstSets {
		if set.name == debugPrintf {
			continue
		}
		for _, info := range set.instructions {
			instruction("%%r%d = OpExtInst %%void %"+sampleSets[set.name]+" "+info.name, info.operands)
		}
	}
	for i := range coreInstructions {
		if op := Opcode(coreInstructions[i].opcode); specConstantOps[op] {
			instruction("%%r%d = OpSpecConstantOp %%int "+op.String()[2:], op.info().operands[2:])
		}
	}
	return samples
}

func TestEveryInstructionRoundTrips(t *testing.T) {
	text := samplePrelude + strings.Join(sampleInstructions(), "\n")
	m, err := Assemble("samples", text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Assemble("again", disassembled(t, m, DisasmOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := disassembled(t, again, DisasmOptions{}), disassembled(t, m, DisasmOptions{}); got != want {
		t.Error("samples change when they are disassembled and assembled")
	}
	for i := range m.Insts {
		ops, err := m.Operands(&m.Insts[i])
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, o := range ops {
			if o.At != at {
				t.Fatalf("%s: operand at word %d, expected %d", m.InstString(i, nil), o.At, at)
			}
			at += len(o.Words)
		}
		if at != len(m.Insts[i].Args) {
			t.Fatalf("%s: operands cover %d of %d words", m.InstString(i, nil), at, len(m.Insts[i].Args))
		}
	}
}

func TestEveryInstructionAgreesWithSPIRVTools(t *testing.T) {
	lines := []string{samplePrelude}
	for _, s := range sampleInstructions() {
		// SPIRV-Tools 2023.1 reads these but does not write them.
		if strings.Contains(s, "UniformDecoration") || strings.Contains(s, "Image") && strings.Contains(s, "Nontemporal") {
			continue
		}
		lines = append(lines, s)
	}
	text := strings.Join(lines, "\n")
	m, err := Assemble("samples", text)
	if err != nil {
		t.Fatal(err)
	}
	compareWithTools(t, m, text)
}

func TestBuiltInNamesAgreeWithSPIRVTools(t *testing.T) {
	var b strings.Builder
	b.WriteString("; Version: 1.6\n")
	for _, e := range operandKinds[KindBuiltIn].values {
		fmt.Fprintf(&b, "OpDecorate %%%s BuiltIn %s\n", e.name, e.name)
	}
	m, err := Assemble("names", b.String())
	if err != nil {
		t.Fatal(err)
	}
	compareWithTools(t, m, b.String())
}
