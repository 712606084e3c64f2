package program

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"ampdbg/spirv"
)

// DumpOptions say what Dump shows besides the program.
type DumpOptions struct {
	// View gives the name of a view; where it gives none, or is nil, views are
	// numbers.
	View func(view int) string
	// Before gives a line to print before the operation at pc, "" for none.
	Before func(pc int) string
	// Beside gives what to print beside the operation at pc, "" for nothing.
	Beside func(pc int) string
}

// Dump writes the program as text for people, an operation a line: its pc, the
// rows that it writes, its name, and what it reads. Row r7 is the one that begins
// at element 7 times the stride; constants are their values and the rows of
// variables have their names; addresses stand in brackets, and @7 is the
// operation at pc 7.
//
//	12  r14 = load32 [data + r4:i32*4 + 16]
//	13  branch_slt i, 16 @14 else @20             ; 3 steps
//
// The text depends on nothing but the program and the options.
func (p *Program) Dump(w io.Writer, opt DumpOptions) error {
	d := newDumper(p, opt)
	out := bufio.NewWriter(w)
	d.head(out)
	frame := int32(0)
	for pc := range p.Code {
		if pc < len(p.Frame) && p.Frame[pc] != frame {
			frame = p.Frame[pc]
			fmt.Fprintf(out, "; in %s\n", d.frame(frame))
		}
		if opt.Before != nil {
			if line := opt.Before(pc); line != "" {
				fmt.Fprintln(out, line)
			}
		}
		text := fmt.Sprintf("%6d  %s", pc, d.op(pc))
		if notes := d.notes(pc, opt); notes != "" {
			text = fmt.Sprintf("%-58s ; %s", text, notes)
		}
		fmt.Fprintln(out, text)
	}
	return out.Flush()
}

// dumper knows what the rows and places of a program are called.
type dumper struct {
	p      *Program
	view   func(view int) string
	consts map[uint32]uint64 // by element
	undefs map[uint32]bool
	vars   []string   // by index into Program.Vars
	names  []string   // by row number: that of the variable, and the row in it
	flow   *FlowGraph // nil if the program is malformed
}

func newDumper(p *Program, opt DumpOptions) *dumper {
	d := &dumper{p: p, view: opt.View, consts: map[uint32]uint64{}, undefs: map[uint32]bool{}, names: make([]string, p.Rows)}
	for _, c := range p.Consts {
		d.consts[c.Row] = c.Bits
	}
	for _, u := range p.Undefs {
		d.undefs[u.Row] = true
	}
	seen := map[string]int{}
	for i := range p.Vars {
		v := &p.Vars[i]
		name := d.id(v.ID)
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s#%d", name, seen[name])
		}
		d.vars = append(d.vars, name)
		for k := range int(v.Rows) {
			if row := int(v.Row) + k; row < len(d.names) {
				if d.names[row] = name; v.Rows > 1 {
					d.names[row] = fmt.Sprintf("%s[%d]", name, k)
				}
			}
		}
	}
	if p.Check() == nil {
		d.flow = p.Flow()
	}
	return d
}

// id names an id of the module.
func (d *dumper) id(id spirv.ID) string {
	u := d.p.Unit
	if u == nil {
		return fmt.Sprintf("%%%d", id)
	}
	if v := u.Var(id); v != nil && v.Storage != spirv.StorageClassFunction {
		return u.VariableName(v)
	}
	if name := u.Name(id); name != "" {
		return name
	}
	return u.DisplayName(id)
}

// function names the function of a frame.
func (d *dumper) function(frame int32) string {
	if f := &d.p.Frames[frame]; f.Function != nil {
		return d.id(f.Function.ID)
	}
	return fmt.Sprintf("frame %d", frame)
}

// frame names an inlined activation, from the inside out.
func (d *dumper) frame(frame int32) string {
	var names []string
	for f := frame; f >= 0; f = d.p.Frames[f].Parent {
		names = append(names, d.function(f))
	}
	return strings.Join(names, ", called by ")
}

// head writes what is not in the operations.
func (d *dumper) head(out io.Writer) {
	p := d.p
	fmt.Fprintf(out, "; %s: %d operations from @%d on, for warps of %d in tiles of %dx%dx%d; %d rows of %d elements, from r%d on scratch\n",
		d.entry(), len(p.Code), p.Entry, p.Width, p.TileSize[0], p.TileSize[1], p.TileSize[2], p.Rows, p.Stride, p.Scratch/uint32(p.Stride))
	for i := range p.Vars {
		v := &p.Vars[i]
		text := fmt.Sprintf("%s = %s: %v", d.vars[i], d.rowNumbers(uint32(v.Row), uint32(v.Rows)), v.Storage)
		if v.Type != nil {
			text += fmt.Sprintf(" %v", v.Type)
		}
		for _, b := range p.Builtins {
			if len(b.Rows) > 0 && b.Rows[0] == uint32(v.Row)*uint32(p.Stride) {
				text += fmt.Sprintf(" (%v)", b.BuiltIn)
			}
		}
		if v.Frame > 0 {
			text += " of " + d.frame(v.Frame)
		}
		fmt.Fprintf(out, "; %s\n", text)
	}
}

func (d *dumper) entry() string {
	if len(d.p.Frames) == 0 {
		return "program"
	}
	return d.function(0)
}

// notes are what is printed beside an operation.
func (d *dumper) notes(pc int, opt DumpOptions) string {
	var notes []string
	op := &d.p.Code[pc]
	if op.Code < NumCodes && table[op.Code].Effects&EffectCount != 0 && op.Imm != 0 {
		notes = append(notes, plural(op.Imm, "step"))
	}
	if opt.Beside != nil {
		if text := opt.Beside(pc); text != "" {
			notes = append(notes, text)
		}
	}
	return strings.Join(notes, "; ")
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// op is the text of an operation.
func (d *dumper) op(pc int) string {
	p, op := d.p, &d.p.Code[pc]
	if op.Code >= NumCodes {
		return op.Code.String()
	}
	info := &table[op.Code]
	var reads, writes []string
	p.Touches(op, func(r RowRun) {
		switch {
		case r.Writes():
			writes = append(writes, d.run(r.At, r.N, Kind{}))
		case r.Role != RoleAddress && r.Role != RoleIndex:
			reads = append(reads, d.run(r.At, r.N, d.kind(op)))
		}
	})
	args := strings.Join(reads, ", ")
	if info.variable != RoleNone { // the variable as a whole is among them
		v, _ := op.Part()
		args, writes = fmt.Sprintf("%s[%s]", d.vars[v.Var], d.sum("", v.First, v.Term)), nil
		if value := d.run(v.Value, op.N*uint32(p.Stride), Kind{}); v.Store {
			args += ", " + value
		} else {
			writes = []string{value}
		}
	}
	switch info.form {
	case targetsForm:
		args = d.targets(op, args)
	case switchForm:
		args = d.switchTargets(&p.Switches[op.X], args)
	case constructForm:
		args = d.construct(op.X)
	case levelForm:
		args = d.leaves(pc)
	case syncForm:
		args = d.sync(op)
	case accessForm:
		args = d.access(op, args)
	case pointerForm:
		base := d.viewName(int(op.X))
		if info.a.role != RoleNone {
			base = d.row(op.A, Kind{})
		}
		args = d.sum(base, op.Imm, op.Term())
		if info.a.role == RoleNone || op.Flag == 0 {
			args = "[" + args + "]"
		}
	case elementForm:
		a := &p.Arrays[op.X]
		args = fmt.Sprintf("[%s]", d.sum(fmt.Sprintf("%s[%s of %d]", d.id(a.ID), d.row(op.B, Kind{}), a.Len), op.Imm, op.Term()))
	case handleForm:
		args = fmt.Sprintf("%s[%s of %d]", d.row(op.A, Kind{}), d.row(op.B, Kind{}), op.X)
	case lengthForm:
		base := d.viewName(int(op.X))
		if op.Flag != 0 {
			base = d.row(op.A, Kind{})
		}
		args = fmt.Sprintf("[%s] / %d", d.sum(base, op.Imm), op.Y)
	case functionForm:
		return fmt.Sprintf("%s = %v(%s)", strings.Join(writes, ", "), p.Functions[op.X], args)
	case callForm:
		return fmt.Sprintf("%s = %v(%s)", strings.Join(writes, ", "), p.Calls[op.X].Fn, args)
	case groupForm:
		args = d.group(&p.Groups[op.X])
	case imageForm:
		args = d.image(&p.ImageOps[op.X])
	case printfForm:
		args = strings.TrimSuffix(fmt.Sprintf("%q, %s", p.Printfs[op.X].Format, args), ", ")
	case indexForm:
		i := &p.Indexes[op.X]
		args = fmt.Sprintf("%s < %d of %s", d.term(Term{op.C, op.Sh, 1}), i.Len, i.Path)
	case definedForm:
		args = d.defined(&p.Defined[op.X])
		if op.Code == MarkUndefined {
			args += fmt.Sprintf(" but for %#x", op.C)
		}
	}
	text := strings.TrimSuffix(info.Name+" "+args, " ")
	if len(writes) > 0 {
		text = strings.Join(writes, ", ") + " = " + text
	}
	return text
}

// kind is that of an operation's operands, if they are of one that is known.
func (d *dumper) kind(op *Op) Kind {
	switch op.Code {
	case Call1, Call2, Call3:
		return d.p.Functions[op.X].Src
	case CallN:
		return d.p.Calls[op.X].Fn.Src
	}
	return table[op.Code].kind
}

// rowNumbers is the text of n rows from one on.
func (d *dumper) rowNumbers(first, n uint32) string {
	if n == 1 {
		return fmt.Sprintf("r%d", first)
	}
	return fmt.Sprintf("r%d..%d", first, first+n-1)
}

// row is the row that begins at an element: the value of a constant, the name of
// a variable, or a number.
func (d *dumper) row(element uint32, k Kind) string {
	n := element / uint32(d.p.Stride)
	switch bits, constant := d.consts[element]; {
	case d.undefs[element]:
		return "undef"
	case constant:
		return number(bits, k)
	case int(n) < len(d.names) && d.names[n] != "":
		return d.names[n]
	}
	return d.rowNumbers(n, 1)
}

func (d *dumper) rows(elements []uint32, k Kind) string {
	texts := make([]string, len(elements))
	for i, e := range elements {
		texts[i] = d.row(e, k)
	}
	return strings.Join(texts, ", ")
}

// run is a run of n elements: a range where all of its rows have numbers.
func (d *dumper) run(at, n uint32, k Kind) string {
	stride := uint32(d.p.Stride)
	var texts []string
	numbered := true
	for i := uint32(0); i < n; i += stride {
		text := d.row(at+i, k)
		numbered = numbered && text == d.rowNumbers((at+i)/stride, 1)
		texts = append(texts, text)
	}
	switch {
	case len(texts) == 1:
		return texts[0]
	case numbered:
		return d.rowNumbers(at/stride, n/stride)
	}
	if first := texts[0]; strings.HasSuffix(first, "[0]") {
		for i := range d.p.Vars { // a variable as a whole
			if v := &d.p.Vars[i]; uint32(v.Row) == at/stride && uint32(v.Rows) == n/stride {
				return d.vars[i]
			}
		}
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// number is the value of a constant.
func number(bits uint64, k Kind) string {
	switch {
	case k == f32:
		return fmt.Sprint(math.Float32frombits(uint32(bits)))
	case k == f64:
		return fmt.Sprint(math.Float64frombits(bits))
	case k.Signed && k.Width > 0 && k.Width < 64:
		return fmt.Sprint(int64(bits<<(64-k.Width)) >> (64 - k.Width))
	case bits < 1<<16:
		return fmt.Sprint(bits)
	}
	return fmt.Sprintf("%#x", bits)
}

// term is an index, with the type that it is extended from.
func (d *dumper) term(t Term) string {
	if bits, ok := d.consts[t.Row]; ok && !d.undefs[t.Row] {
		return fmt.Sprint(Term{t.Row, t.Sh, 1}.Of(bits))
	}
	text := d.row(t.Row, Kind{})
	if t.Sh != 0 {
		text += fmt.Sprintf(":i%d", 64-int(t.Sh))
	}
	return text
}

// sum is a base, unless that is empty, plus an offset and terms.
func (d *dumper) sum(base string, off int64, terms ...Term) string {
	var parts []string
	if base != "" {
		parts = append(parts, base)
	}
	for _, t := range terms {
		switch {
		case t.Stride == 1:
			parts = append(parts, d.term(t))
		case t.Stride != 0:
			parts = append(parts, fmt.Sprintf("%s*%d", d.term(t), t.Stride))
		}
	}
	if off != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprint(off))
	}
	return strings.Join(parts, " + ")
}

func (d *dumper) viewName(view int) string {
	if d.view != nil {
		if name := d.view(view); name != "" {
			return name
		}
	}
	return fmt.Sprintf("view %d", view)
}

// access is the address of a memory operation, with what is stored and what else
// there is to say of it.
func (d *dumper) access(op *Op, values string) string {
	a, _ := d.p.Access(op)
	base := d.viewName(int(a.View))
	if a.Pointer != NoRow {
		base = d.row(a.Pointer, Kind{})
	}
	text := "[" + d.sum(base, a.Offset, a.Terms[:]...) + "]"
	switch info := d.p.AtomicOf(op); {
	case info != nil:
		text = d.atomic(info, text)
	case a.Kind == StoreAccess:
		text += ", " + values
	}
	if d.p.AtomicOf(op) == nil && a.Pointer != NoRow {
		text += fmt.Sprintf(" of %d bytes", a.Width)
	}
	if a.Align > 1 {
		text += fmt.Sprintf(", aligned to %d", a.Align)
	}
	return text
}

// atomic is an atomic instruction at a place.
func (d *dumper) atomic(a *AtomicInfo, place string) string {
	text := fmt.Sprintf("%v %s", a.Op, place)
	a.rows(func(_ Role, rows ...uint32) { text += ", " + d.rows(rows, Kind{}) })
	text += fmt.Sprintf(" of %d bytes, %v %v", a.Size, a.Scope, spirv.MemorySemantics(a.Semantics))
	if a.Op == AtomicCompareExchange {
		text += fmt.Sprintf(" (%v if unequal)", spirv.MemorySemantics(a.Unequal))
	}
	if a.Unused {
		text += ", unused"
	}
	if a.Volatile {
		text += ", volatile"
	}
	return text
}

func (d *dumper) targets(op *Op, operands string) string {
	if table[op.Code].Flow == FlowJump {
		return fmt.Sprintf("@%d", op.X)
	}
	merge := func(flag uint8) string {
		if op.Flag == flag {
			return " (merge)"
		}
		return ""
	}
	return fmt.Sprintf("%s @%d%s else @%d%s", operands, op.X, merge(TrueIsMerge), op.Y, merge(FalseIsMerge))
}

func (d *dumper) switchTargets(s *SwitchInfo, selector string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:u%d", selector, bits.Len64(s.Mask))
	for i, v := range s.Values {
		fmt.Fprintf(&b, ", %d @%d", v, s.Targets[i])
	}
	fmt.Fprintf(&b, ", else @%d", s.Targets[len(s.Values)])
	return b.String()
}

var constructNames = [...]string{"selection", "switch", "loop", "call"}

func (d *dumper) construct(n int32) string {
	c := &d.p.Constructs[n]
	text := fmt.Sprintf("%s %d", constructNames[c.Kind], n)
	if c.Merge >= 0 {
		text += fmt.Sprintf(", merge @%d", c.Merge)
	}
	if c.Kind == LoopConstruct {
		text += fmt.Sprintf(", continue @%d, header @%d", c.Cont, c.Header)
	}
	return text
}

// leaves says where an operation goes that leaves constructs.
func (d *dumper) leaves(pc int) string {
	op := &d.p.Code[pc]
	to := fmt.Sprintf("@%d", op.Y)
	if op.X != 0 {
		to = "?"
		if d.flow != nil && len(d.flow.Succs[pc]) > 0 {
			to = fmt.Sprintf("@%d", d.flow.Succs[pc][0])
		}
		to += fmt.Sprintf(", %d out", op.X)
	}
	return to
}

func (d *dumper) sync(op *Op) string {
	s, _ := op.Sync()
	memory := fmt.Sprintf("%v %v", s.Memory, spirv.MemorySemantics(s.Semantics))
	if op.Code == Fence {
		return memory
	}
	return fmt.Sprintf("%v, memory %s", s.Execution, memory)
}

func (d *dumper) group(g *GroupInfo) string {
	text := strings.TrimPrefix(g.Op.String(), "OpGroupNonUniform")
	if g.Fn != (Symbol{}) {
		text += fmt.Sprintf(" %v", g.Fn)
	}
	if g.Kind != 0 || g.Fn != (Symbol{}) && g.Op != spirv.OpGroupNonUniformAllEqual {
		text += fmt.Sprintf(" %v", g.Kind)
	}
	if g.Cluster != 0 {
		text += fmt.Sprintf(" by %d", g.Cluster)
	}
	if len(g.A) > 0 {
		text += " " + d.rows(g.A, g.Fn.Src)
	}
	if g.readsB() {
		text += ", " + d.row(g.B, Kind{})
	}
	return text
}

func (d *dumper) image(i *ImageInfo) string {
	text := strings.TrimPrefix(i.Op.String(), "OpImage") + " " + d.row(i.Handle, Kind{})
	if len(i.Coord) > 0 {
		text += fmt.Sprintf("[%s]", d.rows(i.Coord, i.CoordKind))
	}
	if i.Proj {
		text += " projected"
	}
	if i.Atomic != nil {
		text = d.atomic(i.Atomic, text)
	}
	if len(i.Value) > 0 {
		text += ", " + d.rows(i.Value, i.ValueKind)
	}
	for _, o := range []struct {
		name string
		row  uint32
		kind Kind
	}{{"dref", i.Dref, f32}, {"lod", i.Lod, i.LodKind}, {"minlod", i.MinLOD, i.LodKind}, {"sample", i.Sample, Kind{}}, {"component", i.Component, Kind{}}} {
		if o.row != NoRow {
			text += fmt.Sprintf(" %s %s", o.name, d.row(o.row, o.kind))
		}
	}
	for _, o := range []struct {
		name string
		rows []uint32
		kind Kind
	}{{"dx", i.GradX, i.CoordKind}, {"dy", i.GradY, i.CoordKind}, {"offset", i.Offset, i32}} {
		if o.rows != nil {
			text += fmt.Sprintf(" %s (%s)", o.name, d.rows(o.rows, o.kind))
		}
	}
	if i.Offsets != nil {
		text += fmt.Sprintf(" offsets %v", *i.Offsets)
	}
	return text
}

// defined is the test whether an operation has a defined result.
func (d *dumper) defined(t *DefinedInfo) string {
	test := ""
	switch t.Test.Form {
	case TestLanes:
		if test = "same in all lanes"; t.Group >= 0 {
			test = "active lanes of " + d.group(&d.p.Groups[t.Group])
		}
	case TestSymbol:
		test = t.Test.Symbol.String()
	case TestBelow:
		test = fmt.Sprintf("below %d", t.Test.N)
	case TestTrue:
		test = "true"
	case TestAnyLane:
		test = fmt.Sprintf("any of %d lanes", t.Test.N)
	}
	for _, rows := range t.In {
		test += fmt.Sprintf(" (%s)", d.rows(rows, t.Test.Symbol.Src))
	}
	var why []string
	for r := range reasonNames {
		if t.Reasons>>r&1 != 0 {
			why = append(why, Reason(r).String())
		}
	}
	return test + ": " + strings.Join(why, ", ")
}
