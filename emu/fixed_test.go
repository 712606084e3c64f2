package emu_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/launch"
)

// replaceWord replaces a name in assembly text.
func replaceWord(text, from, to string) string {
	fields := strings.Split(text, " ")
	for i, f := range fields {
		if f == from {
			fields[i] = to
		}
	}
	return strings.Join(fields, " ")
}

// fixedKernel is a kernel of one tile with a known result: elements of buffer
// 0 in the end.
type fixedKernel struct {
	name string
	k    *kernel
	edit func(d *launch.Dispatch)
	want []uint64
}

func f32s(vs ...float32) (out []uint64) {
	for _, v := range vs {
		out = append(out, uint64(math.Float32bits(v)))
	}
	return out
}

// put stores value x at element i of buffer 0.
func put(x, elem string, i string) string {
	return "%put" + i + " = OpAccessChain %sb_" + elem + " %b0 %uint_0 %uint_" + i + "\nOpStore %put" + i + " " + x + "\n"
}

// depth is a sampled depth image of 2x1 texels 0.25 and 0.75, and the types
// around it.
const depth = `
%img = OpTypeImage %float 2D 1 0 0 1 Unknown
%simg = OpTypeSampledImage %img
%psimg = OpTypePointer UniformConstant %simg
%tex = OpVariable %psimg UniformConstant
%q = OpConstant %float 0.25
%h = OpConstant %float 0.5
%one = OpConstant %float 1
%two = OpConstant %float 2
%zerof = OpConstant %float 0
%at = OpConstantComposite %v2float %q %h
%proj = OpConstantComposite %v3float %h %one %two
`

func bindDepth(compare bool) func(d *launch.Dispatch) {
	return func(d *launch.Dispatch) {
		b := words(4, f32s(0.25, 0.75)...)
		d.Bindings = append(d.Bindings, launch.Binding{Binding: 1, Elems: []launch.Descriptor{{
			Image:   &launch.Image{Name: "depth", Format: "R32_SFLOAT", Dim: 2, Width: 2, Height: 1, Depth: 1, Layers: 1, MipLevels: 1, Samples: 1, Data: b},
			Sampler: &launch.Sampler{Compare: compare, CompareOp: "less"},
		}}})
	}
}

// fixedKernels are for instructions that neither testdata nor the tables of the
// other tests have.
func fixedKernels() []fixedKernel {
	out := func(elem string, n int) []buffer { return []buffer{{elem, make([]byte, n*scalarTypes[elem])}} }
	sampled := "OpDecorate %tex DescriptorSet 0\nOpDecorate %tex Binding 1\n"
	ks := []fixedKernel{
		{
			name: "in-bounds chains, hints, line numbers",
			k: &kernel{
				size: 1, caps: []string{"VariablePointersStorageBuffer", "ExpectAssumeKHR"}, exts: []string{"SPV_KHR_expect_assume"},
				modes: "%src = OpString \"k.comp\"\n", notes: "OpDecorate %sb_uint ArrayStride 4\n",
				buffers: []buffer{{"uint", words(4, 10, 20, 30, 40)}},
				body: `
OpLine %src 1 1
%p = OpInBoundsAccessChain %sb_uint %b0 %uint_0 %uint_0
OpNoLine
%q = OpPtrAccessChain %sb_uint %p %uint_2
%x = OpLoad %uint %q
%y = OpExpectKHR %uint %x %uint_7
OpAssumeTrueKHR %true
OpStore %p %y
`},
			want: []uint64{30, 20, 30, 40},
		},
		{
			name: "Refract and ModfStruct",
			k: &kernel{
				size: 1, buffers: out("float", 4),
				globals: "%one = OpConstant %float 1\n%zerof = OpConstant %float 0\n%m1 = OpConstant %float -1\n%half = OpConstant %float 0.5\n%x25 = OpConstant %float -2.75\n" +
					"%I = OpConstantComposite %v2float %zerof %m1\n%N = OpConstantComposite %v2float %zerof %one\n%pair = OpTypeStruct %float %float\n",
				body: `
%r = OpExtInst %v2float %glsl Refract %I %N %half
%r0 = OpCompositeExtract %float %r 0
%r1 = OpCompositeExtract %float %r 1
%m = OpExtInst %pair %glsl ModfStruct %x25
%m0 = OpCompositeExtract %float %m 0
%m1_ = OpCompositeExtract %float %m 1
` + put("%r0", "float", "0") + put("%r1", "float", "1") + put("%m0", "float", "2") + put("%m1_", "float", "3")},
			want: f32s(0, -1, -0.75, -2),
		},
		{
			name: "depth comparison, projective, with a level of detail; comparing gather",
			k: &kernel{
				size: 1, buffers: out("float", 2), notes: sampled, globals: depth, vars: "%tex",
				body: `
%t = OpLoad %simg %tex
%a = OpImageSampleProjDrefExplicitLod %float %t %proj %h Lod %zerof
%c = OpImageDrefGather %v4float %t %at %h
%c0 = OpCompositeExtract %float %c 0
%c1 = OpCompositeExtract %float %c 1
%s = OpFAdd %float %c0 %c1
` + put("%a", "float", "0") + put("%s", "float", "1")},
			edit: bindDepth(true),
			// At 0.5/2 lies the first texel: 0.5 < 0.25 fails. The gather's
			// square has both: 0.5 < 0.75 holds for the second.
			want: f32s(0, 1),
		},
		{
			name: "samples of a multisampled image",
			k: &kernel{
				size: 1, caps: []string{"ImageQuery"}, buffers: out("uint", 2), notes: sampled, vars: "%tex",
				globals: "%img = OpTypeImage %float 2D 0 0 1 1 Unknown\n%pimg = OpTypePointer UniformConstant %img\n%tex = OpVariable %pimg UniformConstant\n",
				body: `
%t = OpLoad %img %tex
%n = OpImageQuerySamples %uint %t
%s = OpImageQuerySize %v2uint %t
%x = OpCompositeExtract %uint %s 0
` + put("%n", "uint", "0") + put("%x", "uint", "1")},
			edit: func(d *launch.Dispatch) {
				d.Bindings = append(d.Bindings, launch.Binding{Binding: 1, Elems: []launch.Descriptor{{
					Image: &launch.Image{Name: "ms", Format: "R32_SFLOAT", Dim: 2, Width: 3, Height: 1, Depth: 1, Layers: 1, MipLevels: 1, Samples: 4, Data: make([]byte, 48)},
				}}})
			},
			want: []uint64{4, 3},
		},
	}
	return ks
}

func TestFixedKernels(t *testing.T) {
	for _, c := range fixedKernels() {
		t.Run(c.name, func(t *testing.T) {
			d := c.k.dispatch(t)
			if c.edit != nil {
				c.edit(d)
			}
			r, err := emu.Run(context.Background(), d, emu.Options{})
			if err != nil || len(r.Findings) > 0 {
				t.Fatalf("error %v, result %v", err, r)
			}
			size := scalarTypes[c.k.buffers[0].elem]
			for i, w := range c.want {
				if got := word(c.k.buffers[0].data, size, i); got != w {
					t.Errorf("element %d: got %#x, want %#x", i, got, w)
				}
			}
		})
	}
}
