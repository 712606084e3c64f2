package ampdbg_test

import (
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// mustStay are exported names that no other package of the module uses, and why
// they stay: "package.Name" or "package.Type.Method".
var mustStay = map[string]string{
	"debugger.ContinuedEvent":       "front ends of the debugger give it, or are given it",
	"debugger.ErrRunning":           "front ends of the debugger give it, or are given it",
	"debugger.ResultID":             "front ends of the debugger give it, or are given it",
	"debugger.Word":                 "front ends of the debugger give it, or are given it",
	"debugger/expr.Array":           "the syntax tree is one type, its nodes are all there",
	"debugger/expr.Binary":          "the syntax tree is one type, its nodes are all there",
	"debugger/expr.Cast":            "the syntax tree is one type, its nodes are all there",
	"debugger/expr.Choose":          "the syntax tree is one type, its nodes are all there",
	"debugger/expr.Element":         "the syntax tree is one type, its nodes are all there",
	"debugger/expr.List":            "the syntax tree is one type, its nodes are all there",
	"debugger/expr.Literal":         "the syntax tree is one type, its nodes are all there",
	"debugger/expr.Run":             "the syntax tree is one type, its nodes are all there",
	"debugger/expr.Half":            "beside the other types of the language",
	"emu.BranchObserver":            "observers implement it",
	"emu.OperationObserver":         "observers implement it",
	"gpu/isolate.Death":             "the cause of an error",
	"gpu/isolate.Death.Crashed":     "the cause of an error",
	"racecheck/kerneltest.LoadWith": "for tests of other modules",
	"warp.Resolve":                  "engines resolve symbols by it",
}

// TestExportedNamesHaveUsers holds packages to export what another one uses, and
// nothing else. What a used name brings along (types of results and fields, the
// constants of such a type, methods that an interface asks for) is used too, and
// what is generated is whole.
func TestExportedNamesHaveUsers(t *testing.T) {
	list, err := packages.Load(&packages.Config{
		Mode:  packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
		Tests: true,
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	x := exports{defined: map[string]types.Object{}, used: map[string]bool{}, methods: map[string]bool{}, seen: map[types.Type]bool{}}
	for _, name := range []string{"Error", "Unwrap", "Is", "As", "String", "Set", "Write", "WriteByte", "Read", "Close", "Len", "Less", "Swap", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
		x.methods[name] = true
	}
	for _, p := range list {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		x.collect(p)
	}
	for _, p := range list {
		x.uses(p)
	}
	for more := true; more; {
		n := len(x.used)
		for k := range maps.Clone(x.used) {
			if o := x.defined[k]; o != nil {
				x.reach(o.Type())
			}
		}
		more = len(x.used) > n
	}
	for _, k := range slices.Sorted(maps.Keys(x.defined)) {
		o := x.defined[k]
		f, method := o.(*types.Func)
		switch _, stays := mustStay[k]; {
		case x.used[k] == stays:
			if stays {
				t.Errorf("%s is used, and need not be in mustStay", k)
				continue
			}
			if method && f.Signature().Recv() != nil && x.methods[o.Name()] {
				continue
			}
			if c, ok := o.(*types.Const); ok && x.used[x.key(named(c.Type()))] {
				continue
			}
			t.Errorf("%s is exported, and no other package uses it", k)
		}
	}
	for k := range mustStay {
		if x.defined[k] == nil {
			t.Errorf("mustStay has %s, which there is not", k)
		}
	}
}

// exports are the exported names of a module.
type exports struct {
	defined map[string]types.Object
	used    map[string]bool
	methods map[string]bool // names of methods that some interface asks for
	seen    map[types.Type]bool
}

// key names an object of package scope, or a method; "" for all others, and for
// what is not of this module.
func (x *exports) key(o types.Object) string {
	if o == nil || o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path(), module+"/") || !o.Exported() {
		return ""
	}
	name := strings.TrimPrefix(o.Pkg().Path(), module+"/") + "."
	if f, ok := o.(*types.Func); ok {
		if r := f.Signature().Recv(); r != nil {
			n := named(r.Type())
			if n == nil {
				return ""
			}
			return name + n.Name() + "." + o.Name()
		}
	}
	if o.Parent() != o.Pkg().Scope() {
		return ""
	}
	return name + o.Name()
}

// named is the name of a type, or of what it points to; nil if it has none.
func named(t types.Type) types.Object {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// collect notes what a package defines, and the methods of its interfaces.
func (x *exports) collect(p *packages.Package) {
	for id, o := range p.TypesInfo.Defs {
		if n, ok := o.(*types.TypeName); ok {
			if i, ok := n.Type().Underlying().(*types.Interface); ok {
				for m := range i.NumMethods() {
					x.methods[i.Method(m).Name()] = true
				}
			}
		}
		file := filepath.Base(p.Fset.Position(id.Pos()).Filename)
		if p.Name == "main" || strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_gen.go") {
			continue
		}
		if k := x.key(o); k != "" {
			x.defined[k] = o
		}
	}
}

// uses notes the names of other packages that a package uses. Its external tests
// are another package.
func (x *exports) uses(p *packages.Package) {
	for _, o := range p.TypesInfo.Uses {
		if f, ok := o.(*types.Func); ok {
			o = f.Origin()
		}
		if k := x.key(o); k != "" && o.Pkg().Path() != p.PkgPath {
			x.used[k] = true
		}
	}
}

// reach notes the types that come with a value of a type.
func (x *exports) reach(t types.Type) {
	if t == nil || x.seen[t] {
		return
	}
	x.seen[t] = true
	if k := x.key(named(t)); k != "" {
		x.used[k] = true
	}
	switch t := t.(type) {
	case *types.Named:
		x.reach(t.Underlying())
		for i := range t.TypeArgs().Len() {
			x.reach(t.TypeArgs().At(i))
		}
	case *types.Pointer:
		x.reach(t.Elem())
	case *types.Slice:
		x.reach(t.Elem())
	case *types.Array:
		x.reach(t.Elem())
	case *types.Map:
		x.reach(t.Key())
		x.reach(t.Elem())
	case *types.Chan:
		x.reach(t.Elem())
	case *types.Signature:
		x.reach(t.Params())
		x.reach(t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			x.reach(t.At(i).Type())
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if t.Field(i).Exported() {
				x.reach(t.Field(i).Type())
			}
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			x.reach(t.Method(i).Type())
		}
	}
}
