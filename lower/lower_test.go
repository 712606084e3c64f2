package lower_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/lower"
	"ampdbg/program"
	"ampdbg/spirv"
)

// bound is a Binder that takes every variable as bound, and keeps the names of
// the views.
type bound struct {
	views  []string
	images int
}

func (b *bound) Views(u *spirv.Unit, v *spirv.Variable) (first, n int, err error) {
	first, n = len(b.views), elements(v)
	for range n {
		b.views = append(b.views, u.VariableName(v))
	}
	return first, n, nil
}

func (b *bound) Images(_ *spirv.Unit, v *spirv.Variable) (first, n int, err error) {
	first, n = b.images, elements(v)
	b.images += n
	return first, n, nil
}

// elements is how many descriptors a variable is bound to.
func elements(v *spirv.Variable) int {
	switch t := v.Type.Elem; {
	case v.Storage == spirv.StorageClassWorkgroup || v.Storage == spirv.StorageClassPushConstant:
	case t.Kind == spirv.Array:
		return t.Len
	case t.Kind == spirv.RuntimeArray:
		return 2
	}
	return 1
}

// lowered is the program of the only entry point of a module in testdata.
func lowered(t *testing.T, file string, opt lower.Options) (*program.Program, *bound) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, b, err := lowerText(filepath.Base(file), string(text), opt)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return p, b
}

// lowerText lowers the first entry point of a module.
func lowerText(name, text string, opt lower.Options) (*program.Program, *bound, error) {
	m, err := spirv.Assemble(name, text)
	if err != nil {
		return nil, nil, err
	}
	u, err := spirv.Resolve(m, nil)
	if err != nil {
		return nil, nil, err
	}
	if err := spirv.Validate(u); err != nil {
		return nil, nil, err
	}
	b := &bound{views: []string{"null"}}
	p, err := lower.Lower(u, &u.EntryPoints[0], b, opt)
	return p, b, err
}

// dump is a program as text.
func dump(t *testing.T, p *program.Program, b *bound) string {
	t.Helper()
	var text strings.Builder
	err := p.Dump(&text, program.DumpOptions{View: func(view int) string {
		if view < len(b.views) {
			return b.views[view]
		}
		return ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// modules are the modules of testdata.
func modules(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/*/*.spvasm")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d modules (%v)", len(files), err)
	}
	return files
}
