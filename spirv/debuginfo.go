package spirv

import "ampdbg/diag"

// DebugInfo is what a module says about its source: OpSource/OpLine, and
// NonSemantic.Shader.DebugInfo.100.
type DebugInfo struct {
	Sources []*Source
	Locals  []*Local // variables of all functions and of the module, in module order; one per inlined instance
	pos     []diag.Pos
	scope   []*LexicalScope
}

// Source is one source text.
type Source struct {
	Name     string
	Text     string // empty if the module does not carry it
	Language SourceLanguage
}

// ScopeKind tells the lexical scopes apart.
type ScopeKind uint8

// The kinds of scope.
const (
	UnitScope ScopeKind = iota
	FunctionScope
	BlockScope
	TypeScope
)

// LexicalScope is a lexical scope. Instances of a function that an optimiser inlined
// have one Scope each, with InlinedAt telling the call.
type LexicalScope struct {
	Kind      ScopeKind
	Name      string // FunctionScope: the source's name for the function
	Pos       diag.Pos
	Parent    *LexicalScope // nil for a compilation unit
	Inlined   *LexicalScope // scope of the call site when this scope is inlined there; nil otherwise
	InlinedAt diag.Pos      // position of the call
}

// Local is a source-level variable (local, parameter or global) and where its
// value is found.
type Local struct {
	Name    string
	Pos     diag.Pos
	Scope   *LexicalScope
	Type    *Type        // SPIR-V type of the value, nil if unknown
	Declare ID           // the OpVariable that holds it for its whole life (DebugDeclare), 0 if none
	At      int          // the DebugDeclare from which on it is in scope, 0 if unknown
	Global  ID           // the module-scope variable or constant (DebugGlobalVariable), 0 if none
	Values  []LocalValue // DebugValue: from instruction At on, the value is this id
}

// LocalValue is a DebugValue: from instruction At on (until the next one for
// the same variable and indexes), the value (or its part named by Indexes) is
// that of id Value; with Deref set, of the memory Value points to. Value 0:
// from At on, the value is not to be had.
type LocalValue struct {
	At      int
	Value   ID
	Indexes []uint32
	Deref   bool
}

// PosOf gives the source position of instruction inst, the zero Pos if the
// module does not tell. Its DebugLine counts where there is one, else its
// OpLine.
func (u *Unit) PosOf(inst int) diag.Pos {
	if inst < 0 || inst >= len(u.Debug.pos) {
		return diag.Pos{}
	}
	return u.Debug.pos[inst]
}

// ScopeOf gives the lexical scope of instruction inst: that of its
// DebugScope or, where there is none, of the function it lies in. nil outside
// functions.
func (u *Unit) ScopeOf(inst int) *LexicalScope {
	if inst < 0 || inst >= len(u.Debug.scope) {
		return nil
	}
	return u.Debug.scope[inst]
}

// Source gives the text of a source file that the module carries.
func (u *Unit) Source(file string) (text string, ok bool) {
	for _, s := range u.Debug.Sources {
		if s.Name == file && s.Text != "" {
			return s.Text, true
		}
	}
	return "", false
}
