//go:build cgo && linux && (amd64 || arm64)

package driver

/*
#include <stdlib.h>
*/
import "C"

import "unsafe"

// chain is a pNext chain of structures in C memory: each is a structure type,
// a pointer to the next, and a payload of 32-bit words.
type chain struct{ links []unsafe.Pointer }

type chainHeader struct {
	sType int32
	next  unsafe.Pointer
}

const chainHeaderSize = unsafe.Sizeof(chainHeader{})

// add puts a structure of n payload words at the end of the chain and gives
// its payload.
func (c *chain) add(sType int32, n int) []uint32 {
	size := chainHeaderSize + uintptr(n+n%2)*4
	p := C.calloc(1, C.size_t(size))
	(*chainHeader)(p).sType = sType
	if len(c.links) > 0 {
		(*chainHeader)(c.links[len(c.links)-1]).next = p
	}
	c.links = append(c.links, p)
	return unsafe.Slice((*uint32)(unsafe.Add(p, chainHeaderSize)), n)
}

// head is the first structure, nil of an empty chain.
func (c *chain) head() unsafe.Pointer {
	if len(c.links) == 0 {
		return nil
	}
	return c.links[0]
}

func (c *chain) free() {
	for _, p := range c.links {
		C.free(p)
	}
	c.links = nil
}
