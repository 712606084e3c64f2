package emu_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"ampdbg/emu"
)

// instr is a per-component instruction under test: what it is called, the
// types of its operands and result, and what it must give, computed in plain
// Go from the operands' bits.
type instr struct {
	op     string // "OpIAdd", or "OpExtInst glsl Name"
	result string
	args   []string
	want   func(a []uint64) uint64
	// scalarTail is how many last operands stay scalar where the others are
	// vectors.
	scalarTail int
}

func (i *instr) name() string {
	return strings.ReplaceAll(i.op, "OpExtInst ", "") + " " + i.result + "(" + strings.Join(i.args, ",") + ")"
}

// width is the number of bits of a standard type.
func width(typ string) uint {
	if typ == "bool" {
		return 1
	}
	return uint(8 * scalarTypes[typ])
}

func isFloat(typ string) bool { return typ == "float" || typ == "f16" || typ == "f64" }

// memory is the type that holds typ in a buffer.
func memory(typ string) string {
	if typ == "bool" {
		return "uint"
	}
	return typ
}

// operandValues are the interesting values of a type.
func operandValues(typ string, r *rand.Rand) []uint64 {
	w := width(typ)
	mask := ^uint64(0) >> (64 - w)
	if typ == "bool" {
		return []uint64{0, 1}
	}
	var out []uint64
	add := func(vs ...uint64) {
		for _, v := range vs {
			out = append(out, v&mask)
		}
	}
	if isFloat(typ) {
		frac := map[uint]uint{16: 10, 32: 23, 64: 52}[w]
		bias := uint64(1)<<(w-2-frac) - 1
		one := bias << frac
		inf := (2*bias + 1) << frac
		for _, v := range []uint64{
			0, 1, 3, 1<<frac - 1, 1 << frac, one, one + 1, one - 1, one + 1<<(frac-1), one - 1<<frac, one + 1<<frac,
			one + 3<<(frac-1), one + 31<<frac, one + 7<<frac + 5, inf - 1, inf, inf + 1<<(frac-1), inf + 1<<(frac-1) + 5, inf + 1,
		} {
			add(v, v|1<<(w-1))
		}
		for range 4 {
			add((one+uint64(r.IntN(8))<<frac-4<<frac)&^(1<<frac-1) | r.Uint64()&(1<<frac-1) | uint64(r.IntN(2))<<(w-1))
		}
		return out
	}
	add(0, 1, 2, 3, 5, uint64(w-1), uint64(w), uint64(w+1), 100, mask, mask-1, mask>>1, mask>>1+1, mask>>1+2, 0x5555555555555555, r.Uint64(), r.Uint64(), 1<<(w/2))
	return out
}

// operandSets combines operand values: all of them where they are few, else a
// sample that has each value.
func operandSets(args []string, r *rand.Rand) [][]uint64 {
	values := make([][]uint64, len(args))
	n := 1
	for i, t := range args {
		values[i] = operandValues(t, r)
		n *= len(values[i])
	}
	var sets [][]uint64
	if n <= 2048 {
		for k := range n {
			set := make([]uint64, len(args))
			for i := range args {
				set[i] = values[i][k%len(values[i])]
				k /= len(values[i])
			}
			sets = append(sets, set)
		}
		return sets
	}
	for range 2048 {
		set := make([]uint64, len(args))
		for i := range args {
			set[i] = values[i][r.IntN(len(values[i]))]
		}
		sets = append(sets, set)
	}
	return sets
}

// kernelFor makes the kernel that does the instruction n components at a time,
// once for all threads and once for two of three, in diverged warps: buffer
// len(args) has the first results, the next the others (0 where not computed).
func (in *instr) kernelFor(n int, sets [][]uint64) (k *kernel, threads int) {
	threads = (len(sets) + n - 1) / n
	threads = (threads + 31) / 32 * 32
	k = &kernel{}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	typ := func(t string, scalar bool) string {
		if n == 1 || scalar {
			return "%" + t
		}
		return fmt.Sprintf("%%v%d%s", n, t)
	}
	var names []string
	for i, t := range in.args {
		mem := memory(t)
		size := scalarTypes[mem]
		data := make([]uint64, threads*n)
		scalar := i >= len(in.args)-in.scalarTail
		for j := range data {
			at := j
			if scalar {
				at = j / n * n
			}
			data[j] = sets[at%len(sets)][i]
		}
		k.buffers = append(k.buffers, buffer{mem, words(size, data...)})
		var parts []string
		comps := n
		if scalar {
			comps = 1
		}
		for c := range comps {
			p("%%at%d_%d = OpIMul %%uint %%g %%uint_%d", i, c, n)
			p("%%ix%d_%d = OpIAdd %%uint %%at%d_%d %%uint_%d", i, c, i, c, c)
			p("%%ptr%d_%d = OpAccessChain %%sb_%s %%b%d %%uint_0 %%ix%d_%d", i, c, mem, i, i, c)
			x := fmt.Sprintf("%%ld%d_%d", i, c)
			p("%s = OpLoad %%%s %%ptr%d_%d", x, mem, i, c)
			if t == "bool" {
				p("%s_b = OpINotEqual %%bool %s %%uint_0", x, x)
				x += "_b"
			}
			parts = append(parts, x)
		}
		name := parts[0]
		if comps > 1 {
			name = fmt.Sprintf("%%arg%d", i)
			p("%s = OpCompositeConstruct %s %s", name, typ(t, false), strings.Join(parts, " "))
		}
		names = append(names, name)
	}
	mem := memory(in.result)
	for range 2 {
		k.buffers = append(k.buffers, buffer{mem, make([]byte, threads*n*scalarTypes[mem])})
	}
	op, rest, _ := strings.Cut(in.op, " ")
	rt := typ(in.result, false)
	do := func(x string) {
		p("%s = %s %s %s %s", x, op, rt, strings.Replace(rest, "glsl", "%glsl", 1), strings.Join(names, " "))
	}
	store := func(x string, buf int) {
		for c := range n {
			y := x
			if n > 1 {
				y = fmt.Sprintf("%s_c%d", x, c)
				p("%s = OpCompositeExtract %%%s %s %d", y, in.result, x, c)
			}
			if in.result == "bool" {
				p("%s_u = OpSelect %%uint %s %%uint_1 %%uint_0", y, y)
				y += "_u"
			}
			p("%s_p = OpAccessChain %%sb_%s %%b%d %%uint_0 %%ix0_%d", y, mem, buf, c)
			p("OpStore %s_p %s", y, y)
		}
	}
	do("%r")
	store("%r", len(in.args))
	p("%%mod = OpUMod %%uint %%g %%uint_3\n%%some = OpINotEqual %%bool %%mod %%uint_1")
	p("OpSelectionMerge %%merge None\nOpBranchConditional %%some %%then %%merge\n%%then = OpLabel")
	do("%s")
	p("OpBranch %%merge\n%%merge = OpLabel")
	p("%%q = OpPhi %s %%s %%then %%nothing %%entry", rt)
	store("%q", len(in.args)+1)
	k.body = b.String()
	k.globals = fmt.Sprintf("%%nothing = OpConstantNull %s\n", rt)
	if n > 1 {
		// Make the harness see which vector types there are.
		k.globals += "; " + rt + "\n"
	}
	return k, threads
}

// sameResult compares bits. Where a NaN is due it must be the one that all
// computed NaNs are, or the very one of an instruction that keeps bits.
func sameResult(typ string, got, want uint64) bool {
	return got == want || isFloat(typ) && isNaN(typ, want) && got == map[string]uint64{"f16": 0x7e00, "float": 0x7fc00000, "f64": 0x7ff8 << 48}[typ]
}

func isNaN(typ string, a uint64) bool {
	switch typ {
	case "float":
		return a&0x7fffffff > 0x7f800000
	case "f16":
		return a&0x7fff > 0x7c00
	}
	return a&(1<<63-1) > 0x7ff<<52
}

// check runs the instruction on scalars and on vectors of 2, 3 and 4, in warps
// of several widths.
func (in *instr) check(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	sets := operandSets(in.args, r)
	for _, c := range []struct {
		n   int
		opt emu.Options
	}{{1, emu.Options{}}, {1, emu.Options{Warp: 7, Exact: true}}, {3, emu.Options{Warp: 4}}, {4, emu.Options{Warp: 32}}, {2, emu.Options{Warp: 1}}} {
		if in.scalarTail == len(in.args) && c.n > 1 {
			continue
		}
		k, threads := in.kernelFor(c.n, sets)
		k.run(t, c.opt, uint32(threads/32))
		size := scalarTypes[memory(in.result)]
		for j := range threads * c.n {
			a := append([]uint64{}, sets[j%len(sets)]...)
			for i := len(a) - in.scalarTail; i < len(a); i++ {
				a[i] = sets[j/c.n*c.n%len(sets)][i]
			}
			want := in.want(a)
			got := word(k.buffers[len(in.args)].data, size, j)
			if !sameResult(in.result, got, want) {
				t.Fatalf("%d components, warp %d: %#x: got %#x, want %#x", c.n, c.opt.Warp, a, got, want)
			}
			if j/c.n%3 == 1 {
				want = 0
			}
			if got := word(k.buffers[len(in.args)+1].data, size, j); !sameResult(in.result, got, want) {
				t.Fatalf("%d components, warp %d, diverged: %#x: got %#x, want %#x", c.n, c.opt.Warp, a, got, want)
			}
		}
	}
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// sx reads w bits as a two's complement number.
func sx(a uint64, w uint) int64 { return int64(a<<(64-w)) >> (64 - w) }

func low(a uint64, w uint) uint64 { return a & (^uint64(0) >> (64 - w)) }

// toFloat and fromFloat convert between bits of a float type and float64;
// fromFloat rounds to nearest even.
func toFloat(typ string, a uint64) float64 {
	switch typ {
	case "float":
		return float64(math.Float32frombits(uint32(a)))
	case "f64":
		return math.Float64frombits(a)
	}
	exp, frac := int(a>>10&31), float64(a&1023)
	var x float64
	switch exp {
	case 0:
		x = math.Ldexp(frac, -24)
	case 31:
		x = math.Inf(1)
		if frac != 0 {
			x = math.NaN()
		}
	default:
		x = math.Ldexp(1024+frac, exp-25)
	}
	if a>>15&1 != 0 {
		x = -x
	}
	return x
}

func fromFloat(typ string, x float64) uint64 {
	switch typ {
	case "float":
		return uint64(math.Float32bits(float32(x)))
	case "f64":
		return math.Float64bits(x)
	}
	sign := uint64(0)
	if math.Signbit(x) {
		sign, x = 1<<15, -x
	}
	switch {
	case x != x:
		return 0x7e00
	case x >= 65520:
		return sign | 0x7c00
	}
	_, e := math.Frexp(x) // x = m 2^e, m in [0.5, 1)
	ulp := math.Ldexp(1, max(e-11, -24))
	n := math.RoundToEven(x / ulp)
	if e-11 < -24 || x == 0 {
		return sign | uint64(n)
	}
	return sign | uint64(int64(e+13)<<10) + uint64(n)
}

// TestInstructionReference checks the reference's own conversions.
func TestInstructionReference(t *testing.T) {
	for a := range uint64(1 << 16) {
		if got := fromFloat("f16", toFloat("f16", a)); got != a && !isNaN("f16", a) {
			t.Fatalf("%#x comes back as %#x", a, got)
		}
	}
}

// instructions makes the table of instructions under test.
func instructions() []instr {
	var out []instr
	add := func(op, result string, args []string, want func(a []uint64) uint64) {
		out = append(out, instr{op: op, result: result, args: args, want: want})
	}
	ints := []string{"u8", "i8", "u16", "i16", "uint", "int", "u64", "i64"}
	floats := []string{"f16", "float", "f64"}
	for _, t := range ints {
		w := width(t)
		signed := t[0] == 'i'
		for op, f := range map[string]func(a, b uint64) uint64{
			"OpIAdd":       func(a, b uint64) uint64 { return a + b },
			"OpISub":       func(a, b uint64) uint64 { return a - b },
			"OpIMul":       func(a, b uint64) uint64 { return a * b },
			"OpBitwiseAnd": func(a, b uint64) uint64 { return a & b },
			"OpBitwiseOr":  func(a, b uint64) uint64 { return a | b },
			"OpBitwiseXor": func(a, b uint64) uint64 { return a ^ b },
			"OpUDiv": func(a, b uint64) uint64 {
				if b == 0 {
					return 0
				}
				return a / b
			},
			"OpUMod": func(a, b uint64) uint64 {
				if b == 0 {
					return 0
				}
				return a % b
			},
			"OpSDiv": func(a, b uint64) uint64 {
				x, y := sx(a, w), sx(b, w)
				switch {
				case y == 0:
					return 0
				case y == -1:
					return -a
				}
				return uint64(x / y)
			},
			"OpSRem": func(a, b uint64) uint64 {
				x, y := sx(a, w), sx(b, w)
				if y == 0 || y == -1 {
					return 0
				}
				return uint64(x % y)
			},
			"OpSMod": func(a, b uint64) uint64 {
				x, y := sx(a, w), sx(b, w)
				if y == 0 || y == -1 {
					return 0
				}
				m := x % y
				if m != 0 && (m < 0) != (y < 0) {
					m += y
				}
				return uint64(m)
			},
			"OpShiftLeftLogical": func(a, b uint64) uint64 {
				if b >= uint64(w) {
					return 0
				}
				return a << b
			},
			"OpShiftRightLogical": func(a, b uint64) uint64 {
				if b >= uint64(w) {
					return 0
				}
				return a >> b
			},
			"OpShiftRightArithmetic": func(a, b uint64) uint64 {
				if b >= uint64(w) {
					return 0
				}
				return uint64(sx(a, w) >> b)
			},
		} {
			if op == "OpUDiv" || op == "OpUMod" {
				if signed {
					continue
				}
			}
			add(op, t, []string{t, t}, func(a []uint64) uint64 { return low(f(a[0], a[1]), w) })
		}
		// Shifts may have counts of another width.
		if w != 32 {
			add("OpShiftLeftLogical", t, []string{t, "uint"}, func(a []uint64) uint64 {
				if a[1] >= uint64(w) {
					return 0
				}
				return low(a[0]<<a[1], w)
			})
		} else {
			for _, s := range []string{"u8", "u64"} {
				add("OpShiftLeftLogical", t, []string{t, s}, func(a []uint64) uint64 {
					if a[1] >= 32 {
						return 0
					}
					return low(a[0]<<a[1], w)
				})
				add("OpShiftRightArithmetic", t, []string{t, s}, func(a []uint64) uint64 {
					if a[1] >= 32 {
						return 0
					}
					return low(uint64(sx(a[0], w)>>a[1]), w)
				})
			}
		}
		add("OpSNegate", t, []string{t}, func(a []uint64) uint64 { return low(-a[0], w) })
		add("OpNot", t, []string{t}, func(a []uint64) uint64 { return low(^a[0], w) })
		if w == 32 {
			add("OpBitReverse", t, []string{t}, func(a []uint64) uint64 { return uint64(bits.Reverse32(uint32(a[0]))) })
			add("OpBitCount", t, []string{t}, func(a []uint64) uint64 { return uint64(bits.OnesCount32(uint32(a[0]))) })
		}
		for op, f := range map[string]func(a, b uint64) bool{
			"OpIEqual":            func(a, b uint64) bool { return a == b },
			"OpINotEqual":         func(a, b uint64) bool { return a != b },
			"OpULessThan":         func(a, b uint64) bool { return a < b },
			"OpULessThanEqual":    func(a, b uint64) bool { return a <= b },
			"OpUGreaterThan":      func(a, b uint64) bool { return a > b },
			"OpUGreaterThanEqual": func(a, b uint64) bool { return a >= b },
			"OpSLessThan":         func(a, b uint64) bool { return sx(a, w) < sx(b, w) },
			"OpSLessThanEqual":    func(a, b uint64) bool { return sx(a, w) <= sx(b, w) },
			"OpSGreaterThan":      func(a, b uint64) bool { return sx(a, w) > sx(b, w) },
			"OpSGreaterThanEqual": func(a, b uint64) bool { return sx(a, w) >= sx(b, w) },
		} {
			add(op, "bool", []string{t, t}, func(a []uint64) uint64 { return b2u(f(a[0], a[1])) })
		}
		for _, s := range ints {
			v := width(s)
			if v == w {
				continue
			}
			if !signed {
				add("OpUConvert", t, []string{s}, func(a []uint64) uint64 { return low(a[0], w) })
			}
			add("OpSConvert", t, []string{s}, func(a []uint64) uint64 { return low(uint64(sx(a[0], v)), w) })
		}
		for _, f := range floats {
			if signed {
				add("OpConvertFToS", t, []string{f}, func(a []uint64) uint64 {
					x := toFloat(f, a[0])
					switch lim := math.Ldexp(1, int(w)-1); {
					case x != x:
						return 0
					case x >= lim:
						return 1<<(w-1) - 1
					case x <= -lim:
						return 1 << (w - 1)
					}
					return low(uint64(int64(x)), w)
				})
				add("OpConvertSToF", f, []string{t}, func(a []uint64) uint64 { return intToFloat(f, sx(a[0], w) < 0, magnitude(sx(a[0], w))) })
			} else {
				add("OpConvertFToU", t, []string{f}, func(a []uint64) uint64 {
					x := toFloat(f, a[0])
					switch {
					case !(x >= 1):
						return 0
					case x >= math.Ldexp(1, int(w)):
						return ^uint64(0) >> (64 - w)
					}
					return uint64(x)
				})
				add("OpConvertUToF", f, []string{t}, func(a []uint64) uint64 { return intToFloat(f, false, a[0]) })
			}
		}
		add("OpSelect", t, []string{"bool", t, t}, func(a []uint64) uint64 {
			if a[0] != 0 {
				return a[1]
			}
			return a[2]
		})
		add("OpCopyObject", t, []string{t}, func(a []uint64) uint64 { return a[0] })
		if signed {
			add("OpExtInst glsl SAbs", t, []string{t}, func(a []uint64) uint64 { return low(magnitude(sx(a[0], w)), w) })
			add("OpExtInst glsl SSign", t, []string{t}, func(a []uint64) uint64 {
				switch x := sx(a[0], w); {
				case x > 0:
					return 1
				case x < 0:
					return low(^uint64(0), w)
				}
				return 0
			})
			add("OpExtInst glsl SMin", t, []string{t, t}, func(a []uint64) uint64 { return low(uint64(min(sx(a[0], w), sx(a[1], w))), w) })
			add("OpExtInst glsl SMax", t, []string{t, t}, func(a []uint64) uint64 { return low(uint64(max(sx(a[0], w), sx(a[1], w))), w) })
			add("OpExtInst glsl SClamp", t, []string{t, t, t}, func(a []uint64) uint64 {
				return low(uint64(min(max(sx(a[0], w), sx(a[1], w)), sx(a[2], w))), w)
			})
		} else {
			add("OpExtInst glsl UMin", t, []string{t, t}, func(a []uint64) uint64 { return min(a[0], a[1]) })
			add("OpExtInst glsl UMax", t, []string{t, t}, func(a []uint64) uint64 { return max(a[0], a[1]) })
			add("OpExtInst glsl UClamp", t, []string{t, t, t}, func(a []uint64) uint64 { return min(max(a[0], a[1]), a[2]) })
		}
	}
	for _, t := range []string{"uint", "int"} {
		out = append(out,
			instr{op: "OpBitFieldUExtract", result: t, args: []string{t, "uint", "uint"}, scalarTail: 2, want: func(a []uint64) uint64 {
				if a[1]+a[2] > 32 {
					return 0
				}
				return a[0] >> a[1] & (1<<a[2] - 1)
			}},
			instr{op: "OpBitFieldSExtract", result: t, args: []string{t, "uint", "uint"}, scalarTail: 2, want: func(a []uint64) uint64 {
				if a[1]+a[2] > 32 || a[2] == 0 {
					return 0
				}
				return low(uint64(sx(a[0]>>a[1], uint(a[2]))), 32)
			}},
			instr{op: "OpBitFieldInsert", result: t, args: []string{t, t, "uint", "uint"}, scalarTail: 2, want: func(a []uint64) uint64 {
				if a[2]+a[3] > 32 {
					return 0
				}
				m := (uint64(1)<<a[3] - 1) << a[2]
				return a[0]&^m | a[1]<<a[2]&m
			}},
		)
	}
	add("OpExtInst glsl FindILsb", "int", []string{"int"}, func(a []uint64) uint64 {
		if a[0] == 0 {
			return 0xffffffff
		}
		return uint64(bits.TrailingZeros64(a[0]))
	})
	add("OpExtInst glsl FindUMsb", "uint", []string{"uint"}, func(a []uint64) uint64 { return low(uint64(bits.Len64(a[0])-1), 32) })
	add("OpExtInst glsl FindSMsb", "int", []string{"int"}, func(a []uint64) uint64 {
		x := a[0]
		if sx(x, 32) < 0 {
			x = low(^x, 32)
		}
		return low(uint64(bits.Len64(x)-1), 32)
	})

	for _, t := range floats {
		w := width(t)
		sign := uint64(1) << (w - 1)
		fl := func(a uint64) float64 { return toFloat(t, a) }
		// Sums, products and quotients of binary16 and binary32 numbers,
		// rounded to binary64 and then to their width, are correctly rounded
		// (Figueroa: 53 >= 2*24+2).
		for op, f := range map[string]func(a, b float64) float64{
			"OpFAdd": func(a, b float64) float64 { return a + b },
			"OpFSub": func(a, b float64) float64 { return a - b },
			"OpFMul": func(a, b float64) float64 { return a * b },
			"OpFDiv": func(a, b float64) float64 { return a / b },
			"OpFRem": math.Mod,
			"OpFMod": func(a, b float64) float64 {
				m := math.Mod(a, b)
				if m == m && m != 0 && (m < 0) != (b < 0) {
					if math.IsInf(b, 0) {
						return b
					}
					return m + b
				}
				if m == 0 {
					return math.Copysign(0, b)
				}
				return m
			},
		} {
			if op == "OpFMod" {
				// m + b is not exact in binary64 for all operands; package
				// scalar's tests hold it against math/big.
				if t != "f16" {
					continue
				}
			}
			add(op, t, []string{t, t}, func(a []uint64) uint64 { return fromFloat(t, f(fl(a[0]), fl(a[1]))) })
		}
		add("OpFNegate", t, []string{t}, func(a []uint64) uint64 { return a[0] ^ sign })
		add("OpExtInst glsl FAbs", t, []string{t}, func(a []uint64) uint64 { return a[0] &^ sign })
		for op, f := range map[string]func(a float64) float64{
			"Floor": math.Floor, "Ceil": math.Ceil, "Trunc": math.Trunc,
			"RoundEven": math.RoundToEven, "Round": math.RoundToEven, "Sqrt": math.Sqrt,
			"FSign": func(a float64) float64 {
				switch {
				case a > 0:
					return 1
				case a < 0:
					return -1
				}
				return 0
			},
		} {
			add("OpExtInst glsl "+op, t, []string{t}, func(a []uint64) uint64 { return fromFloat(t, f(fl(a[0]))) })
		}
		pick := func(a, b uint64, less bool) uint64 { // min, or max where less is false
			x, y := fl(a), fl(b)
			switch {
			case x != x && y != y:
				return a
			case x != x:
				return b
			case y != y:
				return a
			case x < y, x == y && math.Signbit(x):
				if less {
					return a
				}
				return b
			}
			if less {
				return b
			}
			return a
		}
		for _, n := range []string{"F", "N"} {
			add("OpExtInst glsl "+n+"Min", t, []string{t, t}, func(a []uint64) uint64 { return pick(a[0], a[1], true) })
			add("OpExtInst glsl "+n+"Max", t, []string{t, t}, func(a []uint64) uint64 { return pick(a[0], a[1], false) })
			add("OpExtInst glsl "+n+"Clamp", t, []string{t, t, t}, func(a []uint64) uint64 { return pick(pick(a[0], a[1], false), a[2], true) })
		}
		add("OpExtInst glsl Step", t, []string{t, t}, func(a []uint64) uint64 {
			if fl(a[1]) < fl(a[0]) {
				return 0
			}
			return fromFloat(t, 1)
		})
		add("OpSelect", t, []string{"bool", t, t}, func(a []uint64) uint64 {
			if a[0] != 0 {
				return a[1]
			}
			return a[2]
		})
		for name, f := range map[string]func(a, b float64) bool{
			"Equal":            func(a, b float64) bool { return a == b },
			"NotEqual":         func(a, b float64) bool { return a < b || a > b },
			"LessThan":         func(a, b float64) bool { return a < b },
			"LessThanEqual":    func(a, b float64) bool { return a <= b },
			"GreaterThan":      func(a, b float64) bool { return a > b },
			"GreaterThanEqual": func(a, b float64) bool { return a >= b },
		} {
			add("OpFOrd"+name, "bool", []string{t, t}, func(a []uint64) uint64 { return b2u(f(fl(a[0]), fl(a[1]))) })
			add("OpFUnord"+name, "bool", []string{t, t}, func(a []uint64) uint64 {
				x, y := fl(a[0]), fl(a[1])
				return b2u(x != x || y != y || f(x, y))
			})
		}
		add("OpIsNan", "bool", []string{t}, func(a []uint64) uint64 { return b2u(math.IsNaN(fl(a[0]))) })
		add("OpIsInf", "bool", []string{t}, func(a []uint64) uint64 { return b2u(math.IsInf(fl(a[0]), 0)) })
		for _, s := range floats {
			if s != t {
				add("OpFConvert", t, []string{s}, func(a []uint64) uint64 { return fromFloat(t, toFloat(s, a[0])) })
			}
		}
	}
	// A product of binary32 numbers is exact in binary64; the sum of three is
	// left to package scalar's tests, here the product is a power of two.
	add("OpExtInst glsl Ldexp", "float", []string{"float", "int"}, func(a []uint64) uint64 {
		return fromFloat("float", math.Ldexp(toFloat("float", a[0]), int(max(min(sx(a[1], 32), 1000), -1000))))
	})
	add("OpQuantizeToF16", "float", []string{"float"}, func(a []uint64) uint64 {
		x := toFloat("float", a[0])
		if math.Abs(x) < 0x1p-14 {
			return a[0] & 0x80000000
		}
		return fromFloat("float", toFloat("f16", fromFloat("f16", x)))
	})
	for op, f := range map[string]func(a, b uint64) uint64{
		"OpLogicalAnd":      func(a, b uint64) uint64 { return a & b },
		"OpLogicalOr":       func(a, b uint64) uint64 { return a | b },
		"OpLogicalEqual":    func(a, b uint64) uint64 { return a ^ b ^ 1 },
		"OpLogicalNotEqual": func(a, b uint64) uint64 { return a ^ b },
	} {
		add(op, "bool", []string{"bool", "bool"}, func(a []uint64) uint64 { return f(a[0], a[1]) })
	}
	add("OpLogicalNot", "bool", []string{"bool"}, func(a []uint64) uint64 { return 1 - a[0] })
	for _, p := range [][2]string{{"float", "uint"}, {"uint", "float"}, {"int", "uint"}, {"f16", "u16"}, {"i64", "f64"}, {"i8", "u8"}} {
		add("OpBitcast", p[0], []string{p[1]}, func(a []uint64) uint64 { return a[0] })
	}
	return out
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// intToFloat rounds an integer to a float type once, to nearest even.
func intToFloat(typ string, negative bool, m uint64) uint64 {
	prec := map[string]int{"f16": 11, "float": 24, "f64": 53}[typ]
	if n := bits.Len64(m) - prec; n > 0 {
		half, rest := uint64(1)<<(n-1), m&(1<<n-1)
		m &^= 1<<n - 1
		if rest > half || rest == half && m>>n&1 != 0 {
			hi := m
			m += 1 << n
			if m < hi { // 2^64
				x := math.Ldexp(1, 64)
				if negative {
					x = -x
				}
				return fromFloat(typ, x)
			}
		}
	}
	x := float64(m)
	if negative {
		x = -x
	}
	return fromFloat(typ, x)
}

// TestInstructions runs every per-component instruction through a kernel, in
// all widths, on operands where something special happens.
func TestInstructions(t *testing.T) {
	for i, in := range instructions() {
		if in.op == "OpSelect" {
			// A vector's selection takes a vector of conditions: as it does.
			in.scalarTail = 0
		}
		t.Run(in.name(), func(t *testing.T) { in.check(t, uint64(i)) })
	}
}
