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
func (t *target) id(w *warp.Warp, lane int) ThreadID {
	return ThreadID{uint64(w.T.Index), w.Index*w.P.Width + lane}
}

// threadOf is the thread that a finding names.
func (t *target) threadOf(th diag.Thread) ThreadID {
	g := t.d.Groups
	tile := uint64(th.Tile[0]) + uint64(g[0])*(uint64(th.Tile[1])+uint64(g[1])*uint64(th.Tile[2]))
	return ThreadID{tile, int(th.Local)}
}

// state finds a thread.
func (t *target) state(id ThreadID) state {
	c := t.c
	if !c.HasStarted(id.Tile) {
		return state{status: NotStarted, pc: -1}
	}
	tile := c.Tile(id.Tile)
	if tile == nil {
		return state{status: Finished, pc: -1}
	}
	w := tile.Warps[id.Local/t.p.Width]
	lane := id.Local % t.p.Width
	return t.laneState(w, lane, w.Places()[lane])
}

// laneState is the state of a lane with a known place.
func (t *target) laneState(w *warp.Warp, lane int, p warp.LanePlace) state {
	st := state{pc: p.PC, w: w, lane: lane, place: p}
	c := t.c
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
		if c.Waits(w) && w != c.Current() && t.barrier(st.pc-1) {
			st.status = Blocked
			st.pc--
		} else if w.Steps == 0 && w.PC == t.p.Entry && w != c.Current() {
			st.status = NotStarted
		}
	case warp.LanePending:
		st.status = Diverged
		if c.Waits(w) && w != c.Current() && t.barrier(st.pc-1) {
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
func (t *target) barrier(pc int) bool {
	return pc >= 0 && t.p.Code[pc].Code == program.Barrier
}

// thread is a thread at whose values expressions are looked at.
func (t *target) thread(id ThreadID) *thread {
	st := t.state(id)
	return &thread{tile: id.Tile, local: id.Local, lane: id.Local % t.p.Width, w: st.w, pc: st.pc}
}

// threadIn is a thread seen from a frame further out, if it has so many.
func (t *target) threadIn(id ThreadID, n int) *thread {
	th := t.thread(id)
	if n == 0 || th.pc < 0 {
		return th
	}
	if fs := t.lines.stack(th.pc); n < len(fs) {
		th.pc, th.scope, th.outer = fs[n].pc, fs[n].scope, fs[n].index+1
	}
	return th
}

// viewpoint is the frame that expressions are about: that of one thread, in whose
// function others are looked at too.
type viewpoint struct {
	t  *target
	of ThreadID
	th *thread // in its frame
	fn function
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

// viewpoint is a thread with a frame. That of a thread that has not started, or
// of which nothing is left, is the kernel's.
func (t *target) viewpoint(id ThreadID, frame int) viewpoint {
	v := viewpoint{t: t, of: id, th: t.threadIn(id, frame)}
	status := t.state(id).status
	pc := t.thread(id).pc
	if status == NotStarted || v.th.pc < 0 {
		at := *v.th
		at.pc = t.p.Entry
		v.th.away = &away{at: &at, unstarted: true, why: whyAway(status)}
		frame, pc = 1<<30, at.pc
	}
	if fs := t.lines.stack(pc); len(fs) > 0 {
		v.fn = t.functionOf(&fs[min(frame, len(fs)-1)])
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
	if id == v.of {
		th := *v.th
		return &th
	}
	at := v.th
	if at.away != nil {
		at = at.away.at
	}
	th := v.t.thread(id)
	if st := v.t.state(id).status; st == NotStarted || th.pc < 0 {
		th.away = &away{at: at, unstarted: true, why: whyAway(st)}
		return th
	}
	fs := v.t.lines.stack(th.pc)
	for i := range fs {
		if v.t.functionOf(&fs[i]) == v.fn {
			if i > 0 {
				th.pc, th.scope, th.outer = fs[i].pc, fs[i].scope, fs[i].index+1
			}
			return th
		}
	}
	name := v.fn.name
	if name == "" {
		name = v.t.lines.functionName(v.fn.of)
	}
	th.away = &away{at: at, why: absence("the thread is not in " + name)}
	return th
}

// describe describes a thread in a known state.
func (t *target) describe(id ThreadID, st state) Thread {
	out := Thread{
		ID: id, Tile: t.tileID(id.Tile), Local: t.localID(id.Local), Global: t.globalID(id.Tile, id.Local),
		Warp: id.Local / t.p.Width, Lane: id.Local % t.p.Width, Status: st.status, Flag: t.flags[flag{t.number, id}],
	}
	if st.pc >= 0 {
		out.Pos = t.lines.pos[st.pc]
		if fs := t.lines.stack(st.pc); len(fs) > 0 {
			out.Func = fs[0].Func
		}
	}
	out.Why = t.why(st)
	return out
}

// why says what a thread waits for.
func (t *target) why(st state) string {
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
		c := t.p.Constructs[st.place.Construct]
		line := ""
		if p := t.instPos(int(c.Inst)); p.Line > 0 {
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

func (t *target) instPos(inst int) diag.Pos {
	if inst < 0 {
		return diag.Pos{}
	}
	return t.u.PosOf(inst)
}

// check says what is wrong with a thread that the dispatch does not have.
func (t *target) check(id ThreadID) error {
	if t.c.Total() == 0 {
		return errors.New("no thread to look at: the dispatch has no tiles")
	}
	if id.Tile >= t.c.Total() || id.Local < 0 || id.Local >= t.tileSize() {
		return fmt.Errorf("no such thread: there are %d tiles of %d threads", t.c.Total(), t.tileSize())
	}
	return nil
}
