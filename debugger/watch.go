package debugger

import (
	"bytes"
	"fmt"
	"slices"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// WatchKind says at what accesses a watchpoint stops.
type WatchKind string

// The kinds of watchpoint.
const (
	WatchChange WatchKind = "change" // writes of another value
	WatchWrite  WatchKind = "write"
	WatchRead   WatchKind = "read"
	WatchAccess WatchKind = "access" // reads and writes
)

// watchpoint is what a watchpoint watches: bytes of a memory, or rows of one
// thread's variable.
type watchpoint struct {
	expr *Expr
	// In memory. A buffer or image is watched in all dispatches that use it,
	// whatever its name is there.
	mem   *tilemem.Memory
	data  []byte // of the buffer or image; nil for other memory
	tile  int64  // of tile_static memory; -1: any
	off   int64  // in the memory
	size  int64
	bytes int64 // size as it was asked for
	// text writes what data holds there.
	text func() string
	// A private variable:
	thread ThreadID
	frame  int // that the expression is about
	rows   []uint32
	t      *spirv.Type
	homes  map[*launch.Dispatch]home
	never  bool // what the expression names cannot be watched, here or elsewhere
	// The operation that is being executed by w, nil if none that touches the
	// rows is, and what it does to them.
	w     *warp.Warp
	pc    int
	touch touch
	old   []uint64
	// The access that was counted last, and whether to stop at it: the lanes of
	// one count once.
	counted accessKey
	stops   bool
}

// home is where a variable is in a dispatch: a watchpoint that has found it there
// finds it again, also when its thread has not started.
type home struct {
	rows []uint32
	t    *spirv.Type
}

// touch says what an operation does to the rows of a variable.
type touch struct{ reads, writes bool }

func (w *watchpoint) private() bool { return w.rows != nil }

// WatchHit is an access that a watchpoint stopped at.
type WatchHit struct {
	Kind   string // "read", "write", "atomic", "COPY": by the launch, between dispatches
	Object string
	Thread Thread
	Pos    diag.Pos
	Old    string
	New    string // of writes
	More   int    // other threads of the warp, by the same instruction

	before bool // the access has not happened yet
	key    accessKey
}

// accessKey names an access of the launch: what a warp does at one moment.
type accessKey struct {
	dispatch int
	tile     uint64
	warp     int
	steps    uint64
	pc       int
}

// newWatch makes a watchpoint, which is not set yet.
func (s *Session) newWatch(w Watchpoint) (*point, error) {
	e, err := ParseExpr(w.Expr)
	if err != nil {
		return nil, err
	}
	if w.Kind == "" {
		w.Kind = WatchChange
	}
	if !slices.Contains([]WatchKind{WatchChange, WatchWrite, WatchRead, WatchAccess}, w.Kind) {
		return nil, fmt.Errorf("no kind of watchpoint %q; there are change, write, read and access", w.Kind)
	}
	if w.Bytes < 0 {
		return nil, fmt.Errorf("expected a number of bytes, found %d", w.Bytes)
	}
	if err := s.t.seat(w.Thread, w.Frame); err != nil {
		return nil, err
	}
	return &point{spec: e.Text, kind: w.Kind, watch: &watchpoint{expr: e, bytes: w.Bytes, size: w.Bytes, thread: w.Thread, frame: w.Frame}}, nil
}

// resolveWatch finds what a watchpoint watches in the current dispatch.
func (s *Session) resolveWatch(b *point) {
	w := b.watch
	if w.data != nil {
		s.resolveData(b)
		return
	}
	w.mem, w.rows = nil, nil
	if h, ok := w.homes[s.t.d]; ok {
		w.rows, w.t = h.rows, h.t
		s.touched(b)
		return
	}
	s.resolvePlace(b)
	if b.Problem != "" {
		return
	}
	if w.private() {
		if w.homes == nil {
			w.homes = map[*launch.Dispatch]home{}
		}
		w.homes[s.t.d] = home{w.rows, w.t}
	}
	if w.mem != nil {
		for _, data := range s.t.memories {
			if s.t.memory(data) == w.mem {
				w.data = data
			}
		}
	}
	if w.data != nil {
		s.resolveData(b)
	}
}

// resolveData finds a buffer or image that a watchpoint watches in the current
// dispatch.
func (s *Session) resolveData(b *point) {
	if b.watch.mem = s.t.memory(b.watch.data); b.watch.mem == nil {
		b.Problem = fmt.Sprintf("dispatch %d does not use the memory of %s", s.t.number, b.spec)
	}
}

// resolvePlace finds the place that a watchpoint's expression names.
func (s *Session) resolvePlace(b *point) {
	w := b.watch
	th := s.t.threadIn(w.thread, w.frame)
	ev := evaluator{t: s.t}
	o, err := ev.eval(w.expr.root, th)
	switch {
	case err != nil:
		b.Problem = err.Error()
		return
	}
	w.never = true
	switch {
	case o.at == nil || o.at.views != nil:
		b.Problem = fmt.Sprintf("%s is a value without a place; watch a variable or an element", w.expr.Text)
		return
	case o.isImage():
		_, err := o.load(th)
		b.Problem = err.Error()
		return
	case o.at.rows != nil && s.t.state(w.thread).status == Finished:
		b.Problem = "the thread has finished: its variables change no more"
		return
	case o.isTexel() && w.size != 0:
		b.Problem = "a texel is watched as a whole, not by bytes"
		return
	}
	w.never = false
	if o.at.rows != nil {
		w.rows, w.t = o.at.rows, o.t
		s.touched(b)
		return
	}
	if o.isTexel() {
		w.size = int64(o.at.texels.span)
	} else if w.size == 0 {
		size := int64(0)
		o.at.walk(o.t, o.n, func(t *spirv.Type, off int64) bool {
			size = max(size, off+int64(scalarSize(t))-o.at.off)
			return true
		})
		w.size = size
	}
	w.mem, w.tile, w.off = o.at.mem, -1, o.at.off
	if o.at.view == noView {
		w.data = o.at.data
	} else {
		w.off += s.t.c.View(nil, o.at.view).Base
	}
	if w.mem != nil && w.mem.Space == tilemem.TileStatic {
		w.tile = int64(w.thread.Tile)
	}
	w.t = o.t
	t := s.t
	w.text = func() string {
		text, err := t.text(o, th, 0)
		if err != nil {
			return ""
		}
		return text
	}
}

// copyStep does a COPY of the launch. The stop is that of the watchpoints on
// what it reads and writes; nil without any.
func (s *Session) copyStep(x *launch.Copy) *Stop {
	if s.t == nil { // before the first dispatch: history has not begun
		x.Do()
		return nil
	}
	from, to := x.Ends()
	same := func(a, b []byte) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }
	var st *Stop
	var after []func()
	for _, b := range s.points {
		w := b.watch
		if b.Disabled || w == nil || w.data == nil {
			continue
		}
		end := min(w.off+w.size, int64(min(len(from), len(to))))
		if w.off >= end {
			continue
		}
		reads := same(w.data, from) && (b.kind == WatchRead || b.kind == WatchAccess)
		writes := same(w.data, to) && b.kind != WatchRead &&
			(b.kind != WatchChange || !bytes.Equal(from[w.off:end], to[w.off:end]))
		if !reads && !writes || !s.copyHolds(b) {
			continue
		}
		if !s.counts(b) {
			continue
		}
		if st == nil {
			st = &Stop{Reason: AtWatchpoint, Watch: &WatchHit{Kind: "COPY", Object: b.spec, Pos: x.Pos}}
			if w.text != nil {
				st.Watch.Old = w.text()
				if writes {
					hit := st.Watch
					after = append(after, func() { hit.New = w.text() })
				}
			}
		}
		st.Breakpoints = append(st.Breakpoints, b.id)
	}
	x.Do()
	for _, f := range after {
		f()
	}
	return st
}

// copyHolds evaluates the condition of a watchpoint where no thread runs. One
// that needs a thread does not keep from stopping.
func (s *Session) copyHolds(b *point) bool {
	if b.cond == nil {
		return true
	}
	ev := evaluator{t: s.t}
	yes, err := ev.truth(b.cond.root, &thread{pc: -1})
	return yes || err != nil
}

// touched finds the operations that touch the rows of a watched variable in the
// way that its watchpoint asks for.
func (s *Session) touched(b *point) {
	b.pcs = nil
	for pc := range s.t.p.Code {
		if s.touchOf(b, pc, -1) != (touch{}) {
			b.pcs = append(b.pcs, pc)
		}
	}
	b.places = len(b.pcs)
}

// touchOf is what an operation does to the rows of a watched variable, as far as
// its watchpoint asks for that. index is the row of the variable that an indexed
// operation reaches, -1 for any.
func (s *Session) touchOf(b *point, pc int, index int64) (t touch) {
	p := s.t.p
	op := &p.Code[pc]
	if op.Code.Info().Effects&program.EffectCheck != 0 {
		return t // the operation that it is a check of touches the rows
	}
	p.Touches(op, func(run program.RowRun) {
		if _, ok := op.Part(); ok && index >= 0 {
			if info := &p.Vars[op.X]; run.At == uint32(info.Row)*uint32(p.Stride) {
				run.At, run.N = uint32(int(info.Row)+int(index))*uint32(p.Stride), op.N*uint32(p.Stride)
			}
		}
		if slices.ContainsFunc(b.watch.rows, func(row uint32) bool { return row >= run.At && row < run.At+run.N }) {
			t.reads, t.writes = t.reads || !run.Writes(), t.writes || run.Writes()
		}
	})
	t.reads = t.reads && (b.kind == WatchRead || b.kind == WatchAccess)
	t.writes = t.writes && b.kind != WatchRead
	return t
}

// beforePrivate notes the values of watched variables before an operation that
// touches them.
func (s *Session) beforePrivate(w *warp.Warp, list []*point) {
	op := &s.t.p.Code[w.PC]
	for _, b := range list {
		p := b.watch
		p.w = nil
		lane := p.thread.Local % s.t.p.Width
		if uint64(w.T.Index) != p.thread.Tile || p.thread.Local/s.t.p.Width != w.Index || !w.Active().Has(lane) {
			continue
		}
		index := int64(-1)
		if part, ok := op.Part(); ok {
			index = max(-1, part.First+part.Term.Of(w.R[int(part.Term.Row)+lane]))
		}
		if t := s.touchOf(b, w.PC, index); t != (touch{}) {
			p.w, p.pc, p.touch, p.old = w, w.PC, t, p.bits(w, lane)
		}
	}
}

// bits are the values of the watched rows.
func (p *watchpoint) bits(w *warp.Warp, lane int) []uint64 {
	var out []uint64
	for _, r := range p.rows {
		out = append(out, w.R[int(r)+lane])
	}
	return out
}

// afterPrivate looks whether the operation just executed did to watched
// variables what their watchpoints wait for.
func (s *Session) afterPrivate(list []*point) *Stop {
	var st *Stop
	for _, b := range list {
		p := b.watch
		w := p.w
		if w == nil {
			continue
		}
		p.w = nil
		lane := p.thread.Local % s.t.p.Width
		bits := p.bits(w, lane)
		changed := !slices.Equal(bits, p.old)
		if b.kind == WatchChange && !changed || !s.watchHolds(b, w, lane) || !s.counts(b) {
			continue
		}
		var m warp.Mask
		m.Set(lane)
		is := s.stopAt(AtWatchpoint, w, m)
		is.Thread, is.Breakpoints = p.thread, []int{b.id}
		s.conditionFailed(is, b)
		hit := &WatchHit{Kind: "write", Object: b.spec, Thread: s.t.describe(p.thread, s.t.state(p.thread)), Pos: s.t.lines.pos[p.pc]}
		text := func(bits []uint64) string {
			text, _ := s.t.text(operand{t: p.t, bits: bits}, s.t.thread(p.thread), 0)
			return text
		}
		hit.Old = text(p.old)
		if p.touch.writes {
			hit.New = text(bits)
		} else {
			hit.Kind = "read"
		}
		is.Watch = hit
		st = st.and(is)
	}
	return st
}

// counts counts a hit, and reports whether to stop at it. Going through the
// past again counts nothing.
func (s *Session) counts(b *point) bool {
	if s.reversing {
		return true
	}
	b.Hits++
	if b.Ignore > 0 {
		b.Ignore--
		return false
	}
	return true
}

// conditionFailed says in a stop that a condition could not be computed.
func (s *Session) conditionFailed(st *Stop, b *point) {
	if b.CondFail != "" {
		kind := "breakpoint"
		if b.watch != nil {
			kind = "watchpoint"
		}
		st.Text, b.CondFail = fmt.Sprintf("the condition of %s %d cannot be computed: %s", kind, b.id, b.CondFail), ""
	}
}

// watchHolds evaluates the condition and filter of a watchpoint for a lane.
func (s *Session) watchHolds(b *point, w *warp.Warp, lane int) bool {
	ev := evaluator{t: s.t}
	th := &thread{tile: uint64(w.T.Index), local: w.Index*w.P.Width + lane, lane: lane, w: w, pc: w.PC}
	for _, e := range []*Expr{b.threads, b.cond} {
		if e == nil {
			continue
		}
		if yes, err := ev.truth(e.root, th); err != nil {
			b.CondFail = err.Error()
		} else if !yes {
			return false
		}
	}
	return true
}

// watcher observes accesses to memory for watchpoints. The warp is halted before
// an access, or after one of an atomic or to a texel: what it did is known only
// then.
type watcher struct {
	s    *Session
	list []*point
	hit  *Stop
	// told are the accesses that warps were halted before: they come again when
	// those go on, and are let pass.
	told map[accessKey]bool
}

// begin collects the watchpoints on memory.
func (o *watcher) begin() {
	o.list, o.hit = o.list[:0], nil
	for _, b := range o.s.points {
		if !b.Disabled && b.watch != nil && b.Problem == "" && !b.watch.private() {
			b.watch.counted = accessKey{}
			o.list = append(o.list, b)
		}
	}
}

// stop is the stop that the last access asked for.
func (o *watcher) stop() *Stop {
	st := o.hit
	o.hit = nil
	return st
}

// tell notes that the access of a hit, which is about to happen, has been told.
func (o *watcher) tell(hit *WatchHit) {
	if o.told == nil {
		o.told = map[accessKey]bool{}
	}
	o.told[hit.key] = true
}

// forget forgets what has been told: history has been gone back in.
func (o *watcher) forget() { clear(o.told) }

// Access implements warp.MemoryObserver.
func (o *watcher) Access(w *warp.Warp, a *warp.Access) {
	key := accessKey{o.s.number, uint64(w.T.Index), w.Index, w.Steps, a.PC}
	if len(o.told) > 0 && o.told[key] {
		return
	}
	for _, b := range o.list {
		p := b.watch
		if p.tile >= 0 && int64(w.T.Index) != p.tile {
			continue
		}
		for l := a.Mask.First(); l >= 0; l = a.Mask.Next(l) {
			if a.View[l] <= 0 {
				continue
			}
			v := &w.T.Views[a.View[l]]
			at := v.Base + a.Off[l]
			if v.Mem != p.mem || at >= p.off+p.size || at+a.Size <= p.off || !o.wanted(b, w, a, l) || !o.s.watchHolds(b, w, l) {
				continue
			}
			if p.counted != key {
				p.counted, p.stops = key, o.s.counts(b)
			}
			if p.stops {
				o.report(b, w, a, l, key)
			}
		}
	}
}

// wanted reports whether an access is of the kind a watchpoint waits for.
func (o *watcher) wanted(b *point, w *warp.Warp, a *warp.Access, l int) bool {
	switch b.kind {
	case WatchRead:
		return a.Kind != warp.Write
	case WatchAccess:
		return true
	case WatchWrite:
		return a.Kind == warp.Write || a.Kind == warp.AtomicAccess && a.Op.Writes()
	}
	switch {
	case a.Kind == warp.Read:
		return false
	case a.Kind == warp.AtomicAccess:
		return a.Old != a.New
	}
	p := b.watch
	v := &w.T.Views[a.View[l]]
	if a.Texel != nil {
		return string(v.Data[a.Off[l]:][:len(a.Texel)]) != string(a.Texel)
	}
	for i := range int(a.Size) / a.Width {
		at := a.Off[l] + int64(i*a.Width)
		if v.Base+at >= p.off+p.size || v.Base+at+int64(a.Width) <= p.off {
			continue
		}
		if tilemem.LoadWord(v.Data, at, a.Width) != stored(w, a, i, l) {
			return true
		}
	}
	return false
}

// stored is component i that lane l is about to write.
func stored(w *warp.Warp, a *warp.Access, i, l int) uint64 {
	return w.R[int(a.Value)+i*w.P.Stride+l] & (^uint64(0) >> (64 - 8*uint(a.Width)))
}

// report makes the stop at an access, and has the warp stop. What other lanes
// and other watchpoints have to say to the same access goes into the same stop.
func (o *watcher) report(b *point, w *warp.Warp, a *warp.Access, l int, key accessKey) {
	s := o.s
	if o.hit != nil {
		if slices.Contains(o.hit.Breakpoints, b.id) {
			if o.hit.Breakpoints[0] == b.id {
				o.hit.Watch.More++
			}
		} else {
			o.hit.Breakpoints = append(o.hit.Breakpoints, b.id)
		}
		return
	}
	var m warp.Mask
	m.Set(l)
	st := s.stopAt(AtWatchpoint, w, m)
	st.Thread, st.Breakpoints = s.t.id(w, l), []int{b.id}
	s.conditionFailed(st, b)
	hit := &WatchHit{
		Object: s.t.element(int(a.View[l]), a.Off[l]), Pos: s.t.lines.pos[a.PC], key: key,
		Thread: s.t.describe(st.Thread, state{status: Active, pc: a.PC, w: w, lane: l}),
	}
	if im := s.t.imageAccess(a, l); im != nil {
		s.t.texelHit(hit, im, w, a, l)
	} else {
		s.t.scalarHit(hit, w, a, l)
	}
	st.Watch = hit
	code := s.t.p.Code[a.PC].Code
	early := s.code.goal.early
	hit.before = early || haltsBefore(code)
	if early {
		s.code.goal.note(st, moment{s.number, s.history.done, emu.Time{Turn: s.t.c.Time().Turn, Place: 1, Steps: w.Steps, PC: a.PC}})
		return
	}
	o.hit = st
	w.T.Halt = true
	if hit.before {
		o.tell(hit)
	}
}

// haltsBefore reports whether a warp that is halted at an access of an operation
// has not executed it: atomics and operations on texels are seen after they
// happened.
func haltsBefore(code program.Code) bool {
	k := code.Accesses()
	return k != program.AtomicAccess && k != program.TexelAccess
}

// scalarHit fills in what an access did to its first scalar.
func (t *target) scalarHit(hit *WatchHit, w *warp.Warp, a *warp.Access, l int) {
	v := &w.T.Views[a.View[l]]
	typ := t.elementType(int(a.View[l]), a.Off[l], a.Width)
	text := func(bits uint64) string {
		out, _ := t.text(operand{t: typ, bits: []uint64{bits}}, &thread{w: w, lane: l}, 0)
		return out
	}
	switch a.Kind {
	case warp.Read:
		hit.Kind, hit.Old = "read", text(tilemem.LoadWord(v.Data, a.Off[l], a.Width))
	case warp.Write:
		hit.Kind, hit.Old = "write", text(tilemem.LoadWord(v.Data, a.Off[l], a.Width))
		hit.New = text(stored(w, a, 0, l))
	default:
		hit.Kind, hit.Old, hit.New = "atomic", text(a.Old), text(a.New)
	}
}

// elementType is the type of the scalar at a byte offset of a view.
func (t *target) elementType(view int, off int64, width int) *spirv.Type {
	v := &t.c.Views[view]
	if v.Type != nil {
		if typ, start, ok := v.Type.ScalarAt(v.Layout, off); ok && start == off && scalarSize(typ) == width {
			return typ
		}
	}
	return &spirv.Type{Kind: spirv.Int, Width: 8 * width}
}
