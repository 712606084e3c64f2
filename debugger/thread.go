package debugger

import (
	"errors"
	"fmt"

	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// ThreadID names a thread of the current dispatch: the linear index of its
// tile, and its place in the tile.
type ThreadID struct {
	Tile  uint64
	Local int
}

// Status is what a thread does.
type Status string

// The statuses.
const (
	Active     Status = "active"      // executes with its warp
	Blocked    Status = "blocked"     // waits at a tile barrier, or has come no further since
	Diverged   Status = "diverged"    // waits while other lanes of its warp take another path
	Frozen     Status = "frozen"      // held back by the user
	NotStarted Status = "not started" //
	Finished   Status = "finished"    // has returned from the kernel
)

// Thread describes a thread.
type Thread struct {
	ID     ThreadID
	Tile   [3]uint32
	Local  [3]uint32
	Global [3]uint32
	Warp   int
	Lane   int
	Status Status
	Why    string // of a diverged or blocked thread: what it waits for
	Pos    diag.Pos
	Func   string
	Flag   bool
}

// state is where a thread is, and what it does there.
type state struct {
	status Status
	pc     int // -1 if nowhere
	w      *warp.Warp
	lane   int
	place  warp.LanePlace
}

// id is the thread in a lane.
func (s *Session) id(w *warp.Warp, lane int) ThreadID {
	return ThreadID{uint64(w.T.Index), w.Index*w.P.Width + lane}
}

// threadOf is the thread that a finding names.
func (s *Session) threadOf(t diag.Thread) ThreadID {
	g := s.t.d.Groups
	tile := uint64(t.Tile[0]) + uint64(g[0])*(uint64(t.Tile[1])+uint64(g[1])*uint64(t.Tile[2]))
	return ThreadID{tile, int(t.Local)}
}

// state finds a thread.
func (s *Session) state(id ThreadID) state {
	c := s.t.c
	if !c.HasStarted(id.Tile) {
		return state{status: NotStarted, pc: -1}
	}
	t := c.Tile(id.Tile)
	if t == nil {
		return state{status: Finished, pc: -1}
	}
	w := t.Warps[id.Local/s.t.p.Width]
	lane := id.Local % s.t.p.Width
	return s.laneState(w, lane, w.Places()[lane])
}

// laneState is the state of a lane with a known place.
func (s *Session) laneState(w *warp.Warp, lane int, p warp.LanePlace) state {
	st := state{pc: p.PC, w: w, lane: lane, place: p}
	c := s.t.c
	switch p.State {
	case warp.LaneExited:
		st.status, st.pc = Finished, w.ExitPC(lane)
		return st
	case warp.LaneAtBarrier:
		st.status = Blocked
		if w.Frozen().Has(lane) {
			st.status = Frozen
			return st
		}
		st.pc--
	case warp.LaneActive:
		st.status = Active
		if c.Waits(w) && w != c.Current() && s.barrier(st.pc-1) {
			st.status = Blocked
			st.pc--
		} else if w.Steps == 0 && w.PC == s.t.p.Entry && w != c.Current() {
			st.status = NotStarted
		}
	case warp.LanePending:
		st.status = Diverged
		if c.Waits(w) && w != c.Current() && s.barrier(st.pc-1) {
			st.status = Blocked
			st.pc--
		}
	default:
		st.status = Diverged
	}
	if c.Held(w) {
		st.status = Frozen
	}
	return st
}

// barrier reports whether an operation is a barrier.
func (s *Session) barrier(pc int) bool {
	return pc >= 0 && s.t.p.Code[pc].Code == program.Barrier
}

// thread is a thread at whose values expressions are looked at.
func (s *Session) thread(id ThreadID) *thread {
	st := s.state(id)
	return &thread{tile: id.Tile, local: id.Local, lane: id.Local % s.t.p.Width, w: st.w, pc: st.pc}
}

// threadIn is a thread seen from a frame further out, if it has so many.
func (s *Session) threadIn(id ThreadID, n int) *thread {
	th := s.thread(id)
	if n == 0 || th.pc < 0 {
		return th
	}
	if fs := s.t.lines.stack(th.pc); n < len(fs) {
		th.pc, th.scope, th.outer = fs[n].pc, fs[n].scope, fs[n].index+1
	}
	return th
}

// viewpoint is the frame that expressions are about: that of the focus, in whose
// function other threads are looked at too.
type viewpoint struct {
	s     *Session
	focus *thread // in its frame
	fn    function
}

// function is a function of the source.
type function struct {
	of   *spirv.Function
	name string
	pos  diag.Pos
}

// functionOf is the function that a frame is of.
func (t *target) functionOf(f *Frame) function {
	out := function{of: t.p.Frames[f.index].Function}
	for s := f.scope; s != nil; s = s.Parent {
		if s.Kind == spirv.FunctionScope {
			out.name, out.pos = s.Name, s.Pos
			break
		}
	}
	return out
}

// viewpoint is the focus with its frame. That of a thread that has not started,
// or of which nothing is left, is the kernel's.
func (s *Session) viewpoint() viewpoint {
	v := viewpoint{s: s, focus: s.threadIn(s.focus, s.frame)}
	status := s.state(s.focus).status
	n := s.frame
	if status == NotStarted || v.focus.pc < 0 {
		at := *v.focus
		at.pc = s.t.p.Entry
		v.focus.away = &away{at: &at, unstarted: true, why: whyAway(status)}
		n = 1 << 30
	}
	at := v.focus
	if at.away != nil {
		at = at.away.at
	}
	pc := s.thread(s.focus).pc
	if v.focus.away != nil {
		pc = at.pc
	}
	if fs := s.t.lines.stack(pc); len(fs) > 0 {
		v.fn = s.t.functionOf(&fs[min(n, len(fs)-1)])
	}
	return v
}

// whyAway says why a thread in a status has no registers.
func whyAway(st Status) absence {
	if st == NotStarted {
		return "the thread has not started: it has no variables yet"
	}
	return absence(errNotAtHand.Error())
}

// thread is a thread in its frame of the viewpoint's function.
func (v viewpoint) thread(id ThreadID) *thread {
	if id == v.s.focus {
		th := *v.focus
		return &th
	}
	at := v.focus
	if at.away != nil {
		at = at.away.at
	}
	th := v.s.thread(id)
	if st := v.s.state(id).status; st == NotStarted || th.pc < 0 {
		th.away = &away{at: at, unstarted: true, why: whyAway(st)}
		return th
	}
	fs := v.s.t.lines.stack(th.pc)
	for i := range fs {
		if v.s.t.functionOf(&fs[i]) == v.fn {
			if i > 0 {
				th.pc, th.scope, th.outer = fs[i].pc, fs[i].scope, fs[i].index+1
			}
			return th
		}
	}
	name := v.fn.name
	if name == "" {
		name = v.s.t.lines.functionName(v.fn.of)
	}
	th.away = &away{at: at, why: absence("the thread is not in " + name)}
	return th
}

// describe describes a thread in a known state.
func (s *Session) describe(id ThreadID, st state) Thread {
	t := s.t
	out := Thread{
		ID: id, Tile: t.tileID(id.Tile), Local: t.localID(id.Local), Global: t.globalID(id.Tile, id.Local),
		Warp: id.Local / t.p.Width, Lane: id.Local % t.p.Width, Status: st.status, Flag: s.flags[flag{s.t.number, id}],
	}
	if st.pc >= 0 {
		out.Pos = t.lines.pos[st.pc]
		if fs := t.lines.stack(st.pc); len(fs) > 0 {
			out.Func = fs[0].Func
		}
	}
	out.Why = s.why(st)
	return out
}

// why says what a thread waits for.
func (s *Session) why(st state) string {
	if st.w == nil {
		return ""
	}
	switch st.place.State {
	case warp.LaneAtBarrier:
		if st.status == Frozen {
			return "held back by freeze"
		}
		return "waits at the barrier"
	case warp.LanePending:
		return "waits for its turn: other lanes take another branch first"
	case warp.LaneAtMerge, warp.LaneAtContinue, warp.LaneAtHeader:
		c := s.t.p.Constructs[st.place.Construct]
		line := ""
		if p := s.instPos(int(c.Inst)); p.Line > 0 {
			line = fmt.Sprintf(" of line %d", p.Line)
		}
		what := map[program.ConstructKind]string{
			program.SelectionConstruct: "the end of the if" + line, program.SwitchConstruct: "the end of the switch" + line,
			program.LoopConstruct: "the end of the loop" + line, program.CallConstruct: "the end of the call" + line,
		}[c.Kind]
		switch st.place.State {
		case warp.LaneAtContinue:
			what = "the continue of the loop" + line
		case warp.LaneAtHeader:
			what = "the next iteration of the loop" + line
		}
		return "waits for others at " + what
	}
	return ""
}

func (s *Session) instPos(inst int) diag.Pos {
	if inst < 0 {
		return diag.Pos{}
	}
	return s.t.u.PosOf(inst)
}

// Thread describes a thread.
func (s *Session) Thread(id ThreadID) (Thread, error) {
	if _, err := s.live(); err != nil {
		return Thread{}, err
	}
	if err := s.check(id); err != nil {
		return Thread{}, err
	}
	return s.describe(id, s.state(id)), nil
}

func (s *Session) check(id ThreadID) error {
	if s.t.c.Total() == 0 {
		return errors.New("no thread to look at: the dispatch has no tiles")
	}
	if id.Tile >= s.t.c.Total() || id.Local < 0 || id.Local >= s.t.tileSize() {
		return fmt.Errorf("no such thread: there are %d tiles of %d threads", s.t.c.Total(), s.t.tileSize())
	}
	return nil
}

// Focus is the thread that commands are about.
func (s *Session) Focus() ThreadID { return s.focus }

// SetFocus makes commands be about a thread.
func (s *Session) SetFocus(id ThreadID) error {
	if _, err := s.live(); err != nil {
		return err
	}
	if err := s.check(id); err != nil {
		return err
	}
	s.focus, s.frame = id, 0
	return nil
}

// ByGlobal, ByTile and ByWarp find threads by their global id, by tile and
// local id, and in a tile by warp and lane.
func (s *Session) ByGlobal(g [3]uint32) (ThreadID, error) {
	if _, err := s.live(); err != nil {
		return ThreadID{}, err
	}
	var tile, local [3]uint32
	for i := range g {
		tile[i], local[i] = g[i]/s.t.p.TileSize[i], g[i]%s.t.p.TileSize[i]
	}
	return s.ByTile(tile, local)
}

// ByTile finds a thread by its tile and its local id.
func (s *Session) ByTile(tile, local [3]uint32) (ThreadID, error) {
	if _, err := s.live(); err != nil {
		return ThreadID{}, err
	}
	n, size := s.t.d.Groups, s.t.p.TileSize
	for i := range n {
		if tile[i] >= n[i] {
			return ThreadID{}, fmt.Errorf("no tile %s: there are %s", diag.Triple(tile), diag.Size(n))
		}
		if local[i] >= size[i] {
			return ThreadID{}, fmt.Errorf("no thread %s in a tile: it has %s", diag.Triple(local), diag.Size(size))
		}
	}
	return ThreadID{
		spirv.Extent(n).Index(tile), int(spirv.Extent(size).Index(local)),
	}, nil
}

// ByWarp finds a thread by tile, warp and lane.
func (s *Session) ByWarp(tile uint64, warpIndex, lane int) (ThreadID, error) {
	if _, err := s.live(); err != nil {
		return ThreadID{}, err
	}
	width, warps := s.t.p.Width, (s.t.tileSize()+s.t.p.Width-1)/s.t.p.Width
	if warpIndex < 0 || warpIndex >= warps {
		return ThreadID{}, fmt.Errorf("no warp %d: tiles have %d", warpIndex, warps)
	}
	id := ThreadID{tile, warpIndex*width + lane}
	if lane < 0 || lane >= width || id.Local >= s.t.tileSize() {
		return id, fmt.Errorf("no lane %d in warp %d: it has %d", lane, warpIndex, min(width, s.t.tileSize()-warpIndex*width))
	}
	return id, s.check(id)
}

// Stack is the call stack of a thread, innermost frame first.
func (s *Session) Stack(id ThreadID) ([]Frame, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	st := s.state(id)
	if st.pc < 0 {
		return nil, fmt.Errorf("the thread is %s", st.status)
	}
	return s.t.lines.stack(st.pc), nil
}

// Frame is the number of the frame that expressions are about, 0 for the
// innermost.
func (s *Session) Frame() int { return s.frame }

// SetFrame chooses the frame that expressions are about.
func (s *Session) SetFrame(n int) error {
	fs, err := s.Stack(s.focus)
	if err != nil {
		return err
	}
	if n < 0 || n >= len(fs) {
		return fmt.Errorf("no frame %d: the stack has %d", n, len(fs))
	}
	s.frame = n
	return nil
}
