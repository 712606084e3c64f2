package spirv

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mutate changes a copy of a module in a few places: operands and results
// become other ids or numbers, instructions vanish, repeat or move.
func mutate(m *Module, rnd *rand.Rand) *Module {
	out := &Module{Version: m.Version, Bound: m.Bound, Name: m.Name, Insts: slices.Clone(m.Insts)}
	id := func() uint32 { return 1 + rnd.Uint32N(m.Bound) }
	for range 1 + rnd.IntN(3) {
		i := rnd.IntN(len(out.Insts))
		in := &out.Insts[i]
		switch rnd.IntN(8) {
		case 0, 1, 2, 3:
			if len(in.Args) == 0 {
				continue
			}
			in.Args = slices.Clone(in.Args)
			k := rnd.IntN(len(in.Args))
			switch rnd.IntN(5) {
			case 0:
				in.Args[k] = rnd.Uint32N(8)
			case 2: // the ends of what a word holds
				in.Args[k] = []uint32{0, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, m.Bound - 1, m.Bound}[rnd.IntN(8)]
			case 1:
				in.Args[k] = rnd.Uint32()
			default:
				in.Args[k] = id()
			}
		case 4:
			if in.Type != 0 {
				in.Type = ID(id())
			}
		case 5:
			in.Args = in.Args[:rnd.IntN(len(in.Args)+1)]
		case 6:
			out.Insts = slices.Delete(out.Insts, i, i+1)
		case 7:
			k := rnd.IntN(len(out.Insts))
			out.Insts[i], out.Insts[k] = out.Insts[k], out.Insts[i]
		}
	}
	return out
}

func seedModules(t testing.TB) (modules []*Module) {
	names, err := filepath.Glob("testdata/debug/*.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := filepath.Glob("../testdata/*/*.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, kernels...)
	texts := []string{typeModule, strings.Replace(constHeader, `OpName %r "r"`, "", 1)}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for seed := range uint64(8) {
		texts = append(texts, flowModule("Shader", randomFlow(seed)))
	}
	for _, text := range texts {
		m, err := Assemble("seed", text)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m)
	}
	return modules
}

// FuzzResolveMutated resolves real modules with random damage.
func FuzzResolveMutated(f *testing.F) {
	seeds := seedModules(f)
	for k := range seeds {
		f.Add(uint64(k))
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		resolveAnything(t, mutate(seeds[rnd.IntN(len(seeds))], rnd))
	})
}

func TestResolveMutated(t *testing.T) {
	seeds := seedModules(t)
	n, resolved, valid := 5000, 0, 0
	for seed := range uint64(n) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		r, v := resolveAnything(t, mutate(seeds[rnd.IntN(len(seeds))], rnd))
		if r {
			resolved++
		}
		if v {
			valid++
		}
	}
	if resolved < n/5 || valid < n/8 {
		t.Errorf("of %d modules, %d resolve and %d are valid: too few to tell of either", n, resolved, valid)
	}
	t.Logf("of %d modules, %d resolve and %d are valid", n, resolved, valid)
}
