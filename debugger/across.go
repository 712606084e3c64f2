package debugger

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Column is a column of a table of threads: an expression with a heading.
type Column struct {
	Name string
	Expr *Expr
}

// Table asks for a table of expressions across threads.
type Table struct {
	Columns []Column
	Where   *Expr  // rows to show; may use the columns' names
	Sort    int    // column to sort by, from 1; negative: descending; 0: by thread
	Format  Format // of the cells' texts
}

// Row is a thread with the values of a table's columns.
type Row struct {
	Thread Thread
	Cells  []Cell
}

// Cell is the value of a column in a thread, with what a table shows of it.
type Cell struct {
	Value    Value
	Text     string
	Number   float64 // of a scalar
	IsNumber bool
	Err      error // why there is no value
}

// Across computes expressions in many threads. Names are what they are in a frame
// of the thread id, in whose function the others are looked at too. It is an
// error if no thread has any value, and that of one of them.
func (at *Stopped) Across(id ThreadID, frame int, set ThreadSet, tb Table) ([]Row, error) {
	if err := at.sit(id, frame); err != nil {
		return nil, err
	}
	defer at.leave()
	t := at.t
	if k := max(tb.Sort, -tb.Sort); k > len(tb.Columns) {
		return nil, fmt.Errorf("no column %d to sort by", k)
	}
	var rows []Row
	vp := t.viewpoint(id, frame)
	f := filter{cond: tb.Where, ev: evaluator{t: t, columns: tb.Columns}}
	values := 0
	for _, id := range set {
		th := vp.thread(id)
		r := Row{Thread: t.describe(id, t.state(id))}
		n := 0
		for _, c := range tb.Columns {
			cell := at.cell(c.Expr, th, tb.Format)
			f.err = telling(f.err, cell.Err)
			if cell.Err == nil {
				n++
			}
			r.Cells = append(r.Cells, cell)
		}
		if f.holds(th) {
			rows = append(rows, r)
			values += n
		}
	}
	if len(rows) > 0 && values == 0 && f.err != nil {
		return nil, f.err
	}
	if err := f.failed(len(rows)); err != nil {
		return nil, err
	}
	if k := tb.Sort; k != 0 {
		col := max(k, -k) - 1
		slices.SortStableFunc(rows, func(a, b Row) int {
			x, y := &a.Cells[col], &b.Cells[col]
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

// cell computes an expression, and reads its value.
func (at *Stopped) cell(e *Expr, th *thread, f Format) (c Cell) {
	ev := evaluator{t: at.t}
	o, err := ev.eval(e.root, th)
	if err == nil {
		c.Value = at.valueOf(e, o, th)
		if c.Text, err = at.t.text(o, th, f); err == nil {
			c.Number, c.IsNumber = at.t.numberOf(o, th)
		}
	}
	c.Err = err
	return c
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
		c := &r.Cells[column]
		if c.Err != nil {
			continue
		}
		seen[c.Text] = true
		if !c.IsNumber {
			continue
		}
		if c.Number < lo {
			lo, out.Min = c.Number, c.Text
		}
		if c.Number > hi {
			hi, out.Max = c.Number, c.Text
		}
		out.IsNumeric = true
	}
	out.Distinct = len(seen)
	out.Uniform = len(seen) == 1
	return out
}
