package diff

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/bits"

	"ampdbg/diag"
	"ampdbg/launch"
)

// Draw writes a PNG that shows where a memory differs: one square for each
// number, columns to a row (0: the width of an image, or that of the grid of
// threads where it has as many threads as the memory has numbers). Equal
// numbers are grey, others go from blue (within the tolerance) to yellow and
// red as the distance grows.
func Draw(w io.Writer, m *Memory, d *launch.Dispatch, columns int) error {
	cells := m.Numbers
	if m.Image != nil {
		cells = m.Image.LevelTexels(0)
	}
	if columns <= 0 {
		columns = m.columns(d, cells)
	}
	if columns <= 0 {
		return &diag.Error{Class: diag.BadInput, Msg: fmt.Sprintf("%s holds %d numbers, and the grid does not say how many make a row: give the number of columns", m.Name, cells)}
	}
	rows := (cells + columns - 1) / columns
	const most = 1 << 14
	if columns > most || rows > most || cells == 0 {
		return &diag.Error{Class: diag.BadInput, Msg: fmt.Sprintf("%s: a picture of %d by %d squares; 1 to %d are possible", m.Name, columns, rows, most)}
	}
	scale := max(1, min(16, 512/max(columns, rows)))
	img := image.NewRGBA(image.Rect(0, 0, columns*scale, rows*scale))
	paint := func(i int, c color.RGBA) {
		for y := range scale {
			for x := range scale {
				img.SetRGBA(i%columns*scale+x, i/columns*scale+y, c)
			}
		}
	}
	for i := range rows * columns {
		if i < cells {
			paint(i, equalColour)
		}
	}
	m.walk(func(i int, e *Element) {
		if i < cells {
			paint(i, colourOf(e))
		}
	})
	return png.Encode(w, img)
}

var (
	equalColour  = color.RGBA{0xc8, 0xc8, 0xc8, 0xff}
	withinColour = color.RGBA{0x40, 0x60, 0xe0, 0xff}
)

// colourOf goes from yellow at one unit to red at 2^24 and more.
func colourOf(e *Element) color.RGBA {
	if !e.Beyond {
		return withinColour
	}
	heat := min(bits.Len64(e.ULP), 24)
	if e.NaN {
		heat = 24
	}
	return color.RGBA{0xff, uint8(0xe0 - heat*0xe0/24), 0, 0xff}
}

// columns finds the width of a memory of rank 2, 0 if nothing tells it.
func (m *Memory) columns(d *launch.Dispatch, cells int) int {
	if m.Image != nil {
		return m.Image.Width
	}
	if d == nil {
		return 0
	}
	_, e, err := resolve(d)
	if err != nil {
		return 0
	}
	x, y := int(d.Groups[0]*e.LocalSize[0]), int(d.Groups[1]*e.LocalSize[1])
	if y > 1 && x*y == cells {
		return x
	}
	if s := int(math.Sqrt(float64(cells))); s*s == cells {
		return s
	}
	return 0
}

// walk calls f for each number that differs, with its place among all.
func (m *Memory) walk(f func(i int, e *Element)) {
	a, b := m.Data[0], m.Data[1]
	if a == nil {
		return
	}
	at := 0
	for off := 0; off < len(a); {
		list, next := m.numbers(off)
		if len(list) == 0 {
			off++
			continue
		}
		for _, n := range list {
			x, y := n.at.Load(a[n.base:]), n.at.Load(b[n.base:])
			if x != y {
				one := Memory{Tolerance: m.Tolerance, numbers: m.numbers, Name: m.Name, Buffer: m.Buffer, Image: m.Image, judge: m.judge}
				one.number(n, a, b, m.Tolerance, 0)
				if one.Largest != nil {
					f(at, one.Largest)
				}
			}
			if m.Image == nil {
				at++
			}
		}
		if m.Image != nil {
			at++
		}
		off = max(next, off+1)
	}
}
