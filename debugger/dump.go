package debugger

import (
	"fmt"
	"math"
	"slices"

	"ampdbg/debugger/expr"
	"ampdbg/spirv"
)

// Memory is a typed piece of memory.
type Memory struct {
	Name  string
	Off   int64 // of the first element, in its view
	Size  int   // bytes of an element
	Type  string
	Elems []string
	Bytes []byte
}

// MemoryAt reads count elements of memory from what an expression names, or has
// the address of, on: scalars of its type or texels, or, if size is not 0,
// unsigned integers of so many bytes (1, 2, 4 or 8).
func (at *Stopped) MemoryAt(id ThreadID, frame int, e *Expr, count, size int, f Format) (Memory, error) {
	if err := at.sit(id, frame); err != nil {
		return Memory{}, err
	}
	defer at.leave()
	th := at.t.viewpoint(id, frame).thread(id)
	ev := evaluator{t: at.t}
	root := e.root
	if u, ok := root.(*expr.Unary); ok && u.Op == "&" {
		root = u.Of
	}
	o, err := ev.eval(root, th)
	if err != nil {
		return Memory{}, err
	}
	if o.at == nil || o.at.rows != nil || o.at.views != nil {
		return Memory{}, fmt.Errorf("%s does not lie in memory", e.Text)
	}
	if o.at.withoutTile() {
		return Memory{}, errNoTile
	}
	out := Memory{Name: e.Text, Off: o.at.off}
	if o.isImage() {
		if o, err = o.texel(make([]int64, o.at.texels.im.Coordinates()), 0, 0, 0, o.at.texels.stored()); err != nil {
			return Memory{}, err
		}
	}
	t := o.t
	if o.isTexel() {
		out.Size = o.at.texels.im.Format.TexelSize
	}
	for t.IsComposite() && !o.isTexel() {
		part, off, in := t.Place(o.at.layout, 0)
		p := *o.at
		p.off, p.layout = p.off+int64(off), in
		o.at, t = &p, part
	}
	if size > 0 {
		p := *o.at
		p.texels = nil
		o.at, t, out.Size = &p, &spirv.Type{Kind: spirv.Int, Width: 8 * size}, size
	}
	out.Type = typeName(at.t.u, t)
	if out.Size == 0 {
		out.Size = scalarSize(t)
	}
	left := max(int64(len(o.at.data))-o.at.off, 0)
	n := int(min(int64(count), left/int64(out.Size), maxRead))
	out.Bytes = slices.Clone(o.at.data[min(o.at.off, int64(len(o.at.data))):][:n*out.Size])
	for i := range n {
		p := *o.at
		p.off += int64(i * out.Size)
		text, err := at.t.text(operand{t: t, at: &p}, th, f)
		if err != nil {
			return out, err
		}
		out.Elems = append(out.Elems, text)
	}
	return out, nil
}

// Picture is a grid of numbers: an expression across a tile, or an
// array in memory.
type Picture struct {
	Title         string
	Width, Height int
	Values        []float64 // row by row; NaN where there is none
	// None marks the places that have no value; nil if all have one.
	None []bool
}

// PictureAt computes an expression in every thread of a thread's tile, laid out
// as the tile is; or, where the expression is an array, its elements, laid out
// as the array is, or in rows of the given width.
func (at *Stopped) PictureAt(id ThreadID, frame int, e *Expr, width int) (Picture, error) {
	if err := at.sit(id, frame); err != nil {
		return Picture{}, err
	}
	defer at.leave()
	t := at.t
	vp := t.viewpoint(id, frame)
	th := vp.thread(id)
	ev := evaluator{t: t}
	o, err := ev.eval(e.root, th)
	absent := err != nil && isAbsence(err)
	if err != nil && !absent {
		return Picture{}, err
	}
	out := Picture{Title: e.Text}
	if absent {
		return at.tilePicture(e, vp)
	} else if im, err := t.asImage(o, th); err == nil {
		out.Width, out.Height, out.Values = im.at.texels.picture(width)
	} else if c := expr.Component(o.t); c == nil {
		bits, err := o.load(th)
		if err != nil {
			return out, err
		}
		t := o.t
		for expr.Component(t) == nil && t.IsComposite() && t.Elem != nil && !t.Elem.IsScalar() {
			t = t.Elem
		}
		if t.Elem == nil || !t.Elem.IsScalar() {
			return out, fmt.Errorf("expected an array of numbers, found %s", typeName(at.t.u, o.t))
		}
		out.Width = width
		if width <= 0 {
			out.Width = len(bits) / max(1, len(bits)/max(t.Len, 1))
			if t.Len == 0 || t == o.t {
				out.Width = min(len(bits), 64)
			}
		}
		out.Width = max(min(out.Width, len(bits)), 1)
		for _, b := range bits {
			out.Values = append(out.Values, expr.AsFloat(t.Elem, b))
		}
		out.Height = (len(bits) + out.Width - 1) / out.Width
	} else {
		return at.tilePicture(e, vp)
	}
	for len(out.Values) < out.Width*out.Height {
		out.Values = append(out.Values, math.NaN())
	}
	return out, nil
}

// tilePicture is an expression across the tile of a viewpoint.
func (at *Stopped) tilePicture(e *Expr, vp viewpoint) (Picture, error) {
	if err := at.t.check(vp.of); err != nil {
		return Picture{}, err
	}
	size := at.t.p.TileSize
	out := Picture{Title: e.Text, Width: int(size[0]), Height: int(size[1] * size[2])}
	var firstErr error
	failed := 0
	for _, id := range at.t.tileThreads(vp.of.Tile) {
		c := at.cell(e, vp.thread(id), 0)
		none := c.Err != nil || !c.IsNumber
		if none {
			c.Number = math.NaN()
			failed++
		}
		firstErr = telling(firstErr, c.Err)
		out.Values, out.None = append(out.Values, c.Number), append(out.None, none)
	}
	if failed == len(out.Values) && firstErr != nil {
		return out, firstErr
	}
	return out, nil
}
