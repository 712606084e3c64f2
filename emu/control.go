package emu

import (
	"context"
	"fmt"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/tilemem"
	"ampdbg/tilemem/texel"
	"ampdbg/warp"
)

// Control runs a dispatch piece by piece, for a debugger: the same turns of
// the same warps as a run with one worker, which end early at a Break. Its
// whole state can be saved and restored, and is a function of its Time and of
// the changes made to it from outside (Select, Hold, Freeze, writes to
// registers and memory).
//
// The tiles and warps that it hands out are valid until the next Restore.
type Control struct {
	*Machine
	r     *run
	over  []overTile // tiles that have ended, the latest last
	bytes int        // of them
	quiet bool
}

// overTile is a tile that has ended, kept to be looked at.
type overTile struct {
	*tile
	turn uint64 // after which it ended
}

// maxOver bounds the memory of tiles that are kept after their end, in bytes.
const maxOver = 512 << 10

// Event says why Resume came back.
type Event uint8

// The events.
const (
	TurnEnded Event = iota // between two turns
	Broke                  // the current warp is before a Break of its code
	Diverged               // threads wait at a divergent barrier, see Findings; the next Resume lets them go on
	Failed                 // a fault or a state from which no thread can go on, see Findings: the dispatch is over
	HeldUp                 // no thread can go on but for those that are held or frozen
	Ended                  // all tiles have ended
)

// Time is a moment in the history of a dispatch.
type Time struct {
	Turn uint64 // turns that have ended
	// Place is 0 between turns, 1 in a turn, 2 at a divergent barrier.
	Place int
	Steps uint64 // of the current warp, in a turn
	PC    int
}

// Control prepares d to be run piece by piece. Options.Workers is of no
// account.
func (e *Emulator) Control(ctx context.Context, d *launch.Dispatch) (*Control, error) {
	m, err := e.Prepare(d)
	if err != nil {
		return nil, err
	}
	opt := e.Options
	c := &Control{Machine: m}
	if f := opt.Printf; f != nil {
		opt.Printf = func(t diag.Thread, text string) {
			if !c.quiet {
				f(t, text)
			}
		}
	}
	opt.Progress = nil
	c.r = newRun(ctx, m, opt, &pool{program: m.Program})
	c.r.pause = true
	c.r.ended = c.keep
	if e.Observe != nil {
		list, err := e.Observe(m)
		if err != nil {
			return nil, err
		}
		c.Observe(list...)
	}
	return c, nil
}

// SetQuiet turns the output of DebugPrintf off, or on again.
func (c *Control) SetQuiet(quiet bool) { c.quiet = quiet }

// SetCode tells what a warp executes when it runs next; nil: what it does
// otherwise.
func (c *Control) SetCode(code func(w *warp.Warp) warp.Code) { c.r.code = code }

// Observe shows list, and nobody else, what happens from now on.
func (c *Control) Observe(list ...Observer) { c.r.observe(list) }

// keep holds on to a tile that has ended.
func (c *Control) keep(t *tile) {
	c.over = append(c.over, overTile{t, c.r.turns})
	c.bytes += c.tileBytes()
	for c.bytes > maxOver && len(c.over) > 1 {
		c.r.pool.give(c.over[0].tile)
		c.over = append(c.over[:0], c.over[1:]...)
		c.bytes -= c.tileBytes()
	}
}

func (c *Control) tileBytes() int {
	n := int(c.Program.TileSize[0]*c.Program.TileSize[1]*c.Program.TileSize[2]) + c.Program.Width - 1
	return n/c.Program.Width*(c.Program.Rows*c.Program.Stride*8+512) + int(c.res.tileStatic) + 256
}

// Resume goes on with the turn in progress, or with the next one, until that
// has ended or its warp comes to a Break. The error is the context's, or a
// *diag.Error when the budget is used up.
func (c *Control) Resume() (Event, error) { return c.resume(false) }

// Step is Resume that executes one operation of the current warp, whatever its
// code has there, or none if an observer halts it before that.
func (c *Control) Step() (Event, error) { return c.resume(true) }

func (c *Control) resume(single bool) (Event, error) {
	r := c.r
	if r.settled != 0 {
		t := r.resident(r.settled - 1)
		r.settled = 0
		r.release(t)
		r.turns++ // the moments before and after have times of their own
		return TurnEnded, nil
	}
	if r.stopped {
		return Failed, nil
	}
	if err := r.ctx.Err(); err != nil {
		return TurnEnded, err
	}
	if r.cur == 0 {
		if e, ok := r.advance(); !ok {
			return e, nil
		}
	}
	if _, w := r.current(); r.code != nil {
		w.SetCode(r.code(w))
	}
	r.single, r.stepped = single, false
	ended, err := r.resume()
	switch {
	case err != nil:
		return TurnEnded, err
	case !ended:
		return Broke, nil
	case r.stopped:
		return Failed, nil
	case r.settled != 0:
		return Diverged, nil
	}
	return TurnEnded, nil
}

// Time says how far the dispatch is.
func (c *Control) Time() Time {
	switch _, w := c.r.current(); {
	case w != nil:
		return Time{c.r.turns, 1, w.Steps, w.PC}
	case c.r.settled != 0:
		return Time{c.r.turns, 2, 0, 0}
	}
	return Time{Turn: c.r.turns}
}

// Stopped reports whether the dispatch is over, by its end or by a fault.
func (c *Control) Stopped() bool {
	return c.r.stopped || len(c.r.tiles) == 0 && c.r.next >= c.total
}

// Current is the warp whose turn is in progress, nil between turns.
func (c *Control) Current() *warp.Warp {
	_, w := c.r.current()
	return w
}

// Select ends the turn in progress, and begins one of the warp with the given
// index in a resident tile.
func (c *Control) Select(tileIndex uint64, index int) error {
	if t := c.r.resident(tileIndex); t != nil {
		switch st := t.Warps[index].Status(); {
		case st == warp.Finished || st == warp.Blocked || st == warp.Faulted:
			return fmt.Errorf("warp %d of tile %d cannot run", index, tileIndex)
		case t.held[index]:
			return fmt.Errorf("warp %d of tile %d is frozen", index, tileIndex)
		}
		c.interrupt()
		t.spins[index] = spin{}
		c.r.begin(t, t.Warps[index])
		return nil
	}
	return fmt.Errorf("tile %d is not running", tileIndex)
}

// interrupt ends the turn in progress where it is.
func (c *Control) interrupt() {
	r := c.r
	t, w := r.current()
	if w == nil {
		return
	}
	if r.probing {
		r.endProbe()
		t.spins[w.Index] = spin{}
	}
	r.steps += w.Steps - r.before
	w.Countdown = -1
	r.cur = 0
	r.turns++
}

// Hold keeps a warp of a resident tile from running, or lets it run again.
// The warp's turn, if it is in progress, ends.
func (c *Control) Hold(w *warp.Warp, held bool) {
	if t := c.resident(w); t != nil {
		if held && c.Current() == w {
			c.interrupt()
		}
		t.held[w.Index] = held
		c.r.progress()
	}
}

// Freeze holds lanes of a warp back, out of lockstep with the others; see
// warp.Warp's Freeze.
func (c *Control) Freeze(w *warp.Warp, lanes warp.Mask) {
	if c.Current() == w {
		c.interrupt()
	}
	w.Freeze(lanes)
	c.recount(w)
}

// recount counts the warps of w's tile that cannot go on.
func (c *Control) recount(w *warp.Warp) {
	if t := c.resident(w); t != nil {
		t.idle = 0
		for _, w := range t.Warps {
			if st := w.Status(); st == warp.Blocked || st == warp.Finished {
				t.idle++
			}
		}
	}
}

// Thaw lets frozen lanes go on.
func (c *Control) Thaw(w *warp.Warp, lanes warp.Mask) {
	w.Thaw(lanes)
	c.recount(w)
	c.r.progress()
}

// Held reports whether a warp is held.
func (c *Control) Held(w *warp.Warp) bool {
	t := c.resident(w)
	return t != nil && t.held[w.Index]
}

// Waits reports whether a warp has done nothing since it was let go on from a
// barrier.
func (c *Control) Waits(w *warp.Warp) bool {
	t := c.resident(w)
	return t != nil && t.met[w.Index] == meeting{w.PC, w.Steps}
}

func (c *Control) resident(w *warp.Warp) *tile {
	for _, t := range c.r.tiles {
		if &t.Tile == w.T {
			return t
		}
	}
	return nil
}

// Resident lists the tiles that have started and not ended.
func (c *Control) Resident() []*warp.Tile {
	out := make([]*warp.Tile, len(c.r.tiles))
	for i, t := range c.r.tiles {
		out[i] = &t.Tile
	}
	return out
}

// Tile is the tile with the given linear index: a resident one, or one that
// has ended and is still kept. nil otherwise.
func (c *Control) Tile(index uint64) *warp.Tile {
	if t := c.r.resident(index); t != nil {
		return &t.Tile
	}
	for i := range c.over {
		if t := c.over[i].tile; uint64(t.Index) == index {
			return &t.Tile
		}
	}
	return nil
}

// Started is the number of tiles that have started.
func (c *Control) Started() uint64 { return c.r.next }

// HasStarted reports whether the tile with the given linear index is one of
// them.
func (c *Control) HasStarted(index uint64) bool {
	return index < c.total && c.r.order.turn(c.r.opt.Swap.tile(c.Dispatch.Groups, index)) < c.r.next
}

// Total is the number of tiles.
func (c *Control) Total() uint64 { return c.total }

// Done is the number of tiles that have ended.
func (c *Control) Done() uint64 { return c.r.done }

// Steps is the number of thread-instructions executed.
func (c *Control) Steps() uint64 {
	n := c.r.steps
	if w := c.Current(); w != nil {
		n += w.Steps - c.r.before
	}
	return n
}

// Found is what has been found so far.
func (c *Control) Found() []diag.Finding { return fold(c.r.findings) }

// View is a view as a tile has it; of a nil tile, one of memory that all tiles
// share (a tile_static view is empty then).
func (c *Control) View(t *warp.Tile, v int) tilemem.View {
	if t != nil {
		return t.Views[v]
	}
	return c.res.views[v]
}

// Texels is the image whose bytes a view holds; nil if it holds none.
func (c *Control) Texels(v int) *texel.Image {
	for i := range c.res.slots {
		if slot := &c.res.slots[i]; slot.Image != nil && int(slot.View) == v {
			return slot.Image
		}
	}
	return nil
}
