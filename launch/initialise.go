package launch

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	"ampdbg/amber"
	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/spirv/half"
	"ampdbg/tilemem/texel"
)

// content is an initialiser whose size is known.
type content struct {
	init          *amber.Init
	count         int // elements it gives, 0 if it adapts (runtime array: elements of that)
	data          []byte
	words         []amber.Word // values in place of the initialiser's, from a text file
	picture       image.Image
	width, height int // of the picture
	addresses     []addressWord
}

// addressWord is a value &NAME or &NAME+BYTES, the device address of a buffer:
// an addition to AmberScript, which has no way to write one. It stands for the
// 64-bit word at byte at.
type addressWord struct {
	at   int
	word amber.Word
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
			if err := host.Need(textCost*int64(len(file)), "the text of "+path.Text); err != nil {
				return nil, b.place(path, err)
			}
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
			return b.place(path, tooMuch(fmt.Sprintf("the %d by %d pixels of the picture", size.Width, size.Height), b.opt.MaxBytes))
		}
		if err := host.Need(8*int64(size.Width)*int64(size.Height), path.Text); err != nil {
			return b.place(path, err)
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
		if strings.HasPrefix(w.Text, "&") {
			if s.Kind != Uint64 || t.Kind == FormatType {
				return b.bad(w, "an address takes a uint64")
			}
			c.addresses = append(c.addresses, addressWord{s.Offset, w})
			continue
		}
		raw, err := s.parse(w.Text)
		if err != nil {
			return b.bad(w, "%s", err)
		}
		s.store(mem, raw)
	}
	return nil
}

// link resolves the addresses among a buffer's initial values.
func (b *builder) link(m *memory) {
	for _, a := range m.addresses {
		name, plus, given := strings.Cut(a.word.Text[1:], "+")
		var add uint64
		if given {
			var err error
			if add, err = strconv.ParseUint(plus, 0, 40); err != nil {
				b.note(b.bad(a.word, "expected &NAME or &NAME+BYTES, found %q", a.word.Text))
				continue
			}
		}
		to := b.memory[name]
		if to == nil || to.buffer == nil {
			b.note(b.bad(a.word, "no buffer is called %q", name))
			continue
		}
		m.buffer.Addresses = append(m.buffer.Addresses, Address{At: a.at, To: to.buffer, Add: int64(add)})
	}
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
				if raw, err = s.parse(text); err != nil {
					return err
				}
				if s.field == nil {
					parsed[s.Kind] = raw
				}
			}
			s.store(mem, raw)
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
			raw, err := parseAs.parse(text)
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
			s.store(mem, s.fromFloat(sum))
			sum += by
		}
		return 0, nil
	}
	if t.Kind == ScalarType { // by far the most frequent, and the largest
		s, term := t.At(0), terms[t.Scalar]
		for range n {
			s.store(mem, term[0])
			term[0] += term[1]
			s.Offset += t.Stride
		}
		return 0, nil
	}
	for i := range n * t.scalars {
		s := t.At(i)
		term := terms[s.Kind]
		s.store(mem, term[0]+uint64(i)*term[1])
	}
	return 0, nil
}

// fromFloat rounds f to a float scalar's bits.
func (s Scalar) fromFloat(f float64) uint64 {
	switch {
	case s.field != nil && s.field.Mode == texel.UFloat:
		return s.field.Encode(uint64(math.Float32bits(float32(f))))
	case s.Kind == Float16:
		return uint64(half.FromDouble(f, false))
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
