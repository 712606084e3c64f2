package spirv

// Extent is how many threads a tile has in x, y and z, or how many tiles a grid.
// They are numbered with x running first.
type Extent [3]uint32

// Count is how many there are.
func (e Extent) Count() uint64 { return uint64(e[0]) * uint64(e[1]) * uint64(e[2]) }

// At gives the place of the i-th. An extent with a 0 counts as if it were 1.
func (e Extent) At(i uint64) [3]uint32 {
	x, y := max(uint64(e[0]), 1), max(uint64(e[1]), 1)
	return [3]uint32{uint32(i % x), uint32(i / x % y), uint32(i / x / y)}
}

// Index is the inverse of At.
func (e Extent) Index(at [3]uint32) uint64 {
	return (uint64(at[2])*uint64(e[1])+uint64(at[1]))*uint64(e[0]) + uint64(at[0])
}

// Holds reports whether there is one at a place.
func (e Extent) Holds(at [3]uint32) bool { return at[0] < e[0] && at[1] < e[1] && at[2] < e[2] }
