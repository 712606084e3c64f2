package launch

import (
	"bytes"
	"strings"
	"testing"
)

func TestDump(t *testing.T) {
	tests := []struct{ decl, want string }{
		{"uint32 SIZE 10 SERIES_FROM 0 INC_BY 1", "[0] 0 1 2 3 4 5 6 7\n[8] 8 9\n"},
		{"float DATA 1 -0.5 0x7fc00000 1e30 END", "[0] 1 -0.5 nan 1e+30\n"},
		{"vec3<float16> DATA 1 2 3 4 5 6.5 END", "[0] (1, 2, 3)\n[1] (4, 5, 6.5)\n"},
		{"mat2x2<int8> SIZE 1 SERIES_FROM -1 INC_BY 1", "[0] [(-1, 0), (1, 2)]\n"},
		{"s DATA 1 2 3 4 END", "[0] {a: 1, v: (2, 3), list: [4]}\n"},
		{"R8G8_SNORM DATA -1 2 END", "[0] (-1, 2)\n"},
	}
	for _, tt := range tests {
		l := mustLoad(t, "STRUCT s\n int8 a\n vec2<float> v\n uint64[] list\nEND\nBUFFER b DATA_TYPE "+tt.decl+"\n")
		var got strings.Builder
		if err := Dump(&got, l.Buffers[0]); err != nil || got.String() != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.decl, got.String(), err, tt.want)
		}
	}
	var got strings.Builder
	if err := Dump(&got, &Buffer{Data: []byte{1, 2}}); err != nil || got.String() != "[0] 1 2\n" {
		t.Errorf("untyped: %q", got.String())
	}
}

func TestDumpImage(t *testing.T) {
	l := mustLoad(t, "IMAGE i FORMAT R8G8_UINT MIP_LEVELS 2 DIM_2D WIDTH 2 HEIGHT 2 SERIES_FROM 1 INC_BY 1\n")
	var got strings.Builder
	want := "[0,0] (1, 2)\n[1,0] (3, 4)\n[0,1] (5, 6)\n[1,1] (7, 8)\n"
	if err := DumpImage(&got, l.Images[0]); err != nil || got.String() != want {
		t.Errorf("%q, %v, want %q", got.String(), err, want)
	}
}

func TestWriteNPY(t *testing.T) {
	tests := []struct{ decl, header, data string }{
		{"uint32 DATA 1 2 END", "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }", "\x01\x00\x00\x00\x02\x00\x00\x00"},
		{"uint8 STD140 DATA 1 2 END", "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "\x01\x02"},
		{"vec3<int8> DATA 1 2 -1 4 5 6 END", "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }", "\x01\x02\xff\x04\x05\x06"},
		{"mat3x2<uint8> STD140 SIZE 1 SERIES_FROM 1 INC_BY 1", "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3, 2), }", "\x01\x02\x03\x04\x05\x06"},
		{"float16 DATA 1 END", "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }", "\x00\x3c"},
		{"s DATA 1 2 3 4 5 END", "{'descr': [('a', '|i1'), ('v', '<u2', (2,)), ('list', '|u1', (2,))], 'fortran_order': False, 'shape': (1,), }", "\x01\x02\x00\x03\x00\x04\x05"},
		{"R8G8_UNORM DATA 1 2 END", "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }", "\x01\x02"},
		{"R5G6B5_UNORM_PACK16 DATA 31 0 1 END", "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }", "\x01\xf8"},
	}
	for _, tt := range tests {
		l := mustLoad(t, "STRUCT s\n int8 a\n vec2<uint16> v\n uint8[2] list\nEND\nBUFFER b DATA_TYPE "+tt.decl+"\n")
		var b bytes.Buffer
		if err := WriteNPY(&b, l.Buffers[0]); err != nil {
			t.Fatal(err)
		}
		file := b.String()
		n := int(file[8]) | int(file[9])<<8
		if !strings.HasPrefix(file, "\x93NUMPY\x01\x00") || (10+n)%64 != 0 || file[10+n-1] != '\n' {
			t.Errorf("%s: bad preamble %q", tt.decl, file)
			continue
		}
		if got := strings.TrimRight(file[10:10+n], " \n"); got != tt.header {
			t.Errorf("%s: header %s, want %s", tt.decl, got, tt.header)
		}
		if got := file[10+n:]; got != tt.data {
			t.Errorf("%s: data %q, want %q", tt.decl, got, tt.data)
		}
	}
}
