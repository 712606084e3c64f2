package racecheck

import (
	"encoding/binary"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// slow gives the detector the accesses of the lanes in only, of an instruction
// of the lanes a.Mask.
func (o *observer) slow(w *warp.Warp, a *warp.Access, t *tile, only warp.Mask) {
	ins := &o.ins
	ins.tile, ins.first, ins.active, ins.size = t, o.firstThread(w), a.Mask, a.Size
	ins.values = accessValues{w, a}
	ins.inTurn = a.Texel != nil
	if ins.inTurn && a.Kind == warp.Write {
		ins.active = o.texel.lanesOf(w, a, t)
	}
	variant := uint8(usual)
	if a.Kind == warp.AtomicAccess && a.Op == program.AtomicCompareExchange && a.Old == a.New {
		// It may have stored the value that was there; either way it changed
		// nothing.
		if info := o.atomicInfo(a.PC); info != nil && a.Old != w.R[int(info.Cmp)+a.Mask.First()]&(^uint64(0)>>(64-8*info.Size)) {
			variant = unequal
		}
	}
	for l := a.Mask.First(); l >= 0; l = a.Mask.Next(l) {
		view := &w.T.Views[a.View[l]]
		mem := o.mems[view.Mem.ID]
		if mem == nil {
			mem = t.mems[view.Mem.ID]
		}
		ins.mem[l], ins.off[l] = mem, view.Base+a.Off[l]
		if mem == nil {
			continue
		}
		s, ok := o.site(a, a.View[l], variant)
		if !ok {
			ins.mem[l] = nil
			o.checked--
			o.missed.sites++
			continue
		}
		ins.site[l] = s
	}
	for l := only.First(); l >= 0; l = only.Next(l) {
		if ins.mem[l] == nil {
			continue
		}
		if m := ins.mem[l]; m.local && (m.log.Open || m.written != t.now) && o.d.sites[ins.site[l]].writes {
			o.writes(w.T, t, m)
		}
		if ins.mem[l].local && o.d.sites[ins.site[l]].reads && !ins.mem[l].hasWritten(ins.off[l], ins.off[l]+a.Size) {
			o.unwritten = true
		}
		if a.Kind == warp.AtomicAccess {
			o.d.atomic(ins, l, o.semantics(a, variant))
		} else {
			o.d.lane(ins, l)
			o.paddings(w, a, l)
		}
		if o.stopped {
			w.T.Halt = true
			if o.whole {
				continue
			}
			for l = only.Next(l); l >= 0; l = only.Next(l) {
				if ins.mem[l] != nil {
					o.checked-- // not looked at
				}
			}
			return
		}
	}
}

// texelWrite is the image instruction that a warp is executing, which writes lane by
// lane, each shown alone.
type texelWrite struct {
	w      *warp.Warp
	t      *tile
	pc     int
	steps  uint64
	active warp.Mask
	lanes  warp.Mask // that have written
}

// lanesOf are the lanes that have written in the instruction of a, with the one of a.
func (x *texelWrite) lanesOf(w *warp.Warp, a *warp.Access, t *tile) warp.Mask {
	if x.w != w || x.t != t || x.pc != a.PC || x.steps != w.Steps || x.active != w.Active() || !x.lanes.And(a.Mask).IsZero() {
		*x = texelWrite{w: w, t: t, pc: a.PC, steps: w.Steps, active: w.Active()}
	}
	x.lanes = x.lanes.Or(a.Mask)
	return x.lanes
}

// hasWritten reports whether every byte in [off, end) has been written.
func (s *shadow) hasWritten(off, end int64) bool {
	if s.given {
		return true
	}
	for i := off >> 2; i <= (end-1)>>2; i++ {
		switch s.words[i].w.kind() {
		case recNone:
			return false
		case recSide:
			if m := byteMask(i, off, end); s.side[i].written&m != m {
				return false
			}
		}
	}
	return true
}

// atomicInfo is the atomic instruction at a pc, also one on a texel.
func (o *observer) atomicInfo(pc int) *program.AtomicInfo {
	return o.m.Program.AtomicOf(&o.m.Program.Code[pc])
}

func (o *observer) semantics(a *warp.Access, variant uint8) uint32 {
	info := o.atomicInfo(a.PC)
	if variant == unequal {
		return info.Unequal
	}
	return info.Semantics
}

// site numbers what an access has in common with others.
func (o *observer) site(a *warp.Access, view int32, variant uint8) (uint16, bool) {
	k := siteKey{int32(a.PC), view, variant}
	if s, ok := o.sites[k]; ok {
		return s, true
	}
	if len(o.d.sites) >= maxSites {
		return 0, false
	}
	p := o.m.Program
	info := &o.m.Views[view]
	s := site{
		pc: k.pc, view: view, reads: a.Kind == warp.Read, writes: a.Kind == warp.Write, padding: variant == paddings,
		private: o.private(a.PC, view), class: classUniform, binding: int32(info.Var),
	}
	if info.Var == 0 {
		s.binding = -view // a buffer behind a device address
	}
	if o.d.strict {
		s.available, s.visible = o.makes(a.PC, s.writes)
	}
	switch info.Space {
	case tilemem.TileStatic:
		s.class = classWorkgroup
	case tilemem.ImageSpace:
		s.class = classImage
	}
	if a.Kind == warp.AtomicAccess {
		at := o.atomicInfo(a.PC)
		s.atomic, s.private, s.size, s.scope = true, false, int64(at.Size), reachOf(at.Scope)
		s.available, s.visible = min(s.scope, o.d.maxOwn()), min(s.scope, o.d.maxOwn())
		s.reads, s.writes = a.Op.Reads(), a.Op.Writes() && variant != unequal
	}
	n := uint16(len(o.d.sites))
	o.d.sites = append(o.d.sites, s)
	o.sites[k] = n
	op := &p.Code[a.PC]
	if variant == usual && (op.Code == program.Load32 || op.Code == program.Store32) && len(o.padsOf(a.PC)) == 0 {
		o.byPC[a.PC] = n + 1
	}
	return n, true
}

// privateCounts reports whether private accesses are told apart: in modules
// of the Vulkan memory model, and in others if asked for.
func (o *observer) privateCounts() bool {
	if o.m.Unit.Memory == spirv.MemoryModelVulkan {
		return true
	}
	_, set := o.opt.Severity["private"]
	return o.opt.Strict || set
}

// private reports whether a plain access promises nothing to other threads.
func (o *observer) private(pc int, view int32) bool {
	in := &o.m.Unit.Insts[o.m.Program.Inst[pc]]
	if o.m.Unit.Memory == spirv.MemoryModelVulkan {
		mask, _, image, ok := memoryOperands(in, o.writesAt(pc))
		if image {
			return ok && mask&uint32(spirv.ImageOperandsNonPrivateTexel) == 0
		}
		return ok && mask&uint32(spirv.MemoryAccessNonPrivatePointer) == 0
	}
	v := &o.m.Views[view]
	if v.Space == tilemem.TileStatic {
		return false
	}
	u := o.m.Unit
	if u.HasDecoration(v.Var, spirv.DecorationCoherent) || u.HasDecoration(v.Var, spirv.DecorationVolatile) {
		return false
	}
	if v.Type != nil {
		for i := range v.Type.Members {
			if m := &v.Type.Members[i]; m.Coherent || m.Volatile {
				return false
			}
		}
	}
	return true
}

// writesAt reports whether an operation stores.
func (o *observer) writesAt(pc int) bool {
	return o.m.Program.Code[pc].Code.Accesses() == program.StoreAccess
}

// memoryOperands are the mask of an instruction's memory or image operands and
// what follows it; ok is false for an instruction that has no room for them.
// Of a copy, they are those of its write or of its read.
func memoryOperands(in *spirv.Inst, write bool) (mask uint32, rest []uint32, image, ok bool) {
	at := -1
	switch in.Op {
	case spirv.OpLoad:
		at = 1
	case spirv.OpStore, spirv.OpCopyMemory:
		at = 2
	case spirv.OpCopyMemorySized:
		at = 3
	case spirv.OpImageRead:
		at, image = 2, true
	case spirv.OpImageWrite:
		at, image = 3, true
	}
	if at < 0 || at >= len(in.Args) {
		return 0, nil, image, at >= 0
	}
	mask, rest = in.Args[at], in.Args[at+1:]
	if in.Op == spirv.OpCopyMemory || in.Op == spirv.OpCopyMemorySized {
		n := 0
		for _, bit := range [...]spirv.MemoryAccess{spirv.MemoryAccessAligned, spirv.MemoryAccessMakePointerAvailable, spirv.MemoryAccessMakePointerVisible} {
			if mask&uint32(bit) != 0 {
				n++
			}
		}
		if !write && n < len(rest) {
			mask, rest = rest[n], rest[n+1:]
		}
	}
	return mask, rest, image, true
}

// makes tells how far a plain access makes itself available or visible.
func (o *observer) makes(pc int, write bool) (available, visible reach) {
	mask, rest, image, ok := memoryOperands(&o.m.Unit.Insts[o.m.Program.Inst[pc]], write)
	if !ok {
		return 0, 0
	}
	// Operands stand in the order of their bits.
	before := []uint32{uint32(spirv.MemoryAccessAligned)}
	av, vis := uint32(spirv.MemoryAccessMakePointerAvailable), uint32(spirv.MemoryAccessMakePointerVisible)
	if image {
		av, vis = uint32(spirv.ImageOperandsMakeTexelAvailable), uint32(spirv.ImageOperandsMakeTexelVisible)
		before = []uint32{
			uint32(spirv.ImageOperandsBias), uint32(spirv.ImageOperandsLod), uint32(spirv.ImageOperandsGrad), uint32(spirv.ImageOperandsGrad),
			uint32(spirv.ImageOperandsConstOffset), uint32(spirv.ImageOperandsOffset), uint32(spirv.ImageOperandsConstOffsets),
			uint32(spirv.ImageOperandsSample), uint32(spirv.ImageOperandsMinLod),
		}
	}
	n := 0
	for _, bit := range before {
		if mask&bit != 0 {
			n++
		}
	}
	scope := func(bit uint32) reach {
		if mask&bit == 0 || n >= len(rest) {
			return reachThread
		}
		n++
		if c := o.m.Unit.Const(spirv.ID(rest[n-1])); c != nil && len(c.Bits) > 0 {
			return reachOf(spirv.Scope(c.Bits[0]))
		}
		return reachThread
	}
	available = scope(av)
	visible = scope(vis)
	if write {
		return available, reachThread
	}
	return reachThread, visible
}

// accessValues looks at the bytes of a warp's access.
type accessValues struct {
	w *warp.Warp
	a *warp.Access
}

// held implements values.
func (x accessValues) held(lane int, i int64) uint32 {
	v := &x.w.T.Views[x.a.View[lane]]
	at := 4*i - v.Base
	if at >= 0 && at+4 <= int64(len(v.Data)) {
		return binary.LittleEndian.Uint32(v.Data[at:])
	}
	var out uint32
	for k := range int64(4) {
		if at+k >= 0 && at+k < int64(len(v.Data)) {
			out |= uint32(v.Data[at+k]) << (8 * k)
		}
	}
	return out
}

// written implements values.
func (x accessValues) written(lane int, i int64) uint32 {
	v := &x.w.T.Views[x.a.View[lane]]
	start := v.Base + x.a.Off[lane]
	var out uint32
	for k := range int64(4) {
		if at := 4*i + k - start; at >= 0 && at < x.a.Size {
			out |= uint32(x.a.Byte(x.w, lane, at)) << (8 * k)
		}
	}
	return out
}
