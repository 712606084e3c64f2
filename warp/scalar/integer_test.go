package scalar

import (
	"math/big"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

func asBig(a uint64, width uint8, signed bool) *big.Int {
	n := new(big.Int).SetUint64(a)
	if signed && n.Bit(int(width)-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return n
}

// lowBits is n modulo two to the width.
func lowBits(n *big.Int, width uint8) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return m.Mod(n, m).Uint64()
}

// intOperands are the edges of a width and n random numbers of all lengths.
func intOperands(width uint8, n int) []uint64 {
	in := mask(width)
	all := []uint64{0, 1, 2, 3, 7, in, in - 1, in >> 1, in>>1 + 1, in>>1 + 2, in >> 2, 0x55 & in, uint64(width), uint64(width) - 1}
	for s := uint8(10); s < width; s += 11 {
		p := uint64(1) << s
		all = append(all, p-1, p, p+1, in&-p, p+p>>1)
	}
	for s := uint8(26); s < width; s += 5 { // around ties of binary32
		p := uint64(1)<<s | 1<<(s-24)
		all = append(all, p-1, p, p+1, p|1<<(s-23))
	}
	r := newRand()
	for range n {
		all = append(all, r.Uint64()&in>>r.IntN(int(width)))
	}
	return all
}

type bigOp struct {
	signed  bool
	eval    func(a, b *big.Int) *big.Int // nil: the operation is undefined and gives 0
	invalid func(a, b *big.Int) bool
}

var bigOps = map[spirv.Opcode]bigOp{
	spirv.OpIAdd: {false, func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }, nil},
	spirv.OpISub: {false, func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }, nil},
	spirv.OpIMul: {false, func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }, nil},
	spirv.OpUDiv: {false, func(a, b *big.Int) *big.Int { return new(big.Int).Quo(a, b) }, byZero},
	spirv.OpUMod: {false, func(a, b *big.Int) *big.Int { return new(big.Int).Rem(a, b) }, byZero},
	spirv.OpSDiv: {true, func(a, b *big.Int) *big.Int { return new(big.Int).Quo(a, b) }, byZero},
	spirv.OpSRem: {true, func(a, b *big.Int) *big.Int { return new(big.Int).Rem(a, b) }, byZero},
	spirv.OpSMod: {true, func(a, b *big.Int) *big.Int {
		floor := new(big.Int).Div(a, b) // Euclidean: a floor for a positive divisor
		if b.Sign() < 0 {
			floor.Div(new(big.Int).Neg(a), new(big.Int).Neg(b))
		}
		return floor.Sub(a, floor.Mul(floor, b))
	}, byZero},
	spirv.OpBitwiseAnd: {false, func(a, b *big.Int) *big.Int { return new(big.Int).And(a, b) }, nil},
	spirv.OpBitwiseOr:  {false, func(a, b *big.Int) *big.Int { return new(big.Int).Or(a, b) }, nil},
	spirv.OpBitwiseXor: {false, func(a, b *big.Int) *big.Int { return new(big.Int).Xor(a, b) }, nil},

	spirv.OpIEqual:            {false, compared(func(c int) bool { return c == 0 }), nil},
	spirv.OpINotEqual:         {false, compared(func(c int) bool { return c != 0 }), nil},
	spirv.OpULessThan:         {false, compared(func(c int) bool { return c < 0 }), nil},
	spirv.OpULessThanEqual:    {false, compared(func(c int) bool { return c <= 0 }), nil},
	spirv.OpUGreaterThan:      {false, compared(func(c int) bool { return c > 0 }), nil},
	spirv.OpUGreaterThanEqual: {false, compared(func(c int) bool { return c >= 0 }), nil},
	spirv.OpSLessThan:         {true, compared(func(c int) bool { return c < 0 }), nil},
	spirv.OpSLessThanEqual:    {true, compared(func(c int) bool { return c <= 0 }), nil},
	spirv.OpSGreaterThan:      {true, compared(func(c int) bool { return c > 0 }), nil},
	spirv.OpSGreaterThanEqual: {true, compared(func(c int) bool { return c >= 0 }), nil},
}

func byZero(_, b *big.Int) bool { return b.Sign() == 0 }

func compared(holds func(c int) bool) func(a, b *big.Int) *big.Int {
	return func(a, b *big.Int) *big.Int { return new(big.Int).SetUint64(truth(holds(a.Cmp(b)))) }
}

func TestIntegerBinary(t *testing.T) {
	for op, ref := range bigOps {
		for _, w := range intWidths {
			fn, ok := Binary(op, intKind(w), program.Mode{})
			if !ok {
				t.Fatalf("no %v of width %d", op, w)
			}
			operands := intOperands(w, 15)
			for _, a := range operands {
				for _, b := range operands {
					x, y := asBig(a, w, ref.signed), asBig(b, w, ref.signed)
					var want uint64
					if ref.invalid == nil || !ref.invalid(x, y) {
						want = lowBits(ref.eval(x, y), w)
					}
					check(t, fn(a, b), want, "%v %d (%#x, %#x)", op, w, a, b)
				}
			}
		}
	}
}

func TestShifts(t *testing.T) {
	for _, w := range intWidths {
		for _, op := range []spirv.Opcode{spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic} {
			fn, ok := Binary(op, intKind(w), program.Mode{})
			if !ok {
				t.Fatalf("no %v of width %d", op, w)
			}
			shifts := []uint64{uint64(w), uint64(w) + 1, 255, 1 << 32, 1<<64 - 1}
			for s := range uint64(w) {
				shifts = append(shifts, s)
			}
			for _, a := range intOperands(w, 30) {
				for _, s := range shifts {
					var want uint64
					undefined := s >= uint64(w)
					if !undefined {
						x := asBig(a, w, op == spirv.OpShiftRightArithmetic)
						if op == spirv.OpShiftLeftLogical {
							x.Lsh(x, uint(s))
						} else {
							x.Rsh(x, uint(s))
						}
						want = lowBits(x, w)
					}
					check(t, fn(a, s), want, "%v %d (%#x, %d)", op, w, a, s)
					check(t, truth(Undefined2(op, intKind(w), a, s) != program.Defined), truth(undefined), "undefined %v %d by %d", op, w, s)
				}
			}
		}
	}
}

func TestIntegerUnary(t *testing.T) {
	type eval func(n *big.Int, w uint8) *big.Int
	bitsOf := func(n *big.Int, w uint8) string { // most significant first
		s := new(big.Int).SetUint64(lowBits(n, w)).Text(2)
		for len(s) < int(w) {
			s = "0" + s
		}
		return s
	}
	msb := func(n *big.Int, w uint8, of byte) *big.Int {
		for i, c := range []byte(bitsOf(n, w)) {
			if c == of {
				return big.NewInt(int64(w) - 1 - int64(i))
			}
		}
		return big.NewInt(-1)
	}
	core := map[spirv.Opcode]eval{
		spirv.OpSNegate: func(n *big.Int, _ uint8) *big.Int { return new(big.Int).Neg(n) },
		spirv.OpNot:     func(n *big.Int, _ uint8) *big.Int { return new(big.Int).Not(n) },
		spirv.OpBitCount: func(n *big.Int, w uint8) *big.Int {
			count := int64(0)
			for _, c := range bitsOf(n, w) {
				count += int64(c - '0')
			}
			return big.NewInt(count)
		},
		spirv.OpBitReverse: func(n *big.Int, w uint8) *big.Int {
			r := new(big.Int)
			for i, c := range bitsOf(n, w) {
				r.SetBit(r, i, uint(c-'0'))
			}
			return r
		},
	}
	glsl := map[uint32]eval{
		spirv.GLSLSAbs:     func(n *big.Int, _ uint8) *big.Int { return new(big.Int).Abs(n) },
		spirv.GLSLSSign:    func(n *big.Int, _ uint8) *big.Int { return big.NewInt(int64(n.Sign())) },
		spirv.GLSLFindUMsb: func(n *big.Int, w uint8) *big.Int { return msb(n, w, '1') },
		spirv.GLSLFindSMsb: func(n *big.Int, w uint8) *big.Int {
			if n.Sign() < 0 {
				return msb(n, w, '0')
			}
			return msb(n, w, '1')
		},
		spirv.GLSLFindILsb: func(n *big.Int, w uint8) *big.Int {
			s := bitsOf(n, w)
			for i := range s {
				if s[len(s)-1-i] == '1' {
					return big.NewInt(int64(i))
				}
			}
			return big.NewInt(-1)
		},
	}
	run := func(what any, w uint8, fn Func1, ok bool, e eval) {
		if !ok {
			t.Fatalf("no %v of width %d", what, w)
		}
		for _, a := range intOperands(w, 300) {
			check(t, fn(a), lowBits(e(asBig(a, w, true), w), w), "%v %d (%#x)", what, w, a)
		}
	}
	for _, w := range intWidths {
		for op, e := range core {
			fn, ok := Unary(op, intKind(w), intKind(w), program.Mode{})
			run(op, w, fn, ok, e)
		}
		for inst, e := range glsl {
			fn, ok := GLSL1(inst, intKind(w), program.Mode{})
			run(inst, w, fn, ok, e)
		}
	}
}

func TestIntegerConversions(t *testing.T) {
	clamped := func(n *big.Int, least int64, most uint64) *big.Int {
		low, high := big.NewInt(least), new(big.Int).SetUint64(most)
		if n.Cmp(low) < 0 {
			return low
		}
		if n.Cmp(high) > 0 {
			return high
		}
		return n
	}
	for _, ws := range intWidths {
		for _, wd := range intWidths {
			for op, want := range map[spirv.Opcode]func(a uint64) *big.Int{
				spirv.OpUConvert:       func(a uint64) *big.Int { return asBig(a, ws, false) },
				spirv.OpSConvert:       func(a uint64) *big.Int { return asBig(a, ws, true) },
				spirv.OpSatConvertSToU: func(a uint64) *big.Int { return clamped(asBig(a, ws, true), 0, mask(wd)) },
				spirv.OpSatConvertUToS: func(a uint64) *big.Int {
					return clamped(asBig(a, ws, false), minSigned(wd), uint64(maxSigned(wd)))
				},
			} {
				fn, ok := Unary(op, intKind(wd), intKind(ws), program.Mode{})
				if !ok {
					t.Fatalf("no %v from %d to %d", op, ws, wd)
				}
				for _, a := range intOperands(ws, 100) {
					check(t, fn(a), lowBits(want(a), wd), "%v from %d to %d (%#x)", op, ws, wd, a)
				}
			}
		}
	}
}

func TestIntegerMinMaxClamp(t *testing.T) {
	for _, w := range intWidths {
		operands := intOperands(w, 5)
		for _, o := range []struct {
			min, max, clamp uint32
			signed          bool
		}{
			{spirv.GLSLUMin, spirv.GLSLUMax, spirv.GLSLUClamp, false},
			{spirv.GLSLSMin, spirv.GLSLSMax, spirv.GLSLSClamp, true},
		} {
			lesser, ok1 := GLSL2(o.min, intKind(w), program.Mode{})
			greater, ok2 := GLSL2(o.max, intKind(w), program.Mode{})
			clamp, ok3 := GLSL3(o.clamp, intKind(w), program.Mode{})
			if !ok1 || !ok2 || !ok3 {
				t.Fatalf("missing at width %d", w)
			}
			less := func(a, b uint64) bool { return asBig(a, w, o.signed).Cmp(asBig(b, w, o.signed)) < 0 }
			for _, a := range operands {
				for _, b := range operands {
					low, high := a, b
					if less(b, a) {
						low, high = b, a
					}
					check(t, lesser(a, b), low, "min %d (%#x, %#x)", w, a, b)
					check(t, greater(a, b), high, "max %d (%#x, %#x)", w, a, b)
					for _, x := range operands {
						want := x
						if less(x, low) {
							want = low
						} else if less(high, x) {
							want = high
						}
						check(t, clamp(x, low, high), want, "clamp %d (%#x, %#x, %#x)", w, x, low, high)
					}
					check(t, truth(undefinedGLSL(o.clamp, intKind(w), 0, a, b) != program.Defined), truth(less(b, a)), "undefined clamp")
				}
			}
		}
	}
}

func TestPairs(t *testing.T) {
	for _, w := range intWidths {
		modulus := new(big.Int).Lsh(big.NewInt(1), uint(w))
		for op, signed := range map[spirv.Opcode]bool{
			spirv.OpIAddCarry: false, spirv.OpISubBorrow: false, spirv.OpUMulExtended: false, spirv.OpSMulExtended: true,
		} {
			fn, ok := Pair(op, intKind(w))
			if !ok {
				t.Fatalf("no %v of width %d", op, w)
			}
			operands := intOperands(w, 15)
			for _, a := range operands {
				for _, b := range operands {
					x, y := asBig(a, w, signed), asBig(b, w, signed)
					r := new(big.Int)
					switch op {
					case spirv.OpIAddCarry:
						r.Add(x, y)
					case spirv.OpISubBorrow:
						r.Sub(x, y)
					default:
						r.Mul(x, y)
					}
					high := new(big.Int).Div(r, modulus)
					if op == spirv.OpISubBorrow {
						high.Neg(high)
					}
					lo, hi := fn(a, b)
					check(t, lo, lowBits(r, w), "%v %d low (%#x, %#x)", op, w, a, b)
					check(t, hi, lowBits(high, w), "%v %d high (%#x, %#x)", op, w, a, b)
				}
			}
		}
	}
}

func TestBitFields(t *testing.T) {
	for _, w := range intWidths {
		insert, ok1 := BitFieldInsert(intKind(w))
		unsigned, ok2 := Ternary(spirv.OpBitFieldUExtract, intKind(w), program.Mode{})
		signed, ok3 := Ternary(spirv.OpBitFieldSExtract, intKind(w), program.Mode{})
		if !ok1 || !ok2 || !ok3 {
			t.Fatalf("missing at width %d", w)
		}
		base, ins := uint64(0xa5c3_96f0_1248_be7d)&mask(w), uint64(0x5a3c_690f_edb7_4182)&mask(w)
		for offset := range uint64(w) + 2 {
			for count := range uint64(w) + 2 {
				var i, u, s uint64
				undefined := offset+count > uint64(w)
				if !undefined {
					i = base
					for bit := range count { // bit by bit
						i = i&^(1<<(offset+bit)) | ins>>bit&1<<(offset+bit)
						u |= base >> (offset + bit) & 1 << bit
					}
					s = u
					for bit := count; count > 0 && bit < uint64(w); bit++ {
						s |= u >> (count - 1) & 1 << bit
					}
				}
				check(t, insert(base, ins, offset, count), i, "insert %d at %d, %d bits", w, offset, count)
				check(t, unsigned(base, offset, count), u, "extract %d at %d, %d bits", w, offset, count)
				check(t, signed(base, offset, count), s, "signed extract %d at %d, %d bits", w, offset, count)
				check(t, truth(undefined3(spirv.OpBitFieldInsert, intKind(w), offset, count) != program.Defined), truth(undefined), "undefined")
			}
		}
		check(t, insert(base, ins, ^uint64(0), 2), 0, "an offset that wraps")
		check(t, truth(undefined3(spirv.OpBitFieldInsert, intKind(w), ^uint64(0), 2) != program.Defined), 1, "an offset that wraps")
	}
}

func TestLogical(t *testing.T) {
	for op, table := range map[spirv.Opcode][4]uint64{ // 00, 01, 10, 11
		spirv.OpLogicalAnd:      {0, 0, 0, 1},
		spirv.OpLogicalOr:       {0, 1, 1, 1},
		spirv.OpLogicalEqual:    {1, 0, 0, 1},
		spirv.OpLogicalNotEqual: {0, 1, 1, 0},
	} {
		fn, ok := Binary(op, boolKind, program.Mode{})
		if !ok {
			t.Fatalf("no %v", op)
		}
		for i, want := range table {
			check(t, fn(uint64(i>>1), uint64(i&1)), want, "%v %02b", op, i)
		}
	}
	not, ok := Unary(spirv.OpLogicalNot, boolKind, boolKind, program.Mode{})
	if !ok {
		t.Fatal("no OpLogicalNot")
	}
	check(t, not(0), 1, "not 0")
	check(t, not(1), 0, "not 1")
	sel, ok := Ternary(spirv.OpSelect, floatKind(32), program.Mode{FlushDenorms: true})
	if !ok {
		t.Fatal("no OpSelect")
	}
	check(t, sel(1, 5, 6), 5, "select keeps a denormal's bits")
	check(t, sel(0, 5, 6), 6, "select")
}
