package debugger

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ampdbg/diag"
)

// Point is a Breakpoint, a Logpoint or a Watchpoint: plain data, of which the
// session keeps a copy and gives copies.
type Point interface {
	Common() Common
}

// Common is what points of all kinds have in common.
type Common struct {
	ID int // from 1
	Settings
	State
}

// Settings are what may be changed in a point that has been set.
type Settings struct {
	Disabled  bool
	Condition string // an expression: it counts where that holds; empty: everywhere
	Threads   string // an expression: the threads that it is for; empty: all
	Ignore    uint64 // so many more hits do nothing
}

// State is what the session says of a point. It is not read where a point is
// set.
type State struct {
	Hits     uint64 // warps that came by with a thread for which it holds
	Problem  string // why it is not set in the current dispatch; empty: it is
	CondFail string // the last error of its condition
}

// Breakpoint stops at a place.
type Breakpoint struct {
	ID        int
	At        Location
	Temporary bool // goes away at its first stop
	Settings
	State
	Pos    diag.Pos // of its first operation in the current dispatch
	Places int      // operations that it is set at, in inlined copies too
}

// Logpoint writes a message at a place and goes on.
type Logpoint struct {
	ID      int
	At      Location
	Message string // text with {expressions}
	Settings
	State
	Pos    diag.Pos
	Places int
}

// Watchpoint stops at accesses to what an expression names: an element, a member
// or a variable in memory, a texel, or a variable of a thread. What the present
// dispatch has no name for is waited for, if others are to come.
type Watchpoint struct {
	ID   int
	Expr string
	// Names are what they are in a frame of a thread when the watchpoint is set,
	// and again in each dispatch.
	Thread ThreadID
	Frame  int
	Kind   WatchKind // empty: WatchChange
	Bytes  int64     // from there on; 0: as many as Expr has
	Settings
	State
	// What it watches in the current dispatch: Size bytes of memory, of the tile
	// Tile if that is not -1, or, if Private is set, a variable of Thread. Neither
	// is known while there is a Problem.
	Private bool
	Size    int64
	Tile    int64
}

// Common implements Point.
func (b Breakpoint) Common() Common { return Common{b.ID, b.Settings, b.State} }

// Common implements Point.
func (l Logpoint) Common() Common { return Common{l.ID, l.Settings, l.State} }

// Common implements Point.
func (w Watchpoint) Common() Common { return Common{w.ID, w.Settings, w.State} }

// point is what the session keeps of one.
type point struct {
	id int
	Settings
	State
	cond, threads *Expr // of the settings; nil without

	at     Location // nil of a watchpoint
	temp   bool
	log    []logPart // of a logpoint
	text   string    // of a logpoint, the message
	pos    diag.Pos
	places int
	pcs    []int

	watch *watchpoint // nil of others
	kind  WatchKind
	spec  string // what is watched
}

// public is a copy for others.
func (p *point) public() Point {
	switch w := p.watch; {
	case w != nil:
		out := Watchpoint{
			ID: p.id, Expr: p.spec, Thread: w.thread, Frame: w.frame, Kind: p.kind, Bytes: w.bytes,
			Settings: p.Settings, State: p.State, Private: w.private(), Tile: -1,
		}
		if w.mem != nil || w.data != nil {
			out.Size, out.Tile = w.size, w.tile
		}
		return out
	case p.log != nil:
		return Logpoint{ID: p.id, At: p.at, Message: p.text, Settings: p.Settings, State: p.State, Pos: p.pos, Places: p.places}
	}
	return Breakpoint{ID: p.id, At: p.at, Temporary: p.temp, Settings: p.Settings, State: p.State, Pos: p.pos, Places: p.places}
}

// AddBreakpoint sets a breakpoint, and gives it as it was set. In a launch whose
// current dispatch has no such place, it waits for one that has. Its conditions
// are checked where they will be computed: at all its places.
func (s *Session) AddBreakpoint(b Breakpoint) (Breakpoint, error) {
	out, err := s.add(func() (*point, error) {
		return &point{at: b.At, temp: b.Temporary}, nil
	}, b.Settings)
	if err != nil {
		return Breakpoint{}, err
	}
	return out.(Breakpoint), nil
}

// AddLogpoint sets a logpoint, as AddBreakpoint does a breakpoint. The expressions
// of its message are checked too.
func (s *Session) AddLogpoint(l Logpoint) (Logpoint, error) {
	out, err := s.add(func() (*point, error) {
		parts, err := parseLog(l.Message)
		return &point{at: l.At, text: l.Message, log: parts}, err
	}, l.Settings)
	if err != nil {
		return Logpoint{}, err
	}
	return out.(Logpoint), nil
}

// AddWatchpoint sets a watchpoint. Its conditions are checked at the operations
// that may come to it, one of which must know all names.
func (s *Session) AddWatchpoint(w Watchpoint) (Watchpoint, error) {
	out, err := s.add(func() (*point, error) { return s.newWatch(w) }, w.Settings)
	if err != nil {
		return Watchpoint{}, err
	}
	return out.(Watchpoint), nil
}

// add sets the point that build makes.
func (s *Session) add(build func() (*point, error), set Settings) (Point, error) {
	out, err := s.change(func() (PointEvent, error) {
		p, err := build()
		if err != nil {
			return PointEvent{}, err
		}
		if p.at == nil && p.watch == nil {
			return PointEvent{}, errNoLocation
		}
		if s.resolve(p); p.Problem != "" && !s.mayCome(p) {
			return PointEvent{}, errors.New(p.Problem)
		}
		err = s.checkLog(p)
		if err == nil {
			err = s.configure(p, set)
		}
		if err != nil {
			return PointEvent{}, err
		}
		s.lastID++
		p.id = s.lastID
		s.points = append(s.points, p)
		return PointEvent{Point: p.public()}, nil
	})
	return out.Point, err
}

// mayCome reports whether another dispatch may have what a point waits for.
func (s *Session) mayCome(p *point) bool {
	if w := p.watch; w != nil && (w.data != nil || w.never) {
		return w.data != nil
	}
	return s.more()
}

// change changes the points, and tells of it.
func (s *Session) change(do func() (PointEvent, error)) (PointEvent, error) {
	ev, err := func() (PointEvent, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case s.running:
			return PointEvent{}, ErrRunning
		case s.t == nil:
			return PointEvent{}, errNothing
		}
		return do()
	}()
	if err == nil {
		s.tell(ev)
	}
	return ev, err
}

// Points lists the points, in the order of their numbers.
func (s *Session) Points() []Point {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.publicPoints()
}

func (s *Session) publicPoints() []Point {
	if s.running {
		return slices.Clone(s.known.points)
	}
	var out []Point
	for _, p := range s.points {
		out = append(out, p.public())
	}
	return out
}

// Point finds a point by its number.
func (s *Session) Point(id int) (Point, error) {
	for _, p := range s.Points() {
		if p.Common().ID == id {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no breakpoint %d", id)
}

// Configure changes the settings of a point. They stay what they were if there is
// an error.
func (s *Session) Configure(id int, set Settings) (Point, error) {
	ev, err := s.change(func() (PointEvent, error) {
		p, err := s.point(id)
		if err == nil {
			err = s.configure(p, set)
		}
		if err != nil {
			return PointEvent{}, err
		}
		return PointEvent{Point: p.public()}, nil
	})
	return ev.Point, err
}

// Delete removes a point.
func (s *Session) Delete(id int) error {
	_, err := s.change(func() (PointEvent, error) {
		p, err := s.point(id)
		if err != nil {
			return PointEvent{}, err
		}
		s.remove(p)
		return PointEvent{Point: p.public(), Removed: true}, nil
	})
	return err
}

func (s *Session) point(id int) (*point, error) {
	for _, p := range s.points {
		if p.id == id {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no breakpoint %d", id)
}

func (s *Session) remove(p *point) {
	s.points = slices.DeleteFunc(slices.Clone(s.points), func(q *point) bool { return q == p })
}

// configure gives a point its settings, if its conditions can be computed where
// they will be, whatever the values are there. What has not changed is not
// checked again.
func (s *Session) configure(p *point, set Settings) error {
	condition := func(text, old string, was *Expr) (*Expr, error) {
		switch text = strings.TrimSpace(text); {
		case text == "":
			return nil, nil
		case text == old && was != nil:
			return was, nil
		}
		e, err := ParseExpr(text)
		if err != nil {
			return nil, err
		}
		if e.Assigns() {
			return nil, fmt.Errorf("%s is an assignment; to compare is ==", e.Text)
		}
		return e, s.checkCondition(p, e)
	}
	threads, err := condition(set.Threads, p.Settings.Threads, p.threads)
	if err != nil {
		return err
	}
	cond, err := condition(set.Condition, p.Settings.Condition, p.cond)
	if err != nil {
		return err
	}
	p.Settings, p.threads, p.cond, p.CondFail = set, threads, cond, ""
	return nil
}

// resolve finds what a point is about in the current dispatch.
func (s *Session) resolve(p *point) {
	p.pcs, p.Problem, p.places = nil, "", 0
	if p.watch != nil {
		s.resolveWatch(p)
		return
	}
	pcs, err := s.t.resolve(p.at)
	if err != nil {
		p.Problem = err.Error()
		return
	}
	p.pcs, p.places = pcs, len(pcs)
	p.pos = s.t.lines.pos[pcs[0]]
}
