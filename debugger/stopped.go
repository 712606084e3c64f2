package debugger

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// Stopped is a session that stands still in a dispatch, or after the last one:
// its threads and their frames, what expressions are worth there, memory, and
// views of all that. A thread and a frame are named wherever they matter; frame 0
// is the innermost.
//
// It holds until the session goes anywhere else: from then on every method gives
// ErrMoved. Until then it may be used from several goroutines, and what changes
// threads or memory leaves it valid.
type Stopped struct {
	s *Session
	t *target
	n uint64 // Session.moves
}

// ErrMoved is the error of a Stopped, and of the values that came from it, once
// the session has gone on.
var ErrMoved = errors.New("the session has gone on since it stood here")

// Stopped is the session as it stands still. There is none while a command runs,
// or in a launch that has not come to a dispatch.
func (s *Session) Stopped() (*Stopped, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running || s.t == nil {
		return nil, false
	}
	return &Stopped{s: s, t: s.t, n: s.moves}, true
}

// enter keeps the session where it is until leave.
func (at *Stopped) enter() error {
	if at == nil {
		return errNothing
	}
	at.s.mu.Lock()
	if at.n != at.s.moves {
		at.s.mu.Unlock()
		return ErrMoved
	}
	return nil
}

func (at *Stopped) leave() { at.s.mu.Unlock() }

// seat checks a thread, and that it has so many frames. The first thread is let
// pass in a dispatch without threads: names can be looked up there.
func (t *target) seat(id ThreadID, frame int) error {
	if id != (ThreadID{}) {
		if err := t.check(id); err != nil {
			return err
		}
	}
	if frame == 0 {
		return nil
	}
	st := t.state(id)
	if st.pc < 0 {
		return fmt.Errorf("no frame %d: the thread is %s", frame, st.status)
	}
	if n := len(t.lines.stack(st.pc)); frame < 0 || frame >= n {
		return fmt.Errorf("no frame %d: the stack has %d", frame, n)
	}
	return nil
}

// sit is enter for what is about a thread in a frame.
func (at *Stopped) sit(id ThreadID, frame int) error {
	if err := at.enter(); err != nil {
		return err
	}
	if err := at.t.seat(id, frame); err != nil {
		at.leave()
		return err
	}
	return nil
}

// Thread describes a thread.
func (at *Stopped) Thread(id ThreadID) (Thread, error) {
	if err := at.enter(); err != nil {
		return Thread{}, err
	}
	defer at.leave()
	if err := at.t.check(id); err != nil {
		return Thread{}, err
	}
	return at.t.describe(id, at.t.state(id)), nil
}

// ByGlobal finds a thread by its global id.
func (at *Stopped) ByGlobal(g [3]uint32) (ThreadID, error) {
	if err := at.enter(); err != nil {
		return ThreadID{}, err
	}
	defer at.leave()
	var tile, local [3]uint32
	for i := range g {
		tile[i], local[i] = g[i]/at.t.p.TileSize[i], g[i]%at.t.p.TileSize[i]
	}
	return at.t.byTile(tile, local)
}

// ByTile finds a thread by its tile and its local id.
func (at *Stopped) ByTile(tile, local [3]uint32) (ThreadID, error) {
	if err := at.enter(); err != nil {
		return ThreadID{}, err
	}
	defer at.leave()
	return at.t.byTile(tile, local)
}

func (t *target) byTile(tile, local [3]uint32) (ThreadID, error) {
	n, size := t.d.Groups, t.p.TileSize
	for i := range n {
		if tile[i] >= n[i] {
			return ThreadID{}, fmt.Errorf("no tile %s: there are %s", diag.Triple(tile), diag.Size(n))
		}
		if local[i] >= size[i] {
			return ThreadID{}, fmt.Errorf("no thread %s in a tile: it has %s", diag.Triple(local), diag.Size(size))
		}
	}
	return ThreadID{spirv.Extent(n).Index(tile), int(spirv.Extent(size).Index(local))}, nil
}

// ByWarp finds a thread by tile, warp and lane.
func (at *Stopped) ByWarp(tile uint64, warpIndex, lane int) (ThreadID, error) {
	if err := at.enter(); err != nil {
		return ThreadID{}, err
	}
	defer at.leave()
	t := at.t
	width, warps := t.p.Width, (t.tileSize()+t.p.Width-1)/t.p.Width
	if warpIndex < 0 || warpIndex >= warps {
		return ThreadID{}, fmt.Errorf("no warp %d: tiles have %d", warpIndex, warps)
	}
	id := ThreadID{tile, warpIndex*width + lane}
	if lane < 0 || lane >= width || id.Local >= t.tileSize() {
		return id, fmt.Errorf("no lane %d in warp %d: it has %d", lane, warpIndex, min(width, t.tileSize()-warpIndex*width))
	}
	return id, t.check(id)
}

// Frames is the call stack of a thread, innermost frame first.
func (at *Stopped) Frames(id ThreadID) ([]Frame, error) {
	if err := at.sit(id, 0); err != nil {
		return nil, err
	}
	defer at.leave()
	st := at.t.state(id)
	if st.pc < 0 {
		return nil, fmt.Errorf("the thread is %s", st.status)
	}
	return at.t.lines.stack(st.pc), nil
}

// Locate is the source position of the first operation of a location.
func (at *Stopped) Locate(loc Location) (diag.Pos, error) {
	if err := at.enter(); err != nil {
		return diag.Pos{}, err
	}
	defer at.leave()
	pcs, err := at.t.resolve(loc)
	if err != nil {
		return diag.Pos{}, err
	}
	return at.t.lines.pos[pcs[0]], nil
}

// ThreadSet is a set of threads, in order.
type ThreadSet []ThreadID

// Warp is the threads of a thread's warp.
func (at *Stopped) Warp(id ThreadID) (ThreadSet, error) {
	if err := at.sit(id, 0); err != nil {
		return nil, err
	}
	defer at.leave()
	return at.t.warpThreads(id), nil
}

func (t *target) warpThreads(id ThreadID) ThreadSet {
	width := t.p.Width
	first := id.Local / width * width
	var out ThreadSet
	for l := first; l < min(first+width, t.tileSize()); l++ {
		out = append(out, ThreadID{id.Tile, l})
	}
	return out
}

// Tile is the threads of a thread's tile.
func (at *Stopped) Tile(id ThreadID) (ThreadSet, error) {
	if err := at.sit(id, 0); err != nil {
		return nil, err
	}
	defer at.leave()
	return at.t.tileThreads(id.Tile), nil
}

func (t *target) tileThreads(tile uint64) ThreadSet {
	var out ThreadSet
	for l := range t.tileSize() {
		out = append(out, ThreadID{tile, l})
	}
	return out
}

// Running is the threads of all tiles that have started and not ended.
func (at *Stopped) Running() (ThreadSet, error) {
	if err := at.enter(); err != nil {
		return nil, err
	}
	defer at.leave()
	return at.t.runningThreads(), nil
}

func (t *target) runningThreads() ThreadSet {
	var out ThreadSet
	for _, tile := range t.c.Resident() {
		out = append(out, t.tileThreads(uint64(tile.Index))...)
	}
	return out
}

// Active is the threads that are about to execute the place of a thread's warp:
// its active lanes.
func (at *Stopped) Active(id ThreadID) (ThreadSet, error) {
	if err := at.sit(id, 0); err != nil {
		return nil, err
	}
	defer at.leave()
	return at.t.withStatus(at.t.warpThreads(id), Active), nil
}

// Frozen is the threads that are held back.
func (at *Stopped) Frozen() (ThreadSet, error) {
	if err := at.enter(); err != nil {
		return nil, err
	}
	defer at.leave()
	return at.t.withStatus(at.t.runningThreads(), Frozen), nil
}

// withStatus keeps the threads that have a status.
func (t *target) withStatus(set ThreadSet, st Status) ThreadSet {
	var out ThreadSet
	for _, id := range set {
		if t.state(id).status == st {
			out = append(out, id)
		}
	}
	return out
}

// Filter keeps the threads for which a condition holds. Names are what they are
// in a frame of the thread id, in whose function the others are looked at too.
func (at *Stopped) Filter(id ThreadID, frame int, set ThreadSet, e *Expr) (ThreadSet, error) {
	if err := at.sit(id, frame); err != nil {
		return nil, err
	}
	defer at.leave()
	var out ThreadSet
	f := filter{cond: e, ev: evaluator{t: at.t}}
	vp := at.t.viewpoint(id, frame)
	for _, id := range set {
		if f.holds(vp.thread(id)) {
			out = append(out, id)
		}
	}
	return out, f.failed(len(out))
}

// filter keeps threads for which a condition holds. One that cannot be computed
// does not hold.
type filter struct {
	cond   *Expr // nil holds for all
	ev     evaluator
	judged int // threads that it had an answer for
	err    error
}

func (f *filter) holds(th *thread) bool {
	if f.cond == nil {
		return true
	}
	yes, err := f.ev.truth(f.cond.root, th)
	f.err = telling(f.err, err)
	if err == nil {
		f.judged++
	}
	return yes && err == nil
}

// failed is the error of a filter that kept none because it could not be
// computed.
func (f *filter) failed(kept int) error {
	if kept > 0 || f.judged > 0 && isAbsence(f.err) {
		return nil
	}
	return f.err
}

// telling is the more telling of two errors: that a thread has no value says
// less than any other.
func telling(first, err error) error {
	if first == nil || err != nil && isAbsence(first) && !isAbsence(err) {
		return err
	}
	return first
}

func isAbsence(err error) bool {
	var a absence
	return errors.As(err, &a)
}

// Flag marks threads, or unmarks them.
func (at *Stopped) Flag(set ThreadSet, on bool) error {
	if err := at.enter(); err != nil {
		return err
	}
	defer at.leave()
	for _, id := range set {
		if on {
			at.t.flags[flag{at.t.number, id}] = true
		} else {
			delete(at.t.flags, flag{at.t.number, id})
		}
	}
	return nil
}

// Flagged is the marked threads.
func (at *Stopped) Flagged() (ThreadSet, error) {
	if err := at.enter(); err != nil {
		return nil, err
	}
	defer at.leave()
	var out ThreadSet
	for f := range at.t.flags {
		if f.dispatch == at.t.number {
			out = append(out, f.ThreadID)
		}
	}
	slices.SortFunc(out, func(a, b ThreadID) int {
		return cmp.Or(cmp.Compare(a.Tile, b.Tile), cmp.Compare(a.Local, b.Local))
	})
	return out, nil
}

// Freeze holds threads back, and gives the number of those that it did that to. A
// warp of which all threads are chosen is held as a whole; where only some are,
// they leave the lockstep of their warp.
func (at *Stopped) Freeze(set ThreadSet) (int, error) { return at.hold(set, true) }

// Thaw lets frozen threads go on.
func (at *Stopped) Thaw(set ThreadSet) (int, error) { return at.hold(set, false) }

func (at *Stopped) hold(set ThreadSet, freeze bool) (n int, err error) {
	if err := at.enter(); err != nil {
		return 0, err
	}
	defer at.leave()
	s, t := at.s, at.t
	type key struct {
		tile uint64
		warp int
	}
	masks := map[key]warp.Mask{}
	var order []key
	for _, id := range set {
		if err := t.check(id); err != nil {
			return 0, err
		}
		st := t.state(id)
		if st.w == nil || st.status == Finished || (st.status == Frozen) == freeze {
			continue
		}
		k := key{id.Tile, id.Local / t.p.Width}
		m, known := masks[k]
		if !known {
			order = append(order, k)
		}
		m.Set(id.Local % t.p.Width)
		masks[k] = m
	}
	for _, k := range order {
		m := masks[k]
		w := t.c.Tile(k.tile).Warps[k.warp]
		tile, index := k.tile, k.warp
		whole := m.And(w.Live()) == w.Live() || !freeze && t.c.Held(w)
		if whole {
			n += w.Live().Count()
			s.act(func(c *emu.Control) { c.Hold(c.Tile(tile).Warps[index], freeze) })
			continue
		}
		if freeze {
			can := m.And(w.CanFreeze())
			if can != m {
				err = errors.New("threads that wait at a barrier or to reconverge cannot be frozen apart from their warp")
			}
			m = can
			s.act(func(c *emu.Control) { c.Freeze(c.Tile(tile).Warps[index], m) })
		} else {
			s.act(func(c *emu.Control) { c.Thaw(c.Tile(tile).Warps[index], m) })
		}
		n += m.Count()
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

// Functions lists the functions of the kernel's source, those of its callees too.
func (at *Stopped) Functions() ([]string, error) {
	if err := at.enter(); err != nil {
		return nil, err
	}
	defer at.leave()
	return at.t.lines.functions(), nil
}

// Files lists the source files that the kernel's code comes from.
func (at *Stopped) Files() ([]string, error) {
	if err := at.enter(); err != nil {
		return nil, err
	}
	defer at.leave()
	return at.t.lines.files(), nil
}

// byNumber compares names so that numbers in them count as numbers: %9 comes
// before %10.
func byNumber(a, b string) int {
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
	for a != "" && b != "" {
		if !isDigit(a[0]) || !isDigit(b[0]) {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		run := func(s string) (digits, rest string) {
			n := 0
			for n < len(s) && isDigit(s[n]) {
				n++
			}
			return strings.TrimLeft(s[:n], "0"), s[n:]
		}
		x, ra := run(a)
		y, rb := run(b)
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
			return c
		}
		a, b = ra, rb
	}
	return cmp.Compare(len(a), len(b))
}
