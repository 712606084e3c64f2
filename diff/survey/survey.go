// Package survey measures how exact a machine's float operations are: it runs
// each one on many operands and compares with the exact results.
//
// An Operation (operations.go) says what to compute, on which operands, what
// the exact result is, and how far a device may be off (bounds.go, after
// Vulkan's "Precision and Operation of SPIR-V Instructions"). Each becomes a
// kernel of its own (kernel.go) that any launch.Executor can run.
//
// What it does not do: infinities, NaN, denormal operands and results, and
// overflow, for which Vulkan promises little; rounding modes other than to
// nearest even.
package survey

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"ampdbg/diag"
	"ampdbg/launch"
)

// inputs is the number of operand tuples that each operation is run on.
const inputs = 1 << 16

// Row is what was measured of one operation.
type Row struct {
	Operation *Operation
	Lacking   string // why the machine cannot run the operation; empty if it ran
	// Error is the largest error: in units in the last place of the exact
	// result, or, where the bound is an absolute one, as a distance.
	Error   float64
	Args    []float64 // operands for which it was
	Got     float64
	Want    float64 // the exact result, to the precision of a float64
	Share   float64 // the largest error as a share of what is allowed for those operands
	Outside int     // results outside of the bound
}

// Inside reports whether all results were inside the bound.
func (r *Row) Inside() bool { return r.Outside == 0 }

// Operations lists all operations, in the order of the table.
func Operations() []*Operation {
	var out []*Operation
	for i := range operations {
		out = append(out, &operations[i])
	}
	return out
}

// ID names an operation: "FDiv/32".
func (op *Operation) ID() string {
	return fmt.Sprintf("%s/%d", strings.ReplaceAll(op.Name, " ", "-"), op.Width)
}

// Measure runs one operation on all its operands. The error is the context's,
// or of a machine that fails; of an operation that the machine lacks the row
// says so.
func Measure(ctx context.Context, ex launch.Executor, op *Operation) (Row, error) {
	rng := rand.New(rand.NewPCG(uint64(len(op.Name)), uint64(op.Width)))
	args := make([][]float64, inputs)
	in := make([]byte, 0, inputs*op.args*op.stored()/8)
	for i := range args {
		args[i] = op.draw(rng, i)
		for k, x := range args[i] {
			args[i][k] = round(x, op.Width)
			if op.from != 0 {
				args[i][k] = round(x, op.from)
			}
			if op.stored() == 64 {
				in = binary.LittleEndian.AppendUint64(in, math.Float64bits(args[i][k]))
			} else {
				in = binary.LittleEndian.AppendUint32(in, math.Float32bits(float32(args[i][k])))
			}
		}
	}
	row := Row{Operation: op}
	out, err := run(ctx, ex, op, in)
	var lack *diag.Error
	if errors.As(err, &lack) && lack.Class == diag.Unsupported {
		without := *lack
		without.Pos = diag.Pos{} // of a kernel made here
		row.Lacking = without.Error()
		return row, nil
	}
	if err != nil {
		return row, err
	}
	worst := -1.0
	for i, x := range args {
		var got float64
		if op.stored() == 64 {
			got = math.Float64frombits(binary.LittleEndian.Uint64(out[8*i:]))
		} else {
			got = float64(math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])))
		}
		wants := []float64{op.exact(x)}
		if op.others != nil {
			wants = append(wants, op.others(x)...)
		}
		share, err := math.Inf(1), 0.0
		for _, want := range wants {
			s, e := op.judge(x, got, want)
			if s < share {
				share, err = s, e
			}
		}
		if share > 1 {
			row.Outside++
		}
		row.Share = max(row.Share, share)
		if err > worst {
			worst, row.Error, row.Args, row.Got, row.Want = err, err, x, got, wants[0]
		}
	}
	return row, nil
}

// judge gives an error as a share of what is allowed, and by itself.
func (op *Operation) judge(x []float64, got, want float64) (share, err float64) {
	unit := ulp(want, op.result())
	if op.bound == nil {
		// Only the nearest number will do.
		if r := round(want, op.result()); got != r {
			d := math.Abs(got-r) / unit
			if math.IsNaN(d) {
				d = math.Inf(1)
			}
			return math.Inf(1), d
		}
		return 0, 0
	}
	b := op.bound(x, want)
	d := math.Abs(got - want)
	if math.IsNaN(d) {
		return math.Inf(1), math.Inf(1)
	}
	if d == 0 {
		return 0, 0
	}
	share = d / (b.ULP*unit + b.Abs)
	if op.absolute {
		return share, d
	}
	return share, d / unit
}

// ulp is the distance between the floats of some width around x.
func ulp(x float64, width int) float64 {
	p, least := precision(width)
	if x == 0 {
		return math.Ldexp(1, least-p+1)
	}
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-1, least)-p+1)
}

// precision gives the bits of a float's significand and its least exponent.
func precision(width int) (p, least int) {
	switch width {
	case 16:
		return 11, -14
	case 32:
		return 24, -126
	}
	return 53, -1022
}

// round is the nearest float of some width, ties to even.
func round(x float64, width int) float64 {
	switch width {
	case 64:
		return x
	case 32:
		return float64(float32(x))
	}
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	u := ulp(x, width)
	return math.RoundToEven(x/u) * u
}

// TableHead are the first lines of a Markdown table of rows.
const TableHead = "| operation | bits | bound | largest error | of the bound | for | inside |\n|---|--:|---|--:|--:|---|---|\n"

// String writes a row of the Markdown table, with the end of the line.
func (r *Row) String() string {
	head := fmt.Sprintf("| %s | %d | %s | ", r.Operation.Name, r.Operation.Width, r.Operation.Bound)
	if r.Lacking != "" {
		return head + fmt.Sprintf("| | | not run: %s |\n", r.Lacking)
	}
	inside := "yes"
	if !r.Inside() {
		inside = fmt.Sprintf("**no**: %d of %d are not", r.Outside, inputs)
	}
	unit := " ULP"
	if r.Operation.absolute {
		unit = ""
	}
	size, share, at := "0", "", ""
	if r.Error > 0 {
		size = fmt.Sprintf("%.3g%s", r.Error, unit)
		var args []string
		for _, x := range r.Args {
			args = append(args, fmt.Sprintf("%.9g", x))
		}
		at = strings.Join(args, ", ")
	}
	if r.Operation.bound != nil {
		share = fmt.Sprintf("%.2g", r.Share)
	}
	return head + fmt.Sprintf("%s | %s | %s | %s |\n", size, share, at, inside)
}
