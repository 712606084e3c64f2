package diff

import (
	"context"
	"math"
	"slices"
	"strings"
	"unsafe"

	"ampdbg/diff/bound"
	"ampdbg/emu"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/tilemem/texel"
	"ampdbg/warp"
)

// bounds are the error bounds of what a dispatch leaves in memory; see package
// bound for what they mean.
type bounds struct {
	m      *emu.Machine
	memory map[any]*shadow // by *launch.Buffer, *launch.Image
}

// at is the bound of size bytes at an offset in a buffer or image.
func (b *bounds) at(key any, off, size int) bound.Value {
	if s := b.memory[key]; s != nil {
		return s.get(int64(off), int64(size))
	}
	return bound.Value{}
}

// why says in words what makes a value uncertain: "the branch at k.comp:12".
func (b *bounds) why(v bound.Value) string {
	if v.Why == 0 {
		return "an operation that has no bound"
	}
	pc := int(v.Why - 1)
	what := "an operation that has no bound for its operands"
	switch c := b.m.Program.Code[pc].Code; {
	case c.Branches():
		what = "the branch"
	case c.Accesses() != program.NoAccess, c == program.LoadVar, c == program.StoreVar:
		what = "the index"
	case c == program.FDiv32:
		what = "the division"
	case c.Compares():
		what = "the comparison"
	}
	if pos := b.m.Pos(pc); pos.IsValid() {
		what += " at " + pos.String()
	}
	return what
}

// Replay with bounds: a dispatch runs operation by operation on the emulator,
// each value with a bound.Value beside it.
//
//	before  an operation    branches on uncertain truths, addresses of memory
//	Access  of memory       bounds go between registers and the memory's shadow
//	after   an operation    the bound of the result, from operands and result
//
// A thread that takes a branch which another machine may take otherwise is
// astray from there on: nothing is known of what it writes. Neither is it of
// memory that the instructions between that branch and where its ways meet
// again may write, since the other way may do so anywhere.

// replayBounds runs a dispatch from the memory as it is, which it changes.
func replayBounds(ctx context.Context, d *launch.Dispatch, opt emu.Options, fl *flow) (*bounds, error) {
	b := &boundKeeper{flow: fl, formats: map[int]*bound.Format{}}
	opt.Exact, opt.Observe = true, b.begin
	opt.OnFault = func(_ *emu.Machine, _ *warp.Warp, f *warp.Fault) bool { return f.Kind == warp.ArrayIndex }
	if _, err := emu.Run(ctx, d, opt); err != nil {
		return nil, err
	}
	out := &bounds{m: b.m, memory: map[any]*shadow{}}
	for v := range b.m.Views {
		mem := b.m.MemoryOf(v)
		if mem == nil || b.global[mem.ID] == nil {
			continue
		}
		switch info := &b.m.Views[v]; {
		case info.Image != nil:
			out.memory[info.Image] = b.global[mem.ID]
		case info.Buffer != nil:
			out.memory[info.Buffer] = b.global[mem.ID]
		}
	}
	return out, nil
}

// boundKeeper is the observer behind replayBounds.
type boundKeeper struct {
	m       *emu.Machine
	flow    *flow
	formats map[int]*bound.Format
	rules   []rule
	tiles   emu.PerTile[*boundTile]
	global  []*shadow          // by Memory.ID
	regions map[int][]spirv.ID // by pc of a branch: what may be written before its ways meet
}

// boundTile is what is known of the values of a tile.
type boundTile struct {
	memories []*shadow    // by Memory.ID
	warps    []*registers // by warp
}

// registers are the bounds of a warp's rows.
type registers struct {
	v      []bound.Value // by element
	hot    []bool        // by row: not all of it is, or has been, the zero Value
	stride int
	astray []int32   // by lane: 1 + the pc of an uncertain branch that it has taken, or 0
	strays bool      // some lane is astray
	lost   warp.Mask // lanes whose address in the operation at hand is uncertain
	in     []bound.Number
	vs     []bound.Value
	xs     []float64
}

// format is that of floats of a width.
func (b *boundKeeper) format(width int) *bound.Format {
	f := b.formats[width]
	if f == nil {
		rtz := false
		for _, m := range b.m.Entry.Modes {
			if m.Mode == spirv.ExecutionModeRoundingModeRTZ && len(m.Args) == 1 && m.Args[0] == uint32(width) {
				rtz = true
			}
		}
		f = bound.NewFormat(width, preserves(b.m.Entry, width), rtz)
		b.formats[width] = f
	}
	return f
}

func (b *boundKeeper) begin(m *emu.Machine) ([]emu.Observer, error) {
	b.m = m
	b.rules = b.rulesOf(m.Program)
	b.regions = map[int][]spirv.ID{}
	b.global = make([]*shadow, len(m.Memories))
	for id, mem := range m.Memories {
		if mem.Space == tilemem.Global && mem.Writable {
			b.global[id] = newShadow(mem.Size)
		}
	}
	p := m.Program
	threads := int64(p.TileSize[0]) * int64(p.TileSize[1]) * int64(p.TileSize[2])
	warps := (threads + int64(p.Width) - 1) / int64(p.Width)
	need := host.Need(warps*int64(p.Rows)*int64(p.Stride)*int64(unsafe.Sizeof(bound.Value{})), "the error bounds of a tile's registers")
	return []emu.Observer{b}, need
}

// Wants implements emu.Wants.
func (b *boundKeeper) Wants(mem *tilemem.Memory) bool {
	return mem.Space == tilemem.TileStatic || b.global[mem.ID] != nil
}

// TileBegin implements emu.TileObserver.
func (b *boundKeeper) TileBegin(t *warp.Tile) {
	x := &boundTile{memories: make([]*shadow, len(b.m.Memories))}
	for id, mem := range b.m.Memories {
		if mem.Space == tilemem.TileStatic {
			x.memories[id] = newShadow(mem.Size)
		}
	}
	p := b.m.Program
	for range t.Warps {
		x.warps = append(x.warps, &registers{v: make([]bound.Value, p.Rows*p.Stride), hot: make([]bool, p.Rows), stride: p.Stride, astray: make([]int32, p.Stride)})
	}
	b.tiles.Begin(t, x)
}

// TileEnd implements emu.TileObserver.
func (b *boundKeeper) TileEnd(t *warp.Tile) {
	b.tiles.End(t)
}

// of is the registers of a warp.
func (b *boundKeeper) of(w *warp.Warp) *registers { return b.tiles.Of(w.T).warps[w.Index] }

// shadowOf is the shadow of what a view of a warp shows; nil if nothing in it
// can be inexact.
func (b *boundKeeper) shadowOf(w *warp.Warp, v *tilemem.View) *shadow {
	switch {
	case v.Mem == nil:
		return nil
	case v.Mem.Space == tilemem.TileStatic:
		return b.tiles.Of(w.T).memories[v.Mem.ID]
	}
	return b.global[v.Mem.ID]
}

// Before implements emu.OperationObserver.
func (b *boundKeeper) Before(w *warp.Warp) {
	b.before(w, b.of(w), w.PC, &w.P.Code[w.PC])
}

// After implements emu.OperationObserver.
func (b *boundKeeper) After(w *warp.Warp, pc int) {
	b.after(w, b.of(w), pc, &w.P.Code[pc])
}

// before looks at what the operation at pc branches on, and at the address of
// memory that it accesses.
func (b *boundKeeper) before(w *warp.Warp, regs *registers, pc int, op *program.Op) {
	switch {
	case op.Code.CompareBranch():
		for l := range lanes(w) {
			if x, y := &regs.v[int(op.A)+l], &regs.v[int(op.B)+l]; !x.Exact() || !y.Exact() {
				if overlap(x, y, whole(w.R[int(op.A)+l]), whole(w.R[int(op.B)+l]), bound.Integer) {
					b.stray(w, regs, l, pc)
				}
			}
		}
	case op.Code.Branches():
		if regs.cold(op.A, uint32(regs.stride)) {
			return
		}
		for l := range lanes(w) {
			if x := &regs.v[int(op.A)+l]; !x.Exact() {
				b.stray(w, regs, l, pc)
			}
		}
	case op.Code == program.ImageOp:
		info := &w.P.ImageOps[op.X]
		regs.lost = warp.Mask{}
		for _, r := range info.Dst {
			regs.clear(w, r, uint32(w.P.Stride))
		}
		if info.CoordKind.Float {
			return // where it samples moves with its coordinates: see sampled
		}
		for _, r := range info.Coord {
			for l := range lanes(w) {
				if !regs.v[int(r)+l].Exact() {
					regs.lost.Set(l)
				}
			}
		}
	case op.Code.Accesses() != program.NoAccess:
		regs.lost = warp.Mask{}
		w.P.Touches(op, func(r program.RowRun) {
			switch r.Role {
			case program.RoleAddress, program.RoleIndex:
				b.addresses(w, regs, r.At)
			case program.RoleResult:
				regs.clear(w, r.At, r.N)
			}
		})
	}
}

// lanes are the active lanes of a warp.
func lanes(w *warp.Warp) func(yield func(l int) bool) {
	act := w.Active()
	return func(yield func(l int) bool) {
		for l := act.First(); l >= 0; l = act.Next(l) {
			if !yield(l) {
				return
			}
		}
	}
}

// set gives an element its value.
func (r *registers) set(i int, v bound.Value) {
	r.v[i] = v
	if !v.Zero() {
		r.hot[i/r.stride] = true
	}
}

// cold reports whether all of n elements are exact, and no sums or products.
func (r *registers) cold(row, n uint32) bool {
	for i := int(row) / r.stride; i < (int(row)+int(n))/r.stride; i++ {
		if r.hot[i] {
			return false
		}
	}
	return true
}

// clear makes the active lanes of n elements exact.
func (r *registers) clear(w *warp.Warp, row, n uint32) {
	if r.cold(row, n) {
		return
	}
	act := w.Active()
	for i := row; i < row+n; i++ {
		if act.Has(int(i) % w.P.Stride) {
			r.v[i] = bound.Value{}
		}
	}
}

// addresses notes the lanes whose address depends on an uncertain row.
func (b *boundKeeper) addresses(w *warp.Warp, regs *registers, row uint32) {
	if regs.cold(row, uint32(regs.stride)) {
		return
	}
	for l := range lanes(w) {
		if !regs.v[int(row)+l].Exact() {
			regs.lost.Set(l)
		}
	}
}

// stray notes that a lane takes a branch that it may not take elsewhere.
func (b *boundKeeper) stray(w *warp.Warp, regs *registers, l, pc int) {
	if regs.astray[l] == 0 {
		regs.astray[l] = int32(pc) + 1
		regs.strays = true
	}
	list, ok := b.regions[pc]
	if !ok {
		list = b.flow.region(int(b.m.Program.Inst[pc]))
		b.regions[pc] = list
	}
	for _, id := range list {
		for v := range b.m.Views {
			info := &b.m.Views[v]
			if info.Var != id && (id != physical || info.Var != 0) {
				continue
			}
			if s := b.shadowOf(w, &w.T.Views[v]); s != nil && s.anywhere == 0 {
				s.anywhere, s.inexact = int32(pc)+1, true
			}
		}
	}
}

// Access implements warp.MemoryObserver.
func (b *boundKeeper) Access(w *warp.Warp, a *warp.Access) {
	regs := b.of(w)
	op := &w.P.Code[a.PC]
	for l := a.Mask.First(); l >= 0; l = a.Mask.Next(l) {
		view := &w.T.Views[a.View[l]]
		s := b.shadowOf(w, view)
		if s == nil {
			if a.Kind == warp.Read && regs.lost.Has(l) {
				b.loadLost(w, regs, op, a, l)
			}
			continue
		}
		at := view.Base + a.Off[l]
		switch {
		case a.Kind == warp.AtomicAccess:
			b.atomic(w, regs, op, a, l, s, at)
		case a.Kind == warp.Write && regs.lost.Has(l):
			s.anywhere, s.inexact = int32(a.PC)+1, true
		case a.Kind == warp.Write && a.Texel != nil:
			b.writeTexel(w, regs, op, a, l, s, at)
		case a.Kind == warp.Write:
			for i := range a.Size / int64(a.Width) {
				v := regs.v[int(a.Value)+int(i)*w.P.Stride+l]
				if why := regs.astray[l]; why != 0 {
					v = bound.Unbounded(why - 1)
				}
				s.put(at+i*int64(a.Width), int64(a.Width), v, a.PC)
			}
		case regs.lost.Has(l):
			b.loadLost(w, regs, op, a, l)
		case a.Texel != nil:
			b.readTexel(w, regs, op, a, l, s, at)
		default:
			for i := range a.Size / int64(a.Width) {
				regs.set(int(a.Value)+int(i)*w.P.Stride+l, s.get(at+i*int64(a.Width), int64(a.Width)))
			}
		}
	}
}

// loadLost is a load from an uncertain address.
func (b *boundKeeper) loadLost(w *warp.Warp, regs *registers, op *program.Op, a *warp.Access, l int) {
	if op.Code == program.ImageOp {
		for _, r := range w.P.ImageOps[op.X].Dst {
			regs.set(int(r)+l, bound.Unbounded(int32(a.PC)))
		}
		return
	}
	for i := range int(a.Size) / a.Width {
		regs.set(int(a.Value)+i*w.P.Stride+l, bound.Unbounded(int32(a.PC)))
	}
}

// atomic does an atomic of one lane.
func (b *boundKeeper) atomic(w *warp.Warp, regs *registers, op *program.Op, a *warp.Access, l int, s *shadow, at int64) {
	info, dst := w.P.AtomicOf(op), op.Dst
	if op.Code == program.ImageOp {
		if im := &w.P.ImageOps[op.X]; len(im.Dst) > 0 {
			dst = im.Dst[0]
		}
	}
	old := s.get(at, a.Size)
	var v bound.Value
	if info.Op != program.AtomicLoad {
		v = regs.v[int(info.Val)+l].Leaf()
	}
	switch {
	case regs.lost.Has(l):
		if info.Op.Writes() {
			s.anywhere, s.inexact = int32(a.PC)+1, true
		}
		old = bound.Unbounded(int32(a.PC))
	case regs.astray[l] != 0:
		if info.Op.Writes() {
			s.put(at, a.Size, bound.Unbounded(regs.astray[l]-1), a.PC)
		}
	case info.Op == program.AtomicLoad:
	case info.Op == program.AtomicStore || info.Op == program.AtomicExchange:
		s.put(at, a.Size, v, a.PC)
	case info.Op == program.AtomicCompareExchange:
		// Whether it stores depends on bits: it stores as it does here, as in a
		// loop that tries until it has.
		if a.New != a.Old {
			s.put(at, a.Size, v, a.PC)
		}
	case info.Op == program.AtomicFAdd:
		f, width := b.format(8*info.Size), 8*info.Size
		s.add(f, at, a.Size, real(a.Old, width), real(w.R[int(info.Val)+l], width), real(a.New, width), v, a.PC)
	case info.Op == program.AtomicFMin || info.Op == program.AtomicFMax:
		s.put(at, a.Size, bound.Of(max(old.In(bound.Float), v.In(bound.Float)), bound.Float, old, v), a.PC)
	case info.Op == program.AtomicAdd || info.Op == program.AtomicSub:
		s.put(at, a.Size, bound.Of(old.In(bound.Integer)+v.In(bound.Integer), bound.Integer, old, v), a.PC)
	case info.Op == program.AtomicAnd || info.Op == program.AtomicOr || info.Op == program.AtomicXor:
		if !old.Exact() || !v.Exact() {
			s.put(at, a.Size, bound.Unbounded(int32(a.PC)), a.PC)
		}
	default: // minimum and maximum
		s.put(at, a.Size, bound.Of(max(old.In(bound.Integer), v.In(bound.Integer)), bound.Integer, old, v), a.PC)
	}
	if info.Op.Reads() {
		regs.set(int(dst)+l, old)
	}
}

// The bound of a texel is the largest of its components.

func (b *boundKeeper) writeTexel(w *warp.Warp, regs *registers, op *program.Op, a *warp.Access, l int, s *shadow, at int64) {
	info := &w.P.ImageOps[op.X]
	d := bound.Integer
	if info.ValueKind.Float {
		d = bound.Float
	}
	e, big := 0.0, 0.0
	var from []bound.Value
	for _, r := range info.Value {
		v := regs.v[int(r)+l]
		e = max(e, v.In(d))
		if info.ValueKind.Float {
			big = max(big, math.Abs(real(w.R[int(r)+l], int(info.ValueKind.Width))))
		}
		from = append(from, v)
	}
	if e > 0 && d == bound.Float {
		e += step(b.image(a.View[l]), big)
	}
	v := bound.Of(e, d, from...)
	if why := regs.astray[l]; why != 0 {
		v = bound.Unbounded(why - 1)
	}
	s.put(at, a.Size, v, a.PC)
}

// image is the format of the image that a view shows.
func (b *boundKeeper) image(view int32) *texel.Format {
	if im := b.m.Views[view].Image; im != nil {
		if f, ok := texel.Lookup(im.Format); ok {
			return f
		}
	}
	return nil
}

// step is the largest distance between neighbours of a format about x.
func step(f *texel.Format, x float64) float64 {
	if f == nil {
		return 0
	}
	out := 0.0
	for _, c := range f.Components {
		s := 0.0
		switch c.Mode {
		case texel.SFloat:
			if c.Width < 32 {
				s = 0x1p-10 * max(x, 0x1p-14)
			}
		case texel.UFloat:
			s = 0x1p-5 * max(x, 0x1p-14)
		case texel.UNorm, texel.SNorm, texel.SRGB:
			s = 2 / (math.Ldexp(1, c.Width-1) - 1)
		case texel.UScaled, texel.SScaled:
			s = 1
		}
		out = max(out, s)
	}
	return out
}

func (b *boundKeeper) readTexel(w *warp.Warp, regs *registers, op *program.Op, a *warp.Access, l int, s *shadow, at int64) {
	info := &w.P.ImageOps[op.X]
	v := s.get(at, a.Size)
	for _, r := range info.Dst {
		if regs.v[int(r)+l].Err < v.Err {
			regs.set(int(r)+l, v)
		}
	}
}

// sampled gives what an instruction has read of an image the error of its own:
// linear filters have coarse weights, and texels that are fractions are
// converted.
func (b *boundKeeper) sampled(w *warp.Warp, regs *registers, pc int, op *program.Op) {
	info := &w.P.ImageOps[op.X]
	if !info.Result.Float || info.Op == spirv.OpImageTexelPointer {
		return
	}
	f, width := b.format(int(info.Result.Width)), int(info.Result.Width)
	own := func(x float64) float64 { return 0 }
	r := &b.rules[pc]
	switch {
	case info.Filters():
		own = func(x float64) float64 { return 0x1p-7*max(1, math.Abs(x)) + 4*f.ULP(x) }
	case len(r.inst.Args) > 0 && b.flow.fractions(spirv.ID(r.inst.Args[0])):
		own = func(x float64) float64 { return 2 * f.ULP(x) }
	default:
		return
	}
	for l := range lanes(w) {
		moved := false
		if info.CoordKind.Float {
			for _, c := range info.Coord {
				moved = moved || !regs.v[int(c)+l].Exact()
			}
		}
		for _, d := range info.Dst {
			v := &regs.v[int(d)+l]
			if moved { // it may read any texels
				regs.set(int(d)+l, bound.Unbounded(int32(pc)))
				continue
			}
			x := real(w.R[int(d)+l], width)
			regs.set(int(d)+l, bound.Of(v.In(bound.Float)+own(x), bound.Float, *v))
		}
	}
}

// region lists the memories that the instructions between a branch and the
// place where its ways meet may write: those of the innermost construct that
// neither way leaves before its end, or of the whole kernel.
func (f *flow) region(inst int) []spirv.ID {
	for _, fn := range f.u.Functions {
		for _, b := range fn.Blocks {
			if inst < b.First || inst > b.Last {
				continue
			}
			c := b.Construct
			for _, x := range fn.Blocks {
				if b.MergeInst >= 0 && x.Construct != nil && x.Construct.Header == b {
					c = x.Construct
				}
			}
			for ; c != nil; c = c.Parent {
				if blocks, closed := extent(fn, c); closed {
					return f.writes(blocks, map[*spirv.Function]bool{})
				}
			}
		}
	}
	var all []*spirv.Block
	for _, fn := range f.u.Functions {
		all = append(all, fn.Blocks...)
	}
	return f.writes(all, map[*spirv.Function]bool{})
}

// extent is the blocks of a construct; closed says that control leaves it only
// for its merge block.
func extent(fn *spirv.Function, c *spirv.Construct) (blocks []*spirv.Block, closed bool) {
	in := func(b *spirv.Block) bool {
		for x := b.Construct; x != nil; x = x.Parent {
			if x == c {
				return true
			}
		}
		return false
	}
	closed = true
	for _, b := range fn.Blocks {
		if !in(b) {
			continue
		}
		blocks = append(blocks, b)
		if len(b.Succs) == 0 {
			closed = false
		}
		for _, s := range b.Succs {
			if s != c.Merge && !in(s) {
				closed = false
			}
		}
	}
	return blocks, closed
}

// writes lists the memories that blocks, and what they call, may write.
func (f *flow) writes(blocks []*spirv.Block, visited map[*spirv.Function]bool) []spirv.ID {
	var out []spirv.ID
	for _, b := range blocks {
		for i := b.First; i <= b.Last; i++ {
			op, args := f.u.Insts[i].Op, f.args[i]
			switch {
			case len(args) == 0:
			case op == spirv.OpFunctionCall:
				if callee := f.u.Function(args[0]); callee != nil && !visited[callee] {
					visited[callee] = true
					out = append(out, f.writes(callee.Blocks, visited)...)
				}
			case op == spirv.OpStore || op == spirv.OpImageWrite || op == spirv.OpCopyMemory || op == spirv.OpCopyMemorySized ||
				strings.HasPrefix(op.String(), "OpAtomic") && op != spirv.OpAtomicLoad:
				out = append(out, f.targets(args[0])...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// judge decides on numbers of a memory that exceed the tolerance, by how far
// both machines are from what the emulator computes.
type judge struct {
	bounds *bounds
	key    any
	data   []byte // of the memory, as the replay left it
}

func (j *judge) decide(e *Element, n number, x, y uint64) {
	v := j.bounds.at(j.key, e.Offset, e.Size)
	d := bound.Float
	if n.class == integer {
		d = bound.Integer
	}
	e.Bounded, e.Bound = true, v.In(d)
	// A bound beyond all numbers of the type says no more than none.
	if math.IsInf(e.Bound, 1) || n.class == float && e.Bound > bound.NewFormat(n.width, true, false).Max() {
		e.Beyond, e.Unsure = false, j.bounds.why(v)
		return
	}
	r := n.at.Load(j.data[n.base:])
	e.Beyond = !n.near(r, x, e.Bound) || !n.near(r, y, e.Bound)
}

// near reports whether z is no farther from r than a bound.
func (n *number) near(r, z uint64, e float64) bool {
	if r == z {
		return true
	}
	a, b := n.at.Float(r), n.at.Float(z)
	d := math.Abs(a - b)
	switch n.class {
	case float:
		if equals(r, z, n.width) {
			return true
		}
		if math.IsInf(b, 0) && !math.IsInf(a, 0) && math.Signbit(a) == math.Signbit(b) {
			return math.Abs(a)+e > bound.NewFormat(n.width, true, false).Max()
		}
	case fraction: // in steps of the format, one of which is for rounding
		steps := float64(distance(n.at.Int(r), n.at.Int(z)))
		return steps <= 1 || e > 0 && d <= e+1.5*d/steps
	}
	// The bounds themselves are rounded.
	return d <= e*(1+0x1p-30)
}
