package emu

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math/rand/v2"
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

	push     []byte
	tiles    []savedTile
	findings []found
	schedule schedule // without pointers
	src      rand.PCG
	cur      int // index into tiles, -1
	settled  int
}

// savedTile is a copy of a resident tile.
type savedTile struct {
	index     uint64
	mem       []byte
	warps     []*warp.Saved
	spins     []spin // their snapshots do not change
	held      []bool
	met       []meeting
	last      int
	outOfStep bool
	changed   bool
}

// Save copies the state.
func (c *Control) Save() *Checkpoint {
	k := &Checkpoint{
		Time: c.Time(), push: slices.Clone(c.res.push), findings: append([]found(nil), c.findings...),
		schedule: *c.s, cur: -1, settled: -1,
	}
	k.Bytes = 512 + len(k.push)
	v := &k.schedule
	v.m, v.ctx, v.rng, v.src, v.ended, v.audience, v.code, v.tiles, v.cur, v.warp, v.settled = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
	if c.s.src != nil {
		k.src = *c.s.src
	}
	for i, t := range c.s.tiles {
		s := savedTile{
			index: uint64(t.Index), mem: append([]byte(nil), t.mem...), spins: append([]spin(nil), t.spins...),
			held: append([]bool(nil), t.held...), met: append([]meeting(nil), t.met...),
			last: t.last, outOfStep: t.outOfStep, changed: t.Changed,
		}
		k.Bytes += len(s.mem)
		for j := range s.spins {
			s.spins[j].reads = slices.Clone(s.spins[j].reads)
		}
		for _, w := range t.Warps {
			v := w.Save()
			s.warps = append(s.warps, v)
			k.Bytes += v.Size()
		}
		k.tiles = append(k.tiles, s)
		if t == c.s.cur {
			k.cur = i
		}
		if t == c.s.settled {
			k.settled = i
		}
	}
	return k
}

// Restore goes back, or forward, to a checkpoint of this dispatch, made by this
// or another Control of it. The launch's memory is to be put back as well.
func (c *Control) Restore(k *Checkpoint) {
	copy(c.res.push, k.push)
	for _, t := range c.s.tiles {
		c.Machine.release(t)
	}
	s := k.schedule
	s.m, s.ctx, s.rng, s.src, s.ended, s.told, s.audience, s.code = c.s.m, c.s.ctx, c.s.rng, c.s.src, c.s.ended, c.s.told, c.s.audience, c.s.code
	if s.src != nil {
		*s.src = k.src
	}
	*c.s = s
	c.findings = append(c.findings[:0:0], k.findings...)
	for i := range k.tiles {
		v := &k.tiles[i]
		t := c.newTile(v.index)
		copy(t.mem, v.mem)
		for j, w := range t.Warps {
			w.Restore(v.warps[j])
		}
		copy(t.spins, v.spins)
		for j := range t.spins {
			t.spins[j].reads = slices.Clone(t.spins[j].reads)
		}
		copy(t.held, v.held)
		copy(t.met, v.met)
		t.last, t.outOfStep, t.Changed, t.arrived = v.last, v.outOfStep, v.changed, 0
		c.s.tiles = append(c.s.tiles, t)
		c.recount(t.Warps[0])
		if i == k.cur {
			c.s.cur, c.s.warp = t, t.Warps[t.last]
		}
		if i == k.settled {
			c.s.settled = t
		}
	}
	for _, t := range c.s.tiles {
		c.s.show(t)
	}
	over := c.over
	c.over, c.bytes = nil, 0
	for _, o := range over {
		if o.turn < s.turns {
			c.over = append(c.over, o)
			c.bytes += c.tileBytes()
		} else {
			c.Machine.release(o.tile)
		}
	}
}

// Hash is a digest of all that the future of the dispatch depends on, and of
// its findings.
func (c *Control) Hash() [sha256.Size]byte {
	h := sha256.New()
	var b []byte
	word := func(v ...uint64) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
	}
	flag := func(f bool) {
		if f {
			word(1)
		} else {
			word(0)
		}
	}
	s := c.s
	for _, m := range c.Memories {
		if m.Space != tilemem.TileStatic {
			h.Write(m.Data)
		}
	}
	word(s.next, c.Steps(), s.done, s.turns, s.limit, s.stint, uint64(s.lap), uint64(len(s.tiles)), uint64(len(c.findings)))
	flag(s.stopped)
	flag(s.probing)
	if s.src != nil {
		text, _ := s.src.MarshalBinary()
		b = append(b, text...)
	}
	for i := range c.findings {
		b = append(b, c.findings[i].Fingerprint()...)
		word(c.findings[i].Count)
	}
	for _, t := range s.tiles {
		word(uint64(t.Index), uint64(t.last))
		flag(t == s.cur)
		flag(t == s.settled)
		flag(t.outOfStep)
		b = append(b, t.mem...)
		for i, w := range t.Warps {
			flag(t.held[i])
			flag(t.spins[i].quiet)
			flag(t.spins[i].due)
			word(t.spins[i].ran)
			word(uint64(t.met[i].pc), t.met[i].steps)
			h.Write(b)
			b = b[:0]
			w.HashInto(h)
		}
	}
	h.Write(b)
	var out [sha256.Size]byte
	h.Sum(out[:0])
	return out
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
