package launch

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"ampdbg/host"
)

func (b *binder) reserve(n, size int) error {
	if size > 0 && int64(n) > b.left/int64(size) {
		return tooMuch("the memory of the bindings", MaxBytes)
	}
	b.left -= int64(n) * int64(size)
	return host.Need(int64(n)*int64(size), "the memory of the bindings")
}

// buffer reads TYPE[N] and an initialiser.
func (b *binder) buffer(typeName, init string) (*Buffer, error) {
	t, n, err := parseExtent(typeName)
	if err != nil {
		return nil, err
	}
	word, arg, _ := strings.Cut(strings.TrimSpace(init), " ")
	var file []byte
	switch word {
	case "file":
		if file, err = readFile(strings.TrimSpace(arg), MaxBytes); err != nil {
			return nil, err
		}
		if n == 0 {
			n = (len(file) + t.Stride - 1) / t.Stride
		}
	case "fill", "series":
	default:
		if n == 0 {
			n = (len(splitValues(init)) + t.scalars - 1) / t.scalars
		}
	}
	n = max(n, 1)
	if err := b.reserve(n, t.Stride); err != nil {
		return nil, err
	}
	buf := &Buffer{Elem: t, Data: make([]byte, n*t.Stride)}
	if err := b.initialise(buf, buf.Data, t, n, word, arg, init, file); err != nil {
		return nil, err
	}
	b.launch.Buffers = append(b.launch.Buffers, buf)
	return buf, nil
}

// initialise fills n elements; buf is nil for an image.
func (b *binder) initialise(buf *Buffer, mem []byte, t *DataType, n int, word, arg, init string, file []byte) error {
	switch word {
	case "file":
		if len(file) > len(mem) {
			return fmt.Errorf("the file has %d bytes, the memory only %d", len(file), len(mem))
		}
		copy(mem, file)
		return nil
	case "fill":
		return fillMemory(mem, t, n, strings.TrimSpace(arg))
	case "series":
		v := splitValues(arg)
		if len(v) != 2 {
			return errors.New("expected series START STEP")
		}
		_, err := fillSeries(mem, t, n, v[0], v[1])
		return err
	}
	values := splitValues(init)
	for i, v := range values {
		if !strings.HasPrefix(v, "&") {
			continue
		}
		if buf == nil || i >= n*t.scalars || t.At(i).Kind != Uint64 || t.Kind == FormatType {
			return fmt.Errorf("%s: an address takes a uint64", v)
		}
		b.addresses = append(b.addresses, pendingAddress{buf, t.At(i).Offset, v})
		values[i] = "0"
	}
	return storeValues(mem, t, n, values)
}

// image reads FORMAT WxH[xD].
func (b *binder) image(place string, fields []string, init string) (*Image, error) {
	if len(fields) != 2 {
		return nil, errors.New("expected image FORMAT WIDTHxHEIGHT[xDEPTH]")
	}
	t, err := ParseType(fields[0], Std430)
	if err != nil {
		return nil, err
	}
	if t.Kind != FormatType {
		return nil, fmt.Errorf("%s is no image format", fields[0])
	}
	extent := [3]int{1, 1, 1}
	parts := strings.Split(fields[1], "x")
	if len(parts) > 3 {
		return nil, errors.New("an image has at most three dimensions")
	}
	texels := 1
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil || n == 0 || texels > math.MaxInt32*16/int(n) {
			return nil, fmt.Errorf("%q is no image size", fields[1])
		}
		extent[i] = int(n)
		texels *= int(n)
	}
	if err := b.reserve(texels, t.Stride); err != nil {
		return nil, err
	}
	img := &Image{
		Name: place, Format: t.Name, Dim: len(parts), Width: extent[0], Height: extent[1], Depth: extent[2],
		Layers: 1, MipLevels: 1, Samples: 1, Data: make([]byte, texels*t.Stride),
	}
	word, arg, _ := strings.Cut(strings.TrimSpace(init), " ")
	var file []byte
	if word == "file" {
		if file, err = readFile(strings.TrimSpace(arg), MaxBytes); err != nil {
			return nil, err
		}
	}
	if err := b.initialise(nil, img.Data, t, texels, word, arg, init, file); err != nil {
		return nil, err
	}
	b.launch.Images = append(b.launch.Images, img)
	return img, nil
}

// sampler reads words: a filter, an address mode.
func (b *binder) sampler(place string, words []string) (*Sampler, error) {
	s := NewSampler(place)
	for _, w := range words {
		mode, isMode := addressModes[w]
		switch {
		case w == "linear":
			s.MagLinear, s.MinLinear = true, true
		case w == "nearest":
			s.MagLinear, s.MinLinear = false, false
		case isMode:
			s.AddressU, s.AddressV, s.AddressW = mode, mode, mode
		default:
			return nil, fmt.Errorf("expected a filter or an address mode, found %q", w)
		}
	}
	b.launch.Samplers = append(b.launch.Samplers, s)
	return s, nil
}
