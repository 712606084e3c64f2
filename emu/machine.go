package emu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/lower"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// Machine is a dispatch that has been lowered and bound to its memory. It does
// not change: what runs is a run of it.
type Machine struct {
	Dispatch *launch.Dispatch
	Unit     *spirv.Unit
	Entry    *spirv.EntryPoint
	Program  *program.Program
	Views    []View            // by view number
	Memories []*tilemem.Memory // by Memory.ID

	code    warp.Code // of Program
	engine  warp.Engine
	res     *resources
	total   uint64 // tiles
	written []bool // by Memory.ID, see Written
	exact   bool   // Options.Exact and Checks, as it was lowered
	checks  bool
}

// Emulator runs the dispatches of one launch. It implements launch.Executor.
type Emulator struct {
	Options
	Last *Result // of the latest dispatch; nil if it did not begin

	found    diag.Folder
	machines map[*spirv.Module][]*Machine
	pool     *pool            // of the program that ran last
	physical []*launch.Buffer // buffers with a device address, by view number - 1
	filled   map[*launch.Buffer]bool
	valid    map[*spirv.Module]bool // found so without specialization
}

// Findings are those of all dispatches so far, folded.
func (e *Emulator) Findings() []diag.Finding { return e.found.Findings() }

// Dispatch runs d. The error is a *diag.Error for what cannot be run, a
// *StoppedError if the kernel could not go on, a *diag.Bug for a failure of
// the emulator, or the context's.
func (e *Emulator) Dispatch(ctx context.Context, d *launch.Dispatch) (err error) {
	defer func() {
		if b := diag.Recovered(recover()); b != nil {
			err = b
		}
	}()
	e.Last = nil
	m, err := e.Prepare(d)
	if err != nil {
		return err
	}
	if e.Program != nil {
		p, err := e.Program(m)
		if err != nil {
			return err
		}
		if m, err = m.with(p); err != nil {
			return err
		}
	}
	var list []Observer
	if e.Observe != nil {
		if list, err = e.Observe(m); err != nil {
			return err
		}
	}
	r, err := e.run(ctx, m, list)
	if e.Last = r; r != nil {
		e.found.Add(r.Findings...)
	}
	if err == nil && r.Stopped {
		err = &StoppedError{Findings: r.Findings}
	}
	return err
}

// Fits reports whether there is memory for the tiles of another program.
func (m *Machine) Fits(p *program.Program) bool { return checkMemory(p, m.Dispatch) == nil }

// Code is the program as the engine runs it.
func (m *Machine) Code() warp.Code { return m.code }

// Run runs one dispatch by itself.
func Run(ctx context.Context, d *launch.Dispatch, opt Options) (*Result, error) {
	e := &Emulator{Options: opt}
	err := e.Dispatch(ctx, d)
	return e.Last, err
}

// Prepare lowers d and binds its memory. Of dispatches that run again, or that
// differ in nothing but the grid, the latest are lowered once.
func (e *Emulator) Prepare(d *launch.Dispatch) (*Machine, error) {
	if err := e.fillAddresses(d); err != nil {
		return nil, err
	}
	if m := e.known(d); m != nil {
		return m.on(d)
	}
	opt := e.Options
	unit, ep, width, err := kernelOf(d, opt)
	if err != nil {
		return nil, err
	}
	if !e.valid[d.Module] || len(d.Spec) > 0 {
		if err := spirv.Validate(unit); err != nil {
			return nil, err
		}
		if e.valid == nil {
			e.valid = map[*spirv.Module]bool{}
		}
		e.valid[d.Module] = len(d.Spec) == 0
	}
	res := newResources(d, e.physical)
	prog, err := lower.Lower(unit, ep, res, lower.Options{Width: width, Exact: opt.Exact, Checks: opt.Checks})
	if err != nil {
		return nil, err
	}
	if err := checkMemory(prog, d); err != nil {
		return nil, err
	}
	m := &Machine{
		Dispatch: d, Unit: unit, Entry: ep, Program: prog, Views: res.infos, Memories: res.mems,
		res: res, exact: opt.Exact, checks: opt.Checks, engine: opt.engine(),
	}
	if m, err = m.with(prog); err != nil {
		return nil, err
	}
	m.written = m.findWritten()
	if m, err = m.on(d); err != nil {
		return nil, err
	}
	if e.machines == nil {
		e.machines = map[*spirv.Module][]*Machine{}
	}
	list := e.machines[d.Module]
	list = slices.DeleteFunc(list, func(x *Machine) bool { return same(x.Dispatch, d) })
	e.machines[d.Module] = append(list[max(0, len(list)-maxMachines+1):], m)
	return m, nil
}

// kernelOf resolves the module of a dispatch for its specialization constants, and
// finds the entry point and the width of its warps.
func kernelOf(d *launch.Dispatch, opt Options) (u *spirv.Unit, ep *spirv.EntryPoint, width int, err error) {
	if width, err = warpWidth(d, opt); err != nil {
		return nil, nil, 0, err
	}
	if u, err = spirv.Resolve(d.Module, d.Spec); err != nil {
		return nil, nil, 0, err
	}
	ep, err = entryPoint(u, d)
	return u, ep, width, err
}

// maxMachines is how many lowered forms of a module are kept.
const maxMachines = 16

// known is a machine that d can run on again.
func (e *Emulator) known(d *launch.Dispatch) *Machine {
	for _, m := range e.machines[d.Module] {
		if same(m.Dispatch, d) && m.fresh(e) {
			return m
		}
	}
	return nil
}

// same reports whether two dispatches of a module differ in nothing but the
// grid and their place in the script.
func same(x, y *launch.Dispatch) bool {
	if x == y {
		return true
	}
	return len(x.Bindings) == len(y.Bindings) && (len(x.Bindings) == 0 || &x.Bindings[0] == &y.Bindings[0]) &&
		x.Entry == y.Entry && maps.Equal(x.Spec, y.Spec) && bytes.Equal(x.Push, y.Push) && x.PushBuffer == y.PushBuffer &&
		x.Subgroup == y.Subgroup && x.Robust == y.Robust
}

// on is the machine for d, which differs in nothing but the grid.
func (m *Machine) on(d *launch.Dispatch) (*Machine, error) {
	g := d.Groups
	total := uint64(g[0]) * uint64(g[1]) * uint64(g[2])
	if g[0] != 0 && g[1] != 0 && total/uint64(g[0])/uint64(g[1]) != uint64(g[2]) || total > 1<<62 {
		return nil, &diag.Error{Class: diag.BadInput, Pos: d.Pos, Msg: fmt.Sprintf("a grid of %s tiles is too large", diag.Size(g))}
	}
	x := *m
	x.Dispatch, x.total = d, total
	return &x, nil
}

// with is the machine with another program.
func (m *Machine) with(p *program.Program) (*Machine, error) {
	x := *m
	x.Program = p
	var err error
	x.code, err = m.engine.Compile(p)
	return &x, err
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
		default: // push constants, which a debugger may go back to as they were
			if m.exact || !m.res.copyPush() {
				return false
			}
		}
	}
	width, err := warpWidth(m.Dispatch, e.Options)
	return e.Options.Exact == m.exact && e.Options.Checks == m.checks && e.Options.engine() == m.engine && err == nil && width == m.Program.Width
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
	if s[0] > maxThreads || s[1] > maxThreads || s[2] > maxThreads || size > maxThreads {
		return nil, bad(diag.Unsupported, "unsupported: tiles of %s threads; at most %d are possible", diag.Size(s), maxThreads)
	}
	return ep, nil
}

// maxThreads is the most threads that a tile may have.
const maxThreads = 65536

// maxTileBytes bounds the registers and private variables of a tile.
const maxTileBytes = 1 << 30

// checkMemory refuses programs whose tiles need too much memory.
func checkMemory(p *program.Program, d *launch.Dispatch) error {
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
func tileBytes(p *program.Program) int64 {
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

// run runs a dispatch to its end.
func (e *Emulator) run(ctx context.Context, m *Machine, list []Observer) (*Result, error) {
	if m.total == 0 {
		return &Result{}, nil
	}
	if len(list) == 0 && m.parallel(&e.Options) {
		r, ok, err := m.runParallel(ctx, &e.Options)
		if ok || err != nil {
			return r, err
		}
	}
	if e.pool == nil || e.pool.program != m.Program {
		e.pool = &pool{program: m.Program}
	}
	r := newRun(ctx, m, e.Options, e.pool)
	r.observe(list)
	err := r.toEnd()
	return &Result{Steps: r.steps, Tiles: r.done, Findings: fold(r.findings), Stopped: r.stopped}, err
}
