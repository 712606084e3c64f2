package emu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/program"
)

// ssa is a value of a random straight-line program: scalars by thread and
// component.
type ssa struct {
	name  string
	typ   string // of the components
	n     int
	bits  [][]uint64 // by thread, component
	inner bool       // result of an instruction, not an input
}

// straight makes a random program without branches over vectors and scalars,
// with the values that it must compute. Half of it runs in a diverged warp.
func straight(r *rand.Rand, table map[string][]instr, threads int) (k *kernel, results []*ssa) {
	k = &kernel{size: 8}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	types := []string{"uint", "int", "float"}
	switch r.IntN(4) {
	case 0:
		types = append(types, "u64", "i64", "f64")
	case 1:
		types = append(types, "u16", "i16", "f16", "u8")
	}
	var pool []*ssa
	// Inputs: one buffer a type, four elements a thread.
	for i, t := range types {
		vals := operandValues(t, r)
		data := make([]uint64, threads*4)
		for j := range data {
			data[j] = vals[r.IntN(len(vals))]
			if r.IntN(2) == 0 && !isFloat(t) {
				data[j] = uint64(r.IntN(9))
			}
			if isFloat(t) && (r.IntN(2) == 0 || isNaN(t, data[j])) {
				data[j] = fromFloat(t, float64(r.IntN(40)-20)/4)
			}
		}
		k.buffers = append(k.buffers, buffer{t, words(scalarTypes[t], data...)})
		p("%%base%d = OpIMul %%uint %%g %%uint_4", i)
		var parts []*ssa
		for c := range 4 {
			p("%%ix%d_%d = OpIAdd %%uint %%base%d %%uint_%d\n%%ptr%d_%d = OpAccessChain %%sb_%s %%b%d %%uint_0 %%ix%d_%d\n%%in%d_%d = OpLoad %%%s %%ptr%d_%d",
				i, c, i, c, i, c, t, i, i, c, i, c, t, i, c)
			v := &ssa{name: fmt.Sprintf("%%in%d_%d", i, c), typ: t, n: 1}
			for g := range threads {
				v.bits = append(v.bits, []uint64{data[g*4+c]})
			}
			parts = append(parts, v)
		}
		pool = append(pool, parts...)
		for n := 2; n <= 4; n++ {
			v := &ssa{name: fmt.Sprintf("%%vec%d_%d", i, n), typ: t, n: n}
			var names []string
			for _, x := range parts[:n] {
				names = append(names, x.name)
			}
			p("%s = OpCompositeConstruct %%v%d%s %s", v.name, n, t, strings.Join(names, " "))
			for g := range threads {
				var row []uint64
				for _, x := range parts[:n] {
					row = append(row, x.bits[g][0])
				}
				v.bits = append(v.bits, row)
			}
			pool = append(pool, v)
		}
	}
	typeName := func(t string, n int) string {
		if n == 1 {
			return "%" + t
		}
		return fmt.Sprintf("%%v%d%s", n, t)
	}
	find := func(t string, n int) *ssa {
		var list []*ssa
		for _, v := range pool {
			if v.typ == t && v.n == n {
				list = append(list, v)
				if v.inner {
					list = append(list, v, v) // make chains
				}
			}
		}
		if len(list) == 0 {
			return nil
		}
		return list[r.IntN(len(list))]
	}
	emitted := 0
	step := func(limit int) {
		for emitted < limit {
			n := 1 + r.IntN(4)
			name := fmt.Sprintf("%%s%d", emitted)
			if r.IntN(5) == 0 { // take a component out of a vector, or shuffle
				v := pool[r.IntN(len(pool))]
				if v.n == 1 {
					continue
				}
				out := &ssa{name: name, typ: v.typ, inner: true}
				if r.IntN(2) == 0 {
					c := r.IntN(v.n)
					p("%s = OpCompositeExtract %s %s %d", name, typeName(v.typ, 1), v.name, c)
					out.n = 1
					for g := range threads {
						out.bits = append(out.bits, []uint64{v.bits[g][c]})
					}
				} else {
					o := find(v.typ, v.n)
					out.n = 2 + r.IntN(3)
					var sel []int
					text := ""
					for range out.n {
						s := r.IntN(2 * v.n)
						sel = append(sel, s)
						text += fmt.Sprint(" ", s)
					}
					p("%s = OpVectorShuffle %s %s %s%s", name, typeName(v.typ, out.n), v.name, o.name, text)
					for g := range threads {
						var row []uint64
						for _, s := range sel {
							row = append(row, append(slices.Clone(v.bits[g]), o.bits[g]...)[s])
						}
						out.bits = append(out.bits, row)
					}
				}
				pool = append(pool, out)
				emitted++
				continue
			}
			list := table[append([]string{"bool"}, types...)[r.IntN(len(types)+1)]]
			in := list[r.IntN(len(list))]
			var args []*ssa
			for i, t := range in.args {
				m := n
				if i >= len(in.args)-in.scalarTail {
					m = 1
				}
				v := find(t, m)
				if v == nil {
					break
				}
				args = append(args, v)
			}
			if len(args) < len(in.args) {
				continue
			}
			op, rest, _ := strings.Cut(in.op, " ")
			var names []string
			for _, a := range args {
				names = append(names, a.name)
			}
			p("%s = %s %s %s %s", name, op, typeName(in.result, n), strings.Replace(rest, "glsl", "%glsl", 1), strings.Join(names, " "))
			out := &ssa{name: name, typ: in.result, n: n, inner: true}
			for g := range threads {
				row := make([]uint64, n)
				for c := range row {
					var a []uint64
					for _, x := range args {
						a = append(a, x.bits[g][min(c, x.n-1)])
					}
					row[c] = in.want(a)
				}
				out.bits = append(out.bits, row)
			}
			pool = append(pool, out)
			emitted++
		}
	}
	half := 4 + r.IntN(12)
	step(half)
	p("%%c3 = OpUMod %%uint %%g %%uint_3\n%%some = OpINotEqual %%bool %%c3 %%uint_1\nOpSelectionMerge %%merge None\nOpBranchConditional %%some %%then %%merge\n%%then = OpLabel")
	step(half + 4 + r.IntN(12))
	for _, v := range pool {
		if v.inner && v.typ != "bool" {
			results = append(results, v)
		}
	}
	if len(results) > 12 {
		results = results[len(results)-12:]
	}
	for i, v := range results {
		at := len(k.buffers)
		k.buffers = append(k.buffers, buffer{v.typ, make([]byte, threads*v.n*scalarTypes[v.typ])})
		for c := range v.n {
			x := v.name
			if v.n > 1 {
				x = fmt.Sprintf("%%x%d_%d", i, c)
				p("%s = OpCompositeExtract %%%s %s %d", x, v.typ, v.name, c)
			}
			p("%%o%d_%d = OpIMul %%uint %%g %%uint_%d\n%%oi%d_%d = OpIAdd %%uint %%o%d_%d %%uint_%d", i, c, v.n, i, c, i, c, c)
			p("%%op%d_%d = OpAccessChain %%sb_%s %%b%d %%uint_0 %%oi%d_%d\nOpStore %%op%d_%d %s", i, c, v.typ, at, i, c, i, c, x)
		}
	}
	p("OpBranch %%merge\n%%merge = OpLabel")
	k.body = b.String()
	return k, results
}

// TestStraightLinePrograms runs random programs of integers and floats, scalars
// and vectors, and compares them with what the instructions' references give.
func TestStraightLinePrograms(t *testing.T) {
	table := map[string][]instr{}
	for _, in := range instructions() {
		if strings.HasPrefix(in.op, "OpBitcast") && (isFloat(in.args[0]) || isFloat(in.result)) {
			continue // would show which NaN a NaN is
		}
		table[in.args[0]] = append(table[in.args[0]], in)
		// What the interpreter does itself and what is combined comes up more
		// often.
		for _, often := range []string{"OpIAdd", "OpIMul", "OpFAdd", "OpFMul", "OpISub", "OpFSub"} {
			if in.op == often {
				table[in.args[0]] = append(table[in.args[0]], in, in, in, in, in)
			}
		}
	}
	for _, list := range table {
		slices.SortStableFunc(list, func(a, b instr) int { return strings.Compare(a.name(), b.name()) })
	}
	programs := 400
	if testing.Short() {
		programs = 40
	}
	const threads = 16
	combined := 0
	for seed := range uint64(programs) {
		r := rand.New(rand.NewPCG(seed, 21))
		k, results := straight(r, table, threads)
		m, err := new(emu.Emulator).Prepare(k.dispatch(t, threads/8))
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range m.Program.Code {
			if op.Code == program.FMulAdd32 || op.Code == program.IMulAdd32 {
				combined++
			}
		}
		for _, opt := range []emu.Options{{}, {Exact: true}, {Warp: 1}, {Warp: 8}} {
			for _, x := range k.buffers[len(k.buffers)-len(results):] {
				clear(x.data)
			}
			k.run(t, opt, threads/8)
			for i, v := range results {
				data := k.buffers[len(k.buffers)-len(results)+i].data
				for g := range threads {
					for c := range v.n {
						want := v.bits[g][c]
						if g%3 == 1 {
							want = 0
						}
						if got := word(data, scalarTypes[v.typ], g*v.n+c); !sameResult(v.typ, got, want) {
							t.Fatalf("program %d, warp %d, exact %v: thread %d, component %d of %s: got %#x, want %#x\n%s", seed, opt.Warp, opt.Exact, g, c, v.name, got, want, k.body)
						}
					}
				}
			}
		}
	}
	if combined < programs/10 {
		t.Errorf("only %d multiplications were combined with additions", combined)
	}
}
