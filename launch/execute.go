package launch

import (
	"context"
	"fmt"

	"ampdbg/diag"
)

// Executor runs dispatches: the emulator, or a GPU.
type Executor interface {
	// Dispatch runs d to its end, and leaves what it wrote in the Data of its
	// buffers and images.
	Dispatch(ctx context.Context, d *Dispatch) error
}

// Summary counts what Execute did.
type Summary struct {
	Dispatches, Copies int
	Empty              int // dispatches without a tile, which are not among Dispatches
	Expects, Failed    int // expectations checked, and those that did not hold
}

// Execute does the steps of l in order: dispatches by ex, the rest itself.
// report, if not nil, is given the result of each EXPECT; a failed one does not
// end the launch. The error is that of the first dispatch that fails, or the
// context's; the summary then counts what was done until then. A launch that
// has come to its end without having run a single thread is an error too, see
// NothingRan.
func (l *Launch) Execute(ctx context.Context, ex Executor, report func(*ExpectResult)) (Summary, error) {
	r := run{ctx: ctx, ex: ex, report: report}
	err := r.steps(l.Steps)
	if err == nil && r.Dispatches == 0 {
		err = l.NothingRan()
	}
	return r.Summary, err
}

// Interrupted is the error of a launch that its context ended.
type Interrupted struct {
	Pos   diag.Pos // where it was
	Where string   // how far, as words; may be empty
	Err   error    // the context's cause
}

func (e *Interrupted) Error() string {
	return (&diag.Error{Pos: e.Pos, Msg: e.text()}).Error()
}

// text is the error without its place.
func (e *Interrupted) text() string {
	if e.Where == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + ": " + e.Where
}

func (e *Interrupted) Unwrap() error { return e.Err }

// NothingRan is the error of a launch of which no dispatch has run: nobody may
// take it for a clean one.
func (l *Launch) NothingRan() error {
	const none = "nothing was run: "
	list := Dispatches(l.Steps)
	if len(list) == 0 {
		return &diag.Error{Class: diag.NotRun, Pos: diag.Pos{File: l.Name}, Msg: none + "the launch has no RUN"}
	}
	for _, d := range list {
		if !d.Empty() {
			return &diag.Error{Class: diag.NotRun, Pos: d.Pos, Msg: none + "the launch comes to no RUN"}
		}
	}
	g := list[0].Groups
	return &diag.Error{Class: diag.NotRun, Pos: list[0].Pos, Msg: fmt.Sprintf("%sthe grid of %s tiles is empty", none, diag.Size(g))}
}

// Empty reports whether the dispatch has no tiles.
func (d *Dispatch) Empty() bool { return d.Groups[0] == 0 || d.Groups[1] == 0 || d.Groups[2] == 0 }

type run struct {
	Summary
	ctx    context.Context
	ex     Executor
	report func(*ExpectResult)
}

func (r *run) steps(list []Step) error {
	for _, s := range list {
		if r.ctx.Err() != nil {
			return &Interrupted{Pos: s.Position(), Err: context.Cause(r.ctx)}
		}
		switch s := s.(type) {
		case *Dispatch:
			if err := r.ex.Dispatch(r.ctx, s); err != nil {
				return err
			}
			if s.Empty() {
				r.Empty++
			} else {
				r.Dispatches++
			}
		case *Copy:
			s.Do()
			r.Copies++
		case *Expect:
			result := s.Check()
			r.Expects++
			if !result.OK() {
				r.Failed++
			}
			if r.report != nil {
				r.report(result)
			}
		case *Loop:
			if len(s.Steps) == 0 {
				continue
			}
			for range s.Count {
				if err := r.steps(s.Steps); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Ends are the bytes that the command copies from and to: all of a buffer, or
// of an image.
func (c *Copy) Ends() (from, to []byte) {
	return Content{Buffer: c.From, Image: c.FromImage}.Bytes(), Content{Buffer: c.To, Image: c.ToImage}.Bytes()
}

// Do copies the bytes.
func (c *Copy) Do() {
	from, to := c.Ends()
	copy(to, from)
}
