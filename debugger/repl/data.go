package repl

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ampdbg/debugger"
	"ampdbg/diag"
)

// format reads "/x" off the front of args; count is a number before the
// letter, as in x/16x.
func format(args string) (f debugger.Format, count int, rest string, err error) {
	if !strings.HasPrefix(args, "/") {
		return 0, 0, args, nil
	}
	spec, rest, _ := strings.Cut(args[1:], " ")
	i := 0
	for i < len(spec) && spec[i] >= '0' && spec[i] <= '9' {
		i++
	}
	if i > 0 {
		if count, err = strconv.Atoi(spec[:i]); err != nil {
			return 0, 0, "", wrong("%s is too large a count", spec[:i])
		}
	}
	if spec[i:] != "" {
		f, err = debugger.ParseFormat(spec[i:])
	}
	return f, count, strings.TrimSpace(rest), err
}

// unitSizes are gdb's letters for the size of an element of memory.
var unitSizes = map[byte]int{'b': 1, 'h': 2, 'w': 4, 'g': 8}

// unit takes the size letter off a format such as /16xb, if it has one behind
// its other letter, or is none but h, w or g.
func unit(args string) (size int, rest string) {
	if !strings.HasPrefix(args, "/") {
		return 0, args
	}
	spec, _, _ := strings.Cut(args, " ")
	letters := strings.TrimLeft(spec[1:], "0123456789")
	if n := len(letters); n == 2 || n == 1 && letters != "b" {
		if size = unitSizes[letters[n-1]]; size > 0 {
			return size, args[:len(spec)-1] + args[len(spec):]
		}
		if size = unitSizes[letters[0]]; n == 2 && size > 0 {
			return size, args[:len(spec)-2] + args[len(spec)-1:]
		}
	}
	return 0, args
}

func (r *Repl) cmdPrint(args string) error {
	f, _, args, err := format(args)
	if err != nil {
		return err
	}
	if args == "" {
		return wrong("expected an expression")
	}
	e, err := debugger.ParseExpr(args)
	if err != nil {
		return err
	}
	if e.Assigns() {
		return r.assign(e)
	}
	text, err := r.eval(e, f)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.out, "%s = %s\n", e.Text, text)
	return nil
}

// eval computes an expression at the focus, as text.
func (r *Repl) eval(e *debugger.Expr, f debugger.Format) (string, error) {
	at, err := r.at()
	if err != nil {
		return "", err
	}
	v, err := at.EvalAt(r.focus, r.frame, e)
	if err != nil {
		return "", err
	}
	return v.Text(f)
}

func (r *Repl) cmdWhatis(args string) error {
	if args == "" {
		return wrong("expected an expression")
	}
	e, err := debugger.ParseExpr(args)
	if err != nil {
		return err
	}
	at, err := r.at()
	if err != nil {
		return err
	}
	v, err := at.EvalAt(r.focus, r.frame, e)
	if err != nil {
		return err
	}
	text, err := v.Declaration()
	if err != nil {
		return err
	}
	fmt.Fprintf(r.out, "%s is %s\n", e.Text, text)
	return nil
}

func (r *Repl) cmdSet(args string) error {
	args = strings.TrimPrefix(args, "var ")
	if args == "" {
		return wrong("expected an assignment, such as set x = 1")
	}
	e, err := debugger.ParseExpr(args)
	if err != nil {
		return err
	}
	return r.assign(e)
}

func (r *Repl) assign(e *debugger.Expr) error {
	at, err := r.at()
	if err != nil {
		return err
	}
	v, err := at.AssignAt(r.focus, r.frame, e)
	if err != nil {
		return err
	}
	text, err := v.Text(0)
	if err != nil {
		return err
	}
	to, _, _ := strings.Cut(e.Text, "=")
	fmt.Fprintf(r.out, "%s = %s\n", strings.TrimRight(to, " +-*/%&|^<>"), text)
	return nil
}

func (r *Repl) cmdDisplay(args string) error {
	if args == "" {
		r.showDisplays()
		return nil
	}
	f, _, args, err := format(args)
	if err != nil {
		return err
	}
	e, err := debugger.ParseExpr(args)
	if err != nil {
		return err
	}
	r.lastDisp++
	r.displays = append(r.displays, display{r.lastDisp, e, f})
	r.showDisplay(r.displays[len(r.displays)-1])
	return nil
}

func (r *Repl) showDisplays() {
	for _, d := range r.displays {
		r.showDisplay(d)
	}
}

func (r *Repl) showDisplay(d display) {
	text, err := r.eval(d.expr, d.format)
	if err != nil {
		text = "<" + err.Error() + ">"
	}
	fmt.Fprintf(r.out, "%d: %s = %s\n", d.id, d.expr.Text, text)
}

func (r *Repl) cmdUndisplay(args string) error {
	if args == "" {
		r.displays = nil
		return nil
	}
	for _, w := range strings.Fields(args) {
		id, err := strconv.Atoi(w)
		found := false
		for i, d := range r.displays {
			if err == nil && d.id == id {
				r.displays = append(r.displays[:i:i], r.displays[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			return fmt.Errorf("no display %s", w)
		}
	}
	return nil
}

func (r *Repl) cmdLocals(string) error {
	at, err := r.at()
	if err != nil {
		return err
	}
	list, err := at.LocalsAt(r.focus, r.frame)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(r.out, "no variables in scope here")
	}
	r.variables(list, false)
	return nil
}

func (r *Repl) cmdGlobals(string) error {
	at, err := r.at()
	if err != nil {
		return err
	}
	list, err := at.GlobalsAt(r.focus, r.frame)
	if err != nil {
		return err
	}
	r.variables(list, true)
	return nil
}

func (r *Repl) variables(list []debugger.Variable, scope bool) {
	for _, v := range list {
		text, err := "", v.Err
		if err == nil {
			text, err = v.Value.Short()
		}
		if err != nil {
			text = "<" + err.Error() + ">"
		}
		space := ""
		if scope && v.Scope != "" {
			space = v.Scope + " "
		}
		fmt.Fprintf(r.out, "%s%s %s = %s\n", space, v.Value.Type, v.Name, text)
	}
}

func (r *Repl) cmdMemory(args string) error {
	size, args := unit(args)
	f, n, args, err := format(args)
	if err != nil {
		return err
	}
	if args == "" {
		return wrong("expected what lies in memory, such as x/16x sums[0]")
	}
	e, err := debugger.ParseExpr(args)
	if err != nil {
		return err
	}
	if n == 0 {
		n = 32
	}
	at, err := r.at()
	if err != nil {
		return err
	}
	m, err := at.MemoryAt(r.focus, r.frame, e, n, size, f)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.out, "%s: %s, from byte %d\n", m.Name, m.Type, m.Off)
	per := max(1, 16/max(m.Size, 1))
	width := 0
	for _, t := range m.Elems {
		width = max(width, len(t))
	}
	for i := 0; i < len(m.Elems); i += per {
		var hex, typed, text strings.Builder
		for k := i; k < min(i+per, len(m.Elems)); k++ {
			for b := m.Size - 1; b >= 0; b-- {
				fmt.Fprintf(&hex, "%02x", m.Bytes[k*m.Size+b])
			}
			hex.WriteByte(' ')
			fmt.Fprintf(&typed, " %*s", width, m.Elems[k])
			for b := range m.Size {
				c := m.Bytes[k*m.Size+b]
				if c < ' ' || c > '~' {
					c = '.'
				}
				text.WriteByte(c)
			}
		}
		fmt.Fprintf(r.out, "%6d: %-*s %s\n", m.Off+int64(i*m.Size), per*(2*m.Size+1)+1, hex.String(), strings.TrimRight(fmt.Sprintf("%-*s  %s", per*(width+1), typed.String(), text.String()), " "))
	}
	return nil
}

// tableOptions are the flags of table.
type tableOptions struct {
	set   debugger.ThreadSet
	where *debugger.Expr
	sort  string
	csv   string
	max   int
}

// tableArgs takes the flags of table off its arguments.
func (r *Repl) tableArgs(args string) (o tableOptions, rest string, err error) {
	o.max = 128
	set := "tile"
	var filter *debugger.Expr
	for strings.HasPrefix(args, "-") {
		flag, after, _ := strings.Cut(args, " ")
		after = strings.TrimSpace(after)
		take := func() (string, error) {
			if after == "" {
				return "", wrong("%s needs a value", flag)
			}
			if after[0] == '"' || after[0] == '\'' {
				i := strings.IndexByte(after[1:], after[0])
				if i < 0 {
					return "", wrong("a quote without its end")
				}
				v := after[1 : 1+i]
				after = strings.TrimSpace(after[i+2:])
				return v, nil
			}
			v, more, _ := strings.Cut(after, " ")
			after = strings.TrimSpace(more)
			return v, nil
		}
		var v string
		switch strings.TrimLeft(flag, "-") {
		case "warp", "tile", "all", "flagged", "active", "grid":
			set = strings.TrimLeft(flag, "-")
		case "where":
			if v, err = take(); err == nil {
				o.where, err = debugger.ParseExpr(v)
			}
		case "threads":
			if v, err = take(); err == nil {
				filter, err = debugger.ParseExpr(v)
			}
		case "sort":
			o.sort, err = take()
		case "csv":
			o.csv, err = take()
		case "max":
			if v, err = take(); err == nil {
				if o.max, err = strconv.Atoi(v); err != nil || o.max < 0 {
					err = wrong("expected a number of rows after --max, found %q", v)
				}
			}
		default:
			return o, "", wrong("no flag %s", flag)
		}
		if err != nil {
			return o, "", err
		}
		args = after
	}
	if o.set, err = r.threadSet(set); err == nil && filter != nil {
		var at *debugger.Stopped
		if at, err = r.at(); err == nil {
			o.set, err = at.Filter(r.focus, r.frame, o.set, filter)
		}
	}
	return o, args, err
}

func (r *Repl) cmdTable(args string) error {
	f, _, args, err := format(args)
	if err != nil {
		return err
	}
	o, args, err := r.tableArgs(args)
	if err != nil {
		return err
	}
	if args == "" {
		return wrong("expected expressions, such as table i, sums[i]")
	}
	tb := debugger.Table{Where: o.where, Format: f}
	for _, text := range commas(args) {
		if text == "" {
			return wrong("expected an expression before and after each comma, found %q", args)
		}
		c := debugger.Column{Name: text}
		if name, expr, ok := strings.Cut(text, ":"); ok && isWord(strings.TrimSpace(name)) && !strings.HasPrefix(expr, ":") {
			c.Name, text = strings.TrimSpace(name), expr
		}
		if c.Expr, err = debugger.ParseExpr(text); err != nil {
			return err
		}
		tb.Columns = append(tb.Columns, c)
	}
	if tb.Sort, err = sortColumn(o.sort, tb.Columns); err != nil {
		return err
	}
	at, err := r.at()
	if err != nil {
		return err
	}
	rows, err := at.Across(r.focus, r.frame, o.set, tb)
	if err != nil {
		return err
	}
	if o.csv != "" {
		return r.writeCSV(o.csv, tb.Columns, rows)
	}
	head := []string{"", "tile", "local", "lane"}
	for _, c := range tb.Columns {
		head = append(head, c.Name)
	}
	t := newTable(head...)
	for i, row := range rows {
		if i == o.max {
			break
		}
		t.row(append([]string{r.mark(row.Thread), diag.Triple(row.Thread.Tile), strconv.Itoa(row.Thread.ID.Local), strconv.Itoa(row.Thread.Lane)}, cells(row)...)...)
	}
	t.write(r.out)
	if len(rows) > o.max && o.max >= 0 {
		fmt.Fprintf(r.out, "... and %s more; --max N shows more\n", diag.Count(uint64(len(rows)-o.max), "row", "rows"))
	}
	for k, c := range tb.Columns {
		if len(rows) > 1 {
			r.summary(c.Name, debugger.Summarize(rows, k))
		}
	}
	fmt.Fprintf(r.out, "%s of %d\n", diag.Count(len(rows), "row", "rows"), len(o.set))
	return nil
}

func (r *Repl) summary(name string, s debugger.Summary) {
	switch {
	case s.Distinct == 0:
		fmt.Fprintf(r.out, "%s: no thread has a value\n", name)
	case s.Uniform:
		fmt.Fprintf(r.out, "%s: the same everywhere\n", name)
	case s.IsNumeric:
		fmt.Fprintf(r.out, "%s: min %s, max %s, %d distinct\n", name, s.Min, s.Max, s.Distinct)
	default:
		fmt.Fprintf(r.out, "%s: %d distinct\n", name, s.Distinct)
	}
}

func isWord(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// sortColumn finds the column to sort by: its number or name, with - before it
// for descending order.
func sortColumn(s string, columns []debugger.Column) (int, error) {
	if s == "" {
		return 0, nil
	}
	sign := 1
	if strings.HasPrefix(s, "-") {
		sign, s = -1, s[1:]
	}
	for i, c := range columns {
		if c.Name == s {
			return sign * (i + 1), nil
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > len(columns) {
		return 0, fmt.Errorf("no column %q to sort by", s)
	}
	return sign * n, nil
}

func cells(row debugger.Row) []string {
	var out []string
	for _, c := range row.Cells {
		if c.Err != nil {
			c.Text = "-"
		}
		out = append(out, c.Text)
	}
	return out
}

// mark is what stands before a thread in tables: > for the focus, * for a
// flag.
func (r *Repl) mark(th debugger.Thread) string {
	m := ""
	if th.ID == r.focus {
		m = ">"
	}
	if th.Flag {
		m += "*"
	}
	return m
}

func (r *Repl) writeCSV(name string, columns []debugger.Column, rows []debugger.Row) error {
	f, err := r.create(name)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	head := []string{"tile_x", "tile_y", "tile_z", "local", "global_x", "global_y", "global_z", "warp", "lane", "status"}
	for _, c := range columns {
		head = append(head, c.Name)
	}
	w.Write(head)
	for _, row := range rows {
		th := row.Thread
		rec := []string{}
		for _, v := range th.Tile {
			rec = append(rec, fmt.Sprint(v))
		}
		rec = append(rec, strconv.Itoa(th.ID.Local))
		for _, v := range th.Global {
			rec = append(rec, fmt.Sprint(v))
		}
		w.Write(append(append(rec, strconv.Itoa(th.Warp), strconv.Itoa(th.Lane), string(th.Status)), cells(row)...))
	}
	w.Flush()
	err = w.Error()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		fmt.Fprintf(r.out, "%s written to %s\n", diag.Count(len(rows), "row", "rows"), name)
	}
	return err
}

func (r *Repl) create(name string) (io.WriteCloser, error) {
	if r.opt.CreateFile == nil {
		return nil, fmt.Errorf("no files can be written here")
	}
	return r.opt.CreateFile(name)
}
