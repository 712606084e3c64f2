// Package tilemem holds the memories of the emulated machine.
//
// A Memory is a run of bytes: the contents of a buffer or an image, which all
// tiles share, or a tile_static variable, of which every tile has its own. A
// View is a window onto a Memory through which kernels reach it: a descriptor
// with its offset and range, or a tile_static variable whole. Every access is
// checked against its view.
//
// A pointer is a 64-bit value: the number of the view in its upper 24 bits and
// a biased byte offset in the lower 40, so that pointer arithmetic is plain
// integer arithmetic and a pointer that has left its view, to either side,
// still names it.
//
// Variables in Function and Private storage are not here: a module with
// logical addressing cannot take their address at run time, so package warp
// keeps them in its registers, by lane.
package tilemem
