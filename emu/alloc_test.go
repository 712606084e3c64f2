package emu_test

import (
	"context"
	"fmt"
	"testing"

	"ampdbg/emu"
	"ampdbg/launch"
)

// looped are kernels whose loop goes round as often as buffer 0's first
// element says. What they have in the loop is what must not allocate.
var looped = map[string]struct {
	caps  []string
	body  string
	decls string
}{
	"arithmetic and memory": {body: `
%e = OpBitwiseAnd %uint %i %uint_7
%e1 = OpIAdd %uint %e %uint_1
%p = OpAccessChain %sb_uint %b1 %uint_0 %e1
%x = OpLoad %uint %p
%f = OpConvertUToF %float %x
%f2 = OpExtInst %float %glsl Sqrt %f
%f3 = OpFMul %float %f2 %f2
%u = OpConvertFToU %uint %f3
%q = OpAccessChain %sb_uint %b2 %uint_0 %g
OpStore %q %u
`},
	"barriers": {body: `
%q = OpAccessChain %sb_uint %b2 %uint_0 %g
OpStore %q %i
OpControlBarrier %uint_2 %uint_2 %uint_264
OpControlBarrier %uint_2 %uint_2 %uint_264
`},
	"divergence": {body: `
%odd = OpBitwiseAnd %uint %g %uint_1
%c = OpIEqual %bool %odd %uint_1
OpSelectionMerge %m None
OpBranchConditional %c %t %e
%t = OpLabel
%y = OpBitwiseXor %uint %i %g
%k = OpBitwiseAnd %uint %y %uint_3
OpSelectionMerge %sm None
OpSwitch %k %sm 0 %s0 1 %s1 2 %s1
%s0 = OpLabel
OpBranch %s1
%s1 = OpLabel
OpBranch %sm
%sm = OpLabel
%z = OpIMul %uint %y %y
OpBranch %m
%e = OpLabel
%w = OpIAdd %uint %i %g
OpBranch %m
%m = OpLabel
%v = OpPhi %uint %z %sm %w %e
%q = OpAccessChain %sb_uint %b2 %uint_0 %g
OpStore %q %v
`},
	"atomics": {body: `
%p = OpAccessChain %sb_uint %b1 %uint_0 %uint_0
%a = OpAtomicIAdd %uint %p %uint_1 %uint_0 %uint_1
%o = OpAccessChain %sb_uint %b1 %uint_0 %uint_1
%b = OpAtomicUMax %uint %o %uint_1 %uint_0 %a
`},
	"vectors and subgroups": {caps: []string{"GroupNonUniform", "GroupNonUniformArithmetic", "GroupNonUniformBallot"}, body: `
%a = OpGroupNonUniformIAdd %uint %uint_3 Reduce %i
%c = OpULessThan %bool %a %g
%b = OpGroupNonUniformBallot %v4uint %uint_3 %c
%k = OpBitwiseAnd %uint %i %uint_3
%x = OpVectorExtractDynamic %uint %b %k
%q = OpAccessChain %sb_uint %b2 %uint_0 %g
OpStore %q %x
`},
	"variables and calls": {decls: "%arr4 = OpTypeArray %uint %uint_4\n%fp_arr4 = OpTypePointer Function %arr4\n%fp_uint = OpTypePointer Function %uint\n", body: `
%k = OpBitwiseAnd %uint %i %uint_3
%vp = OpAccessChain %fp_uint %arr %k
OpStore %vp %i
%l = OpLoad %uint %vp
%r = OpFunctionCall %uint %twice %l
%q = OpAccessChain %sb_uint %b2 %uint_0 %g
OpStore %q %r
`},
}

func loopKernel(tb testing.TB, name string, tiles int) (*kernel, *launch.Dispatch) {
	c := looped[name]
	k := &kernel{caps: c.caps, size: 64, buffers: []buffer{{"uint", make([]byte, 4)}, {"uint", make([]byte, 64)}, {"uint", make([]byte, 256*tiles)}}}
	k.globals = c.decls + "%fnuint = OpTypeFunction %uint %uint\n"
	if c.decls != "" {
		k.fvars = "%arr = OpVariable %fp_arr4 Function"
	}
	k.funcs = "%twice = OpFunction %uint None %fnuint\n%tp = OpFunctionParameter %uint\n%tl = OpLabel\n%tr = OpIAdd %uint %tp %tp\nOpReturnValue %tr\nOpFunctionEnd\n"
	k.body = `
%np = OpAccessChain %sb_uint %b0 %uint_0 %uint_0
%n = OpLoad %uint %np
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %uint_0 %entry %next %cont
%more = OpULessThan %bool %i %n
OpLoopMerge %done %cont None
OpBranchConditional %more %body %done
%body = OpLabel` + c.body + `OpBranch %cont
%cont = OpLabel
%next = OpIAdd %uint %i %uint_1
OpBranch %head
%done = OpLabel
`
	return k, k.dispatch(tb, uint32(tiles))
}

// TestInstructionsDoNotAllocate compares the allocations of a run whose loops
// go round once with those of one whose loops go round 250 times.
func TestInstructionsDoNotAllocate(t *testing.T) {
	for name := range looped {
		for _, width := range []int{4, 32} {
			k, d := loopKernel(t, name, 1)
			e := &emu.Emulator{Options: emu.Options{Warp: width}}
			allocs := func(rounds byte) float64 {
				k.buffers[0].data[0] = rounds
				return testing.AllocsPerRun(5, func() {
					if err := e.Dispatch(context.Background(), d); err != nil {
						t.Fatal(err)
					}
				})
			}
			allocs(200)
			if one, many := allocs(1), allocs(250); one != many {
				t.Errorf("%s, warp %d: %v allocations for one round, %v for many", name, width, one, many)
			}
		}
	}
}

// BenchmarkLoops measures what the kernels of testdata/speed have little of.
// The figure to read is ns/instr: time per thread-instruction.
func BenchmarkLoops(b *testing.B) {
	for _, name := range []string{"barriers", "divergence", "atomics", "vectors and subgroups"} {
		for _, width := range []int{4, 32} {
			b.Run(fmt.Sprintf("%s/warp%d", name, width), func(b *testing.B) {
				k, d := loopKernel(b, name, 16)
				k.buffers[0].data[0] = 200
				e := &emu.Emulator{Options: emu.Options{Warp: width}}
				b.ReportAllocs()
				for range b.N {
					if err := e.Dispatch(context.Background(), d); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(e.Last.Steps), "ns/instr")
			})
		}
	}
}

// BenchmarkTiles measures what it takes to begin and end a tile: 10,000 of
// them, whose threads do next to nothing.
func BenchmarkTiles(b *testing.B) {
	k, d := loopKernel(b, "arithmetic and memory", 10000)
	k.buffers[0].data[0] = 1
	e := &emu.Emulator{}
	b.ReportAllocs()
	for range b.N {
		if err := e.Dispatch(context.Background(), d); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10000, "ns/tile")
}
