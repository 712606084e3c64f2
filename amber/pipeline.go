package amber

// pipelineBlocks are the statements of a pipeline's body that run to an END.
var pipelineBlocks = []string{"SHADER_OPTIMIZATION", "COMPILE_OPTIONS", "SUBGROUP", "DEPTH", "STENCIL", "BLEND"}

func (p *parser) pipeline() {
	pl := &Pipeline{at: at(p.tok.off)}
	open := p.advance().word()
	p.block = func() { p.skipBlock(pipelineBlocks...) }
	kind := p.oneOf("compute", "graphics", "raytracing")
	pl.Name = p.word("the pipeline's name")
	p.endOfLine()
	switch kind.Text {
	case "graphics":
		p.unsupported(kind, "graphics pipelines")
		p.skipBlock(pipelineBlocks...)
	case "raytracing":
		p.unsupported(kind, "ray-tracing pipelines")
		p.skipBlock(pipelineBlocks...)
	default:
		p.lines(open, func() { p.pipelineStmt(pl) })
		p.add(pl)
	}
}

func (p *parser) derivePipeline() {
	pl := &Pipeline{at: at(p.tok.off)}
	open := p.advance().word()
	p.block = func() { p.skipBlock(pipelineBlocks...) }
	pl.Name = p.word("the pipeline's name")
	p.oneOf("FROM")
	pl.Parent = p.word("the parent pipeline's name")
	p.endOfLine()
	p.lines(open, func() { p.pipelineStmt(pl) })
	p.add(pl)
}

func (p *parser) pipelineStmt(pl *Pipeline) {
	key := p.tok.word()
	var s PipelineStmt
	switch key.Text {
	case "ATTACH":
		s = p.attach()
	case "BIND":
		s = p.bind()
	case "SET":
		s = p.setKernel()
	case "SHADER_OPTIMIZATION", "COMPILE_OPTIONS":
		s = p.shaderOptions()
	case "SUBGROUP":
		s = p.subgroup()
	case "FRAMEBUFFER_SIZE", "VIEWPORT", "VERTEX_DATA", "INDEX_DATA", "POLYGON_MODE", "PATCH_CONTROL_POINTS", "FRONT_FACE", "CULL_MODE":
		p.unsupported(key, "graphics pipelines ("+key.Text+")")
		p.skipLine()
		return
	case "DEPTH", "STENCIL", "BLEND":
		p.unsupported(key, "graphics pipelines ("+key.Text+")")
		p.skipLine()
		p.skipBlock()
		return
	case "SHADER_GROUP", "MAX_RAY_PAYLOAD_SIZE", "MAX_RAY_HIT_ATTRIBUTE_SIZE", "MAX_RAY_RECURSION_DEPTH", "FLAGS", "USE_LIBRARY":
		p.unsupported(key, "ray-tracing pipelines ("+key.Text+")")
		p.skipLine()
		return
	default:
		p.expected("ATTACH, BIND, SET, SHADER_OPTIMIZATION, COMPILE_OPTIONS, SUBGROUP or END")
	}
	p.endOfLine()
	pl.Body = append(pl.Body, s)
}

func (p *parser) attach() *Attach {
	a := &Attach{at: at(p.advance().off)}
	a.Shader = p.word("a shader's name")
	if p.accept("TYPE") {
		if !contains(shaderTypes, p.tok.text) {
			p.expected("a shader type (compute, ...)")
		}
		a.Type = p.advance().word()
	}
	if p.accept("ENTRY_POINT") {
		a.Entry = p.word("the entry point's name")
	}
	for !p.tok.isEnd() {
		if p.tok.text != "SPECIALIZE" {
			p.expected("TYPE, ENTRY_POINT or SPECIALIZE")
		}
		p.advance()
		sp := Specialize{ID: p.count("a specialization id", 0)}
		p.oneOf("AS")
		sp.Type = p.word("a data type")
		sp.Value = p.value("a number")
		a.Spec = append(a.Spec, sp)
	}
	return a
}

var bindKeywords = []string{
	"AS", "KERNEL", "SAMPLER", "DESCRIPTOR_SET", "BINDING", "OFFSET", "DESCRIPTOR_OFFSET", "DESCRIPTOR_RANGE", "BASE_MIP_LEVEL",
}

var bindKinds = []string{
	"uniform", "storage", "uniform_dynamic", "storage_dynamic", "uniform_texel_buffer", "storage_texel_buffer",
	"storage_image", "sampled_image", "combined_image_sampler", "push_constant",
}

func (p *parser) bind() *Bind {
	b := &Bind{at: at(p.advance().off)}
	object := p.tok.word()
	if object.Text == "ACCELERATION_STRUCTURE" {
		p.unsupported(object, "ray tracing (ACCELERATION_STRUCTURE)")
		panic(bailout{})
	}
	p.oneOf("BUFFER", "BUFFER_ARRAY", "SAMPLER", "SAMPLER_ARRAY")
	b.Sampler = object.Text[0] == 'S'
	b.Array = object.Text == "BUFFER_ARRAY" || object.Text == "SAMPLER_ARRAY"
	b.Names = []Word{p.word("the name of a buffer or sampler")}
	if b.Array {
		for !p.tok.isEnd() && !contains(bindKeywords, p.tok.text) {
			b.Names = append(b.Names, p.advance().word())
		}
	}
	if !b.Sampler && p.accept("AS") {
		switch p.tok.text {
		case "color", "depth_stencil", "resolve":
			p.unsupported(p.tok.word(), "graphics pipelines (attachments)")
			panic(bailout{})
		}
		if !contains(bindKinds, p.tok.text) {
			p.expected("a kind of binding (uniform, storage, uniform_dynamic, storage_dynamic, uniform_texel_buffer, " +
				"storage_texel_buffer, storage_image, sampled_image, combined_image_sampler, push_constant)")
		}
		b.As = p.advance().word()
	}
	for !p.tok.isEnd() {
		p.bindOption(b)
	}
	p.bindComplete(b)
	return b
}

func (p *parser) bindOption(b *Bind) {
	switch key := p.tok.word(); key.Text {
	case "DESCRIPTOR_SET":
		p.advance()
		b.Set = p.count("a descriptor set", 0)
		p.oneOf("BINDING")
		b.Binding = p.count("a binding", 0)
	case "KERNEL":
		p.advance()
		b.ArgName, b.ArgNumber = p.kernelArg()
	case "SAMPLER", "SAMPLER_ARRAY":
		if b.As.Text != "combined_image_sampler" {
			p.expected("DESCRIPTOR_SET or KERNEL (SAMPLER is for combined_image_sampler)")
		}
		p.advance()
		b.Samplers = []Word{p.word("a sampler's name")}
		for !p.tok.isEnd() && !contains(bindKeywords, p.tok.text) {
			b.Samplers = append(b.Samplers, p.advance().word())
		}
		if n := len(b.Samplers); n != 1 && n != len(b.Names) {
			p.failAt(b.Samplers[n-1], "expected one sampler or one for each of %d buffers, found %d", len(b.Names), n)
		}
	case "OFFSET":
		b.Offsets = p.perName(b, 0)
	case "DESCRIPTOR_OFFSET":
		b.DescOffsets = p.perName(b, 0)
	case "DESCRIPTOR_RANGE":
		b.DescRanges = p.perName(b, -1)
	case "BASE_MIP_LEVEL":
		b.BaseMips = p.perName(b, 0)
	default:
		p.expected("DESCRIPTOR_SET, KERNEL or an option of " + b.what())
	}
}

func (b *Bind) what() string {
	what := "BIND BUFFER"
	if b.Sampler {
		what = "BIND SAMPLER"
	}
	if b.Array {
		what += "_ARRAY"
	}
	return what
}

// perName takes one number for each name, none below low.
func (p *parser) perName(b *Bind, low int64) []Number {
	key := p.advance()
	var list []Number
	for range b.Names {
		n := p.integer("a number for each buffer after " + key.text)
		if n.Value < low {
			p.failAt(n.Word, "expected a number of at least %d, found %s", low, n.Text)
		}
		list = append(list, n)
	}
	return list
}

// bindComplete checks what a BIND needs besides its syntax.
func (p *parser) bindComplete(b *Bind) {
	dynamic := b.As.Text == "uniform_dynamic" || b.As.Text == "storage_dynamic"
	switch {
	case b.As.Text == "push_constant":
		if b.Array {
			p.failAt(b.As, "a buffer array cannot be push constants")
		}
		if b.Set.Given() || b.ArgName.Given() || b.ArgNumber.Given() {
			p.failAt(b.As, "push_constant takes no DESCRIPTOR_SET and no KERNEL")
		}
		return
	case !b.Set.Given() && !b.ArgName.Given() && !b.ArgNumber.Given():
		if !b.Sampler && !b.As.Given() {
			p.expected("AS, DESCRIPTOR_SET or KERNEL")
		}
		p.expected("DESCRIPTOR_SET or KERNEL")
	case b.As.Text == "combined_image_sampler" && b.Samplers == nil:
		p.expected("SAMPLER and a sampler's name")
	case dynamic && b.Offsets == nil:
		p.expected("OFFSET (for a dynamic buffer)")
	case !dynamic && b.Offsets != nil:
		p.failAt(b.Offsets[0].Word, "OFFSET is for uniform_dynamic and storage_dynamic")
	}
	if b.BaseMips != nil && (b.As.Text != "storage_image" && b.As.Text != "sampled_image" && b.As.Text != "combined_image_sampler") {
		p.failAt(b.BaseMips[0].Word, "BASE_MIP_LEVEL is for images")
	}
	if b.DescOffsets != nil || b.DescRanges != nil {
		switch b.As.Text {
		case "uniform", "storage", "uniform_dynamic", "storage_dynamic", "uniform_texel_buffer", "storage_texel_buffer":
		default:
			p.failAt(b.Names[0], "DESCRIPTOR_OFFSET and DESCRIPTOR_RANGE are for buffers")
		}
	}
}

func (p *parser) kernelArg() (name Word, number Number) {
	if key := p.oneOf("ARG_NAME", "ARG_NUMBER"); key.Text == "ARG_NAME" {
		return p.word("the argument's name"), number
	}
	return name, p.count("the argument's number", 0)
}

func (p *parser) setKernel() *SetKernel {
	s := &SetKernel{at: at(p.advance().off)}
	p.oneOf("KERNEL")
	s.ArgName, s.ArgNumber = p.kernelArg()
	p.oneOf("AS")
	s.Type = p.word("a data type")
	s.Value = p.value("a number")
	return s
}

func (p *parser) shaderOptions() *ShaderOptions {
	open := p.advance().word()
	s := &ShaderOptions{at: at(open.Off), Optimize: open.Text == "SHADER_OPTIMIZATION"}
	p.block = func() { p.skipBlock() }
	s.Shader = p.word("a shader's name")
	p.endOfLine()
	p.wordsToEND(open, func() { s.Options = append(s.Options, p.advance().word()) })
	p.block = nil
	return s
}

func (p *parser) subgroup() *Subgroup {
	open := p.advance().word()
	s := &Subgroup{at: at(open.Off)}
	p.block = func() { p.skipBlock() }
	s.Shader = p.word("a shader's name")
	p.endOfLine()
	p.wordsToEND(open, func() {
		switch key := p.oneOf("FULLY_POPULATED", "VARYING_SIZE", "REQUIRED_SIZE"); key.Text {
		case "FULLY_POPULATED":
			s.FullyPopulated = p.oneOf("on", "off")
		case "VARYING_SIZE":
			s.VaryingSize = p.oneOf("on", "off")
		case "REQUIRED_SIZE":
			if p.tok.text == "MIN" || p.tok.text == "MAX" {
				s.RequiredSize = p.advance().word()
				return
			}
			if !p.atInteger() {
				p.expected("a number of lanes, MIN or MAX")
			}
			s.RequiredSize = p.count("a number of lanes", 1).Word
		}
	})
	p.block = nil
	return s
}
