package debugger

import (
	"context"
	"path/filepath"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
)

// dialogue is a session with a focus, as a person has one: commands are about a
// thread in a frame, and a stop takes the focus along.
type dialogue struct {
	*Session
	ctx   context.Context
	focus ThreadID
	frame int
	said  []string // by kernels and logpoints
}

// open makes a session of a script in testdata.
func open(t testing.TB, name string, opt Options) *dialogue {
	t.Helper()
	l, err := launch.Load(filepath.Join("..", "testdata", name), launch.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return debug(t, l, opt)
}

// debug makes a session of a launch.
func debug(t testing.TB, l *launch.Launch, opt Options) *dialogue {
	t.Helper()
	s, err := New(l, opt)
	if err != nil {
		t.Fatal(err)
	}
	d := &dialogue{Session: s, ctx: context.Background()}
	s.Listen(func(e Event) {
		if o, ok := e.(OutputEvent); ok {
			d.said = append(d.said, o.Text)
		}
	})
	return d
}

// must gives a stop, failing the test on an error.
func must(t testing.TB) func(st *Stop, err error) *Stop {
	return func(st *Stop, err error) *Stop {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
}

func evalText(t testing.TB, s *dialogue, text string) string {
	t.Helper()
	v, err := s.Eval(mustParse(t, text), 0)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.Text
}

func (d *dialogue) went(st *Stop, err error) (*Stop, error) {
	if err == nil {
		d.focus, d.frame = st.Thread, 0
	}
	return st, err
}

func (d *dialogue) at() *Stopped {
	at, ok := d.Stopped()
	if ok && at.t.check(d.focus) != nil {
		d.focus, d.frame = ThreadID{}, 0
	}
	return at
}

func (d *dialogue) Continue() (*Stop, error) { return d.went(d.Session.Continue(d.ctx, d.focus)) }

func (d *dialogue) ReverseContinue() (*Stop, error) {
	return d.went(d.Session.ReverseContinue(d.ctx, d.focus))
}

func (d *dialogue) Rewind(n int) (*Stop, error) { return d.went(d.Session.Rewind(d.ctx, d.focus, n)) }

func (d *dialogue) Restart() error {
	_, err := d.went(d.Session.Restart())
	return err
}

func (d *dialogue) FirstAccess() (*Stop, error) {
	return d.went(d.Session.FirstAccess(d.ctx, d.focus))
}

func (d *dialogue) LastWrite(text string) (*Stop, error) {
	return d.went(d.Session.LastWrite(d.ctx, d.focus, d.frame, text))
}

func (d *dialogue) Step(kind StepKind, scope Scope, place string) (*Stop, error) {
	step := Step{Kind: kind, Scope: scope, Thread: d.focus, Frame: d.frame}
	if place != "" {
		to, err := d.location(place)
		if err != nil {
			return nil, err
		}
		step.To = to
	}
	return d.went(d.Session.Step(d.ctx, step))
}

func (d *dialogue) ReverseStep(kind StepKind, scope Scope) (*Stop, error) {
	return d.went(d.Session.ReverseStep(d.ctx, Step{Kind: kind, Scope: scope, Thread: d.focus, Frame: d.frame}))
}

// location reads a location; a line alone is of the focus' file.
func (d *dialogue) location(text string) (Location, error) {
	loc, err := ParseLocation(text)
	if l, ok := loc.(FileLine); ok && l.File == "" {
		if th, err := d.Thread(d.focus); err == nil {
			l.File = th.Pos.File
		}
		loc = l
	}
	return loc, err
}

func (d *dialogue) Break(text string) (*point, error) {
	loc, err := d.location(text)
	if err != nil {
		return nil, err
	}
	b, err := d.AddBreakpoint(Breakpoint{At: loc})
	if err != nil {
		return nil, err
	}
	return d.point(b.ID)
}

func (d *dialogue) Watch(text string, kind WatchKind, size int64) (*point, error) {
	w, err := d.AddWatchpoint(Watchpoint{Expr: text, Kind: kind, Bytes: size, Thread: d.focus, Frame: d.frame})
	if err != nil {
		return nil, err
	}
	return d.point(w.ID)
}

func (d *dialogue) Focus() ThreadID { return d.focus }
func (d *dialogue) Frame() int      { return d.frame }

func (d *dialogue) SetFocus(id ThreadID) error {
	if _, err := d.Thread(id); err != nil {
		return err
	}
	d.focus, d.frame = id, 0
	return nil
}

func (d *dialogue) SetFrame(n int) error {
	if err := d.t.seat(d.focus, n); err != nil {
		return err
	}
	d.frame = n
	return nil
}

func (d *dialogue) Thread(id ThreadID) (Thread, error) { return d.at().Thread(id) }

func (d *dialogue) Stack(id ThreadID) ([]Frame, error) { return d.at().Frames(id) }

func (d *dialogue) Eval(e *Expr, f Format) (c Cell, err error) {
	c.Value, err = d.at().EvalAt(d.focus, d.frame, e)
	if err == nil {
		c.Text, err = c.Value.Text(f)
		c.Number, c.IsNumber = c.Value.Number()
	}
	return c, err
}

func (d *dialogue) Set(e *Expr) (c Cell, err error) {
	c.Value, err = d.at().AssignAt(d.focus, d.frame, e)
	if err == nil {
		c.Text, err = c.Value.Text(0)
	}
	return c, err
}

func (d *dialogue) TypeOf(e *Expr) (string, error) {
	v, err := d.at().EvalAt(d.focus, d.frame, e)
	if err != nil {
		return "", err
	}
	return v.Declaration()
}

func (d *dialogue) Across(set ThreadSet, tb Table) ([]Row, error) {
	return d.at().Across(d.focus, d.frame, set, tb)
}

func (d *dialogue) Filter(set ThreadSet, e *Expr) (ThreadSet, error) {
	return d.at().Filter(d.focus, d.frame, set, e)
}

func (d *dialogue) Groups(by GroupBy, where *Expr, flagged bool, sort string) ([]Group, error) {
	return d.at().Groups(d.focus, d.frame, Grouping{By: by, Where: where, Flagged: flagged, Sort: sort})
}

func (d *dialogue) Memory(e *Expr, count, size int, f Format) (Memory, error) {
	return d.at().MemoryAt(d.focus, d.frame, e, count, size, f)
}

func (d *dialogue) Picture(e *Expr, width int) (Picture, error) {
	return d.at().PictureAt(d.focus, d.frame, e, width)
}

func (d *dialogue) Barrier() (Barrier, error)           { return d.at().Barrier(d.focus) }
func (d *dialogue) Freeze(set ThreadSet) (int, error)   { return d.at().Freeze(set) }
func (d *dialogue) Thaw(set ThreadSet) (int, error)     { return d.at().Thaw(set) }
func (d *dialogue) Files() []string                     { return d.t.lines.files() }
func (d *dialogue) TileThreads() ThreadSet              { return d.t.tileThreads(d.focus.Tile) }
func (d *dialogue) WarpThreads() ThreadSet              { return d.t.warpThreads(d.focus) }
func (d *dialogue) FrozenThreads() (set ThreadSet)      { set, _ = d.at().Frozen(); return set }
func (d *dialogue) SourceLine(p diag.Pos) (text string) { text, _ = d.at().SourceLine(p); return text }
func (d *dialogue) state(id ThreadID) state             { return d.t.state(id) }
func (d *dialogue) thread(id ThreadID) *thread          { return d.t.thread(id) }
func (d *dialogue) condition(b *point, cond, threads string) error {
	_, err := d.Configure(b.id, Settings{Condition: cond, Threads: threads})
	return err
}
