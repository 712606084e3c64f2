package tilemem

import (
	"sync"
	"sync/atomic"

	"ampdbg/program"
)

// Tracker tells whether tiles that run at the same time are independent. It
// keeps one state per aligned 32-bit word of a memory and notes every access
// before it happens; the first access that depends on the order of two tiles
// reports a conflict, and the machine starts the dispatch again with its tiles
// one after the other. So a parallel run that ends without a conflict has the
// same result as that.
type Tracker struct {
	words []atomic.Uint32
}

// Word states: kind in the upper 3 bits, tile+1 in the lower 29.
const (
	trackFree   uint32 = iota << 29
	trackRead          // one tile has read
	trackShared        // several tiles have read
	trackOwned         // one tile has read and written
	trackAtomic        // one or several tiles have done commuting atomics of one operation and size
	trackTile   uint32 = 1<<29 - 1
	// MaxTrackedTiles is the number of tiles that trackers can tell apart.
	MaxTrackedTiles = int(trackTile)
)

// NewTracker tracks size bytes.
func NewTracker(size int64) *Tracker {
	return &Tracker{words: make([]atomic.Uint32, (size+3)/4)}
}

// Read notes that tile reads size bytes at off and reports whether that is
// independent of other tiles.
func (t *Tracker) Read(tile int, off, size int64) bool {
	me := uint32(tile) + 1
	for i := off >> 2; i <= (off+size-1)>>2; i++ {
		w := &t.words[i]
		for {
			s := w.Load()
			var n uint32
			switch s &^ trackTile {
			case trackFree:
				n = trackRead | me
			case trackRead:
				if s&trackTile == me {
					n = s
				} else {
					n = trackShared
				}
			case trackShared:
				n = s
			case trackOwned:
				if s&trackTile != me {
					return false
				}
				n = s
			default:
				return false
			}
			if n == s || w.CompareAndSwap(s, n) {
				break
			}
		}
	}
	return true
}

// Write notes that tile writes size bytes at off and reports whether that is
// independent of other tiles.
func (t *Tracker) Write(tile int, off, size int64) bool {
	me := uint32(tile) + 1
	for i := off >> 2; i <= (off+size-1)>>2; i++ {
		w := &t.words[i]
		for {
			s := w.Load()
			switch s &^ trackTile {
			case trackFree:
			case trackRead, trackOwned:
				if s&trackTile != me {
					return false
				}
			default:
				return false
			}
			if n := trackOwned | me; n == s || w.CompareAndSwap(s, n) {
				break
			}
		}
	}
	return true
}

// Commute notes an atomic of the given operation whose result is not used.
// Several tiles may do the same one of the same size in any order.
func (t *Tracker) Commute(tile int, op program.AtomicOp, off, size int64) bool {
	if op == program.AtomicSub {
		op = program.AtomicAdd
	}
	me, mine := uint32(tile)+1, trackAtomic|uint32(size)<<8|uint32(op)
	for i := off >> 2; i <= (off+size-1)>>2; i++ {
		w := &t.words[i]
		for {
			s := w.Load()
			n := mine
			switch {
			case s == mine, s == trackFree:
			case (s&^trackTile == trackRead || s&^trackTile == trackOwned) && s&trackTile == me:
				n = trackOwned | me
			default:
				return false
			}
			if n == s || w.CompareAndSwap(s, n) {
				break
			}
		}
	}
	return true
}

// Locks serialize atomics while tiles run in parallel: one lock for every
// word whose number is the same modulo their count.
type Locks [64]sync.Mutex

// At is the lock for the bytes at off of memory id.
func (l *Locks) At(id int, off int64) *sync.Mutex {
	return &l[(uint64(off)>>3+uint64(id)*7)%uint64(len(l))]
}
