package spirv

import (
	"strings"

	"ampdbg/diag"
)

// scopeKey names an instance of a lexical scope or local variable: its debug
// instruction, and the DebugInlinedAt of the call it was inlined at, or 0.
type scopeKey struct{ id, inlinedAt ID }

// maxScopes bounds the instances of scopes, which may be quadratic in the
// module's size.
const maxScopes = 1 << 18

// findDefinition finds the DebugFunction of f: its DebugFunctionDefinition
// names both (in OpenCL.DebugInfo.100, the DebugFunction does).
func (d *debugReader) findDefinition(f *Function) {
	define := func(debugFunction ID) {
		if d.functions[debugFunction] == nil && d.byID[f] == 0 {
			d.functions[debugFunction] = f
			d.byID[f] = debugFunction
		}
	}
	if len(f.Blocks) == 0 {
		return
	}
	for i := f.Blocks[0].First; i < f.Blocks[0].Last; i++ {
		if n, ok := d.debugOp(i); ok && n == ShaderDebugFunctionDefinition && d.ref(i, 1) == f.ID {
			define(d.ref(i, 0))
		}
	}
}

// readScopes gives each instruction of a function its lexical scope: that of
// its DebugScope, or else of the function; a branch or merge after a
// DebugNoScope stays in the code around it.
func (d *debugReader) readScopes() {
	for i := range d.Insts {
		if n, ok := d.debugOp(i); ok && n == ShaderDebugFunction && d.Insts[i].Result != 0 {
			// OpenCL.DebugInfo.100 has the function after the scope line.
			if f := d.Function(d.ref(i, 9)); f != nil && d.byID[f] == 0 {
				d.functions[d.Insts[i].Result] = f
				d.byID[f] = d.Insts[i].Result
			}
		}
	}
	if len(d.Functions) > 0 {
		d.out.scope = make([]*LexicalScope, len(d.Insts))
	}
	for _, f := range d.Functions {
		whole := d.functionScope(f)
		last := map[*Block]*LexicalScope{} // that a block, or those before it, named last
		for _, b := range f.Blocks {
			if b.IDom != nil {
				last[b] = last[b.IDom]
			}
			scope, named := whole, false
			for i := b.First; i <= b.Last; i++ {
				if key, ok := d.scopeAt(i); ok {
					if scope = d.scope(key); scope != nil {
						last[b], named = scope, true
					} else {
						scope, named = whole, false
					}
				}
				d.out.scope[i] = scope
				if !named && last[b] != nil && (i == b.MergeInst || i == b.Last) {
					d.out.scope[i] = d.around(last[b], i)
				}
			}
		}
		for i := f.Index; len(f.Blocks) > 0 && i < f.Blocks[0].First; i++ {
			d.out.scope[i] = whole
		}
	}
}

// around gives the scope of a branch or merge that is in none, as optimisers end
// scopes before those: of the calls that s was inlined by, the one whose source
// the line of instruction i lies in. That is the function that begins last
// before it.
func (d *debugReader) around(s *LexicalScope, i int) *LexicalScope {
	pos := d.PosOf(i)
	best, begin := s, -1
	for ; s != nil; s = s.Inlined {
		f := s
		for f.Parent != nil && f.Kind != FunctionScope {
			f = f.Parent
		}
		if p := f.Pos; p.Line > begin && p.Line <= pos.Line && p.File == pos.File {
			best, begin = s, p.Line
		}
	}
	return best
}

// scopeAt reads instruction i as a DebugScope, or as a DebugNoScope with the
// zero key.
func (d *debugReader) scopeAt(i int) (key scopeKey, ok bool) {
	switch n, debug := d.debugOp(i); {
	case debug && n == ShaderDebugScope:
		return scopeKey{d.ref(i, 0), d.ref(i, 1)}, true
	case debug && n == ShaderDebugNoScope:
		return scopeKey{}, true
	}
	return scopeKey{}, false
}

// functionScope gives the scope of all of f: that of its DebugFunction, or
// one made of its OpName.
func (d *debugReader) functionScope(f *Function) *LexicalScope {
	if s := d.scope(scopeKey{id: d.byID[f]}); s != nil {
		return s
	}
	s := d.plain[f]
	if s == nil {
		name, _, _ := strings.Cut(d.Name(f.ID), "(") // glslang appends the parameter types
		s = &LexicalScope{Kind: FunctionScope, Name: name, Pos: d.PosOf(f.Index)}
		d.plain[f] = s
	}
	return s
}

// scope gives the instance of a scope, nil if key names none.
func (d *debugReader) scope(key scopeKey) *LexicalScope {
	if s, ok := d.scopes[key]; ok || key.id == 0 || len(d.scopes) >= maxScopes {
		return s
	}
	// A chain of parents or of inlined calls leads to earlier instructions
	// only, or is cut.
	d.scopes[key] = nil
	i := d.debugInst(key.id, ShaderDebugCompilationUnit, ShaderDebugFunction, ShaderDebugLexicalBlock,
		ShaderDebugLexicalBlockDiscriminator, ShaderDebugTypeComposite)
	if i < 0 {
		return nil
	}
	s := &LexicalScope{}
	parent := scopeKey{inlinedAt: key.inlinedAt}
	switch n, _ := d.debugOp(i); n {
	case ShaderDebugCompilationUnit:
		s.Kind, s.Name = UnitScope, d.file(d.ref(i, 2))
		s.Pos.File = s.Name
		key.inlinedAt, parent.inlinedAt = 0, 0
	case ShaderDebugFunction:
		s.Kind, s.Name, s.Pos = FunctionScope, d.name(d.ref(i, 0)), d.place(i, 2)
		if f := d.functions[key.id]; f != nil && !s.Pos.IsValid() {
			s.Pos = d.PosOf(f.Index)
		}
		parent = scopeKey{id: d.ref(i, 5)}
	case ShaderDebugLexicalBlock:
		s.Kind, s.Name, s.Pos = BlockScope, d.name(d.ref(i, 4)), d.place(i, 0)
		parent.id = d.ref(i, 3)
	case ShaderDebugLexicalBlockDiscriminator:
		s.Kind = BlockScope
		parent.id = d.ref(i, 2)
	case ShaderDebugTypeComposite:
		s.Kind, s.Name, s.Pos = TypeScope, d.name(d.ref(i, 0)), d.place(i, 2)
		parent = scopeKey{id: d.ref(i, 5)}
	}
	if d.Def(parent.id) < i {
		s.Parent = d.scope(parent)
	}
	if s.Kind == FunctionScope {
		d.functionIDs[s] = key.id
	} else if s.Parent != nil {
		d.functionIDs[s] = d.functionIDs[s.Parent]
	}
	if s.Kind == BlockScope && !s.Pos.IsValid() && s.Parent != nil {
		s.Pos = s.Parent.Pos
	}
	if key.inlinedAt != 0 && (s.Kind == FunctionScope || s.Kind == BlockScope) {
		s.Inlined, s.InlinedAt = d.inlinedAt(key.inlinedAt)
	}
	d.scopes[key] = s
	return s
}

// inlinedAt reads a DebugInlinedAt: the scope and position of the call.
func (d *debugReader) inlinedAt(id ID) (call *LexicalScope, pos diag.Pos) {
	i := d.debugInst(id, ShaderDebugInlinedAt)
	if i < 0 {
		return nil, diag.Pos{}
	}
	key := scopeKey{d.ref(i, 1), d.ref(i, 2)}
	if d.Def(key.id) >= i || d.Def(key.inlinedAt) >= i {
		return nil, diag.Pos{}
	}
	call = d.scope(key)
	return call, diag.Pos{File: d.sourceOf(key.id), Line: d.num(i, 0)}
}

// sourceOf gives the file that a scope lies in.
func (d *debugReader) sourceOf(scope ID) string {
	if i := d.debugInst(scope, ShaderDebugFunction, ShaderDebugTypeComposite); i >= 0 {
		return d.file(d.ref(i, 2))
	}
	if i := d.debugInst(scope, ShaderDebugLexicalBlock, ShaderDebugLexicalBlockDiscriminator); i >= 0 {
		return d.file(d.ref(i, 0))
	}
	if i := d.debugInst(scope, ShaderDebugCompilationUnit); i >= 0 {
		return d.file(d.ref(i, 2))
	}
	return ""
}
