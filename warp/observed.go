package warp

import (
	"encoding/binary"
	"math/bits"

	"ampdbg/program"
	"ampdbg/tilemem"
)

// observed32 does the load or store of a 32-bit scalar of one view that an
// observer wants to see, as long as nothing else has to be watched and every
// lane is in bounds. It does nothing and returns false where it takes the long
// way.
func (w *Warp) observed32(op *program.Op) (Status, bool) {
	t := w.T
	v := &t.Views[op.X]
	store := op.Code == program.Store32
	if !v.Shown || store && v.ReadOnly {
		return 0, false
	}
	R := w.R
	if g := v.Reads; g != nil && !store && !w.partial && w.loggedLoad(op, v, g) {
		return Runnable, true
	}
	data := v.Data
	lim := uint64(max(len(data)-3, 0))
	imm, sh, str := op.Imm, op.Sh&63, int64(op.Y)
	second, str2 := op.A, int64(int32(op.B))
	if store {
		second = op.Dst
	}
	a := &w.quick
	offs := a.Off
	if a.View[0] != op.X {
		for l := range a.View {
			a.View[l] = op.X
		}
	}
	if w.partial {
		for half, m := range w.active {
			for ; m != 0; m &= m - 1 {
				l := uint32(half<<6 + bits.TrailingZeros64(m))
				o := imm + int64(R[op.C+l]<<sh)>>sh*str
				if op.Flag != 0 {
					o += int64(R[second+l]<<sh) >> sh * str2
				}
				if uint64(o) >= lim {
					return 0, false
				}
				offs[l] = o
			}
		}
	} else {
		for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
			c, o := (*[4]uint64)(R[op.C+i:]), (*[4]int64)(offs[i:])
			o[0] = imm + int64(c[0]<<sh)>>sh*str
			o[1] = imm + int64(c[1]<<sh)>>sh*str
			o[2] = imm + int64(c[2]<<sh)>>sh*str
			o[3] = imm + int64(c[3]<<sh)>>sh*str
			if op.Flag != 0 {
				e := (*[4]uint64)(R[second+i:])
				o[0] += int64(e[0]<<sh) >> sh * str2
				o[1] += int64(e[1]<<sh) >> sh * str2
				o[2] += int64(e[2]<<sh) >> sh * str2
				o[3] += int64(e[3]<<sh) >> sh * str2
			}
			if uint64(o[0]) >= lim || uint64(o[1]) >= lim || uint64(o[2]) >= lim || uint64(o[3]) >= lim {
				return 0, false
			}
		}
	}
	a.PC, a.Kind, a.Mask, a.Size, a.Width, a.Value = w.PC, Read, w.active, 4, 4, op.Dst
	if store {
		a.Kind, a.Value = Write, op.A
	}
	t.Obs.Memory.Access(w, a)
	if t.Halt {
		return AtBreak, true
	}
	if !w.partial && !store {
		for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
			d, o := (*[4]uint64)(R[op.Dst+i:]), (*[4]int64)(offs[i:])
			d[0] = uint64(binary.LittleEndian.Uint32(data[o[0]:]))
			d[1] = uint64(binary.LittleEndian.Uint32(data[o[1]:]))
			d[2] = uint64(binary.LittleEndian.Uint32(data[o[2]:]))
			d[3] = uint64(binary.LittleEndian.Uint32(data[o[3]:]))
		}
		return Runnable, true
	}
	for half, m := range w.active {
		for ; m != 0; m &= m - 1 {
			l := uint32(half<<6 + bits.TrailingZeros64(m))
			if store {
				binary.LittleEndian.PutUint32(data[offs[l]:], uint32(R[op.A+l]))
			} else {
				R[op.Dst+l] = uint64(binary.LittleEndian.Uint32(data[offs[l]:]))
			}
		}
	}
	return Runnable, true
}

// loggedLoad does the load of an undiverged warp, and notes it in the view's
// log in place of showing it.
func (w *Warp) loggedLoad(op *program.Op, v *tilemem.View, g *tilemem.ReadLog) bool {
	stride := w.P.Stride
	offs := g.Note(int32(w.PC), int32(w.Index), op.X, stride)
	if offs == nil {
		return false
	}
	R := w.R
	data := v.Data
	lim := uint64(max(len(data)-3, 0))
	imm, sh, str := op.Imm, op.Sh&63, int64(op.Y)
	for i := uint32(0); i < uint32(stride); i += 4 {
		c, o := (*[4]uint64)(R[op.C+i:]), (*[4]int32)(offs[i:])
		o0 := imm + int64(c[0]<<sh)>>sh*str
		o1 := imm + int64(c[1]<<sh)>>sh*str
		o2 := imm + int64(c[2]<<sh)>>sh*str
		o3 := imm + int64(c[3]<<sh)>>sh*str
		if op.Flag != 0 {
			e, str2 := (*[4]uint64)(R[op.A+i:]), int64(int32(op.B))
			o0 += int64(e[0]<<sh) >> sh * str2
			o1 += int64(e[1]<<sh) >> sh * str2
			o2 += int64(e[2]<<sh) >> sh * str2
			o3 += int64(e[3]<<sh) >> sh * str2
		}
		if uint64(o0) >= lim || uint64(o1) >= lim || uint64(o2) >= lim || uint64(o3) >= lim {
			g.Undo(stride)
			return false
		}
		o[0], o[1], o[2], o[3] = int32(o0), int32(o1), int32(o2), int32(o3)
		d := (*[4]uint64)(R[op.Dst+i:])
		d[0] = uint64(binary.LittleEndian.Uint32(data[o0:]))
		d[1] = uint64(binary.LittleEndian.Uint32(data[o1:]))
		d[2] = uint64(binary.LittleEndian.Uint32(data[o2:]))
		d[3] = uint64(binary.LittleEndian.Uint32(data[o3:]))
	}
	return true
}
