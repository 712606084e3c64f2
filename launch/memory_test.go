package launch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ampdbg/diag"
)

func TestInitialisers(t *testing.T) {
	tests := []struct {
		decl string
		want string // bytes in hex
	}{
		{"DATA_TYPE uint8 DATA 1 2 0x3 -1 END", "010203ff"},
		{"DATA_TYPE int16 SIZE 3 FILL -2", "fefffefffeff"},
		{"DATA_TYPE uint8 SIZE 4 SERIES_FROM 254 INC_BY 1", "feff0001"},
		{"DATA_TYPE int16 SIZE 3 SERIES_FROM 1 INC_BY -1", "01000000ffff"},
		{"DATA_TYPE float SIZE 2 SERIES_FROM 1 INC_BY 0.5", "0000803f0000c03f"},
		{"DATA_TYPE float16 SIZE 2 FILL 1", "003c003c"},
		{"DATA_TYPE uint16 STD140 DATA 1 2 END", "0100" + strings.Repeat("00", 14) + "0200" + strings.Repeat("00", 14)},
		{"DATA_TYPE vec3<uint8> DATA 1 2 3 4 5 6 END", "0102030004050600"},
		{"DATA_TYPE mat2x2<uint8> STD140 SIZE 1 SERIES_FROM 1 INC_BY 1", "0102" + strings.Repeat("00", 14) + "0304" + strings.Repeat("00", 14)},
		{"DATA_TYPE uint8[2] SIZE 2 SERIES_FROM 1 INC_BY 1", "01020304"},
		{"DATA_TYPE uint8[] DATA 1 2 3 END", "010203"},
		{"DATA_TYPE tail DATA 7 1 2 3 END", "0700010002000300"},
		{"DATA_TYPE tail SIZE 2 FILL 1", "010001000100"},
		{"DATA_TYPE uint8 WIDTH 2 HEIGHT 2 FILL 9", "09090909"},
		{"DATA_TYPE uint8 SIZE 0 FILL 9", ""},
		{"DATA_TYPE vec2<uint8> DATA 1 2 3 END", "01020300"},
		{"DATA_TYPE tail STD140 FILE BINARY abc", "616263" + strings.Repeat("00", 13)},
		{"DATA_TYPE tail SIZE 0 FILL 1", "0100"},
		{"DATA_TYPE R8G8_UINT DATA 1 2 3 4 END", "01020304"},
		{"DATA_TYPE R5G6B5_UNORM_PACK16 DATA 31 0 1 END", "01f8"},
		{"DATA_TYPE uint8 FILE BINARY abc", "616263"},
		{"DATA_TYPE uint8 SIZE 4 FILE TEXT abc", "61626300"},
		{"DATA_TYPE uint16 FILE BINARY abc", "61626300"},
		{"DATA_TYPE uint16 FILE TEXT num", "01000200"},
		{"FORMAT R8_UNORM SIZE 2 FILL 3", "0303"},
	}
	for _, tt := range tests {
		l, err := fromText(t, "STRUCT tail\n uint16 n\n uint16[] list\nEND\nBUFFER b "+tt.decl+"\n",
			map[string]string{"abc": "abc", "num": "1\n2"})
		if err != nil {
			t.Errorf("%s: %v", tt.decl, err)
			continue
		}
		if got := fmt.Sprintf("%x", l.Buffers[0].Data); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.decl, got, tt.want)
		}
	}
}

func TestScriptErrors(t *testing.T) {
	const pipe = "PIPELINE compute p\n ATTACH k\n BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n"
	const b = "BUFFER b DATA_TYPE uint8 DATA 1 2 3 4 END\n"
	tests := []struct {
		text string
		want string // line:column: message, in the text
	}{
		{"BUFFER b DATA_TYPE uint8 DATA 1 300 END\n", "2:33: 300 is out of the range of uint8, 0 to 255"},
		{"BUFFER b DATA_TYPE uint9 SIZE 1\n", `2:20: unknown data type "uint9"`},
		{"BUFFER b DATA_TYPE uint8 SIZE 1 DATA 1 2 END\n", "2:40: 2 values for 1 elements"},
		{"BUFFER b DATA_TYPE uint32 SIZE 4294967295\n", "2:8: unsupported: b and what is declared before it take more than the limit"},
		{"BUFFER b DATA_TYPE uint8 FILE BINARY none\n", "2:38: cannot read the file: file does not exist"},
		{"BUFFER b FORMAT R8G8B8A8_UNORM FILE PNG abc\n", "2:41: not a PNG picture"},
		{"BUFFER b FORMAT FOO SIZE 1\n", `2:17: unknown image format "FOO"`},
		{"BUFFER b DATA_TYPE uint8 SIZE 1\nBUFFER b DATA_TYPE uint8 SIZE 1\n", "3:8: buffer b is declared twice, first at k.amber:2:8"},
		{"IMAGE i FORMAT R8_UNORM DIM_3D WIDTH 4294967295 HEIGHT 4294967295 DEPTH 4294967295\n", "2:7: unsupported: the texels of image i take more than"},
		{"IMAGE i FORMAT R8_UNORM MIP_LEVELS 9 DIM_2D WIDTH 4 HEIGHT 4\n", "2:36: an image of 4x4x1 has at most 3 mip levels"},
		{"IMAGE i DATA_TYPE mat2x2<float> DIM_2D WIDTH 4 HEIGHT 4\n", "2:19: mat2x2<float> cannot be the texels of an image"},
		{"STRUCT s\n s a\nEND\n", "2:8: struct s contains itself"},
		{"STRUCT s\n float a\n float a\nEND\n", "4:8: struct s has two members named a"},
		{"STRUCT s\n float a\n float b OFFSET 2\nEND\n", "4:17: offset 2 of member b lies in the member before it"},
		{"STRUCT s\n float[] a\n float b\nEND\n", "3:2: only the last member"},
		{"STRUCT s STRIDE 2\n float a\nEND\n", "2:17: stride 2 is less than the struct's 4 bytes"},
		{"STRUCT s\n float a ARRAY_STRIDE 8\nEND\n", "3:23: ARRAY_STRIDE is for arrays"},
		{"DEVICE_FEATURE teleport\n", "2:16: unsupported: DEVICE_FEATURE teleport is not known"},
		{"DEVICE_EXTENSION foo\n", "2:18: unsupported: DEVICE_EXTENSION foo is not known"},
		{"SAMPLER s MIN_LOD 4\n", "2:9: MAX_LOD 1 of sampler s is less than MIN_LOD 4"},
		{"SAMPLER s MAG_FILTER cubic\n", `2:22: expected nearest or linear, found "cubic"`},
		{"PIPELINE compute p\n ATTACH k\nEND\n", "3:9: no shader is named k"},
		{"DERIVE_PIPELINE q FROM p\nEND\n", "2:24: no pipeline named p"},
		{increment + "PIPELINE compute p\n BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n", ": no buffer or image is named b"},
		{increment + b + pipe + "RUN q 1 1 1\n", ": no pipeline is named q"},
		{"PIPELINE compute p\nEND\nRUN p 1 1 1\n", "2:18: pipeline p has no compute shader attached"},
		{increment + b + strings.Replace(pipe, "ATTACH k", "ATTACH k ENTRY_POINT other", 1) + "RUN p 1 1 1\n", "no compute entry point other (it has main)"},
		{b + "BUFFER p DATA_TYPE uint8 SIZE 5\nCOPY b TO p\n", "4:11: b has 4 bytes, p has 5"},
		{b + "COPY b TO b\n", "3:11: b is copied to itself"},
		{b + "EXPECT c IDX 0 EQ 1\n", "3:8: no buffer or image is named c"},
		{b + "EXPECT b IDX 4 EQ 1\n", "3:14: offset 4 lies outside b, which has 4 bytes"},
		{b + "EXPECT b IDX 3 EQ 1 2\n", "3:21: value 2 would lie at byte 4 of b, which has 4 bytes"},
		{b + "EXPECT b IDX 0 EQ 1 256\n", "3:21: 256 is out of the range of uint8"},
		{"BUFFER b DATA_TYPE uint32 SIZE 2\nEXPECT b IDX 2 EQ 1\n", "3:14: no number starts at byte 2 of b"},
		{b + "EXPECT b IDX 0 0 SIZE 5 1 EQ_RGB 0 0 0\n", "3:23: the area 0,0 to 5,1 lies outside b, which is 4x1"},
		{"BUFFER b DATA_TYPE mat2x2<float> SIZE 1\nEXPECT b IDX 0 0 SIZE 1 1 EQ_RGB 0 0 0\n", "3:8: b holds mat2x2<float>, which has no colours"},
		{b + "BUFFER c DATA_TYPE int8 SIZE 4\nEXPECT b RMSE_BUFFER c TOLERANCE 1\n", "4:22: b and c hold different types"},
		{b + "EXPECT b EQ_HISTOGRAM_EMD_BUFFER b TOLERANCE 1\n", "3:8: EQ_HISTOGRAM_EMD_BUFFER compares UNORM"},
		{"PIPELINE compute p\nEND\nCLEAR p\n", "4:7: p is a compute pipeline"},
		{increment + b + strings.Replace(pipe, "BINDING 0", "BINDING 0 DESCRIPTOR_OFFSET 5", 1), "offset 5 lies outside buffer b, which has 4 bytes"},
		{increment + b + strings.Replace(pipe, "BINDING 0", "BINDING 0 DESCRIPTOR_OFFSET 2 DESCRIPTOR_RANGE 3", 1), "range of 3 bytes at offset 2 ends outside buffer b"},
		{increment + "PIPELINE compute p\n SUBGROUP k\n REQUIRED_SIZE 3\n END\nEND\n", "expected a power of two up to 128"},
		{b + "SHADER compute k SPIRV-HEX\n03 02\nxyz\nEND\nPIPELINE compute p\n ATTACH k\nEND\nRUN p 1 1 1\n", `k.amber:5: expected a byte of 2 or a word of 8 hex digits, found "xyz"`},
		{b + "SHADER compute k SPIRV-ASM TARGET_ENV spv2.0\nEND\nPIPELINE compute p\n ATTACH k\nEND\nRUN p 1 1 1\n", "3:39: expected a target environment"},
		{b + "SHADER compute k SPIRV-ASM VIRTUAL_FILE v\nPIPELINE compute p\n ATTACH k\nEND\nRUN p 1 1 1\n", "3:41: no virtual file is named v"},
	}
	for _, tt := range tests {
		_, err := fromText(t, tt.text, map[string]string{"abc": "abc"})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\nerror %v\nwant  %s", tt.text, err, tt.want)
		}
		var d *diag.Error
		if !errors.As(err, &d) {
			t.Errorf("%s: %T is no diag.Error", tt.text, err)
		} else if unsupported := strings.Contains(tt.want, "unsupported"); unsupported != (d.Class == diag.Unsupported) {
			t.Errorf("%s: class %d", tt.text, d.Class)
		}
	}
}

func TestIncompleteLastElementIsANote(t *testing.T) {
	l := mustLoad(t, "BUFFER b DATA_TYPE vec2<float> DATA 1 2 3 END\n")
	want := "3 values do not make whole elements of vec2<float>, which take 2 each: the last one is filled up with 0"
	if len(l.Notes) != 1 || l.Notes[0].Text != want || l.Notes[0].Pos.String() != "k.amber:2:8" {
		t.Errorf("notes %v", l.Notes)
	}
}

// TestHostileSizesAreRefused: what would not fit is refused at once.
func TestHostileSizesAreRefused(t *testing.T) {
	nest := "STRUCT s0\n float a\n float b\nEND\n"
	for i := range 60 {
		nest += fmt.Sprintf("STRUCT s%d\n s%d a\n s%d b\nEND\n", i+1, i, i)
	}
	for _, text := range []string{
		nest + "BUFFER b DATA_TYPE s60 SIZE 1 FILL 1\n",
		"BUFFER b DATA_TYPE float[4294967295][4294967295] SIZE 1 FILL 0\n",
		"BUFFER b DATA_TYPE mat4x4<double>[60000000] SIZE 4294967295 FILL 1\n",
		"STRUCT s\n float[] t\nEND\nBUFFER b DATA_TYPE s SIZE 4294967295 FILL 1\n",
		"STRUCT s\n float a OFFSET 4294967295\n float[2000000000] b OFFSET 4294967299\nEND\n",
		"BUFFER b DATA_TYPE R32G32B32A32_SFLOAT WIDTH 4294967295 HEIGHT 4294967295 FILL 1\n",
	} {
		if _, err := fromText(t, text, nil); err == nil {
			t.Errorf("taken: %.80s", text)
		}
	}
}

func TestAllErrorsAreReportedInOrder(t *testing.T) {
	_, err := fromText(t, "DEVICE_FEATURE teleport\nBUFFER a DATA_TYPE foo SIZE 1\nBUFFER b DATA_TYPE uint8 DATA 256 END\n", nil)
	want := "k.amber:3:20: unknown data type \"foo\"\nk.amber:4:31: 256 is out of the range of uint8, 0 to 255"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

func TestDescriptorsAndDerivedPipelines(t *testing.T) {
	l, err := Load("../amber/testdata/compute_derive_specialize.amber", LoadOptions{Tools: noTools{}})
	if err != nil {
		t.Fatal(err)
	}
	parent, child := l.Steps[0].(*Dispatch), l.Steps[1].(*Dispatch)
	if parent.Spec[3] != 17 || parent.Spec[4] != 0x3fc00000 || parent.Entry != "main" || !parent.Robust || parent.Pipeline != "parent" {
		t.Errorf("parent %+v", parent)
	}
	if got := (Subgroup{FullyPopulated: true, RequiredSize: 16}); parent.Subgroup != got || child.Subgroup != got {
		t.Errorf("subgroups %+v, %+v", parent.Subgroup, child.Subgroup)
	}
	type d struct {
		kind                    DescriptorKind
		offset, dynamic, range_ int64
	}
	describe := func(b Binding) (list []d) {
		for _, e := range b.Elems {
			list = append(list, d{b.Kind, e.Offset, e.Dynamic, e.Range})
		}
		return list
	}
	tests := []struct {
		got  Binding
		want []d
	}{
		{parent.Bindings[0], []d{{UniformBufferDynamic, 256, 256, 256}}}, // 32 vec2 in std140: 512 bytes
		{parent.Bindings[1], []d{{StorageBufferDynamic, 16, 0, 16}}},
		{child.Bindings[0], []d{{StorageBuffer, 0, 0, 64}}},
		{child.Bindings[2], []d{{StorageBuffer, 0, 0, 64}, {StorageBuffer, 16, 0, 48}}},
	}
	for _, tt := range tests {
		if got := describe(tt.got); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%d.%d: %v, want %v", tt.got.Set, tt.got.Binding, got, tt.want)
		}
	}
	if len(parent.Bindings) != 2 || len(child.Bindings) != 3 {
		t.Errorf("%d and %d bindings", len(parent.Bindings), len(child.Bindings))
	}
	if child.Groups != [3]uint32{2, 3, 4} {
		t.Errorf("groups %v", child.Groups)
	}
}

func TestImagesAndSamplers(t *testing.T) {
	l, err := Load("../amber/testdata/compute_images.amber", LoadOptions{Tools: noTools{}})
	if err != nil {
		t.Fatal(err)
	}
	images := map[string]*Image{}
	for _, i := range l.Images {
		images[i.Name] = i
	}
	if v := images["volume"]; v.Dim != 3 || v.Depth != 4 || v.MipLevels != 2 || len(v.Data) != 4*(64+8) || v.Format != "R8G8B8A8_UNORM" {
		t.Errorf("volume %+v", v)
	}
	if p := images["plane"]; p.Format != "R32G32B32A32_SFLOAT" || p.Dim != 2 || len(p.Data) != 16*16 {
		t.Errorf("plane %+v", p)
	}
	if p := images["picture"]; p.Width != 2 || p.Height != 2 || !bytes.Equal(p.Data[8:12], []byte{255, 1, 0, 128}) { // B G R A
		t.Errorf("picture %+v", p)
	}
	if m := images["many"]; m.Samples != 4 || len(m.Data) != 4*4*4 {
		t.Errorf("many %+v", m)
	}
	want := Sampler{Name: "linear", MagLinear: true, MinLinear: true, AddressU: ClampToEdge, AddressV: ClampToBorder,
		AddressW: MirroredRepeat, BorderColor: "FLOAT_OPAQUE_WHITE", MaxLOD: 4, Compare: true, CompareOp: "less_or_equal"}
	got := *l.Samplers[1]
	got.Pos = diag.Pos{}
	if got != want {
		t.Errorf("sampler %+v", got)
	}
	d := l.Steps[0].(*Dispatch)
	if e := d.Bindings[1].Elems[0]; e.Image != images["volume"] || e.BaseMip != 1 {
		t.Errorf("descriptor %+v", e)
	}
	if e := d.Bindings[8]; e.Kind != CombinedImageSampler || e.Elems[1].Sampler.Name != "linear" || e.Elems[0].Sampler.Name != "nearest" {
		t.Errorf("combined %+v", e)
	}
	if e := d.Bindings[5].Elems[0]; e.Format != "R8G8B8A8_UNORM" || d.Bindings[6].Elems[0].Format != "R32_SFLOAT" {
		t.Errorf("texel buffers %+v", e)
	}
}

func TestPushConstantBuffer(t *testing.T) {
	l := mustLoad(t, increment+`
BUFFER b DATA_TYPE uint32 DATA 1 2 END
PIPELINE compute p
  ATTACH k
  BIND BUFFER b AS push_constant
END
RUN p 1 1 1
`)
	d := l.Steps[0].(*Dispatch)
	if d.PushBuffer != l.Buffers[0] || binary.LittleEndian.Uint32(d.PushBuffer.Data[4:]) != 2 {
		t.Errorf("push constants %+v", d.PushBuffer)
	}
}

func TestUntypedBindingTakesTheModulesKind(t *testing.T) {
	l := mustLoad(t, increment+`
BUFFER b DATA_TYPE uint32 DATA 1 2 END
PIPELINE compute p
  ATTACH k
  BIND BUFFER b DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
`)
	if d := l.Steps[0].(*Dispatch); d.Bindings[0].Kind != StorageBuffer {
		t.Errorf("kind %v", d.Bindings[0].Kind)
	}
}
