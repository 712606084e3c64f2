package program

import "ampdbg/spirv"

// Place says where the value of an id is: in rows, or, for a pointer whose
// address is computed only where it is used, at Ptr.
type Place struct {
	Rows []uint32 // element offsets of the scalars
	Ptr  *Address
}

// AddressBase says what an Address is relative to.
type AddressBase uint8

// The bases.
const (
	VarAddress  AddressBase = iota // Program.Vars[Index]: offsets count rows
	ViewAddress                    // view Index: offsets count bytes
	RowAddress                     // the pointer in Row: offsets count bytes
)

// Address is a pointer in parts: a base, an offset, and indexes times
// strides.
type Address struct {
	Base   AddressBase
	Index  int32
	Row    uint32
	Off    int64
	Terms  []Term
	Type   *spirv.Type // what it points to
	Layout spirv.Layout
}
