package launch

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/bits"
	"strings"

	"ampdbg/amber"
	"ampdbg/diag"
	"ampdbg/tilemem/texel"
)

// memory is a BUFFER or IMAGE of a script: a Buffer or, if it is declared or
// bound as one, an Image.
type memory struct {
	decl   *amber.Buffer
	buffer *Buffer
	image  *Image
	elem   *DataType
	width  int // extent for EXPECT … SIZE
	height int
}

func (m *memory) bytes() []byte {
	if m.image != nil {
		return m.image.Data
	}
	return m.buffer.Data
}

// wrap gives an error without a place the place of w.
func (b *builder) wrap(w amber.Word, err error) error {
	var d *diag.Error
	if errors.As(err, &d) {
		return err
	}
	return &diag.Error{Pos: b.script.WordPos(w), Msg: err.Error()}
}

// allocate makes a script's buffer or image with its contents.
func (b *builder) allocate(decl *amber.Buffer, asImage bool) error {
	m := &memory{decl: decl}
	b.memory[decl.Name.Text] = m
	var err error
	if decl.Image || asImage {
		err = b.allocateImage(m)
	} else {
		err = b.allocateBuffer(m)
	}
	if err != nil {
		// What uses it should not fail for that.
		m.buffer, m.image = &Buffer{Name: decl.Name.Text}, nil
	}
	return err
}

// reserve counts n times size bytes against the limit.
func (b *builder) reserve(w amber.Word, n, size int) error {
	hi, lo := bits.Mul64(uint64(n), uint64(size))
	if left := b.opt.MaxBytes - b.bytes; hi != 0 || lo > uint64(left) {
		return b.bad(w, "%s and what is declared before it take more than the limit of %d bytes", w.Text, b.opt.MaxBytes)
	}
	b.bytes += int64(lo)
	return nil
}

// elementType is the type of what repeats in the memory.
func (b *builder) elementType(decl *amber.Buffer) (*DataType, error) {
	l := Std430
	if decl.Layout.Text == "STD140" {
		l = Std140
	}
	if decl.Format.Given() {
		f, ok := texel.Lookup(decl.Format.Text)
		if !ok {
			return nil, b.bad(decl.Format, "unknown image format %q", decl.Format.Text)
		}
		return newFormat(f), nil
	}
	t, err := typeContext{l, b.structType}.parse(decl.DataType.Text, strides{})
	if err != nil {
		return nil, b.wrap(decl.DataType, err)
	}
	return elementOf(t, l), nil
}

// elementOf gives t as the repeated type of a buffer, with the stride that an
// array of t has under the layout.
func elementOf(t *DataType, l Layout) *DataType {
	e, stride := *t, t.Stride
	switch {
	case t.Kind == ArrayType && t.Len == 0:
		e, stride = *t.Elem, t.Step
	case l == Std140 && t.Kind != StructType && t.Kind != FormatType:
		stride = roundUp(stride, 16)
	}
	e.Stride = stride
	return &e
}

// allocateBuffer makes plain memory.
func (b *builder) allocateBuffer(m *memory) error {
	decl := m.decl
	t, err := b.elementType(decl)
	if err != nil {
		return err
	}
	m.buffer = &Buffer{Name: decl.Name.Text, Pos: b.script.WordPos(decl.Name)}
	b.launch.Buffers = append(b.launch.Buffers, m.buffer)
	content, err := b.content(decl, t)
	if err != nil {
		return err
	}
	n := content.count
	if decl.Size.Given() {
		n = int(decl.Size.Value)
	} else if decl.Width.Given() {
		n = int(decl.Width.Value * decl.Height.Value)
	}
	m.width, m.height = n, 1
	if decl.Width.Given() {
		m.width, m.height = int(decl.Width.Value), int(decl.Height.Value)
	} else if content.width > 0 {
		m.width, m.height = content.width, content.height
	}
	if t.isRuntime() {
		if t, err = t.withLength(n); err != nil {
			return b.wrap(decl.DataType, err)
		}
		n = 1
	}
	if err := b.reserve(decl.Name, n, t.Stride); err != nil {
		return err
	}
	m.elem, m.buffer.Elem = t, t
	m.buffer.Data = make([]byte, n*t.Stride)
	return content.fill(b, m.buffer.Data, t, n)
}

// allocateImage makes an image.
func (b *builder) allocateImage(m *memory) error {
	decl := m.decl
	t, err := b.elementType(decl)
	if err != nil {
		return err
	}
	name := decl.Format
	if decl.DataType.Given() {
		name = decl.DataType
	}
	f := formatOf(t)
	if f == nil {
		return b.bad(name, "%s cannot be the texels of an image", name.Text)
	}
	if t.Kind != FormatType {
		e := *t
		e.Stride = f.TexelSize
		t = &e
	}
	content, err := b.content(decl, t)
	if err != nil {
		return err
	}
	img := &Image{
		Name: decl.Name.Text, Format: f.Name, Dim: decl.Dim, Width: int(decl.Width.Value), Height: 1, Depth: 1,
		Layers: 1, MipLevels: 1, Samples: 1, Pos: b.script.WordPos(decl.Name),
	}
	if img.Dim == 0 {
		img.Dim = 2
	}
	if decl.Height.Given() {
		img.Height = int(decl.Height.Value)
	}
	if decl.Depth.Given() {
		img.Depth = int(decl.Depth.Value)
	}
	switch {
	case decl.Width.Given():
	case content.width > 0:
		img.Width, img.Height = content.width, content.height
	case decl.Size.Given():
		img.Width = int(decl.Size.Value)
	default:
		img.Width = content.count
	}
	if img.Width == 0 {
		return b.bad(decl.Name, "%s is bound as an image but has no size", decl.Name.Text)
	}
	if decl.Samples.Given() {
		img.Samples = int(decl.Samples.Value)
	}
	if decl.MipLevels.Given() {
		img.MipLevels = int(decl.MipLevels.Value)
		if most := bits.Len(uint(max(img.Width, img.Height, img.Depth))); img.MipLevels > most {
			return b.bad(decl.MipLevels.Word, "an image of %dx%dx%d has at most %d mip levels", img.Width, img.Height, img.Depth, most)
		}
	}
	texels := 0
	for level := range img.MipLevels {
		texels += img.LevelTexels(level)
		if texels < 0 || texels > MaxBytes {
			return b.bad(decl.Name, "image %s has more than %d texels", decl.Name.Text, int64(MaxBytes))
		}
	}
	if err := b.reserve(decl.Name, texels, f.TexelSize); err != nil {
		return err
	}
	b.launch.Images = append(b.launch.Images, img)
	m.image, m.elem = img, t
	m.width, m.height = img.Width, img.Height
	img.Data = make([]byte, texels*f.TexelSize)
	if content.init != nil && img.Samples > 1 {
		return b.bad(decl.Samples.Word, "an image of several samples takes no initial data")
	}
	n := img.LevelTexels(0)
	return content.fill(b, img.Data[:n*f.TexelSize], t, n)
}

// LevelExtent is the width, height and depth of a mip level.
func (i *Image) LevelExtent(level int) (w, h, d int) {
	return max(i.Width>>level, 1), max(i.Height>>level, 1), max(i.Depth>>level, 1)
}

// LevelTexels is the number of texels in a mip level: all layers and samples.
// It is negative if there are too many to count.
func (i *Image) LevelTexels(level int) int {
	w, h, d := i.LevelExtent(level)
	n := uint64(1)
	for _, f := range [...]int{w, h, d, i.Layers, i.Samples} {
		hi, lo := bits.Mul64(n, uint64(f))
		if hi != 0 || lo > math.MaxInt64 {
			return -1
		}
		n = lo
	}
	return int(n)
}

// content is an initialiser whose size is known.
type content struct {
	init          *amber.Init
	count         int // elements it gives, 0 if it adapts (runtime array: elements of that)
	data          []byte
	words         []amber.Word // values in place of the initialiser's, from a text file
	picture       image.Image
	width, height int // of the picture
}

// content reads an initialiser as far as the size of the memory depends on it.
func (b *builder) content(decl *amber.Buffer, t *DataType) (*content, error) {
	c := &content{init: decl.Init}
	switch {
	case decl.Init == nil:
	case decl.Init.Kind == amber.InitData:
		c.words = decl.Init.Values
		return c, b.countValues(c, decl.Name, t)
	case decl.Init.Kind == amber.InitFile:
		path := decl.Init.Path
		file, err := b.read(path)
		if err != nil {
			return nil, err
		}
		switch kind := decl.Init.FileKind.Text; {
		case kind == "PNG" || kind == "":
			return c, b.decodePNG(c, path, file)
		case kind == "TEXT" && !isByte(t):
			for _, field := range strings.Fields(string(file)) {
				c.words = append(c.words, amber.Word{Text: field, Off: path.Off})
			}
			return c, b.countValues(c, path, t)
		}
		c.data = file
		size, fixed := t.Stride, 0
		if t.isRuntime() {
			size, fixed = t.runtimeArray().Step, t.Size
		}
		c.count = roundUp(max(len(file)-fixed, 0), size) / size
	}
	return c, nil
}

func isByte(t *DataType) bool {
	return t.Kind == ScalarType && (t.Scalar == Uint8 || t.Scalar == Int8)
}

// countValues tells how many elements the values of c make. Values that do not
// make a whole last element are allowed, as in amber, but worth a note.
func (b *builder) countValues(c *content, at amber.Word, t *DataType) error {
	n, per := len(c.words), t.scalars
	if t.isRuntime() {
		n, per = max(n-t.scalars, 0), t.runtimeArray().Elem.scalars
	}
	c.count = (n + per - 1) / per
	if n%per != 0 {
		b.launch.Notes = append(b.launch.Notes, Note{b.script.WordPos(at),
			fmt.Sprintf("%d values do not make whole elements of %s, which take %d each: the last one is filled up with 0", len(c.words), t.Name, per)})
	}
	return nil
}

func (b *builder) decodePNG(c *content, path amber.Word, file []byte) error {
	size, err := png.DecodeConfig(bytes.NewReader(file))
	if err == nil {
		if int64(size.Width)*int64(size.Height) > (b.opt.MaxBytes-b.bytes)/8 {
			return b.bad(path, "picture of %dx%d is larger than the memory limit", size.Width, size.Height)
		}
		c.picture, err = png.Decode(bytes.NewReader(file))
	}
	if err != nil {
		return &diag.Error{Pos: b.script.WordPos(path), Msg: "not a PNG picture that can be read", Err: err}
	}
	r := c.picture.Bounds()
	c.width, c.height = r.Dx(), r.Dy()
	c.count = c.width * c.height
	return nil
}

// fill puts the contents into mem, which holds n elements of t.
func (c *content) fill(b *builder, mem []byte, t *DataType, n int) error {
	switch {
	case c.init == nil:
		return nil
	case c.picture != nil:
		return c.fillPicture(b, mem, t, n)
	case c.data != nil || c.init.Kind == amber.InitFile && c.words == nil:
		if len(c.data) > len(mem) {
			return b.bad(c.init.Path, "the file has %d bytes, the memory only %d", len(c.data), len(mem))
		}
		copy(mem, c.data)
		return nil
	case c.init.Kind == amber.InitFill:
		w := c.init.Values[0]
		if err := fillMemory(mem, t, n, w.Text); err != nil {
			return b.bad(w, "%s", err)
		}
		return nil
	case c.init.Kind == amber.InitSeries:
		start, step := c.init.Values[0], c.init.Values[1]
		if at, err := fillSeries(mem, t, n, start.Text, step.Text); err != nil {
			return b.bad(c.init.Values[at], "%s", err)
		}
		return nil
	}
	if len(c.words) > n*t.scalars {
		return b.bad(c.words[n*t.scalars], "%d values for %d elements of %s, which take %d", len(c.words), n, t.Name, n*t.scalars)
	}
	for i, w := range c.words {
		s := t.At(i)
		raw, err := s.Parse(w.Text)
		if err != nil {
			return b.bad(w, "%s", err)
		}
		s.Store(mem, raw)
	}
	return nil
}

// fillMemory puts one value into every scalar of n elements.
func fillMemory(mem []byte, t *DataType, n int, text string) error {
	if n == 0 {
		return nil
	}
	if err := t.fill(mem, 0, text, map[ScalarKind]uint64{}); err != nil {
		return err
	}
	repeat(mem[:n*t.Stride], t.Stride)
	return nil
}

// repeat copies the first size bytes of mem all over it.
func repeat(mem []byte, size int) {
	for done := size; 0 < done && done < len(mem); done *= 2 {
		copy(mem[done:], mem[:done])
	}
}

// fill puts a number into every scalar of the value at byte base, which is
// zero. parsed keeps its bits by kind.
func (t *DataType) fill(mem []byte, base int, text string, parsed map[ScalarKind]uint64) error {
	switch t.Kind {
	case StructType:
		for _, m := range t.Members {
			if err := m.Type.fill(mem, base+m.Offset, text, parsed); err != nil {
				return err
			}
		}
	case ScalarType, FormatType:
		for i := range t.scalars {
			s := t.scalarAt(i, base)
			raw, ok := parsed[s.Kind]
			if !ok || s.field != nil { // a component has a width of its own
				var err error
				if raw, err = s.Parse(text); err != nil {
					return err
				}
				if s.field == nil {
					parsed[s.Kind] = raw
				}
			}
			s.Store(mem, raw)
		}
	default:
		if t.Len == 0 {
			return nil
		}
		if err := t.Elem.fill(mem, base, text, parsed); err != nil {
			return err
		}
		repeat(mem[base:base+t.Len*t.Step], t.Step)
	}
	return nil
}

// fillSeries puts start, start+step, … into the scalars of n elements.
// Integers wrap; floats are summed in float64 and rounded when stored, as amber
// does. An error comes with 0 if start is at fault, 1 for step.
func fillSeries(mem []byte, t *DataType, n int, start, step string) (at int, err error) {
	if n == 0 || t.scalars == 0 {
		return 0, nil
	}
	terms := map[ScalarKind][2]uint64{} // start and step, by kind
	isFloat := t.At(0).Kind.IsFloat()
	for i := range t.scalars {
		s := t.At(i)
		if s.Kind.IsFloat() != isFloat {
			return 0, fmt.Errorf("a series cannot fill %s, which mixes integers and floats", t.Name)
		}
		if _, done := terms[s.Kind]; done {
			continue
		}
		parseAs := s
		if isFloat {
			parseAs = Scalar{Kind: Float64}
		}
		var term [2]uint64
		for k, text := range [...]string{start, step} {
			raw, err := parseAs.Parse(text)
			if err != nil {
				return k, err
			}
			if !isFloat {
				raw = uint64(s.Int(raw)) // extend the sign: wrapping is then right at every width
			}
			term[k] = raw
		}
		terms[s.Kind] = term
	}
	if isFloat {
		term := terms[t.At(0).Kind]
		sum, by := math.Float64frombits(term[0]), math.Float64frombits(term[1])
		for i := range n * t.scalars {
			s := t.At(i)
			s.Store(mem, s.fromFloat(sum))
			sum += by
		}
		return 0, nil
	}
	if t.Kind == ScalarType { // by far the most frequent, and the largest
		s, term := t.At(0), terms[t.Scalar]
		for range n {
			s.Store(mem, term[0])
			term[0] += term[1]
			s.Offset += t.Stride
		}
		return 0, nil
	}
	for i := range n * t.scalars {
		s := t.At(i)
		term := terms[s.Kind]
		s.Store(mem, term[0]+uint64(i)*term[1])
	}
	return 0, nil
}

// fromFloat rounds f to a float scalar's bits.
func (s Scalar) fromFloat(f float64) uint64 {
	switch {
	case s.field != nil && s.field.Mode == texel.UFloat:
		return s.field.Encode(uint64(math.Float32bits(float32(f))))
	case s.Kind == Float16:
		return uint64(FloatToHalf(f))
	case s.Kind == Float32:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// fillPicture stores a picture's pixels as texels, 8 bits of each channel.
func (c *content) fillPicture(b *builder, mem []byte, t *DataType, n int) error {
	f := formatOf(t)
	if f == nil || f.TexelSize != t.Stride {
		return b.bad(c.init.Path, "a picture cannot fill %s", t.Name)
	}
	for _, comp := range f.Components {
		if comp.Width != 8 || comp.Channel() < 0 {
			return b.unsupported(c.init.Path, "a PNG picture as %s (8 bits per component are supported)", f.Name)
		}
	}
	if c.count > n {
		return b.bad(c.init.Path, "the picture has %d pixels, the memory room for %d", c.count, n)
	}
	at, r := 0, c.picture.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			rgba := straightRGBA(c.picture, x, y)
			for i := range f.Components {
				comp := &f.Components[i]
				comp.Store(mem[at:], uint64(rgba[comp.Channel()]))
			}
			at += f.TexelSize
		}
	}
	return nil
}

// straightRGBA is a pixel with 8 bits per channel, alpha not multiplied in.
func straightRGBA(p image.Image, x, y int) [4]uint8 {
	c := color.NRGBAModel.Convert(p.At(x, y)).(color.NRGBA)
	return [4]uint8{c.R, c.G, c.B, c.A}
}
