package warp

import (
	"math"
	"unsafe"

	"ampdbg/program"
	"ampdbg/tilemem"
	"ampdbg/warp/scalar"
)

// The value operations beyond those that straight does itself, and the quick paths
// of memory. They stand apart because the compiler inlines little into a
// function as large as it would be with all of them.

// four is the run of four lanes at element i.
func four(r unsafe.Pointer, i uint32) *[4]uint64 {
	return (*[4]uint64)(unsafe.Add(r, uintptr(i)*8))
}

// word is element i.
func word(r unsafe.Pointer, i uint32) *uint64 {
	return (*uint64)(unsafe.Add(r, uintptr(i)*8))
}

// copy4 copies lane by lane: a wider load would have to wait until the lanes
// that have just been written have left the store buffer.
func copy4(d, a *[4]uint64) { d[0], d[1], d[2], d[3] = a[0], a[1], a[2], a[3] }

func f32(x uint64) float32    { return math.Float32frombits(uint32(x)) }
func bits32(f float32) uint64 { return uint64(math.Float32bits(f)) }
func f64(x uint64) float64    { return math.Float64frombits(x) }
func bits64(f float64) uint64 { return math.Float64bits(f) }

// wide is the float32 in element l of four lanes. The low half of an element
// comes first in memory: the quick paths here are for little-endian machines.
func wide(r *[4]uint64, l uintptr) float64 {
	return float64(*(*float32)(unsafe.Add(unsafe.Pointer(r), 8*l)))
}

// fma32 does an Fma32: a*b + c, rounded once. The product of two numbers of
// binary32 is exact in binary64. The sum is rounded to binary64; rounding again
// goes wrong only if that lies in the middle between two neighbours in binary32,
// or is too small for one of full precision.
func fma32(base unsafe.Pointer, op *program.Op) {
	for i := uint32(0); i < op.N; i += 4 {
		d, a, b, c := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i), four(base, op.C+i)
		s0, s1, s2, s3 := wide(a, 0)*wide(b, 0)+wide(c, 0), wide(a, 1)*wide(b, 1)+wide(c, 1), wide(a, 2)*wide(b, 2)+wide(c, 2), wide(a, 3)*wide(b, 3)+wide(c, 3)
		y0, y1, y2, y3 := math.Float32bits(float32(s0)), math.Float32bits(float32(s1)), math.Float32bits(float32(s2)), math.Float32bits(float32(s3))
		// Each term is negative where the number under test is 0.
		small := int32(y0&0x7f800000-1) | int32(y1&0x7f800000-1) | int32(y2&0x7f800000-1) | int32(y3&0x7f800000-1)
		if small < 0 || int64(midway(s0)|midway(s1)|midway(s2)|midway(s3)) < 0 {
			for l := range d {
				d[l] = fma1(wide(a, uintptr(l))*wide(b, uintptr(l)), wide(c, uintptr(l)))
			}
			continue
		}
		d[0], d[1], d[2], d[3] = uint64(y0), uint64(y1), uint64(y2), uint64(y3)
		if s := s0 + s1 + s2 + s3; s != s {
			oneNaN32(d)
		}
	}
}

// midway has its highest bit set if s lies in the middle between two neighbours in
// binary32, if it has its full precision there.
func midway(s float64) uint64 { return (math.Float64bits(s)+1<<28)&(1<<29-1) - 1 }

// fma1 is p + q in binary32. The sum is rounded to odd in binary64, whence it
// can be rounded to binary32 as if it were exact (Boldo and Melquiond,
// Emulation of FMA and correctly rounded sums, 2008).
func fma1(p, q float64) uint64 {
	s := p + q
	if s != s {
		return scalar.NaN32
	}
	t := s - p
	rest := (p - (s - t)) + (q - t) // s + rest = p + q exactly, but for infinities
	x := math.Float64bits(s)
	if x&1 == 0 && rest != 0 && rest == rest {
		if (rest > 0) == (s > 0) {
			x++
		} else {
			x--
		}
	}
	return bits32(float32(math.Float64frombits(x)))
}

// oneNaN32 makes every NaN among four results the one that package scalar
// computes: which NaN an operation gives depends on the processor, and on the
// order of its operands.
func oneNaN32(d *[4]uint64) {
	for k, x := range d {
		if x&0x7fffffff > 0x7f800000 {
			d[k] = scalar.NaN32
		}
	}
}

// oneNaN64 is oneNaN32 for binary64.
func oneNaN64(d *[4]uint64) {
	for k, x := range d {
		if x&(1<<63-1) > 0x7ff<<52 {
			d[k] = scalar.NaN64
		}
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// shrS32 is a shifted right with its sign, 0 if b is 32 or more: package scalar
// says so too.
func shrS32(a, b uint64) uint64 {
	if b > 31 {
		return 0
	}
	return uint64(uint32(int32(a) >> b))
}

// pointer is the pointer to byte off of a view. An offset outside of every view
// stays outside of this one: it does not carry over into the next.
func pointer(view int, off int64) uint64 {
	return tilemem.Point(view, max(min(off, tilemem.Bias-1), -tilemem.Bias))
}

// value does a value operation, one of those that straight does not do itself.
func (w *Warp) value(op *program.Op) {
	R, base := w.R, unsafe.Pointer(&w.R[0])
	stride := uint32(w.P.Stride)
	switch op.Code {
	case program.Not32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a := four(base, op.Dst+i), four(base, op.A+i)
			d[0], d[1], d[2], d[3] = uint64(^uint32(a[0])), uint64(^uint32(a[1])), uint64(^uint32(a[2])), uint64(^uint32(a[3]))
		}
	case program.IAdd64:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = a[0]+b[0], a[1]+b[1], a[2]+b[2], a[3]+b[3]
		}
	case program.ISub64:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		}
	case program.IMul64:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = a[0]*b[0], a[1]*b[1], a[2]*b[2], a[3]*b[3]
		}
	case program.Or:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = a[0]|b[0], a[1]|b[1], a[2]|b[2], a[3]|b[3]
		}
	case program.Xor:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = a[0]^b[0], a[1]^b[1], a[2]^b[2], a[3]^b[3]
		}
	case program.ShrU32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = a[0]>>b[0], a[1]>>b[1], a[2]>>b[2], a[3]>>b[3]
		}
	case program.ShrS32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = shrS32(a[0], b[0]), shrS32(a[1], b[1]), shrS32(a[2], b[2]), shrS32(a[3], b[3])
		}
	case program.FDiv32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			s0, s1, s2, s3 := f32(a[0])/f32(b[0]), f32(a[1])/f32(b[1]), f32(a[2])/f32(b[2]), f32(a[3])/f32(b[3])
			d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
			if s := s0 + s1 + s2 + s3; s != s {
				oneNaN32(d)
			}
		}
	case program.FNeg32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a := four(base, op.Dst+i), four(base, op.A+i)
			d[0], d[1], d[2], d[3] = a[0]^1<<31, a[1]^1<<31, a[2]^1<<31, a[3]^1<<31
		}
	case program.FAdd64:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			s0, s1, s2, s3 := f64(a[0])+f64(b[0]), f64(a[1])+f64(b[1]), f64(a[2])+f64(b[2]), f64(a[3])+f64(b[3])
			d[0], d[1], d[2], d[3] = bits64(s0), bits64(s1), bits64(s2), bits64(s3)
			if s := s0 + s1 + s2 + s3; s != s {
				oneNaN64(d)
			}
		}
	case program.FSub64:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			s0, s1, s2, s3 := f64(a[0])-f64(b[0]), f64(a[1])-f64(b[1]), f64(a[2])-f64(b[2]), f64(a[3])-f64(b[3])
			d[0], d[1], d[2], d[3] = bits64(s0), bits64(s1), bits64(s2), bits64(s3)
			if s := s0 + s1 + s2 + s3; s != s {
				oneNaN64(d)
			}
		}
	case program.FMul64:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			s0, s1, s2, s3 := f64(a[0])*f64(b[0]), f64(a[1])*f64(b[1]), f64(a[2])*f64(b[2]), f64(a[3])*f64(b[3])
			d[0], d[1], d[2], d[3] = bits64(s0), bits64(s1), bits64(s2), bits64(s3)
			if s := s0 + s1 + s2 + s3; s != s {
				oneNaN64(d)
			}
		}
	case program.INe:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = bit(a[0] != b[0]), bit(a[1] != b[1]), bit(a[2] != b[2]), bit(a[3] != b[3])
		}
	case program.ULe32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = bit(a[0] <= b[0]), bit(a[1] <= b[1]), bit(a[2] <= b[2]), bit(a[3] <= b[3])
		}
	case program.SLe32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = bit(int32(a[0]) <= int32(b[0])), bit(int32(a[1]) <= int32(b[1])), bit(int32(a[2]) <= int32(b[2])), bit(int32(a[3]) <= int32(b[3]))
		}
	case program.FOrdEq32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = bit(f32(a[0]) == f32(b[0])), bit(f32(a[1]) == f32(b[1])), bit(f32(a[2]) == f32(b[2])), bit(f32(a[3]) == f32(b[3]))
		}
	case program.FOrdLe32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = bit(f32(a[0]) <= f32(b[0])), bit(f32(a[1]) <= f32(b[1])), bit(f32(a[2]) <= f32(b[2])), bit(f32(a[3]) <= f32(b[3]))
		}
	case program.FUnordNe32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
			d[0], d[1], d[2], d[3] = bit(f32(a[0]) != f32(b[0])), bit(f32(a[1]) != f32(b[1])), bit(f32(a[2]) != f32(b[2])), bit(f32(a[3]) != f32(b[3]))
		}
	case program.LogicalNot:
		for i := uint32(0); i < op.N; i += 4 {
			d, a := four(base, op.Dst+i), four(base, op.A+i)
			d[0], d[1], d[2], d[3] = a[0]^1, a[1]^1, a[2]^1, a[3]^1
		}
	case program.SToF32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a := four(base, op.Dst+i), four(base, op.A+i)
			d[0], d[1], d[2], d[3] = bits32(float32(int32(a[0]))), bits32(float32(int32(a[1]))), bits32(float32(int32(a[2]))), bits32(float32(int32(a[3])))
		}
	case program.UToF32:
		for i := uint32(0); i < op.N; i += 4 {
			d, a := four(base, op.Dst+i), four(base, op.A+i)
			d[0], d[1], d[2], d[3] = bits32(float32(uint32(a[0]))), bits32(float32(uint32(a[1]))), bits32(float32(uint32(a[2]))), bits32(float32(uint32(a[3])))
		}
	case program.Call1:
		fn := w.fn.one[op.X]
		for i := uint32(0); i < op.N; i++ {
			*word(base, op.Dst+i) = fn(*word(base, op.A+i))
		}
	case program.Call2:
		fn := w.fn.two[op.X]
		for i := uint32(0); i < op.N; i++ {
			*word(base, op.Dst+i) = fn(*word(base, op.A+i), *word(base, op.B+i))
		}
	case program.Call3:
		fn := w.fn.three[op.X]
		for i := uint32(0); i < op.N; i++ {
			*word(base, op.Dst+i) = fn(*word(base, op.A+i), *word(base, op.B+i), *word(base, op.C+i))
		}
	case program.PtrTo:
		sh, str := op.Sh&63, int64(op.Y)
		for i := range stride {
			R[op.Dst+i] = pointer(int(op.X), op.Imm+int64(R[op.C+i]<<sh)>>sh*str)
		}
	case program.PtrAdd:
		sh, str := op.Sh&63, int64(op.Y)
		for i := range stride {
			if op.Flag != 0 {
				R[op.Dst+i] = R[op.A+i] + uint64(op.Imm+int64(R[op.C+i]<<sh)>>sh*str)
				continue
			}
			view, off := tilemem.Split(R[op.A+i])
			R[op.Dst+i] = pointer(view, off+op.Imm+int64(R[op.C+i]<<sh)>>sh*str)
		}

	default:
		panic("warp: no handler for operation " + op.Code.String())
	}
}

// load32 loads a 32-bit scalar for all lanes of an undiverged warp. It does
// nothing and returns false where it takes the long way.
func (w *Warp) load32(op *program.Op) bool {
	v := &w.T.Views[op.X]
	if op.N != 1 || v.Slow || w.partial {
		return false
	}
	base := unsafe.Pointer(&w.R[0])
	mem, lim := unsafe.Pointer(unsafe.SliceData(v.Data)), uint64(max(len(v.Data)-3, 0))
	imm, sh, str := op.Imm, op.Sh&63, int64(op.Y)
	stride := uint32(w.P.Stride)
	if str == 0 && op.Flag == 0 { // the same word for all lanes
		if uint64(imm) >= lim {
			return false
		}
		x := uint64(*(*uint32)(unsafe.Add(mem, imm)))
		for i := uint32(0); i < stride; i += 4 {
			d := four(base, op.Dst+i)
			d[0], d[1], d[2], d[3] = x, x, x, x
		}
		return true
	}
	for i := uint32(0); i < stride; i += 4 {
		c := four(base, op.C+i)
		o0 := uint64(imm + int64(c[0]<<sh)>>sh*str)
		o1 := uint64(imm + int64(c[1]<<sh)>>sh*str)
		o2 := uint64(imm + int64(c[2]<<sh)>>sh*str)
		o3 := uint64(imm + int64(c[3]<<sh)>>sh*str)
		if op.Flag != 0 {
			e, str := four(base, op.A+i), int64(int32(op.B))
			o0 += uint64(int64(e[0]<<sh) >> sh * str)
			o1 += uint64(int64(e[1]<<sh) >> sh * str)
			o2 += uint64(int64(e[2]<<sh) >> sh * str)
			o3 += uint64(int64(e[3]<<sh) >> sh * str)
		}
		if o0 >= lim || o1 >= lim || o2 >= lim || o3 >= lim {
			return false
		}
		d := four(base, op.Dst+i)
		d[0] = uint64(*(*uint32)(unsafe.Add(mem, o0)))
		d[1] = uint64(*(*uint32)(unsafe.Add(mem, o1)))
		d[2] = uint64(*(*uint32)(unsafe.Add(mem, o2)))
		d[3] = uint64(*(*uint32)(unsafe.Add(mem, o3)))
	}
	return true
}

// store32 stores a 32-bit scalar likewise. Lanes before one that is out of
// bounds have stored when it returns false; they store again.
func (w *Warp) store32(op *program.Op) bool {
	v := &w.T.Views[op.X]
	if op.N != 1 || v.Slow || w.partial || v.ReadOnly {
		return false
	}
	R, base := w.R, unsafe.Pointer(&w.R[0])
	w.T.Changed = true
	mem, lim := unsafe.Pointer(unsafe.SliceData(v.Data)), uint64(max(len(v.Data)-3, 0))
	imm, sh, str := op.Imm, op.Sh&63, int64(op.Y)
	for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
		a, c := four(base, op.A+i), four(base, op.C+i)
		for k := range 4 {
			o := uint64(imm + int64(c[k]<<sh)>>sh*str)
			if op.Flag != 0 {
				o += uint64(int64(R[int(op.Dst+i)+k]<<sh) >> sh * int64(int32(op.B)))
			}
			if o >= lim {
				return false
			}
			*(*uint32)(unsafe.Add(mem, o)) = uint32(a[k])
		}
	}
	return true
}
