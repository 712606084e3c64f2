package debugger

import (
	"bytes"
	"errors"
	"fmt"

	"ampdbg/diag"
	"ampdbg/launch"
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
	home *launch.Dispatch // for which the place has been found
	// In memory. A buffer or image is watched in all dispatches that use it,
	// whatever its name is there.
	mem  *tilemem.Memory
	data []byte // of the buffer or image; nil for other memory
	tile int64  // of tile_static memory; -1: any
	off  int64  // in the memory
	size int64
	// text writes what data holds there.
	text func() string
	// A private variable:
	thread ThreadID
	frame  int // that the expression is about
	rows   []uint32
	t      *spirv.Type
	old    []uint64
	armed  bool
}

func (w *watchpoint) private() bool { return w.rows != nil }

// WatchHit is an access that a watchpoint stopped at.
type WatchHit struct {
	Kind   string // "read", "write", "atomic", "COPY": by the launch, between dispatches
	Object string
	Thread Thread
	Pos    diag.Pos
	Old    string
	New    string // of writes

	before bool // the access has not happened yet
}

// Watch sets a watchpoint on what an expression names at the focus: an
// element, a member or a variable in memory, a texel, or a variable of the focused thread. size, if not 0, is the number of bytes from
// there on. What the present dispatch has no name for is waited for, if others
// are to come.
func (s *Session) Watch(text string, kind WatchKind, size int64) (*Breakpoint, error) {
	b, err := s.newWatch(text, kind, size)
	if err != nil {
		return nil, err
	}
	if b.Problem != "" && b.watch.data == nil && !s.more() {
		return nil, errors.New(b.Problem)
	}
	s.lastID++
	b.ID = s.lastID
	s.breakpoints = append(s.breakpoints, b)
	return b, nil
}

// newWatch makes a watchpoint.
func (s *Session) newWatch(text string, kind WatchKind, size int64) (*Breakpoint, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	e, err := ParseExpr(text)
	if err != nil {
		return nil, err
	}
	b := &Breakpoint{Spec: e.Text, Enabled: true, Watch: kind, watch: &watchpoint{expr: e, size: size, thread: s.focus, frame: s.frame}}
	s.resolveWatch(b)
	return b, nil
}

// resolveWatch finds what a watchpoint watches in the current dispatch.
func (s *Session) resolveWatch(b *Breakpoint) {
	w := b.watch
	switch {
	case w.data != nil:
		s.resolveData(b)
		return
	case w.home == s.t.d && w.private():
		b.pcs = s.writers(w.rows, b.Watch) // the same program
		b.Places = len(b.pcs)
		return
	}
	w.mem, w.rows = nil, nil
	s.resolvePlace(b)
	if b.Problem != "" {
		return
	}
	w.home = s.t.d
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
func (s *Session) resolveData(b *Breakpoint) {
	if b.watch.mem = s.t.memory(b.watch.data); b.watch.mem == nil {
		b.Problem = fmt.Sprintf("dispatch %d does not use the memory of %s", s.t.number, b.Spec)
	}
}

// resolvePlace finds the place that a watchpoint's expression names.
func (s *Session) resolvePlace(b *Breakpoint) {
	w := b.watch
	th := s.threadIn(w.thread, w.frame)
	ev := evaluator{t: s.t}
	o, err := ev.eval(w.expr.root, th)
	switch {
	case err != nil:
		b.Problem = err.Error()
		return
	case o.at == nil || o.at.views != nil:
		b.Problem = fmt.Sprintf("%s is a value without a place; watch a variable or an element", w.expr.Text)
		return
	case o.isImage():
		_, err := o.load(th)
		b.Problem = err.Error()
		return
	case o.at.rows != nil && s.state(w.thread).status == Finished:
		b.Problem = "the focused thread has finished: its variables change no more"
		return
	case o.isTexel() && w.size != 0:
		b.Problem = "a texel is watched as a whole, not by bytes"
		return
	}
	if o.at.rows != nil {
		w.rows, w.t = o.at.rows, o.t
		b.pcs = s.writers(w.rows, b.Watch)
		b.Places = len(b.pcs)
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
	for _, b := range s.breakpoints {
		w := b.watch
		if !b.Enabled || w == nil || w.data == nil {
			continue
		}
		end := min(w.off+w.size, int64(min(len(from), len(to))))
		if w.off >= end {
			continue
		}
		reads := same(w.data, from) && (b.Watch == WatchRead || b.Watch == WatchAccess)
		writes := same(w.data, to) && b.Watch != WatchRead &&
			(b.Watch != WatchChange || !bytes.Equal(from[w.off:end], to[w.off:end]))
		if !reads && !writes || !s.copyHolds(b) {
			continue
		}
		if !s.reversing {
			if b.Hits++; b.Hits < b.Hit {
				continue
			}
		}
		if st == nil {
			st = &Stop{Reason: AtWatchpoint, Watch: &WatchHit{Kind: "COPY", Object: b.Spec, Pos: x.Pos}}
			if w.text != nil {
				st.Watch.Old = w.text()
				if writes {
					hit := st.Watch
					after = append(after, func() { hit.New = w.text() })
				}
			}
		}
		st.Breakpoints = append(st.Breakpoints, b.ID)
	}
	x.Do()
	for _, f := range after {
		f()
	}
	return st
}

// copyHolds evaluates the condition of a watchpoint where no thread runs. One
// that needs a thread does not keep from stopping.
func (s *Session) copyHolds(b *Breakpoint) bool {
	if b.Cond == nil {
		return true
	}
	ev := evaluator{t: s.t}
	yes, err := ev.truth(b.Cond.root, &thread{pc: -1})
	return yes || err != nil
}

// writers finds the operations that touch rows in the way a watchpoint asks
// for.
func (s *Session) writers(rows []uint32, kind WatchKind) []int {
	stride := uint32(s.t.p.Stride)
	touches := func(first, n uint32) bool {
		for _, r := range rows {
			if r+stride > first && r < first+max(n, stride) {
				return true
			}
		}
		return false
	}
	reads := kind == WatchRead || kind == WatchAccess
	writes := kind != WatchRead
	var out []int
	for pc := range s.t.p.Code {
		op := &s.t.p.Code[pc]
		w, r := false, false
		n := op.N
		switch op.Code {
		case warp.StoreVar, warp.LoadVar:
			v := &s.t.p.Vars[op.X]
			in := touches(uint32(v.Row)*stride, uint32(v.Rows)*stride)
			w, r = in && op.Code == warp.StoreVar, in && op.Code == warp.LoadVar
			n *= stride
			w = w || op.Code == warp.LoadVar && touches(op.Dst, n)
		case warp.CallN:
			f := &s.t.p.FnN[op.X]
			for _, o := range f.Out {
				w = w || touches(o, stride)
			}
			for _, o := range f.In {
				r = r || touches(o, stride)
			}
		case warp.Load8, warp.Load16, warp.Load32, warp.Load64, warp.LoadPtr:
			w, r = touches(op.Dst, n*stride), touches(op.C, stride)
		case warp.Store8, warp.Store16, warp.Store32, warp.Store64:
			r = touches(op.A, n*stride) || touches(op.C, stride)
		case warp.Nop, warp.Jump, warp.Enter, warp.ExitMerge, warp.ExitCont, warp.BackEdge, warp.Return, warp.Barrier, warp.Fence, warp.Unreachable, warp.Printf:
		case warp.BranchIf, warp.BranchULt, warp.BranchULe, warp.BranchSLt, warp.BranchSLe, warp.BranchEq, warp.BranchNe, warp.SwitchOn:
			r = touches(op.A, stride) || op.Code != warp.BranchIf && op.Code != warp.SwitchOn && touches(op.B, stride)
		default:
			w = touches(op.Dst, n)
			r = touches(op.A, n) || touches(op.B, n) || touches(op.C, n)
		}
		if w && writes || r && reads {
			out = append(out, pc)
		}
	}
	return out
}

// beforePrivate notes the value of a watched variable before an operation that
// touches it.
func (s *Session) beforePrivate(w *warp.Warp, b *Breakpoint) {
	p := b.watch
	lane := p.thread.Local % s.t.p.Width
	p.armed = uint64(w.T.Index) == p.thread.Tile && p.thread.Local/s.t.p.Width == w.Index && w.Active().Has(lane)
	if p.armed {
		p.old = p.old[:0]
		for _, r := range p.rows {
			p.old = append(p.old, w.R[int(r)+lane])
		}
	}
}

// watchPrivate looks whether the operation just executed did to a watched
// variable what its watchpoint waits for.
func (s *Session) watchPrivate(w *warp.Warp) *Stop {
	var st *Stop
	for _, b := range s.breakpoints {
		if b.watch == nil || !b.watch.private() || !b.watch.armed {
			continue
		}
		p := b.watch
		p.armed = false
		lane := p.thread.Local % s.t.p.Width
		changed := false
		bits := make([]uint64, len(p.rows))
		for i, r := range p.rows {
			bits[i] = w.R[int(r)+lane]
			changed = changed || bits[i] != p.old[i]
		}
		if !changed && b.Watch == WatchChange || !s.watchHolds(b, w, lane) {
			continue
		}
		if !s.reversing {
			b.Hits++
			if b.Hits < b.Hit {
				continue
			}
		}
		var m warp.Mask
		m.Set(lane)
		st = s.stopAt(AtWatchpoint, w, m)
		st.Thread = p.thread
		st.Breakpoints = append(st.Breakpoints, b.ID)
		kind := "write"
		if !changed && b.Watch != WatchWrite {
			kind = "read"
		}
		th := s.thread(p.thread)
		old, _ := s.t.text(operand{t: p.t, bits: p.old}, th, 0)
		now, _ := s.t.text(operand{t: p.t, bits: bits}, th, 0)
		st.Watch = &WatchHit{Kind: kind, Object: b.Spec, Thread: s.describe(p.thread, s.state(p.thread)), Old: old, New: now}
		st.Watch.Pos = st.Watch.Thread.Pos
	}
	return st
}

// watchHolds evaluates the condition and filter of a watchpoint for a lane.
func (s *Session) watchHolds(b *Breakpoint, w *warp.Warp, lane int) bool {
	ev := evaluator{t: s.t}
	th := &thread{tile: uint64(w.T.Index), local: w.Index*w.P.Width + lane, lane: lane, w: w, pc: w.PC}
	for _, e := range []*Expr{b.Threads, b.Cond} {
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

// watcher observes accesses to memory for watchpoints.
type watcher struct {
	s    *Session
	list []*Breakpoint
	skip bool // the next plain access has been reported already
	hit  *Stop
	// found is called at each access instead of stopping, if set.
	found func(b *Breakpoint, w *warp.Warp, a *warp.Access, lane int)
}

// begin collects the watchpoints on memory.
func (o *watcher) begin() {
	o.list, o.hit = o.list[:0], nil
	for _, b := range o.s.breakpoints {
		if b.Enabled && b.watch != nil && b.Problem == "" && !b.watch.private() {
			o.list = append(o.list, b)
		}
	}
}

// stop is the stop that the last access asked for.
func (o *watcher) stop(w *warp.Warp) *Stop {
	st := o.hit
	o.hit = nil
	return st
}

// Access implements warp.Observer.
func (o *watcher) Access(w *warp.Warp, a *warp.Access) {
	if o.skip && a.Kind != warp.AtomicAccess && o.s.t.p.Code[a.PC].Code != warp.ImageOp {
		o.skip = false
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
			if v.Mem != p.mem || at >= p.off+p.size || at+a.Size <= p.off || !o.wanted(b, w, a, l) {
				continue
			}
			if o.found != nil {
				o.found(b, w, a, l)
				continue
			}
			if !o.s.watchHolds(b, w, l) {
				continue
			}
			b.Hits++
			if b.Hits >= b.Hit && o.hit == nil {
				o.report(b, w, a, l)
			}
		}
	}
}

// wanted reports whether an access is of the kind a watchpoint waits for.
func (o *watcher) wanted(b *Breakpoint, w *warp.Warp, a *warp.Access, l int) bool {
	switch b.Watch {
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

// report makes the stop at an access, and has the warp stop.
func (o *watcher) report(b *Breakpoint, w *warp.Warp, a *warp.Access, l int) {
	s := o.s
	var m warp.Mask
	m.Set(l)
	st := s.stopAt(AtWatchpoint, w, m)
	st.Thread = s.id(w, l)
	st.Breakpoints = []int{b.ID}
	hit := &WatchHit{
		Object: s.t.c.Element(int(a.View[l]), a.Off[l]), Pos: s.t.lines.pos[a.PC], before: a.Kind != warp.AtomicAccess && s.t.p.Code[a.PC].Code != warp.ImageOp,
		Thread: s.describe(st.Thread, state{status: Active, pc: a.PC, w: w, lane: l}),
	}
	if im := s.imageAccess(a, l); im != nil {
		s.texelHit(hit, im, w, a, l)
	} else {
		s.scalarHit(hit, w, a, l)
	}
	st.Watch = hit
	o.hit = st
	w.T.Halt = true
}

// scalarHit fills in what an access did to its first scalar.
func (s *Session) scalarHit(hit *WatchHit, w *warp.Warp, a *warp.Access, l int) {
	v := &w.T.Views[a.View[l]]
	t := s.elementType(int(a.View[l]), a.Off[l], a.Width)
	text := func(bits uint64) string {
		out, _ := s.t.text(operand{t: t, bits: []uint64{bits}}, &thread{w: w, lane: l}, 0)
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
func (s *Session) elementType(view int, off int64, width int) *spirv.Type {
	v := &s.t.c.Views[view]
	if t := scalarAt(v.Type, v.Layout, off); t != nil && scalarSize(t) == width {
		return t
	}
	return &spirv.Type{Kind: spirv.Int, Width: 8 * width}
}

// scalarAt is the scalar at a byte offset of a value, nil if none begins
// there.
func scalarAt(t *spirv.Type, l spirv.Layout, off int64) *spirv.Type {
	for t != nil && t.IsComposite() {
		i := 0
		if t.Kind == spirv.Struct {
			i = -1
			for k := range t.Members {
				if _, at, _ := t.Place(l, k); int64(at) <= off {
					i = k
				}
			}
			if i < 0 {
				return nil
			}
		} else if stride := int64(t.Stride(l)); stride > 0 {
			i = int(off / stride)
		}
		part, at, in := t.Place(l, i)
		t, l, off = part, in, off-int64(at)
	}
	if off != 0 {
		return nil
	}
	return t
}

// Fence implements warp.Observer.
func (o *watcher) Fence(*warp.Warp, int) {}

// Barrier implements warp.Observer.
func (o *watcher) Barrier(*warp.Warp, int) {}

// Released implements warp.Observer.
func (o *watcher) Released(*warp.Tile) {}

// TileBegin implements warp.Observer.
func (o *watcher) TileBegin(*warp.Tile) {}

// TileEnd implements warp.Observer.
func (o *watcher) TileEnd(*warp.Tile) {}
