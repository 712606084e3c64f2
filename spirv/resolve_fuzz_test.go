package spirv

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ampdbg/diag"
)

// FuzzResolve holds resolution and validation to "an error or a value, never a panic", and
// asks the value everything.
func FuzzResolve(f *testing.F) {
	f.Add(typeModule)
	f.Add(constHeader)
	files, _ := filepath.Glob("testdata/debug/*.spvasm")
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil {
			f.Add(string(text))
		}
	}
	for seed := range uint64(8) {
		f.Add(flowModule("Shader", randomFlow(seed)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Assemble("fuzz.spvasm", text)
		if err != nil {
			return
		}
		resolveAnything(t, m)
	})
}

// FuzzResolveBinary is FuzzResolve for modules that come as words.
func FuzzResolveBinary(f *testing.F) {
	files, _ := filepath.Glob("testdata/debug/*.spvasm")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		m, err := Assemble(name, string(text))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(m.Encode(binary.LittleEndian))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode("fuzz.spv", data)
		if err != nil {
			return
		}
		resolveAnything(t, m)
	})
}

// resolveAnything resolves and validates a module that may be nonsense, and
// says how far it came.
func resolveAnything(t *testing.T, m *Module) (resolved, valid bool) {
	u, err := Resolve(m, SpecValues{0: 3})
	if err != nil {
		var e *diag.Error
		if !errors.As(err, &e) {
			t.Fatalf("error of type %T: %v", err, err)
		}
		return false, false
	}
	if err = Validate(u); err != nil {
		var e *diag.Error
		if !errors.As(err, &e) {
			t.Fatalf("error of type %T: %v", err, err)
		}
	}
	for i := range u.Insts {
		id := u.Insts[i].Result
		u.PosOf(i)
		u.ScopeOf(i)
		if id == 0 {
			continue
		}
		if u.Def(id) != i {
			t.Fatalf("id %%%d: defined at %d, not %d", id, u.Def(id), i)
		}
		if c := u.Const(id); c != nil && len(c.Bits) != c.Type.Scalars() {
			t.Fatalf("constant %%%d has %d scalars, its type %d", id, len(c.Bits), c.Type.Scalars())
		}
		if typ := u.Type(id); typ != nil {
			_ = typ.String()
			for _, l := range []Layout{natural, Explicit} {
				if typ.Size(l) < 0 || typ.Stride(l) < 0 {
					t.Fatalf("type %%%d has size %d, stride %d", id, typ.Size(l), typ.Stride(l))
				}
				if n := typ.Scalars(); n < 1000 {
					typ.Walk(l, func([]int, *Type, int) bool { n--; return true })
					if n != 0 {
						t.Fatalf("type %%%d: walked %d scalars too few", id, n)
					}
				}
			}
		}
	}
	for _, f := range u.Functions {
		for _, b := range f.Blocks {
			u.Switch(b)
			if b.Construct != nil && b.Order < 0 {
				t.Fatalf("block %%%d lies in a construct, has no order", b.Label)
			}
		}
	}
	return true, err == nil
}
