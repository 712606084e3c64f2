package launch

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"ampdbg/amber"
)

// descriptorKinds are AmberScript's names after AS, push_constant aside.
var descriptorKinds = map[string]DescriptorKind{
	"uniform":                UniformBuffer,
	"storage":                StorageBuffer,
	"uniform_dynamic":        UniformBufferDynamic,
	"storage_dynamic":        StorageBufferDynamic,
	"uniform_texel_buffer":   UniformTexelBuffer,
	"storage_texel_buffer":   StorageTexelBuffer,
	"storage_image":          StorageImage,
	"sampled_image":          SampledImage,
	"combined_image_sampler": CombinedImageSampler,
}

func (k DescriptorKind) isImage() bool {
	return k == StorageImage || k == SampledImage || k == CombinedImageSampler
}

// IsTexelBuffer reports whether the kind is one of the two texel buffers.
func (k DescriptorKind) IsTexelBuffer() bool {
	return k == StorageTexelBuffer || k == UniformTexelBuffer
}

// IsDynamic reports whether the kind is bound with a dynamic offset.
func (k DescriptorKind) IsDynamic() bool {
	return k == StorageBufferDynamic || k == UniformBufferDynamic
}

func (k DescriptorKind) String() string {
	return [...]string{
		"storage buffer", "uniform buffer", "dynamic storage buffer", "dynamic uniform buffer",
		"storage texel buffer", "uniform texel buffer", "storage image", "sampled image",
		"combined image sampler", "sampler",
	}[k]
}

type slot struct{ set, binding uint32 }

// pipeline is a compute pipeline of a script. DERIVE_PIPELINE copies one.
type pipeline struct {
	name     amber.Word
	attach   *amber.Attach // nil: none yet
	shader   *amber.Shader
	bindings map[slot]*Binding
	untyped  map[slot]bool // bound without AS: the kind is that of the shader's variable
	push     *Buffer
	kernel   *amber.Word // the first KERNEL argument
	optimize map[string][]amber.Word
	subgroup map[string]Subgroup
	base     *Dispatch // what RUN copies; nil before the first one
}

func copyMap[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// pipeline reads a PIPELINE or DERIVE_PIPELINE. Statements after an error are
// read all the same.
func (b *builder) pipeline(decl *amber.Pipeline) error {
	p := &pipeline{}
	if decl.Parent.Given() {
		parent := b.pipelines[decl.Parent.Text]
		if parent == nil {
			return b.bad(decl.Parent, "no pipeline named %s is declared before this one", decl.Parent.Text)
		}
		*p = *parent
		p.base = nil
	}
	p.name = decl.Name
	p.bindings, p.untyped = copyMap(p.bindings), copyMap(p.untyped)
	p.optimize, p.subgroup = copyMap(p.optimize), copyMap(p.subgroup)
	b.pipelines[decl.Name.Text] = p
	attached := false
	for _, s := range decl.Body {
		switch s := s.(type) {
		case *amber.Attach:
			if attached {
				b.note(b.bad(s.Shader, "a compute pipeline has one shader; %s is the second", s.Shader.Text))
				continue
			}
			attached = true
			b.note(b.attach(p, s))
		case *amber.Bind:
			b.note(b.bind(p, s))
		case *amber.SetKernel:
			key := amber.Word{Text: "SET", Off: s.Offset()}
			p.kernel = &key
		case *amber.ShaderOptions:
			b.note(b.shaderOptions(p, s))
		case *amber.Subgroup:
			b.note(b.subgroup(p, s))
		}
	}
	return nil
}

// shaderOptions keeps optimiser passes. Compile options are those of the
// OpenCL C compiler: for other shaders amber ignores them too.
func (b *builder) shaderOptions(p *pipeline, s *amber.ShaderOptions) error {
	shader, err := b.shaderNamed(s.Shader)
	switch {
	case err != nil:
		return err
	case s.Optimize:
		p.optimize[s.Shader.Text] = s.Options
	case shader.Format.Text != "OPENCL-C":
		b.launch.Notes = append(b.launch.Notes, Note{b.script.WordPos(s.Shader),
			"COMPILE_OPTIONS are for OPENCL-C shaders and are ignored for " + s.Shader.Text})
	}
	return nil
}

func (b *builder) shaderNamed(w amber.Word) (*amber.Shader, error) {
	if s := b.shaders[w.Text]; s != nil {
		return s, nil
	}
	return nil, b.bad(w, "no shader is named %s", w.Text)
}

func (b *builder) attach(p *pipeline, a *amber.Attach) error {
	shader, err := b.shaderNamed(a.Shader)
	if err != nil {
		return err
	}
	kind := shader.Type.Text
	if a.Type.Given() {
		if kind != "multi" && kind != a.Type.Text {
			return b.bad(a.Type, "shader %s is a %s shader", a.Shader.Text, kind)
		}
		kind = a.Type.Text
	}
	if kind == "multi" {
		return b.bad(a.Shader, "shader %s is of type multi: expected TYPE compute", a.Shader.Text)
	}
	if kind != "compute" {
		return b.bad(a.Shader, "a compute pipeline takes no %s shader", kind)
	}
	p.attach, p.shader = a, shader
	return nil
}

func (b *builder) subgroup(p *pipeline, s *amber.Subgroup) error {
	if _, err := b.shaderNamed(s.Shader); err != nil {
		return err
	}
	g := Subgroup{FullyPopulated: s.FullyPopulated.Text == "on", VaryingSize: s.VaryingSize.Text == "on"}
	switch s.RequiredSize.Text {
	case "":
	case "MIN":
		g.RequiredSize = RequiredMin
	case "MAX":
		g.RequiredSize = RequiredMax
	default:
		n, err := strconv.ParseInt(s.RequiredSize.Text, 0, 64)
		if err != nil || bits.OnesCount64(uint64(n)) != 1 || n > 128 {
			return b.bad(s.RequiredSize, "expected a power of two up to 128 as the subgroup size, found %s", s.RequiredSize.Text)
		}
		g.RequiredSize = int(n)
	}
	p.subgroup[s.Shader.Text] = g
	return nil
}

// bind adds a binding to the pipeline, in place of what the parent pipeline
// has there.
func (b *builder) bind(p *pipeline, s *amber.Bind) error {
	if s.As.Text == "push_constant" {
		m, err := b.memoryNamed(s.Names[0])
		if err != nil {
			return err
		}
		if m.image != nil {
			return b.bad(s.Names[0], "%s is an image and cannot be push constants", s.Names[0].Text)
		}
		p.push = m.buffer
		return nil
	}
	if !s.Set.Given() {
		key := amber.Word{Text: "BIND", Off: s.Offset()}
		p.kernel = &key
		return nil
	}
	at := slot{uint32(s.Set.Value), uint32(s.Binding.Value)}
	kind, typed := descriptorKinds[s.As.Text]
	if s.Sampler {
		kind, typed = SeparateSampler, true
	}
	binding := &Binding{Set: at.set, Binding: at.binding, Kind: kind, Pos: b.script.Pos(s.Offset())}
	for i, name := range s.Names {
		d, err := b.descriptor(s, i, name, kind)
		if err != nil {
			return err
		}
		binding.Elems = append(binding.Elems, d)
	}
	p.bindings[at], p.untyped[at] = binding, !typed
	return nil
}

func (b *builder) memoryNamed(w amber.Word) (*memory, error) {
	if m := b.memory[w.Text]; m != nil {
		return m, nil
	}
	return nil, b.bad(w, "no buffer or image is named %s", w.Text)
}

func (b *builder) samplerNamed(w amber.Word) (*Sampler, error) {
	if s := b.samplers[w.Text]; s != nil {
		return s, nil
	}
	return nil, b.bad(w, "no sampler is named %s", w.Text)
}

// nth gives the number for element i, or absent if the list is not given.
func nth(list []amber.Number, i int, absent int64) int64 {
	if list == nil {
		return absent
	}
	return list[i].Value
}

// descriptor makes element i of a binding.
func (b *builder) descriptor(s *amber.Bind, i int, name amber.Word, kind DescriptorKind) (d Descriptor, err error) {
	if s.Sampler {
		d.Sampler, err = b.samplerNamed(name)
		return d, err
	}
	m, err := b.memoryNamed(name)
	if err != nil {
		return d, err
	}
	if s.Samplers != nil {
		if d.Sampler, err = b.samplerNamed(s.Samplers[min(i, len(s.Samplers)-1)]); err != nil {
			return d, err
		}
	}
	if kind.isImage() {
		if m.image == nil {
			return d, nil // its declaration is in error
		}
		d.Image = m.image
		d.BaseMip = int(nth(s.BaseMips, i, 0))
		if d.BaseMip >= d.Image.MipLevels {
			return d, b.bad(s.BaseMips[i].Word, "image %s has %d mip levels", name.Text, d.Image.MipLevels)
		}
		return d, nil
	}
	if m.image != nil {
		if m.decl.Image {
			return d, b.bad(name, "%s is an image and cannot be bound as a %s", name.Text, kind)
		}
		return d, b.unsupported(name, "buffer %s is bound both as an image and as a %s", name.Text, kind)
	}
	d.Buffer = m.buffer
	if kind.IsTexelBuffer() && m.elem != nil {
		f := formatOf(m.elem)
		if f == nil || f.TexelSize != m.elem.Stride {
			return d, b.bad(name, "%s cannot be the texels of a %s", m.elem.Name, kind)
		}
		d.Format = f.Name
	}
	d.Dynamic = nth(s.Offsets, i, 0)
	d.Offset = nth(s.DescOffsets, i, 0)
	d.Range = nth(s.DescRanges, i, -1)
	size := int64(len(d.Buffer.Data))
	if d.Offset > size || d.Dynamic > size-d.Offset {
		w := name
		if s.DescOffsets != nil {
			w = s.DescOffsets[i].Word
		}
		return d, b.bad(w, "offset %d lies outside buffer %s, which has %d bytes", d.Offset+d.Dynamic, name.Text, size)
	}
	d.Offset += d.Dynamic
	if d.Range < 0 {
		d.Range = size - d.Offset
	} else if d.Range > size-d.Offset {
		return d, b.bad(s.DescRanges[i].Word, "range of %d bytes at offset %d ends outside buffer %s, which has %d bytes",
			d.Range, d.Offset, name.Text, size)
	}
	return d, nil
}

// dispatch gives what a RUN of the pipeline starts from. The shader is
// compiled the first time.
func (b *builder) dispatch(p *pipeline, run amber.Word) (*Dispatch, error) {
	if p.base != nil {
		return p.base, nil
	}
	if p.attach == nil {
		return nil, b.bad(p.name, "pipeline %s has no compute shader attached", p.name.Text)
	}
	if p.shader.Format.Text == "OPENCL-C" {
		return nil, b.unsupported(p.shader.Format, "OPENCL-C shaders (no clspv)")
	}
	if p.kernel != nil {
		return nil, b.unsupported(*p.kernel, "OpenCL kernel arguments by name or number (KERNEL)")
	}
	d := &Dispatch{
		Entry: "main", Robust: b.robust, Pipeline: p.name.Text, PushBuffer: p.push,
		Subgroup: p.subgroup[p.shader.Name.Text],
	}
	if p.attach.Entry.Given() {
		d.Entry = p.attach.Entry.Text
	}
	if b.opt.Entry != "" {
		d.Entry = b.opt.Entry
	}
	module, err := b.module(p, d.Entry)
	if err != nil {
		return nil, err
	}
	d.Module = module
	if err := hasEntry(module, d.Entry); err != nil {
		w := p.attach.Shader
		if p.attach.Entry.Given() {
			w = p.attach.Entry
		}
		return nil, b.bad(w, "%s", err)
	}
	if d.Spec, err = b.specialize(p.attach.Spec); err != nil {
		return nil, err
	}
	for at, binding := range p.bindings {
		if p.untyped[at] {
			if binding, err = typed(module, binding); err != nil {
				return nil, err
			}
		}
		d.Bindings = append(d.Bindings, *binding)
	}
	slices.SortFunc(d.Bindings, func(x, y Binding) int {
		return cmp.Or(cmp.Compare(x.Set, y.Set), cmp.Compare(x.Binding, y.Binding))
	})
	p.base = d
	return d, nil
}

func (b *builder) specialize(list []amber.Specialize) (map[uint32]uint64, error) {
	if list == nil {
		return nil, nil
	}
	values := map[uint32]uint64{}
	for _, s := range list {
		k, ok := LookupScalar(s.Type.Text)
		if !ok {
			return nil, b.bad(s.Type, "expected a scalar type, found %q", s.Type.Text)
		}
		raw, err := Scalar{Kind: k}.parse(s.Value.Text)
		if err != nil {
			return nil, b.bad(s.Value, "%s", err)
		}
		values[uint32(s.ID.Value)] = raw
	}
	return values, nil
}
