package debugger

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ampdbg/debugger/expr"
	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// Value is the value of an expression at a thread, as text.
type Value struct {
	Text string
	Type string
	// Number is the value as a number, where it is a scalar.
	Number   float64
	IsNumber bool
}

// Eval computes an expression at the focus, in the chosen frame.
func (s *Session) Eval(e *Expr, f Format) (Value, error) {
	if _, err := s.live(); err != nil {
		return Value{}, err
	}
	return s.valueAt(e, s.viewpoint().thread(s.focus), f)
}

func (s *Session) valueAt(e *Expr, th *thread, f Format) (Value, error) {
	ev := evaluator{t: s.t}
	o, err := ev.eval(e.root, th)
	if err != nil {
		return Value{}, err
	}
	text, err := s.t.text(o, th, f)
	if err != nil {
		return Value{}, err
	}
	v := Value{Text: text, Type: s.t.typeOf(o, th)}
	if o.t.IsScalar() {
		bits, err := o.load(th)
		if err != nil {
			return v, err
		}
		v.Number, v.IsNumber = expr.AsFloat(o.t, bits[0]), true
	}
	return v, nil
}

// Set computes an assignment at the focus, which changes the machine's state
// from here on.
func (s *Session) Set(e *Expr) (Value, error) {
	if _, err := s.live(); err != nil {
		return Value{}, err
	}
	n, ok := e.root.(*expr.Assign)
	if !ok {
		return Value{}, fmt.Errorf("expected an assignment, such as x = 1")
	}
	th := s.viewpoint().thread(s.focus)
	id := s.focus
	finished := s.state(id).status == Finished
	// The changed places are noted, so that a replay changes them again.
	ev := evaluator{t: s.t, write: func(o operand, bits []uint64, th *thread) error {
		if (o.at.rows != nil || o.at.mem != nil && o.at.mem.Space == tilemem.TileStatic) && !s.running(s.focus.Tile) {
			return fmt.Errorf("the thread's tile does not run: to change its state has no effect")
		}
		if o.at.rows != nil && finished {
			return fmt.Errorf("the thread has finished: its variables cannot be set")
		}
		s.forget()
		if err := o.store(th, bits); err != nil {
			return err
		}
		s.t.changed(o.at)
		s.note(func(c *emu.Control) { s.storeAgain(c, id, o, bits) })
		return nil
	}}
	v, err := ev.eval(n, th)
	if err != nil {
		return Value{}, err
	}
	text, err := s.t.text(v, th, 0)
	return Value{Text: text, Type: typeName(s.t.u, v.t)}, err
}

// running reports whether a tile has started and not ended.
func (s *Session) running(tile uint64) bool {
	return slices.ContainsFunc(s.t.c.Resident(), func(t *warp.Tile) bool { return uint64(t.Index) == tile })
}

// storeAgain makes an assignment again in a replay.
func (s *Session) storeAgain(c *emu.Control, id ThreadID, o operand, bits []uint64) {
	th := &thread{tile: id.Tile, local: id.Local, lane: id.Local % s.t.p.Width, pc: -1}
	var t *warp.Tile
	if t = c.Tile(id.Tile); t != nil {
		th.w = t.Warps[id.Local/s.t.p.Width]
	}
	if o.at.rows == nil {
		p := *o.at
		if p.view != noView {
			v := c.View(t, p.view)
			p.data, p.mem = v.Data, v.Mem
		}
		o.at = &p
		s.t.changed(&p)
	}
	o.store(th, bits)
}

// Variable is a variable in scope, with its value at the focus.
type Variable struct {
	Name  string
	Value Value
	Err   error
	Scope string // local, private, tile_static, buffer, input
}

// Locals are the variables in scope at the focus.
func (s *Session) Locals() ([]Variable, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	th := s.threadIn(s.focus, s.frame)
	if st := s.state(s.focus).status; th.pc < 0 || st == NotStarted {
		return nil, fmt.Errorf("the focused thread is %s: it has no variables", st)
	}
	return s.variables(s.t.localNames(th), th, "local"), nil
}

// Globals are the buffers, tile_static and private variables of the kernel.
func (s *Session) Globals() ([]Variable, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	return s.variables(s.t.globalNames(), s.viewpoint().thread(s.focus), ""), nil
}

func (s *Session) variables(names []string, th *thread, scope string) []Variable {
	var out []Variable
	for _, n := range names {
		v := Variable{Name: n, Scope: scope}
		e, err := ParseExpr(n)
		if err == nil {
			ev := evaluator{t: s.t}
			var o operand
			if o, err = ev.eval(e.root, th); err == nil {
				if v.Scope == "" {
					v.Scope = s.scopeOf(o)
				}
				v.Value.Type = s.t.typeOf(o, th)
				v.Value.Text, err = s.shortText(o, th)
			}
		}
		v.Err = err
		out = append(out, v)
	}
	return out
}

// shortText writes an operand, of a long array its first elements.
func (s *Session) shortText(o operand, th *thread) (string, error) {
	if o.at != nil && o.at.views == nil && (o.t.Kind == spirv.RuntimeArray || o.t.Kind == spirv.Array) {
		n := o.t.Len
		if o.t.Kind == spirv.RuntimeArray {
			n = o.n
		}
		if n > 8 {
			f := formatter{u: s.t.u, views: s.t.c.Element, left: 8}
			f.out.WriteByte('{')
			for i := range 8 {
				part, err := o.child(i)
				if err != nil {
					return "", err
				}
				bits, err := part.load(th)
				if err != nil {
					return "", err
				}
				if i > 0 {
					f.out.WriteString(", ")
				}
				f.value(part.t, bits, part.n)
			}
			return fmt.Sprintf("%s, ... %d in all}", f.out.String(), n), nil
		}
	}
	return s.t.text(o, th, 0)
}

func (s *Session) scopeOf(o operand) string {
	switch {
	case o.at == nil:
		return "constant"
	case o.at.views != nil:
		return s.scopeOf(o.at.pick(o.at.views[0]))
	case o.at.rows != nil:
		return "private"
	case o.at.mem != nil:
		return o.at.mem.Space.String()
	case o.at.texels != nil:
		return "image"
	}
	return "buffer"
}

// Names lists what an expression at the focus may name, for completion.
func (s *Session) Names() []string {
	if s.t == nil {
		return nil
	}
	th := s.thread(s.focus)
	out := append(s.t.localNames(th), s.t.globalNames()...)
	for n := range builtins {
		out = append(out, n)
	}
	out = append(out, ownNames()...)
	slices.Sort(out)
	return slices.Compact(out)
}

// Functions and Files list what breakpoints can name.
func (s *Session) Functions() []string {
	if s.t == nil {
		return nil
	}
	return s.t.lines.functions()
}

// Files lists the source files that the kernel's code comes from.
func (s *Session) Files() []string {
	if s.t == nil {
		return nil
	}
	return s.t.lines.files()
}

// Column is a column of a table of threads: an expression with a heading.
type Column struct {
	Name string
	Expr *Expr
}

// Row is a thread with the values of a table's columns.
type Row struct {
	Thread Thread
	Values []Value
	Errs   []error
}

// Table asks for a table of expressions across threads.
type Table struct {
	Columns []Column
	Where   *Expr  // rows to show; may use the columns' names
	Sort    int    // column to sort by, from 1; negative: descending; 0: by thread
	Format  Format //
	Max     int    // rows; 0: all
}

// Across computes expressions in many threads: a parallel watch.
func (s *Session) Across(set ThreadSet, tb Table) ([]Row, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	var rows []Row
	var firstErr error
	vp := s.viewpoint()
	judged := 0 // threads that the filter had an answer for
	for _, id := range set {
		st := s.state(id)
		th := vp.thread(id)
		r := Row{Thread: s.describe(id, st)}
		for _, c := range tb.Columns {
			v, err := s.valueAt(c.Expr, th, tb.Format)
			firstErr = telling(firstErr, err)
			r.Values, r.Errs = append(r.Values, v), append(r.Errs, err)
		}
		if tb.Where != nil {
			ev := evaluator{t: s.t, columns: tb.Columns}
			yes, err := ev.truth(tb.Where.root, th)
			if err == nil {
				judged++
			}
			if firstErr = telling(firstErr, err); err != nil || !yes {
				continue
			}
		}
		rows = append(rows, r)
	}
	allFailed := len(rows) > 0 && firstErr != nil
	for _, r := range rows {
		for _, err := range r.Errs {
			allFailed = allFailed && err != nil
		}
	}
	if allFailed || len(rows) == 0 && firstErr != nil && !(judged > 0 && isAbsence(firstErr)) {
		return nil, firstErr
	}
	if k := tb.Sort; k != 0 {
		at := max(k, -k) - 1
		if at >= len(tb.Columns) {
			return nil, fmt.Errorf("no column %d to sort by", at+1)
		}
		slices.SortStableFunc(rows, func(a, b Row) int {
			x, y := a.Values[at], b.Values[at]
			c := cmp.Compare(x.Text, y.Text)
			if x.IsNumber && y.IsNumber {
				c = cmp.Compare(x.Number, y.Number)
			}
			if k < 0 {
				return -c
			}
			return c
		})
	}
	return rows, nil
}

// telling is the more telling of two errors: that a thread has no value says
// less than any other.
func telling(first, err error) error {
	if first == nil || err != nil && isAbsence(first) && !isAbsence(err) {
		return err
	}
	return first
}

func isAbsence(err error) bool {
	var a absence
	return errors.As(err, &a)
}

// Summary is what a column's numbers have in common.
type Summary struct {
	Min, Max  string
	Distinct  int
	Uniform   bool // all are the same
	IsNumeric bool
}

// Summarize sums a column of rows up.
func Summarize(rows []Row, column int) Summary {
	out := Summary{}
	seen := map[string]bool{}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		if r.Errs[column] != nil {
			continue
		}
		v := r.Values[column]
		seen[v.Text] = true
		if !v.IsNumber {
			continue
		}
		if v.Number < lo {
			lo, out.Min = v.Number, v.Text
		}
		if v.Number > hi {
			hi, out.Max = v.Number, v.Text
		}
		out.IsNumeric = true
	}
	out.Distinct = len(seen)
	out.Uniform = len(seen) == 1
	return out
}

// Threads of the sets that commands name.

// WarpThreads are the threads of the focused warp.
func (s *Session) WarpThreads() ThreadSet {
	width := s.t.p.Width
	first := s.focus.Local / width * width
	var out ThreadSet
	for l := first; l < min(first+width, s.t.tileSize()); l++ {
		out = append(out, ThreadID{s.focus.Tile, l})
	}
	return out
}

// TileThreads are the threads of the focused tile.
func (s *Session) TileThreads() ThreadSet {
	var out ThreadSet
	for l := range s.t.tileSize() {
		out = append(out, ThreadID{s.focus.Tile, l})
	}
	return out
}

// RunningThreads are the threads of all tiles that have started and not ended.
func (s *Session) RunningThreads() ThreadSet {
	var out ThreadSet
	for _, t := range s.t.c.Resident() {
		for l := range s.t.tileSize() {
			out = append(out, ThreadID{uint64(t.Index), l})
		}
	}
	return out
}

// Filter keeps the threads for which a condition holds.
func (s *Session) Filter(set ThreadSet, e *Expr) (ThreadSet, error) {
	var out ThreadSet
	ev := evaluator{t: s.t}
	var firstErr error
	vp := s.viewpoint()
	judged := 0
	for _, id := range set {
		yes, err := ev.truth(e.root, vp.thread(id))
		if firstErr = telling(firstErr, err); err == nil {
			judged++
		}
		if yes && err == nil {
			out = append(out, id)
		}
	}
	if len(out) == 0 && firstErr != nil && !(judged > 0 && isAbsence(firstErr)) {
		return nil, firstErr
	}
	return out, nil
}

// WithStatus keeps the threads that have a status.
func (s *Session) WithStatus(set ThreadSet, st Status) ThreadSet {
	var out ThreadSet
	for _, id := range set {
		if s.state(id).status == st {
			out = append(out, id)
		}
	}
	return out
}

// ActiveThreads are the threads that are about to execute the place of the
// last stop, with the focused one: the active lanes of its warp.
func (s *Session) ActiveThreads() ThreadSet { return s.WithStatus(s.WarpThreads(), Active) }

// FrozenThreads are those that are held back.
func (s *Session) FrozenThreads() ThreadSet { return s.WithStatus(s.RunningThreads(), Frozen) }

// Flag marks threads, or unmarks them.
func (s *Session) Flag(set ThreadSet, on bool) {
	for _, id := range set {
		if on {
			s.flags[flag{s.t.number, id}] = true
		} else {
			delete(s.flags, flag{s.t.number, id})
		}
	}
}

// Flagged are the marked threads.
func (s *Session) Flagged() ThreadSet {
	var out ThreadSet
	for f := range s.flags {
		if f.dispatch == s.t.number {
			out = append(out, f.ThreadID)
		}
	}
	slices.SortFunc(out, func(a, b ThreadID) int {
		return cmp.Or(cmp.Compare(a.Tile, b.Tile), cmp.Compare(a.Local, b.Local))
	})
	return out
}

// LastFinding is the finding of the last stop, nil if it was for another
// reason.
func (s *Session) LastFinding() *diag.Finding {
	if s.stop == nil {
		return nil
	}
	return s.stop.Finding
}

var nan = math.NaN()

var errNoSource = errors.New("the source text is not to be had")

// TypeOf is the type of an expression at the focus.
func (s *Session) TypeOf(e *Expr) (string, error) {
	if _, err := s.live(); err != nil {
		return "", err
	}
	th := s.viewpoint().thread(s.focus)
	ev := evaluator{t: s.t}
	o, err := ev.eval(e.root, th)
	if err != nil {
		return "", err
	}
	where := ""
	if o.at != nil {
		where = ", " + s.scopeOf(o)
	}
	members := ""
	if o.t.Kind == spirv.Struct && !o.isImage() && (o.at == nil || o.at.views == nil) {
		var list []string
		for i := range o.t.Members {
			list = append(list, typeName(s.t.u, o.t.Members[i].Type)+" "+o.t.Members[i].Name)
		}
		members = " {" + strings.Join(list, "; ") + "}"
	}
	return s.t.typeOf(o, th) + members + where, nil
}
