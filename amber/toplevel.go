package amber

func (p *parser) add(s Stmt) { p.script.Stmts = append(p.script.Stmts, s) }

// topLevel parses one statement outside all blocks.
func (p *parser) topLevel() {
	if p.tok.text == "\n" {
		p.advance()
		return
	}
	key := p.tok.word()
	switch key.Text {
	case "DEVICE_FEATURE", "DEVICE_EXTENSION", "INSTANCE_EXTENSION", "DEVICE_PROPERTY":
		p.advance()
		p.add(&Require{at(key.Off), key, p.word("the name of a feature, extension or property")})
	case "SET":
		p.advance()
		p.oneOf("ENGINE_DATA")
		p.add(&EngineData{at(key.Off), p.oneOf("fence_timeout_ms"), p.count("a time in milliseconds", 0)})
	case "VIRTUAL_FILE":
		p.virtualFile()
	case "STRUCT":
		p.structure()
	case "SHADER":
		p.shader()
	case "BUFFER":
		p.buffer()
	case "IMAGE":
		p.image()
	case "SAMPLER":
		p.sampler()
	case "PIPELINE":
		p.pipeline()
	case "DERIVE_PIPELINE":
		p.derivePipeline()
	case "REPEAT":
		p.repeat()
	case "ACCELERATION_STRUCTURE":
		p.unsupported(key, "ray tracing (ACCELERATION_STRUCTURE)")
		p.stopped = true
		return
	case "DEBUG":
		p.unsupported(key, "DEBUG blocks")
		p.stopped = true
		return
	default:
		if s := p.command(); s != nil {
			p.add(s)
		} else if p.tok.off == key.Off {
			p.expected("a command (SHADER, BUFFER, PIPELINE, RUN, EXPECT, ...)")
		}
	}
	p.endOfLine()
}

func (p *parser) virtualFile() {
	v := &VirtualFile{at: at(p.tok.off)}
	open := p.advance().word()
	if p.tok.isEnd() {
		p.block = func() { p.textToEND(); p.advance() }
	}
	v.Path = p.word("the path of the virtual file")
	v.Text, v.TextOff = p.inlineText(open)
	p.add(v)
}

// inlineText takes the raw lines after the current one, up to END.
func (p *parser) inlineText(open Word) (string, int) {
	p.endOfLine()
	// The look-ahead token is the line end: the lexer stands right behind it.
	text, off, ok := p.textToEND()
	p.advance()
	if !ok {
		p.failAt(open, "%s has no END line", open.Text)
	}
	return text, off
}

var shaderTypes = []string{
	"compute", "multi", "vertex", "fragment", "geometry", "tessellation_evaluation", "tessellation_control",
	"task", "mesh", "raygen", "any_hit", "closest_hit", "miss", "intersection", "call",
}

var shaderFormats = []string{"GLSL", "HLSL", "SPIRV-ASM", "SPIRV-HEX", "SPIRV-BIN", "OPENCL-C"}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func (p *parser) shader() {
	s := &Shader{at: at(p.tok.off)}
	open := p.advance().word()
	// A broken header must not make the shader's text look like commands.
	p.block = func() { p.textToEND(); p.advance() }
	if !contains(shaderTypes, p.tok.text) {
		p.expected("a shader type (compute, multi, ...)")
	}
	s.Type = p.advance().word()
	s.Name = p.word("the shader's name")
	if p.tok.text == "PASSTHROUGH" {
		s.Format = p.advance().word()
		p.block = nil
		if s.Type.Text != "vertex" {
			p.failAt(s.Format, "PASSTHROUGH is only for vertex shaders")
		}
		p.add(s)
		return
	}
	if !contains(shaderFormats, p.tok.text) {
		p.expected("a shader format (GLSL, HLSL, SPIRV-ASM, SPIRV-HEX, SPIRV-BIN, OPENCL-C)")
	}
	s.Format = p.advance().word()
	if p.accept("TARGET_ENV") {
		s.TargetEnv = p.word("a target environment (spv1.3, vulkan1.1, ...)")
	}
	switch {
	case p.tok.text == "VIRTUAL_FILE":
		p.block = nil
		p.advance()
		s.VirtualFile = p.word("the path of a virtual file")
	case p.tok.text == "FILE":
		p.block = nil
		p.advance()
		s.File = p.word("a path")
	case s.Format.Text == "SPIRV-BIN":
		p.block = nil
		p.expected("FILE and a path")
	case !p.tok.isEnd():
		p.expected("the end of the line, FILE or VIRTUAL_FILE")
	default:
		s.Inline = true
		p.block = nil
		s.Text, s.TextOff = p.inlineText(open)
	}
	p.add(s)
}

func (p *parser) structure() {
	s := &Struct{at: at(p.tok.off)}
	open := p.advance().word()
	p.block = func() { p.skipBlock() }
	s.Name = p.word("the struct's name")
	if p.accept("STRIDE") {
		s.Stride = p.count("a stride in bytes", 1)
	}
	p.endOfLine()
	p.lines(open, func() {
		m := StructMember{Type: p.word("a member's type"), Name: p.word("the member's name")}
		for !p.tok.isEnd() {
			switch key := p.oneOf("OFFSET", "ARRAY_STRIDE", "MATRIX_STRIDE"); key.Text {
			case "OFFSET":
				m.Offset = p.count("an offset in bytes", 0)
			case "ARRAY_STRIDE":
				m.ArrayStride = p.count("a stride in bytes", 1)
			case "MATRIX_STRIDE":
				m.MatrixStride = p.count("a stride in bytes", 1)
			}
		}
		s.Members = append(s.Members, m)
	})
	if len(s.Members) == 0 {
		p.failAt(s.Name, "STRUCT %s has no members", s.Name.Text)
	}
	p.add(s)
}

func (p *parser) sampler() {
	s := &Sampler{at: at(p.advance().off)}
	s.Name = p.word("the sampler's name")
	for !p.tok.isEnd() {
		key := p.oneOf("MAG_FILTER", "MIN_FILTER", "ADDRESS_MODE_U", "ADDRESS_MODE_V", "ADDRESS_MODE_W",
			"BORDER_COLOR", "MIN_LOD", "MAX_LOD", "NORMALIZED_COORDS", "UNNORMALIZED_COORDS", "COMPARE", "COMPARE_OP")
		o := SamplerOption{Key: key}
		switch key.Text {
		case "NORMALIZED_COORDS", "UNNORMALIZED_COORDS":
		case "MIN_LOD", "MAX_LOD":
			o.Value = p.value("a number")
		case "COMPARE":
			o.Value = p.oneOf("on", "off")
		default:
			o.Value = p.word("the value of " + key.Text)
		}
		s.Options = append(s.Options, o)
	}
	p.add(s)
}
