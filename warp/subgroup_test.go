package warp

import (
	"math/rand/v2"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

// Subgroup operations do what their definitions say of the lanes that take part,
// whichever these are, in warps of every width.
func TestSubgroupOperations(t *testing.T) {
	u32 := program.Kind{Width: 32}
	add := program.Symbol{Op: uint32(spirv.OpIAdd), Src: u32}
	equal := program.Symbol{Op: uint32(spirv.OpIEqual), Src: u32}
	r := rand.New(rand.NewPCG(1, 1))
	for _, width := range []int{1, 3, 4, 8, 32, 64, 100, 128} {
		stride := (width + 3) &^ 3
		row := func(n int) uint32 { return uint32(n * stride) }
		for range 150 {
			a, b := make([]uint64, width), make([]uint64, width)
			var active []int
			var m Mask
			for l := range width {
				a[l], b[l] = uint64(r.IntN(3)), uint64(r.IntN(width+2))
				if r.IntN(3) > 0 {
					active = append(active, l)
					m.Set(l)
				}
			}
			if len(active) == 0 {
				continue
			}
			cluster := 1 << r.IntN(3)
			for cluster > width {
				cluster /= 2
			}
			// The definitions: what lane l gets of the lanes that take part.
			takesPart := func(l int) bool { return l >= 0 && l < width && m.Has(l) }
			sum := func(in func(o int) bool) (n uint64) {
				for _, o := range active {
					if in(o) {
						n += a[o]
					}
				}
				return n
			}
			of := func(from func(l int) int) func(l int) (uint64, bool) {
				return func(l int) (uint64, bool) {
					o := from(l)
					if !takesPart(o) {
						return 0, false // undefined
					}
					return a[o], true
				}
			}
			sure := func(f func(l int) uint64) func(l int) (uint64, bool) {
				return func(l int) (uint64, bool) { return f(l), true }
			}
			everywhere := func(f func(o int) bool) uint64 {
				for _, o := range active {
					if !f(o) {
						return 0
					}
				}
				return 1
			}
			for _, c := range []struct {
				g    program.GroupInfo
				want func(l int) (bits uint64, defined bool)
			}{
				{program.GroupInfo{Op: spirv.OpGroupNonUniformElect}, sure(func(l int) uint64 { return bit(l == active[0]) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformAll}, sure(func(int) uint64 { return everywhere(func(o int) bool { return a[o] != 0 }) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformAny}, sure(func(int) uint64 { return 1 - everywhere(func(o int) bool { return a[o] == 0 }) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformAllEqual, Fn: equal}, sure(func(int) uint64 { return everywhere(func(o int) bool { return a[o] == a[active[0]] }) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformBroadcastFirst}, of(func(int) int { return active[0] })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformShuffle}, of(func(l int) int { return int(b[l]) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformShuffleXor}, of(func(l int) int { return l ^ int(b[l]) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformShuffleUp}, of(func(l int) int { return l - int(b[l]) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformShuffleDown}, of(func(l int) int { return l + int(b[l]) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformRotateKHR, Cluster: uint32(cluster)}, of(func(l int) int { return l/cluster*cluster + (l+int(b[l]))%cluster })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformIAdd, Fn: add}, sure(func(int) uint64 { return sum(func(int) bool { return true }) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformIAdd, Fn: add, Kind: spirv.GroupOperationInclusiveScan}, sure(func(l int) uint64 { return sum(func(o int) bool { return o <= l }) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformIAdd, Fn: add, Kind: spirv.GroupOperationExclusiveScan}, sure(func(l int) uint64 { return sum(func(o int) bool { return o < l }) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformIAdd, Fn: add, Kind: spirv.GroupOperationClusteredReduce, Cluster: uint32(cluster)}, sure(func(l int) uint64 { return sum(func(o int) bool { return o/cluster == l/cluster }) })},
				{program.GroupInfo{Op: spirv.OpGroupNonUniformQuadSwap}, of(func(l int) int { return l ^ int(1+b[l]%3) })},
			} {
				c.g.A, c.g.B, c.g.Dst = []uint32{row(0)}, row(1), []uint32{row(2)}
				p := &program.Program{
					Width: width, Stride: stride, Rows: 4, Scratch: row(3), TileSize: [3]uint32{uint32(width), 1, 1},
					Constructs: []program.ConstructInfo{{Kind: program.CallConstruct, Merge: -1}}, Groups: []program.GroupInfo{c.g},
					Code: []program.Op{{Code: program.Group}, {Code: program.Return}},
				}
				if err := p.Check(); err != nil {
					t.Fatal(err)
				}
				code, err := Interpreter{}.Interpret(p)
				if err != nil {
					t.Fatal(err)
				}
				single := code.NewStepper()
				w := New(code)
				w.Reset(&Tile{}, 0)
				copy(w.R, a)
				copy(w.R[stride:], b)
				for l := range stride {
					w.R[2*stride+l] = 1 << 40
				}
				w.setActive(m)
				single.Step(w, 0)
				for l := range width {
					want, defined := c.want(l)
					if !m.Has(l) {
						want, defined = 1<<40, true
					}
					if got := w.R[2*stride+l]; defined && got != want {
						t.Fatalf("%v %v by %d, warp of %d, lanes %v of %v with %v: lane %d gets %d, expected %d", c.g.Op, c.g.Kind, c.g.Cluster, width, m, a, b, l, got, want)
					}
				}
			}
		}
	}
}

// DebugPrintf formats as the validation layer does.
func TestPrintfFormats(t *testing.T) {
	i32 := &spirv.Type{Kind: spirv.Int, Width: 32, Signed: true}
	u32, u64, i8 := &spirv.Type{Kind: spirv.Int, Width: 32}, &spirv.Type{Kind: spirv.Int, Width: 64}, &spirv.Type{Kind: spirv.Int, Width: 8, Signed: true}
	f16, f32, f64 := &spirv.Type{Kind: spirv.Float, Width: 16}, &spirv.Type{Kind: spirv.Float, Width: 32}, &spirv.Type{Kind: spirv.Float, Width: 64}
	truth, pointer := &spirv.Type{Kind: spirv.Bool}, &spirv.Type{Kind: spirv.Pointer}
	for _, c := range []struct {
		format string
		typ    *spirv.Type
		bits   []uint64
		want   string
	}{
		{"%d", i32, []uint64{0xffffffff}, "-1"},
		{"<%5i>", i32, []uint64{7}, "<    7>"},
		{"%-5d|", i8, []uint64{0x80}, "-128 |"},
		{"%u", u32, []uint64{0xffffffff}, "4294967295"},
		{"%ul", u64, []uint64{1 << 40}, "1099511627776"},
		{"%ulx", u64, []uint64{1 << 40}, "10000000000"},
		{"%lu", u64, []uint64{1 << 40}, "1099511627776"},
		{"%#x %%", u32, []uint64{255}, "0xff %"},
		{"%08X", u32, []uint64{0xbeef}, "0000BEEF"},
		{"%o", u32, []uint64{8}, "10"},
		{"%f", f32, []uint64{0x3fc00000}, "1.500000"},
		{"%.2f", f64, []uint64{0x3ff8000000000000}, "1.50"},
		{"%e", f32, []uint64{0x3fc00000}, "1.500000e+00"},
		{"%g", f16, []uint64{0x3e00}, "1.5"},
		{"%a", f32, []uint64{0x3fc00000}, "0x1.8p+00"},
		{"%1.2v3f", f32, []uint64{0x3fc00000, 0, 0x3f800000}, "1.50, 0.00, 1.00"},
		{"%v2d", i32, []uint64{1, 0xfffffffe}, "1, -2"},
		{"%d", truth, []uint64{1}, "true"},
		{"%d", truth, []uint64{0}, "false"},
		{"%d", f32, []uint64{0x3fc00000}, "1.5"},
		{"%f", i32, []uint64{0xffffffff}, "-1"},
		{"%f", u32, []uint64{3}, "3"},
		{"%u", pointer, []uint64{255}, "0xff"},
		{"100%", u32, []uint64{1}, "100%"},
		{"%y", u32, []uint64{1}, "%y"},
		{"%u %u", u32, []uint64{1}, "1 %!missing"},
		{"none", u32, []uint64{1}, "none"},
	} {
		var rows []uint32
		for k := range c.bits {
			rows = append(rows, uint32(k))
		}
		info := &program.PrintfInfo{Format: c.format, Args: []program.PrintfArg{{Type: c.typ, Rows: rows}}}
		if got := format(info, func(row uint32) uint64 { return c.bits[row] }); got != c.want {
			t.Errorf("%q of %#x: %q, expected %q", c.format, c.bits, got, c.want)
		}
	}
}

// A mask is the set of lanes that it says.
func TestMasks(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 500 {
		var m Mask
		in := map[int]bool{}
		for range r.IntN(12) {
			l := r.IntN(MaxLanes)
			m.Set(l)
			in[l] = true
		}
		first, last, n := -1, -1, 0
		at := m.First()
		for l := range MaxLanes {
			if m.Has(l) != in[l] {
				t.Fatalf("%v: lane %d", m, l)
			}
			if !in[l] {
				continue
			}
			if first < 0 {
				first = l
			}
			if last, n = l, n+1; at != l {
				t.Fatalf("%v: %d follows, expected %d", m, at, l)
			}
			at = m.Next(at)
		}
		if at != -1 || m.First() != first || m.last() != last || m.Count() != n || m.IsZero() != (n == 0) {
			t.Fatalf("%v: %d lanes from %d to %d", m, m.Count(), m.First(), m.last())
		}
		if k := r.IntN(MaxLanes + 1); FirstLanes(k).Count() != k || m.And(FirstLanes(k)).Count()+m.AndNot(FirstLanes(k)).Count() != n || m.Or(FirstLanes(k)) != m.AndNot(FirstLanes(k)).Or(FirstLanes(k)) {
			t.Fatalf("%v: with the first %d lanes", m, k)
		}
	}
	for text, lanes := range map[string][]int{"": nil, "0": {0}, "0-2,5": {0, 1, 2, 5}, "63-64,127": {63, 64, 127}} {
		var m Mask
		for _, l := range lanes {
			m.Set(l)
		}
		if m.String() != text {
			t.Errorf("%v is %q", lanes, m.String())
		}
	}
}
