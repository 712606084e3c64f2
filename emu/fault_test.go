package emu_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/warp"
)

// lined puts source lines into a kernel: OpLine for each "@line".
func (k *kernel) lined() *kernel {
	k.modes += "%src = OpString \"k.comp\"\n"
	lines := strings.Split(k.body, "\n")
	for i, l := range lines {
		if n, ok := strings.CutPrefix(l, "@"); ok {
			lines[i] = "OpLine %src " + n + " 1"
		}
	}
	k.body = strings.Join(lines, "\n")
	return k
}

const floats4 = "%arr4 = OpTypeArray %uint %uint_4\n%fp_arr4 = OpTypePointer Function %arr4\n%fp_uint = OpTypePointer Function %uint\n"

// physical makes a kernel that may go through pointers kept in buffer 0.
func physical(body string) *kernel {
	return &kernel{
		caps: []string{"PhysicalStorageBufferAddresses"}, buffers: []buffer{{"u64", make([]byte, 64)}},
		globals: "%ps_uint = OpTypePointer PhysicalStorageBuffer %uint\n",
		body:    "%pp = OpAccessChain %sb_u64 %b0 %uint_0 %uint_0\n%addr = OpLoad %u64 %pp\n%ptr = OpConvertUToPtr %ps_uint %addr\n" + body,
	}
}

func TestFaults(t *testing.T) {
	if64 := buffer{"uint", make([]byte, 64)} // 16 elements
	cases := []struct {
		name    string
		k       *kernel
		edit    func(d *launch.Dispatch)
		opt     emu.Options
		code    diag.Code
		message string // part of
		object  string
		thread  uint32 // global x
		line    int
		count   uint64
	}{
		{
			name:    "read past a buffer",
			k:       &kernel{buffers: []buffer{if64}, body: "@7\n%p = OpAccessChain %sb_uint %b0 %uint_0 %g\n@8\n%x = OpLoad %uint %p"},
			code:    diag.OutOfBounds,
			message: "read of 4 bytes at byte 64 of b0, which has 64", object: "b0.data[16]", thread: 16, line: 8, count: 4,
		},
		{
			name:    "write before a buffer",
			k:       &kernel{buffers: []buffer{if64}, body: "%i = OpISub %uint %uint_2 %g\n%j = OpBitcast %int %i\n@3\n%p = OpAccessChain %sb_uint %b0 %uint_0 %j\nOpStore %p %g"},
			opt:     emu.Options{Warp: 32},
			code:    diag.OutOfBounds,
			message: "write of 4 bytes at byte -4 of b0", object: "b0.data[-1]", thread: 3, line: 3, count: 29,
		},
		{
			name: "part of a vector past a buffer",
			k:    &kernel{buffers: []buffer{{"v4uint", make([]byte, 40)}}, body: "%p = OpAccessChain %sb_v4uint %b0 %uint_0 %g\n%x = OpLoad %v4uint %p"},
			code: diag.OutOfBounds, message: "read of 16 bytes at byte 32 of b0, which has 40", object: "b0.data[2].x", thread: 2,
		},
		{
			name: "atomic past a buffer",
			k:    &kernel{buffers: []buffer{if64}, body: "%p = OpAccessChain %sb_uint %b0 %uint_0 %g\n@4\n%x = OpAtomicIAdd %uint %p %uint_1 %uint_0 %g"},
			code: diag.OutOfBounds, message: "of b0", object: "b0.data[16]", thread: 16, line: 4,
		},
		{
			name: "constant index past an array in tile_static memory",
			k: &kernel{
				globals: "%arr4 = OpTypeArray %uint %uint_4\n%wp = OpTypePointer Workgroup %arr4\n%wp_uint = OpTypePointer Workgroup %uint\n%w = OpVariable %wp Workgroup\n",
				modes:   "OpName %w \"cells\"\n", vars: "%w",
				body: "%p = OpAccessChain %wp_uint %w %uint_5\nOpStore %p %g",
			},
			code: diag.OutOfBounds, message: "write of 4 bytes at byte 20 of cells, which has 16", object: "cells[5]",
		},
		{
			name: "index outside a private array",
			k: &kernel{globals: floats4, fvars: "%a = OpVariable %fp_arr4 Function", notes: "OpName %a \"little\"\n",
				body: "@5\n%p = OpAccessChain %fp_uint %a %g\nOpStore %p %g"},
			code: diag.OutOfBounds, message: "outside variable", thread: 4, line: 5,
		},
		{
			name: "null pointer",
			k:    physical("@6\n%x = OpLoad %uint %ptr Aligned 4"),
			code: diag.NullPointer, message: "read through a null pointer", line: 6,
		},
		{
			name: "dangling pointer",
			k:    physical("%bad = OpIAdd %u64 %addr %big\n%q = OpConvertUToPtr %ps_uint %bad\n@6\nOpStore %q %g Aligned 4"),
			code: diag.NullPointer, message: "write through a pointer that leads to no buffer", line: 6,
		},
		{
			name: "misaligned atomic",
			k:    physical("%off = OpIAdd %u64 %addr %u64_2\n%q = OpConvertUToPtr %ps_uint %off\n@9\n%x = OpAtomicIAdd %uint %q %uint_1 %uint_0 %g"),
			edit: func(d *launch.Dispatch) {
				b := d.Bindings[0].Elems[0].Buffer
				b.Addresses = []launch.Address{{To: b}}
			},
			code: diag.Misaligned, message: "byte 2 of buffer0, which is not a multiple of its alignment", line: 9,
		},
		{
			name: "write to a buffer declared NonWritable",
			k:    &kernel{buffers: []buffer{if64}, notes: "OpDecorate %b0 NonWritable\n", body: "%p = OpAccessChain %sb_uint %b0 %uint_0 %uint_0\n@2\nOpStore %p %g"},
			code: diag.ReadOnly, message: "write to b0, which is read-only", line: 2,
		},
		{
			name: "OpUnreachable",
			k:    &kernel{ended: true, body: "%c = OpIEqual %bool %g %uint_3\nOpSelectionMerge %m None\nOpBranchConditional %c %t %m\n%t = OpLabel\n@12\nOpUnreachable\n%m = OpLabel\nOpReturn"},
			code: diag.UnreachableExecuted, message: "OpUnreachable was executed", thread: 3, line: 12,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			k := c.k.lined()
			if strings.Contains(k.body, "%u64_2") {
				k.globals += "%u64_2 = OpConstant %u64 2\n"
			}
			if strings.Contains(k.body, "%big") {
				k.globals += "%big = OpConstant %u64 0x7700000000000000\n"
			}
			d := k.dispatch(t)
			if c.edit != nil {
				c.edit(d)
			}
			r, err := emu.Run(context.Background(), d, c.opt)
			var stopped *emu.StoppedError
			if !errors.As(err, &stopped) {
				t.Fatalf("error %v, expected a stop", err)
			}
			if len(r.Findings) != 1 || !r.Stopped {
				t.Fatalf("%d findings, stopped %v", len(r.Findings), r.Stopped)
			}
			f := &r.Findings[0]
			if f.Code != c.code || !strings.Contains(f.Message, c.message) {
				t.Errorf("got %s: %q, want %s: %q", f.Code, f.Message, c.code, c.message)
			}
			a := f.Accesses[0]
			if c.object != "" && a.Object != c.object {
				t.Errorf("object %q, want %q", a.Object, c.object)
			}
			if a.Thread.Global[0] != c.thread {
				t.Errorf("%v, want global id %d", a.Thread, c.thread)
			}
			if c.line != 0 && f.Pos.Line != c.line {
				t.Errorf("line %d, want %d", f.Pos.Line, c.line)
			}
			if c.count != 0 && f.Count != c.count {
				t.Errorf("%d threads, want %d", f.Count, c.count)
			}
			if len(f.Stack) == 0 || f.Stack[0].Func != "main" {
				t.Errorf("stack %v", f.Stack)
			}
		})
	}
}

// TestRobustAccess reads 0 and writes nothing out of bounds.
func TestRobustAccess(t *testing.T) {
	for _, byScript := range []bool{false, true} {
		k := &kernel{buffers: []buffer{{"uint", words(4, 5, 6, 7, 8)}, {"uint", words(4, make([]uint64, 32)...)}}, body: `
%p = OpAccessChain %sb_uint %b0 %uint_0 %g
%x = OpLoad %uint %p
%y = OpIAdd %uint %x %uint_1
OpStore %p %y
%z = OpAtomicIAdd %uint %p %uint_1 %uint_0 %uint_1
%q = OpAccessChain %sb_uint %b1 %uint_0 %g
OpStore %q %y`}
		d := k.dispatch(t)
		d.Robust = byScript
		r, err := emu.Run(context.Background(), d, emu.Options{Robust: !byScript})
		if err != nil || len(r.Findings) > 0 {
			t.Fatalf("error %v, findings %v", err, r.Findings)
		}
		for i := range 32 {
			want := uint64(1)
			if i < 4 {
				want = uint64(5 + i + 1)
				if got := word(k.buffers[0].data, 4, i); got != want+1 {
					t.Errorf("element %d: got %d, want %d", i, got, want+1)
				}
			}
			if got := word(k.buffers[1].data, 4, i); got != want {
				t.Errorf("thread %d: got %d, want %d", i, got, want)
			}
		}
	}
}

// TestOnFaultGoesOn asks to go on after each fault.
func TestOnFaultGoesOn(t *testing.T) {
	k := &kernel{buffers: []buffer{{"uint", make([]byte, 16)}}, body: "%p = OpAccessChain %sb_uint %b0 %uint_0 %g\nOpStore %p %uint_7"}
	n := 0
	r, err := emu.Run(context.Background(), k.dispatch(t), emu.Options{OnFault: func(m *emu.Machine, w *warp.Warp, f *warp.Fault) bool {
		n++
		if m.Fault(w, f).Code != diag.OutOfBounds {
			t.Error("not out of bounds")
		}
		return true
	}})
	if err != nil || r.Stopped {
		t.Fatalf("error %v, stopped %v", err, r.Stopped)
	}
	if n != 28 || word(k.buffers[0].data, 4, 3) != 7 {
		t.Errorf("%d faults, want 28; last element %d", n, word(k.buffers[0].data, 4, 3))
	}
}

// TestCannotRun asks for dispatches that cannot be run: one clear error each.
func TestCannotRun(t *testing.T) {
	one := buffer{"uint", make([]byte, 64)}
	reads := "%p = OpAccessChain %sb_uint %b0 %uint_0 %uint_0\n%x = OpLoad %uint %p"
	push := &kernel{
		notes:   "OpDecorate %pc Block\nOpMemberDecorate %pc 0 Offset 0\n",
		globals: "%pc = OpTypeStruct %uint\n%ppc = OpTypePointer PushConstant %pc\n%pp_uint = OpTypePointer PushConstant %uint\n%push = OpVariable %ppc PushConstant\n",
		body:    "%p = OpAccessChain %pp_uint %push %uint_0\n%x = OpLoad %uint %p",
	}
	cases := []struct {
		name  string
		k     *kernel
		edit  func(d *launch.Dispatch)
		opt   emu.Options
		class diag.ErrorClass
		want  string
	}{
		{"nothing bound", &kernel{buffers: []buffer{one}, body: reads}, func(d *launch.Dispatch) { d.Bindings = nil }, emu.Options{}, diag.BadInput, "nothing is bound at set 0, binding 0"},
		{"an image where a buffer is", &kernel{buffers: []buffer{one}, body: reads}, func(d *launch.Dispatch) {
			d.Bindings[0].Elems[0] = launch.Descriptor{Image: &launch.Image{}}
		}, emu.Options{}, diag.BadInput, "is a buffer"},
		{"a range past the buffer", &kernel{buffers: []buffer{one}, body: reads}, func(d *launch.Dispatch) { d.Bindings[0].Elems[0].Range = 65 }, emu.Options{}, diag.BadInput, "which has 64"},
		{"no push constants", push, nil, emu.Options{}, diag.BadInput, "no push constants"},
		{"no such entry point", &kernel{}, func(d *launch.Dispatch) { d.Entry = "other" }, emu.Options{}, diag.BadInput, `no entry point "other"`},
		{"a huge tile", &kernel{size: 70000}, nil, emu.Options{}, diag.Unsupported, "tiles of 70000 threads"},
		{"a huge grid", &kernel{}, func(d *launch.Dispatch) { d.Groups = [3]uint32{1 << 31, 1 << 31, 1 << 31} }, emu.Options{}, diag.BadInput, "too large"},
		{"warps too wide", &kernel{}, nil, emu.Options{Warp: 129}, diag.Unsupported, "129 lanes"},
		{"an unknown capability", &kernel{caps: []string{"Tessellation"}}, nil, emu.Options{}, diag.Unsupported, "Tessellation"},
		{"much tile_static memory", &kernel{
			globals: "%n = OpConstant %uint 300000\n%big = OpTypeArray %uint %n\n%wp = OpTypePointer Workgroup %big\n%wp_uint = OpTypePointer Workgroup %uint\n%w = OpVariable %wp Workgroup\n",
			vars:    "%w", body: "%p = OpAccessChain %wp_uint %w %uint_5\nOpStore %p %g",
		}, nil, emu.Options{}, diag.Unsupported, "1200000 bytes"},
		{"many registers", &kernel{
			size:    1024,
			globals: "%n = OpConstant %uint 300000\n%big = OpTypeArray %uint %n\n%fp = OpTypePointer Function %big\n%fp_uint = OpTypePointer Function %uint\n",
			fvars:   "%a = OpVariable %fp Function", body: "%p = OpAccessChain %fp_uint %a %g\nOpStore %p %g",
		}, nil, emu.Options{}, diag.Unsupported, "MiB"},
		{"operands of other types", &kernel{body: "%x = OpFAdd %uint %g %g"}, nil, emu.Options{}, diag.BadInput, "OpFAdd"},
		{"an unknown instruction", &kernel{body: "%f = OpConvertUToF %float %g\n%x = OpDPdx %float %f"}, nil, emu.Options{}, diag.Unsupported, "OpDPdx"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := c.k.dispatch(t)
			if c.edit != nil {
				c.edit(d)
			}
			_, err := emu.Run(context.Background(), d, c.opt)
			var e *diag.Error
			if !errors.As(err, &e) || e.Class != c.class || !strings.Contains(e.Msg, c.want) {
				t.Errorf("got %v, want class %v, %q", err, c.class, c.want)
			}
		})
	}
}

// endless is a loop whose state never repeats.
const endless = `
%i0 = OpCopyObject %uint %uint_0
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %i0 %entry %next %cont
OpLoopMerge %done %cont None
OpBranch %cont
%cont = OpLabel
%next = OpIAdd %uint %i %uint_1
%more = OpINotEqual %bool %next %uint_0
OpBranchConditional %more %head %done
%done = OpLabel
`

func TestStepBudget(t *testing.T) {
	for _, workers := range []int{1, 2} {
		k := &kernel{body: endless}
		start := time.Now()
		_, err := emu.Run(context.Background(), k.dispatch(t, 4), emu.Options{Steps: 1 << 20, Workers: workers})
		var e *diag.Error
		if !errors.As(err, &e) || e.Class != diag.Budget || !strings.Contains(e.Msg, "1048576") {
			t.Errorf("got %v", err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("took %v", d)
		}
	}
}

// TestCancel stops runs that would take for ever.
func TestCancel(t *testing.T) {
	for _, c := range []struct {
		name   string
		k      *kernel
		groups []uint32
		opt    emu.Options
	}{
		{"a long loop", &kernel{body: endless}, []uint32{1}, emu.Options{}},
		{"a long loop on two workers", &kernel{body: endless}, []uint32{8}, emu.Options{Workers: 2}},
		{"a huge grid", &kernel{}, []uint32{1 << 30, 16}, emu.Options{}},
		{"a huge grid on two workers", &kernel{}, []uint32{1 << 20, 15}, emu.Options{Workers: 2}},
		{"a huge grid under a seed", &kernel{}, []uint32{1 << 30, 16}, emu.Options{Seed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err := emu.Run(ctx, c.k.dispatch(t, c.groups...), c.opt)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if d := time.Since(start); d > 3*time.Second {
				t.Errorf("took %v to stop", d)
			}
		})
	}
}

// TestManyThreads runs 16 million threads: memory is that of the resident
// tiles, not of the grid.
func TestManyThreads(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	k := &kernel{size: 256, body: "OpControlBarrier %uint_2 %uint_2 %uint_264"}
	var most uint64
	look := func() {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		most = max(most, s.HeapAlloc)
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := emu.Run(context.Background(), k.dispatch(t, 65536), emu.Options{Warp: 32, Progress: func(emu.Progress) { look() }})
	if err != nil {
		t.Fatal(err)
	}
	look()
	if r.Tiles != 65536 {
		t.Errorf("%d tiles ran", r.Tiles)
	}
	grown := int64(most) - int64(before.HeapAlloc)
	t.Logf("heap grew by %d KiB", grown>>10)
	if grown > 64<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}
