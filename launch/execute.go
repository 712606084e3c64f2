package launch

import (
	"context"
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
	Expects, Failed    int // expectations checked, and those that did not hold
}

// Execute does the steps of l in order: dispatches by ex, the rest itself.
// report, if not nil, is given the result of each EXPECT; a failed one does not
// end the launch. The error is that of the first dispatch that fails, or the
// context's; the summary then counts what was done until then.
func (l *Launch) Execute(ctx context.Context, ex Executor, report func(*ExpectResult)) (Summary, error) {
	r := run{ctx: ctx, ex: ex, report: report}
	err := r.steps(l.Steps)
	return r.Summary, err
}

type run struct {
	Summary
	ctx    context.Context
	ex     Executor
	report func(*ExpectResult)
}

func (r *run) steps(list []Step) error {
	for _, s := range list {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		switch s := s.(type) {
		case *Dispatch:
			if err := r.ex.Dispatch(r.ctx, s); err != nil {
				return err
			}
			r.Dispatches++
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
