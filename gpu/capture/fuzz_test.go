package capture

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"ampdbg/amber"
	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/spirv"
)

const example = `shot 1 done
device llvmpipe%20(x) llvmpipe Mesa
subgroup 8 8 8 48 191
robust 0
kernel f01f5992d1bbd2b5
module acc540015c719488.spv
entry main
name -
label frame/one
stage 0 0 0 1
spec 7 4 3
groups 4 3 1 0
push 4000000001000000
piece 0 1010354784 0 0 64 0 -1 4096 -
piece 1 1010370208 0 0 64 64 0 0 out
image 98 5 4 4 1 2 1 80 128 64 -
bind 0 0 0 7 buffer 0 0 64 0 0
bind 0 1 0 9 buffer 1 16 48 0 0
bind 0 2 0 5 buffer 1 0 64 0 98
bind 0 3 0 1 image 0 sampler 1 0 1 0 1 2 3 0 1000 0 0 0 1 0
bind 0 4 0 1000138000 inline 00112233
end
`

// Whatever the raw files hold, reading them gives an error or a launch that can
// be written as a script and read again.
func FuzzShot(f *testing.F) {
	modules := [][]byte{}
	for _, name := range []string{"add", "image", "texel", "list"} {
		text, err := os.ReadFile("testdata/" + name + ".spvasm")
		if err != nil {
			f.Fatal(err)
		}
		m, err := spirv.Assemble(name, string(text))
		if err != nil {
			f.Fatal(err)
		}
		modules = append(modules, m.Encode(binary.LittleEndian))
	}
	for i := range modules {
		f.Add(example, make([]byte, 208), make([]byte, 144), byte(i))
	}
	f.Add("shot 1 done\npiece 0 0 0 18446744073709551615 1 0 0 0 -\nend\n", []byte{}, []byte{}, byte(0))
	f.Add("shot 1 done\nimage 1 1 4294967295 4294967295 4294967295 32 1 1 0 0 -\nend\n", []byte{}, []byte{}, byte(0))
	f.Fuzz(func(t *testing.T, text string, before, after []byte, module byte) {
		s, err := parseShot("shot.txt", text)
		if err != nil {
			return
		}
		for _, p := range s.pieces {
			if p.end-p.begin > 1<<20 || p.offset > 1<<20 {
				return // would be memory that a fuzzer better not asks for
			}
		}
		for _, i := range s.images {
			if i.size > 1<<20 {
				return
			}
		}
		s.before, s.after = before, after
		out, err := s.launch(modules[int(module)%len(modules)])
		if err != nil {
			return
		}
		saved := map[string][]byte{}
		script, err := launch.ToScript(out.Launch, func(name string, data []byte) (string, error) {
			saved[name] = data
			return name, nil
		})
		var e *diag.Error
		if errors.As(err, &e) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		_, errs := amber.Parse("x", []byte(amber.Print(script)))
		if len(errs) > 0 {
			t.Fatalf("%v\n%s", errs[0], amber.Print(script))
		}
		if len(out.After) != len(out.Launch.Buffers)+len(out.Launch.Images) {
			t.Fatalf("%d contents for %d buffers and %d images", len(out.After), len(out.Launch.Buffers), len(out.Launch.Images))
		}
	})
}

func TestExampleIsRead(t *testing.T) {
	s, err := parseShot("shot.txt", example)
	if err != nil {
		t.Fatal(err)
	}
	if s.device != "llvmpipe (x)" || s.label != "frame/one" || s.spec[7] != 3 || len(s.pieces) != 2 || len(s.binds) != 5 ||
		s.binds[3].sampler == nil || s.binds[3].sampler.maxLOD != 1000 || len(s.binds[4].bytes) != 4 || len(s.push) != 8 {
		t.Errorf("found %+v", s)
	}
	for _, bad := range []string{"", "shot 1 done\n", "shot x done\nend\n", "piece 1 2\nend\n", "what 1\nend\n", "bind 0 0 0 7 buffers 1\nend\n", "push 0g\nend\n"} {
		if _, err := parseShot("shot.txt", bad); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

// Ranges merge where they overlap in memory, and not where they touch.
func TestRegions(t *testing.T) {
	list := regions([]piece{
		{buffer: 0, memory: 9, begin: 0, end: 64},
		{buffer: 0, memory: 9, begin: 64, end: 128},
		{buffer: 1, memory: 9, offset: 100, begin: 0, end: 8},
		{buffer: 2, memory: 8, begin: 0, end: 64},
		{buffer: 3, begin: 0, end: 64},
		{buffer: 4, begin: 32, end: 96},
	})
	var sizes []uint64
	for _, r := range list {
		sizes = append(sizes, r.end-r.begin)
	}
	if len(list) != 5 {
		t.Errorf("found regions of %v bytes", sizes)
	}
}
