package warp

import (
	"encoding/binary"
	"slices"

	"ampdbg/spirv"
	"ampdbg/tilemem"
)

// AtomicInfo is an atomic instruction on a buffer or tile_static variable.
// The address is that of the Op: view Op.X, or the pointer in row Op.A if
// Op.Flag is not 0, plus Imm plus index*stride.
type AtomicInfo struct {
	Op        tilemem.AtomicOp
	Size      int    // bytes
	Val, Cmp  uint32 // element offsets
	Scope     spirv.Scope
	Semantics uint32
	Unequal   uint32 // semantics where a compare-exchange fails
	// Unused says that no instruction reads the result.
	Unused   bool
	Volatile bool
}

// waits reports whether a Barrier operation makes its threads wait for the
// tile: a barrier of Subgroup scope or smaller holds by lockstep.
func (op *Op) waits() bool {
	return spirv.Scope(op.X) == spirv.ScopeWorkgroup || spirv.Scope(op.X) == spirv.ScopeDevice || spirv.Scope(op.X) == spirv.ScopeQueueFamily
}

// WaitsFrom reports whether a tile barrier stands at pc or behind it.
func (p *Program) WaitsFrom(pc int) bool {
	return slices.ContainsFunc(p.Code[max(pc, 0):], func(op Op) bool { return op.Code == Barrier && op.waits() })
}

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

// address gives the view and byte offset that lane l of op accesses.
func (w *Warp) address(op *Op, l int) (view int, off int64) {
	off = op.Imm + int64(w.R[int(op.C)+l]<<op.Sh)>>op.Sh*int64(op.Y)
	if op.viaPointer() {
		view, base := tilemem.Split(w.R[int(op.A)+l])
		return view, base + off
	}
	if op.Flag != 0 {
		second := op.A
		if op.stores() {
			second = op.Dst
		}
		off += int64(w.R[int(second)+l]<<op.Sh) >> op.Sh * int64(int32(op.B))
	}
	return int(op.X), off
}

func (op *Op) viaPointer() bool {
	return op.Code == LoadPtr || op.Code == StorePtr || (op.Code == Atomic || op.Code == ArrayLen) && op.Flag != 0
}

// width is the size in bytes of a component of a memory operation.
func (op *Op) width() int {
	switch op.Code {
	case Load8, Store8:
		return 1
	case Load16, Store16:
		return 2
	case Load32, Store32:
		return 4
	case Load64, Store64:
		return 8
	}
	return int(op.Flag)
}

// align is the alignment in bytes that an access through a pointer promises, 0
// if none.
func (op *Op) align() int64 {
	switch op.Code {
	case LoadPtr:
		return int64(op.B)
	case StorePtr:
		return int64(op.Dst)
	}
	return 0
}

func (op *Op) stores() bool {
	return op.Code >= Store8 && op.Code <= Store64 || op.Code == StorePtr
}

// memory does one memory operation. It returns Runnable if the warp goes on.
func (w *Warp) memory(op *Op) Status {
	switch op.Code {
	case Atomic:
		return w.halted(w.atomic(op, &w.P.Atomics[op.X]))
	case ImageOp:
		return w.halted(w.image(op, &w.P.ImageOps[op.X]))
	}
	if op.N == 1 && (op.Code == Load32 || op.Code == Store32) {
		if s, ok := w.observed32(op); ok {
			return s
		}
	}
	if w.yieldAtVisible() {
		return Yielded
	}
	width := op.width()
	size := int64(op.N) * int64(width)
	a := &w.access
	a.Mask = w.active
	slow := w.T.WatchChanges
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		view, off := w.address(op, l)
		a.View[l], a.Off[l] = int32(view), off
		if f := w.check(op, view, off, size); f != 0 {
			ok := w.survives(&Fault{Kind: f, PC: w.PC, Lanes: w.failing(op, size), View: view, Off: off, Size: size, Write: op.stores()})
			if !ok {
				return Faulted
			}
			a.View[l] = -1
			a.Mask = a.Mask.AndNot(oneLane(l))
			continue
		}
		if v := &w.T.Views[view]; v.Slow {
			slow = true
		}
	}
	if slow {
		if s := w.show(op, a, size, width); s != Runnable {
			if s == AtBreak && w.Countdown >= 0 {
				w.Countdown++ // the access comes again, and counts then
			}
			return s
		}
	}
	stride := w.P.Stride
	R := w.R
	if op.stores() {
		if !w.T.WatchChanges {
			w.T.Changed = true
		}
		src := int(op.A)
		if op.Code == StorePtr {
			src = int(op.B)
		}
		for l := w.active.First(); l >= 0; l = w.active.Next(l) {
			if a.View[l] < 0 {
				continue
			}
			data := w.T.Views[a.View[l]].Data[a.Off[l]:]
			for i := range int(op.N) {
				tilemem.StoreWord(data, int64(i*width), width, R[src+i*stride+l])
			}
		}
		return Runnable
	}
	dst := int(op.Dst)
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		if a.View[l] < 0 {
			for i := range int(op.N) {
				R[dst+i*stride+l] = 0
			}
			continue
		}
		data := w.T.Views[a.View[l]].Data[a.Off[l]:]
		if width == 4 {
			for i := range int(op.N) {
				R[dst+i*stride+l] = uint64(binary.LittleEndian.Uint32(data[4*i:]))
			}
			continue
		}
		for i := range int(op.N) {
			R[dst+i*stride+l] = tilemem.LoadWord(data, int64(i*width), width)
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
func (w *Warp) check(op *Op, view int, off, size int64) FaultKind {
	if view <= 0 || view >= len(w.T.Views) {
		if op.viaPointer() && view == 0 {
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
	if v.ReadOnly && op.stores() {
		return ReadOnly
	}
	if n := op.align(); n > 1 && (v.Base+off)%n != 0 {
		return Misaligned
	}
	return 0
}

// failing is the set of active lanes for which op's address is bad.
func (w *Warp) failing(op *Op, size int64) Mask {
	var m Mask
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		view, off := w.address(op, l)
		if w.check(op, view, off, size) != 0 {
			m.Set(l)
		}
	}
	return m
}

// show lets the observer and the trackers see a plain access.
func (w *Warp) show(op *Op, a *Access, size int64, width int) Status {
	a.PC, a.Size, a.Width = w.PC, size, width
	a.Kind, a.Value = Read, op.Dst
	if op.stores() {
		a.Kind, a.Value = Write, op.A
		if op.Code == StorePtr {
			a.Value = op.B
		}
	}
	if w.T.Obs != nil && !a.Mask.IsZero() {
		w.T.Obs.Access(w, a)
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
		if w.T.WatchChanges && a.Kind == Write && !w.T.Changed {
			for i := range int(op.N) {
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
func (w *Warp) atomic(op *Op, info *AtomicInfo) Status {
	if w.yieldAtVisible() {
		return Yielded
	}
	a := &w.access
	a.PC, a.Kind, a.Size, a.Width, a.Op = w.PC, AtomicAccess, int64(info.Size), info.Size, info.Op
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		// An atomic's Op.X is its AtomicInfo, so its static view is in Op.B.
		off := op.Imm + int64(w.R[int(op.C)+l]<<op.Sh)>>op.Sh*int64(op.Y)
		view := int(op.B)
		if op.Flag != 0 {
			var base int64
			view, base = tilemem.Split(w.R[int(op.A)+l])
			off += base
		}
		f := w.check(op, view, off, a.Size)
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
			case info.Op == tilemem.AtomicLoad:
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

func (w *Warp) atomicLane(op *Op, info *AtomicInfo, a *Access, l, view int, off int64) {
	v := &w.T.Views[view]
	old := tilemem.LoadWord(v.Data, off, info.Size)
	var val, cmp uint64
	if info.Op != tilemem.AtomicLoad {
		val = w.R[int(info.Val)+l]
	}
	if info.Op == tilemem.AtomicCompareExchange {
		cmp = w.R[int(info.Cmp)+l]
	}
	now := tilemem.ApplyAtomic(info.Op, info.Size, old, val, cmp)
	if w.T.Obs != nil {
		a.Mask = oneLane(l)
		a.View[l], a.Off[l] = int32(view), off
		a.Old, a.New = old, now
		w.T.Obs.Access(w, a)
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
func (w *Warp) pointToElem(op *Op, pc int) bool {
	arr := &w.P.Arrays[op.X]
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		i := w.R[int(op.B)+l]
		if i >= uint64(arr.Len) {
			f := &Fault{Kind: DescriptorIndex, PC: pc, Lanes: oneLane(l), View: int(arr.First), Off: int64(i), Size: int64(arr.Len)}
			if !w.survives(f) {
				return false
			}
			i = uint64(arr.Len - 1)
		}
		off := op.Imm + int64(w.R[int(op.C)+l]<<op.Sh)>>op.Sh*int64(op.Y)
		w.R[int(op.Dst)+l] = tilemem.Point(int(arr.First)+int(i), off)
	}
	return true
}

// arrayLength computes OpArrayLength.
func (w *Warp) arrayLength(op *Op, pc int) bool {
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
// constant. Op.X is the variable, Imm the first row in it, C the index in
// rows of Y; the row must stay inside rows [Imm, Imm+limit) where limit is
// Op.B rows.
func (w *Warp) variable(op *Op, pc int) bool {
	info := &w.P.Vars[op.X]
	stride := w.P.Stride
	rows := int(op.N)
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		at := op.Imm + int64(w.R[int(op.C)+l]<<op.Sh)>>op.Sh*int64(op.Y)
		if at < 0 || at+int64(rows) > int64(info.Rows) {
			f := &Fault{Kind: VarIndex, PC: pc, Lanes: oneLane(l), View: int(op.X), Off: at, Size: int64(rows), Write: op.Code == StoreVar}
			if !w.survives(f) {
				return false
			}
			if op.Code == LoadVar {
				for i := range rows {
					w.R[int(op.Dst)+i*stride+l] = 0
				}
			}
			continue
		}
		mem := (int(info.Row)+int(at))*stride + l
		if op.Code == LoadVar {
			for i := range rows {
				w.R[int(op.Dst)+i*stride+l] = w.R[mem+i*stride]
			}
		} else {
			for i := range rows {
				w.R[mem+i*stride] = w.R[int(op.A)+i*stride+l]
			}
		}
	}
	return true
}
