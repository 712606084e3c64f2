package emu_test

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ampdbg/emu"
)

// groupOp is a subgroup instruction under test. want gives what lane l of the
// active lanes act (in order) must get, from the values by lane and the second
// operands by lane; ok is false where that is undefined.
type groupOp struct {
	code   string // with %v for the value, %w for the second operand
	typ    string // of value and result, if result is empty
	result string
	want   func(l int, act []int, v, w []uint64, width int) (x uint64, ok bool)
	limit  uint32 // second operands are below it; 0: below the warp's width
	least  int    // narrowest warp
}

// groupOps are all subgroup instructions, reductions in all types and kinds.
func groupOps() []groupOp {
	var out []groupOp
	is := func(list []int, l int) bool {
		for _, x := range list {
			if x == l {
				return true
			}
		}
		return false
	}
	from := func(src func(l int, w uint64, width int) int) func(int, []int, []uint64, []uint64, int) (uint64, bool) {
		return func(l int, act []int, v, w []uint64, width int) (uint64, bool) {
			s := src(l, w[l], width)
			if !is(act, s) {
				return 0, false
			}
			return v[s], true
		}
	}
	for _, typ := range []string{"uint", "int", "float", "u8", "i16", "u64", "f16", "f64"} {
		add := func(code string, limit uint32, least int, src func(l int, w uint64, width int) int) {
			out = append(out, groupOp{code: code, typ: typ, want: from(src), limit: limit, least: least})
		}
		add("OpGroupNonUniformShuffle %T %uint_3 %v %w", 0, 1, func(_ int, w uint64, _ int) int { return int(w) })
		add("OpGroupNonUniformShuffleXor %T %uint_3 %v %w", 0, 1, func(l int, w uint64, _ int) int { return l ^ int(w) })
		add("OpGroupNonUniformShuffleUp %T %uint_3 %v %w", 0, 1, func(l int, w uint64, _ int) int { return l - int(w) })
		add("OpGroupNonUniformShuffleDown %T %uint_3 %v %w", 0, 1, func(l int, w uint64, _ int) int { return l + int(w) })
		add("OpGroupNonUniformBroadcast %T %uint_3 %v %uint_2", 0, 4, func(int, uint64, int) int { return 2 })
		add("OpGroupNonUniformQuadBroadcast %T %uint_3 %v %uint_1", 0, 4, func(l int, _ uint64, _ int) int { return l&^3 + 1 })
		for d := range 3 {
			add(fmt.Sprintf("OpGroupNonUniformQuadSwap %%T %%uint_3 %%v %%uint_%d", d), 0, 4, func(l int, _ uint64, _ int) int { return l ^ (d + 1) })
		}
		add("OpGroupNonUniformRotateKHR %T %uint_3 %v %uint_5", 0, 1, func(l int, _ uint64, width int) int { return (l + 5) % width })
		add("OpGroupNonUniformRotateKHR %T %uint_3 %v %uint_3 %uint_4", 0, 4, func(l int, _ uint64, _ int) int { return l&^3 + (l+3)&3 })
		out = append(out, groupOp{code: "OpGroupNonUniformBroadcastFirst %T %uint_3 %v", typ: typ, want: func(_ int, act []int, v, _ []uint64, _ int) (uint64, bool) {
			return v[act[0]], true
		}})
		out = append(out, groupOp{code: "OpGroupNonUniformAllEqual %bool %uint_3 %v", typ: typ, result: "bool", want: func(_ int, act []int, v, _ []uint64, _ int) (uint64, bool) {
			for _, l := range act {
				if v[l] != v[act[0]] {
					return 0, true
				}
			}
			return 1, true
		}})
		out = append(out, reductions(typ)...)
	}
	out = append(out, reductions("bool")...)
	ballot := func(act []int, v []uint64) (b [2]uint64) {
		for _, l := range act {
			b[l/64] |= v[l] << (l % 64)
		}
		return b
	}
	bools := func(code, result string, f func(l int, b [2]uint64, act []int) uint64) {
		out = append(out, groupOp{code: code, typ: "bool", result: result, want: func(l int, act []int, v, _ []uint64, _ int) (uint64, bool) {
			return f(l, ballot(act, v), act), true
		}})
	}
	count := func(b [2]uint64) int { return bits.OnesCount64(b[0]) + bits.OnesCount64(b[1]) }
	below := func(b [2]uint64, n int) [2]uint64 {
		if n < 64 {
			return [2]uint64{b[0] & (1<<n - 1)}
		}
		return [2]uint64{b[0], b[1] & (1<<(n-64) - 1)}
	}
	bools("OpGroupNonUniformElect %bool %uint_3", "bool", func(l int, _ [2]uint64, act []int) uint64 { return b2u(l == act[0]) })
	bools("OpGroupNonUniformAll %bool %uint_3 %v", "bool", func(_ int, b [2]uint64, act []int) uint64 { return b2u(count(b) == len(act)) })
	bools("OpGroupNonUniformAny %bool %uint_3 %v", "bool", func(_ int, b [2]uint64, _ []int) uint64 { return b2u(count(b) > 0) })
	before := "OpGroupNonUniformBallot %v4uint %uint_3 %v\n%r = "
	for k := range 4 {
		bools(before+fmt.Sprintf("OpCompositeExtract %%uint %%b %d", k), "uint", func(_ int, b [2]uint64, _ []int) uint64 { return b[k/2] >> (k % 2 * 32) & 0xffffffff })
	}
	bools(before+"OpGroupNonUniformInverseBallot %bool %uint_3 %b", "bool", func(l int, b [2]uint64, _ []int) uint64 { return b[l/64] >> (l % 64) & 1 })
	out = append(out, groupOp{code: before + "OpGroupNonUniformBallotBitExtract %bool %uint_3 %b %w", typ: "bool", result: "bool",
		want: func(l int, act []int, v, w []uint64, _ int) (uint64, bool) {
			b := ballot(act, v)
			return b[w[l]/64] >> (w[l] % 64) & 1, true
		}})
	bools(before+"OpGroupNonUniformBallotBitCount %uint %uint_3 Reduce %b", "uint", func(_ int, b [2]uint64, _ []int) uint64 { return uint64(count(b)) })
	bools(before+"OpGroupNonUniformBallotBitCount %uint %uint_3 InclusiveScan %b", "uint", func(l int, b [2]uint64, _ []int) uint64 { return uint64(count(below(b, l+1))) })
	bools(before+"OpGroupNonUniformBallotBitCount %uint %uint_3 ExclusiveScan %b", "uint", func(l int, b [2]uint64, _ []int) uint64 { return uint64(count(below(b, l))) })
	find := func(code string, f func(b [2]uint64) int) {
		out = append(out, groupOp{code: before + code, typ: "bool", result: "uint", want: func(_ int, act []int, v, _ []uint64, _ int) (uint64, bool) {
			b := ballot(act, v)
			return uint64(f(b)), count(b) > 0
		}})
	}
	find("OpGroupNonUniformBallotFindLSB %uint %uint_3 %b", func(b [2]uint64) int {
		if b[0] != 0 {
			return bits.TrailingZeros64(b[0])
		}
		return 64 + bits.TrailingZeros64(b[1])
	})
	find("OpGroupNonUniformBallotFindMSB %uint %uint_3 %b", func(b [2]uint64) int {
		if b[1] != 0 {
			return 64 + bits.Len64(b[1]) - 1
		}
		return bits.Len64(b[0]) - 1
	})
	return out
}

// reductions are those of a type, by op and kind, folded in the order of the
// lanes.
func reductions(typ string) []groupOp {
	w := width(typ)
	all := ^uint64(0) >> (64 - w)
	type fold struct {
		identity uint64
		f        func(a, b uint64) uint64
	}
	ops := map[string]fold{}
	switch {
	case typ == "bool":
		ops["LogicalAnd"] = fold{1, func(a, b uint64) uint64 { return a & b }}
		ops["LogicalOr"] = fold{0, func(a, b uint64) uint64 { return a | b }}
		ops["LogicalXor"] = fold{0, func(a, b uint64) uint64 { return a ^ b }}
	case isFloat(typ):
		num := func(f func(a, b float64) float64) func(a, b uint64) uint64 {
			return func(a, b uint64) uint64 { return fromFloat(typ, f(toFloat(typ, a), toFloat(typ, b))) }
		}
		ops["FAdd"] = fold{0, num(func(a, b float64) float64 { return a + b })}
		ops["FMul"] = fold{fromFloat(typ, 1), num(func(a, b float64) float64 { return a * b })}
		ops["FMin"] = fold{fromFloat(typ, math.Inf(1)), num(math.Min)}
		ops["FMax"] = fold{fromFloat(typ, math.Inf(-1)), num(math.Max)}
	default:
		ops["IAdd"] = fold{0, func(a, b uint64) uint64 { return (a + b) & all }}
		ops["IMul"] = fold{1, func(a, b uint64) uint64 { return a * b & all }}
		ops["BitwiseAnd"] = fold{all, func(a, b uint64) uint64 { return a & b }}
		ops["BitwiseOr"] = fold{0, func(a, b uint64) uint64 { return a | b }}
		ops["BitwiseXor"] = fold{0, func(a, b uint64) uint64 { return a ^ b }}
		if typ[0] == 'i' {
			ops["SMin"] = fold{all >> 1, func(a, b uint64) uint64 { return low(uint64(min(sx(a, w), sx(b, w))), w) }}
			ops["SMax"] = fold{all>>1 + 1, func(a, b uint64) uint64 { return low(uint64(max(sx(a, w), sx(b, w))), w) }}
		} else {
			ops["UMin"] = fold{all, func(a, b uint64) uint64 { return min(a, b) }}
			ops["UMax"] = fold{0, func(a, b uint64) uint64 { return max(a, b) }}
		}
	}
	var out []groupOp
	for _, name := range slices.Sorted(maps.Keys(ops)) {
		o := ops[name]
		for _, kind := range []string{"Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce"} {
			tail, least := "", 1
			if kind == "ClusteredReduce" {
				tail, least = " %uint_4", 4
			}
			out = append(out, groupOp{
				code: fmt.Sprintf("OpGroupNonUniform%s %%T %%uint_3 %s %%v%s", name, kind, tail), typ: typ, least: least,
				want: func(l int, act []int, v, _ []uint64, _ int) (uint64, bool) {
					acc, first := o.identity, true
					for _, k := range act {
						if kind == "InclusiveScan" && k > l || kind == "ExclusiveScan" && k >= l || kind == "ClusteredReduce" && k/4 != l/4 {
							continue
						}
						if first {
							acc, first = v[k], false
						} else {
							acc = o.f(acc, v[k])
						}
					}
					return oneNaN(acc, typ), true
				},
			})
		}
	}
	return out
}

// oneNaN turns a NaN of the host's choice, as long products end with, into the
// only one that the emulator computes.
func oneNaN(bits uint64, typ string) uint64 {
	switch f := math.Float32frombits(uint32(bits)); {
	case typ == "float" && f != f:
		return 0x7fc00000
	case typ == "f64" && math.IsNaN(math.Float64frombits(bits)):
		return 0x7ff8000000000000
	case typ == "f16" && bits&0x7fff > 0x7c00:
		return 0x7e00
	}
	return bits
}

func (o *groupOp) kernel(size uint32, threads int, v, w, active []uint64) *kernel {
	result := o.result
	if result == "" {
		result = o.typ
	}
	k := &kernel{size: size, caps: []string{
		"GroupNonUniform", "GroupNonUniformVote", "GroupNonUniformArithmetic", "GroupNonUniformBallot", "GroupNonUniformShuffle",
		"GroupNonUniformShuffleRelative", "GroupNonUniformClustered", "GroupNonUniformQuad", "GroupNonUniformRotateKHR",
	}}
	mem, rmem := memory(o.typ), memory(result)
	k.buffers = []buffer{
		{mem, words(scalarTypes[mem], v...)}, {"uint", words(4, w...)}, {"uint", words(4, active...)},
		{rmem, make([]byte, threads*scalarTypes[rmem])},
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%%pv = OpAccessChain %%sb_%s %%b0 %%uint_0 %%g\n%%v0 = OpLoad %%%s %%pv\n", mem, mem)
	value := "%v0"
	if o.typ == "bool" {
		b.WriteString("%vb = OpINotEqual %bool %v0 %uint_0\n")
		value = "%vb"
	}
	b.WriteString("%pw = OpAccessChain %sb_uint %b1 %uint_0 %g\n%w0 = OpLoad %uint %pw\n%pa = OpAccessChain %sb_uint %b2 %uint_0 %g\n%a = OpLoad %uint %pa\n")
	b.WriteString("%c = OpINotEqual %bool %a %uint_0\nOpSelectionMerge %m None\nOpBranchConditional %c %t %m\n%t = OpLabel\n")
	code := strings.NewReplacer("%T", "%"+o.typ, "%w", "%w0").Replace(o.code)
	code = strings.ReplaceAll(code+" ", "%v ", value+" ")
	code = strings.ReplaceAll(code, "%v\n", value+"\n")
	name := "%r = "
	if strings.Contains(code, "\n") {
		name = "%b = "
	}
	b.WriteString(name + code + "\n")
	r := "%r"
	if result == "bool" {
		b.WriteString("%ru = OpSelect %uint %r %uint_1 %uint_0\n")
		r = "%ru"
	}
	fmt.Fprintf(&b, "%%po = OpAccessChain %%sb_%s %%b3 %%uint_0 %%g\nOpStore %%po %s\nOpBranch %%m\n%%m = OpLabel\n", rmem, r)
	k.body = b.String()
	return k
}

// TestSubgroupInstructions runs every subgroup instruction in warps of several
// widths with some lanes inactive.
func TestSubgroupInstructions(t *testing.T) {
	for n, o := range groupOps() {
		r := rand.New(rand.NewPCG(uint64(n), 5))
		for _, width := range []int{1, 4, 8, 32, 128} {
			if width < o.least {
				continue
			}
			size := width + width/2 + 1
			if size < 3 {
				size = 3
			}
			threads := 2 * size
			v, w, active := make([]uint64, threads), make([]uint64, threads), make([]uint64, threads)
			limit := o.limit
			if limit == 0 {
				limit = uint32(width)
			}
			mask := ^uint64(0) >> (64 - bitsOf(o.typ))
			for i := range threads {
				v[i] = r.Uint64() & mask
				if isFloat(o.typ) {
					v[i] = fromFloat(o.typ, float64(r.IntN(64)-20)/4)
				}
				if strings.Contains(o.code, "AllEqual") {
					v[i] = 7 + uint64(i/width)&mask
					if r.IntN(20) == 0 {
						v[i]++
					}
				}
				w[i] = uint64(r.Uint32N(limit))
				active[i] = b2u(r.IntN(4) > 0)
			}
			k := o.kernel(uint32(size), threads, v, w, active)
			k.run(t, emu.Options{Warp: width}, 2)
			rsize := len(k.buffers[3].data) / threads
			for first := 0; first < threads; {
				lanes := min(width, size-first%size)
				var act []int
				for l := range lanes {
					if active[first+l] != 0 {
						act = append(act, l)
					}
				}
				for _, l := range act {
					want, ok := o.want(l, act, v[first:first+lanes], w[first:first+lanes], width)
					if got := word(k.buffers[3].data, rsize, first+l); ok && got != want {
						t.Fatalf("%s of %s, warp %d: lane %d of %v: got %#x, want %#x\nvalues %#x", o.code, o.typ, width, l, act, got, want, v[first:first+lanes])
					}
				}
				first += lanes
			}
		}
	}
}

// bitsOf is width, where a variable of that name stands before it.
func bitsOf(typ string) uint { return width(typ) }
