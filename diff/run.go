package diff

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/gpu"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// Side is a machine with a launch of its own. Make one with EmulatorSide,
// GPUSide or SavedSide.
type Side struct {
	Name   string // what reports call it: "emulator", "NVIDIA H200"
	Launch *launch.Launch
	// Warp is the machine's warp size in lanes, 0 if it takes any.
	Warp int
	// Notes say what of the launch was changed for the machine.
	Notes []string

	ex    launch.Executor
	exact bool // results are within a unit in the last place of the exact ones
	saved *saved
	// subgroup is nil where the machine takes warps of any size.
	subgroup *gpu.Subgroup
	driver   string
	emulator emu.Options // of an emulator
}

// called is the name in a sentence.
func (s *Side) called() string {
	name := s.Name
	if s.exact && s.subgroup == nil {
		name = "the " + name
	}
	if s.saved != nil {
		name = "the saved results of " + name
	}
	return name
}

// EmulatorSide runs a launch on the emulator. opt.Warp is of no account where
// the other side has a warp size that matters.
func EmulatorSide(l *launch.Launch, opt emu.Options) *Side {
	return &Side{Name: "emulator", Launch: l, ex: &emu.Emulator{Options: opt}, exact: true, emulator: opt}
}

// Accelerator is an open device: a *gpu.Accelerator, or an
// *isolate.Accelerator.
type Accelerator interface {
	launch.Executor
	Device() *gpu.Device
}

// GPUSide runs a launch on an open accelerator.
func GPUSide(l *launch.Launch, a Accelerator) *Side {
	d := a.Device()
	return &Side{Name: d.Name, Launch: l, Warp: int(d.Subgroup.Size), ex: a, subgroup: &d.Subgroup, driver: d.Driver.Name + " " + d.Driver.Info}
}

// ExecutorSide runs a launch on any executor.
func ExecutorSide(name string, l *launch.Launch, ex launch.Executor, warpSize int) *Side {
	return &Side{Name: name, Launch: l, ex: ex, Warp: warpSize}
}

// Options say how to compare.
type Options struct {
	Override Override // see NoOverride; the zero value allows nothing
	Show     int      // differing elements to report for each memory; 0: 8
	// Timeout ends a dispatch on the emulator that takes longer, with the error
	// Late; 0: any time. Devices have their own.
	Timeout time.Duration
	Late    error
	Steps   uint64 // budget of the runs on the emulator that find the blame; 0: the emulator's
}

func (o *Options) show() int {
	if o.Show <= 0 {
		return 8
	}
	return o.Show
}

// Outcome is what a comparison gave.
type Outcome struct {
	Name       string    // of the launch
	Sides      [2]string // as sentences call them: "the emulator", "NVIDIA H200"
	Dispatches int       // compared
	Unfinished bool      // an error ended it
	// Memories are the buffers and images that dispatches may write: of each
	// the dispatch after which its differences were largest.
	Memories []*Memory
	// Parted is the dispatch at which the results parted, counted from 1; 0 if
	// they agree.
	Parted   int
	Dispatch *launch.Dispatch // that one
	Blames   []Blame          // of the first elements of Memories that differ there
	// Suspects are what the checkers find in that dispatch: races, reads of
	// memory that no one wrote, operations without a defined result.
	Suspects []diag.Finding
	// Findings are faults that the machines themselves reported.
	Findings []diag.Finding
	Notes    []string
}

// Same reports whether nothing differs by more than the tolerances and no
// machine found a fault.
func (o *Outcome) Same() bool { return o.Parted == 0 && len(o.Findings) == 0 }

// errParted ends the steps.
var errParted = errors.New("the results part")

// Compare runs a launch, loaded once for each side, on two machines. The
// first is the reference. The error is of what could not be run or compared.
func Compare(ctx context.Context, sides [2]*Side, opt Options) (*Outcome, error) {
	c := &comparer{ctx: ctx, sides: sides, opt: opt, known: map[*launch.Dispatch]*tolerances{}}
	c.out = &Outcome{Name: sides[0].Launch.Name, Sides: [2]string{sides[0].called(), sides[1].called()}}
	for i, s := range sides {
		if err := c.fit(s, sides[1-i]); err != nil {
			return nil, err
		}
		c.memory[i] = contents(s.Launch)
	}
	for _, s := range sides {
		c.out.Notes = append(c.out.Notes, s.Notes...)
	}
	c.worst = make([]*Memory, len(c.memory[0]))
	err := c.steps(sides[0].Launch.Steps, sides[1].Launch.Steps)
	for _, m := range c.worst {
		if m != nil {
			c.out.Memories = append(c.out.Memories, m)
		}
	}
	switch {
	case errors.Is(err, errParted):
		err = nil
	case err == nil && c.ran == 0:
		err = sides[0].Launch.NothingRan()
	case err == nil:
		err = c.leftOver()
	}
	c.out.Unfinished = err != nil
	return c.out, err
}

type comparer struct {
	ctx    context.Context
	sides  [2]*Side
	opt    Options
	memory [2][]content
	known  map[*launch.Dispatch]*tolerances
	worst  []*Memory // by number of the memory
	ran    int       // dispatches that have a tile
	out    *Outcome
}

// leftOver is the error of saved results of more dispatches than the launch
// has: they are of another one.
func (c *comparer) leftOver() error {
	for _, s := range c.sides {
		if s.saved != nil && s.saved.next < len(s.saved.m.Dispatches) {
			return &diag.Error{Class: diag.BadInput, Msg: fmt.Sprintf("%s: results of %d dispatches, and the launch has %d", s.saved.dir, len(s.saved.m.Dispatches), s.saved.next)}
		}
	}
	return nil
}

// fit makes a side's dispatches ones that its machine can run as the other
// one does, with the same warps.
func (c *comparer) fit(s, other *Side) error {
	size := other.Warp
	for _, d := range launch.Dispatches(s.Launch.Steps) {
		if s.subgroup != nil {
			s.relax(d)
			continue
		}
		if size == 0 {
			continue
		}
		u, err := spirv.Resolve(d.Module, d.Spec)
		if err != nil {
			return err
		}
		if !usesSubgroups(u) {
			continue
		}
		if g := other.subgroup; g != nil && other.takes(d.Subgroup.RequiredSize) {
			// Both run what the launch asks for.
			switch d.Subgroup.RequiredSize {
			case launch.RequiredMin:
				d.Subgroup.RequiredSize = int(g.Min)
			case launch.RequiredMax:
				d.Subgroup.RequiredSize = int(g.Max)
			}
			continue
		}
		if size > warp.MaxLanes {
			return &diag.Error{Class: diag.Unsupported, Pos: d.Pos, Msg: fmt.Sprintf("unsupported: warps of %d lanes, as %s has them; the emulator's have at most %d", size, other.Name, warp.MaxLanes)}
		}
		d.Subgroup.RequiredSize = size
	}
	return nil
}

// takes reports whether a device can run a pipeline that asks for a subgroup
// size.
func (s *Side) takes(size int) bool {
	g := s.subgroup
	switch {
	case size == launch.RequiredMin || size == launch.RequiredMax:
		return g.SizeControl
	case size <= 0 || !g.SizeControl:
		return false
	}
	return size&(size-1) == 0 && size >= int(g.Min) && size <= int(g.Max)
}

// relax drops a subgroup size that the device does not have, and the claim
// that subgroups are full where that then does not hold.
func (s *Side) relax(d *launch.Dispatch) {
	asked := d.Subgroup.RequiredSize
	if asked == 0 || s.takes(asked) {
		return
	}
	d.Subgroup.RequiredSize = 0
	what := fmt.Sprintf("warps of %d lanes, which %s does not have", asked, s.Name)
	switch asked {
	case launch.RequiredMin:
		what = fmt.Sprintf("the smallest warps, which %s gives no choice of", s.Name)
	case launch.RequiredMax:
		what = fmt.Sprintf("the largest warps, which %s gives no choice of", s.Name)
	}
	note := fmt.Sprintf("the launch asks for %s: both machines run warps of %d", what, s.Warp)
	if u, err := spirv.Resolve(d.Module, d.Spec); err == nil {
		if e := u.EntryPoint(d.Entry); e != nil && e.LocalSize[0]%uint32(max(s.Warp, 1)) != 0 {
			d.Subgroup.FullyPopulated = false
		}
	}
	if len(s.Notes) == 0 || s.Notes[len(s.Notes)-1] != note {
		s.Notes = append(s.Notes, note)
	}
}

// usesSubgroups reports whether a module's results may depend on the size of
// warps: it declares a capability of subgroup operations.
func usesSubgroups(u *spirv.Unit) bool {
	for _, c := range u.Capabilities {
		switch c {
		case spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformVote, spirv.CapabilityGroupNonUniformArithmetic,
			spirv.CapabilityGroupNonUniformBallot, spirv.CapabilityGroupNonUniformShuffle, spirv.CapabilityGroupNonUniformShuffleRelative,
			spirv.CapabilityGroupNonUniformClustered, spirv.CapabilityGroupNonUniformQuad, spirv.CapabilityGroupNonUniformRotateKHR,
			spirv.CapabilitySubgroupBallotKHR, spirv.CapabilitySubgroupVoteKHR:
			return true
		}
	}
	return false
}

func (c *comparer) steps(x, y []launch.Step) error {
	for i := range x {
		if c.ctx.Err() != nil {
			return &launch.Interrupted{Pos: x[i].Position(), Err: context.Cause(c.ctx)}
		}
		switch s := x[i].(type) {
		case *launch.Dispatch:
			if err := c.dispatch(s, y[i].(*launch.Dispatch)); err != nil {
				return err
			}
		case *launch.Copy:
			s.Do()
			y[i].(*launch.Copy).Do()
		case *launch.Loop:
			if len(s.Steps) == 0 {
				continue
			}
			for range s.Count {
				if err := c.steps(s.Steps, y[i].(*launch.Loop).Steps); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// dispatch runs one dispatch on both machines and compares.
func (c *comparer) dispatch(x, y *launch.Dispatch) error {
	t := c.known[x]
	if t == nil {
		twice := !c.sides[0].exact && !c.sides[1].exact
		var err error
		if t, err = tolerancesOf(x, twice, c.opt.Override); err != nil {
			return err
		}
		c.known[x] = t
	}
	var size int64
	for _, m := range c.memory[0] {
		size += int64(len(m.Bytes()))
	}
	if err := host.Need(size, "a copy of the memory before a dispatch"); err != nil {
		return err
	}
	before := save(c.memory[0])
	for i, d := range []*launch.Dispatch{x, y} {
		ok, err := c.machine(i, d)
		if err != nil || !ok {
			return err
		}
	}
	c.out.Dispatches++
	if !x.Empty() {
		c.ran++
	}
	results, err := c.compare(t, nil)
	if err != nil {
		return err
	}
	if !same(results) && !c.opt.Override.set() {
		if results, err = c.bounded(x, t, before, results); err != nil {
			return err
		}
	}
	var parted []*Memory
	for i, r := range results {
		if !r.Same() {
			parted = append(parted, r)
		}
		if !t.writes(c.memory[0][i].key()) && r.Data[0] == nil {
			continue
		}
		if w := c.worst[i]; w == nil || r.Beyond > 0 || r.Undecided > 0 && w.Undecided == 0 || w.Undecided == 0 && r.Largest != nil && (w.Largest == nil || r.Largest.larger(w.Largest)) {
			c.worst[i] = r
		}
	}
	if len(parted) > 0 {
		c.out.Parted, c.out.Dispatch = c.out.Dispatches, x
		after := save(c.memory[0])
		restore(c.memory[0], before)
		err := c.blame(x, parted, before)
		restore(c.memory[0], after)
		if err != nil {
			return err
		}
		return errParted
	}
	from, to := 0, 1
	if c.sides[1].saved != nil {
		from, to = 1, 0
	}
	for i, m := range c.memory[from] {
		m.copyTo(c.memory[to][i])
	}
	return nil
}

// compare compares all memories after a dispatch; judges, by memory, decide on
// what exceeds the tolerances.
func (c *comparer) compare(t *tolerances, judges []*judge) ([]*Memory, error) {
	out := make([]*Memory, len(c.memory[0]))
	for i, m := range c.memory[0] {
		o := c.memory[1][i]
		if len(m.Bytes()) != len(o.Bytes()) {
			return nil, &diag.Error{Class: diag.BadInput, Msg: fmt.Sprintf("%s has %d bytes on %s and %d on %s", m.Name(), len(m.Bytes()), c.out.Sides[0], len(o.Bytes()), c.out.Sides[1])}
		}
		var j *judge
		if judges != nil {
			j = judges[i]
		}
		out[i] = compare(m, o, t, c.opt.show(), j)
	}
	return out, nil
}

func same(list []*Memory) bool {
	for _, m := range list {
		if !m.Same() {
			return false
		}
	}
	return true
}

// bounded compares again, with the error bounds of a dispatch that exceeds
// its tolerances. Where there are none to be had the tolerances decide.
func (c *comparer) bounded(d *launch.Dispatch, t *tolerances, before [][]byte, results []*Memory) ([]*Memory, error) {
	var size int64
	for _, m := range c.memory[0] {
		size += int64(len(m.Bytes()))
	}
	if err := host.Need(2*size, "two copies of the memory for error bounds"); err != nil {
		return nil, err
	}
	after := save(c.memory[0])
	restore(c.memory[0], before)
	bounds, err := replayBounds(c.ctx, d, c.emulator(d), t.flow)
	replayed := save(c.memory[0])
	restore(c.memory[0], after)
	if err != nil {
		if c.ctx.Err() != nil || diag.AsBug(err) != nil {
			return nil, err
		}
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("no error bounds of dispatch %d, so the tolerances decide: %v", c.out.Dispatches, err))
		return results, nil
	}
	judges := make([]*judge, len(replayed))
	for i, m := range c.memory[0] {
		judges[i] = &judge{bounds: bounds, key: m.key(), data: replayed[i]}
	}
	return c.compare(t, judges)
}

// machine runs a dispatch on one side. ok is false where its findings end
// the comparison.
func (c *comparer) machine(i int, d *launch.Dispatch) (ok bool, err error) {
	s := c.sides[i]
	e, isEmulator := s.ex.(*emu.Emulator)
	ctx := c.ctx
	if isEmulator && c.opt.Timeout > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, c.opt.Timeout, c.opt.Late)
		defer cancel()
	}
	err = s.ex.Dispatch(ctx, d)
	if isEmulator && e.Last != nil {
		c.out.Findings = append(c.out.Findings, e.Last.Findings...)
	}
	var stopped *emu.StoppedError
	var outside *gpu.OutsideError
	switch {
	case errors.As(err, &stopped):
		note := fmt.Sprintf("dispatch %d stopped on the emulator", c.out.Dispatches+1)
		if i == 0 {
			note += ", so " + c.out.Sides[1] + " did not run it"
		}
		c.out.Notes = append(c.out.Notes, note)
		return false, errParted
	case errors.As(err, &outside):
		c.out.Findings = diag.Fold(append(c.out.Findings, outside.Finding()))
		return true, nil
	case err != nil:
		return false, err
	}
	if isEmulator && i == 0 && diverges(c.out.Findings) {
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("dispatch %d has a divergent barrier, which may hang a device, so %s did not run it", c.out.Dispatches+1, c.out.Sides[1]))
		return false, errParted
	}
	return true, nil
}

func diverges(fs []diag.Finding) bool {
	for i := range fs {
		if fs[i].Code == diag.DivergentBarrier {
			return true
		}
	}
	return false
}

// save copies memories.
func save(list []content) [][]byte {
	out := make([][]byte, len(list))
	for i, m := range list {
		out[i] = append([]byte(nil), m.Bytes()...)
	}
	return out
}

func restore(list []content, data [][]byte) {
	for i, m := range list {
		copy(m.Bytes(), data[i])
	}
}

// copyTo copies a memory to the other side's, but for device addresses, which
// each machine has its own of.
func (c content) copyTo(o content) {
	if c.Buffer == nil || len(c.Buffer.Addresses) == 0 {
		copy(o.Bytes(), c.Bytes())
		return
	}
	own := append([]byte(nil), o.Bytes()...)
	copy(o.Bytes(), c.Bytes())
	for _, a := range c.Buffer.Addresses {
		copy(o.Bytes()[a.At:min(a.At+8, len(own))], own[a.At:])
	}
}
