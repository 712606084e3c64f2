package launch

import (
	"encoding/binary"
	"strings"
	"testing"

	"ampdbg/spirv"
)

// bareIncrement is increment's module.
func bareIncrement(t testing.TB) *spirv.Module {
	t.Helper()
	text := strings.TrimSuffix(increment[strings.IndexByte(increment, '\n'):], "END\n")
	m, err := spirv.Assemble("k.spvasm", text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBindForms(t *testing.T) {
	words := func(v ...uint32) string {
		var b []byte
		for _, w := range v {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return string(b)
	}
	tests := []struct {
		bind string
		want string // bytes
	}{
		{"0.0=uint32:7", words(7)},
		{"0.0=uint32[4]:1,2,3", words(1, 2, 3, 0)},
		{"0.0=uint32[]:1 2 3", words(1, 2, 3)},
		{"0.0=uint32[3]", words(0, 0, 0)},
		{"0.0=uint32[3]:fill 7", words(7, 7, 7)},
		{"0.0=uint32[3]:series 10 -3", words(10, 7, 4)},
		{"0.0=storage vec3<uint32>[2]:1,2,3,4,5,6", words(1, 2, 3, 0, 4, 5, 6, 0)},
		{"0.0=float[2]:1,0x40000000", words(0x3f800000, 0x40000000)},
		{"0.0=uint8[4]:1,2,3,255", "\x01\x02\x03\xff"},
		{"0.0=uint64[2]:&0.0+8,5", words(0, 0, 5, 0)},
	}
	for _, tt := range tests {
		l, err := fromModule(bareIncrement(t), LoadOptions{Binds: []string{tt.bind}})
		if err != nil {
			t.Errorf("%s: %v", tt.bind, err)
			continue
		}
		d := l.Steps[0].(*Dispatch)
		if got := string(d.Bindings[0].Elems[0].Buffer.Data); got != tt.want || d.Bindings[0].Kind != StorageBuffer {
			t.Errorf("%s: % x, want % x", tt.bind, got, tt.want)
		}
	}
	l, err := fromModule(bareIncrement(t), LoadOptions{Binds: []string{"0.0=uint64[2]:5,&0.1+8", "0.1=uint32[8]"}})
	if err != nil {
		t.Fatal(err)
	}
	if a := l.Buffers[0].Addresses; len(a) != 1 || a[0] != (Address{At: 8, To: l.Buffers[1], Add: 8}) {
		t.Errorf("addresses %+v", a)
	}
}

func TestBindErrors(t *testing.T) {
	tests := []struct {
		opt  LoadOptions
		want string
	}{
		{LoadOptions{}, "nothing is bound to 0.0 (storage buffer data)"},
		{LoadOptions{Entry: "other"}, "no compute entry point other (it has main)"},
		{LoadOptions{Binds: []string{"0=uint32"}}, "expected SET.BINDING=TYPE"},
		{LoadOptions{Binds: []string{"0.0=uint33"}}, `unknown data type "uint33"`},
		{LoadOptions{Binds: []string{"0.0=int[4]"}}, `unknown data type "int": did you mean int32?`},
		{LoadOptions{Binds: []string{"0.0=ivec3"}}, `unknown data type "ivec3": did you mean vec3<int32>?`},
		{LoadOptions{Binds: []string{"0.0=mat4"}}, `unknown data type "mat4": did you mean mat4x4<float>?`},
		{LoadOptions{Binds: []string{"0.0=uint32[2]:1,2,3"}}, "3 values for 2 elements"},
		{LoadOptions{Binds: []string{"0.0=uint8[2]:300"}}, "300 is out of the range of uint8, 0 to 255"},
		{LoadOptions{Binds: []string{"0.0=uint32:&0.0"}}, "an address takes a uint64"},
		{LoadOptions{Binds: []string{"0.0=uint64:&0.9"}}, "no buffer is bound at 0.9"},
		{LoadOptions{Binds: []string{"0.0=uint32[99999999999]"}}, "array length"},
		{LoadOptions{Binds: []string{"0.0=mat4x4<double>[8000000000]"}}, "limit of"},
		{LoadOptions{Binds: []string{"0.0=image R32_UINT 2x2"}}, "is a storage buffer"},
		{LoadOptions{Binds: []string{"0.0=uint32", "5.5=uint32"}}, "binding 5.5: module k.spvasm has no variable there; there are 0.0 (data)"},
		{LoadOptions{Binds: []string{"0.0=uint32"}, Push: "uint32:1"}, "has none"},
		{LoadOptions{Binds: []string{"0.0=uint32"}, Spec: []string{"99=uint32:1"}}, "no constant with SpecId 99; there are none"},
		{LoadOptions{Binds: []string{"0.0=uint32"}, Push: "uint32"}, "expected TYPE:VALUE"},
		{LoadOptions{Binds: []string{"0.0=uint32"}, Spec: []string{"3=uint32"}}, "expected ID=TYPE:VALUE"},
	}
	for _, tt := range tests {
		_, err := fromModule(bareIncrement(t), tt.opt)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.opt, err, tt.want)
		}
	}
}
