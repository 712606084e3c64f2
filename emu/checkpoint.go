package emu

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"ampdbg/launch"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// Checkpoint is a copy of a dispatch's whole state but for the launch's memory:
// its buffers and images outlive the dispatch, and who saves the one saves the
// other.
type Checkpoint struct {
	Time  Time
	Bytes int // about how much memory the checkpoint takes

	state state
	tiles []savedTile
	push  []byte // push constants
}

// savedTile is a copy of a resident tile.
type savedTile struct {
	index   uint64
	state   tileState
	mem     []byte
	warps   []*warp.Saved
	changed bool // warp.Tile's
}

// Save copies the state.
func (c *Control) Save() *Checkpoint {
	k := &Checkpoint{Time: c.Time(), state: c.r.state.clone(), push: slices.Clone(c.res.push)}
	k.Bytes = 512 + len(k.push)
	for _, t := range c.r.tiles {
		s := savedTile{index: uint64(t.Index), state: t.tileState.clone(), mem: slices.Clone(t.mem), changed: t.Changed}
		k.Bytes += len(s.mem)
		for _, w := range t.Warps {
			v := w.Save()
			s.warps = append(s.warps, v)
			k.Bytes += v.Size()
		}
		k.tiles = append(k.tiles, s)
	}
	return k
}

// Restore goes back, or forward, to a checkpoint of this dispatch, made by this
// or another Control of it. The launch's memory is to be put back as well.
func (c *Control) Restore(k *Checkpoint) {
	r := c.r
	copy(c.res.push, k.push)
	for _, t := range r.tiles {
		r.pool.give(t)
	}
	r.state, r.tiles = k.state.clone(), nil
	for i := range k.tiles {
		v := &k.tiles[i]
		t := r.newTile(v.index)
		copy(t.mem, v.mem)
		for j, w := range t.Warps {
			w.Restore(v.warps[j])
		}
		t.tileState, t.Changed = v.state.clone(), v.changed
		r.tiles = append(r.tiles, t)
		r.show(t)
	}
	over := c.over
	c.over, c.bytes = nil, 0
	for _, o := range over {
		if o.turn < r.turns {
			c.over = append(c.over, o)
			c.bytes += c.tileBytes()
		} else {
			r.pool.give(o.tile)
		}
	}
}

// Hash is a digest of all that the future of the dispatch depends on, and of
// its findings.
func (c *Control) Hash() [sha256.Size]byte {
	h := sha256.New()
	for _, m := range c.Memories {
		if m.Space != tilemem.TileStatic {
			h.Write(m.Data)
		}
	}
	h.Write(c.r.state.appendTo(nil))
	_, cur := c.r.current()
	h.Write(words(nil, c.Steps(), uint64(len(c.r.tiles))))
	for _, t := range c.r.tiles {
		h.Write(words(nil, uint64(t.Index)))
		h.Write(t.tileState.appendTo(nil))
		h.Write(t.mem)
		for _, w := range t.Warps {
			h.Write(words(nil, flag(w == cur)))
			w.HashInto(h)
		}
	}
	var out [sha256.Size]byte
	h.Sum(out[:0])
	return out
}

// appendTo writes what the future depends on, and what has been found.
func (s *state) appendTo(b []byte) []byte {
	text, _ := s.source.MarshalBinary()
	b = append(b, text...)
	b = words(b, s.next, s.end, s.stint, s.done, s.turns, s.limit, uint64(s.lap), s.cur, s.settled, flag(s.stopped), flag(s.probing), uint64(len(s.findings)))
	for i := range s.findings {
		b = append(b, s.findings[i].Fingerprint()...)
		b = words(b, s.findings[i].Count)
	}
	return b
}

// appendTo writes what the future depends on.
func (s *tileState) appendTo(b []byte) []byte {
	b = words(b, uint64(s.last), flag(s.outOfStep))
	for i := range s.spins {
		b = words(b, flag(s.spins[i].quiet), flag(s.spins[i].due), s.spins[i].ran, uint64(s.spins[i].turns))
	}
	for i := range s.held {
		b = words(b, flag(s.held[i]), uint64(s.met[i].pc), s.met[i].steps)
	}
	return b
}

func words(b []byte, v ...uint64) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

func flag(f bool) uint64 {
	if f {
		return 1
	}
	return 0
}

// Addresses says what buffers an Emulator has given a device address, and in
// which it has written those of others: it does so once for each buffer, when a
// dispatch first has a use for it.
type Addresses struct {
	physical int
	filled   map[*launch.Buffer]bool
}

// Addresses is the state of device addresses at present.
func (e *Emulator) Addresses() Addresses {
	return Addresses{len(e.physical), maps.Clone(e.filled)}
}

// SetAddresses goes back to an earlier state of device addresses. With the
// memory of that moment, the launch can be run again from there, and gives out
// the same ones.
func (e *Emulator) SetAddresses(a Addresses) {
	e.physical, e.filled = e.physical[:a.physical:a.physical], maps.Clone(a.filled)
}
