package racecheck

import (
	"encoding/binary"
	"fmt"
	"math"

	"ampdbg/emu"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/spirv/half"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

var atomicNames = map[program.AtomicOp]string{
	program.AtomicLoad: "atomic load", program.AtomicStore: "atomic store", program.AtomicExchange: "atomic exchange",
	program.AtomicCompareExchange: "atomic compare-exchange", program.AtomicAdd: "atomic add", program.AtomicSub: "atomic sub",
	program.AtomicSMin: "atomic min", program.AtomicUMin: "atomic min", program.AtomicSMax: "atomic max", program.AtomicUMax: "atomic max",
	program.AtomicAnd: "atomic and", program.AtomicOr: "atomic or", program.AtomicXor: "atomic xor",
	program.AtomicFAdd: "atomic add", program.AtomicFMin: "atomic min", program.AtomicFMax: "atomic max",
}

// scalarKind is a scalar in memory, to be shown to people.
type scalarKind struct {
	size   int
	float  bool
	signed bool
	bool   bool
	hex    bool
}

// kindAt is the kind of the scalar at a byte offset of a view.
func kindAt(v *emu.View, off int64) scalarKind {
	unknown := scalarKind{size: 4, hex: true}
	if v.Type == nil || v.Image != nil {
		return unknown
	}
	t, _, ok := v.Type.ScalarAt(v.Layout, off)
	switch {
	case !ok:
		return unknown
	case t.Kind == spirv.Int:
		return scalarKind{size: t.Width / 8, signed: t.Signed}
	case t.Kind == spirv.Float:
		return scalarKind{size: t.Width / 8, float: true}
	case t.Kind == spirv.Bool:
		return scalarKind{size: 4, bool: true}
	}
	return scalarKind{size: 8, hex: true}
}

func (k scalarKind) format(b uint64) string {
	switch {
	case k.hex:
		return fmt.Sprintf("%#x", b)
	case k.bool:
		return fmt.Sprint(b != 0)
	case k.float && k.size == 8:
		return fmt.Sprint(math.Float64frombits(b))
	case k.float && k.size == 2:
		return fmt.Sprint(half.ToFloat(uint16(b)))
	case k.float:
		return fmt.Sprint(math.Float32frombits(uint32(b)))
	case k.signed:
		s := 64 - 8*k.size
		return fmt.Sprint(int64(b<<s) >> s)
	}
	return fmt.Sprint(b)
}

// heldScalar is what memory holds at a byte offset of a view.
func (o *observer) heldScalar(w *warp.Warp, view int, off int64, size int) uint64 {
	data := w.T.Views[view].Data
	if !tilemem.InBounds(data, off, int64(size)) {
		return 0
	}
	return tilemem.LoadWord(data, off, size)
}

// writtenScalar is what a lane is about to write at an offset of a memory.
func writtenScalar(x accessValues, lane int, at int64, size int) uint64 {
	var b [8]byte
	start := x.w.T.Views[x.a.View[lane]].Base + x.a.Off[lane]
	for k := range int64(size) {
		if i := at + k - start; i >= 0 && i < x.a.Size {
			b[k] = x.a.Byte(x.w, lane, i)
		}
	}
	return binary.LittleEndian.Uint64(b[:])
}
