//go:build cgo && linux && (amd64 || arm64)

package gpu

// poolBytes bounds the device memory that a pool keeps for later dispatches.
const poolBytes = 256 << 20

// pool keeps buffers that no dispatch uses: allocating device memory takes
// longer than most kernels run. What stands in them does not matter, since
// upload writes all of a buffer.
type pool struct {
	free  map[poolKey][]*deviceBuffer
	bytes int
}

type poolKey struct {
	size    int
	usage   uint32
	copying bool
}

// take gives a buffer of the kind, or nil.
func (p *pool) take(key poolKey) *deviceBuffer {
	list := p.free[key]
	if len(list) == 0 {
		return nil
	}
	b := list[len(list)-1]
	p.free[key] = list[:len(list)-1]
	p.bytes -= key.size + 2*guardSize
	return b
}

// give puts a buffer that take may give again. A pool that is full starts
// anew: what is in it has not been asked for lately.
func (p *pool) give(key poolKey, b *deviceBuffer) {
	n := key.size + 2*guardSize
	if n > poolBytes {
		b.destroy()
		return
	}
	if p.bytes+n > poolBytes {
		p.clear()
	}
	if p.free == nil {
		p.free = map[poolKey][]*deviceBuffer{}
	}
	p.free[key] = append(p.free[key], b)
	p.bytes += n
}

func (p *pool) clear() {
	for _, list := range p.free {
		for _, b := range list {
			b.destroy()
		}
	}
	p.free, p.bytes = nil, 0
}
