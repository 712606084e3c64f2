package launch

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"ampdbg/amber"
	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/tilemem/texel"
)

// memory is a BUFFER or IMAGE of a script: a Buffer or, if it is declared or
// bound as one, an Image.
type memory struct {
	decl      *amber.Buffer
	buffer    *Buffer
	image     *Image
	elem      *DataType
	width     int // extent for EXPECT … SIZE
	height    int
	addresses []addressWord // among the initial values
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
		return b.place(w, tooMuch(w.Text+" and what is declared before it", b.opt.MaxBytes))
	}
	b.bytes += int64(lo)
	return b.place(w, host.Need(int64(lo), w.Text))
}

// tooMuch is the error of a launch that declares more memory than one may.
func tooMuch(what string, most int64) error {
	return &diag.Error{Class: diag.Unsupported, Msg: fmt.Sprintf("unsupported: %s take more than the limit of %d bytes", what, most)}
}

// place gives an error the place of w.
func (b *builder) place(w amber.Word, err error) error {
	var d *diag.Error
	if errors.As(err, &d) && !d.Pos.IsValid() {
		placed := *d
		placed.Pos = b.script.WordPos(w)
		return &placed
	}
	return err
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
	err = content.fill(b, m.buffer.Data, t, n)
	m.addresses = content.addresses
	for _, a := range decl.Addresses {
		if a.At.Value > int64(len(m.buffer.Data))-8 {
			return b.bad(a.At.Word, "an address at byte %d ends outside buffer %s, which has %d bytes", a.At.Value, decl.Name.Text, len(m.buffer.Data))
		}
		m.addresses = append(m.addresses, addressWord{int(a.At.Value), a.To})
	}
	return err
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
	if decl.Layers.Given() {
		img.Layers = int(decl.Layers.Value)
	}
	if img.Cube = decl.Cube; decl.Cube && (img.Dim != 2 || img.Width != img.Height || img.Layers%6 != 0) {
		return b.bad(decl.Name, "a CUBE is DIM_2D, as wide as it is high, and has LAYERS of 6 for each cube")
	}
	if img.Dim == 3 && img.Layers > 1 {
		return b.bad(decl.Layers.Word, "a DIM_3D image has no LAYERS")
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
			return b.place(decl.Name, tooMuch("the texels of image "+decl.Name.Text, MaxBytes))
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
	if len(content.data) == len(img.Data) {
		copy(img.Data, content.data) // a file that has all mip levels
		return nil
	}
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
