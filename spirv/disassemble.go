package spirv

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"

	"ampdbg/diag"
)

// DisasmOptions say how Disassemble writes a module. The zero value gives
// what `spirv-dis --raw-id` gives.
type DisasmOptions struct {
	// FriendlyNames writes ids by name, as spirv-dis does by default; see
	// FriendlyNames.
	FriendlyNames bool
	// TextNames writes ids as the text that the module was assembled from has
	// them, if it was.
	TextNames bool
	// NoHeader leaves out the comments that tell the header's words.
	NoHeader bool
	// Line gives the source position of an instruction (an index into
	// Module.Insts) and the text of that line. Where the position changes to
	// another line, a comment "; file:line: text" goes before the
	// instruction. May be nil; an invalid position means none.
	Line func(inst int) (pos diag.Pos, text string)
}

// asmIndent is the column after the '=' of an instruction with a result id.
const asmIndent = 15

// Disassemble writes m in SPIRV-Tools' assembly language, the same bytes as
// spirv-dis. Assemble gives the same instructions back, with ids renumbered
// in order of appearance. The error is that of w.
func Disassemble(w io.Writer, m *Module, opt DisasmOptions) error {
	var b bytes.Buffer
	if !opt.NoHeader {
		fmt.Fprintf(&b, "; SPIR-V\n; Version: %s\n; Generator: %s; %d\n; Bound: %d\n; Schema: %d\n",
			m.Version, generatorName(m.Generator>>16), m.Generator&0xffff, m.Bound, m.Schema)
	}
	p := instPrinter{context: m.operandContext(), names: idNumber, b: &b, module: true}
	if opt.FriendlyNames {
		p.names = nameFriendly(m)
	}
	if opt.TextNames && m.text != nil {
		p.names = m.IDName
	}
	var last diag.Pos
	for i := range m.Insts {
		if opt.Line != nil {
			pos, text := opt.Line(i)
			pos = diag.Pos{File: pos.File, Line: pos.Line}
			if pos != last && pos.IsValid() {
				fmt.Fprintf(&b, "; %s: %s\n", pos, text)
			}
			last = pos
		}
		if in := &m.Insts[i]; in.Result != 0 {
			fmt.Fprintf(&b, "%*s = ", asmIndent-len(" = "), p.names(in.Result))
		} else {
			fmt.Fprintf(&b, "%*s", asmIndent, "")
		}
		p.print(&m.Insts[i])
		b.WriteByte('\n')
		if b.Len() >= 1<<16 {
			if _, err := w.Write(b.Bytes()); err != nil {
				return err
			}
			b.Reset()
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// InstString writes instruction i of m as one line of assembly, without
// indentation: "%5 = OpFAdd %2 %3 %4". names writes an id ("%sum"); nil
// writes its number.
func (m *Module) InstString(i int, names func(ID) string) string {
	var b bytes.Buffer
	if names == nil {
		names = idNumber
	}
	if r := m.Insts[i].Result; r != 0 {
		b.WriteString(names(r))
		b.WriteString(" = ")
	}
	p := instPrinter{context: m.operandContext(), names: names, b: &b}
	p.print(&m.Insts[i])
	return b.String()
}

func idNumber(id ID) string { return "%" + strconv.FormatUint(uint64(id), 10) }

// debugPrintf is a set whose names SPIRV-Tools does not know: it writes and
// reads the number of its one instruction.
const debugPrintf = "NonSemantic.DebugPrintf"

// instPrinter writes instructions.
type instPrinter struct {
	context *operandContext
	names   func(ID) string
	b       *bytes.Buffer
	module  bool // for spirv-as to read
	in      *Inst
	raw     bool // a !<integer> was written: literals that follow are words
}

// print writes the opcode and the operands. An instruction that breaks the
// grammar has its operands as words.
func (p *instPrinter) print(in *Inst) {
	p.in, p.raw = in, false
	p.b.WriteString(in.Op.String())
	if in.Type != 0 {
		p.b.WriteByte(' ')
		p.b.WriteString(p.names(in.Type))
	}
	start := p.b.Len()
	walker := operandWalker{context: p.context, visit: p.operand}
	if walker.walk(in) != nil {
		p.b.Truncate(start)
		p.words(in.Args)
	}
}

func (p *instPrinter) words(words []uint32) {
	for _, w := range words {
		fmt.Fprintf(p.b, " !%#x", w)
	}
	p.raw = true
}

func (p *instPrinter) operand(o Operand) {
	word := o.Words[0]
	switch {
	case o.Kind.IsID():
		p.b.WriteByte(' ')
		p.b.WriteString(p.names(ID(word)))
		return
	case o.Kind == KindLiteralContextDependentNumber && !p.raw:
		// A narrow number with bits beyond its type has no literal.
		text := formatNumber(o.Words, o.Number)
		if words, err := parseNumber(text, o.Number); err == nil && slices.Equal(words, o.Words) {
			p.b.WriteByte(' ')
			p.b.WriteString(text)
			return
		}
	}
	if p.raw || o.Kind == KindLiteralContextDependentNumber {
		p.words(o.Words)
		return
	}
	p.b.WriteByte(' ')
	switch o.Kind {
	case KindLiteralString:
		s, _, _ := String(o.Words)
		p.b.WriteByte('"')
		for _, c := range []byte(s) {
			if c == '"' || c == '\\' {
				p.b.WriteByte('\\')
			}
			p.b.WriteByte(c)
		}
		p.b.WriteByte('"')
	case KindLiteralExtInstInteger:
		set := p.context.sets[ID(p.in.Args[0])]
		if p.module && set.name == debugPrintf {
			set.info = nil
		}
		p.b.WriteString(set.instName(word))
	case KindLiteralSpecConstantOpInteger:
		p.b.WriteString(Opcode(word).String()[len("Op"):])
	case KindLiteralInteger:
		p.b.WriteString(strconv.FormatUint(uint64(word), 10))
	default:
		p.b.WriteString(o.Kind.format(word))
	}
}

// instName gives the name of instruction n, or its number.
func (s importedSet) instName(n uint32) string {
	if s.info != nil {
		if in := s.info.lookup(n); in != nil {
			return in.name
		}
	}
	return strconv.FormatUint(uint64(n), 10)
}

// generators are the registered producers of SPIR-V by number, as spirv-dis
// names them (from Khronos' registry spir-v.xml).
var generators = [...]string{
	"Khronos", "LunarG", "Valve", "Codeplay", "NVIDIA", "ARM",
	"Khronos LLVM/SPIR-V Translator",
	"Khronos SPIR-V Tools Assembler",
	"Khronos Glslang Reference Front End",
	"Qualcomm", "AMD", "Intel", "Imagination",
	"Google Shaderc over Glslang",
	"Google spiregg",
	"Google rspirv",
	"X-LEGEND Mesa-IR/SPIR-V Translator",
	"Khronos SPIR-V Tools Linker",
	"Wine VKD3D Shader Compiler",
	"Tellusim Clay Shader Compiler",
	"W3C WebGPU Group WHLSL Shader Translator",
	"Google Clspv",
	"Google MLIR SPIR-V Serializer",
	"Google Tint Compiler",
	"Google ANGLE Shader Compiler",
	"Netease Games Messiah Shader Compiler",
	"Xenia Xenia Emulator Microcode Translator",
	"Embark Studios Rust GPU Compiler Backend",
	"gfx-rs community Naga",
	"Mikkosoft Productions MSP Shader Compiler",
	"SpvGenTwo community SpvGenTwo SPIR-V IR Tools",
	"Google Skia SkSL",
	"TornadoVM SPIRV Beehive Toolkit",
	"DragonJoker ShaderWriter",
	"Rayan Hatout SPIRVSmith",
	"Saarland University Shady",
	"Taichi Graphics Taichi",
}

func generatorName(n uint32) string {
	if n < uint32(len(generators)) {
		return generators[n]
	}
	return fmt.Sprintf("Unknown(%d)", n)
}
