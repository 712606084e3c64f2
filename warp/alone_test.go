package warp_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ampdbg/program"
	"ampdbg/program/programtest"
	"ampdbg/tilemem"
	"ampdbg/warp"
	"ampdbg/warp/enginetest"
	"ampdbg/warp/scalar"
)

// alone runs one thread of a program by itself, without masks: what each
// operation means for one lane, written down plainly.
type alone struct {
	t    *testing.T
	p    *program.Program
	rows []uint64 // by row number
	mem  [][]byte // by view
	open []int32
}

func newAlone(t *testing.T, p *program.Program, thread, lane int, mem [][]byte) *alone {
	a := &alone{t: t, p: p, rows: make([]uint64, p.Rows), mem: mem, open: []int32{0}}
	for _, c := range p.Consts {
		*a.row(c.Row) = c.Bits
	}
	*a.row(p.Builtins[0].Rows[0]) = uint64(thread)
	*a.row(p.Builtins[1].Rows[0]) = uint64(lane)
	return a
}

func (a *alone) row(element uint32) *uint64 { return &a.rows[element/uint32(a.p.Stride)] }

// run executes the thread to its end.
func (a *alone) run() {
	pc := int32(a.p.Entry)
	for range 1 << 20 {
		op := &a.p.Code[pc]
		pc++
		x, y := *a.row(op.A % uint32(a.p.Rows*a.p.Stride)), *a.row(op.B % uint32(a.p.Rows*a.p.Stride))
		outer := func() *program.ConstructInfo {
			a.open = a.open[:len(a.open)-int(op.X)]
			return &a.p.Constructs[a.open[len(a.open)-1]]
		}
		branch := func(taken bool) {
			if pc = op.Y; taken {
				pc = op.X
			}
		}
		switch op.Code {
		case program.Return:
			return
		case program.Jump:
			pc = op.X
		case program.BranchIf:
			branch(x == 1)
		case program.BranchULt:
			branch(x < y)
		case program.BranchULe:
			branch(x <= y)
		case program.BranchSLt:
			branch(int32(x) < int32(y))
		case program.BranchSLe:
			branch(int32(x) <= int32(y))
		case program.BranchEq:
			branch(x == y)
		case program.BranchNe:
			branch(x != y)
		case program.SwitchOn:
			s := &a.p.Switches[op.X]
			pc = s.Targets[len(s.Values)]
			for i, v := range s.Values {
				if v == x&s.Mask {
					pc = s.Targets[i]
					break
				}
			}
		case program.Enter:
			a.open = append(a.open, op.X)
		case program.ExitMerge:
			pc = outer().Merge
			a.open = a.open[:len(a.open)-1]
		case program.ExitCont:
			pc = outer().Cont
		case program.BackEdge:
			pc = outer().Header
		default:
			a.compute(op)
		}
	}
	a.t.Fatal("a thread does not end")
}

func f32(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }
func f64(bits uint64) float64 { return math.Float64frombits(bits) }

// number32 and number64 are bits of a result, of which any NaN is one.
func number32(f float32) uint64 {
	if f != f {
		return scalar.NaN32
	}
	return uint64(math.Float32bits(f))
}

func number64(f float64) uint64 {
	if f != f {
		return scalar.NaN64
	}
	return math.Float64bits(f)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// value is what a value operation computes of single operands.
func (a *alone) value(op *program.Op, x, y, z uint64) uint64 {
	i, j := uint32(x), uint32(y)
	switch op.Code {
	case program.Mov:
		return x
	case program.Not32:
		return uint64(^i)
	case program.IAdd32:
		return uint64(i + j)
	case program.ISub32:
		return uint64(i - j)
	case program.IMul32:
		return uint64(i * j)
	case program.IMulAdd32:
		return uint64(i*j + uint32(z))
	case program.IAdd64:
		return x + y
	case program.ISub64:
		return x - y
	case program.IMul64:
		return x * y
	case program.And:
		return x & y
	case program.Or:
		return x | y
	case program.Xor:
		return x ^ y
	case program.Shl32:
		return uint64(i << y)
	case program.ShrU32:
		return x >> y
	case program.ShrS32:
		if y > 31 {
			return 0
		}
		return uint64(uint32(int32(i) >> y))
	case program.FAdd32:
		return number32(f32(x) + f32(y))
	case program.FSub32:
		return number32(f32(x) - f32(y))
	case program.FMul32:
		return number32(f32(x) * f32(y))
	case program.FMulAdd32:
		return number32(float32(f32(x)*f32(y)) + f32(z))
	case program.FDiv32:
		return number32(f32(x) / f32(y))
	case program.FNeg32:
		return x ^ 1<<31
	case program.FAdd64:
		return number64(f64(x) + f64(y))
	case program.FSub64:
		return number64(f64(x) - f64(y))
	case program.FMul64:
		return number64(f64(x) * f64(y))
	case program.IEq:
		return truth(x == y)
	case program.INe:
		return truth(x != y)
	case program.ULt32:
		return truth(x < y)
	case program.ULe32:
		return truth(x <= y)
	case program.SLt32:
		return truth(int32(i) < int32(j))
	case program.SLe32:
		return truth(int32(i) <= int32(j))
	case program.FOrdEq32:
		return truth(f32(x) == f32(y))
	case program.FOrdLt32:
		return truth(f32(x) < f32(y))
	case program.FOrdLe32:
		return truth(f32(x) <= f32(y))
	case program.FUnordNe32:
		return truth(f32(x) != f32(y))
	case program.LogicalNot:
		return truth(x == 0)
	case program.Select:
		if x != 0 {
			return y
		}
		return z
	case program.SToF32:
		return number32(float32(int32(i)))
	case program.UToF32:
		return number32(float32(i))
	}
	var out uint64
	ok := false
	switch s := a.p.Functions; op.Code {
	case program.Fma32:
		var f scalar.Func3
		f, ok = scalar.GLSL3(50, program.Kind{Float: true, Width: 32}, program.Mode{})
		out = f(x, y, z)
	case program.Call1:
		var f scalar.Func1
		f, ok = scalar.Resolve1(s[op.X])
		out = f(x)
	case program.Call2:
		var f scalar.Func2
		f, ok = scalar.Resolve2(s[op.X])
		out = f(x, y)
	case program.Call3:
		var f scalar.Func3
		f, ok = scalar.Resolve3(s[op.X])
		out = f(x, y, z)
	}
	if !ok {
		a.t.Fatalf("%v is not known here", op.Code)
	}
	return out
}

// compute does an operation after which the next one follows.
func (a *alone) compute(op *program.Op) {
	stride := uint32(a.p.Stride)
	index := func() int64 { return op.Term().Of(*a.row(op.C)) }
	switch op.Code {
	case program.PtrTo:
		*a.row(op.Dst) = tilemem.Point(int(op.X), op.Imm+index())
		return
	case program.PtrAdd:
		*a.row(op.Dst) = *a.row(op.A) + uint64(op.Imm+index())
		return
	case program.PtrToElem:
		*a.row(op.Dst) = tilemem.Point(int(a.p.Arrays[op.X].First)+int(*a.row(op.B)), op.Imm+index())
		return
	case program.HandleElem:
		*a.row(op.Dst) = *a.row(op.A) + *a.row(op.B)*(1+1<<32)
		return
	case program.ArrayLen:
		*a.row(op.Dst) = uint64((int64(len(a.mem[op.X])) - op.Imm) / int64(op.Y))
		return
	case program.CallN:
		c := &a.p.Calls[op.X]
		f, _ := scalar.ResolveN(c.Fn)
		var in []uint64
		for _, r := range c.In {
			in = append(in, *a.row(r))
		}
		out := make([]uint64, len(c.Out))
		f(in, out)
		for i, r := range c.Out {
			*a.row(r) = out[i]
		}
		return
	case program.LoadVar, program.StoreVar:
		v, _ := op.Part()
		inside := &a.rows[int64(a.p.Vars[v.Var].Row)+v.First+index()]
		if v.Store {
			*inside = *a.row(v.Value)
		} else {
			*a.row(v.Value) = *inside
		}
		return
	}
	if op.Code.Plain() {
		for i := uint32(0); i < op.N; i += stride {
			at := func(element uint32, read bool) uint64 {
				if !read {
					return 0
				}
				return *a.row(element + i)
			}
			hasA, hasB, hasC := op.Operands()
			*a.row(op.Dst + i) = a.value(op, at(op.A, hasA), at(op.B, hasB), at(op.C, hasC))
		}
		return
	}
	m, ok := a.p.Access(op)
	if !ok {
		return // a check, a fence, output
	}
	view, off := int(m.View), m.Offset
	if m.Pointer != program.NoRow {
		var base int64
		view, base = tilemem.Split(*a.row(m.Pointer))
		off += base
	}
	for _, t := range m.Terms {
		if t.Stride != 0 {
			off += t.Of(*a.row(t.Row))
		}
	}
	for i := range m.Components {
		row, at := a.row(m.Value+uint32(i)*stride), off+int64(i*m.Width)
		switch m.Kind {
		case program.LoadAccess:
			*row = tilemem.LoadWord(a.mem[view], at, m.Width)
		case program.StoreAccess:
			tilemem.StoreWord(a.mem[view], at, m.Width, *row)
		default:
			info := a.p.AtomicOf(op)
			old := tilemem.LoadWord(a.mem[view], at, m.Width)
			tilemem.StoreWord(a.mem[view], at, m.Width, tilemem.ApplyAtomic(info.Op, info.Size, old, *a.row(info.Val), *a.row(info.Cmp)))
			if info.Op.Reads() {
				*a.row(op.Dst) = old
			}
		}
	}
}

// Threads that do not look at each other come to what each comes to alone,
// whatever the width, wherever they part and meet again.
func TestLanesAreThreadsAlone(t *testing.T) {
	programs := uint64(300)
	if testing.Short() {
		programs = 60
	}
	parted := 0
	for seed := range programs {
		for _, width := range []int{1, 3, 4, 16, 128} {
			p := programtest.Random(rand.New(rand.NewPCG(seed, 9)), programtest.Options{Width: width, Alone: true})
			tile, err := enginetest.NewTile(warp.Interpreter{Plain: seed%2 == 0}, p, seed)
			if err != nil {
				t.Fatal(err)
			}
			var mem [][]byte
			for _, v := range tile.Views {
				mem = append(mem, append([]byte(nil), v.Data...))
			}
			for _, w := range tile.Warps {
				w.Keep = true
				if s := w.Run(1 << 40); s != warp.Finished {
					t.Fatalf("program %d, width %d: status %d, fault %+v\n%s", seed, width, s, w.Fault, text(p))
				}
			}
			for thread := range programtest.Tile {
				w, l := tile.Warps[thread/width], thread%width
				a := newAlone(t, p, thread, l, mem)
				a.run()
				for row, want := range a.rows[:int(p.Scratch)/p.Stride] {
					if got := w.R[row*p.Stride+l]; got != want {
						t.Fatalf("program %d, width %d: thread %d has %#x in row %d, expected %#x\n%s", seed, width, thread, got, row, want, text(p))
					}
				}
				if thread > 0 && w.ExitPC(l) != tile.Warps[0].ExitPC(0) {
					parted++
				}
			}
			for i := range mem {
				if string(mem[i]) != string(tile.Views[i].Data) {
					t.Fatalf("program %d, width %d: view %d differs\n%s", seed, width, i, text(p))
				}
			}
		}
	}
	if parted < 50 {
		t.Errorf("threads end apart only %d times", parted)
	}
}

func text(p *program.Program) string {
	var b strings.Builder
	p.Dump(&b, program.DumpOptions{})
	return b.String()
}
