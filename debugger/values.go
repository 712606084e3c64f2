package debugger

import (
	"fmt"
	"math"
	"strings"

	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
	"ampdbg/warp/scalar"
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
}

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

// The types of literals, comparisons and built-ins.
var (
	boolType   = &spirv.Type{Kind: spirv.Bool}
	intType    = &spirv.Type{Kind: spirv.Int, Width: 32, Signed: true}
	uintType   = &spirv.Type{Kind: spirv.Int, Width: 32}
	int64Type  = &spirv.Type{Kind: spirv.Int, Width: 64, Signed: true}
	uint64Type = &spirv.Type{Kind: spirv.Int, Width: 64}
	floatType  = &spirv.Type{Kind: spirv.Float, Width: 32}
	doubleType = &spirv.Type{Kind: spirv.Float, Width: 64}
)

// namedTypes are the type names that casts and constructors know.
var namedTypes = map[string]*spirv.Type{
	"bool": boolType, "int": intType, "uint": uintType, "float": floatType, "double": doubleType,
	"long": int64Type, "ulong": uint64Type,
	"int8_t": {Kind: spirv.Int, Width: 8, Signed: true}, "uint8_t": {Kind: spirv.Int, Width: 8},
	"char": {Kind: spirv.Int, Width: 8, Signed: true}, "uchar": {Kind: spirv.Int, Width: 8},
	"int16_t": {Kind: spirv.Int, Width: 16, Signed: true}, "uint16_t": {Kind: spirv.Int, Width: 16},
	"short": {Kind: spirv.Int, Width: 16, Signed: true}, "ushort": {Kind: spirv.Int, Width: 16},
	"int32_t": intType, "uint32_t": uintType, "int64_t": int64Type, "uint64_t": uint64Type,
	"float16_t": {Kind: spirv.Float, Width: 16}, "half": {Kind: spirv.Float, Width: 16},
}

func init() {
	for n := 2; n <= 4; n++ {
		for prefix, t := range map[string]*spirv.Type{"": floatType, "b": boolType, "i": intType, "u": uintType, "d": doubleType} {
			namedTypes[fmt.Sprintf("%svec%d", prefix, n)] = vectorOf(t, n)
		}
	}
}

func vectorOf(t *spirv.Type, n int) *spirv.Type {
	if n == 1 {
		return t
	}
	return &spirv.Type{Kind: spirv.Vector, Elem: t, Len: n}
}

// scalars is the number of scalars of a type, also of one made here.
func scalars(t *spirv.Type) int {
	if t.ID == 0 {
		switch t.Kind {
		case spirv.Vector:
			return t.Len
		case spirv.Array, spirv.Matrix:
			return t.Len * scalars(t.Elem)
		}
		return 1
	}
	return t.Scalars()
}

// component is the scalar type of a scalar or vector, nil for others.
func component(t *spirv.Type) *spirv.Type {
	if t.Kind == spirv.Vector {
		t = t.Elem
	}
	if t.IsScalar() {
		return t
	}
	return nil
}

func width(t *spirv.Type) int {
	if t.Kind == spirv.Vector {
		return t.Len
	}
	return 1
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
	n := scalars(o.t)
	if o.t.Kind == spirv.RuntimeArray {
		n = o.n * scalars(o.t.Elem)
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

func (p *place) outside(size int) error {
	return fmt.Errorf("%d bytes at byte %d are outside the %d bytes there", size, p.off, len(p.data))
}

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
			return operand{}, fmt.Errorf("index %d is outside of %d descriptors", i, len(o.at.views))
		}
		return o.at.pick(o.at.views[i]), nil
	}
	if t.Kind == spirv.RuntimeArray && i >= o.n || t.Kind != spirv.RuntimeArray && childType(t, i) == nil || i < 0 {
		n := t.Len
		if t.Kind == spirv.RuntimeArray {
			n = o.n
		}
		return operand{}, fmt.Errorf("index %d is outside of %d elements", i, n)
	}
	part := childType(t, i)
	if o.isTexel() {
		p, x := *o.at, *o.at.texels
		x.channels = x.channels[i : i+1]
		p.texels = &x
		return operand{t: part, at: &p}, nil
	}
	if o.at == nil {
		first := childScalar(t, i)
		return operand{t: part, bits: o.bits[first : first+scalars(part)]}, nil
	}
	p := *o.at
	switch {
	case p.rows != nil:
		first := childScalar(t, i)
		p.rows = p.rows[first : first+scalars(part)]
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

func childType(t *spirv.Type, i int) *spirv.Type {
	if t.ID != 0 {
		return t.Child(i)
	}
	if (t.Kind == spirv.Vector || t.Kind == spirv.Array) && i >= 0 && i < t.Len {
		return t.Elem
	}
	return nil
}

func childScalar(t *spirv.Type, i int) int {
	if t.ID != 0 {
		return t.ChildScalar(i)
	}
	return i * scalars(t.Elem)
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

// asInt is a scalar as a signed integer, sign-extended or rounded.
func asInt(t *spirv.Type, v uint64) int64 {
	switch {
	case t.Kind == spirv.Float:
		return int64(asFloat(t, v))
	case t.Kind == spirv.Int && t.Signed && t.Width < 64:
		s := 64 - uint(t.Width)
		return int64(v<<s) >> s
	}
	return int64(v)
}

// asFloat is a scalar as a number.
func asFloat(t *spirv.Type, v uint64) float64 {
	switch {
	case t.Kind == spirv.Float && t.Width == 64:
		return math.Float64frombits(v)
	case t.Kind == spirv.Float && t.Width == 16:
		return float64(scalar.HalfToFloat(uint16(v)))
	case t.Kind == spirv.Float:
		return float64(math.Float32frombits(uint32(v)))
	case t.Kind == spirv.Int && !t.Signed || t.Kind != spirv.Int:
		return float64(v)
	}
	return float64(asInt(t, v))
}

// fromFloat makes a floating-point scalar.
func fromFloat(t *spirv.Type, f float64) uint64 {
	switch t.Width {
	case 64:
		return math.Float64bits(f)
	case 16:
		return uint64(scalar.DoubleToHalf(f, false))
	}
	return uint64(math.Float32bits(float32(f)))
}

// convert makes a scalar one of another type.
func convert(to, from *spirv.Type, v uint64) uint64 {
	switch to.Kind {
	case spirv.Bool:
		if from.Kind == spirv.Float && asFloat(from, v) == 0 || v == 0 {
			return 0
		}
		return 1
	case spirv.Float:
		if to.Width == from.Width && from.Kind == spirv.Float {
			return v
		}
		return fromFloat(to, asFloat(from, v))
	case spirv.Int:
		var x uint64
		if from.Kind == spirv.Float {
			f := asFloat(from, v)
			if f >= 1<<63 {
				x = uint64(f)
			} else {
				x = uint64(int64(f))
			}
		} else {
			x = uint64(asInt(from, v))
		}
		return x & (^uint64(0) >> (64 - uint(to.Width)))
	}
	return v
}
