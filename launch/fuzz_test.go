package launch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ampdbg/amber"
	"ampdbg/diag"
)

// FuzzLoadScript: a launch that can be executed and printed, or errors, never
// a panic; no external tool runs.
func FuzzLoadScript(f *testing.F) {
	files, err := filepath.Glob("../amber/testdata/*.amber")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Add([]byte("#!amber\n" + structScript))
	for _, small := range []string{
		"BUFFER b DATA_TYPE uint8 DATA 1 2 0x3 -1 END\nEXPECT b IDX 1 EQ 2 3",
		"BUFFER b DATA_TYPE mat2x3<float> STD140 SIZE 2 SERIES_FROM 1 INC_BY .5\nEXPECT b IDX 0 TOLERANCE 1 5% EQ 1",
		"BUFFER b DATA_TYPE R5G6B5_UNORM_PACK16 WIDTH 2 HEIGHT 2 FILL 3\nEXPECT b IDX 0 0 SIZE 1 2 EQ_RGB 1 2 3",
		"IMAGE i FORMAT R8G8_SNORM MIP_LEVELS 2 DIM_3D WIDTH 2 HEIGHT 2 DEPTH 2 FILL -3\nEXPECT i RMSE_BUFFER i TOLERANCE 1",
		"STRUCT s STRIDE 64\n float16 a OFFSET 8\n vec3<int8>[2] b ARRAY_STRIDE 8\n uint64[] c\nEND\nBUFFER b DATA_TYPE s SIZE 3 FILL 1\nEXPECT b IDX 8 EQ 1 1",
		"BUFFER a DATA_TYPE R8_UNORM SIZE 4 FILL 1\nBUFFER b DATA_TYPE R8_UNORM SIZE 4 FILL 2\nREPEAT 2\nCOPY a TO b\nEND\nEXPECT a EQ_HISTOGRAM_EMD_BUFFER b TOLERANCE 0",
		"SAMPLER s MIN_LOD 1 MAX_LOD 2 BORDER_COLOR int_opaque_white\nPIPELINE compute p\nBIND SAMPLER s DESCRIPTOR_SET 0 BINDING 0\nEND",
	} {
		f.Add([]byte("#!amber\n" + small + "\n"))
	}
	red, err := os.ReadFile("../amber/testdata/red.png")
	if err != nil {
		f.Fatal(err)
	}
	opt := ScriptOptions{Tools: noTools{}, MaxBytes: 1 << 20, Read: func(path string) ([]byte, error) {
		switch path {
		case "red.png":
			return red, nil
		case "numbers.txt":
			return []byte("1.5 -2\n3e2 0x3f800000\n"), nil
		case "hello.txt":
			return []byte("hello\n"), nil
		}
		return nil, fs.ErrNotExist
	}}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, errs := amber.Parse("f.amber", src)
		if len(errs) > 0 {
			return
		}
		l, err := FromScript(s, opt)
		if err != nil {
			var d *diag.Error
			if !errors.As(err, &d) || !d.Pos.IsValid() {
				t.Errorf("%T without a place: %v", err, err)
			}
			return
		}
		for _, b := range l.Buffers {
			if err := errors.Join(Dump(io.Discard, b), WriteNPY(io.Discard, b)); err != nil {
				t.Error(err)
			}
		}
		for _, i := range l.Images {
			if err := DumpImage(io.Discard, i); err != nil {
				t.Error(err)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if _, err := l.Execute(ctx, increments{}, func(r *ExpectResult) { _ = r.String() }); err != nil && ctx.Err() == nil && !nothingRan(err) {
			t.Error(err)
		}
	})
}

// FuzzParseType: a type whose parts add up, or an error.
func FuzzParseType(f *testing.F) {
	for _, s := range []string{"float", "vec3<float16>", "mat4x3<double>[2]", "uint8[2][3]", "R8G8B8A8_UNORM", "int32[]"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, name string, std140 bool) {
		l := Std430
		if std140 {
			l = Std140
		}
		dt, err := ParseType(name, l)
		if err != nil {
			return
		}
		if dt.Size < 0 || dt.Size > maxTypeSize || dt.Stride < dt.Size {
			t.Fatalf("%s: size %d, stride %d", name, dt.Size, dt.Stride)
		}
		if dt.scalars == 0 || dt.isRuntime() {
			return
		}
		for _, i := range []int{0, dt.scalars - 1} {
			if s := dt.At(i); s.end() > dt.Size {
				t.Fatalf("%s: scalar %d ends at %d of %d", name, i, s.end(), dt.Size)
			}
			_ = dt.Path(i)
		}
	})
}
