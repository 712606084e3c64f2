package warp

import (
	"ampdbg/program"
	"ampdbg/tilemem"
)

// Status says how a run of a warp ended.
type Status uint8

// The statuses.
const (
	Runnable Status = iota // has operations to execute
	Blocked                // every lane that could run waits at a tile barrier
	Finished               // all lanes have returned
	Yielded                // the step limit was reached, or the schedule asked for a switch
	Faulted                // see Warp.Fault
	Conflict               // parallel tiles depend on each other's order
	AtBreak                // a Break operation was reached
)

// Tile is what the warps of one tile share.
type Tile struct {
	Index  int            // linear index, x fastest
	ID     [3]uint32      // WorkgroupId
	Groups [3]uint32      // NumWorkgroups
	Views  []tilemem.View // by view number; tile_static views are this tile's own
	Images []ImageSlot    // image and sampler descriptors
	Warps  []*Warp
	Obs    Observers
	Locks  *tilemem.Locks // set while tiles run in parallel
	// OnFault is asked whether to go on after a fault as robust buffer access
	// would (reads give 0, writes are dropped). nil means no.
	OnFault func(w *Warp, f *Fault) bool
	// Print receives the output of DebugPrintf.
	Print func(w *Warp, lane int, text string)
	// Changed is set when a write or atomic may have changed what memory holds;
	// exactly when it has, while ExactChanges is set (which needs slow views).
	ExactChanges, Changed bool
	// Undefined is where the reasons are noted for which operations of active lanes
	// had no defined result, one bit each; nil where that is not wanted.
	Undefined *uint32
	// Used is called by shadow programs when an undefined result is used.
	Used func()
	// Robust makes accesses out of bounds read 0 and write nothing.
	Robust bool
	// Halt is set by an observer, or OnFault, that wants the warp to stop, with
	// AtBreak: before the plain access that it is shown, after the instruction
	// if that is atomic or of an image, between the check of an index and the
	// access. Whoever runs the warp clears it.
	Halt bool
}

// group is a set of lanes that wait for the construct they are in to run
// them.
type group struct {
	pc      int32
	entry   int32
	mask    Mask
	blocked bool        // waits at a barrier
	seg     []construct // constructs that the lanes have open above the one the group is in
}

// construct is an open construct on a warp's stack.
type construct struct {
	info    int32  // index into Program.Constructs
	iter    uint32 // completed back edges
	entry   int32  // switch target that the running lanes came in by
	merge   Mask   // lanes that wait at the merge point
	cont    Mask   // lanes that wait at the continue target
	head    Mask   // lanes that wait for the next iteration
	pending []group
}

// Warp is the state of one warp.
type Warp struct {
	P     *program.Program
	T     *Tile
	Index int
	Lanes int // lanes that exist: the last warp of a tile may be narrower
	R     []uint64
	PC    int
	Fault *Fault
	Steps uint64 // thread-instructions executed

	fn      *Functions // of P
	code    Code       // what Run executes
	usual   Code       // what it executes from Reset on
	status  Status
	active  Mask
	all     Mask // lanes that exist
	row     Mask // lanes of the padded width
	live    Mask // lanes that have not returned
	frozen  Mask // lanes that a debugger holds back
	nact    uint64
	blend   bool // some live lane is inactive: value operations go through scratch rows
	partial bool // some lane of the padded width is inactive
	ragged  bool // some lane of the padded width has been inactive: rows need not have their shapes
	stack   []construct
	limit   uint64

	// Keep preserves the registers of lanes that have returned.
	Keep bool
	// Countdown, where not negative, is the number of visible operations until
	// the warp yields; the schedule sets it.
	Countdown int

	arrivals []Arrival
	exits    []int32 // by lane: pc of the Return that ended it, -1 while it lives
	access   Access
	quick    Access   // observed32's own
	in, out  []uint64 // operands of CallN
}

// Arrival is a group of lanes at a tile barrier.
type Arrival struct {
	PC   int // of the Barrier operation
	Mask Mask
	Key  uint64 // hash of Path
	Path []PathStep
}

// PathStep is one open construct of a dynamic instance.
type PathStep struct {
	Construct int32 // index into Program.Constructs
	Iter      uint32
	Entry     int32
}

// New makes a warp that runs c. Call Reset before running it.
func New(c Code) *Warp {
	p := c.Functions().Program
	w := &Warp{P: p, fn: c.Functions(), usual: c, R: make([]uint64, p.Rows*p.Stride)}
	w.exits = make([]int32, p.Stride)
	w.access.View = make([]int32, p.Stride)
	w.access.Off = make([]int64, p.Stride)
	w.quick.View = make([]int32, p.Stride)
	w.quick.Off = make([]int64, p.Stride)
	return w
}

// Reset makes w the index-th warp of t, at the start of the kernel.
func (w *Warp) Reset(t *Tile, index int) {
	p := w.P
	w.T, w.Index, w.code, w.ragged = t, index, w.usual, false
	size := int(p.TileSize[0] * p.TileSize[1] * p.TileSize[2])
	w.Lanes = min(p.Width, size-index*p.Width)
	clear(w.R)
	for _, c := range p.Consts {
		for l := range p.Stride {
			w.R[int(c.Row)+l] = c.Bits
		}
	}
	w.PC, w.Fault, w.Steps, w.status = p.Entry, nil, 0, Runnable
	w.Countdown = -1
	w.arrivals = w.arrivals[:0]
	for l := range w.exits {
		w.exits[l] = -1
	}
	w.all, w.row = FirstLanes(w.Lanes), FirstLanes(p.Stride)
	w.live, w.frozen = w.all, Mask{}
	w.setActive(w.live)
	w.stack = w.stack[:0]
	w.push(0)
	w.setBuiltins()
}

// Active is the set of lanes that execute the operation at PC.
func (w *Warp) Active() Mask { return w.active }

// Live is the set of lanes that have not returned from the kernel.
func (w *Warp) Live() Mask { return w.live }

// Status says how the last run ended.
func (w *Warp) Status() Status { return w.status }

// Arrivals are the groups that wait at tile barriers.
func (w *Warp) Arrivals() []Arrival { return w.arrivals }

// Meets reports whether all lanes wait at a barrier as one, and where.
func (w *Warp) Meets() (a *Arrival, whole bool) {
	if len(w.arrivals) != 1 || w.arrivals[0].Mask != w.all {
		return nil, false
	}
	return &w.arrivals[0], true
}

// ExitPC is the pc of the Return by which lane l ended, -1 if it has not.
func (w *Warp) ExitPC(l int) int { return int(w.exits[l]) }

func (w *Warp) setActive(m Mask) {
	w.active = m
	w.nact = uint64(m.Count())
	w.blend = m != w.live || w.Keep && m != w.all
	w.partial = m != w.row
	w.ragged = w.ragged || w.partial
}

func (w *Warp) push(info int32) {
	if n := len(w.stack); n < cap(w.stack) {
		w.stack = w.stack[:n+1]
		c := &w.stack[n]
		c.info, c.iter, c.entry = info, 0, -1
		c.merge, c.cont, c.head = Mask{}, Mask{}, Mask{}
		c.pending = c.pending[:0]
		return
	}
	w.stack = append(w.stack, construct{info: info, entry: -1})
}
