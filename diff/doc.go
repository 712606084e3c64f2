// Package diff runs a launch on two machines and says where the results part.
//
// The launch is loaded twice, so that the machines share no memory. Both go
// through the steps together (run.go). After each dispatch:
//
//	compare.go    every buffer and image, element by element
//	tolerance.go  how far two numbers may be apart
//	flow.go       which float operations can reach a buffer (over the SPIR-V)
//	precision.go  how far a device may be off in each of them
//
// Numbers that exceed their tolerance are looked at a second time:
//
//	bounds.go     runs the dispatch on the emulator again with a running error
//	              bound beside each value, in registers and in all memory, and
//	              decides by how far the machines are from what it computes
//	rules.go      which rule of package bound an operation has
//	boundops.go   what operations do with the bounds in registers
//	shadow.go     the bounds of memory
//
// Such a number is allowed by its error bound, differs, or is undecided: it
// depends on a branch, an index or a conversion that is decided by inexact
// numbers and may go the other way elsewhere.
//
// Where all agree, the memory of the first machine is copied to the second, so
// that each dispatch starts from equal memory and differences that are allowed
// do not add up. At the first dispatch that differs the comparison ends: what
// comes after is a consequence. Then
//
//	replay.go  runs the dispatch on the emulator again, watching elements: who
//	           wrote them, where, and what
//	blame.go   puts that, and the races and reads of unwritten memory that the
//	           checkers find in the dispatch, beside the first elements
//	report.go  makes findings of it
//	png.go     draws where a buffer of rank 2 differs
//
// A third kind of machine is a folder with the results of an earlier run
// (saved.go).
//
// What it does not do: say which instruction computed the first wrong value;
// compare memory that no buffer or image of the launch holds (tile_static,
// registers); carry bounds from one dispatch to the next, since each starts from
// equal memory.
package diff
