package emu

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// Machine is a dispatch that has been lowered and bound to its memory.
type Machine struct {
	Dispatch *launch.Dispatch
	Unit     *spirv.Unit
	Entry    *spirv.EntryPoint
	Program  *warp.Program
	Views    []View            // by view number
	Memories []*tilemem.Memory // by Memory.ID

	opt      Options
	res      *resources
	total    uint64 // tiles
	findings []found
	pool     []*tile
	written  []bool // by Memory.ID, see Written
}

// Emulator runs the dispatches of one launch. It implements launch.Executor.
type Emulator struct {
	Options
	Results []*Result // of the dispatches so far

	machines map[*launch.Dispatch]*Machine
	physical []*launch.Buffer // buffers with a device address, by view number - 1
	filled   map[*launch.Buffer]bool
}

// Findings are those of all dispatches so far, folded.
func (e *Emulator) Findings() []diag.Finding {
	var all []diag.Finding
	for _, r := range e.Results {
		all = append(all, r.Findings...)
	}
	return diag.Fold(all)
}

// Dispatch runs d. The error is a *diag.Error for what cannot be run, a
// *StoppedError if the kernel could not go on, a *BugError for a failure of
// the emulator, or the context's.
func (e *Emulator) Dispatch(ctx context.Context, d *launch.Dispatch) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &BugError{Cause: r, Stack: debug.Stack()}
		}
	}()
	m, err := e.Prepare(d)
	if err != nil {
		return err
	}
	if e.Begin != nil {
		if err := e.Begin(m); err != nil {
			return err
		}
	}
	r, err := m.run(ctx)
	if r != nil {
		e.Results = append(e.Results, r)
	}
	if err == nil && r.Stopped {
		err = &StoppedError{Findings: r.Findings}
	}
	return err
}

// Machine is what Prepare made for d, nil if nothing.
func (e *Emulator) Machine(d *launch.Dispatch) *Machine { return e.machines[d] }

// Fits reports whether there is memory for the tiles of another program.
func (m *Machine) Fits(p *warp.Program) bool { return checkMemory(p, m.Dispatch) == nil }

// Run runs one dispatch by itself.
func Run(ctx context.Context, d *launch.Dispatch, opt Options) (*Result, error) {
	e := &Emulator{Options: opt}
	err := e.Dispatch(ctx, d)
	if len(e.Results) == 0 {
		return nil, err
	}
	return e.Results[0], err
}

// Prepare lowers d and binds its memory. A dispatch that runs again is lowered
// once.
func (e *Emulator) Prepare(d *launch.Dispatch) (*Machine, error) {
	if err := e.fillAddresses(d); err != nil {
		return nil, err
	}
	if m := e.machines[d]; m != nil && m.fresh(e) {
		if m.opt.Observer != e.Options.Observer || (m.opt.Seed != 0) != (e.Options.Seed != 0) {
			m.pool = nil // their views are made for the observer and the schedule
		}
		m.opt = e.Options
		return m, nil
	}
	opt := e.Options
	width, err := warpWidth(d, opt)
	if err != nil {
		return nil, err
	}
	opt.Warp = width
	unit, err := spirv.Resolve(d.Module, d.Spec)
	if err != nil {
		return nil, err
	}
	ep, err := entryPoint(unit, d)
	if err != nil {
		return nil, err
	}
	if err := spirv.Validate(unit); err != nil {
		return nil, err
	}
	if err := checkTypes(unit); err != nil {
		return nil, err
	}
	res := newResources(d, e.physical)
	prog, err := lower(unit, ep, res, width, !opt.Exact, opt.Watch)
	if err != nil {
		return nil, err
	}
	if err := checkMemory(prog, d); err != nil {
		return nil, err
	}
	m := &Machine{
		Dispatch: d, Unit: unit, Entry: ep, Program: prog, Views: res.infos, Memories: res.mems,
		opt: opt, res: res, total: uint64(d.Groups[0]) * uint64(d.Groups[1]) * uint64(d.Groups[2]),
	}
	if d.Groups[0] != 0 && d.Groups[1] != 0 && m.total/uint64(d.Groups[0])/uint64(d.Groups[1]) != uint64(d.Groups[2]) || m.total > 1<<62 {
		return nil, &diag.Error{Class: diag.BadInput, Pos: d.Pos, Msg: fmt.Sprintf("a grid of %dx%dx%d tiles is too large", d.Groups[0], d.Groups[1], d.Groups[2])}
	}
	if e.machines == nil {
		e.machines = map[*launch.Dispatch]*Machine{}
	}
	e.machines[d] = m
	return m, nil
}

// fresh reports whether m can run again: nothing it was bound to has moved.
func (m *Machine) fresh(e *Emulator) bool {
	for key, mem := range m.res.byData {
		switch b := key.(type) {
		case *launch.Buffer:
			if len(b.Data) != len(mem.Data) || len(b.Data) > 0 && &b.Data[0] != &mem.Data[0] {
				return false
			}
		case *launch.Image:
			if len(b.Data) != len(mem.Data) || len(b.Data) > 0 && &b.Data[0] != &mem.Data[0] {
				return false
			}
		default:
			return false // push constants are copied anew
		}
	}
	return e.Options.Exact == m.opt.Exact && e.Options.Watch == m.opt.Watch && (e.Options.Warp == 0 || e.Options.Warp == m.opt.Warp)
}

// warpWidth is the number of lanes that a dispatch runs with.
func warpWidth(d *launch.Dispatch, opt Options) (int, error) {
	width := opt.width()
	switch n := d.Subgroup.RequiredSize; {
	case n == launch.RequiredMin:
		width = 1
	case n == launch.RequiredMax:
		width = warp.MaxLanes
	case n > 0:
		width = n
	}
	if width < 1 || width > warp.MaxLanes {
		return 0, &diag.Error{Class: diag.Unsupported, Pos: d.Pos, Msg: fmt.Sprintf("unsupported: a subgroup of %d lanes; 1 to %d are possible", width, warp.MaxLanes)}
	}
	return width, nil
}

// entryPoint finds the compute entry point that d names and checks what the
// module asks for.
func entryPoint(u *spirv.Unit, d *launch.Dispatch) (*spirv.EntryPoint, error) {
	bad := func(class diag.ErrorClass, format string, args ...any) error {
		return &diag.Error{Class: class, Pos: d.Pos, Msg: fmt.Sprintf(format, args...)}
	}
	ep := u.EntryPoint(d.Entry)
	if ep == nil {
		var names []string
		for i := range u.EntryPoints {
			names = append(names, u.EntryPoints[i].Name)
		}
		return nil, bad(diag.BadInput, "module %s has no entry point %q, only %q", u.Module.Name, d.Entry, names)
	}
	if ep.Model != spirv.ExecutionModelGLCompute {
		return nil, bad(diag.Unsupported, "unsupported: entry point %q of execution model %v", ep.Name, ep.Model)
	}
	for _, c := range u.Capabilities {
		if !supports(c) {
			return nil, bad(diag.Unsupported, "unsupported: capability %v, which module %s declares", c, u.Module.Name)
		}
	}
	s := ep.LocalSize
	size := uint64(s[0]) * uint64(s[1]) * uint64(s[2])
	if s[0] == 0 || s[1] == 0 || s[2] == 0 {
		return nil, bad(diag.BadInput, "entry point %q has no tile size (LocalSize)", ep.Name)
	}
	if s[0] > MaxThreads || s[1] > MaxThreads || s[2] > MaxThreads || size > MaxThreads {
		return nil, bad(diag.Unsupported, "unsupported: tiles of %dx%dx%d threads; at most %d are possible", s[0], s[1], s[2], MaxThreads)
	}
	return ep, nil
}

// MaxThreads is the most threads that a tile may have.
const MaxThreads = 65536

// maxTileBytes bounds the registers and private variables of a tile.
const maxTileBytes = 1 << 30

// checkMemory refuses programs whose tiles need too much memory.
func checkMemory(p *warp.Program, d *launch.Dispatch) error {
	threads := uint64(p.TileSize[0]) * uint64(p.TileSize[1]) * uint64(p.TileSize[2])
	warps := (threads + uint64(p.Width) - 1) / uint64(p.Width)
	if n := warps * uint64(p.Rows) * uint64(p.Stride) * 8; n > maxTileBytes {
		return &diag.Error{Class: diag.Unsupported, Pos: d.Pos, Msg: fmt.Sprintf(
			"unsupported: a tile of %d threads with %d registers and private scalars each takes %d MiB; at most %d are possible",
			threads, p.Rows, n>>20, maxTileBytes>>20)}
	}
	if err := host.Need(tileBytes(p), "a tile"); err != nil {
		var e *diag.Error
		if errors.As(err, &e) {
			at := *e
			at.Pos = d.Pos
			return &at
		}
		return err
	}
	return nil
}

// tileBytes is how much memory the warps of a tile take, about.
func tileBytes(p *warp.Program) int64 {
	threads := int64(p.TileSize[0]) * int64(p.TileSize[1]) * int64(p.TileSize[2])
	warps := (threads + int64(p.Width) - 1) / int64(p.Width)
	return warps * (int64(p.Rows)*int64(p.Stride)*8 + 512)
}

// fillAddresses gives the buffers whose address kernels may load a view, and
// writes the addresses where the launch wants them.
func (e *Emulator) fillAddresses(d *launch.Dispatch) error {
	if e.filled == nil {
		e.filled = map[*launch.Buffer]bool{}
	}
	var queue []*launch.Buffer
	for i := range d.Bindings {
		for j := range d.Bindings[i].Elems {
			if b := d.Bindings[i].Elems[j].Buffer; b != nil {
				queue = append(queue, b)
			}
		}
	}
	if d.PushBuffer != nil {
		queue = append(queue, d.PushBuffer)
	}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		if e.filled[b] {
			continue
		}
		e.filled[b] = true
		for _, a := range b.Addresses {
			at := slices.Index(e.physical, a.To)
			if at < 0 {
				at = len(e.physical)
				e.physical = append(e.physical, a.To)
			}
			if !tilemem.InBounds(b.Data, int64(a.At), 8) {
				return &diag.Error{Class: diag.BadInput, Pos: b.Pos, Msg: fmt.Sprintf("address at byte %d of buffer %s, which has %d", a.At, b.Name, len(b.Data))}
			}
			tilemem.StoreWord(b.Data, int64(a.At), 8, tilemem.Point(at+1, a.Add))
			queue = append(queue, a.To)
		}
	}
	return nil
}

// run runs the dispatch to its end.
func (m *Machine) run(ctx context.Context) (*Result, error) {
	m.findings = nil
	if m.total == 0 {
		return &Result{}, nil
	}
	if m.parallel() {
		r, ok, err := m.runParallel(ctx)
		if ok || err != nil {
			return r, err
		}
	}
	s := newSchedule(m, ctx)
	err := s.run()
	r := &Result{Steps: s.steps, Tiles: s.done, Findings: fold(m.findings), Stopped: s.stopped}
	return r, err
}
