package emu

import (
	"fmt"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/tilemem/texel"
	"ampdbg/warp"
)

// maxTileStatic is the most tile_static memory a tile may have, in bytes.
const maxTileStatic = 1 << 20

// View describes a view of a dispatch to people.
type View struct {
	Name         string // the variable's name, with [Elem] of a descriptor array, or the buffer's for a physical view
	Root         string // Name without [Elem]
	Var          spirv.ID
	Elem         int         // element of a descriptor array, -1 if it is none
	Type         *spirv.Type // what the view holds; nil if unknown
	Layout       spirv.Layout
	Set, Binding uint32
	Bound        bool           // has a set and binding
	Buffer       *launch.Buffer // nil for tile_static and images
	Image        *launch.Image
	Space        tilemem.Space
}

// resources binds the memory of a dispatch to the variables of its module, as
// the lowering asks for them.
type resources struct {
	d          *launch.Dispatch
	views      []tilemem.View // [0] is null
	infos      []View
	slots      []warp.ImageSlot
	mems       []*tilemem.Memory
	byData     map[any]*tilemem.Memory // by *launch.Buffer or *launch.Image
	tileStatic int64                   // bytes of tile_static memory per tile
	tileViews  []tileView
	block      *tilemem.Memory // shared by all Workgroup blocks, which alias
	push       []byte
}

// tileView is a view of tile_static memory: bytes off to off+size of the
// tile's own block.
type tileView struct {
	view      int
	off, size int64
}

func newResources(d *launch.Dispatch, physical []*launch.Buffer) *resources {
	r := &resources{d: d, byData: map[any]*tilemem.Memory{}, views: make([]tilemem.View, 1), infos: make([]View, 1)}
	for _, b := range physical {
		m := r.memory(b, b.Name, tilemem.Global, b.Data)
		m.Writable = true
		r.add(tilemem.View{Data: b.Data, Mem: m}, View{Name: b.Name, Root: b.Name, Elem: -1, Buffer: b, Space: tilemem.Global})
	}
	return r
}

func (r *resources) add(v tilemem.View, info View) int {
	r.views = append(r.views, v)
	r.infos = append(r.infos, info)
	return len(r.views) - 1
}

// memory is the memory behind a buffer or image, the same for all its views.
func (r *resources) memory(key any, name string, space tilemem.Space, data []byte) *tilemem.Memory {
	m := r.byData[key]
	if m == nil {
		m = &tilemem.Memory{Name: name, ID: len(r.mems), Space: space, Data: data, Size: int64(len(data))}
		r.mems = append(r.mems, m)
		r.byData[key] = m
	}
	return m
}

// place is a variable's descriptor set and binding.
func place(u *spirv.Unit, v *spirv.Variable) (set, binding uint32, ok bool) {
	b, ok := u.Decoration(v.ID, spirv.DecorationBinding)
	if !ok {
		return 0, 0, false
	}
	if s, ok := u.Decoration(v.ID, spirv.DecorationDescriptorSet); ok {
		set = s[0]
	}
	return set, b[0], true
}

func (r *resources) binding(u *spirv.Unit, v *spirv.Variable) (*launch.Binding, error) {
	set, binding, ok := place(u, v)
	if !ok {
		return nil, r.bad(u, v, "has no Binding decoration")
	}
	for i := range r.d.Bindings {
		if b := &r.d.Bindings[i]; b.Set == set && b.Binding == binding {
			if n := descriptors(v.Type.Elem); n >= 0 && len(b.Elems) < n {
				return nil, r.bad(u, v, fmt.Sprintf("is an array of %d descriptors; %d are bound at set %d, binding %d", n, len(b.Elems), set, binding))
			}
			return b, nil
		}
	}
	return nil, r.bad(u, v, fmt.Sprintf("is used, and nothing is bound at set %d, binding %d", set, binding))
}

// descriptors is the number of descriptors that a variable of type t needs; -1
// for an array that has as many as are bound.
func descriptors(t *spirv.Type) int {
	switch t.Kind {
	case spirv.Array:
		return t.Len
	case spirv.RuntimeArray:
		return -1
	}
	return 1
}

func (r *resources) bad(u *spirv.Unit, v *spirv.Variable, what string) error {
	pos := r.d.Pos
	return &diag.Error{Class: diag.BadInput, Pos: pos, Msg: fmt.Sprintf("variable %s of %s %s", u.VariableName(v), u.Module.Name, what)}
}

// Views makes the views of a buffer, push-constant or Workgroup variable: n
// consecutive ones from first on, more than one for an array of descriptors.
func (r *resources) Views(u *spirv.Unit, v *spirv.Variable) (first, n int, err error) {
	name := u.VariableName(v)
	info := View{Name: name, Root: name, Var: v.ID, Elem: -1, Type: v.Type.Elem, Layout: spirv.LayoutOf(v.Type)}
	switch v.Storage {
	case spirv.StorageClassWorkgroup:
		return r.tileVariable(u, v, info)
	case spirv.StorageClassPushConstant:
		info.Space = tilemem.PushConstant
		data := r.pushData()
		if need := int64(v.Type.Elem.Size(info.Layout)); int64(len(data)) < need && data == nil {
			return 0, 0, r.bad(u, v, "is used, and no push constants are bound")
		}
		m := r.memory(&r.push, info.Name, tilemem.PushConstant, data)
		return r.add(tilemem.View{Data: data, ReadOnly: true, Mem: m}, info), 1, nil
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
	default:
		return 0, 0, &diag.Error{Class: diag.Unsupported, Pos: r.d.Pos, Msg: fmt.Sprintf("unsupported: variable %s in %v storage", info.Name, v.Storage)}
	}
	b, err := r.binding(u, v)
	if err != nil {
		return 0, 0, err
	}
	info.Set, info.Binding, info.Bound = b.Set, b.Binding, true
	t := v.Type.Elem
	if v.DescriptorArray() {
		t = t.Elem
	}
	info.Type = t
	readOnly := v.Storage == spirv.StorageClassUniform && !t.BufferBlock || nonWritable(u, v, t)
	for i := range b.Elems {
		e := &b.Elems[i]
		if e.Buffer == nil {
			return 0, 0, r.bad(u, v, fmt.Sprintf("is a buffer, and what is bound at set %d, binding %d is not", b.Set, b.Binding))
		}
		data := e.Buffer.Data
		if e.Offset < 0 || e.Range < 0 || e.Offset+e.Range > int64(len(data)) {
			return 0, 0, r.bad(u, v, fmt.Sprintf("is bound to bytes %d to %d of buffer %s, which has %d", e.Offset, e.Offset+e.Range, e.Buffer.Name, len(data)))
		}
		m := r.memory(e.Buffer, e.Buffer.Name, tilemem.Global, data)
		m.Writable = m.Writable || !readOnly
		view := info
		view.Buffer = e.Buffer
		if v.DescriptorArray() {
			view.Elem = i
			view.Name = fmt.Sprintf("%s[%d]", info.Name, i)
		}
		at := r.add(tilemem.View{Data: data[e.Offset : e.Offset+e.Range : e.Offset+e.Range], ReadOnly: readOnly, Mem: m, Base: e.Offset}, view)
		if i == 0 {
			first = at
		}
	}
	return first, len(b.Elems), nil
}

// nonWritable reports whether the module promises not to write through v.
func nonWritable(u *spirv.Unit, v *spirv.Variable, t *spirv.Type) bool {
	if u.HasDecoration(v.ID, spirv.DecorationNonWritable) {
		return true
	}
	for i := range t.Members {
		if !t.Members[i].NonWritable {
			return false
		}
	}
	return len(t.Members) > 0
}

// pushData is the push-constant block; a buffer bound as push_constant is
// copied when the dispatch starts.
func (r *resources) pushData() []byte {
	if r.push == nil {
		switch {
		case r.d.PushBuffer != nil:
			r.push = append([]byte{}, r.d.PushBuffer.Data...)
		case r.d.Push != nil:
			r.push = append([]byte{}, r.d.Push...)
		}
	}
	return r.push
}

// copyPush copies the push constants anew, and reports whether there are as many.
func (r *resources) copyPush() bool {
	data := r.d.Push
	if r.d.PushBuffer != nil {
		data = r.d.PushBuffer.Data
	}
	copy(r.push, data)
	return len(data) == len(r.push)
}

// tileVariable places a Workgroup variable in the tile's block of memory. All
// blocks with explicit layout start at the same byte
// (SPV_KHR_workgroup_memory_explicit_layout).
func (r *resources) tileVariable(u *spirv.Unit, v *spirv.Variable, info View) (first, n int, err error) {
	info.Space = tilemem.TileStatic
	size := int64(v.Type.Elem.Size(info.Layout))
	if size > maxTileStatic {
		return 0, 0, &diag.Error{Class: diag.Unsupported, Pos: r.d.Pos, Msg: fmt.Sprintf("unsupported: tile_static variable %s of %d bytes, at most %d", info.Name, size, maxTileStatic)}
	}
	m := &tilemem.Memory{Name: info.Name, ID: len(r.mems), Space: tilemem.TileStatic, Size: size, Writable: true}
	var off int64
	if info.Layout.Explicit {
		if r.block == nil {
			r.block = m
			r.mems = append(r.mems, m)
			r.tileStatic = (r.tileStatic + 15) &^ 15
			off = r.tileStatic
		} else {
			m = r.block
			off = r.tileViews[r.blockView()].off
		}
		m.Size = max(m.Size, size)
		r.tileStatic = max(r.tileStatic, off+size)
	} else {
		r.mems = append(r.mems, m)
		off = (r.tileStatic + 15) &^ 15
		r.tileStatic = off + size
	}
	view := r.add(tilemem.View{Mem: m}, info)
	r.tileViews = append(r.tileViews, tileView{view, off, size})
	return view, 1, nil
}

// blockView is the first tile view of the aliased blocks.
func (r *resources) blockView() int {
	for i, t := range r.tileViews {
		if r.views[t.view].Mem == r.block {
			return i
		}
	}
	return -1
}

// Images makes the slots of an image or sampler variable.
func (r *resources) Images(u *spirv.Unit, v *spirv.Variable) (first, n int, err error) {
	b, err := r.binding(u, v)
	if err != nil {
		return 0, 0, err
	}
	t := v.Type.Elem
	for t.Kind == spirv.Array || t.Kind == spirv.RuntimeArray {
		t = t.Elem
	}
	first = len(r.slots)
	for i := range b.Elems {
		slot, err := r.slot(u, v, t, b, i)
		if err != nil {
			return 0, 0, err
		}
		r.slots = append(r.slots, slot)
	}
	return first, len(b.Elems), nil
}

func (r *resources) slot(u *spirv.Unit, v *spirv.Variable, t *spirv.Type, b *launch.Binding, i int) (warp.ImageSlot, error) {
	var s warp.ImageSlot
	e := &b.Elems[i]
	wrong := func(want string) error {
		return r.bad(u, v, fmt.Sprintf("is %s, and what is bound at set %d, binding %d is not", want, b.Set, b.Binding))
	}
	if t.Kind == spirv.SampledImage && t.Elem.Dim == spirv.DimBuffer {
		t = t.Elem // a texel buffer, which is only fetched from
	}
	if t.Kind == spirv.Sampler || t.Kind == spirv.SampledImage {
		if e.Sampler == nil {
			return s, wrong("a sampler")
		}
		smp, err := sampler(e.Sampler)
		if err != nil {
			return s, err
		}
		s.Sampler = smp
		if t.Kind == spirv.Sampler {
			return s, nil
		}
		t = t.Elem
	}
	if t.Kind != spirv.Image {
		return s, wrong("not an image, sampler or buffer")
	}
	name := u.VariableName(v)
	info := View{Name: name, Root: name, Var: v.ID, Elem: -1, Set: b.Set, Binding: b.Binding, Bound: true, Space: tilemem.ImageSpace}
	if len(b.Elems) > 1 {
		info.Name = fmt.Sprintf("%s[%d]", info.Name, i)
		info.Elem = i
	}
	writable := t.Sampled == 2 && !u.HasDecoration(v.ID, spirv.DecorationNonWritable)
	if t.Dim == spirv.DimBuffer {
		if e.Buffer == nil {
			return s, wrong("a texel buffer")
		}
		f, ok := texel.Lookup(e.Format)
		if !ok {
			f, ok = texel.FromSPIRV(t.Format)
		}
		if !ok {
			return s, r.bad(u, v, fmt.Sprintf("is a texel buffer of unknown format %q", e.Format))
		}
		data := e.Buffer.Data[e.Offset : e.Offset+e.Range]
		m := r.memory(e.Buffer, e.Buffer.Name, tilemem.Global, e.Buffer.Data)
		m.Writable = m.Writable || writable
		info.Buffer = e.Buffer
		s.Image = texel.NewBuffer(data, f)
		s.View = int32(r.add(tilemem.View{Data: data, Mem: m, Base: e.Offset}, info))
		return s, r.class(u, v, t, f)
	}
	if e.Image == nil {
		return s, wrong("an image")
	}
	im := e.Image
	f, ok := texel.Lookup(im.Format)
	if !ok {
		return s, &diag.Error{Class: diag.Unsupported, Pos: im.Pos, Msg: "unsupported: image format " + im.Format}
	}
	s.Image = &texel.Image{
		Data: im.Data, Format: f, Dim: t.Dim, Arrayed: t.Arrayed, Width: im.Width, Height: im.Height, Depth: im.Depth,
		Layers: max(im.Layers, 1), Levels: max(im.MipLevels, 1), Samples: max(im.Samples, 1), BaseLevel: e.BaseMip,
	}
	if err := s.Image.Check(); err != nil {
		return s, r.bad(u, v, "has an unfitting image bound: "+err.Error())
	}
	m := r.memory(im, im.Name, tilemem.ImageSpace, im.Data)
	m.Writable = m.Writable || writable
	info.Image = im
	s.View = int32(r.add(tilemem.View{Data: im.Data, Mem: m}, info))
	return s, r.class(u, v, t, f)
}

// class checks that the format's numeric class is the one that the shader's
// image type reads.
func (r *resources) class(u *spirv.Unit, v *spirv.Variable, t *spirv.Type, f *texel.Format) error {
	if t.Elem == nil {
		return nil
	}
	isFloat := t.Elem.Kind == spirv.Float
	if isFloat != (f.Class == texel.FloatClass) && t.Elem.Kind != spirv.Void {
		return r.bad(u, v, fmt.Sprintf("is an image of %s, and the one bound has format %s", t.Elem, f))
	}
	return nil
}

func sampler(s *launch.Sampler) (*texel.Sampler, error) {
	border, ok := texel.ParseBorderColor(s.BorderColor)
	if !ok && s.BorderColor != "" {
		return nil, &diag.Error{Class: diag.BadInput, Pos: s.Pos, Msg: "unknown border colour " + s.BorderColor}
	}
	cmp, ok := texel.ParseCompareOp(s.CompareOp)
	if !ok && s.CompareOp != "" {
		return nil, &diag.Error{Class: diag.BadInput, Pos: s.Pos, Msg: "unknown comparison " + s.CompareOp}
	}
	return &texel.Sampler{
		MagLinear: s.MagLinear, MinLinear: s.MinLinear, MipLinear: s.MipLinear,
		AddressU: texel.AddressMode(s.AddressU), AddressV: texel.AddressMode(s.AddressV), AddressW: texel.AddressMode(s.AddressW),
		Border: border, MinLOD: s.MinLOD, MaxLOD: s.MaxLOD, LODBias: s.LODBias,
		Unnormalized: s.Unnormalized, Compare: s.Compare, CompareOp: cmp,
	}, nil
}
