package racecheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// comparer is a Checker that keeps digests of what dispatches began with and
// left, to compare them with those of another schedule.
type comparer struct {
	*Checker
	ran []contentsOf
}

// contentsOf is what a dispatch of one schedule began with and left.
type contentsOf struct {
	pos    diag.Pos // of the RUN
	before uint64
	after  map[int]uint64 // by Memory.ID, of the memories that it may write
	blamed bool           // something is found that may change what it leaves
}

// digests makes the digests of one process comparable.
var digests = maphash.MakeSeed()

// Dispatch implements launch.Executor.
func (c *comparer) Dispatch(ctx context.Context, d *launch.Dispatch) error {
	var m *emu.Machine
	var out contentsOf
	c.begun = func(begun *emu.Machine) {
		if m = begun; out.after != nil {
			return // it runs once more, from the same memory
		}
		out.after = map[int]uint64{}
		var h maphash.Hash
		h.SetSeed(digests)
		for _, mem := range m.Memories {
			if mem.Space != tilemem.TileStatic {
				maphash.WriteComparable(&h, c.digest(m, mem))
			}
		}
		out.before = h.Sum64()
	}
	err := c.Checker.Dispatch(ctx, d)
	if m == nil {
		return err
	}
	for _, mem := range m.Memories {
		if shared(m, mem) {
			out.after[mem.ID] = c.digest(m, mem)
		}
	}
	out.blamed = err != nil || slices.ContainsFunc(c.latest, func(f diag.Finding) bool { return explains(&f) })
	out.pos = d.Pos
	c.ran = append(c.ran, out)
	return err
}

// shared reports whether a memory outlives the dispatch, and the dispatch may
// write it.
func shared(m *emu.Machine, mem *tilemem.Memory) bool {
	return mem.Space != tilemem.TileStatic && mem.Data != nil && m.Written(mem)
}

// explains reports whether a finding is a reason for memory to differ from one
// schedule to another.
func explains(f *diag.Finding) bool {
	if f.Code == diag.Race {
		return f.Class != diag.RaceSameValue && f.Class != diag.RacePadding
	}
	return f.Severity == diag.SeverityError
}

// digest is a digest of a memory: of one that is unordered, it is the same for
// every permutation of the elements.
func (c *comparer) digest(m *emu.Machine, mem *tilemem.Memory) uint64 {
	size := c.element(m, mem)
	if size == 0 {
		return maphash.Bytes(digests, mem.Data)
	}
	sum := uint64(0)
	for part := range slices.Chunk(mem.Data, size) {
		sum += maphash.Bytes(digests, part)
	}
	return sum
}

// element is how many bytes an element of an unordered memory takes, 0 if the
// order of its elements counts.
func (c *comparer) element(m *emu.Machine, mem *tilemem.Memory) int {
	for v := range m.Views {
		info := &m.Views[v]
		if len(c.opt.Unordered) == 0 || m.MemoryOf(v) != mem {
			continue
		}
		if !slices.ContainsFunc(c.opt.Unordered, func(name string) bool { return goesBy(name, info) }) {
			continue
		}
		switch {
		case info.Image != nil && info.Image.LevelTexels(0) > 0 && info.Image.MipLevels == 1:
			return max(len(mem.Data)/info.Image.LevelTexels(0), 1)
		case info.Buffer != nil && info.Buffer.Elem != nil && info.Buffer.Elem.Stride > 0:
			return info.Buffer.Elem.Stride
		}
		return 4
	}
	return 0
}

// goesBy reports whether a view of a buffer or image has a name: as
// SET.BINDING, with [ELEMENT] in an array of descriptors, or as the launch
// calls it.
func goesBy(name string, v *emu.View) bool {
	place := fmt.Sprintf("%d.%d", v.Set, v.Binding)
	return v.Bound && (name == place && v.Elem <= 0 || name == place+"["+strconv.Itoa(max(v.Elem, 0))+"]") ||
		v.Buffer != nil && v.Buffer.Name == name || v.Image != nil && v.Image.Name == name
}

// orders is what is to be told of memories that differ between schedules.
type orders struct {
	ctx   context.Context
	load  func() (*launch.Launch, error)
	opt   Options
	seeds []uint64
	runs  [][]contentsOf // by schedule, by dispatch
}

// findings are the memories that a dispatch leaves otherwise under one schedule
// than under the first, though it began with the same, and nothing else that
// was found explains it: one for each place in the launch and memory.
func (o *orders) findings() ([]diag.Finding, error) {
	type key struct {
		d   diag.Pos
		mem int
	}
	told := map[key]bool{}
	var out []diag.Finding
	for k := range o.runs[0] {
		base := &o.runs[0][k]
		if slices.ContainsFunc(o.runs, func(r []contentsOf) bool { return k < len(r) && r[k].blamed }) {
			continue
		}
		for i := 1; i < len(o.runs); i++ {
			if k >= len(o.runs[i]) || o.runs[i][k].before != base.before {
				continue
			}
			var differ []int
			for id, sum := range base.after {
				if at := (key{base.pos, id}); sum != o.runs[i][k].after[id] && !told[at] {
					told[at] = true
					differ = append(differ, id)
				}
			}
			if len(differ) == 0 {
				continue
			}
			slices.Sort(differ)
			list, err := o.tell(k, i, differ)
			if err != nil {
				return out, err
			}
			out = append(out, list...)
		}
	}
	return out, nil
}

// tell runs the first and the i-th schedule again up to the k-th dispatch, to
// see in which elements memories differ and who wrote them last.
func (o *orders) tell(k, i int, mems []int) ([]diag.Finding, error) {
	var left [2]*lastWrites
	for pass := range 2 {
		for side, seed := range [2]uint64{o.seeds[0], o.seeds[i]} {
			w := &lastWrites{k: k, opt: o.opt, seed: seed}
			if pass == 1 {
				w.watch = firstDifferences(left[0].data, left[1].data, mems)
			}
			if err := w.run(o.ctx, o.load); err != nil {
				return nil, err
			}
			if pass == 1 {
				w.data = left[side].data
			}
			left[side] = w
		}
	}
	var out []diag.Finding
	for _, id := range mems {
		at, ok := left[0].watch[id]
		if !ok {
			continue
		}
		out = append(out, o.finding(k, i, id, at, &left))
	}
	return out, nil
}

// firstDifferences are the bytes from which on memories differ.
func firstDifferences(a, b map[int][]byte, mems []int) map[int]int64 {
	out := map[int]int64{}
	for _, id := range mems {
		x, y := a[id], b[id]
		for at := range min(len(x), len(y)) {
			if x[at] != y[at] {
				out[id] = int64(at)
				break
			}
		}
	}
	return out
}

// finding tells of a memory that differs at byte at and behind.
func (o *orders) finding(k, i, id int, at int64, left *[2]*lastWrites) diag.Finding {
	m := left[0].m
	view := 0
	for v := range m.Views {
		if mem := m.MemoryOf(v); mem != nil && mem.ID == id {
			view = v
			break
		}
	}
	info, base := &m.Views[view], m.BaseOf(view)
	kind := kindAt(info, at-base)
	size := int64(kind.size)
	at -= (at - base) % size
	name := m.Element(view, at-base)
	value := func(side int) string {
		if data := left[side].data[id]; tilemem.InBounds(data, at, size) {
			return kind.format(tilemem.LoadWord(data, at, kind.size))
		}
		return "other bytes"
	}
	a, b := emu.SeedName(o.seeds[0]), emu.SeedName(o.seeds[i])
	f := diag.Finding{
		Code: diag.OrderDependent, Severity: o.opt.SeverityOf(diag.OrderDependent, ""), Kernel: m.Entry.Name, Variable: name, Space: info.SpaceName(),
		Message: fmt.Sprintf("what the kernel leaves in %s depends on the order in which threads run, though no race does it: %s under seed %s, %s under seed %s", name, value(0), a, value(1), b),
		Pos:     m.Dispatch.Pos,
	}
	for side, seed := range [2]string{a, b} {
		if w := left[side].last[id]; w != nil {
			f.Accesses = append(f.Accesses, *w)
			f.Pos = diag.Pos{}
			f.Notes = append(f.Notes, diag.Note{Msg: fmt.Sprintf("under seed %s the last write is that by %s", seed, w.Thread.Place())})
		} else {
			f.Notes = append(f.Notes, diag.Note{Msg: fmt.Sprintf("under seed %s no thread writes it", seed)})
		}
	}
	n := 0
	x, y := left[0].data[id], left[1].data[id]
	for off := at; off < int64(min(len(x), len(y))); off += size {
		if end := min(off+size, int64(len(x))); !bytes.Equal(x[off:end], y[off:end]) {
			n++
		}
	}
	others := 0
	for _, r := range o.runs[1:] {
		if k < len(r) && r[k].after[id] != o.runs[0][k].after[id] {
			others++
		}
	}
	f.Notes = append(f.Notes, diag.Note{Msg: fmt.Sprintf("%s other contents than seed %s; between the two, %s",
		leaving(others, len(o.runs)-1), a, diag.Count(n, "of its values differs", "of its values differ"))})
	return f
}

// leaving is the subject of what n of the other schedules leave.
func leaving(n, others int) string {
	if others == 1 {
		return "the other schedule leaves"
	}
	return diag.Count(n, fmt.Sprintf("of the other %d schedules leaves", others), fmt.Sprintf("of the other %d schedules leave", others))
}

// lastWrites runs a launch up to its k-th dispatch, and notes who wrote the
// watched bytes last in that.
type lastWrites struct {
	k     int
	opt   Options
	seed  uint64
	watch map[int]int64 // by Memory.ID: a byte
	m     *emu.Machine
	data  map[int][]byte // by Memory.ID: what the dispatch leaves
	last  map[int]*diag.Access
	now   int
}

// errFarEnough ends a launch after the dispatch of interest.
var errFarEnough = errors.New("ran far enough")

func (l *lastWrites) run(ctx context.Context, load func() (*launch.Launch, error)) error {
	loaded, err := load()
	if err != nil {
		return err
	}
	l.last = map[int]*diag.Access{}
	opt := plain(l.opt, l.seed).Options
	// The program and its turns are those of a checked run.
	opt.Checks = true
	opt.Observe = func(m *emu.Machine) ([]emu.Observer, error) { l.m = m; return []emu.Observer{l}, nil }
	ex := &upTo{Emulator: emu.Emulator{Options: opt}, l: l}
	_, err = loaded.Execute(ctx, ex, nil)
	if errors.Is(err, errFarEnough) {
		return nil
	}
	return err
}

// upTo is an emulator that runs a launch up to a dispatch.
type upTo struct {
	emu.Emulator
	l *lastWrites
}

func (u *upTo) Dispatch(ctx context.Context, d *launch.Dispatch) error {
	err := u.Emulator.Dispatch(ctx, d)
	if u.l.now++; err != nil || u.l.now <= u.l.k {
		return err
	}
	u.l.data = map[int][]byte{}
	for _, mem := range u.l.m.Memories {
		if shared(u.l.m, mem) {
			u.l.data[mem.ID] = mem.Data
		}
	}
	return errFarEnough
}

// Access implements warp.MemoryObserver.
func (l *lastWrites) Access(w *warp.Warp, a *warp.Access) {
	if l.now < l.k || a.Kind == warp.Read || a.Kind == warp.AtomicAccess && a.Old == a.New {
		return
	}
	for lane := a.Mask.First(); lane >= 0; lane = a.Mask.Next(lane) {
		v := &w.T.Views[a.View[lane]]
		at, ok := l.watch[v.Mem.ID]
		if off := v.Base + a.Off[lane]; !ok || off > at || at >= off+a.Size {
			continue
		}
		stack := l.m.Stack(a.PC)
		out := diag.Access{Kind: "write", Thread: emu.Thread(w, lane), ID: l.m.ID(a.PC), Name: l.m.IDName(a.PC), Stack: stack, Object: l.m.Element(int(a.View[lane]), at-v.Base).String()}
		if len(stack) > 0 {
			out.Pos = stack[0].Pos
		}
		kind := kindAt(&l.m.Views[a.View[lane]], at-v.Base)
		if a.Kind == warp.AtomicAccess {
			out.Kind = atomicNames[a.Op]
			out.Old, out.New = kind.format(a.Old), kind.format(a.New)
		} else if a.Texel == nil {
			i := int(at-v.Base-a.Off[lane]) / a.Width
			out.New = kind.format(w.R[int(a.Value)+i*w.P.Stride+lane] & (^uint64(0) >> (64 - 8*a.Width)))
		}
		l.last[v.Mem.ID] = &out
	}
}
