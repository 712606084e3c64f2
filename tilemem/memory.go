package tilemem

import "encoding/binary"

// Space says who shares a memory.
type Space uint8

// The spaces.
const (
	Global     Space = iota // storage, uniform, texel and physical buffers: all tiles
	TileStatic              // Workgroup storage: the threads of one tile
	ImageSpace              // texels of images: all tiles
	PushConstant
)

func (s Space) String() string {
	return [...]string{"global", "tile_static", "image", "push constant"}[s]
}

// Memory is a run of bytes with an identity: two views alias exactly if they
// have the same Memory.
type Memory struct {
	Name  string
	ID    int // dense per dispatch, for shadow tables
	Space Space
	Data  []byte // nil for tile_static memory, whose bytes are per tile
	Size  int64
	// Writable says that some instruction of the module may write it.
	Writable bool
	// Track records which tile touched what, when tiles run in parallel.
	Track *Tracker
}

// View is a window onto a memory.
type View struct {
	Data []byte
	// Slow makes warps take the slow path for this view: an observer wants to
	// see its accesses, its bounds are robust, or tiles run in parallel.
	Slow bool
	// Seen says that an observer wants to see its accesses, Shown that there is no
	// other reason for Slow.
	Seen, Shown bool
	// Reads, if not nil, takes down reads while it is open; only views that are
	// Shown have it.
	Reads *ReadLog
	// ReadOnly views trap on writes.
	ReadOnly bool
	Mem      *Memory
	Base     int64 // offset of Data in Mem
}

// LoadWord reads size bytes (1, 2, 4 or 8) at off, zero-extended. The caller
// has checked the bounds.
func LoadWord(data []byte, off int64, size int) uint64 {
	switch size {
	case 1:
		return uint64(data[off])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data[off:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data[off:]))
	}
	return binary.LittleEndian.Uint64(data[off:])
}

// StoreWord writes the low size bytes (1, 2, 4 or 8) of v at off. The caller
// has checked the bounds.
func StoreWord(data []byte, off int64, size int, v uint64) {
	switch size {
	case 1:
		data[off] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(data[off:], uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(data[off:], uint32(v))
	default:
		binary.LittleEndian.PutUint64(data[off:], v)
	}
}

// InBounds reports whether size bytes at off lie inside data.
func InBounds(data []byte, off int64, size int64) bool {
	return off >= 0 && size <= int64(len(data)) && off <= int64(len(data))-size
}
