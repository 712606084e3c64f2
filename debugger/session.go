package debugger

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

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
	// Printf receives the output of the kernel's DebugPrintf, and the messages
	// of breakpoints that log.
	Printf func(text string)
	// Sources finds the text of a source file that the module does not carry;
	// may be nil.
	Sources diag.Sources
}

// DefaultHistory is how many bytes checkpoints may take.
const DefaultHistory = 256 << 20

// Session is a launch that is being debugged. Its methods must be called from
// one goroutine at a time, but for Halt, which any goroutine may call at any
// time.
//
// What its methods return is plain data, valid for good; but a Thread may be
// at another place after the next command.
type Session struct {
	launch  *launch.Launch
	opt     Options
	halt    atomic.Bool
	initial *contents // of the launch's memory
	ex      *emu.Emulator

	progress
	t       *target
	held    *contents // what memory was put back last, nil if nothing was
	history history

	code    codes
	watcher watcher
	stood   map[accessKey]bool // see stand
	checks  checks

	breakpoints []*Breakpoint
	lastID      int
	catch       map[string]bool

	focus  ThreadID
	frame  int
	flags  map[flag]bool
	stop   *Stop
	reruns int // replays so far, for tests
	// reversing says that the past is gone through again: breakpoints do not
	// count or log.
	reversing bool
}

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
	s.initial = copyContents(s.memory(), nil, nil)
	return s, s.begin()
}

// begin starts the launch from its first step.
func (s *Session) begin() error {
	s.t, s.held, s.stop, s.focus, s.frame = nil, nil, nil, ThreadID{}, 0
	s.progress = progress{}
	for _, st := range s.launch.Steps {
		s.steps = append(s.steps, launchStep{step: st})
	}
	clear(s.flags)
	s.checks = checks{s: s}
	s.ex = &emu.Emulator{Options: emu.Options{
		Warp: s.opt.Warp, Seed: s.opt.Seed, Steps: s.opt.Steps, Robust: s.opt.Robust, Exact: true, OnFault: s.checks.fault,
		Printf: func(t diag.Thread, text string) {
			s.say(t.Place() + ": " + text)
		},
	}}
	s.history = history{limit: s.opt.History, interval: firstInterval}
	_, err := s.advance()
	if err == nil && !s.exited {
		s.history.mark(s)
	}
	return err
}

func (s *Session) say(text string) {
	if s.opt.Printf != nil {
		s.opt.Printf(text)
	}
}

// Restart runs the launch anew, with the data it began with. Breakpoints stay.
func (s *Session) Restart() error {
	for i, data := range s.memory() {
		s.initial.putBack(i, data)
	}
	return s.begin()
}

// prepare makes the target of a dispatch, which has not begun.
func (s *Session) prepare(d *launch.Dispatch) error {
	c, err := s.ex.Control(context.Background(), d)
	if err != nil {
		return err
	}
	t := &target{number: s.number, all: s.launch, memories: s.memory(), d: d, c: c, p: c.Program, u: c.Unit}
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
	c.SetCode(s.choose)
	s.watcher = watcher{s: s}
	for _, b := range s.breakpoints {
		s.resolve(b)
	}
	return nil
}

// Halt makes what runs stop at the next opportunity. A command of several steps
// is stopped between two of them, too: the next one that is called stops at once.
func (s *Session) Halt() { s.halt.Store(true) }

// ForgetHalt ends what a Halt asked for that nothing has stopped at: a new command
// begins.
func (s *Session) ForgetHalt() { s.halt.Store(false) }

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

// Launch describes what is being debugged, and how far it is.
func (s *Session) Launch() Launch {
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
	all := append([]diag.Finding(nil), s.past...)
	if s.t != nil && s.t.number == s.number {
		all = append(all, s.t.c.Found()...)
	}
	return diag.Fold(all)
}

// Failed lists the expectations of the launch that did not hold, as text.
func (s *Session) Failed() []string {
	var out []string
	for _, r := range s.failed {
		out = append(out, fmt.Sprintf("%s: %s: expected %s, found %s", r.Expect.Pos, r.Where, r.Expected, r.Found))
	}
	return out
}

var errNothing = errors.New("nothing runs: the launch has no dispatch")

// live is the target, which there must be.
func (s *Session) live() (*target, error) {
	if s.t == nil {
		return nil, errNothing
	}
	return s.t, nil
}
