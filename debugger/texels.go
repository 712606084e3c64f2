package debugger

import (
	"fmt"
	"strings"

	"ampdbg/debugger/expr"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/tilemem/texel"
	"ampdbg/warp"
)

// texels is the part of a place that lies in an image or a texel buffer: all of
// it, or a texel of it, or a component of that.
type texels struct {
	im   *texel.Image
	name string // of the image
	one  bool   // a texel, which begins at the place's offset
	span int    // bytes of the texel: with all of its samples, unless one was chosen
	// channels are the components that a texel's value has.
	channels []int
}

// imageOperand is a whole image.
func imageOperand(im *texel.Image, name string, view int, mem *tilemem.Memory) operand {
	return operand{t: imageType, at: &place{view: view, data: im.Data, mem: mem, texels: &texels{im: im, name: name}}}
}

// imageType is the type of all images in expressions.
var imageType = &spirv.Type{Kind: spirv.Image}

// images reads an image variable, or an array of them; nil if the kernel has no
// use for it.
func (t *target) images(v *spirv.Variable) getter {
	var views []int
	for i := range t.c.Views {
		if info := &t.c.Views[i]; info.Var == v.ID && t.c.Texels(i) != nil {
			views = append(views, i)
		}
	}
	if views == nil {
		return nil
	}
	pick := func(i int) operand { return imageOperand(t.c.Texels(i), t.c.Views[i].Name, i, t.c.MemoryOf(i)) }
	if t.c.Views[views[0]].Elem < 0 {
		return func(*thread) (operand, error) { return pick(views[0]), nil }
	}
	return func(*thread) (operand, error) {
		return operand{t: imageType, at: &place{views: views, pick: pick}}, nil
	}
}

// launchImage finds an image by its name in the launch, whether the dispatch
// uses it or not; nil if there is none.
func (t *target) launchImage(name string) getter {
	for _, b := range t.all.Images {
		f, ok := texel.Lookup(b.Format)
		if b.Name != name || !ok {
			continue
		}
		im := &texel.Image{
			Data: b.Data, Format: f, Dim: []spirv.Dim{spirv.Dim2D, spirv.Dim1D, spirv.Dim2D, spirv.Dim3D}[min(max(b.Dim, 0), 3)],
			Arrayed: b.Layers > 1, Width: b.Width, Height: b.Height, Depth: b.Depth,
			Layers: max(b.Layers, 1), Levels: max(b.MipLevels, 1), Samples: max(b.Samples, 1),
		}
		if b.Cube {
			im.Dim, im.Arrayed = spirv.DimCube, b.Layers > 6
		}
		return func(*thread) (operand, error) { return imageOperand(im, name, noView, t.memory(b.Data)), nil }
	}
	return nil
}

// asImage makes an operand an image: a variable, or the value of an id or a
// parameter, which is a descriptor.
func (t *target) asImage(o operand, th *thread) (operand, error) {
	if o.isImage() {
		return o, nil
	}
	if o.t.Kind == spirv.Image && o.t != imageType || o.t.Kind == spirv.SampledImage {
		bits, err := o.load(th)
		if err != nil {
			return o, err
		}
		if slot := int(uint32(bits[0])); th.w != nil && slot < len(th.w.T.Images) && th.w.T.Images[slot].Image != nil {
			s := &th.w.T.Images[slot]
			return imageOperand(s.Image, t.c.Views[s.View].Name, int(s.View), t.c.MemoryOf(int(s.View))), nil
		}
	}
	return o, fmt.Errorf("expected an image, found a value of type %s", typeName(t.u, o.t))
}

// isImage reports whether an operand is a whole image.
func (o *operand) isImage() bool { return o.at != nil && o.at.texels != nil && !o.at.texels.one }

// isTexel reports whether an operand is a texel, or a component of one.
func (o *operand) isTexel() bool { return o.at != nil && o.at.texels != nil && o.at.texels.one }

// component is the type of the components of the image's texels.
func (x *texels) component() *spirv.Type {
	if x.im.Format.Wide() {
		return map[texel.Class]*spirv.Type{texel.FloatClass: expr.Double, texel.UintClass: expr.Uint64, texel.SintClass: expr.Int64}[x.im.Format.Class]
	}
	return map[texel.Class]*spirv.Type{texel.FloatClass: expr.Float, texel.UintClass: expr.Uint, texel.SintClass: expr.Int}[x.im.Format.Class]
}

// stored are the components that the image's format has.
func (x *texels) stored() []int {
	var out []int
	for i := range 4 {
		if x.im.Format.Has(i) {
			out = append(out, i)
		}
	}
	return out
}

// allChannels are the components that shaders see.
var allChannels = []int{0, 1, 2, 3}

// texel is a texel of an image, by the coordinates, level and sample of an image
// instruction.
func (o *operand) texel(coord []int64, level, sample int64, span int, channels []int) (operand, error) {
	x := o.at.texels
	if n := x.im.Coordinates(); len(coord) != n {
		return *o, fmt.Errorf("%s has %d coordinates, found %d", x.name, n, len(coord))
	}
	var at [3]int
	for i, v := range coord {
		if at[i] = int(v); int64(at[i]) != v {
			at[i] = -1
		}
	}
	off, ok := -1, false
	if level >= 0 && level < int64(x.im.Levels) && sample >= 0 && sample < int64(x.im.Samples) {
		off, ok = x.im.At(at, int(level), int(sample))
	}
	if !ok {
		var words []string
		for _, v := range coord {
			words = append(words, fmt.Sprint(v))
		}
		where := fmt.Sprintf("(%s)", strings.Join(words, ","))
		if level != 0 {
			where += fmt.Sprintf(" of level %d", level)
		}
		if sample != 0 {
			where += fmt.Sprintf(", sample %d,", sample)
		}
		return *o, expr.ValueErrorf("texel %s lies outside of the image: %s is %s", where, x.name, x.describe())
	}
	p := *o.at
	p.off = int64(off)
	p.texels = &texels{im: x.im, name: x.name, one: true, span: span, channels: channels}
	return operand{t: expr.VectorOf(x.component(), len(channels)), at: &p}, nil
}

// load reads the components of a texel.
func (x *texels) load(data []byte) []uint64 {
	all := x.im.Format.Decode(data)
	out := make([]uint64, len(x.channels))
	for i, c := range x.channels {
		out[i] = all[c]
	}
	return out
}

// store writes the components of a texel; those that its format lacks are left
// out.
func (x *texels) store(data []byte, bits []uint64) {
	all := x.im.Format.Decode(data)
	for i, c := range x.channels {
		all[c] = bits[i]
	}
	x.im.Format.Encode(data, all)
}

// typeName is the type of the image as GLSL writes it: "uimage2DArray".
func (x *texels) typeName() string {
	name := map[texel.Class]string{texel.UintClass: "u", texel.SintClass: "i"}[x.im.Format.Class] + "image" +
		map[spirv.Dim]string{spirv.Dim1D: "1D", spirv.Dim2D: "2D", spirv.Dim3D: "3D", spirv.DimCube: "Cube", spirv.DimBuffer: "Buffer"}[x.im.Dim]
	if x.im.Samples > 1 {
		name += "MS"
	}
	if x.im.Arrayed {
		name += "Array"
	}
	return name
}

// typeOf is the type of an operand as GLSL writes it.
func (t *target) typeOf(o operand, th *thread) string {
	if o.at != nil && o.at.views != nil && len(o.at.views) > 0 {
		return fmt.Sprintf("%s[%d]", t.typeOf(o.at.pick(o.at.views[0]), th), len(o.at.views))
	}
	if im, err := t.asImage(o, th); err == nil {
		return im.at.texels.typeName()
	}
	return typeName(t.u, o.t)
}

// describe says what an image is: "4x2 R32_SFLOAT, 2 levels".
func (x *texels) describe() string {
	size, n := x.im.QuerySize(0)
	if x.im.Arrayed {
		n-- // layers are told apart
	}
	out := fmt.Sprint(size[0])
	for _, v := range size[1:max(n, 1)] {
		out += fmt.Sprintf("x%d", v)
	}
	out += " " + x.im.Format.String()
	if x.im.Layers > 1 {
		out += fmt.Sprintf(", %d layers", x.im.Layers)
	}
	if l := x.im.ViewLevels(); l > 1 {
		out += fmt.Sprintf(", %d levels", l)
	}
	if x.im.Samples > 1 {
		out += fmt.Sprintf(", %d samples", x.im.Samples)
	}
	return out
}

// first lists the first n texels of the image's largest level, in the order in
// which they lie in memory.
func (x *texels) first(n int) (list [][]uint64, all int) {
	size := x.im.Size(0)
	at, ok := x.im.Offset(0, 0, 0, 0, 0, 0)
	if !ok {
		return nil, 0
	}
	all = size[0] * size[1] * size[2] * x.im.Layers * x.im.Samples
	part := texels{im: x.im, channels: x.stored()}
	for i := range min(n, all) {
		list = append(list, part.load(x.im.Data[at+i*x.im.Format.TexelSize:]))
	}
	return list, all
}

// imageText writes an image: what it is, and its first texels.
func (t *target) imageText(x *texels, format Format) string {
	list, all := x.first(8)
	f := formatter{u: t.u, views: t.element, format: format, left: maxElements}
	f.out.WriteString(x.describe() + " {")
	for i, bits := range list {
		if i > 0 {
			f.out.WriteString(", ")
		}
		f.value(expr.VectorOf(x.component(), len(bits)), bits, 0)
	}
	if all > len(list) {
		fmt.Fprintf(&f.out, ", ... %d in all", all)
	}
	f.out.WriteByte('}')
	return f.out.String()
}

// imageFunctions are GLSL's functions of images that expressions know, with the
// most arguments that they take.
var imageFunctions = map[string]int{
	"imageLoad": 3, "texelFetch": 3, "imageSize": 1, "textureSize": 2,
	"imageSamples": 1, "textureSamples": 1, "textureQueryLevels": 1,
}

// imageCall computes one of imageFunctions. What imageLoad and texelFetch give
// has a place, so that it can be changed and watched.
func (v *view) imageCall(name string, args []expr.Value) (operand, error) {
	if len(args) == 0 || len(args) > imageFunctions[name] {
		want := "1 argument"
		if n := imageFunctions[name]; n > 1 {
			want = fmt.Sprintf("1 to %d arguments", n)
		}
		return operand{}, fmt.Errorf("%s takes %s, found %d", name, want, len(args))
	}
	o, err := v.operand(args[0])
	if err != nil {
		return o, err
	}
	if o, err = v.e.t.asImage(o, v.th); err != nil {
		return o, err
	}
	integers := func(x expr.Value) ([]int64, error) {
		bits, err := x.Load()
		if err != nil {
			return nil, err
		}
		return expr.Integers(expr.Of(x.Type, bits...), v)
	}
	im := o.at.texels.im
	last := int64(0) // the level or the sample
	if len(args) > 2 || name == "textureSize" && len(args) > 1 {
		list, err := integers(args[len(args)-1])
		if err != nil {
			return o, err
		}
		last = list[0]
	}
	switch name {
	case "imageSize", "textureSize":
		size, k := im.QuerySize(int(max(min(last, int64(im.Levels)), -1)))
		if size[0] == 0 && k > 0 && im.Width > 0 {
			return o, expr.ValueErrorf("no level %d: %s is %s", last, o.at.texels.name, o.at.texels.describe())
		}
		out := operand{t: expr.VectorOf(expr.Int, k)}
		for _, v := range size[:k] {
			out.bits = append(out.bits, uint64(v))
		}
		return out, nil
	case "imageSamples", "textureSamples":
		return literal(expr.Int, uint64(im.Samples)), nil
	case "textureQueryLevels":
		return literal(expr.Int, uint64(im.ViewLevels())), nil
	}
	if len(args) < 2 {
		return o, fmt.Errorf("%s takes coordinates", name)
	}
	coord, err := integers(args[1])
	if err != nil {
		return o, err
	}
	level, sample := last, int64(0)
	if name == "imageLoad" || im.Samples > 1 {
		level, sample = 0, last
	}
	return o.texel(coord, level, sample, im.Format.TexelSize, allChannels)
}

// picture is the first layer of an image's largest level: its first component.
func (x *texels) picture(width int) (w, h int, values []float64) {
	size := x.im.Size(0)
	w, h = size[0], size[1]
	if h == 1 && width > 0 {
		w = min(width, size[0])
	}
	n := size[0] * size[1]
	if n > maxRead {
		n = maxRead / size[0] * size[0]
	}
	t := x.component()
	for i := range n {
		off, ok := x.im.Offset(i%size[0], i/size[0], 0, 0, 0, 0)
		if !ok {
			break
		}
		part := texels{im: x.im, channels: x.stored()[:1]}
		values = append(values, expr.AsFloat(t, part.load(x.im.Data[off:])[0]))
	}
	return w, (len(values) + max(w, 1) - 1) / max(w, 1), values
}

// imageAccess is the image that an access is to by an image instruction; nil
// if it is another one.
func (t *target) imageAccess(a *warp.Access, l int) *texel.Image {
	if t.p.Code[a.PC].Code != program.ImageOp {
		return nil
	}
	return t.c.Texels(int(a.View[l]))
}

// texelValue formats a texel.
func (t *target) texelValue(im *texel.Image, data []byte) string {
	x := texels{im: im}
	x.channels = x.stored()
	text, _ := t.text(operand{t: expr.VectorOf(x.component(), len(x.channels)), bits: x.load(data)}, &thread{}, 0)
	return text
}

// texelHit fills in what an access did to a texel.
func (t *target) texelHit(hit *WatchHit, im *texel.Image, w *warp.Warp, a *warp.Access, l int) {
	old := w.T.Views[a.View[l]].Data[a.Off[l]:][:im.Format.TexelSize]
	hit.Old = t.texelValue(im, old)
	switch a.Kind {
	case warp.Read:
		hit.Kind = "read"
	case warp.Write:
		hit.Kind, hit.New = "write", t.texelValue(im, a.Texel)
	default:
		now := append([]byte(nil), old...)
		for i := range a.Width {
			now[i] = a.Byte(w, l, int64(i))
		}
		hit.Kind, hit.New = "atomic", t.texelValue(im, now)
	}
}

// coordinates are those of the i-th texel of the image's largest level.
func (x *texels) coordinates(i int) []int64 {
	size := x.im.Size(0)
	out := make([]int64, x.im.Coordinates())
	last := len(out) - 1
	for k := range last {
		out[k] = int64(i % size[k])
		i /= size[k]
	}
	out[last] = int64(i)
	return out
}
