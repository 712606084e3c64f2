package scalar

import (
	"ampdbg/program"
	"ampdbg/spirv"
)

// GLSLVector gives a GLSL.std.450 instruction that mixes the components of its
// operands, or has a result of another shape than its operands:
//
//	Length Distance Normalize Cross FaceForward Reflect Refract
//	Determinant MatrixInverse       square matrices of 2 to 4 columns, column by column
//	Modf ModfStruct                 result: the fractions, then the whole parts
//	Frexp FrexpStruct               result: the significands, then the exponents (32 bits)
//	Pack… Unpack…
//
// k is the kind of the floating-point components (the eta of Refract included),
// 64 bits for PackDouble2x32 and UnpackDouble2x32, 32 for the others of theirs;
// inLens is the number of components of each value operand, the pointers of Modf
// and Frexp left out. fn reads the components of the operands one after the other
// from in and writes outLen components to out, which must not overlap in.
// PackDouble2x32 and UnpackDouble2x32 keep bits. ok is false if inst is not such an
// instruction of operands of this shape.
func GLSLVector(inst uint32, k program.Kind, inLens []int, m program.Mode) (fn func(in, out []uint64), outLen int, ok bool) {
	if !k.IsFloat() || len(inLens) == 0 || inLens[0] < 1 {
		return nil, 0, false
	}
	n := inLens[0]
	f := formatOf(k, m)
	if fn, outLen = packing(inst, f, n); fn != nil {
		return fn, outLen, len(inLens) == 1
	}
	switch inst {
	case spirv.GLSLDeterminant:
		fn, outLen = determinant(f, n), 1
	case spirv.GLSLMatrixInverse:
		fn, outLen = inverse(f, n), n
	default:
		if n <= 4 {
			fn, outLen = geometric(inst, f, n)
		}
	}
	return fn, outLen, fn != nil && operandsMatch(inst, n, inLens)
}

// operandsMatch checks the number of operands of an instruction and their lengths
// against the first one's.
func operandsMatch(inst uint32, n int, inLens []int) bool {
	var want [3]int
	switch inst {
	case spirv.GLSLDistance, spirv.GLSLCross, spirv.GLSLReflect:
		want = [3]int{n, n}
	case spirv.GLSLFaceForward:
		want = [3]int{n, n, n}
	case spirv.GLSLRefract:
		want = [3]int{n, n, 1}
	default:
		want = [3]int{n}
	}
	for i, w := range want {
		if w == 0 {
			return len(inLens) == i
		}
		if i >= len(inLens) || inLens[i] != w {
			return false
		}
	}
	return len(inLens) == len(want)
}

func geometric(inst uint32, f format, n int) (fn func(in, out []uint64), outLen int) {
	switch inst {
	case spirv.GLSLLength:
		return func(in, out []uint64) { out[0] = f.length(in[:n]) }, 1
	case spirv.GLSLDistance:
		return func(in, out []uint64) {
			var d [4]uint64
			for i := range n {
				d[i] = f.sub(in[i], in[n+i])
			}
			out[0] = f.length(d[:n])
		}, 1
	case spirv.GLSLNormalize:
		return func(in, out []uint64) {
			length := f.length(in[:n])
			for i := range n {
				out[i] = f.div(in[i], length)
			}
		}, n
	case spirv.GLSLCross:
		if n != 3 {
			return nil, 0
		}
		return func(in, out []uint64) {
			x, y := in[:3], in[3:6]
			out[0] = f.sub(f.mul(x[1], y[2]), f.mul(y[1], x[2]))
			out[1] = f.sub(f.mul(x[2], y[0]), f.mul(y[2], x[0]))
			out[2] = f.sub(f.mul(x[0], y[1]), f.mul(y[0], x[1]))
		}, 3
	case spirv.GLSLFaceForward:
		return func(in, out []uint64) {
			keep := f.load(f.dot(in[2*n:3*n], in[n:2*n])) < 0
			for i := range n {
				if keep {
					out[i] = f.flushed(in[i])
				} else {
					out[i] = f.neg(in[i])
				}
			}
		}, n
	case spirv.GLSLReflect:
		return func(in, out []uint64) { f.reflect(in[:n], in[n:2*n], out) }, n
	case spirv.GLSLRefract:
		return func(in, out []uint64) { f.refract(in[:n], in[n:2*n], in[2*n], out) }, n
	case spirv.GLSLModf, spirv.GLSLModfStruct:
		return func(in, out []uint64) {
			for i := range n {
				out[i], out[n+i] = f.modfFraction(in[i]), f.trunc(in[i])
			}
		}, 2 * n
	case spirv.GLSLFrexp, spirv.GLSLFrexpStruct:
		return func(in, out []uint64) {
			for i := range n {
				out[i], out[n+i] = f.significand(in[i]), f.frexpExponent(in[i])
			}
		}, 2 * n
	}
	return nil, 0
}

// length is sqrt(v·v), and the magnitude of a single component.
func (f format) length(v []uint64) uint64 {
	if len(v) == 1 {
		return f.abs(v[0])
	}
	return f.sqrt(f.dot(v, v))
}

// reflect is i − 2·(n·i)·n.
func (f format) reflect(i, n, out []uint64) {
	twice := f.mul(f.round(2), f.dot(n, i))
	for c := range i {
		out[c] = f.sub(i[c], f.mul(twice, n[c]))
	}
}

// refract is 0 if k = 1 − eta²·(1 − (n·i)²) is negative, and otherwise
// eta·i − (eta·(n·i) + sqrt(k))·n.
func (f format) refract(i, n []uint64, eta uint64, out []uint64) {
	one := f.round(1)
	d := f.dot(n, i)
	k := f.sub(one, f.mul(f.mul(eta, eta), f.sub(one, f.mul(d, d))))
	if f.load(k) < 0 {
		clear(out[:len(i)])
		return
	}
	t := f.add(f.mul(eta, d), f.sqrt(k))
	for c := range i {
		out[c] = f.sub(f.mul(eta, i[c]), f.mul(t, n[c]))
	}
}

// matrix is a square matrix of up to four columns: column c, row r at [c][r].
type matrix [4][4]float64

// order gives the number of columns of a square matrix of n components, 0 if
// there is none of 2 to 4 columns.
func order(n int) int {
	for size := 2; size <= 4; size++ {
		if size*size == n {
			return size
		}
	}
	return 0
}

func (f format) loadMatrix(in []uint64, size int) (a matrix) {
	for c := range size {
		for r := range size {
			a[c][r] = f.load(in[c*size+r])
		}
	}
	return a
}

func determinant(f format, n int) func(in, out []uint64) {
	size := order(n)
	if size == 0 {
		return nil
	}
	return func(in, out []uint64) {
		a := f.loadMatrix(in, size)
		out[0] = f.round(a.determinant(size))
	}
}

func inverse(f format, n int) func(in, out []uint64) {
	size := order(n)
	if size == 0 {
		return nil
	}
	return func(in, out []uint64) {
		a := f.loadMatrix(in, size)
		det := a.determinant(size)
		for c := range size {
			for r := range size {
				out[c*size+r] = f.round(a.cofactor(size, r, c) / det)
			}
		}
	}
}

// determinant is that of the first size columns and rows, by its first column.
func (a *matrix) determinant(size int) float64 {
	switch size {
	case 1:
		return a[0][0]
	case 2:
		return float64(a[0][0]*a[1][1]) - float64(a[1][0]*a[0][1])
	}
	sum := 0.0
	for r := range size {
		sum += float64(a[0][r] * a.cofactor(size, 0, r))
	}
	return sum
}

// cofactor is the signed determinant of what is left without a column and a row.
func (a *matrix) cofactor(size, column, row int) float64 {
	var minor matrix
	for c := range size - 1 {
		for r := range size - 1 {
			minor[c][r] = a[c+int(truth(c >= column))][r+int(truth(r >= row))]
		}
	}
	det := minor.determinant(size - 1)
	if (column+row)%2 != 0 {
		return -det
	}
	return det
}
