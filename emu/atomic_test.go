package emu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ampdbg/emu"
)

// atomicOp is an atomic instruction under test: what memory holds after it.
type atomicOp struct {
	code string // with %p the pointer, %v the thread's value
	typ  string
	next func(old, v uint64) uint64
	read bool // gives the old value
}

func atomicOps() []atomicOp {
	var out []atomicOp
	for _, typ := range []string{"uint", "int", "u64", "i64"} {
		w := width(typ)
		for op, f := range map[string]func(a, b uint64) uint64{
			"IAdd": func(a, b uint64) uint64 { return a + b }, "ISub": func(a, b uint64) uint64 { return a - b },
			"UMin": func(a, b uint64) uint64 { return min(a, b) }, "UMax": func(a, b uint64) uint64 { return max(a, b) },
			"SMin": func(a, b uint64) uint64 { return uint64(min(sx(a, w), sx(b, w))) },
			"SMax": func(a, b uint64) uint64 { return uint64(max(sx(a, w), sx(b, w))) },
			"And":  func(a, b uint64) uint64 { return a & b }, "Or": func(a, b uint64) uint64 { return a | b },
			"Xor": func(a, b uint64) uint64 { return a ^ b }, "Exchange": func(a, b uint64) uint64 { return b },
		} {
			out = append(out, atomicOp{"OpAtomic" + op + " %T %p %uint_1 %uint_0 %v", typ, func(a, b uint64) uint64 { return low(f(a, b), w) }, true})
		}
		out = append(out,
			atomicOp{"OpAtomicLoad %T %p %uint_1 %uint_0", typ, func(a, _ uint64) uint64 { return a }, true},
			atomicOp{"OpAtomicStore %p %uint_1 %uint_0 %v", typ, func(_, b uint64) uint64 { return b }, false},
			atomicOp{"OpAtomicIIncrement %T %p %uint_1 %uint_0", typ, func(a, _ uint64) uint64 { return low(a+1, w) }, true},
			atomicOp{"OpAtomicIDecrement %T %p %uint_1 %uint_0", typ, func(a, _ uint64) uint64 { return low(a-1, w) }, true},
			// The comparator is 0, what memory starts with.
			atomicOp{"OpAtomicCompareExchange %T %p %uint_1 %uint_0 %uint_0 %v %zero", typ, func(a, b uint64) uint64 {
				if a == 0 {
					return b
				}
				return a
			}, true},
		)
	}
	for _, typ := range []string{"float", "f64"} {
		for op, f := range map[string]func(a, b float64) float64{
			"FAddEXT": func(a, b float64) float64 { return a + b }, "FMinEXT": math.Min, "FMaxEXT": math.Max,
		} {
			out = append(out, atomicOp{"OpAtomic" + op + " %T %p %uint_1 %uint_0 %v", typ, func(a, b uint64) uint64 {
				return fromFloat(typ, f(toFloat(typ, a), toFloat(typ, b)))
			}, true})
		}
	}
	return out
}

// kernel makes the kernel that does the atomic in storage buffer 1 or in
// tile_static memory and leaves what it gave in buffer 2.
func (o *atomicOp) kernel(storage string, size uint32, values []uint64) *kernel {
	n := scalarTypes[o.typ]
	k := &kernel{
		size: size, caps: []string{"Int64Atomics", "AtomicFloat32AddEXT", "AtomicFloat64AddEXT", "AtomicFloat32MinMaxEXT", "AtomicFloat64MinMaxEXT"},
		buffers: []buffer{{o.typ, words(n, values...)}, {o.typ, make([]byte, n)}, {o.typ, make([]byte, n*len(values))}},
	}
	if storage == "Workgroup" {
		k.globals = fmt.Sprintf("%%wp = OpTypePointer Workgroup %%%s\n%%w = OpVariable %%wp Workgroup\n", o.typ)
		k.vars = "%w"
	}
	k.globals += fmt.Sprintf("%%zero = OpConstantNull %%%s\n", o.typ)
	pointer := fmt.Sprintf("%%p = OpAccessChain %%sb_%s %%b1 %%uint_0 %%uint_0\n", o.typ)
	code := o.code
	if storage == "Workgroup" {
		pointer = ""
		code = replaceWord(code, "%p", "%w")
	}
	code = replaceWord(code, "%T", "%"+o.typ)
	k.body = fmt.Sprintf("%%pv = OpAccessChain %%sb_%s %%b0 %%uint_0 %%g\n%%v = OpLoad %%%s %%pv\n%s", o.typ, o.typ, pointer)
	if !o.read {
		k.body += code + "\n"
		return k
	}
	k.body += "%r = " + code + fmt.Sprintf("\n%%po = OpAccessChain %%sb_%s %%b2 %%uint_0 %%g\nOpStore %%po %%r\n", o.typ)
	return k
}

// TestAtomicInstructions runs every atomic in one warp after the other, lanes
// in order: that is the canonical schedule.
func TestAtomicInstructions(t *testing.T) {
	for i, o := range atomicOps() {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		values := make([]uint64, 24)
		for k := range values {
			values[k] = low(r.Uint64(), width(o.typ))
			if isFloat(o.typ) {
				values[k] = fromFloat(o.typ, float64(r.IntN(64)-32)/8)
			}
		}
		for _, storage := range []string{"StorageBuffer", "Workgroup"} {
			for _, warp := range []int{1, 4, 32} {
				k := o.kernel(storage, 12, values)
				k.run(t, emu.Options{Warp: warp}, 2)
				n := scalarTypes[o.typ]
				mem := uint64(0)
				for g, v := range values {
					if storage == "Workgroup" && g == 12 {
						mem = 0
					}
					if got := word(k.buffers[2].data, n, g); o.read && got != mem {
						t.Errorf("%s of %s in %s, warp %d: thread %d got %#x, want %#x", o.code, o.typ, storage, warp, g, got, mem)
						break
					}
					mem = o.next(mem, v)
				}
				if got := word(k.buffers[1].data, n, 0); storage == "StorageBuffer" && got != mem {
					t.Errorf("%s of %s, warp %d: memory holds %#x, want %#x", o.code, o.typ, warp, got, mem)
				}
			}
		}
	}
}
