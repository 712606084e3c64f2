package warp

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"ampdbg/program"
	"ampdbg/spirv"
)

// movMasked copies rows for the active lanes only.
func (w *Warp) movMasked(op *program.Op) {
	base, stride := unsafe.Pointer(unsafe.SliceData(w.R)), uint32(w.P.Stride)
	for half, m := range w.active {
		for ; m != 0; m &= m - 1 {
			for i := uint32(half<<6 + bits.TrailingZeros64(m)); i < op.N; i += stride {
				*word(base, op.Dst+i) = *word(base, op.A+i)
			}
		}
	}
}

// callN applies an n-ary function to each active lane.
func (w *Warp) callN(op *program.Op) {
	info, fn := &w.P.Calls[op.X], w.fn.calls[op.X]
	if cap(w.in) < len(info.In) {
		w.in = make([]uint64, len(info.In))
	}
	if cap(w.out) < len(info.Out) {
		w.out = make([]uint64, len(info.Out))
	}
	in, out := w.in[:len(info.In)], w.out[:len(info.Out)]
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		for i, r := range info.In {
			in[i] = w.R[int(r)+l]
		}
		fn(in, out)
		for i, r := range info.Out {
			w.R[int(r)+l] = out[i]
		}
	}
}

// clock stores the number of thread-instructions that the tile has executed:
// a clock that is the same in every run.
func (w *Warp) clock(op *program.Op) {
	t := uint64(0)
	for _, x := range w.T.Warps {
		t += x.Steps
	}
	w.Steps++ // time passes between two reads
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		if op.Flag != 0 {
			w.R[int(op.Dst)+l] = t & 0xffffffff
			w.R[int(op.Dst)+w.P.Stride+l] = t >> 32
		} else {
			w.R[int(op.Dst)+l] = t
		}
	}
}

// GlobalID gives the global invocation id of lane l.
func (w *Warp) GlobalID(l int) [3]uint32 {
	id := w.localID(l)
	for i := range id {
		id[i] += w.T.ID[i] * w.P.TileSize[i]
	}
	return id
}

// localID gives the local invocation id of lane l.
func (w *Warp) localID(l int) [3]uint32 {
	return spirv.Extent(w.P.TileSize).At(uint64(w.Index*w.P.Width + l))
}

// setBuiltins fills the rows of the built-in inputs that the program reads.
func (w *Warp) setBuiltins() {
	p, t := w.P, w.T
	size := p.TileSize[0] * p.TileSize[1] * p.TileSize[2]
	local := w.localID(0)
	for l := range p.Stride {
		index := uint32(w.Index*p.Width + l)
		for i := range p.Builtins {
			b := &p.Builtins[i]
			for k, row := range b.Rows {
				var v uint32
				switch b.BuiltIn {
				case spirv.BuiltInNumWorkgroups:
					v = t.Groups[k]
				case spirv.BuiltInWorkgroupSize:
					v = p.TileSize[k]
				case spirv.BuiltInWorkgroupId:
					v = t.ID[k]
				case spirv.BuiltInLocalInvocationId:
					v = local[k]
				case spirv.BuiltInGlobalInvocationId:
					v = t.ID[k]*p.TileSize[k] + local[k]
				case spirv.BuiltInLocalInvocationIndex:
					v = index
				case spirv.BuiltInSubgroupSize, spirv.BuiltInSubgroupMaxSize:
					v = uint32(p.Width)
				case spirv.BuiltInNumSubgroups:
					v = (size + uint32(p.Width) - 1) / uint32(p.Width)
				case spirv.BuiltInSubgroupId:
					v = uint32(w.Index)
				case spirv.BuiltInSubgroupLocalInvocationId:
					v = uint32(l)
				case spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask, spirv.BuiltInSubgroupLtMask:
					v = maskWord(laneMask(b.BuiltIn, l, p.Width), k)
				}
				w.R[int(row)+l] = uint64(v)
			}
		}
		if local[0]++; local[0] == p.TileSize[0] {
			local[0] = 0
			if local[1]++; local[1] == p.TileSize[1] {
				local[1] = 0
				local[2]++
			}
		}
	}
}

// laneMask is the value of a Subgroup*Mask built-in for lane l.
func laneMask(b spirv.BuiltIn, l, width int) Mask {
	switch b {
	case spirv.BuiltInSubgroupEqMask:
		return oneLane(l & (MaxLanes - 1))
	case spirv.BuiltInSubgroupGeMask:
		return FirstLanes(width).AndNot(FirstLanes(l))
	case spirv.BuiltInSubgroupGtMask:
		return FirstLanes(width).AndNot(FirstLanes(l + 1))
	case spirv.BuiltInSubgroupLeMask:
		return FirstLanes(l + 1)
	}
	return FirstLanes(l)
}

// maskWord is the k-th 32-bit word of a ballot.
func maskWord(m Mask, k int) uint32 {
	var b [MaxLanes / 8]byte
	binary.LittleEndian.PutUint64(b[:], m[0])
	binary.LittleEndian.PutUint64(b[8:], m[1])
	return binary.LittleEndian.Uint32(b[4*k:])
}
