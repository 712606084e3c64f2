package warp

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/tilemem/texel"
)

// el is the element that row n begins at, in the programs here.
func el(n int) uint32 { return uint32(4 * n) }

func els(n ...int) []uint32 {
	var out []uint32
	for _, r := range n {
		out = append(out, el(r))
	}
	return out
}

// specimen is an operation with what the rows that it reads may hold.
type specimen struct {
	op   program.Op
	rows map[int][]uint64 // by row number; others hold values
}

func floats(list ...float32) (bits []uint64) {
	for _, f := range list {
		bits = append(bits, uint64(math.Float32bits(f)))
	}
	return bits
}

var (
	anyValue  = append([]uint64{0, 1, 2, 3, 4, 0xffffffff, 0x3ff8 << 48}, floats(1, 2, 2.5, 3)...)
	truth     = []uint64{0, 1}
	small     = []uint64{0, 1, 2, 3}
	smallOr   = []uint64{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 77}
	pointers  = []uint64{tilemem.Point(1, 0), tilemem.Point(1, 8), tilemem.Point(2, 16), tilemem.Point(2, 4), tilemem.Point(1, 24), tilemem.Point(1, 16), 0}
	coords    = floats(0.1, 0.3, 0.45, 0.7, 0.9)
	offsets   = []uint64{0, 1, 0xffffffff}
	lods      = floats(0, 1, 2)
	allHandle = []uint64{0, 0, 0, 0, 99}
	sampled   = []uint64{1 | 1<<32, 1 | 1<<32, 1 | 1<<32, 1 | 1<<32, 99}
)

// specimens are operations of every code on the tables of rowsProgram.
func specimens(p *program.Program) []specimen {
	var out []specimen
	add := func(op program.Op, rows map[int][]uint64) { out = append(out, specimen{op, rows}) }
	// Value operations: from rows 2, 3 and 4 to row 1; vectors from rows 4, 6 and
	// 8 to row 2.
	for c := program.Mov; c.Plain(); c++ {
		xs := []int32{0}
		for i, f := range p.Functions {
			if (c == program.Call1 || c == program.Call2 || c == program.Call3) && arity(f) == 1+int(c-program.Call1) {
				xs = append(xs[:0], int32(i))
			}
		}
		for _, x := range xs {
			op := program.Op{Code: c, N: 4, X: x, Dst: el(1), A: el(2), B: el(3), C: el(4)}
			switch c {
			case program.PtrTo, program.PtrAdd:
				op.X = 1
				add(op, nil)
				op.Y, op.Imm, op.Sh = 8, 12, 32
				add(op, nil)
				op.Flag = 1
				add(op, nil)
			default:
				add(op, nil)
				add(program.Op{Code: c, N: 8, X: x, Dst: el(2), A: el(4), B: el(6), C: el(8)}, nil)
			}
		}
	}
	// Control.
	add(program.Op{Code: program.Nop}, nil)
	add(program.Op{Code: program.Jump, X: 4, Imm: 2}, nil)
	add(program.Op{Code: program.BranchIf, A: el(2), X: 2, Y: 4, Imm: 2}, map[int][]uint64{2: truth})
	add(program.Op{Code: program.BranchIf, A: el(2), X: 3, Y: 4, Imm: 2, Flag: program.TrueIsMerge}, map[int][]uint64{2: truth})
	for c := program.BranchULt; c <= program.BranchNe; c++ {
		add(program.Op{Code: c, A: el(2), B: el(3), X: 4, Y: 3, Imm: 2, Flag: program.FalseIsMerge}, nil)
	}
	add(program.Op{Code: program.SwitchOn, A: el(2), Imm: 2}, map[int][]uint64{2: small})
	add(program.Op{Code: program.Enter, X: 2}, nil)
	add(program.Op{Code: program.ExitMerge, Y: 5, Imm: 2}, nil)
	add(program.Op{Code: program.ExitCont, Y: 4, Imm: 2}, nil)
	add(program.Op{Code: program.BackEdge, Y: 1, Imm: 2}, nil)
	add(program.Op{Code: program.Return, Imm: 2}, nil)
	add(program.Op{Code: program.Unreachable}, nil)
	add(program.Op{Code: program.Barrier, X: int32(spirv.ScopeWorkgroup)}, nil)
	add(program.Op{Code: program.Barrier, X: int32(spirv.ScopeSubgroup), A: el(2), C: 2, Y: 8}, nil)
	add(program.Op{Code: program.Fence, C: 2, Y: 8}, nil)
	add(program.Op{Code: program.Printf}, nil)
	// Register variables: rows 40 to 43.
	add(program.Op{Code: program.LoadVar, Dst: el(1), N: 2, C: el(3), Y: 1, Imm: 0}, map[int][]uint64{3: smallOr})
	add(program.Op{Code: program.StoreVar, A: el(1), N: 2, C: el(3), Y: 1, Imm: 0}, map[int][]uint64{3: smallOr})
	add(program.Op{Code: program.StoreVar, A: el(1), N: 4, C: el(3)}, nil)
	// Memory.
	for k, c := range []program.Code{program.Load8, program.Load16, program.Load32, program.Load64} {
		size := 1 << k
		for _, op := range []program.Op{
			{Code: c, N: 1, Dst: el(1), C: el(3), X: 1},
			{Code: c, N: 1, Dst: el(1), C: el(3), X: 1, Y: int32(size), Imm: 8, Sh: 32},
			{Code: c, N: 2, Dst: el(1), C: el(3), X: 2, Y: int32(size), Flag: 1, A: el(4), B: uint32(size)},
			{Code: program.LoadPtr, N: 2, Dst: el(1), A: el(5), C: el(3), Y: int32(size), Flag: uint8(size)},
			{Code: program.LoadPtr, N: 1, Dst: el(1), A: el(5), C: el(3), Flag: uint8(size), B: 16},
		} {
			add(op, map[int][]uint64{3: smallOr, 4: small, 5: pointers})
		}
		for _, op := range []program.Op{
			{Code: c - program.Load8 + program.Store8, N: 1, A: el(1), C: el(3), X: 1},
			{Code: c - program.Load8 + program.Store8, N: 1, A: el(1), C: el(3), X: 1, Y: int32(size), Imm: 8, Sh: 32},
			{Code: c - program.Load8 + program.Store8, N: 2, A: el(1), C: el(3), X: 2, Y: int32(size), Flag: 1, Dst: el(4), B: uint32(size)},
			{Code: program.StorePtr, N: 2, B: el(1), A: el(5), C: el(3), Y: int32(size), Flag: uint8(size)},
			{Code: program.StorePtr, N: 1, B: el(1), A: el(5), C: el(3), Flag: uint8(size), Dst: 16},
		} {
			add(op, map[int][]uint64{3: smallOr, 4: small, 5: pointers})
		}
	}
	for i := range p.Atomics {
		add(program.Op{Code: program.Atomic, X: int32(i), Dst: el(1), B: 1, C: el(3), Y: 4}, map[int][]uint64{3: smallOr, 6: small, 7: small})
		add(program.Op{Code: program.Atomic, X: int32(i), Dst: el(1), A: el(5), Flag: 1, C: el(3)}, map[int][]uint64{5: pointers, 6: small, 7: small})
	}
	for i := range p.ImageOps {
		rows := map[int][]uint64{2: allHandle, 3: smallOr, 4: small, 5: small, 6: small, 7: small, 8: anyValue, 9: anyValue, 10: anyValue, 11: anyValue}
		if p.ImageOps[i].Samples() {
			rows = map[int][]uint64{2: sampled, 3: coords, 4: coords, 5: lods, 6: coords, 7: small, 8: floats(0.125, 0.5, 1), 9: floats(0.125, 0.5, 1), 10: offsets, 11: floats(1, 0.5, 2)}
		}
		if p.ImageOps[i].Op == spirv.OpImageFetch || p.ImageOps[i].Op == spirv.OpImageQuerySizeLod {
			rows[2] = sampled
		}
		if p.ImageOps[i].Sample != program.NoRow {
			rows[2], rows[5] = []uint64{2, 2, 2, 99}, []uint64{0, 1}
		}
		add(program.Op{Code: program.ImageOp, X: int32(i)}, rows)
	}
	// Pointers, lengths, checks.
	add(program.Op{Code: program.PtrToElem, Dst: el(1), B: el(2), C: el(3)}, map[int][]uint64{2: smallOr})
	add(program.Op{Code: program.PtrToElem, Dst: el(1), B: el(2), C: el(3), Y: 4}, map[int][]uint64{2: smallOr})
	add(program.Op{Code: program.HandleElem, Dst: el(1), A: el(2), B: el(3), X: 4}, map[int][]uint64{3: smallOr})
	add(program.Op{Code: program.ArrayLen, Dst: el(1), X: 1, Y: 4}, nil)
	add(program.Op{Code: program.ArrayLen, Dst: el(1), A: el(2), Flag: 1, Y: 4, Imm: 8}, map[int][]uint64{2: {tilemem.Point(1, 0), tilemem.Point(2, 0), tilemem.Point(3, 0), 0}})
	add(program.Op{Code: program.CheckIndex, C: el(2)}, map[int][]uint64{2: smallOr})
	for i := range p.Defined {
		rows := map[int][]uint64{2: small, 3: small}
		if p.Defined[i].Test.Form == program.TestSymbol { // a division
			rows = map[int][]uint64{2: {1, 1 << 31}, 3: {1, 1, 1, 1, 0, 0xffffffff}}
		}
		add(program.Op{Code: program.CheckDefined, X: int32(i)}, rows)
		if p.Defined[i].Out != nil {
			add(program.Op{Code: program.MarkUndefined, X: int32(i), Dst: el(20), C: 1 << program.ShiftRange}, map[int][]uint64{2: small, 3: small})
		}
	}
	add(program.Op{Code: program.CheckUsed, A: el(2), N: 8}, map[int][]uint64{2: {0, 0, 0, 1}, 3: {0, 0, 0, 1}})
	for i := range p.Groups {
		add(program.Op{Code: program.Group, X: int32(i)}, map[int][]uint64{2: small, 6: small})
		switch rows := out[len(out)-1].rows; {
		case len(p.Groups[i].A) == 4: // a ballot, of which a warp of 4 reads the first word
			rows[30] = []uint64{0, 3, 5, 8, 10, 15}
		case p.Groups[i].Op == spirv.OpGroupNonUniformAllEqual:
			rows[2], rows[6] = []uint64{1, 1, 1, 1, 1, 1, 2}, []uint64{1, 1, 1, 1, 1, 1, 2}
		}
	}
	for i := range p.Calls {
		add(program.Op{Code: program.CallN, X: int32(i)}, map[int][]uint64{6: smallOr})
	}
	add(program.Op{Code: program.Clock, Dst: el(1)}, nil)
	add(program.Op{Code: program.Clock, Dst: el(1), Flag: 1}, nil)
	return out
}

// arity is how many operands a function of rowsProgram has.
func arity(s program.Symbol) int {
	switch {
	case s.Set == program.GLSL && s.Op == spirv.GLSLFMix || s.Set == program.Core && s.Opcode() == spirv.OpBitFieldUExtract:
		return 3
	case s.Set == program.Core && s.Opcode() == spirv.OpUDiv || s.Set == program.Machine && s.Op == uint32(program.PointerDistance) || s.Set == program.GLSL && s.Op == spirv.GLSLPow:
		return 2
	}
	return 1
}

// rowsProgram has tables for the specimens, and a loop for them to stand in, as
// operation 1.
func rowsProgram() *program.Program {
	u32, f32 := program.Kind{Width: 32}, program.Kind{Float: true, Width: 32}
	image := func(op spirv.Opcode, set func(i *program.ImageInfo)) program.ImageInfo {
		i := program.ImageInfo{
			Op: op, Handle: el(2), Coord: els(3, 4), CoordKind: program.Kind{Width: 32, Signed: true}, Dst: els(20, 21, 22, 23), Result: u32,
			Dref: program.NoRow, Lod: program.NoRow, MinLOD: program.NoRow, Sample: program.NoRow, Component: program.NoRow,
		}
		if i.Samples() {
			i.CoordKind, i.Result, i.LodKind = f32, f32, f32
		}
		set(&i)
		return i
	}
	texelOp := func(op program.AtomicOp) func(i *program.ImageInfo) {
		return func(i *program.ImageInfo) {
			i.Dst = els(20)
			if i.Atomic = (&program.AtomicInfo{Op: op, Size: 4, Val: el(8), Cmp: el(5)}); !op.Reads() {
				i.Dst = nil
			}
		}
	}
	compare := func(i *program.ImageInfo) { i.Dref, i.Dst = el(6), els(20) }
	p := &program.Program{
		Width: 4, Stride: 4, Rows: 60, Scratch: el(56), TileSize: [3]uint32{4, 1, 1}, Views: 9,
		Constructs: []program.ConstructInfo{
			{Kind: program.CallConstruct, Merge: -1}, {Kind: program.LoopConstruct, Merge: 5, Cont: 4, Header: 1}, {Merge: 3},
		},
		Switches: []program.SwitchInfo{{Mask: 0xff, Values: []uint64{1, 2}, Targets: []int32{2, 3, 4}, Entry: []int32{0, 1, 2}}},
		Vars:     []program.VarInfo{{Row: 40, Rows: 4}},
		Arrays:   []program.ArrayInfo{{First: 1, Len: 4}},
		Functions: []program.Symbol{
			{Op: uint32(spirv.OpNot), Dst: u32, Src: u32}, {Op: uint32(spirv.OpConvertFToU), Dst: u32, Src: f32},
			{Set: program.GLSL, Op: spirv.GLSLFrexpStruct, Src: f32, Part: 2}, {Set: program.Machine, Op: uint32(program.ClampUnsigned), N: 2},
			{Op: uint32(spirv.OpUDiv), Src: u32}, {Set: program.GLSL, Op: spirv.GLSLPow, Src: f32}, {Set: program.Machine, Op: uint32(program.PointerDistance), Dst: u32, N: 4},
			{Set: program.GLSL, Op: spirv.GLSLFMix, Src: f32}, {Op: uint32(spirv.OpBitFieldUExtract), Src: u32},
		},
		Calls: []program.CallInfo{
			{Fn: program.Symbol{Op: uint32(spirv.OpUMulExtended), Src: u32}, In: els(2, 3), Out: els(20, 21)},
			{Fn: program.Symbol{Op: uint32(spirv.OpVectorExtractDynamic), N: 4}, In: els(2, 3, 4, 5, 6), Out: els(20)},
			{Fn: program.Symbol{Op: uint32(spirv.OpVectorInsertDynamic), N: 2}, In: els(2, 3, 4, 6), Out: els(20, 21)},
			{Fn: program.Symbol{Op: uint32(spirv.OpBitcast), Src: u32, Dst: program.Kind{Width: 64}}, In: els(2, 3), Out: els(20)},
			{Fn: program.Symbol{Set: program.Machine, Op: uint32(program.SampledImage)}, In: els(2, 3), Out: els(20)},
			{Fn: program.Symbol{Set: program.Machine, Op: uint32(program.AtomicResult), Src: u32, N: int64(program.AtomicCompareExchange)}, In: els(2, 3, 4), Out: els(20)},
			{Fn: program.Symbol{Set: program.Machine, Op: uint32(program.AnySet)}, In: els(2, 3), Out: els(20, 21)},
			{Fn: program.Symbol{Set: program.GLSL, Op: spirv.GLSLLength, Src: f32, Lens: [3]uint8{2}}, In: els(2, 3), Out: els(20)},
			{Fn: program.Symbol{Set: program.GLSL, Op: spirv.GLSLDistance, Src: f32, Lens: [3]uint8{2, 2}}, In: els(2, 3, 4, 5), Out: els(20)},
		},
		Indexes: []program.IndexInfo{{Len: 3}},
		Printfs: []program.PrintfInfo{{Format: "%u %x", Args: []program.PrintfArg{{Type: &spirv.Type{Kind: spirv.Int, Width: 32}, Rows: els(2)}, {Type: &spirv.Type{Kind: spirv.Int, Width: 64}, Rows: els(4)}}}},
		Defined: []program.DefinedInfo{
			{In: [][]uint32{els(2, 3)}, Reasons: 1 << program.DivisionByZero, Group: -1, Test: program.Test{Form: program.TestSymbol, Symbol: program.Symbol{Op: uint32(spirv.OpSDiv), Src: u32}}},
			{In: [][]uint32{els(2)}, Out: [][]uint32{els(3)}, Reasons: 1 << program.ComponentIndex, Group: -1, Test: program.Test{Form: program.TestBelow, N: 2, Reason: program.ComponentIndex}},
			{In: [][]uint32{els(2), els(3)}, Out: [][]uint32{els(4), els(5)}, Reasons: 1 << program.FalseAssumption, Group: -1, Test: program.Test{Form: program.TestTrue, Reason: program.FalseAssumption}},
			{In: [][]uint32{els(2)}, Reasons: 1 << program.NonUniformLane, Group: -1},
			{In: [][]uint32{els(6)}, Out: [][]uint32{els(20)}, Reasons: 1 << program.InactiveLane, Group: 0},
		},
		ImageOps: []program.ImageInfo{
			image(spirv.OpImageRead, func(i *program.ImageInfo) {}),
			image(spirv.OpImageRead, func(i *program.ImageInfo) { i.Sample = el(5) }),
			image(spirv.OpImageWrite, func(i *program.ImageInfo) { i.Dst, i.Value, i.ValueKind = nil, els(8), u32 }),
			image(spirv.OpImageFetch, func(i *program.ImageInfo) { i.Lod, i.LodKind, i.Result = el(5), u32, f32 }),
			image(spirv.OpImageQuerySize, func(i *program.ImageInfo) { i.Coord, i.Dst = nil, els(20, 21) }),
			image(spirv.OpImageQuerySizeLod, func(i *program.ImageInfo) { i.Coord, i.Dst, i.Lod, i.LodKind = nil, els(20, 21), el(5), u32 }),
			image(spirv.OpImageSampleExplicitLod, func(i *program.ImageInfo) { i.Lod = el(5) }),
			image(spirv.OpImageSampleImplicitLod, func(i *program.ImageInfo) { i.MinLOD = el(5) }),
			image(spirv.OpImageSampleExplicitLod, func(i *program.ImageInfo) { i.GradX, i.GradY = els(8, 9), els(8, 9) }),
			image(spirv.OpImageSampleImplicitLod, func(i *program.ImageInfo) { i.Offset = els(10, 10) }),
			image(spirv.OpImageSampleProjImplicitLod, func(i *program.ImageInfo) { i.Proj, i.Coord = true, els(3, 4, 11) }),
			image(spirv.OpImageGather, func(i *program.ImageInfo) { i.Component = el(7) }),
			image(spirv.OpImageSampleDrefImplicitLod, compare),
			image(spirv.OpImageDrefGather, func(i *program.ImageInfo) { i.Dref = el(6) }),
			image(spirv.OpImageTexelPointer, texelOp(program.AtomicAdd)),
			image(spirv.OpImageTexelPointer, texelOp(program.AtomicLoad)),
			image(spirv.OpImageTexelPointer, texelOp(program.AtomicStore)),
			image(spirv.OpImageTexelPointer, texelOp(program.AtomicCompareExchange)),
		},
	}
	for op := program.AtomicLoad; op <= program.AtomicFMax; op++ {
		p.Atomics = append(p.Atomics, program.AtomicInfo{Op: op, Size: 4, Val: el(6), Cmp: el(7)})
	}
	iadd := program.Symbol{Op: uint32(spirv.OpIAdd), Src: u32}
	p.Groups = []program.GroupInfo{
		{Op: spirv.OpGroupNonUniformShuffle, A: els(2), B: el(6), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformBroadcast, A: els(2), B: el(6), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformBroadcastFirst, A: els(2), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformShuffleXor, A: els(2), B: el(6), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformShuffleUp, A: els(2), B: el(6), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformShuffleDown, A: els(2), B: el(6), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformRotateKHR, A: els(2), B: el(6), Dst: els(20), Cluster: 2},
		{Op: spirv.OpGroupNonUniformQuadBroadcast, A: els(2), B: el(6), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformQuadSwap, A: els(2), B: el(6), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformElect, Dst: els(20)},
		{Op: spirv.OpGroupNonUniformAll, A: els(2), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformAny, A: els(2), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformAllEqual, A: els(2, 6), Dst: els(20), Fn: program.Symbol{Op: uint32(spirv.OpIEqual), Src: u32}},
		{Op: spirv.OpGroupNonUniformBallot, A: els(2), Dst: els(20, 21, 22, 23)},
		{Op: spirv.OpGroupNonUniformBallotBitCount, A: els(30, 30, 30, 30), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformBallotFindLSB, A: els(30, 30, 30, 30), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformBallotFindMSB, A: els(30, 30, 30, 30), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformInverseBallot, A: els(30, 30, 30, 30), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformBallotBitExtract, A: els(30, 30, 30, 30), B: el(6), Dst: els(20)},
		{Op: spirv.OpGroupNonUniformIAdd, A: els(2), Dst: els(20), Fn: iadd},
		{Op: spirv.OpGroupNonUniformIAdd, A: els(2), Dst: els(20), Fn: iadd, Kind: spirv.GroupOperationInclusiveScan},
		{Op: spirv.OpGroupNonUniformIAdd, A: els(2), Dst: els(20), Fn: iadd, Kind: spirv.GroupOperationExclusiveScan},
		{Op: spirv.OpGroupNonUniformIAdd, A: els(2), Dst: els(20), Fn: iadd, Kind: spirv.GroupOperationClusteredReduce, Cluster: 2},
	}
	return p
}

// around is the program with an operation in its loop.
func around(p *program.Program, op program.Op) {
	p.Code = []program.Op{
		{Code: program.Enter, X: 1}, op,
		{Code: program.ExitMerge, Y: 5, Imm: 1}, {Code: program.ExitMerge, Y: 5}, {Code: program.BackEdge, Y: 1, Imm: 1},
		{Code: program.Return, Imm: 1},
	}
	if op.Code == program.Enter {
		p.Code[2].Y = 3
	}
}

// seen is all that can be told of an operation from outside of the rows.
type seen struct {
	text []byte
}

func (s *seen) Access(w *Warp, a *Access) {
	fmt.Fprint(s, "access ", a.PC, a.Kind, a.Mask, a.Size, a.Width, a.Op, a.Old, a.New, a.Value, a.Texel)
	for l := a.Mask.First(); l >= 0; l = a.Mask.Next(l) {
		fmt.Fprint(s, " ", a.View[l], a.Off[l])
	}
}
func (s *seen) Fence(*Warp, int)            { fmt.Fprint(s, "fence") }
func (s *seen) Barrier(*Warp, int)          { fmt.Fprint(s, "barrier") }
func (s *seen) Write(b []byte) (int, error) { s.text = append(s.text, b...); return len(b), nil }

// testTile has memory in views 1 to 4, of which 3 may not be written, and four
// images behind them: of integers, sampled ones with levels, of two samples.
func testTile(r *rand.Rand) *Tile {
	fill := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			if i%4 == 0 || r.IntN(8) == 0 {
				b[i] = byte(r.IntN(4))
			}
		}
		return b
	}
	lookup := func(name string) *texel.Format {
		f, ok := texel.Lookup(name)
		if !ok {
			panic(name)
		}
		return f
	}
	t := &Tile{Views: make([]tilemem.View, 1), Groups: [3]uint32{1, 1, 1}}
	add := func(data []byte, space tilemem.Space, readOnly bool) int32 {
		t.Views = append(t.Views, tilemem.View{Data: data, ReadOnly: readOnly, Mem: &tilemem.Memory{ID: len(t.Views), Space: space}})
		return int32(len(t.Views) - 1)
	}
	for i, size := range []int{64, 96, 32, 64} {
		add(fill(size), tilemem.Global, i == 2)
	}
	storage := &texel.Image{Data: fill(4 * 16), Format: lookup("R32_UINT"), Dim: spirv.Dim2D, Width: 4, Height: 4, Depth: 1, Layers: 1, Levels: 1, Samples: 1}
	levels := &texel.Image{Data: fill(16 * 21), Format: lookup("R32G32B32A32_SFLOAT"), Dim: spirv.Dim2D, Width: 4, Height: 4, Depth: 1, Layers: 1, Levels: 3, Samples: 1}
	for i := 0; i < len(levels.Data); i += 4 { // numbers between 0 and 1
		copy(levels.Data[i:], []byte{byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(128)), 0x3f})
	}
	two := &texel.Image{Data: fill(2 * 4 * 16), Format: lookup("R32_UINT"), Dim: spirv.Dim2D, Width: 4, Height: 4, Depth: 1, Layers: 1, Levels: 1, Samples: 2}
	t.Images = []ImageSlot{
		{Image: storage, View: add(storage.Data, tilemem.ImageSpace, false)},
		{Image: levels, Sampler: &texel.Sampler{MipLinear: true, MaxLOD: 9, CompareOp: texel.CompareOp(1)}, View: add(levels.Data, tilemem.ImageSpace, false)},
		{Image: two, View: add(two.Data, tilemem.ImageSpace, false)},
	}
	return t
}

// outcome is what an operation has done.
type outcome struct {
	rows []uint64
	rest string
}

// An operation depends on the rows that its entry says it reads, on each of them
// and on no other, and writes those that it says, in active lanes alone; all that
// an operation can do is looked at: rows, memory, faults, where the lanes go, what
// it prints and shows.
func TestOperationsTouchTheRowsOfTheirEntries(t *testing.T) {
	tried := map[program.Code]bool{}
	p := rowsProgram()
	for _, s := range specimens(p) {
		tried[s.op.Code] = true
		around(p, s.op)
		if err := p.Check(); err != nil {
			t.Errorf("%v", err)
			continue
		}
		says := [2]map[int]bool{{}, {}} // reads, writes
		p.Touches(&s.op, func(r program.RowRun) {
			for i := r.At / 4; i < (r.At+r.N)/4; i++ {
				says[bit(r.Writes())][int(i)] = true
			}
		})
		does := touched(t, p, s, says)
		if !equalSets(does[0], says[0]) || !equalSets(does[1], says[1]) {
			t.Errorf("%+v: reads rows %v and writes %v; its entry says %v and %v", s.op, keys(does[0]), keys(does[1]), keys(says[0]), keys(says[1]))
		}
	}
	for c := range program.NumCodes {
		if !tried[c] {
			t.Errorf("%v is not tried", c)
		}
	}
}

// touched finds the rows that a specimen reads and writes. It goes on for a while
// after it has found all that says lists, and gives up on finding them at the end.
func touched(t *testing.T, p *program.Program, s specimen, says [2]map[int]bool) (does [2]map[int]bool) {
	t.Helper()
	does = [2]map[int]bool{{}, {}}
	x, err := Interpreter{Plain: true}.Interpret(p)
	if err != nil {
		t.Fatal(err)
	}
	code := x.NewStepper()
	rnd := rand.New(rand.NewPCG(1, uint64(s.op.Code)<<8|uint64(uint8(s.op.X))))
	draw := func(row int) uint64 {
		if d := s.rows[row]; d != nil {
			return d[rnd.IntN(len(d))]
		}
		return anyValue[rnd.IntN(len(anyValue))]
	}
	w := New(x)
	run := func(rows []uint64, active Mask, steps, seed uint64) outcome {
		var o seen
		var undefined uint32
		tile := testTile(rand.New(rand.NewPCG(seed, 7)))
		tile.Obs, tile.Warps, tile.Undefined = Observers{&o, &o, &o}, []*Warp{w}, &undefined
		tile.Used = func() { fmt.Fprint(&o, "used") }
		tile.Print = func(_ *Warp, lane int, text string) { fmt.Fprint(&o, lane, text) }
		for i := range tile.Views {
			tile.Views[i].Slow = seed%2 == 0
			tile.Views[i].Seen = tile.Views[i].Slow
		}
		w.Reset(tile, 0)
		code.Step(w, 1<<40)
		copy(w.R, rows)
		w.Steps = steps
		w.setActive(active)
		status := code.Step(w, 0) // up to a back edge
		r := slices.Clone(w.R[:w.P.Scratch])
		clear(w.R) // what is left is the state besides rows
		h := fnv.New64a()
		w.HashInto(h)
		fmt.Fprint(&o, status, undefined, h.Sum64(), w.Steps, tile.Changed)
		if w.Fault != nil {
			fmt.Fprint(&o, *w.Fault)
		}
		for _, v := range tile.Views {
			o.Write(v.Data)
		}
		return outcome{r, string(o.text)}
	}
	all := FirstLanes(4)
	rows := make([]uint64, p.Scratch)
	var may []int
	for k := range says[0] {
		may = append(may, k)
	}
	slices.Sort(may)
	const enough, most = 80, 3000
	for n := 0; n < enough || n < most && !(equalSets(does[0], says[0]) && equalSets(does[1], says[1])); n++ {
		for i := range rows {
			rows[i] = draw(i / 4)
		}
		active := all
		if n%4 == 3 {
			active = Mask{1 + rnd.Uint64N(15)}
		}
		steps, seed := rnd.Uint64N(1<<34), rnd.Uint64()
		before := run(rows, active, steps, seed)
		for i, v := range before.rows {
			if v != rows[i] {
				does[1][i/4] = true
				if !active.Has(i % 4) {
					t.Fatalf("%+v writes lane %d of row %d, with lanes %v active", s.op, i%4, i/4, active)
				}
			}
		}
		k := rnd.IntN(int(p.Scratch) / 4)
		if len(may) > 0 && n%3 != 0 {
			k = may[rnd.IntN(len(may))]
		}
		at := 4*k + rnd.IntN(4)
		changed := slices.Clone(rows)
		changed[at] = draw(k)
		after := run(changed, active, steps, seed)
		differs := after.rest != before.rest
		for i := range rows {
			kept := i == at && before.rows[i] == rows[i] && after.rows[i] == changed[i]
			differs = differs || after.rows[i] != before.rows[i] && !kept
		}
		if differs {
			does[0][k] = true
		}
	}
	return does
}

func equalSets(a, b map[int]bool) bool {
	return bytes.Equal(fmt.Append(nil, keys(a)), fmt.Append(nil, keys(b)))
}

func keys(m map[int]bool) []int {
	var out []int
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
