package spirv

import (
	"strings"

	"ampdbg/diag"
)

// The instruction sets for debug information that are read. They number
// their instructions alike; NonSemantic.Shader.DebugInfo.100 gives numbers as
// ids of constants, OpenCL.DebugInfo.100 as literals.
const (
	shaderDebugInfo extSet = "NonSemantic.Shader.DebugInfo.100"
	openCLDebugInfo extSet = "OpenCL.DebugInfo.100"
)

// debugReader reads debug information into a DebugInfo. Debug information
// does not bear on what a module does, so what is malformed is left out, and
// never an error.
type debugReader struct {
	*Unit
	out         *DebugInfo
	scopes      map[scopeKey]*LexicalScope
	functions   map[ID]*Function     // by DebugFunction, from DebugFunctionDefinition
	byID        map[*Function]ID     // DebugFunction by function
	functionIDs map[*LexicalScope]ID // the DebugFunction around each scope
	plain       map[*Function]*LexicalScope
	locals      map[scopeKey]*Local
	order       map[ID][]*Local // instances by DebugLocalVariable or DebugGlobalVariable
	present     bool            // there is a DebugCompilationUnit
}

// readDebug resolves the module's debug information.
func (r *resolver) readDebug() {
	d := &debugReader{
		Unit:        r.Unit,
		out:         r.Debug,
		scopes:      map[scopeKey]*LexicalScope{},
		functions:   map[ID]*Function{},
		byID:        map[*Function]ID{},
		functionIDs: map[*LexicalScope]ID{},
		plain:       map[*Function]*LexicalScope{},
		locals:      map[scopeKey]*Local{},
		order:       map[ID][]*Local{},
	}
	d.readSources()
	d.readPositions()
	d.carryPositions()
	d.textPositions()
	for _, f := range d.Functions {
		d.findDefinition(f)
	}
	d.readScopes()
	if d.present {
		d.readVariables()
	} else {
		d.namedVariables()
	}
}

// debugOp gives the number of the debug instruction that instruction i is, in
// the shader set's numbering; false if it is none.
func (d *debugReader) debugOp(i int) (n uint32, ok bool) {
	in := &d.Insts[i]
	if in.Op != OpExtInst || len(in.Args) < 2 {
		return 0, false
	}
	switch lookup[extSet](d.Unit, ID(in.Args[0])) {
	case shaderDebugInfo:
		return in.Args[1], true
	case openCLDebugInfo:
		return in.Args[1], in.Args[1] < OpenCLDebugModuleINTEL
	}
	return 0, false
}

// debugInst gives the index of the debug instruction with the given id if it
// is one of kinds, else -1.
func (d *debugReader) debugInst(id ID, kinds ...uint32) int {
	i := d.Def(id)
	if i < 0 {
		return -1
	}
	n, ok := d.debugOp(i)
	if !ok {
		return -1
	}
	for _, k := range kinds {
		if n == k {
			return i
		}
	}
	return -1
}

// ref gives operand k (from 0, after the instruction's number) of debug
// instruction i as an id, 0 if it has no such operand.
func (d *debugReader) ref(i, k int) ID {
	if args := d.Insts[i].Args; k+2 < len(args) {
		return ID(args[k+2])
	}
	return 0
}

// num gives operand k of debug instruction i as a number, 0 if it has none.
func (d *debugReader) num(i, k int) int {
	args := d.Insts[i].Args
	if k+2 >= len(args) {
		return 0
	}
	if lookup[extSet](d.Unit, ID(args[0])) == openCLDebugInfo {
		return int(args[k+2])
	}
	if c := d.Const(ID(args[k+2])); c != nil && c.Type.Kind == Int {
		return int(uint32(c.Bits[0]))
	}
	return 0
}

// str gives the OpString of an id, "" if it is none.
func (d *debugReader) str(id ID) string {
	i := d.Def(id)
	if i < 0 || d.Insts[i].Op != OpString {
		return ""
	}
	s, _, _ := String(d.Insts[i].Args)
	return s
}

// name gives the OpString of an id as what a name must be to be shown: on one
// line, with escapes for what does not print.
func (d *debugReader) name(id ID) string { return diag.Printable(d.str(id)) }

// file gives the file name of a DebugSource.
func (d *debugReader) file(source ID) string {
	if i := d.debugInst(source, ShaderDebugSource); i >= 0 {
		return d.name(d.ref(i, 0))
	}
	return ""
}

// place gives the position whose source, line and column are the operands
// from k on of debug instruction i; no position if the line is 0.
func (d *debugReader) place(i, k int) diag.Pos {
	if d.num(i, k+1) == 0 {
		return diag.Pos{}
	}
	return diag.Pos{File: d.file(d.ref(i, k)), Line: d.num(i, k+1), Col: d.num(i, k+2)}
}

// readSources collects OpSource and DebugSource with their continuations. A
// file that both tell of counts once.
func (d *debugReader) readSources() {
	byName := map[string]*Source{}
	source := func(name string, language SourceLanguage) *Source {
		s := byName[name]
		if s == nil {
			s = &Source{Name: name, Language: language}
			byName[name] = s
			d.out.Sources = append(d.out.Sources, s)
		}
		return s
	}
	language := map[ID]SourceLanguage{}
	for i := range d.Insts {
		if n, ok := d.debugOp(i); ok && n == ShaderDebugCompilationUnit {
			d.present = true
			language[d.ref(i, 2)] = SourceLanguage(d.num(i, 3))
		}
	}
	for i := 0; i < len(d.Insts); i++ {
		in := &d.Insts[i]
		var s *Source
		var text strings.Builder
		if n, ok := d.debugOp(i); ok && n == ShaderDebugSource {
			s = source(d.name(d.ref(i, 0)), language[in.Result])
			text.WriteString(d.str(d.ref(i, 1)))
			for ; i+1 < len(d.Insts); i++ {
				if n, ok := d.debugOp(i + 1); !ok || n != ShaderDebugSourceContinued {
					break
				}
				text.WriteString(d.str(d.ref(i+1, 0)))
			}
		} else if in.Op == OpSource && len(in.Args) > 2 {
			s = source(d.name(ID(in.Args[2])), SourceLanguage(in.Args[0]))
			for k := 3; ; k = 0 {
				t, _, _ := String(d.Insts[i].Args[k:])
				text.WriteString(t)
				if i+1 == len(d.Insts) || d.Insts[i+1].Op != OpSourceContinued {
					break
				}
				i++
			}
		}
		if s != nil && s.Text == "" {
			s.Text = withoutPreamble(text.String())
		}
	}
}

// withoutPreamble drops the comments that glslang up to version 10 puts
// before a source text, up to their "#line 1": line numbers count from there.
func withoutPreamble(text string) string {
	if strings.HasPrefix(text, "// OpModuleProcessed ") {
		if _, rest, ok := strings.Cut(text, "\n#line 1\n"); ok {
			return rest
		}
	}
	return text
}

// readPositions gives each instruction the position of the DebugLine or
// OpLine in force: both hold up to the next one, to DebugNoLine or OpNoLine,
// or to the end of the block.
func (d *debugReader) readPositions() {
	var line, debugLine diag.Pos
	var pos []diag.Pos
	for i := range d.Insts {
		in := &d.Insts[i]
		n, debug := d.debugOp(i)
		switch {
		case in.Op == OpLine && len(in.Args) == 3:
			line = diag.Pos{}
			if in.Args[1] != 0 {
				line = diag.Pos{File: d.name(ID(in.Args[0])), Line: int(in.Args[1]), Col: int(in.Args[2])}
			}
		case in.Op == OpNoLine:
			line = diag.Pos{}
		case debug && n == ShaderDebugLine:
			debugLine = d.debugLine(i)
		case debug && n == ShaderDebugNoLine:
			debugLine = diag.Pos{}
		}
		at := line
		if debugLine.IsValid() {
			at = debugLine
		}
		if at.IsValid() {
			if pos == nil {
				pos = make([]diag.Pos, len(d.Insts))
			}
			pos[i] = at
		}
		if isTerminator(in.Op) {
			line, debugLine = diag.Pos{}, diag.Pos{}
		}
	}
	d.out.pos = pos
}

// debugLine reads the DebugLine i: source, first and last line, first and
// last column.
func (d *debugReader) debugLine(i int) diag.Pos {
	p := diag.Pos{File: d.file(d.ref(i, 0)), Line: d.num(i, 1), Col: d.num(i, 3)}
	if p.Line == 0 {
		return diag.Pos{}
	}
	if line, col := d.num(i, 2), d.num(i, 4); line > p.Line || line == p.Line && col > p.Col && p.Col > 0 {
		p.EndLine, p.EndCol = line, col
	}
	return p
}
