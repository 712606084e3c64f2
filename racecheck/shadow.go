package racecheck

import "ampdbg/tilemem"

// A record is one access in 8 bytes: who, when, where.
//
//	bits  0-26  thread: its number in the grid, tile by tile
//	bits 27-46  epoch of its tile
//	bits 47-60  site; of several readers, an index into detector.pairs
//	bits 61-63  kind
type record uint64

const (
	threadBits = 27
	epochBits  = 20
	siteBits   = 14

	// maxThreads, maxEpoch and maxSites bound what a record can name. What
	// lies beyond is counted as not checked.
	maxThreads = 1 << threadBits
	maxEpoch   = 1<<epochBits - 1
	maxSites   = 1 << siteBits

	epochShift = threadBits
	siteShift  = threadBits + epochBits
	kindShift  = threadBits + epochBits + siteBits
)

// The kinds of record.
const (
	recNone = iota
	recOne  // one thread
	recKept // a write that left memory as it was
	recWarp // several readers of one warp, since the tile's last barrier
	recTile // readers in several warps of one tile, likewise
	recGrid // readers in several tiles
	recSide // the word's state is in shadow.side
)

func makeRecord(kind, thread, epoch uint32, site uint16) record {
	return record(thread) | record(epoch)<<epochShift | record(site)<<siteShift | record(kind)<<kindShift
}

func (r record) kind() uint32   { return uint32(r >> kindShift) }
func (r record) thread() uint32 { return uint32(r) & (maxThreads - 1) }
func (r record) epoch() uint32  { return uint32(r>>epochShift) & maxEpoch }
func (r record) site() uint16   { return uint16(r>>siteShift) & (maxSites - 1) }

// word is the state of an aligned 32-bit word: its last plain write and its
// plain reads since.
type word struct{ w, r record }

// shadow is the state of a memory.
type shadow struct {
	words []word
	side  map[int64]*sideWord // by index of the word
	// full makes every word keep its state in side: bindings or private
	// accesses have to be told apart.
	full bool
	// local memories are tile_static: one shadow for each tile.
	local bool
	// given says that the memory has contents from the start.
	given bool
	id    int
	// Of a tile_static memory: words that no one has written plainly, the
	// epoch of the last write, and reads that have not been looked at.
	missing int
	written uint32
	log     tilemem.ReadLog
}

func newShadow(id int, size int64, local, full bool) *shadow {
	n := int((size + 3) / 4)
	return &shadow{id: id, words: make([]word, n), missing: n, local: local, full: full}
}

// anew is a shadow like s of which no access is known. It takes over the room
// that s has, and nothing else.
func (s *shadow) anew() *shadow {
	clear(s.words)
	return &shadow{
		id: s.id, words: s.words, missing: len(s.words), local: s.local, full: s.full, given: s.given,
		log: tilemem.ReadLog{Heads: s.log.Heads[:0], Offs: s.log.Offs[:0]},
	}
}

// pair is two readers: the record's own thread at siteA, and the thread delta
// further on at siteB.
type pair struct {
	siteA, siteB uint16
	delta        int32
}

// pairs numbers the pairs that occur: accesses are regular, so they are few.
type pairs struct {
	list  []pair
	index map[pair]uint16
	cache [64]struct {
		p  pair
		i  uint16
		ok bool
	}
}

// number gives the index of a pair; ok is false if there are too many.
func (t *pairs) number(p pair) (i uint16, ok bool) {
	c := &t.cache[(uint32(p.delta)*7+uint32(p.siteA)+uint32(p.siteB)*3)%64]
	if c.ok && c.p == p {
		return c.i, true
	}
	i, ok = t.index[p]
	if !ok {
		if len(t.list) >= maxSites {
			return 0, false
		}
		if t.index == nil {
			t.index = map[pair]uint16{}
		}
		i = uint16(len(t.list))
		t.list = append(t.list, p)
		t.index[p] = i
	}
	c.p, c.i, c.ok = p, i, true
	return i, true
}
