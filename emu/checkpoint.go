package emu

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"ampdbg/tilemem"
	"ampdbg/warp"
)

// pageSize is the unit in which memory is saved: a copy is shared by all
// checkpoints between which it has not changed.
const pageSize = 4096

// Checkpoint is a copy of a dispatch's whole state.
type Checkpoint struct {
	Time Time
	// Bytes is about how much memory the checkpoint takes beyond what it shares
	// with the previous one.
	Bytes int

	memory   [][][]byte // by Memory.ID, pages; nil for what no instruction writes
	tiles    []savedTile
	findings []found
	schedule schedule // the scalars in it
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

// Save copies the state. Memory that has not changed since previous (nil if
// there is none) is shared with it.
func (c *Control) Save(previous *Checkpoint) *Checkpoint {
	k := &Checkpoint{
		Time: c.Time(), findings: append([]found(nil), c.findings...), schedule: *c.s, cur: -1, settled: -1,
		memory: make([][][]byte, len(c.Memories)),
	}
	if c.s.src != nil {
		k.src = *c.s.src
	}
	for _, m := range c.Memories {
		if m.Space == tilemem.TileStatic || !m.Writable {
			continue
		}
		var old [][]byte
		if previous != nil {
			old = previous.memory[m.ID]
		}
		k.memory[m.ID] = k.pages(m.Data, old)
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

// pages cuts data into pages, taking those that are the same from old.
func (k *Checkpoint) pages(data []byte, old [][]byte) [][]byte {
	out := make([][]byte, 0, (len(data)+pageSize-1)/pageSize)
	for i := 0; len(data) > 0; i++ {
		n := min(pageSize, len(data))
		if i < len(old) && bytes.Equal(old[i], data[:n]) {
			out = append(out, old[i])
		} else {
			out = append(out, append([]byte(nil), data[:n]...))
			k.Bytes += n
		}
		data = data[n:]
	}
	k.Bytes += 24 * len(out)
	return out
}

// Size is how many bytes the checkpoints take together.
func Size(list []*Checkpoint) int {
	n := 0
	seen := map[*byte]bool{}
	for _, k := range list {
		for _, m := range k.memory {
			n += 24 * len(m)
			for _, p := range m {
				if !seen[&p[0]] {
					seen[&p[0]] = true
					n += len(p)
				}
			}
		}
		for i := range k.tiles {
			n += len(k.tiles[i].mem)
			for _, w := range k.tiles[i].warps {
				n += w.Size()
			}
		}
	}
	return n
}

// Include makes a memory that no instruction writes part of the checkpoints,
// because it is about to be changed from outside.
func (c *Control) Include(m *tilemem.Memory, list []*Checkpoint) {
	if m.Space == tilemem.TileStatic || m.Writable {
		return
	}
	m.Writable = true
	var pages [][]byte
	for _, k := range list {
		pages = k.pages(m.Data, pages)
		k.memory[m.ID] = pages
	}
}

// Restore goes back, or forward, to a checkpoint of this dispatch.
func (c *Control) Restore(k *Checkpoint) {
	for _, m := range c.Memories {
		at := 0
		for _, p := range k.memory[m.ID] {
			copy(m.Data[at:], p)
			at += len(p)
		}
	}
	for _, t := range c.s.tiles {
		c.Machine.release(t)
	}
	s := k.schedule
	s.ctx, s.m, s.rng, s.src, s.told = c.s.ctx, c.s.m, c.s.rng, c.s.src, c.s.told
	s.tiles, s.cur, s.warp, s.settled = nil, nil, nil, nil
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
	c.SetObserver(c.opt.Observer)
	if s.probing {
		c.s.cur.WatchChanges = true
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
	word(s.next, c.Steps(), s.done, s.turns, s.limit, uint64(s.lap), uint64(len(s.tiles)), uint64(len(c.findings)))
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
			flag(t.spins[i].suspect != nil)
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
