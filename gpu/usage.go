package gpu

import (
	"cmp"
	"slices"

	"ampdbg/spirv"
)

// usage is what an entry point and the functions that it reaches use of the
// machine, as far as Vulkan must be told or asked.
type usage struct {
	unit      *spirv.Unit
	entry     *spirv.EntryPoint
	resources []resource // by set and binding
	push      int        // bytes of the push-constant block, 0 if none is used
	shared    int        // bytes of tile_static variables
	lengths   bool       // OpArrayLength: the range of a descriptor is seen by the kernel
	needs     needs
	layouts   layouts
}

// resource is a variable bound by set and binding. Several variables may
// share one binding.
type resource struct {
	set, binding uint32
	name         string
	count        int         // elements of a descriptor array, 1 for none, 0 for a run-time array
	typ          *spirv.Type // of one element
	storage      spirv.StorageClass
}

// use finds out what entry point name of u uses.
func use(u *spirv.Unit, name string) (*usage, error) {
	e := u.EntryPoint(name)
	if e == nil || e.Model != spirv.ExecutionModelGLCompute {
		return nil, badInput("%s has no compute entry point %q", moduleName(u.Module), name)
	}
	if err := checkPaths(u); err != nil {
		return nil, err
	}
	us := &usage{unit: u, entry: e, needs: needs{}, layouts: newLayouts()}
	us.readModule()
	us.readModes()
	used := map[spirv.ID]bool{}
	for _, f := range us.reach() {
		if err := us.readFunction(f, used); err != nil {
			return nil, err
		}
	}
	for _, v := range u.Globals {
		if used[v.ID] {
			us.readVariable(v)
		}
	}
	for i := range u.Insts {
		if t := u.Type(u.Insts[i].Result); t != nil && t.Kind == spirv.Pointer && t.Storage == spirv.StorageClassPhysicalStorageBuffer {
			us.readLayout(t.Elem, t.Storage, u.DisplayName(t.Elem.ID))
		}
	}
	slices.SortStableFunc(us.resources, func(a, b resource) int {
		return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.binding, b.binding))
	})
	return us, nil
}

func moduleName(m *spirv.Module) string {
	if m.Name == "" {
		return "the module"
	}
	return m.Name
}

// reach lists the functions that the entry point calls, itself first.
func (us *usage) reach() []*spirv.Function {
	u := us.unit
	seen := map[spirv.ID]bool{us.entry.Function: true}
	queue := []*spirv.Function{u.Function(us.entry.Function)}
	for i := 0; i < len(queue); i++ {
		for _, b := range queue[i].Blocks {
			for _, in := range u.Insts[b.First : b.Last+1] {
				if in.Op != spirv.OpFunctionCall {
					continue
				}
				if callee := spirv.ID(in.Args[0]); !seen[callee] {
					seen[callee] = true
					if f := u.Function(callee); f != nil {
						queue = append(queue, f)
					}
				}
			}
		}
	}
	return queue
}

// readFunction marks the ids that a function's instructions name, and reads
// the needs of those instructions that have some.
func (us *usage) readFunction(f *spirv.Function, used map[spirv.ID]bool) error {
	u := us.unit
	for _, b := range f.Blocks {
		for i := b.First; i <= b.Last; i++ {
			in := &u.Insts[i]
			ops, err := u.Operands(in)
			if err != nil {
				return err
			}
			for _, o := range ops {
				if o.Kind.IsID() {
					used[spirv.ID(o.Words[0])] = true
				}
			}
			us.readInst(in)
		}
	}
	return nil
}

func (us *usage) readVariable(v *spirv.Variable) {
	u := us.unit
	switch v.Storage {
	case spirv.StorageClassPushConstant:
		us.push = max(us.push, v.Type.Elem.Size(spirv.Explicit))
		us.readLayout(v.Type.Elem, v.Storage, u.DisplayName(v.ID))
	case spirv.StorageClassWorkgroup:
		us.shared += v.Type.Elem.Size(spirv.LayoutOf(v.Type))
		us.readLayout(v.Type.Elem, v.Storage, u.DisplayName(v.ID))
		if v.Init != 0 {
			us.needs.feature("shaderZeroInitializeWorkgroupMemory", "tile_static variable "+u.DisplayName(v.ID)+" has an initializer")
		}
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassUniformConstant:
		set, ok1 := u.Decoration(v.ID, spirv.DecorationDescriptorSet)
		binding, ok2 := u.Decoration(v.ID, spirv.DecorationBinding)
		if !ok1 || !ok2 {
			return
		}
		r := resource{set: set[0], binding: binding[0], name: u.DisplayName(v.ID), count: 1, typ: v.Type.Elem, storage: v.Storage}
		if r.typ.Kind == spirv.Array || r.typ.Kind == spirv.RuntimeArray {
			r.count, r.typ = r.typ.Len, r.typ.Elem
		}
		us.readLayout(r.typ, v.Storage, r.name)
		us.resources = append(us.resources, r)
	}
}

// resource finds the variable bound at a place; of several, the first.
func (us *usage) resource(set, binding uint32) *resource {
	for i := range us.resources {
		if r := &us.resources[i]; r.set == set && r.binding == binding {
			return r
		}
	}
	return nil
}

// image gives the image type of a resource, nil if it is none.
func (r *resource) image() *spirv.Type {
	switch {
	case r == nil:
		return nil
	case r.typ.Kind == spirv.Image:
		return r.typ
	case r.typ.Kind == spirv.SampledImage:
		return r.typ.Elem
	}
	return nil
}
