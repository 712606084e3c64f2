package program

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ampdbg/spirv"
)

// Every operation has a name of its own, and an entry that makes sense.
func TestTableIsComplete(t *testing.T) {
	names := map[string]Code{}
	for c := range NumCodes {
		i := c.Info()
		if i.Name == "" {
			t.Errorf("operation %d has no entry", c)
			continue
		}
		if other, twice := names[i.Name]; twice {
			t.Errorf("%s is the name of operations %d and %d", i.Name, other, c)
		}
		names[i.Name] = c
		if c.String() != i.Name {
			t.Errorf("%s prints as %v", i.Name, c)
		}
		for what, wrong := range map[string]bool{
			"a field that is read is a result":                  i.a.role == RoleResult || i.b.role == RoleResult || i.c.role == RoleResult,
			"the result depends on a field":                     i.dst.role == RoleResult && i.dst.when != always,
			"a field says how many rows and names none":         i.a.role == RoleNone && i.a != operand{} || i.b.role == RoleNone && i.b != operand{} || i.c.role == RoleNone && i.c != operand{} || i.dst.role == RoleNone && i.dst != operand{},
			"an index is not in C":                              i.a.when == stride || i.b.when == stride || i.dst.when == stride,
			"an access to memory has no address":                i.memory.kind != NoAccess && i.form != accessForm && i.form != imageForm,
			"an access has no index":                            i.form == accessForm && i.c != index,
			"an address is of no access":                        i.form == accessForm && i.memory.kind == NoAccess,
			"a pointer is no operand":                           i.memory.pointer && i.a != address,
			"an access has neither a width nor a table":         (i.memory.kind == LoadAccess || i.memory.kind == StoreAccess) && !i.memory.pointer && i.memory.width == 0,
			"an access cannot fault, or nobody sees it":         i.memory.kind != NoAccess && i.Effects&(EffectVisible|EffectFault) != EffectVisible|EffectFault,
			"a variable is printed as something else":           (i.variable != RoleNone) != (i.form == variableForm),
			"a variable has no index":                           i.variable != RoleNone && (i.c != index || !i.countsRows || i.Effects&EffectFault == 0),
			"where it goes is not printed":                      i.Flow != FlowNext && i.Flow != FlowEnd && i.form < targetsForm || i.form > levelForm && i.Flow != FlowNext && i.Flow != FlowEnd,
			"it goes nowhere and is printed as if it did":       i.form >= targetsForm && i.form <= levelForm && (i.Flow == FlowNext || i.Flow == FlowEnd),
			"a branch has no condition":                         (i.Flow == FlowBranch || i.Flow == FlowSwitch) && i.a != condition,
			"it ends a block and does not count its steps":      (i.Effects&EffectCount != 0) != (i.Flow != FlowNext && i.Flow != FlowEnter && c != Unreachable),
			"lanes read each other's rows, and none are listed": i.Effects&EffectCollective != 0 && i.listed == nil,
			"a check computes":                                  i.Effects&EffectCheck != 0 && i.dst.role != RoleNone,
			"a value operation does more than computing":        c.Plain() && (i.dst != results || i.memory.kind != NoAccess || i.listed != nil || i.Flow != FlowNext || i.Effects&^EffectFloat != 0 || i.countsRows || i.variable != RoleNone),
			"a value operation has no operand":                  c.Plain() && i.a.role == RoleNone && i.c.role == RoleNone,
			"it computes numbers and is no value operation":     i.Effects&EffectFloat != 0 && !c.Plain(),
			"its table has no length":                           i.listed != nil && i.entries == nil && c != Clock,
			"what is listed is not printed":                     i.listed != nil && i.form != rowsForm && i.form != accessForm && i.form < callForm,
		} {
			if wrong {
				t.Errorf("%s: %s: %+v", i.Name, what, i)
			}
		}
	}
	if Code(NumCodes+1).String() == "" {
		t.Error("an engine's own operation has no name")
	}
}

// tables is a program whose tables have an entry for all kinds of operation;
// the rows in them are each another one, from number 20 on.
func tables() *Program {
	row := uint32(19)
	rows := func(n int) []uint32 {
		var out []uint32
		for range n {
			row++
			out = append(out, 4*row)
		}
		return out
	}
	one := func() uint32 { return rows(1)[0] }
	p := &Program{
		Width: 4, Stride: 4, Rows: 200, Scratch: 4 * 100, TileSize: [3]uint32{4, 1, 1},
		Constructs: []ConstructInfo{{Kind: CallConstruct, Merge: -1}, {Kind: LoopConstruct, Merge: 1, Cont: 1, Header: 1}},
		Switches:   []SwitchInfo{{Mask: 0xff, Values: []uint64{3}, Targets: []int32{1, 1}, Entry: []int32{0, 1}}},
		Vars:       []VarInfo{{ID: 9, Row: 110, Rows: 3}},
		Arrays:     []ArrayInfo{{ID: 8, First: 1, Len: 3}},
		Functions:  []Symbol{{Op: uint32(spirv.OpNot), Dst: Kind{Width: 32}, Src: Kind{Width: 32}}, {Op: uint32(spirv.OpUDiv), Src: Kind{Width: 32}}},
		Calls:      []CallInfo{{Fn: Symbol{Op: uint32(spirv.OpUMulExtended), Src: Kind{Width: 32}}, In: rows(2), Out: rows(2)}},
		Atomics:    []AtomicInfo{{Op: AtomicCompareExchange, Size: 4, Val: one(), Cmp: one()}, {Op: AtomicStore, Size: 4, Val: one()}},
		Groups:     []GroupInfo{{Op: spirv.OpGroupNonUniformShuffle, A: rows(1), B: one(), Dst: rows(1)}, {Op: spirv.OpGroupNonUniformBallot, A: rows(1), Dst: rows(4)}},
		ImageOps: []ImageInfo{
			{Op: spirv.OpImageSampleExplicitLod, Handle: one(), Coord: rows(2), Dst: rows(4), Dref: one(), Lod: one(), MinLOD: one(), Sample: one(), Component: one(), GradX: rows(2), GradY: rows(2), Offset: rows(2)},
			{Op: spirv.OpImageWrite, Handle: one(), Coord: rows(2), Value: rows(4), Dref: NoRow, Lod: NoRow, MinLOD: NoRow, Sample: NoRow, Component: NoRow},
			{Op: spirv.OpImageTexelPointer, Handle: one(), Coord: rows(1), Dst: rows(1), Dref: NoRow, Lod: NoRow, MinLOD: NoRow, Sample: NoRow, Component: NoRow, Atomic: &AtomicInfo{Op: AtomicAdd, Size: 4, Val: one()}},
		},
		Printfs: []PrintfInfo{{Format: "%d %v2f", Args: []PrintfArg{{Rows: rows(1)}, {Rows: rows(2)}}}},
		Indexes: []IndexInfo{{Len: 7, Path: "cells[]"}},
		Defined: []DefinedInfo{{In: [][]uint32{rows(2)}, Out: [][]uint32{rows(1)}, Reasons: 1 << DivisionByZero, Group: -1}},
	}
	return p
}

// What a program's text shows of an operation are the rows that it touches, all
// of them and no others, whatever its flags.
func TestDumpShowsTheRowsOfOperations(t *testing.T) {
	p := tables()
	var ops []Op
	for c := range NumCodes {
		for _, flags := range []Op{{}, {Flag: 1, B: 5}, {Y: 4, Imm: 8}, {Flag: 1, Y: 4, Sh: 32}} {
			for x := range 3 {
				op := flags
				op.Code, op.X, op.N = c, int32(x), 4
				if c.Info().countsRows {
					op.N = 2
				}
				op.Dst, op.A, op.C = 4*1, 4*4, 4*10
				if op.B == 0 {
					op.B = 4 * 7
				}
				if x > 0 && (c.Info().listed == nil && !c.computes() || x >= entries(p, c)) {
					continue
				}
				ops = append(ops, op)
			}
		}
	}
	rowText := regexp.MustCompile(`\br(\d+)(?:\.\.(\d+))?\b|%9\[(\d)\]|(%9)\b`)
	for _, op := range ops {
		p.Code = []Op{op, {Code: Return}}
		want := map[int]bool{}
		p.Touches(&op, func(r RowRun) {
			for i := r.At / 4; i < (r.At+r.N)/4; i++ {
				want[int(i)] = true
			}
		})
		got := map[int]bool{}
		text := newDumper(p, DumpOptions{}).op(0)
		for _, m := range rowText.FindAllStringSubmatch(text, -1) {
			if m[1] == "" {
				for k := range 3 {
					got[110+k] = true
				}
				continue
			}
			first, _ := strconv.Atoi(m[1])
			last := first
			if m[2] != "" {
				last, _ = strconv.Atoi(m[2])
			}
			for i := first; i <= last; i++ {
				got[i] = true
			}
		}
		for row := range want {
			if !got[row] {
				t.Errorf("%+v: row %d is not shown: %s", op, row, text)
			}
		}
		for row := range got {
			if !want[row] {
				t.Errorf("%+v: row %d is not touched: %s", op, row, text)
			}
		}
		if !strings.Contains(text, op.Code.Info().Name) && op.Code.Info().form != functionForm && op.Code.Info().form != callForm {
			t.Errorf("%+v: no name: %s", op, text)
		}
	}
}

// entries is how many entries the table of an operation has here.
func entries(p *Program, c Code) int {
	switch c {
	case Call1, Call2, Call3:
		return len(p.Functions)
	case Atomic:
		return len(p.Atomics)
	case ImageOp:
		return len(p.ImageOps)
	case Group:
		return len(p.Groups)
	}
	return 1
}

// The text names what has a name: constants by value, as the operation takes
// them, variables, views, pcs and how many constructs are left.
func TestDump(t *testing.T) {
	p := tables()
	p.Vars = append(p.Vars, VarInfo{ID: 9, Row: 113, Rows: 1})
	p.Consts = []ConstRow{{4 * 120, 7}, {4 * 121, 0xffffffff}, {4 * 122, 0x3fc00000}, {4 * 123, 0}, {4 * 124, 0x123456}, {4 * 125, 0x3ff8 << 48}}
	p.Undefs = []UndefRow{{Row: 4 * 123}}
	for _, c := range []struct {
		op   Op
		want string
	}{
		{Op{Code: IAdd32, Dst: 4, A: 480, B: 484, N: 4}, "r1 = iadd32 7, 0xffffffff"},
		{Op{Code: SLt32, Dst: 4, A: 480, B: 484, N: 4}, "r1 = slt32 7, -1"},
		{Op{Code: FMul32, Dst: 4, A: 488, B: 492, N: 4}, "r1 = fmul32 1.5, undef"},
		{Op{Code: FMul64, Dst: 4, A: 500, B: 8, N: 4}, "r1 = fmul64 1.5, r2"},
		{Op{Code: Mov, Dst: 4, A: 440, N: 12}, "r1..3 = mov %9"},
		{Op{Code: Mov, Dst: 440, A: 480, N: 8}, "(%9[0], %9[1]) = mov (7, 0xffffffff)"},
		{Op{Code: Mov, Dst: 452, A: 496, N: 4}, "%9#2 = mov 0x123456"},
		{Op{Code: Load32, Dst: 4, C: 8, Y: 4, Sh: 32, Imm: 16, X: 1, N: 1}, "r1 = load32 [data + r2:i32*4 + 16]"},
		{Op{Code: Load32, Dst: 4, C: 480, Y: 4, X: 2, N: 1, Flag: 1, A: 8, B: 0xfffffff8}, "r1 = load32 [view 2 + 7*4 + r2*-8]"},
		{Op{Code: Store8, A: 4, C: 8, X: 1, N: 3}, "store8 [data], r1..3"},
		{Op{Code: LoadPtr, Dst: 4, A: 8, B: 16, N: 1, Flag: 4}, "r1 = loadptr [r2] of 4 bytes, aligned to 16"},
		{Op{Code: StorePtr, Dst: 8, A: 8, B: 16, N: 1, Flag: 8, Imm: -8}, "storeptr [r2 + -8], r4 of 8 bytes, aligned to 8"},
		{Op{Code: LoadVar, Dst: 4, C: 8, Y: 1, Imm: 1, N: 2}, "r1..2 = loadvar %9[r2 + 1]"},
		{Op{Code: StoreVar, A: 4, C: 8, Y: 2, N: 1}, "storevar %9[r2*2], r1"},
		{Op{Code: PtrAdd, Dst: 4, A: 8, C: 12, Y: 1, Flag: 1, N: 4}, "r1 = ptradd r2 + r3"},
		{Op{Code: PtrTo, Dst: 4, X: 1, C: 12, Y: 8, N: 4}, "r1 = ptr [data + r3*8]"},
		{Op{Code: PtrToElem, Dst: 4, B: 8, C: 12}, "r1 = ptr_elem [%8[r2 of 3]]"},
		{Op{Code: HandleElem, Dst: 4, A: 480, B: 8, X: 5}, "r1 = handle_elem 7[r2 of 5]"},
		{Op{Code: ArrayLen, Dst: 4, X: 1, Y: 12, Imm: 16}, "r1 = array_len [data + 16] / 12"},
		{Op{Code: Call2, Dst: 4, A: 8, B: 480, X: 1, N: 4}, "r1 = UDiv.u32(r2, 7)"},
		{Op{Code: CallN}, "r22, r23 = UMulExtended.u32(r20, r21)"},
		{Op{Code: Jump, X: 1, Imm: 1}, "jump @1                                            ; 1 step"},
		{Op{Code: BranchSLt, A: 4, B: 484, X: 1, Y: 1, Flag: FalseIsMerge, Imm: 3}, "branch_slt r1, -1 @1 else @1 (merge)               ; 3 steps"},
		{Op{Code: SwitchOn, A: 4}, "switch r1:u8, 3 @1, else @1"},
		{Op{Code: Enter, X: 1}, "enter loop 1, merge @1, continue @1, header @1"},
		{Op{Code: ExitMerge, Y: 1}, "exit_merge @1"},
		{Op{Code: ExitCont, X: 2}, "exit_continue ?, 2 out"},
		{Op{Code: Barrier, X: int32(spirv.ScopeWorkgroup), C: uint32(spirv.ScopeDevice), Y: 0x108}, "barrier Workgroup, memory Device AcquireRelease|WorkgroupMemory"},
		{Op{Code: Fence, C: uint32(spirv.ScopeDevice), Y: 0x48}, "fence Device AcquireRelease|UniformMemory"},
		{Op{Code: Printf}, `printf "%d %v2f", r64, r65, r66`},
		{Op{Code: Atomic, Dst: 4, B: 1, C: 8, Y: 4}, "r1 = atomic compare_exchange [data + r2*4], r24, r25 of 4 bytes, CrossDevice Relaxed (Relaxed if unequal)"},
		{Op{Code: Atomic, X: 1, A: 4, Flag: 1, C: 8}, "atomic store [r1], r26 of 4 bytes, CrossDevice Relaxed"},
		{Op{Code: Group}, "r29 = group Shuffle r27, r28"},
		{Op{Code: ImageOp, X: 1}, "image Write r53[r54, r55], r56, r57, r58, r59"},
		{Op{Code: CheckIndex, C: 8, Sh: 32}, "check_index r2:i32 < 7 of cells[]"},
		{Op{Code: CheckDefined}, "check_defined same in all lanes (r67, r68): division by zero"},
		{Op{Code: MarkUndefined, Dst: 400, C: 6}, "r169 = mark_undefined same in all lanes (r67, r68): division by zero but for 0x6"},
		{Op{Code: Clock, Dst: 4, Flag: 1}, "r1, r2 = clock"},
		{Op{Code: NumCodes}, "engine's own operation"},
	} {
		p.Code = []Op{c.op, {Code: Return}}
		var text strings.Builder
		err := p.Dump(&text, DumpOptions{View: func(view int) string {
			if view == 1 {
				return "data"
			}
			return ""
		}})
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(text.String(), "\n"); lines[len(lines)-3] != "     0  "+c.want {
			t.Errorf("%v:\n got %q\nwant %q", c.op.Code, lines[len(lines)-3], "     0  "+c.want)
		}
	}
}
