package warp

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
)

// What the quick form takes for granted of a program's end must not matter to
// one that ends early.
func TestQuickFormOfAProgramThatEndsEarly(t *testing.T) {
	for _, last := range []program.Op{
		{Code: program.IAdd32, Dst: 0, A: 4, B: 8, N: 4},
		{Code: program.Enter},
		{Code: program.Mov, Dst: 0, A: 4, N: 4},
	} {
		p := &program.Program{Width: 4, Stride: 4, Rows: 4, Scratch: 12, Code: []program.Op{{Code: program.IAdd32, Dst: 0, A: 4, B: 8, N: 4}, last}}
		if quick := quicken(p); quick[1] != last {
			t.Errorf("%v became %v", last.Code, quick[1].Code)
		}
	}
}

// Views of random programs.
const (
	loaded = 1 + iota // read only; its reads may go to a log
	stored
	numViews
)

// scribe writes random programs.
type scribe struct {
	*rand.Rand
	p                        *program.Program
	uniform, linear, varying []uint32 // rows by what they hold; written by nobody
	written                  []uint32 // rows to write
	alike                    bool     // all branches are on uniform rows
}

func (s *scribe) row() uint32 {
	s.p.Rows++
	return uint32((s.p.Rows - 1) * s.p.Stride)
}

// any is one of the rows that may be read.
func (s *scribe) any() uint32 {
	rows := [][]uint32{s.uniform, s.linear, s.varying, s.written}[s.IntN(4)]
	return rows[s.IntN(len(rows))]
}

// condition is a row to branch on.
func (s *scribe) condition() uint32 {
	if s.alike || s.IntN(2) == 0 {
		return s.uniform[s.IntN(len(s.uniform))]
	}
	return s.any()
}

func (s *scribe) emit(op program.Op) (pc int) {
	s.p.Code = append(s.p.Code, op)
	return len(s.p.Code) - 1
}

// selection emits an Enter, and a branch of a random kind.
func (s *scribe) selection() (construct int32, branch int) {
	op := program.Op{Code: program.BranchIf + program.Code(s.IntN(7)), A: s.condition(), B: s.condition(), Imm: int64(s.IntN(5))}
	if op.Code == program.BranchIf { // which is on booleans
		holds := s.row()
		s.emit(program.Op{Code: program.ULt32, Dst: holds, A: op.A, B: op.B, N: uint32(s.p.Stride)})
		op.A = holds
	}
	construct = s.construct(program.SelectionConstruct)
	return construct, s.emit(op)
}

func (s *scribe) pc() int32 { return int32(len(s.p.Code)) }

// construct opens one, and returns its number.
func (s *scribe) construct(kind program.ConstructKind) int32 {
	n := int32(len(s.p.Constructs))
	s.p.Constructs = append(s.p.Constructs, program.ConstructInfo{Kind: kind})
	s.emit(program.Op{Code: program.Enter, X: n})
	return n
}

// address makes op go to a view: uniform, linear, or anywhere.
func (s *scribe) address(op *program.Op, second *uint32) {
	index := func() uint32 {
		switch s.IntN(8) {
		case 0:
			return s.any()
		case 1, 2, 3:
			return s.uniform[s.IntN(len(s.uniform))]
		}
		return s.linear[s.IntN(len(s.linear))]
	}
	stride := func() int32 { return []int32{4, 4, 4, 0, 8, -4}[s.IntN(6)] }
	op.N, op.C, op.Y, op.Sh, op.Imm = 1, index(), stride(), []uint8{0, 32, 32, 48}[s.IntN(4)], int64(4*s.IntN(8)+64)
	if s.IntN(2) == 0 {
		op.Flag, *second, op.B = 1, index(), uint32(stride())
	}
}

// block emits statements.
func (s *scribe) block(depth int) {
	for range 1 + s.IntN(6) {
		dst := s.written[s.IntN(len(s.written)-1)] // the last is a vector's second
		switch k := s.IntN(12); {
		case k < 3:
			s.emit(program.Op{Code: program.Mov, Dst: dst, A: s.any(), N: uint32(s.p.Stride)})
		case k < 5:
			codes := []program.Code{program.IAdd32, program.ISub32, program.IMul32, program.IMulAdd32, program.And, program.Xor, program.ULt32, program.FAdd32, program.FMul32, program.Fma32, program.Select}
			s.emit(program.Op{Code: codes[s.IntN(len(codes))], Dst: dst, A: s.any(), B: s.any(), C: s.any(), N: uint32(s.p.Stride)})
		case k < 7:
			op := program.Op{Code: program.Load32, X: loaded + int32(s.IntN(2)), Dst: dst}
			s.address(&op, &op.A)
			if s.IntN(4) == 0 {
				op.N = 2
			}
			s.emit(op)
		case k < 8:
			op := program.Op{Code: program.Store32, X: stored, A: s.any()}
			s.address(&op, &op.Dst)
			s.emit(op)
		case k < 9:
			s.emit(program.Op{Code: program.CheckIndex, C: s.any(), Sh: 32})
		case k < 10 && depth > 0:
			n, b := s.selection()
			then := s.pc()
			if s.IntN(2) == 0 {
				s.block(depth - 1)
			}
			one := s.emit(program.Op{Code: program.ExitMerge, Imm: int64(s.IntN(3))})
			other := s.emit(program.Op{Code: program.ExitMerge})
			s.p.Code[b].X, s.p.Code[b].Y = then, int32(other)
			s.p.Code[one].Y, s.p.Code[other].Y = s.pc(), s.pc()
			s.p.Constructs[n].Merge = s.pc()
		case depth > 0: // a loop of up to three rounds
			i, step, bound := s.row(), s.row(), s.uniform[0]
			if !s.alike && s.IntN(2) == 0 {
				bound = s.varying[0]
			}
			s.emit(program.Op{Code: program.Mov, Dst: i, A: s.uniform[1], N: uint32(s.p.Stride)})
			n := s.construct(program.LoopConstruct)
			s.p.Constructs[n].Header = s.pc()
			test := s.emit(program.Op{Code: program.BranchULt, A: i, B: bound, Imm: 2})
			exit := s.emit(program.Op{Code: program.ExitMerge})
			s.p.Code[test].X, s.p.Code[test].Y = s.pc(), int32(exit)
			s.block(depth - 1)
			s.p.Constructs[n].Cont = s.pc()
			s.emit(program.Op{Code: program.IAdd32, Dst: step, A: i, B: s.uniform[2], N: uint32(s.p.Stride)})
			for range s.IntN(3) {
				s.emit(program.Op{Code: program.Mov, Dst: dst, A: s.any(), N: uint32(s.p.Stride)})
			}
			s.emit(program.Op{Code: program.Mov, Dst: i, A: step, N: uint32(s.p.Stride)})
			s.emit(program.Op{Code: program.BackEdge, Y: s.p.Constructs[n].Header, Imm: int64(s.IntN(4))})
			s.p.Constructs[n].Merge, s.p.Code[exit].Y = s.pc(), s.pc()
		}
	}
}

// randomProgram writes one. Uniform row 0 holds 3, 1 holds 0, 2 holds 1; lanes of
// varying rows hold small numbers that draw gives later.
func randomProgram(r *rand.Rand, width int) *scribe {
	p := &program.Program{
		Views: numViews,
		Width: width, Stride: (width + 3) &^ 3, TileSize: [3]uint32{uint32(width * (1 + r.IntN(2))), 1, 1},
		Constructs: []program.ConstructInfo{{Kind: program.CallConstruct, Merge: -1}},
		Indexes:    []program.IndexInfo{{Len: 1 << 30}},
	}
	s := &scribe{Rand: r, p: p, alike: r.IntN(2) == 0}
	for _, bits := range []uint64{3, 0, 1, uint64(r.IntN(8)), 0xffffffff, 0x40490fdb} {
		s.uniform = append(s.uniform, s.row())
		p.Consts = append(p.Consts, program.ConstRow{Row: s.uniform[len(s.uniform)-1], Bits: bits})
	}
	for _, b := range []spirv.BuiltIn{spirv.BuiltInLocalInvocationIndex, spirv.BuiltInSubgroupLocalInvocationId} {
		s.linear = append(s.linear, s.row())
		p.Builtins = append(p.Builtins, program.BuiltinInfo{BuiltIn: b, Rows: s.linear[len(s.linear)-1:]})
	}
	sum := s.row()
	s.emit(program.Op{Code: program.IAdd32, Dst: sum, A: s.linear[0], B: s.uniform[3+r.IntN(2)], N: uint32(p.Stride)})
	s.linear = append(s.linear, sum)
	for range 2 {
		s.varying = append(s.varying, s.row())
		p.Undefs = append(p.Undefs, program.UndefRow{Row: s.varying[len(s.varying)-1]})
	}
	for range 6 {
		s.written = append(s.written, s.row())
	}
	s.block(3)
	s.emit(program.Op{Code: program.Return, Imm: 1})
	p.Scratch = uint32(p.Rows * p.Stride)
	p.Rows += 2
	return s
}

// state is all that a run leaves.
type state struct {
	status Status
	fault  string
	hash   [32]byte
	memory []byte
	reads  string
}

// ran is a warp with its memory, about to run.
type ran struct {
	w    *Warp
	data []byte
	log  *tilemem.ReadLog
}

func (s *scribe) warp(c Code, lanes [2][]uint64, logged bool) *ran {
	x := &ran{data: make([]byte, 256)}
	for i := range x.data {
		x.data[i] = byte(i * 7 % 251)
	}
	views := make([]tilemem.View, numViews)
	views[loaded] = tilemem.View{Data: slices.Clone(x.data), Mem: &tilemem.Memory{}, ReadOnly: true}
	views[stored] = tilemem.View{Data: x.data, Mem: &tilemem.Memory{}}
	if logged {
		x.log = &tilemem.ReadLog{Open: true}
		views[loaded].Slow, views[loaded].Shown, views[loaded].Reads = true, true, x.log
	}
	x.w = New(c)
	x.w.Reset(&Tile{Views: views}, 0)
	for i, row := range s.varying {
		copy(x.w.R[row:], lanes[i])
	}
	return x
}

// run goes on up to limit, over Breaks, and tells the state.
func (x *ran) run(limit uint64, patch *Patch) state {
	s := state{status: x.w.Run(limit)}
	for s.status == AtBreak {
		pc := x.w.PC
		patch.Set(pc, false)
		s.status = x.w.Run(limit)
		if s.status != AtBreak || x.w.PC != pc {
			patch.Set(pc, true)
		}
	}
	if f := x.w.Fault; f != nil {
		s.fault = fmt.Sprint(*f)
	}
	h := sha256.New()
	x.w.HashInto(h)
	h.Sum(s.hash[:0])
	s.memory = x.data
	if x.log != nil {
		for _, r := range x.log.Heads {
			for l := range int32(x.w.P.Stride) {
				off := r.Off + l*r.Step
				if r.Step == tilemem.Scattered {
					off = x.log.Offs[r.Off+l]
				}
				s.reads += fmt.Sprintln(r.PC, r.View, off)
			}
		}
	}
	return s
}

// On random programs with random operands the quick form leaves the same rows, pc,
// steps, open constructs, memory and reads as the plain one, wherever they stop, and
// so does one with Breaks in it. Every rule is among what they do.
func TestQuickFormOfRandomPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	used, whole, faults := map[string]int{}, 0, 0
	for i := range 3000 {
		s := randomProgram(r, []int{1, 3, 4, 4, 4, 8, 12}[r.IntN(7)])
		if err := s.p.Check(); err != nil {
			t.Fatal(err)
		}
		plain, err := Interpreter{Plain: true}.Interpret(s.p)
		if err != nil {
			t.Fatal(err)
		}
		quick, err := Interpreter{}.Interpret(s.p)
		if err != nil {
			t.Fatal(err)
		}
		patch := quick.NewPatch()
		for pc := range s.p.Code {
			if r.IntN(5) == 0 {
				patch.Set(pc, true)
			}
		}
		var lanes [2][]uint64
		for k := range lanes {
			for range s.p.Stride {
				lanes[k] = append(lanes[k], uint64(r.IntN(4)))
			}
		}
		logged := s.alike && s.p.Width == s.p.Stride && r.IntN(2) == 0 // else there must be an observer
		a, b, c := s.warp(plain, lanes, logged), s.warp(quick, lanes, logged), s.warp(patch, lanes, logged)
		for limit := uint64(1); ; limit += uint64(r.IntN(40)) {
			want, got, broken := a.run(limit, nil), b.run(limit, nil), c.run(limit, patch)
			for k, g := range []state{got, broken} {
				x := []*ran{b, c}[k]
				if g.status != want.status || g.fault != want.fault || g.hash != want.hash || !bytes.Equal(g.memory, want.memory) || g.reads != want.reads {
					for pc, op := range s.p.Code {
						name, n := quick.Form(pc)
						t.Logf("%3d %v %+v %s %d", pc, op.Code, op, name, n)
					}
					t.Fatalf("program %d, limit %d: status %v, fault %q, pc %d, steps %d; plain: %v, %q, %d, %d; rows %v, same memory %v, same reads %v", i, limit,
						g.status, g.fault, x.w.PC, x.w.Steps, want.status, want.fault, a.w.PC, a.w.Steps, differing(a.w, x.w), bytes.Equal(g.memory, want.memory), g.reads == want.reads)
				}
			}
			if want.status != Yielded {
				if want.status == Faulted {
					faults++
				}
				break
			}
		}
		if !a.w.ragged {
			whole++
			for pc := range s.p.Code {
				name, _ := quick.Form(pc)
				used[name]++
			}
		}
	}
	for _, rule := range rules {
		if used[rule.name] < 75 {
			t.Errorf("%s: in %d places only", rule.name, used[rule.name])
		}
	}
	if whole < 250 || whole > 2750 || faults < 50 || faults > 2500 {
		t.Errorf("%d warps never split, %d programs faulted: too many or too few to tell", whole, faults)
	}
}

// differing are the rows in which two warps differ.
func differing(a, b *Warp) (rows []int) {
	for i := range a.P.Rows {
		if s := a.P.Stride; !slices.Equal(a.R[i*s:(i+1)*s], b.R[i*s:(i+1)*s]) {
			rows = append(rows, i)
		}
	}
	return rows
}
