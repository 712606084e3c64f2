package amber

import (
	"fmt"
	"strings"
)

// Print writes a script's statements as text that Parse reads back: the same
// words and numbers in the same order, at other places, without comments.
func Print(s *Script) string {
	p := &printer{}
	p.line("#!amber")
	for _, stmt := range s.Stmts {
		p.stmt(stmt)
	}
	return p.b.String()
}

type printer struct {
	b     strings.Builder
	depth int
}

// line writes words with a blank between; empty ones are what was not given.
func (p *printer) line(words ...string) {
	line := strings.Repeat("  ", p.depth)
	for _, w := range words {
		if w != "" {
			line += w + " "
		}
	}
	p.b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// block writes an opening line, what is inside, and END.
func (p *printer) block(open []string, inside func()) {
	p.line(open...)
	p.depth++
	inside()
	p.depth--
	p.line("END")
}

// given is a keyword with its value, or nothing where there is none.
func given(keyword string, w Word) string {
	if !w.Given() {
		return ""
	}
	return keyword + " " + w.Text
}

func texts(words []Word) string {
	var list []string
	for _, w := range words {
		list = append(list, w.Text)
	}
	return strings.Join(list, " ")
}

func numbers(keyword string, list []Number) string {
	for _, n := range list {
		keyword += " " + n.Text
	}
	if list == nil {
		return ""
	}
	return keyword
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Require:
		p.line(s.Kind.Text, s.Name.Text)
	case *EngineData:
		p.line("SET ENGINE_DATA", s.Name.Text, s.Value.Text)
	case *VirtualFile:
		p.b.WriteString("VIRTUAL_FILE " + s.Path.Text + "\n" + s.Text + "END\n")
	case *Struct:
		p.block([]string{"STRUCT", s.Name.Text, given("STRIDE", s.Stride.Word)}, func() {
			for _, m := range s.Members {
				p.line(m.Type.Text, m.Name.Text, given("OFFSET", m.Offset.Word), given("ARRAY_STRIDE", m.ArrayStride.Word),
					given("MATRIX_STRIDE", m.MatrixStride.Word))
			}
		})
	case *Shader:
		p.line("SHADER", s.Type.Text, s.Name.Text, s.Format.Text, given("TARGET_ENV", s.TargetEnv),
			given("VIRTUAL_FILE", s.VirtualFile), given("FILE", s.File))
		if s.Inline {
			p.b.WriteString(s.Text + "END\n")
		}
	case *Buffer:
		p.buffer(s)
	case *Sampler:
		words := []string{"SAMPLER", s.Name.Text}
		for _, o := range s.Options {
			words = append(words, o.Key.Text, o.Value.Text)
		}
		p.line(words...)
	case *Pipeline:
		open := []string{"PIPELINE compute", s.Name.Text}
		if s.Parent.Given() {
			open = []string{"DERIVE_PIPELINE", s.Name.Text, "FROM", s.Parent.Text}
		}
		p.block(open, func() {
			for _, inner := range s.Body {
				p.pipelineStmt(inner)
			}
		})
	case *Run:
		words := []string{"RUN", "", s.Pipeline.Text, s.Groups[0].Text, s.Groups[1].Text, s.Groups[2].Text}
		if s.Timed {
			words[1] = "TIMED_EXECUTION"
		}
		p.line(words...)
	case *Repeat:
		p.block([]string{"REPEAT", s.Count.Text}, func() {
			for _, inner := range s.Body {
				p.stmt(inner)
			}
		})
	case *Copy:
		p.line("COPY", s.From.Text, "TO", s.To.Text)
	case *Clear:
		key := "CLEAR"
		if s.Color {
			key = "CLEAR_COLOR"
		}
		p.line(key, s.Pipeline.Text, texts(s.Values))
	case *Expect:
		p.expect(s)
	}
}

func (p *printer) buffer(s *Buffer) {
	words := []string{"BUFFER", s.Name.Text}
	if s.Image {
		words[0] = "IMAGE"
	}
	words = append(words, given("DATA_TYPE", s.DataType), given("FORMAT", s.Format), s.Layout.Text)
	if s.Dim > 0 {
		words = append(words, fmt.Sprintf("DIM_%dD", s.Dim))
	}
	words = append(words, given("SIZE", s.Size.Word), given("WIDTH", s.Width.Word), given("HEIGHT", s.Height.Word), given("DEPTH", s.Depth.Word),
		given("MIP_LEVELS", s.MipLevels.Word), given("SAMPLES", s.Samples.Word),
		given("LAYERS", s.Layers.Word))
	if s.Cube {
		words = append(words, "CUBE")
	}
	for _, a := range s.Addresses {
		words = append(words, "ADDRESS", a.At.Text, a.To.Text)
	}
	switch i := s.Init; {
	case i == nil:
	case i.Kind == InitData:
		p.block(append(words, "DATA"), func() {
			const perLine = 8
			for at := 0; at < len(i.Values); at += perLine {
				p.line(texts(i.Values[at:min(at+perLine, len(i.Values))]))
			}
		})
		return
	case i.Kind == InitFill:
		words = append(words, "FILL", i.Values[0].Text)
	case i.Kind == InitSeries:
		words = append(words, "SERIES_FROM", i.Values[0].Text, "INC_BY", i.Values[1].Text)
	case i.Kind == InitFile:
		words = append(words, "FILE", i.FileKind.Text, i.Path.Text)
	}
	p.line(words...)
}

func (p *printer) pipelineStmt(s PipelineStmt) {
	switch s := s.(type) {
	case *Attach:
		words := []string{"ATTACH", s.Shader.Text, given("TYPE", s.Type), given("ENTRY_POINT", s.Entry)}
		for _, c := range s.Spec {
			words = append(words, "SPECIALIZE", c.ID.Text, "AS", c.Type.Text, c.Value.Text)
		}
		p.line(words...)
	case *Bind:
		key := s.what()
		words := []string{key, texts(s.Names), given("AS", s.As)}
		if s.Samplers != nil {
			array := "SAMPLER "
			if len(s.Samplers) > 1 {
				array = "SAMPLER_ARRAY "
			}
			words = append(words, array+texts(s.Samplers))
		}
		if s.Set.Given() {
			words = append(words, "DESCRIPTOR_SET", s.Set.Text, "BINDING", s.Binding.Text)
		}
		words = append(words, kernelArg(s.ArgName, s.ArgNumber), numbers("OFFSET", s.Offsets), numbers("DESCRIPTOR_OFFSET", s.DescOffsets),
			numbers("DESCRIPTOR_RANGE", s.DescRanges), numbers("BASE_MIP_LEVEL", s.BaseMips))
		p.line(words...)
	case *SetKernel:
		p.line("SET", kernelArg(s.ArgName, s.ArgNumber), "AS", s.Type.Text, s.Value.Text)
	case *ShaderOptions:
		key := "COMPILE_OPTIONS"
		if s.Optimize {
			key = "SHADER_OPTIMIZATION"
		}
		p.block([]string{key, s.Shader.Text}, func() { p.line(texts(s.Options)) })
	case *Subgroup:
		p.block([]string{"SUBGROUP", s.Shader.Text}, func() {
			p.line(given("FULLY_POPULATED", s.FullyPopulated), given("VARYING_SIZE", s.VaryingSize), given("REQUIRED_SIZE", s.RequiredSize))
		})
	}
}

func kernelArg(name Word, number Number) string {
	switch {
	case name.Given():
		return "KERNEL ARG_NAME " + name.Text
	case number.Given():
		return "KERNEL ARG_NUMBER " + number.Text
	}
	return ""
}

func (p *printer) expect(s *Expect) {
	words := []string{"EXPECT", s.Buffer.Text}
	tolerance := ""
	for i, t := range s.Tolerance {
		if i == 0 {
			tolerance = "TOLERANCE"
		}
		tolerance += " " + t.Text
		if t.Percent && !strings.HasSuffix(t.Text, "%") {
			tolerance += "%"
		}
	}
	switch {
	case s.Other.Given():
		words = append(words, s.Op.Text, s.Other.Text, tolerance)
	default:
		words = append(words, numbers("IDX", s.Index), numbers("SIZE", s.Size), tolerance, s.Op.Text, texts(s.Values))
	}
	p.line(words...)
}
