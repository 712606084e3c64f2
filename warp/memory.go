package warp

import (
	"encoding/binary"

	"ampdbg/program"
	"ampdbg/tilemem"
)

// fault stops the warp with f.
func (w *Warp) fault(f *Fault) {
	w.PC = f.PC
	w.Fault = f
	w.status = Faulted
}

// survives reports a fault and tells whether the warp goes on as robust buffer
// access would.
func (w *Warp) survives(f *Fault) bool {
	if w.T.Robust && (f.Kind == OutOfBounds || f.Kind == ImageBounds) {
		return true
	}
	if w.T.OnFault != nil && w.T.OnFault(w, f) {
		return true
	}
	w.fault(f)
	return false
}

// yieldAtVisible counts a visible operation and reports whether the schedule
// wants another warp to run first.
func (w *Warp) yieldAtVisible() bool {
	if w.Countdown < 0 {
		return false
	}
	if w.Countdown == 0 {
		w.Countdown = -1
		w.status = Yielded
		return true
	}
	w.Countdown--
	return false
}

// address gives the view and byte offset that lane l accesses.
func (w *Warp) address(x *program.Access, l int) (view int, off int64) {
	off = x.Offset
	for i := range x.Terms {
		if t := &x.Terms[i]; t.Stride != 0 {
			off += t.Of(w.R[int(t.Row)+l])
		}
	}
	if x.Pointer == program.NoRow {
		return int(x.View), off
	}
	view, base := tilemem.Split(w.R[int(x.Pointer)+l])
	return view, base + off
}

// memory does one memory operation. It returns Runnable if the warp goes on.
func (w *Warp) memory(op *program.Op) Status {
	switch op.Code {
	case program.Atomic:
		return w.halted(w.atomic(op, &w.P.Atomics[op.X]))
	case program.ImageOp:
		return w.halted(w.image(op, &w.P.ImageOps[op.X]))
	}
	if op.N == 1 && (op.Code == program.Load32 || op.Code == program.Store32) {
		if s, ok := w.observed32(op); ok {
			return s
		}
	}
	if w.yieldAtVisible() {
		return Yielded
	}
	x, _ := w.P.Access(op)
	store := x.Kind == program.StoreAccess
	width, n := x.Width, x.Components
	size := int64(n) * int64(width)
	a := &w.access
	a.Mask = w.active
	slow, seen := w.T.ExactChanges, false
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		view, off := w.address(&x, l)
		a.View[l], a.Off[l] = int32(view), off
		if f := w.check(&x, view, off, size); f != 0 {
			ok := w.survives(&Fault{Kind: f, PC: w.PC, Lanes: w.failing(&x, size), View: view, Off: off, Size: size, Write: store})
			if !ok {
				return Faulted
			}
			a.View[l] = -1
			a.Mask = a.Mask.AndNot(oneLane(l))
			continue
		}
		if v := &w.T.Views[view]; v.Slow {
			slow = true
			seen = seen || v.Seen
		}
	}
	if slow {
		if s := w.show(&x, a, size, seen); s != Runnable {
			if s == AtBreak && w.Countdown >= 0 {
				w.Countdown++ // the access comes again, and counts then
			}
			return s
		}
	}
	stride := w.P.Stride
	R := w.R
	row := int(x.Value)
	if store {
		if !w.T.ExactChanges {
			w.T.Changed = true
		}
		for l := w.active.First(); l >= 0; l = w.active.Next(l) {
			if a.View[l] < 0 {
				continue
			}
			data := w.T.Views[a.View[l]].Data[a.Off[l]:]
			for i := range n {
				tilemem.StoreWord(data, int64(i*width), width, R[row+i*stride+l])
			}
		}
		return Runnable
	}
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		if a.View[l] < 0 {
			for i := range n {
				R[row+i*stride+l] = 0
			}
			continue
		}
		data := w.T.Views[a.View[l]].Data[a.Off[l]:]
		if width == 4 {
			for i := range n {
				R[row+i*stride+l] = uint64(binary.LittleEndian.Uint32(data[4*i:]))
			}
			continue
		}
		for i := range n {
			R[row+i*stride+l] = tilemem.LoadWord(data, int64(i*width), width)
		}
	}
	return Runnable
}

func oneLane(l int) Mask {
	var m Mask
	m.Set(l)
	return m
}

// check tells what is wrong with an access of size bytes, 0 if nothing is.
func (w *Warp) check(x *program.Access, view int, off, size int64) FaultKind {
	if view <= 0 || view >= len(w.T.Views) {
		if x.Pointer != program.NoRow && view == 0 {
			return NullPointer
		}
		return DanglingPointer
	}
	v := &w.T.Views[view]
	if v.Mem == nil {
		return DanglingPointer
	}
	if !tilemem.InBounds(v.Data, off, size) {
		return OutOfBounds
	}
	if v.ReadOnly && x.Kind == program.StoreAccess {
		return ReadOnly
	}
	if x.Align > 1 && (v.Base+off)%x.Align != 0 {
		return Misaligned
	}
	return 0
}

// failing is the set of active lanes for which the address is bad.
func (w *Warp) failing(x *program.Access, size int64) Mask {
	var m Mask
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		view, off := w.address(x, l)
		if w.check(x, view, off, size) != 0 {
			m.Set(l)
		}
	}
	return m
}

// show lets the observer, if it has seen set, and the trackers see a plain
// access.
func (w *Warp) show(x *program.Access, a *Access, size int64, seen bool) Status {
	width := x.Width
	a.PC, a.Size, a.Width = w.PC, size, width
	a.Kind, a.Value = Read, x.Value
	if x.Kind == program.StoreAccess {
		a.Kind = Write
	}
	if seen {
		w.T.Obs.Memory.Access(w, a)
		if w.T.Halt {
			return AtBreak
		}
	}
	for l := a.Mask.First(); l >= 0; l = a.Mask.Next(l) {
		v := &w.T.Views[a.View[l]]
		if t := v.Mem.Track; t != nil {
			at := v.Base + a.Off[l]
			if a.Kind == Write && !t.Write(w.T.Index, at, size) || a.Kind == Read && !t.Read(w.T.Index, at, size) {
				return Conflict
			}
		}
		if w.T.ExactChanges && a.Kind == Write && !w.T.Changed {
			for i := range x.Components {
				old := tilemem.LoadWord(v.Data, a.Off[l]+int64(i*width), width)
				if new := w.R[int(a.Value)+i*w.P.Stride+l]; old != new&(^uint64(0)>>(64-8*width)) {
					w.T.Changed = true
				}
			}
		}
	}
	return Runnable
}

// atomic does an atomic instruction, lane by lane.
func (w *Warp) atomic(op *program.Op, info *program.AtomicInfo) Status {
	if w.yieldAtVisible() {
		return Yielded
	}
	a := &w.access
	a.PC, a.Kind, a.Size, a.Width, a.Op = w.PC, AtomicAccess, int64(info.Size), info.Size, info.Op
	x, _ := w.P.Access(op)
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		view, off := w.address(&x, l)
		f := w.check(&x, view, off, a.Size)
		if f == 0 && w.T.Views[view].ReadOnly && info.Op.Writes() {
			f = ReadOnly
		}
		if f == 0 && (w.T.Views[view].Base+off)%a.Size != 0 {
			f = Misaligned
		}
		if f != 0 {
			if !w.survives(&Fault{Kind: f, PC: w.PC, Lanes: oneLane(l), View: view, Off: off, Size: a.Size, Write: info.Op.Writes()}) {
				return Faulted
			}
			if info.Op.Reads() {
				w.R[int(op.Dst)+l] = 0
			}
			continue
		}
		v := &w.T.Views[view]
		if t := v.Mem.Track; t != nil {
			at := v.Base + off
			var ok bool
			switch {
			case info.Unused && info.Op.Commutes():
				ok = t.Commute(w.T.Index, info.Op, at, a.Size)
			case info.Op == program.AtomicLoad:
				ok = t.Read(w.T.Index, at, a.Size)
			default:
				ok = t.Write(w.T.Index, at, a.Size)
			}
			if !ok {
				return Conflict
			}
		}
		if w.T.Locks != nil && v.Mem.Space == tilemem.Global {
			m := w.T.Locks.At(v.Mem.ID, v.Base+off)
			m.Lock()
			w.atomicLane(op, info, a, l, view, off)
			m.Unlock()
		} else {
			w.atomicLane(op, info, a, l, view, off)
		}
	}
	return Runnable
}

func (w *Warp) atomicLane(op *program.Op, info *program.AtomicInfo, a *Access, l, view int, off int64) {
	v := &w.T.Views[view]
	old := tilemem.LoadWord(v.Data, off, info.Size)
	var val, cmp uint64
	if info.Op != program.AtomicLoad {
		val = w.R[int(info.Val)+l]
	}
	if info.Op == program.AtomicCompareExchange {
		cmp = w.R[int(info.Cmp)+l]
	}
	now := tilemem.ApplyAtomic(info.Op, info.Size, old, val, cmp)
	if v.Seen {
		a.Mask = oneLane(l)
		a.View[l], a.Off[l] = int32(view), off
		a.Old, a.New = old, now
		w.T.Obs.Memory.Access(w, a)
	}
	if now != old {
		w.T.Changed = true
		tilemem.StoreWord(v.Data, off, info.Size, now)
	}
	if info.Op.Reads() {
		w.R[int(op.Dst)+l] = old
	}
}

// pointToElem makes pointers into elements of a descriptor array.
func (w *Warp) pointToElem(op *program.Op, pc int) bool {
	arr, term := &w.P.Arrays[op.X], op.Term()
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		i := w.R[int(op.B)+l]
		if i >= uint64(arr.Len) {
			f := &Fault{Kind: DescriptorIndex, PC: pc, Lanes: oneLane(l), View: int(arr.First), Off: int64(i), Size: int64(arr.Len)}
			if !w.survives(f) {
				return false
			}
			i = uint64(arr.Len - 1)
		}
		off := op.Imm + term.Of(w.R[int(term.Row)+l])
		w.R[int(op.Dst)+l] = tilemem.Point(int(arr.First)+int(i), off)
	}
	return true
}

// arrayLength computes OpArrayLength.
func (w *Warp) arrayLength(op *program.Op, pc int) bool {
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		view := int(op.X)
		if op.Flag != 0 {
			view, _ = tilemem.Split(w.R[int(op.A)+l])
		}
		if view <= 0 || view >= len(w.T.Views) {
			f := &Fault{Kind: NullPointer, PC: pc, Lanes: oneLane(l), View: view}
			if !w.survives(f) {
				return false
			}
			w.R[int(op.Dst)+l] = 0
			continue
		}
		n := (int64(len(w.T.Views[view].Data)) - op.Imm) / int64(op.Y)
		w.R[int(op.Dst)+l] = uint64(uint32(max(n, 0)))
	}
	return true
}

// variable copies between rows and a register variable whose index is not
// constant.
func (w *Warp) variable(op *program.Op, pc int) bool {
	v, _ := op.Part()
	info := &w.P.Vars[v.Var]
	stride, row := w.P.Stride, int(v.Value)
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		at := v.First + v.Term.Of(w.R[int(v.Term.Row)+l])
		if at < 0 || at > int64(info.Rows)-int64(v.Rows) {
			f := &Fault{Kind: VarIndex, PC: pc, Lanes: oneLane(l), View: int(v.Var), Off: at, Size: int64(v.Rows), Write: v.Store}
			if !w.survives(f) {
				return false
			}
			if !v.Store {
				for i := range v.Rows {
					w.R[row+i*stride+l] = 0
				}
			}
			continue
		}
		mem := (int(info.Row)+int(at))*stride + l
		for i := range v.Rows {
			if v.Store {
				w.R[mem+i*stride] = w.R[row+i*stride+l]
			} else {
				w.R[row+i*stride+l] = w.R[mem+i*stride]
			}
		}
	}
	return true
}

// AddressOffset computes the offset of an address for lane l.
func (w *Warp) AddressOffset(a *program.Address, l int) int64 {
	off := a.Off
	for _, t := range a.Terms {
		off += t.Of(w.R[int(t.Row)+l])
	}
	return off
}
