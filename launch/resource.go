package launch

import (
	"cmp"
	"fmt"
	"slices"

	"ampdbg/diag"
	"ampdbg/spirv"
)

// Resource is a module-scope variable that a descriptor is bound to.
type Resource struct {
	Set, Binding uint32
	Kind         DescriptorKind
	Count        int    // descriptors: 1, or an array's length; 0 for a runtime array
	Name         string // the OpName of the variable or of its block, or "%12"
	ID           spirv.ID
}

// Resources lists the descriptor variables of a module that the entry point
// statically uses, by set and binding.
func Resources(u *spirv.Unit, entry string) ([]Resource, error) {
	used, err := staticallyUsed(u, entry)
	if err != nil {
		return nil, err
	}
	var list []Resource
	for _, v := range u.Globals {
		r, ok := resourceOf(u, v)
		if ok && used[v.ID] {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(x, y Resource) int {
		return cmp.Or(cmp.Compare(x.Set, y.Set), cmp.Compare(x.Binding, y.Binding))
	})
	return list, nil
}

// resourceOf describes a variable if it is a descriptor.
func resourceOf(u *spirv.Unit, v *spirv.Variable) (r Resource, ok bool) {
	if v.Type == nil || v.Type.Elem == nil {
		return r, false
	}
	t := v.Type.Elem
	r.ID, r.Count, r.Name = v.ID, 1, u.Name(v.ID)
	switch t.Kind {
	case spirv.Array:
		r.Count, t = t.Len, t.Elem
	case spirv.RuntimeArray:
		r.Count, t = 0, t.Elem
	}
	if r.Name == "" && t.Kind == spirv.Struct {
		r.Name = u.Name(t.ID) // an unnamed GLSL block instance
	}
	if r.Name == "" {
		r.Name = u.DisplayName(v.ID)
	}
	switch v.Storage {
	case spirv.StorageClassStorageBuffer:
		r.Kind = StorageBuffer
	case spirv.StorageClassUniform:
		r.Kind = UniformBuffer
		if t.BufferBlock {
			r.Kind = StorageBuffer
		}
	case spirv.StorageClassUniformConstant:
		switch t.Kind {
		case spirv.Sampler:
			r.Kind = SeparateSampler
		case spirv.SampledImage:
			r.Kind = CombinedImageSampler
			if t.Elem != nil && t.Elem.Dim == spirv.DimBuffer {
				r.Kind = UniformTexelBuffer
			}
		case spirv.Image:
			r.Kind = SampledImage
			switch {
			case t.Dim == spirv.DimBuffer && t.Sampled == 2:
				r.Kind = StorageTexelBuffer
			case t.Dim == spirv.DimBuffer:
				r.Kind = UniformTexelBuffer
			case t.Sampled == 2:
				r.Kind = StorageImage
			}
		default:
			return r, false
		}
	default:
		return r, false
	}
	set, _ := u.Decoration(v.ID, spirv.DecorationDescriptorSet)
	binding, _ := u.Decoration(v.ID, spirv.DecorationBinding)
	if len(set) > 0 {
		r.Set = set[0]
	}
	if len(binding) > 0 {
		r.Binding = binding[0]
	}
	return r, true
}

// staticallyUsed gives the ids named by the instructions of the functions that
// the entry point's call graph reaches.
func staticallyUsed(u *spirv.Unit, entry string) (map[spirv.ID]bool, error) {
	var work []spirv.ID
	for _, e := range u.EntryPoints {
		if e.Name == entry {
			work = append(work, e.Function)
		}
	}
	ends := map[spirv.ID]int{} // by function: index of its OpFunctionEnd
	for i, open := 0, spirv.ID(0); i < len(u.Insts); i++ {
		switch u.Insts[i].Op {
		case spirv.OpFunction:
			open = u.Insts[i].Result
		case spirv.OpFunctionEnd:
			ends[open] = i
		}
	}
	used := map[spirv.ID]bool{}
	for len(work) > 0 {
		f := u.Function(work[len(work)-1])
		work = work[:len(work)-1]
		if f == nil {
			continue
		}
		for i := f.Index + 1; i < ends[u.Insts[f.Index].Result]; i++ {
			in := &u.Insts[i]
			ops, err := u.Operands(in)
			if err != nil {
				return nil, err
			}
			for _, o := range ops {
				if !o.Kind.IsID() || used[spirv.ID(o.Words[0])] {
					continue
				}
				id := spirv.ID(o.Words[0])
				used[id] = true
				if u.Function(id) != nil {
					work = append(work, id)
				}
			}
		}
	}
	return used, nil
}

// typed gives a binding that was bound without AS the kind of the module's
// variable there.
func typed(m *spirv.Module, binding *Binding) (*Binding, error) {
	u, err := spirv.Resolve(m, nil)
	if err != nil {
		return nil, err
	}
	for _, v := range u.Globals {
		r, ok := resourceOf(u, v)
		if !ok || r.Set != binding.Set || r.Binding != binding.Binding {
			continue
		}
		if r.Kind.isImage() || r.Kind.IsTexelBuffer() || r.Kind == SeparateSampler {
			return nil, &diag.Error{Pos: binding.Pos, Msg: fmt.Sprintf("descriptor %d.%d is a %s: expected AS and its kind", r.Set, r.Binding, r.Kind)}
		}
		t := *binding
		t.Kind = r.Kind
		return &t, nil
	}
	return binding, nil
}

func (r Resource) String() string {
	return fmt.Sprintf("%d.%d (%s %s)", r.Set, r.Binding, r.Kind, r.Name)
}
