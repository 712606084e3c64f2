package debugger

import (
	"fmt"
	"strings"

	"ampdbg/debugger/expr"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// thread is a thread at whose values expressions are looked at.
type thread struct {
	tile  uint64 // linear index of its tile
	local int    // place in the tile
	lane  int
	w     *warp.Warp // nil if its tile is not at hand
	pc    int        // where it is, or the call in a frame further out; -1 if nowhere
	scope *spirv.LexicalScope
	outer int32 // 1 + the call in whose frame it is looked at; 0: that of pc
	away  *away // why it has no frame here; nil if it has one
}

// away says that a thread has no frame of the function that is looked at: names
// mean what they mean there, and what is the thread's own has no value.
type away struct {
	at        *thread // where names are looked up; nil if nowhere
	unstarted bool    // it has no registers at all
	why       absence
}

// absence is the error of a value that a thread does not have.
type absence string

// Error implements error.
func (a absence) Error() string { return string(a) }

// operand is the value of an expression: bits, or a place from which they are
// read when needed. A literal integer has no place and is a constant.
type operand struct {
	t    *spirv.Type
	bits []uint64
	at   *place
	n    int // elements, where t is a run-time array
}

// place is where a value lies: in rows of the arena, or in memory.
type place struct {
	rows   []uint32 // element offsets of its scalars; nil: in memory
	view   int
	off    int64
	layout spirv.Layout
	data   []byte // of the view
	mem    *tilemem.Memory
	views  []int // an array of descriptors, not indexed yet
	pick   func(view int) operand
	texels *texels // in an image; nil elsewhere
}

// maxRead bounds how many scalars an expression may read at once.
const maxRead = 1 << 16

// load reads the operand's bits.
func (o *operand) load(th *thread) ([]uint64, error) {
	if o.at == nil {
		return o.bits, nil
	}
	if o.at.views != nil {
		return nil, fmt.Errorf("an array of %d descriptors; look at one of them", len(o.at.views))
	}
	if x := o.at.texels; x != nil {
		if !x.one {
			return nil, fmt.Errorf("%s is an image, of %s; look at a texel of it, such as %s[%s]", x.name, x.describe(), x.name, strings.Join([]string{"x", "y", "z"}[:x.im.Coordinates()], ","))
		}
		return x.load(o.at.data[o.at.off:]), nil
	}
	n := expr.Scalars(o.t)
	if o.t.Kind == spirv.RuntimeArray {
		n = o.n * expr.Scalars(o.t.Elem)
	}
	if n > maxRead {
		return nil, fmt.Errorf("a value of %d scalars; look at a part of it", n)
	}
	if cap(o.bits) < n {
		o.bits = make([]uint64, 0, n)
	}
	out := o.bits[:0]
	p := o.at
	if p.rows != nil {
		for _, r := range p.rows {
			out = append(out, th.w.R[int(r)+th.lane])
		}
		return out, nil
	}
	if o.t.IsScalar() {
		size := scalarSize(o.t)
		if !tilemem.InBounds(p.data, p.off, int64(size)) {
			return nil, p.outside(size)
		}
		return append(out, asScalar(o.t, tilemem.LoadWord(p.data, p.off, size))), nil
	}
	var err error
	visit := func(t *spirv.Type, off int64) bool {
		size := scalarSize(t)
		if !tilemem.InBounds(p.data, off, int64(size)) {
			err = p.outside(size)
			return false
		}
		out = append(out, asScalar(t, tilemem.LoadWord(p.data, off, size)))
		return true
	}
	p.walk(o.t, o.n, visit)
	return out, err
}

// walk visits the scalars of a value in memory.
func (p *place) walk(t *spirv.Type, n int, visit func(t *spirv.Type, off int64) bool) {
	if t.ID == 0 && (t.Kind == spirv.Array || t.Kind == spirv.Vector) || t.Kind == spirv.RuntimeArray {
		if t.ID == 0 {
			n = t.Len
		}
		part := t.Elem
		stride := int64(t.ArrayStride)
		if t.ID != 0 {
			stride = int64(t.Stride(p.layout))
		}
		for i := range n {
			q := *p
			q.off += int64(i) * stride
			ok := true
			q.walk(part, 0, func(t *spirv.Type, off int64) bool { ok = visit(t, off); return ok })
			if !ok {
				return
			}
		}
		return
	}
	if !t.IsComposite() {
		visit(t, p.off)
		return
	}
	t.Walk(p.layout, func(_ []int, s *spirv.Type, off int) bool { return visit(s, p.off+int64(off)) })
}

// outside says why size bytes are not there.
func (p *place) outside(size int) error {
	if p.withoutTile() {
		return errNoTile
	}
	return expr.ValueErrorf("%d bytes at byte %d are outside the %d bytes there", size, p.off, len(p.data))
}

// withoutTile reports whether the place is in the tile_static memory of a tile that
// has none.
func (p *place) withoutTile() bool {
	return p.mem != nil && p.mem.Space == tilemem.TileStatic && len(p.data) == 0
}

const errNoTile absence = "the tile has no tile_static memory: it has not started, or ended long ago"

func scalarSize(t *spirv.Type) int {
	switch t.Kind {
	case spirv.Bool:
		return 4
	case spirv.Int, spirv.Float:
		return t.Width / 8
	}
	return 8
}

// asScalar makes a memory word a register value.
func asScalar(t *spirv.Type, v uint64) uint64 {
	if t.Kind == spirv.Bool && v != 0 {
		return 1
	}
	return v
}

// child is part i of a composite operand.
func (o *operand) child(i int) (operand, error) {
	t := o.t
	if o.at != nil && o.at.views != nil {
		if i < 0 || i >= len(o.at.views) {
			return operand{}, expr.ValueErrorf("index %d is outside of %d descriptors", i, len(o.at.views))
		}
		return o.at.pick(o.at.views[i]), nil
	}
	if t.Kind == spirv.RuntimeArray && i >= o.n || t.Kind != spirv.RuntimeArray && t.Child(i) == nil || i < 0 {
		n := t.Len
		if t.Kind == spirv.RuntimeArray {
			n = o.n
		}
		return operand{}, expr.ValueErrorf("index %d is outside of %d elements", i, n)
	}
	part := t.Child(i)
	if o.isTexel() {
		p, x := *o.at, *o.at.texels
		x.channels = x.channels[i : i+1]
		p.texels = &x
		return operand{t: part, at: &p}, nil
	}
	if o.at == nil {
		first := expr.FirstScalar(t, i)
		return operand{t: part, bits: o.bits[first : first+expr.Scalars(part)]}, nil
	}
	p := *o.at
	switch {
	case p.rows != nil:
		first := expr.FirstScalar(t, i)
		p.rows = p.rows[first : first+expr.Scalars(part)]
	case t.ID == 0:
		p.off += int64(i) * int64(t.ArrayStride)
	default:
		_, off, in := t.Place(p.layout, i)
		p.off += int64(off)
		p.layout = in
	}
	out := operand{t: part, at: &p}
	if part.Kind == spirv.RuntimeArray && p.rows == nil {
		if stride := int64(part.Stride(p.layout)); stride > 0 {
			out.n = int(max(int64(len(p.data))-p.off, 0) / stride)
		}
	}
	return out, nil
}

// store writes bits, already of o's type, to the place of o.
func (o *operand) store(th *thread, bits []uint64) error {
	if o.at == nil {
		return fmt.Errorf("this value has no place to be changed at")
	}
	if x := o.at.texels; x != nil {
		x.store(o.at.data[o.at.off:], bits)
		return nil
	}
	if o.at.rows != nil {
		for i, r := range o.at.rows {
			th.w.Assign(r, th.lane, bits[i])
		}
		return nil
	}
	i := 0
	var err error
	o.at.walk(o.t, o.n, func(t *spirv.Type, off int64) bool {
		size := scalarSize(t)
		if !tilemem.InBounds(o.at.data, off, int64(size)) {
			err = o.at.outside(size)
			return false
		}
		tilemem.StoreWord(o.at.data, off, size, bits[i])
		i++
		return true
	})
	return err
}

// literal makes an operand of a number.
func literal(t *spirv.Type, v ...uint64) operand { return operand{t: t, bits: v} }
