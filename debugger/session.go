package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// Options say how to run what is debugged.
type Options struct {
	Warp    int    // lanes per warp; 0: 4, or what the launch requires
	Seed    uint64 // schedule; 0 is the canonical one
	Steps   uint64 // budget in thread-instructions for each dispatch; 0: the emulator's
	Robust  bool   // accesses out of bounds read 0 and write nothing
	Asm     bool   // the disassembly is the source, even where there is source
	History int    // bytes that checkpoints may take besides a copy of the launch's initial data; 0: DefaultHistory
	// Uninitialized names buffers whose contents count as not written, for
	// stops at uses of uninitialised values.
	Uninitialized []string
	// Sources finds the text of a source file that the module does not carry;
	// may be nil.
	Sources diag.Sources
}

// DefaultHistory is how many bytes checkpoints may take.
const DefaultHistory = 256 << 20

// Session is a launch that is being debugged. It runs by commands (Continue, Step,
// ReverseContinue and the like), one at a time; between them it stands still, and
// can be looked at (Stopped), and its points can be changed (AddBreakpoint and the
// like). It has no thread or frame that it would be about: commands and questions
// name theirs, and a command gives a Stop with the thread that it came to.
//
// A command takes a context: when that ends the command does too, with a Stop, and
// the session stands still wherever it was. Its methods may be called from any
// goroutine: those that would change something while a command runs give
// ErrRunning.
type Session struct {
	launch  *launch.Launch
	opt     Options
	initial *contents // of the launch's memory
	ex      *emu.Emulator

	// mu guards what is between commands. While one runs that has all but what
	// stands here for itself.
	mu        sync.Mutex
	running   bool
	moves     uint64 // commands so far
	listeners []func(Event)
	catch     map[string]bool
	known     known

	command
	progress
	t       *target
	held    *contents // what memory was put back last, nil if nothing was
	history history

	code    codes
	watcher watcher
	stood   map[accessKey]bool // see stand
	checks  checks

	points []*point
	lastID int

	flags  map[flag]bool
	stop   *Stop
	reruns int // replays so far, for tests
	// reversing says that the past is gone through again: points do not count or
	// log.
	reversing bool
}

// command is what runs, and for whom.
type command struct {
	ctx context.Context
	// about is the thread that the command is about. Of several threads that come
	// to a stop it is the one that is told, and of a dispatch that begins it is the
	// first.
	about ThreadID
	frame int // of it, that a step is about
}

// known is what others are told of a session while it runs: what there was before.
type known struct {
	launch   Launch
	findings []diag.Finding
	failed   []string
	points   []Point
}

// ErrRunning is the error of what cannot be done while a command runs.
var ErrRunning = errors.New("the session runs")

// flag is a mark on a thread of a dispatch.
type flag struct {
	dispatch int
	ThreadID
}

// New makes a session of a launch, which stops before its first dispatch
// runs.
func New(l *launch.Launch, opt Options) (*Session, error) {
	if opt.History == 0 {
		opt.History = DefaultHistory
	}
	var size int64
	for _, b := range l.Buffers {
		size += int64(len(b.Data))
	}
	for _, i := range l.Images {
		size += int64(len(i.Data))
	}
	if err := host.Need(size, "a copy of the memory, to go back to,"); err != nil {
		return nil, err
	}
	s := &Session{launch: l, opt: opt, catch: map[string]bool{}, flags: map[flag]bool{}}
	s.catch["barrier"], s.catch["index"] = true, true
	s.ctx = context.Background()
	s.initial = copyContents(s.memory(), nil, nil)
	return s, s.begin()
}

// begin starts the launch from its first step.
func (s *Session) begin() error {
	s.t, s.held, s.stop, s.about, s.frame = nil, nil, nil, ThreadID{}, 0
	s.progress = progress{}
	for _, st := range s.launch.Steps {
		s.steps = append(s.steps, launchStep{step: st})
	}
	clear(s.flags)
	s.checks = checks{s: s}
	s.ex = &emu.Emulator{Options: emu.Options{
		Warp: s.opt.Warp, Seed: s.opt.Seed, Steps: s.opt.Steps, Robust: s.opt.Robust, Exact: true, OnFault: s.checks.fault,
		Printf: func(t diag.Thread, text string) {
			s.tell(OutputEvent{Text: t.Place() + ": " + text})
		},
	}}
	s.history = history{limit: s.opt.History, interval: firstInterval}
	_, err := s.advance()
	if err == nil && !s.exited {
		s.history.mark(s)
	}
	return err
}

// run does a command about a thread in a frame.
func (s *Session) run(ctx context.Context, about ThreadID, frame int, do func() (*Stop, error)) (*Stop, error) {
	if err := s.start(ctx, about, frame); err != nil {
		return nil, err
	}
	s.tell(ContinuedEvent{})
	st, err := do()
	return s.ended(st, err)
}

// start makes the session run.
func (s *Session) start(ctx context.Context, about ThreadID, frame int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.running:
		return ErrRunning
	case s.t == nil:
		return errNothing
	}
	if err := s.t.seat(about, frame); err != nil {
		return err
	}
	s.known = known{s.describe(), s.findings(), s.expected(), s.publicPoints()}
	s.running = true
	s.moves++
	s.command = command{ctx, about, frame}
	return nil
}

// ended makes the session stand still, and tells of what the command came to.
func (s *Session) ended(st *Stop, err error) (*Stop, error) {
	s.mu.Lock()
	told := Stop{Reason: AtError, Thread: s.about}
	if err != nil {
		told.Text = err.Error()
	} else {
		told = st.copied()
	}
	s.command = command{ctx: context.Background()}
	s.running = false
	before, after, exited := s.known.points, s.publicPoints(), s.exited
	s.mu.Unlock()
	for _, p := range before {
		i := slices.IndexFunc(after, func(q Point) bool { return q.Common().ID == p.Common().ID })
		if i < 0 {
			s.tell(PointEvent{Point: p, Removed: true})
		} else if after[i] != p {
			s.tell(PointEvent{Point: after[i]})
		}
	}
	if exited && told.Reason == AtExit {
		s.tell(ExitedEvent{told})
	} else {
		s.tell(StoppedEvent{told})
	}
	if err != nil {
		return nil, err
	}
	return &told, nil
}

// Restart runs the launch anew, with the data it began with, and stops before its
// first dispatch. Points stay.
func (s *Session) Restart() (*Stop, error) {
	s.mu.Lock()
	if s.running {
		s.mu.Unlock()
		return nil, ErrRunning
	}
	s.known = known{s.describe(), s.findings(), s.expected(), s.publicPoints()}
	s.running = true
	s.moves++
	s.mu.Unlock()
	s.tell(ContinuedEvent{})
	for i, data := range s.memory() {
		s.initial.putBack(i, data)
	}
	return s.ended(&Stop{Reason: AtStart}, s.begin())
}

// prepare makes the target of a dispatch, which has not begun.
func (s *Session) prepare(d *launch.Dispatch) error {
	c, err := s.ex.Control(context.Background(), d)
	if err != nil {
		return err
	}
	t := &target{flags: s.flags, number: s.number, all: s.launch, memories: s.memory(), d: d, c: c, p: c.Program, u: c.Unit}
	if s.t != nil && s.t.p == t.p {
		t.lines, t.names = s.t.lines, s.t.names
	} else {
		t.lines = newLines(c.Machine, s.opt.Asm)
		t.names = spirv.IDNames(c.Unit.Module)
	}
	t.written = make([]bool, len(t.memories))
	for i, data := range t.memories {
		m := t.memory(data)
		t.written[i] = m != nil && m.Writable
	}
	s.t = t
	s.code.reset(t.p)
	c.SetCode(s.codeOf)
	s.watcher = watcher{s: s}
	for _, p := range s.points {
		s.resolve(p)
	}
	return nil
}

// Launch describes what is being debugged.
type Launch struct {
	Name     string
	Dispatch int // number of the current dispatch, from 1; 0 if there was none
	Pipeline string
	Entry    string
	Module   string
	Tiles    [3]uint32
	TileSize [3]uint32
	Warp     int
	Steps    uint64 // thread-instructions of the dispatch so far
	Started  uint64 // tiles
	Done     uint64
	Asm      bool // the source is the disassembly
	Exited   bool
}

// Launch describes what is being debugged, and how far it is: while a command
// runs, how far it was before.
func (s *Session) Launch() Launch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		return s.known.launch
	}
	return s.describe()
}

func (s *Session) describe() Launch {
	l := Launch{Name: s.launch.Name, Exited: s.exited}
	if t := s.t; t != nil {
		l.Dispatch, l.Pipeline, l.Entry, l.Module = t.number, t.d.Pipeline, t.c.Entry.Name, t.u.Module.Name
		l.Tiles, l.TileSize, l.Warp = t.d.Groups, t.p.TileSize, t.p.Width
		l.Steps, l.Started, l.Done, l.Asm = t.c.Steps(), t.c.Started(), t.c.Done(), t.lines.asm
	}
	return l
}

// Findings are what the emulator has found so far, in all dispatches.
func (s *Session) Findings() []diag.Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		return slices.Clone(s.known.findings)
	}
	return s.findings()
}

func (s *Session) findings() []diag.Finding {
	all := append([]diag.Finding(nil), s.past...)
	if s.t != nil && s.t.number == s.number {
		all = append(all, s.t.c.Found()...)
	}
	return diag.Fold(all)
}

// Failed lists the expectations of the launch that did not hold, as text.
func (s *Session) Failed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		return slices.Clone(s.known.failed)
	}
	return s.expected()
}

// expected is Failed.
func (s *Session) expected() []string {
	var out []string
	for _, r := range s.failed {
		out = append(out, fmt.Sprintf("%s: %s: expected %s, found %s", r.Expect.Pos, r.Where, r.Expected, r.Found))
	}
	return out
}

var errNothing = errors.New("nothing runs: the launch has no dispatch")
