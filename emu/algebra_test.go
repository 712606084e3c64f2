package emu_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"ampdbg/emu"
)

// fmaExact is a*b + c in binary32, rounded once.
func fmaExact(a, b, c uint64) uint64 {
	x, y, z := toFloat("float", a), toFloat("float", b), toFloat("float", c)
	s := x*y + z // the product is exact
	if math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0) || x != x || y != y || z != z || s == 0 {
		return fromFloat("float", s)
	}
	n := func(f float64) *big.Float { return new(big.Float).SetPrec(1200).SetFloat64(f) }
	sum := new(big.Float).SetPrec(1200).Add(new(big.Float).SetPrec(1200).Mul(n(x), n(y)), n(z))
	f, _ := sum.Float32()
	return uint64(math.Float32bits(f))
}

// TestFmaRoundsOnce compares Fma, which the interpreter does in binary64 where
// that is safe, with exact arithmetic: on special values and near ties.
func TestFmaRoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 41))
	edges := operandValues("float", r)
	var sets [][]uint64
	for _, a := range edges {
		for _, b := range edges {
			sets = append(sets, []uint64{a, b, edges[r.IntN(len(edges))]})
		}
	}
	for range 20000 {
		few := func(bits int) uint64 { // few significant bits make ties
			return uint64(math.Float32bits(float32(r.IntN(1<<bits)-1<<(bits-1)) * float32(math.Ldexp(1, r.IntN(40)-20))))
		}
		a, b := few(14), few(14)
		p := toFloat("float", a) * toFloat("float", b)
		c := fromFloat("float", math.Ldexp(p, r.IntN(60)-30))
		if r.IntN(2) == 0 {
			c = few(20)
		}
		if r.IntN(8) == 0 { // near the denormal numbers
			a, b, c = a&^(0xff<<23)|uint64(r.IntN(60))<<23, b&^(0xff<<23)|uint64(60+r.IntN(20))<<23, uint64(r.Uint32()&0x80ffffff)
		}
		sets = append(sets, []uint64{a, b, c})
	}
	in := instr{op: "OpExtInst glsl Fma", result: "float", args: []string{"float", "float", "float"}}
	k, threads := in.kernelFor(1, sets)
	k.run(t, emu.Options{}, uint32(threads/32))
	for i := range threads {
		a := sets[i%len(sets)]
		if got, want := word(k.buffers[3].data, 4, i), fmaExact(a[0], a[1], a[2]); !sameResult("float", got, want) {
			t.Fatalf("fma(%#x): got %#x, want %#x", a, got, want)
		}
	}
}

// TestPairs runs the instructions that give two results.
func TestPairs(t *testing.T) {
	for op, f := range map[string]func(a, b uint64, w uint) (uint64, uint64){
		"OpIAddCarry":  func(a, b uint64, w uint) (uint64, uint64) { s := low(a+b, w); return s, b2u(s < a) },
		"OpISubBorrow": func(a, b uint64, w uint) (uint64, uint64) { return low(a-b, w), b2u(a < b) },
		"OpUMulExtended": func(a, b uint64, w uint) (uint64, uint64) {
			hi, lo := bits.Mul64(a, b)
			if w < 64 {
				hi = lo >> w
			}
			return low(lo, w), low(hi, w)
		},
		"OpSMulExtended": func(a, b uint64, w uint) (uint64, uint64) {
			p := new(big.Int).Mul(big.NewInt(sx(a, w)), big.NewInt(sx(b, w)))
			hi := new(big.Int).Rsh(p, w)
			return low(a*b, w), low(hi.Uint64()*uint64(hi.Sign()), w)
		},
	} {
		for _, typ := range []string{"uint", "u16", "u64"} {
			r := rand.New(rand.NewPCG(3, 3))
			sets := operandSets([]string{typ, typ}, r)
			n := (len(sets) + 31) / 32 * 32
			size := scalarTypes[typ]
			k := &kernel{buffers: []buffer{{typ, nil}, {typ, nil}, {typ, make([]byte, n*size)}, {typ, make([]byte, n*size)}}}
			for i := range n {
				k.buffers[0].data = append(k.buffers[0].data, words(size, sets[i%len(sets)][0])...)
				k.buffers[1].data = append(k.buffers[1].data, words(size, sets[i%len(sets)][1])...)
			}
			k.globals = fmt.Sprintf("%%pair = OpTypeStruct %%%s %%%s\n", typ, typ)
			k.body = strings.ReplaceAll(`
%pa = OpAccessChain %sb_T %b0 %uint_0 %g
%a = OpLoad %T %pa
%pb = OpAccessChain %sb_T %b1 %uint_0 %g
%b = OpLoad %T %pb
%r = `+op+` %pair %a %b
%x = OpCompositeExtract %T %r 0
%y = OpCompositeExtract %T %r 1
%px = OpAccessChain %sb_T %b2 %uint_0 %g
OpStore %px %x
%py = OpAccessChain %sb_T %b3 %uint_0 %g
OpStore %py %y`, "T", typ)
			k.body = strings.ReplaceAll(k.body, "Op"+typ, "OpT")
			k.run(t, emu.Options{}, uint32(n/32))
			for i := range n {
				s := sets[i%len(sets)]
				lo, hi := f(s[0], s[1], width(typ))
				if g, h := word(k.buffers[2].data, size, i), word(k.buffers[3].data, size, i); g != lo || h != hi {
					t.Fatalf("%s of %s %#x: got %#x, %#x, want %#x, %#x", op, typ, s, g, h, lo, hi)
				}
			}
		}
	}
}

// TestLinearAlgebra multiplies vectors and matrices of all shapes, of small
// integers so that every sum is exact.
func TestLinearAlgebra(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for cols := 2; cols <= 4; cols++ {
		for rows := 2; rows <= 4; rows++ {
			for more := 2; more <= 4; more++ {
				checkProducts(t, r, cols, rows, more)
			}
		}
	}
}

// checkProducts has matrices A of cols columns and rows rows, B of more columns
// and cols rows, and vectors u of cols and v of rows components.
func checkProducts(t *testing.T, r *rand.Rand, cols, rows, more int) {
	data := make([]float32, cols*rows+more*cols+cols+rows)
	for i := range data {
		data[i] = float32(r.IntN(17) - 8)
	}
	A := func(c, row int) float32 { return data[c*rows+row] }
	B := func(c, row int) float32 { return data[cols*rows+c*cols+row] }
	u := data[cols*rows+more*cols:][:cols]
	v := data[cols*rows+more*cols+cols:]
	var want []float32
	var g, b strings.Builder
	decl := map[string]bool{}
	vec := func(n int) string { return fmt.Sprintf("%%v%dfloat", n) }
	mat := func(c, n int) string {
		name := fmt.Sprintf("%%m%dx%d", c, n)
		if !decl[name] {
			decl[name] = true
			fmt.Fprintf(&g, "%s = OpTypeMatrix %s %d\n", name, vec(n), c)
		}
		return name
	}
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	at, n := 0, 0
	load := func(count int) string {
		var parts []string
		for range count {
			fmt.Fprintf(&g, "%%at%d = OpConstant %%uint %d\n", at, at)
			p("%%p%d = OpAccessChain %%sb_float %%b0 %%uint_0 %%at%d\n%%x%d = OpLoad %%float %%p%d", at, at, at, at)
			parts = append(parts, fmt.Sprintf("%%x%d", at))
			at++
		}
		n++
		p("%%vec%d = OpCompositeConstruct %s %s", n, vec(count), strings.Join(parts, " "))
		return fmt.Sprintf("%%vec%d", n)
	}
	loadMatrix := func(name string, c, rows int) {
		var columns []string
		for range c {
			columns = append(columns, load(rows))
		}
		p("%s = OpCompositeConstruct %s %s", name, mat(c, rows), strings.Join(columns, " "))
	}
	loadMatrix("%A", cols, rows)
	loadMatrix("%B", more, cols)
	p("%%u = OpCopyObject %s %s", vec(cols), load(cols))
	p("%%v = OpCopyObject %s %s", vec(rows), load(rows))
	stored := 0
	store := func(x string, path ...int) {
		text := ""
		for _, i := range path {
			text += fmt.Sprint(" ", i)
		}
		fmt.Fprintf(&g, "%%to%d = OpConstant %%uint %d\n", stored, stored)
		if len(path) > 0 {
			p("%%e%d = OpCompositeExtract %%float %s%s", stored, x, text)
			x = fmt.Sprintf("%%e%d", stored)
		}
		p("%%q%d = OpAccessChain %%sb_float %%b1 %%uint_0 %%to%d\nOpStore %%q%d %s", stored, stored, stored, x)
		stored++
	}
	p("%%Au = OpMatrixTimesVector %s %%A %%u", vec(rows))
	for i := range rows {
		s := float32(0)
		for c := range cols {
			s += A(c, i) * u[c]
		}
		want = append(want, s)
		store("%Au", i)
	}
	p("%%vA = OpVectorTimesMatrix %s %%v %%A", vec(cols))
	for c := range cols {
		s := float32(0)
		for i := range rows {
			s += A(c, i) * v[i]
		}
		want = append(want, s)
		store("%vA", c)
	}
	p("%%AB = OpMatrixTimesMatrix %s %%A %%B", mat(more, rows))
	for c := range more {
		for i := range rows {
			s := float32(0)
			for k := range cols {
				s += A(k, i) * B(c, k)
			}
			want = append(want, s)
			store("%AB", c, i)
		}
	}
	p("%%At = OpTranspose %s %%A", mat(rows, cols))
	p("%%vu = OpOuterProduct %s %%v %%u", mat(cols, rows))
	p("%%As = OpMatrixTimesScalar %s %%A %%x1", mat(cols, rows))
	for c := range cols {
		for i := range rows {
			want = append(want, A(c, i), v[i]*u[c], A(c, i)*data[1])
			store("%At", i, c)
			store("%vu", c, i)
			store("%As", c, i)
		}
	}
	p("%%us = OpVectorTimesScalar %s %%u %%x0\n%%uu = OpDot %%float %%u %%u", vec(cols))
	s := float32(0)
	for c := range cols {
		want = append(want, u[c]*data[0])
		store("%us", c)
		s += u[c] * u[c]
	}
	want = append(want, s)
	store("%uu")
	k := &kernel{size: 1, globals: g.String(), body: b.String(), buffers: []buffer{{"float", words(4, f32s(data...)...)}, {"float", make([]byte, 4*stored)}}}
	k.run(t, emu.Options{})
	for i, w := range want {
		if got := math.Float32frombits(uint32(word(k.buffers[1].data, 4, i))); got != w {
			t.Fatalf("%d columns, %d rows, %d more: result %d is %v, want %v", cols, rows, more, i, got, w)
		}
	}
}

// TestSwitchWidths switches on integers of all widths, negative labels
// included.
func TestSwitchWidths(t *testing.T) {
	for _, c := range []struct {
		typ    string
		labels []string
		values []uint64
	}{
		{"u8", []string{"0", "255", "7"}, []uint64{0, 255, 7, 8}},
		{"i16", []string{"-1", "-32768", "300"}, []uint64{0xffff, 0x8000, 300, 1}},
		{"int", []string{"-5", "5", "2147483647"}, []uint64{0xfffffffb, 5, 0x7fffffff, 0}},
		{"u64", []string{"4294967296", "0", "18446744073709551615"}, []uint64{1 << 32, 0, ^uint64(0), 1}},
		{"i64", []string{"-1", "-4294967296", "1"}, []uint64{^uint64(0), 0xffffffff00000000, 1, 0xffffffff}},
	} {
		size := scalarTypes[c.typ]
		k := &kernel{size: 8, buffers: []buffer{{c.typ, words(size, append(c.values, c.values...)...)}, {"uint", make([]byte, 32)}}}
		k.body = strings.ReplaceAll(`
%p = OpAccessChain %sb_T %b0 %uint_0 %g
%x = OpLoad %T %p
OpSelectionMerge %m None
OpSwitch %x %d L0 %a L1 %b L2 %c
%a = OpLabel
OpBranch %m
%b = OpLabel
OpBranch %m
%c = OpLabel
OpBranch %m
%d = OpLabel
OpBranch %m
%m = OpLabel
%r = OpPhi %uint %uint_1 %a %uint_2 %b %uint_3 %c %uint_4 %d
%q = OpAccessChain %sb_uint %b1 %uint_0 %g
OpStore %q %r`, "%T", "%"+c.typ)
		k.body = strings.ReplaceAll(k.body, "sb_T", "sb_"+c.typ)
		for i, l := range c.labels {
			k.body = strings.ReplaceAll(k.body, fmt.Sprint("L", i, " "), l+" ")
		}
		k.run(t, emu.Options{})
		for i := range 8 {
			if got := word(k.buffers[1].data, 4, i); got != uint64(i%4+1) {
				t.Errorf("%s: value %#x goes to case %d, want %d", c.typ, c.values[i%4], got, i%4+1)
			}
		}
	}
}
