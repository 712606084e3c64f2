package amber

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzParse: a script or errors, never a panic; every word lies where it says.
func FuzzParse(f *testing.F) {
	for _, glob := range []string{"testdata/*.amber", "testdata/errors/*.amber"} {
		files, err := filepath.Glob(glob)
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
	}
	f.Add([]byte("#!amber\nSHADER compute a GLSL"))
	f.Add([]byte("#!amber\nBUFFER b DATA_TYPE int8 DATA 1 \\"))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, errs := Parse("f.amber", src)
		if len(errs) > maxErrors {
			t.Errorf("%d errors", len(errs))
		}
		for _, e := range errs {
			if e.Msg == "" || e.Pos.Line < 1 || e.Pos.Col < 1 {
				t.Errorf("error without a place: %v", e)
			}
		}
		for _, st := range s.Stmts {
			if off := st.Offset(); off < 0 || off >= len(src) {
				t.Errorf("%T at byte %d of %d", st, off, len(src))
			}
			if b, ok := st.(*Buffer); ok && string(src[b.Name.Off:][:len(b.Name.Text)]) != b.Name.Text {
				t.Errorf("buffer %q is not at byte %d", b.Name.Text, b.Name.Off)
			}
		}
	})
}
