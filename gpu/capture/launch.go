package capture

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/gpu"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// Shot is a captured dispatch.
type Shot struct {
	Number   uint64
	Kernel   string // its id, 16 hex digits
	Name     string // of the pipeline or module; else of the entry point
	Label    string
	Groups   [3]uint32 // of an indirect dispatch too
	Indirect bool
	Device   string
	Driver   string
	Subgroup gpu.Subgroup
	Launch   *launch.Launch
	// Before says that the launch's memory is what the dispatch saw; otherwise
	// the program ended before it was copied, and it is zero.
	Before bool
	// After is the memory of the launch's buffers, then of its images, as the
	// device left it; nil if the device did not get to the end.
	After [][]byte
	Notes []string
}

// maxBytes bounds the memory of a shot.
const maxBytes = launch.MaxBytes

// Load makes the launch of a shot of the process. The error is a *diag.Error
// of class Unsupported where a launch cannot say what the dispatch is.
func (p *Process) Load(number uint64) (*Shot, error) {
	s, err := readShot(p.Dir, number)
	if err != nil {
		return nil, err
	}
	words, err := s.readModule(p.Dir)
	if err != nil {
		return nil, err
	}
	return s.launch(words)
}

func unsupported(format string, args ...any) error {
	return &diag.Error{Class: diag.Unsupported, Msg: "unsupported: " + fmt.Sprintf(format, args...)}
}

func damaged(format string, args ...any) error {
	return &diag.Error{Msg: "a damaged capture: " + fmt.Sprintf(format, args...)}
}

// region is memory that becomes one buffer: pieces that overlap, in one buffer
// of the program or in several that share memory.
type region struct {
	begin, end uint64 // in memory, or in the buffer if that is not known
	pieces     []piece
	buffer     *launch.Buffer
	after      []byte
	bound      bool
	starts     []span // of device addresses
	typ        string
}

// span is where a piece lies in the address space of the device.
type span struct {
	first, last uint64 // last: one past the end, which a pointer may hold
	in          *region
	at          uint64 // first's offset in the region
}

// place gives a piece's place where all pieces of its memory are comparable.
func (p *piece) place() (key [2]uint64, begin, end uint64) {
	if p.memory == 0 {
		return [2]uint64{0, uint64(p.buffer)}, p.begin, p.end
	}
	return [2]uint64{p.memory}, p.offset + p.begin, p.offset + p.end
}

// regions puts pieces together that overlap.
func regions(pieces []piece) []*region {
	list := slices.Clone(pieces)
	slices.SortStableFunc(list, func(x, y piece) int {
		kx, bx, _ := x.place()
		ky, by, _ := y.place()
		return cmp.Or(cmp.Compare(kx[0], ky[0]), cmp.Compare(kx[1], ky[1]), cmp.Compare(bx, by))
	})
	var out []*region
	var key [2]uint64
	for _, p := range list {
		k, begin, end := p.place()
		if n := len(out); n > 0 && k == key && begin < out[n-1].end {
			out[n-1].end = max(out[n-1].end, end)
			out[n-1].pieces = append(out[n-1].pieces, p)
			continue
		}
		key = k
		out = append(out, &region{begin: begin, end: end, pieces: []piece{p}})
	}
	return out
}

// copyOf takes size bytes of a raw file.
func copyOf(file []byte, at, size uint64) ([]byte, bool) {
	if at > uint64(len(file)) || size > uint64(len(file))-at {
		return nil, false
	}
	return file[at : at+size], true
}

// fill gives a region its memory before and after the dispatch.
func (r *region) fill(s *shot) error {
	data := make([]byte, r.end-r.begin)
	for _, p := range r.pieces {
		_, begin, _ := p.place()
		if s.before == nil {
			continue
		}
		from, ok := copyOf(s.before, p.before, p.end-p.begin)
		if !ok {
			return damaged("the memory before the dispatch ends early")
		}
		copy(data[begin-r.begin:], from)
	}
	r.buffer = &launch.Buffer{Data: data}
	if s.after == nil {
		return nil
	}
	r.after = bytes.Clone(data)
	for _, p := range r.pieces {
		_, begin, _ := p.place()
		if p.after < 0 {
			continue
		}
		from, ok := copyOf(s.after, uint64(p.after), p.end-p.begin)
		if !ok {
			return damaged("the memory after the dispatch ends early")
		}
		copy(r.after[begin-r.begin:], from)
	}
	return nil
}

// converter makes a launch of a shot.
type converter struct {
	s       *shot
	out     *Shot
	l       *launch.Launch
	d       *launch.Dispatch
	unit    *spirv.Unit
	regions []*region
	listed  []*region // those that are bound or pointed to, in the order of the bindings
	images  []*launch.Image
	names   map[string]bool
	block   []*launch.Buffer // of inline uniform blocks
	texels  map[*launch.Buffer]string
}

func (s *shot) launch(words []byte) (*Shot, error) {
	c := &converter{s: s, names: map[string]bool{}, texels: map[*launch.Buffer]string{}}
	m, err := spirv.Decode("module.spv", words)
	if err != nil {
		return nil, err
	}
	c.d = &launch.Dispatch{Module: m, Entry: s.entry, Groups: s.groups}
	if len(s.spec) > 0 {
		c.d.Spec = s.spec
	}
	if c.unit, err = spirv.Resolve(m, c.d.Spec); err != nil {
		return nil, err
	}
	c.l = &launch.Launch{Name: "launch.amber", Steps: []launch.Step{c.d}}
	c.d.Subgroup = launch.Subgroup{VaryingSize: s.stageFlags&1 != 0, FullyPopulated: s.stageFlags&2 != 0}
	if s.required != 0 {
		c.d.Subgroup.RequiredSize, c.d.Subgroup.VaryingSize = int(s.required), false
	}
	if s.robust && s.storageRobustness != 1 || s.storageRobustness > 1 {
		c.d.Robust = true
		c.l.Require = []launch.Requirement{{Kind: "DEVICE_FEATURE", Name: "robustBufferAccess"}}
	}
	c.out = &Shot{Number: s.number, Kernel: s.kernel, Name: s.name, Label: s.label, Groups: s.groups, Indirect: s.indirect, Device: s.device,
		Driver: strings.TrimSpace(s.driver + " " + s.driverInfo), Subgroup: subgroup(s.subgroup), Launch: c.l, Before: s.before != nil}
	if c.out.Name == "" {
		c.out.Name = s.entry
	}
	return c.out, c.convert()
}

// subgroup takes over what the layer says of the device's warps.
func subgroup(v [5]uint32) gpu.Subgroup {
	return gpu.Subgroup{Size: v[0], Min: v[1], Max: v[2], Compute: v[3]&0x20 != 0, SizeControl: v[1] != v[2]}
}

func (c *converter) convert() error {
	s := c.s
	var total uint64
	for _, p := range s.pieces {
		if p.begin >= p.end || p.end-p.begin > maxBytes || p.offset > 1<<60 || p.begin > 1<<60 {
			return damaged("bytes %d to %d of a buffer", p.begin, p.end)
		}
		total += p.end - p.begin
	}
	for _, i := range s.images {
		total += min(i.size, maxBytes+1)
	}
	if total > maxBytes {
		return unsupported("%d bytes of memory", total)
	}
	c.regions = regions(s.pieces)
	for _, r := range c.regions {
		if err := r.fill(s); err != nil {
			return err
		}
		for _, p := range r.pieces {
			if _, begin, _ := p.place(); p.address != 0 {
				r.starts = append(r.starts, span{p.address + p.begin, p.address + p.end, r, begin - r.begin})
			}
		}
	}
	resources := map[[2]uint32]launch.Resource{}
	list, err := launch.Resources(c.unit, s.entry)
	if err != nil {
		return err
	}
	for _, r := range list {
		if strings.HasPrefix(r.Name, "%") { // the module has no name for it
			r.Name = fmt.Sprintf("set%d_binding%d", r.Set, r.Binding)
		}
		resources[[2]uint32{r.Set, r.Binding}] = r
	}
	for i, img := range s.images {
		if err := c.image(i, img); err != nil {
			return err
		}
	}
	for _, b := range s.binds {
		r, used := resources[[2]uint32{b.set, b.binding}]
		if !used {
			continue // the layout has it, and another entry point or kernel uses it
		}
		if err := c.bind(b, r); err != nil {
			return err
		}
	}
	slices.SortStableFunc(c.d.Bindings, func(x, y launch.Binding) int {
		return cmp.Or(cmp.Compare(x.Set, y.Set), cmp.Compare(x.Binding, y.Binding))
	})
	push := c.push()
	if s.addresses {
		c.relocate(push)
	}
	c.finish(push)
	return nil
}

// name gives a name that a script can have and no other memory has.
func (c *converter) name(wanted string) string {
	name := Plain(wanted)
	if name == "" {
		name = "memory"
	}
	for base, n := name, 2; c.names[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	c.names[name] = true
	return name
}

// Plain keeps of a name what can stand in a script and in a path.
func Plain(name string) string {
	const most = 48
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, name)
	out = strings.Trim(out[:min(len(out), most)], "_.-")
	return out
}

// views are Vulkan's types of image view by number.
var views = [...]launch.Image{{Dim: 1}, {Dim: 2}, {Dim: 3}, {Dim: 2, Cube: true}, {Dim: 1}, {Dim: 2}, {Dim: 2, Cube: true}}

func (c *converter) image(i int, img image) error {
	format, ok := gpu.FormatName(img.format)
	if !ok {
		return unsupported("image format %d", img.format)
	}
	if img.view < 0 || img.view >= int64(len(views)) {
		return damaged("view type %d", img.view)
	}
	out := views[img.view]
	out.Format, out.Width, out.Height, out.Depth = format, int(img.width), int(img.height), int(img.depth)
	out.Layers, out.MipLevels, out.Samples = int(img.layers), int(img.levels), 1
	if img.layers == 0 || out.Cube && img.layers%6 != 0 || img.levels == 0 || img.levels > 32 || img.width == 0 || img.height == 0 || img.depth == 0 {
		return damaged("image %d", i)
	}
	var texels uint64
	for level := range out.MipLevels {
		n := out.LevelTexels(level)
		if n < 0 || uint64(n) > maxBytes {
			return damaged("the extent of image %d", i)
		}
		texels += uint64(n)
	}
	if texels == 0 || img.size%texels != 0 || img.size > maxBytes {
		return damaged("image %d has %d bytes for %d texels", i, img.size, texels)
	}
	out.Data = make([]byte, img.size)
	if c.s.before != nil {
		from, ok := copyOf(c.s.before, img.before, img.size)
		if !ok {
			return damaged("the memory before the dispatch ends early")
		}
		copy(out.Data, from)
	}
	c.images = append(c.images, &out)
	return nil
}

// kinds are Vulkan's descriptor types by number.
var kinds = map[int64]launch.DescriptorKind{
	0: launch.SeparateSampler, 1: launch.CombinedImageSampler, 2: launch.SampledImage, 3: launch.StorageImage, 4: launch.UniformTexelBuffer,
	5: launch.StorageTexelBuffer, 6: launch.UniformBuffer, 7: launch.StorageBuffer, 8: launch.UniformBufferDynamic, 9: launch.StorageBufferDynamic,
	inlineBlock: launch.UniformBuffer,
}

const inlineBlock = 1000138000

// bind adds an element to a binding of the launch.
func (c *converter) bind(b bind, r launch.Resource) error {
	kind, ok := kinds[b.kind]
	if !ok {
		return unsupported("descriptors of type %d", b.kind)
	}
	var e launch.Descriptor
	switch kind {
	case launch.SeparateSampler, launch.CombinedImageSampler, launch.SampledImage, launch.StorageImage:
		if kind != launch.SeparateSampler {
			if b.image < 0 || b.image >= int64(len(c.images)) {
				return damaged("binding %d.%d has no image", b.set, b.binding)
			}
			e.Image = c.images[b.image]
			if e.Image.Name == "" {
				e.Image.Name = c.name(r.Name)
				c.l.Images = append(c.l.Images, e.Image)
			}
		}
		if kind == launch.SeparateSampler || kind == launch.CombinedImageSampler {
			if b.sampler == nil {
				return damaged("binding %d.%d has no sampler", b.set, b.binding)
			}
			e.Sampler = c.sampler(b.sampler, r.Name)
		}
	default:
		if err := c.bindBuffer(b, r, &e); err != nil {
			return err
		}
		if kind.IsTexelBuffer() {
			if e.Format, ok = gpu.FormatName(b.format); !ok {
				return unsupported("texel buffers of format %d", b.format)
			}
			if old := c.texels[e.Buffer]; old != "" && old != e.Format {
				return unsupported("texels of two formats in one memory, %s and %s", old, e.Format)
			}
			c.texels[e.Buffer] = e.Format
		}
	}
	if n := len(c.d.Bindings); n > 0 && c.d.Bindings[n-1].Set == b.set && c.d.Bindings[n-1].Binding == b.binding {
		last := &c.d.Bindings[n-1]
		if last.Kind != kind {
			return unsupported("binding %d.%d has descriptors of several types", b.set, b.binding)
		}
		if int(b.element) != len(last.Elems) {
			return unsupported("the array at binding %d.%d has empty elements", b.set, b.binding)
		}
		last.Elems = append(last.Elems, e)
		return nil
	}
	if b.element != 0 {
		return unsupported("the array at binding %d.%d has empty elements", b.set, b.binding)
	}
	c.d.Bindings = append(c.d.Bindings, launch.Binding{Set: b.set, Binding: b.binding, Kind: kind, Elems: []launch.Descriptor{e}})
	return nil
}

func (c *converter) bindBuffer(b bind, r launch.Resource, e *launch.Descriptor) error {
	if b.bytes != nil {
		e.Buffer = &launch.Buffer{Name: c.name(r.Name), Data: b.bytes}
		e.Range = int64(len(b.bytes))
		c.block = append(c.block, e.Buffer)
		return nil
	}
	for _, g := range c.regions {
		for _, p := range g.pieces {
			if int64(p.buffer) != b.buffer || b.begin < p.begin || b.begin > p.end || b.size > p.end-b.begin {
				continue
			}
			_, begin, _ := p.place()
			if !g.bound {
				c.list(g, r.Name)
				g.typ = elementType(c.unit, r)
			}
			e.Buffer, e.Offset, e.Range = g.buffer, int64(begin-g.begin+b.begin-p.begin), int64(b.size)
			return nil
		}
	}
	return damaged("binding %d.%d names memory that was not copied", b.set, b.binding)
}

// list makes a region one of the launch's buffers.
func (c *converter) list(r *region, name string) {
	r.bound = true
	r.buffer.Name = c.name(name)
	c.listed = append(c.listed, r)
}

// elementType is AmberScript's name for what repeats in a variable's memory,
// where that is scalars or vectors of one type; else "".
func elementType(u *spirv.Unit, r launch.Resource) string {
	v := u.Var(r.ID)
	if v == nil || v.Type == nil {
		return ""
	}
	t := v.Type.Elem
	for t != nil && (t.Kind == spirv.Array || t.Kind == spirv.RuntimeArray || t.Kind == spirv.Struct && len(t.Members) == 1) {
		if t.Kind == spirv.Struct {
			t = t.Members[0].Type
		} else {
			t = t.Elem
		}
	}
	if t == nil {
		return ""
	}
	scalar := t.Component()
	if scalar == nil || t.Kind == spirv.Matrix || t.Kind == spirv.Vector && t.Len == 3 || scalar.Kind == spirv.Bool {
		return ""
	}
	name := scalar.String()
	switch name {
	case "float16", "float64":
	case "float32":
		name = "float"
	}
	if t.Kind == spirv.Vector {
		return fmt.Sprintf("vec%d<%s>", t.Len, name)
	}
	return name
}

func (c *converter) sampler(s *sampler, name string) *launch.Sampler {
	mode := func(m uint32) launch.AddressMode { return launch.AddressMode(min(m, uint32(launch.MirrorClampToEdge))) }
	out := launch.NewSampler(c.name(name + "_sampler"))
	out.MagLinear, out.MinLinear, out.MipLinear = s.mag == 1, s.min == 1, s.mip == 1
	out.AddressU, out.AddressV, out.AddressW = mode(s.u), mode(s.v), mode(s.w)
	out.MinLOD, out.MaxLOD, out.LODBias = s.minLOD, s.maxLOD, s.bias
	out.Unnormalized, out.Compare = s.unnormalized != 0, s.compare != 0
	borders := []string{"FLOAT_TRANSPARENT_BLACK", "INT_TRANSPARENT_BLACK", "FLOAT_OPAQUE_BLACK", "INT_OPAQUE_BLACK", "FLOAT_OPAQUE_WHITE", "INT_OPAQUE_WHITE"}
	out.BorderColor = borders[min(int(s.border), len(borders)-1)]
	operators := []string{"never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"}
	out.CompareOp = operators[min(int(s.op), len(operators)-1)]
	if s.bias != 0 {
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("sampler %s has a LOD bias of %g, which a script does not say", out.Name, s.bias))
	}
	if s.mip == 1 {
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("sampler %s mixes mip levels, which a script does not say", out.Name))
	}
	if s.anisotropic != 0 {
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("sampler %s is anisotropic, which a script does not say", out.Name))
	}
	if s.border >= uint32(len(borders)) && (out.AddressU == launch.ClampToBorder || out.AddressV == launch.ClampToBorder || out.AddressW == launch.ClampToBorder) {
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("sampler %s has a border colour of the program's own, which a script does not say", out.Name))
	}
	c.l.Samplers = append(c.l.Samplers, out)
	return out
}

// push makes the buffer of the push constants, if the module has any.
func (c *converter) push() *launch.Buffer {
	for _, v := range c.unit.Globals {
		if v.Storage == spirv.StorageClassPushConstant && len(c.s.push) > 0 {
			return &launch.Buffer{Name: c.name("push"), Data: c.s.push}
		}
	}
	return nil
}

// relocate finds the words that hold device addresses of captured memory, from
// what is bound on, and makes them the launch's.
func (c *converter) relocate(push *launch.Buffer) {
	var spans []span
	for _, r := range c.regions {
		spans = append(spans, r.starts...)
	}
	slices.SortFunc(spans, func(x, y span) int { return cmp.Compare(x.first, y.first) })
	queue := slices.Clone(c.listed)
	scan := func(b *launch.Buffer) {
		for at := 0; at+8 <= len(b.Data); at += 8 {
			word := binary.LittleEndian.Uint64(b.Data[at:])
			i, exact := slices.BinarySearchFunc(spans, word, func(s span, w uint64) int { return cmp.Compare(s.first, w) })
			if !exact {
				i--
			}
			if i < 0 || word > spans[i].last || word == 0 {
				continue
			}
			to := spans[i].in
			if !to.bound {
				c.list(to, cmp.Or(to.pieces[0].name, "addressed"))
				queue = append(queue, to)
			}
			b.Addresses = append(b.Addresses, launch.Address{At: at, To: to.buffer, Add: int64(word - spans[i].first + spans[i].at)})
		}
	}
	if push != nil {
		scan(push)
	}
	for _, b := range c.block {
		scan(b)
	}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		scan(r.buffer)
	}
	c.out.Notes = append(c.out.Notes, "words that look like device addresses of the program's buffers are taken for such")
}

// finish lists the memory, with its types and what the device left.
func (c *converter) finish(push *launch.Buffer) {
	add := func(b *launch.Buffer, typ string, after []byte) {
		for _, name := range []string{typ, "uint32", "uint8"} {
			if t, err := launch.ElementType(name); name != "" && err == nil && len(b.Data)%t.Stride == 0 {
				b.Elem = t
				break
			}
		}
		c.l.Buffers = append(c.l.Buffers, b)
		if c.s.after != nil {
			c.out.After = append(c.out.After, after)
		}
	}
	for _, r := range c.listed {
		add(r.buffer, r.typ, r.after)
	}
	for _, b := range c.block {
		add(b, "", b.Data)
	}
	if push != nil {
		c.d.PushBuffer = push
		add(push, "", push.Data)
	}
	if c.s.after == nil {
		return
	}
	for _, i := range c.l.Images {
		data := i.Data
		if raw := c.s.images[slices.Index(c.images, i)]; raw.after >= 0 {
			if from, ok := copyOf(c.s.after, uint64(raw.after), raw.size); ok {
				data = from
			}
		}
		c.out.After = append(c.out.After, data)
	}
}
