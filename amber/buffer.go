package amber

import "strings"

// buffer parses BUFFER. Options may come in any order before the initialiser.
func (p *parser) buffer() {
	b := &Buffer{at: at(p.advance().off)}
	b.Name = p.word("the buffer's name")
	if p.tok.text != "DATA_TYPE" && p.tok.text != "FORMAT" {
		p.expected("DATA_TYPE or FORMAT")
	}
	for !p.tok.isEnd() {
		switch key := p.tok.word(); key.Text {
		case "STD140", "STD430":
			b.Layout = p.advance().word()
		case "SIZE":
			p.advance()
			b.Size = p.count("a number of elements", 0)
		case "HEIGHT":
			if !b.Width.Given() {
				p.expected("WIDTH before HEIGHT")
			}
			p.sharedOption(b)
		case "ADDRESS":
			p.advance()
			a := Address{At: p.count("a byte offset", 0)}
			if !strings.HasPrefix(p.tok.text, "&") {
				p.expected("&NAME or &NAME+BYTES")
			}
			a.To = p.advance().word()
			b.Addresses = append(b.Addresses, a)
		default:
			if p.initialiser(b) {
				goto done
			}
			if !p.sharedOption(b) {
				p.expected("SIZE, WIDTH, DATA, FILL, SERIES_FROM or FILE")
			}
		}
	}
done:
	switch {
	case b.Width.Given() && !b.Height.Given():
		p.expected("HEIGHT")
	case b.DataType.Given() && b.Init == nil && !b.Size.Given() && !b.Width.Given():
		p.expected("SIZE, WIDTH, DATA or FILE")
	case b.Init != nil && b.Init.Kind == InitFill && !b.Size.Given() && !b.Width.Given(),
		b.Init != nil && b.Init.Kind == InitSeries && !b.Size.Given() && !b.Width.Given():
		p.failAt(Word{"", b.Init.Offset()}, "expected SIZE or WIDTH and HEIGHT before this initialiser")
	}
	p.add(b)
}

// image parses IMAGE.
func (p *parser) image() {
	b := &Buffer{at: at(p.advance().off), Image: true}
	b.Name = p.word("the image's name")
	for !p.tok.isEnd() {
		switch p.tok.text {
		case "DIM_1D", "DIM_2D", "DIM_3D":
			b.Dim = int(p.advance().text[4] - '0')
		case "LAYERS":
			p.advance()
			b.Layers = p.count("a number of layers", 1)
		case "CUBE":
			p.advance()
			b.Cube = true
		default:
			if p.initialiser(b) {
				goto done
			}
			if !p.sharedOption(b) {
				p.expected("DATA_TYPE, FORMAT, DIM_1D, DIM_2D, DIM_3D, WIDTH, HEIGHT, DEPTH, MIP_LEVELS, SAMPLES, LAYERS, CUBE or an initialiser")
			}
		}
	}
done:
	switch {
	case !b.DataType.Given() && !b.Format.Given():
		p.expected("DATA_TYPE or FORMAT")
	case b.Dim == 0:
		p.expected("DIM_1D, DIM_2D or DIM_3D")
	case b.Init != nil && b.Init.Kind == InitFile && b.Init.FileKind.Text != "BINARY" && b.Init.FileKind.Text != "TEXT":
		// The file gives the extent.
	case !b.Width.Given():
		p.expected("WIDTH")
	case b.Dim >= 2 && !b.Height.Given():
		p.expected("HEIGHT")
	case b.Dim == 3 && !b.Depth.Given():
		p.expected("DEPTH")
	}
	if b.Dim == 1 && b.Height.Given() {
		p.failAt(b.Height.Word, "a DIM_1D image has no HEIGHT")
	}
	if b.Dim > 0 && b.Dim < 3 && b.Depth.Given() {
		p.failAt(b.Depth.Word, "a DIM_%dD image has no DEPTH", b.Dim)
	}
	p.add(b)
}

// sharedOption parses an option that BUFFER and IMAGE have in common.
func (p *parser) sharedOption(b *Buffer) bool {
	switch p.tok.text {
	case "DATA_TYPE":
		p.advance()
		b.DataType = p.word("a data type")
	case "FORMAT":
		p.advance()
		b.Format = p.word("an image format")
	case "WIDTH":
		p.advance()
		b.Width = p.count("a width", 1)
	case "HEIGHT":
		p.advance()
		b.Height = p.count("a height", 1)
	case "DEPTH":
		p.advance()
		b.Depth = p.count("a depth", 1)
	case "MIP_LEVELS":
		p.advance()
		b.MipLevels = p.count("a number of mip levels", 1)
	case "SAMPLES":
		p.advance()
		b.Samples = p.count("a number of samples", 1)
		if v := b.Samples.Value; v > 64 || v&(v-1) != 0 {
			p.failAt(b.Samples.Word, "expected 1, 2, 4, 8, 16, 32 or 64 samples, found %s", b.Samples.Text)
		}
	default:
		return false
	}
	return true
}

// initialiser parses DATA, FILL, SERIES_FROM or FILE, which end the statement.
func (p *parser) initialiser(b *Buffer) bool {
	i := &Init{at: at(p.tok.off)}
	switch key := p.tok.word(); key.Text {
	case "DATA":
		p.advance()
		i.Kind = InitData
		p.block = nil
		p.data(key, i)
	case "FILL":
		p.advance()
		i.Kind = InitFill
		i.Values = []Word{p.value("a number")}
	case "SERIES_FROM":
		p.advance()
		i.Kind = InitSeries
		start := p.value("the first number")
		p.oneOf("INC_BY")
		i.Values = []Word{start, p.value("the step")}
	case "FILE":
		p.advance()
		i.Kind = InitFile
		if p.tok.text == "BINARY" || p.tok.text == "TEXT" || p.tok.text == "PNG" {
			i.FileKind = p.advance().word()
		}
		i.Path = p.word("a path")
	default:
		return false
	}
	b.Init = i
	return true
}

func (p *parser) data(open Word, i *Init) {
	p.wordsToEND(open, func() {
		if !looksNumeric(p.tok.text) && !strings.HasPrefix(p.tok.text, "&") {
			// Report it, then look for END so that the rest of the data is
			// not taken for commands.
			p.block = func() {
				for p.tok.text != "" && p.tok.text != "END" {
					p.advance()
				}
				p.advance()
			}
			p.expected("a number or END")
		}
		i.Values = append(i.Values, p.advance().word())
	})
}
