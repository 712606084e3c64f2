package emu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// seedModules are the modules of testdata and a few random programs.
var seedModules = sync.OnceValue(func() (out []*spirv.Module) {
	files, _ := filepath.Glob("../testdata/*/*.spvasm")
	own, _ := filepath.Glob("testdata/*.spvasm")
	for _, name := range append(files, own...) {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		m, err := spirv.Assemble(name, string(text))
		if err != nil {
			panic(err)
		}
		out = append(out, m)
	}
	for seed := range uint64(8) {
		k := randomFlow(rand.New(rand.NewPCG(seed, 77)), true, true).kernel(8, 64, 3)
		m, err := spirv.Assemble("flow", k.text())
		if err != nil {
			panic(err)
		}
		out = append(out, m)
	}
	return out
})

// damage changes a copy of a module in a few places: operands and results
// become other ids or numbers, instructions vanish, repeat or swap.
func damage(m *spirv.Module, r *rand.Rand) *spirv.Module {
	out := &spirv.Module{Version: m.Version, Bound: m.Bound, Name: m.Name, Insts: slices.Clone(m.Insts)}
	// Most damage goes to function bodies: what is before them is resolved
	// away.
	body := slices.IndexFunc(out.Insts, func(in spirv.Inst) bool { return in.Op == spirv.OpFunction })
	for range 1 + r.IntN(3) {
		i := r.IntN(len(out.Insts))
		if body > 0 && body < len(out.Insts) && r.IntN(3) > 0 {
			i = body + r.IntN(len(out.Insts)-body)
		}
		in := &out.Insts[i]
		switch r.IntN(10) {
		case 0, 1, 2, 3, 4:
			if len(in.Args) == 0 {
				continue
			}
			in.Args = slices.Clone(in.Args)
			k := r.IntN(len(in.Args))
			switch r.IntN(5) {
			case 0:
				in.Args[k] = r.Uint32N(8)
			case 1:
				in.Args[k] = r.Uint32()
			case 2: // an id nearby
				in.Args[k] += r.Uint32N(5) - 2
			default:
				in.Args[k] = 1 + r.Uint32N(m.Bound)
			}
		case 5:
			if in.Type != 0 {
				in.Type = spirv.ID(1 + r.Uint32N(m.Bound))
			}
		case 6:
			in.Args = in.Args[:r.IntN(len(in.Args)+1)]
		case 7:
			out.Insts = slices.Delete(out.Insts, i, i+1)
		case 8:
			k := r.IntN(len(out.Insts))
			out.Insts[i], out.Insts[k] = out.Insts[k], out.Insts[i]
		case 9: // another instruction with the same operands
			ops := []spirv.Opcode{
				spirv.OpIAdd, spirv.OpFAdd, spirv.OpDot, spirv.OpMatrixTimesVector, spirv.OpTranspose, spirv.OpCompositeExtract,
				spirv.OpVectorShuffle, spirv.OpBitcast, spirv.OpConvertFToS, spirv.OpSelect, spirv.OpLoad, spirv.OpStore, spirv.OpAccessChain,
				spirv.OpAtomicIAdd, spirv.OpGroupNonUniformIAdd, spirv.OpGroupNonUniformBallot, spirv.OpImageRead, spirv.OpImageWrite,
				spirv.OpImageSampleExplicitLod, spirv.OpArrayLength, spirv.OpIAddCarry, spirv.OpBitFieldInsert, spirv.OpOuterProduct,
				spirv.OpExtInst, spirv.OpCopyMemory, spirv.OpPtrAccessChain, spirv.OpCompositeInsert, spirv.OpVectorExtractDynamic,
			}
			in.Op = ops[r.IntN(len(ops))]
		}
	}
	return out
}

// bound makes a dispatch of a module with something bound wherever it may ask
// for it.
func bound(u *spirv.Unit, m *spirv.Module, entry string, r *rand.Rand) *launch.Dispatch {
	d := &launch.Dispatch{Module: m, Entry: entry, Groups: [3]uint32{1 + r.Uint32N(3), 1, 1 + r.Uint32N(2)}, Push: make([]byte, 64)}
	list, err := launch.Resources(u, entry)
	if err != nil {
		return d
	}
	fill := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			if r.IntN(3) == 0 {
				b[i] = byte(r.Uint32())
			}
		}
		return b
	}
	formats := []string{"R32_UINT", "R32_SINT", "R32_SFLOAT", "R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT", "R64_UINT"}
	for _, res := range list {
		b := launch.Binding{Set: res.Set, Binding: res.Binding, Kind: res.Kind}
		for range max(1, min(res.Count, 4)) {
			buf := &launch.Buffer{Name: "buffer", Data: fill(16 * (1 + r.IntN(64)))}
			format := formats[r.IntN(len(formats))]
			texel := map[string]int{"R32G32B32A32_SFLOAT": 16, "R64_UINT": 8}[format]
			if texel == 0 {
				texel = 4
			}
			img := &launch.Image{Name: "image", Format: format, Dim: 2, Width: 4, Height: 4, Depth: 1, Layers: 1, MipLevels: 1, Samples: 1, Data: fill(16 * texel)}
			b.Elems = append(b.Elems, launch.Descriptor{
				Buffer: buf, Range: int64(len(buf.Data)), Format: format, Image: img, Sampler: &launch.Sampler{MagLinear: r.IntN(2) == 0},
			})
		}
		d.Bindings = append(d.Bindings, b)
	}
	return d
}

func disassembly(m *spirv.Module) string {
	var b strings.Builder
	spirv.Disassemble(&b, m, spirv.DisasmOptions{})
	return b.String()
}

// sameData reports whether two dispatches of one shape hold the same bytes.
func sameData(a, b *launch.Dispatch) bool {
	for i := range a.Bindings {
		for j := range a.Bindings[i].Elems {
			x, y := &a.Bindings[i].Elems[j], &b.Bindings[i].Elems[j]
			if x.Buffer != nil && !bytes.Equal(x.Buffer.Data, y.Buffer.Data) || x.Image != nil && !bytes.Equal(x.Image.Data, y.Image.Data) {
				return false
			}
		}
	}
	return true
}

// runAnything runs a module that may be nonsense. It must end soon, with a
// result or an error that is not the emulator's fault, the same in the quick
// form of the program and in the plain one.
func runAnything(t *testing.T, m *spirv.Module, r *rand.Rand) (ran bool) {
	u, err := spirv.Resolve(m, nil)
	if err != nil || len(u.EntryPoints) == 0 {
		return false
	}
	seed := r.Uint64()
	d := bound(u, m, u.EntryPoints[0].Name, rand.New(rand.NewPCG(seed, 1)))
	again := bound(u, m, u.EntryPoints[0].Name, rand.New(rand.NewPCG(seed, 1)))
	opt := emu.Options{
		Warp: []int{1, 3, 4, 32, 128}[r.IntN(5)], Workers: 1 + r.IntN(2), Steps: 50_000,
		Robust: r.IntN(2) == 0, Exact: r.IntN(2) == 0, Seed: uint64(r.IntN(2)),
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute) // far more than the budget takes
	defer cancel()
	_, err = emu.Run(ctx, d, opt)
	if ctx.Err() == nil {
		opt.Engine = warp.Interpreter{Plain: true}
		if _, plain := emu.Run(ctx, again, opt); ctx.Err() == nil && (fmt.Sprint(err) != fmt.Sprint(plain) || !sameData(d, again)) {
			t.Fatalf("%+v: the quick form differs: %v instead of %v\n%s", opt, err, plain, disassembly(m))
		}
	}
	var e *diag.Error
	var stopped *emu.StoppedError
	switch {
	case err == nil, errors.As(err, &stopped):
		return true
	case diag.AsBug(err) != nil:
		t.Fatalf("%v\n%s\n%s", err, diag.AsBug(err).Stack, disassembly(m))
	case errors.As(err, &e):
		return e.Class == diag.Budget
	default:
		t.Fatalf("error of type %T: %v\n%s", err, err, disassembly(m))
	}
	return false
}

// FuzzRun damages a module and runs it.
func FuzzRun(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 11))
		seeds := seedModules()
		m := seeds[r.IntN(len(seeds))]
		if r.IntN(4) == 0 {
			k := randomFlow(r, true, true).kernel(1+r.Uint32N(40), 64, r.Uint32()&0xff)
			k.dispatch(t)
			m = k.module
		}
		if r.IntN(16) > 0 {
			m = damage(m, r)
		}
		runAnything(t, m, r)
	})
}

// TestDamagedModules is a short FuzzRun.
func TestDamagedModules(t *testing.T) {
	seeds := seedModules()
	n, ran := 3000, 0
	if testing.Short() {
		n = 300
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 11))
		m := seeds[r.IntN(len(seeds))]
		if runAnything(t, damage(m, r), r) {
			ran++
		}
		if t.Failed() {
			t.Fatalf("seed %d, from %s", seed, strings.TrimPrefix(m.Name, "../testdata/"))
		}
	}
	if ran < n/10 {
		t.Errorf("%d of %d ran: too few to tell of what runs", ran, n)
	}
}
