package launch

// DataType describes the bytes of a buffer: a scalar, vector, matrix, array
// or struct with its layout already applied.
type DataType struct {
	Name string // AmberScript spelling
}
