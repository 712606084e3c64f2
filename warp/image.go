package warp

import (
	"math"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/spirv/half"
	"ampdbg/tilemem/texel"
)

// ImageSlot is an image or sampler descriptor. A handle, as kernels carry it,
// is the slot of the image in its lower half and that of the sampler in its
// upper half.
type ImageSlot struct {
	Image   *texel.Image
	Sampler *texel.Sampler
	View    int32 // the view of the image's bytes; 0 for a sampler
	// ReadOnly images trap on writes.
	ReadOnly bool
}

// float32At reads a floating-point scalar of kind k.
func float32At(bits uint64, k program.Kind) float32 {
	switch k.Width {
	case 16:
		return half.ToFloat(uint16(bits))
	case 64:
		return float32(math.Float64frombits(bits))
	}
	return math.Float32frombits(uint32(bits))
}

// intAt reads an integer scalar of kind k; large unsigned values stay large.
func intAt(bits uint64, k program.Kind) int64 {
	if k.Signed && k.Width < 64 {
		s := 64 - uint(k.Width)
		return int64(bits<<s) >> s
	}
	return int64(bits)
}

// clampInt keeps a coordinate in the range that package texel computes in.
func clampInt(v int64) int { return int(max(min(v, math.MaxInt32), math.MinInt32)) }

// image does an image instruction, lane by lane.
func (w *Warp) image(op *program.Op, info *program.ImageInfo) Status {
	if w.yieldAtVisible() {
		return Yielded
	}
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		if s := w.imageLane(info, l); s != Runnable {
			return s
		}
	}
	return Runnable
}

func (w *Warp) imageLane(info *program.ImageInfo, l int) Status {
	h := w.R[int(info.Handle)+l]
	slot, smp := int(uint32(h)), int(h>>32)
	bad := slot >= len(w.T.Images) || smp >= len(w.T.Images) || w.T.Images[slot].Image == nil
	sampled := info.Samples()
	if !bad && sampled && w.T.Images[smp].Sampler == nil {
		bad = true
	}
	if bad {
		if !w.survives(&Fault{Kind: BadDescriptor, PC: w.PC, Lanes: oneLane(l), Off: int64(h)}) {
			return Faulted
		}
		w.imageResult(info, l, texel.Texel{})
		return Runnable
	}
	s := &w.T.Images[slot]
	switch info.Op {
	case spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod, spirv.OpImageQueryLevels, spirv.OpImageQuerySamples,
		spirv.OpImageQueryLod:
		w.imageQuery(info, l, s.Image, w.T.Images[smp].Sampler)
		return Runnable
	}
	if sampled {
		return w.imageSample(info, l, s, w.T.Images[smp].Sampler)
	}
	return w.imageTexel(info, l, s)
}

// imageTexel does an instruction on the texel of an integer coordinate.
func (w *Warp) imageTexel(info *program.ImageInfo, l int, s *ImageSlot) Status {
	var coord [3]int
	fault := Fault{Kind: ImageBounds, PC: w.PC, Lanes: oneLane(l), View: int(s.View), Size: int64(s.Image.Format.TexelSize)}
	for i, r := range info.Coord {
		if i < 3 {
			v := intAt(w.R[int(r)+l], info.CoordKind)
			fault.Coord[i] = v
			if i < len(info.Offset) {
				v += int64(int32(w.R[int(info.Offset[i])+l]))
			}
			coord[i] = clampInt(v)
		}
	}
	level, sample := 0, 0
	if info.Lod != program.NoRow {
		level = clampInt(intAt(w.R[int(info.Lod)+l], info.LodKind))
	}
	if info.Sample != program.NoRow {
		sample = clampInt(int64(w.R[int(info.Sample)+l]))
	}
	fault.Coord[3] = int64(level)
	write := info.Op == spirv.OpImageWrite || info.Op == spirv.OpImageTexelPointer && info.Atomic.Op.Writes()
	fault.Write = write
	at, ok := s.Image.At(coord, level, sample)
	if write && s.ReadOnly {
		ok = false
		fault.Kind = ReadOnly
	}
	if !ok {
		if !w.survives(&fault) {
			return Faulted
		}
		w.imageResult(info, l, s.Image.Format.Zero())
		return Runnable
	}
	size := s.Image.Format.TexelSize
	if info.Op == spirv.OpImageTexelPointer {
		return w.imageAtomic(info, l, s, at)
	}
	var bytes [32]byte // the largest texel: four 64-bit components
	if write {
		var t texel.Texel
		for i := range t {
			if i < len(info.Value) {
				t[i] = widenTexel(w.R[int(info.Value[i])+l], info.ValueKind, s.Image.Format)
			}
		}
		s.Image.Format.Encode(bytes[:size], t)
	}
	if st := w.showTexel(l, s, at, size, write, bytes[:size]); st != Runnable {
		return st
	}
	if write {
		copy(s.Image.Data[at:], bytes[:size])
	} else {
		w.imageResult(info, l, s.Image.Format.Decode(s.Image.Data[at:]))
	}
	return Runnable
}

// widenTexel turns a component of the value to be written into the form that
// package texel takes.
func widenTexel(bits uint64, k program.Kind, f *texel.Format) uint64 {
	if k.Float {
		return uint64(math.Float32bits(float32At(bits, k)))
	}
	v := uint64(intAt(bits, k))
	if !f.Wide() {
		v &= 0xffffffff
	}
	return v
}

// imageResult stores a texel as the instruction's result.
func (w *Warp) imageResult(info *program.ImageInfo, l int, t texel.Texel) {
	if info.Op == spirv.OpImageTexelPointer && !info.Atomic.Op.Reads() {
		return
	}
	for i, r := range info.Dst {
		v := t[i]
		if info.Result.Float && info.Result.Width == 16 {
			v = uint64(half.FromFloat(math.Float32frombits(uint32(v)), false))
		} else if info.Result.Width < 64 {
			v &= 1<<info.Result.Width - 1
		}
		w.R[int(r)+l] = v
	}
}

// showTexel lets the observer and the trackers see a texel access.
func (w *Warp) showTexel(l int, s *ImageSlot, at, size int, write bool, bytes []byte) Status {
	v := &w.T.Views[s.View]
	a := &w.access
	a.PC, a.Mask, a.Size, a.Width, a.Texel = w.PC, oneLane(l), int64(size), size, bytes
	a.View[l], a.Off[l] = s.View, int64(at)
	a.Kind = Read
	if write {
		a.Kind = Write
		if string(v.Data[at:at+size]) != string(bytes) {
			w.T.Changed = true
		}
	}
	if v.Seen {
		w.T.Obs.Memory.Access(w, a)
	}
	a.Texel = nil
	if t := v.Mem.Track; t != nil {
		where := v.Base + int64(at)
		if write && !t.Write(w.T.Index, where, int64(size)) || !write && !t.Read(w.T.Index, where, int64(size)) {
			return Conflict
		}
	}
	return Runnable
}

func (w *Warp) imageAtomic(info *program.ImageInfo, l int, s *ImageSlot, at int) Status {
	a := &w.access
	v := &w.T.Views[s.View]
	a.PC, a.Kind, a.Size, a.Width, a.Op = w.PC, AtomicAccess, int64(info.Atomic.Size), info.Atomic.Size, info.Atomic.Op
	if t := v.Mem.Track; t != nil {
		ok := false
		if info.Atomic.Unused && info.Atomic.Op.Commutes() {
			ok = t.Commute(w.T.Index, info.Atomic.Op, v.Base+int64(at), a.Size)
		} else {
			ok = t.Write(w.T.Index, v.Base+int64(at), a.Size)
		}
		if !ok {
			return Conflict
		}
	}
	op := program.Op{Code: program.Atomic}
	if len(info.Dst) > 0 {
		op.Dst = info.Dst[0]
	}
	if w.T.Locks != nil {
		m := w.T.Locks.At(v.Mem.ID, v.Base+int64(at))
		m.Lock()
		defer m.Unlock()
	}
	w.atomicLane(&op, info.Atomic, a, l, int(s.View), int64(at))
	return Runnable
}

// imageSample does a sampling or gathering instruction. Levels of detail that
// an instruction leaves implicit are 0: a compute shader has no derivatives.
func (w *Warp) imageSample(info *program.ImageInfo, l int, s *ImageSlot, smp *texel.Sampler) Status {
	var coord [4]float32
	n := len(info.Coord)
	for i, r := range info.Coord {
		if i < 4 {
			coord[i] = w.coordinate(info, r, l)
		}
	}
	var dref float32
	if info.Dref != program.NoRow {
		dref = math.Float32frombits(uint32(w.R[int(info.Dref)+l]))
	}
	if info.Proj {
		q := coord[n-1]
		for i := range n - 1 {
			coord[i] /= q
		}
		coord[n-1] = 0
		dref /= q
	}
	var touched texel.Touched
	ops := texel.Operands{Dref: dref, Compare: info.Dref != program.NoRow}
	if v := &w.T.Views[s.View]; v.Seen || v.Mem.Track != nil {
		ops.Touched = &touched
	}
	for i, r := range info.Offset {
		if i < 3 {
			ops.Offset[i] = int(int32(w.R[int(r)+l]))
		}
	}
	if info.MinLOD != program.NoRow {
		ops.MinLOD = float32At(w.R[int(info.MinLOD)+l], info.LodKind)
	}
	lod := float32(0)
	if info.Lod != program.NoRow {
		lod = float32At(w.R[int(info.Lod)+l], info.LodKind)
	}
	if info.GradX != nil {
		var dx, dy [3]float32
		for i := range info.GradX {
			if i < 3 {
				dx[i], dy[i] = w.coordinate(info, info.GradX[i], l), w.coordinate(info, info.GradY[i], l)
			}
		}
		lod = s.Image.GradientLOD(coord, dx, dy)
	}
	var t texel.Texel
	switch info.Op {
	case spirv.OpImageGather, spirv.OpImageDrefGather:
		c := 0
		if info.Component != program.NoRow {
			c = int(w.R[int(info.Component)+l] & 3)
		}
		if info.Offsets != nil {
			t = texel.GatherOffsets(s.Image, smp, coord, c, *info.Offsets, &ops)
		} else {
			t = texel.Gather(s.Image, smp, coord, c, &ops)
		}
	default:
		t = texel.Sample(s.Image, smp, coord, lod, &ops)
	}
	for i := range touched.N {
		if st := w.showTexel(l, s, touched.Offsets[i], s.Image.Format.TexelSize, false, nil); st != Runnable {
			return st
		}
	}
	w.imageResult(info, l, t)
	return Runnable
}

// coordinate is a coordinate of a sampling instruction.
func (w *Warp) coordinate(info *program.ImageInfo, r uint32, l int) float32 {
	return float32At(w.R[int(r)+l], info.CoordKind)
}

func (w *Warp) imageQuery(info *program.ImageInfo, l int, im *texel.Image, smp *texel.Sampler) {
	var t texel.Texel
	switch info.Op {
	case spirv.OpImageQueryLevels:
		t[0] = uint64(im.ViewLevels())
	case spirv.OpImageQuerySamples:
		t[0] = uint64(im.Samples)
	case spirv.OpImageQueryLod:
		if smp != nil {
			a, b := texel.QueryLOD(im, smp, 0)
			t[0], t[1] = uint64(math.Float32bits(a)), uint64(math.Float32bits(b))
		}
	default:
		level := 0
		if info.Lod != program.NoRow {
			level = clampInt(intAt(w.R[int(info.Lod)+l], info.LodKind))
		}
		size, _ := im.QuerySize(level)
		for i, v := range size {
			t[i] = uint64(v)
		}
	}
	w.imageResult(info, l, t)
}

// handleElem makes handles of elements of an array of descriptors: the
// handle in A plus element B of X.
func (w *Warp) handleElem(op *program.Op, pc int) bool {
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		i := w.R[int(op.B)+l]
		if i >= uint64(op.X) {
			f := &Fault{Kind: DescriptorIndex, PC: pc, Lanes: oneLane(l), View: -1, Off: int64(i), Size: int64(op.X)}
			if !w.survives(f) {
				return false
			}
			i = 0
		}
		w.R[int(op.Dst)+l] = w.R[int(op.A)+l] + i + i<<32
	}
	return true
}
