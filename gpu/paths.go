package gpu

import (
	"fmt"

	"ampdbg/diag"
	"ampdbg/spirv"
)

// checkPaths checks that the constant indexes of access chains, composite
// operations and shuffles lead to parts that exist. Drivers refuse most bad
// modules with an error; these crash them, and the process with them.
func checkPaths(u *spirv.Unit) error {
	for _, f := range u.Functions {
		for _, b := range f.Blocks {
			for i := b.First; i <= b.Last; i++ {
				if in := &u.Insts[i]; !pathsExist(u, in) {
					return &diag.Error{Class: diag.BadInput, Pos: u.PosOf(i),
						Msg: fmt.Sprintf("%s: module word offset %d: %v indexes a part that does not exist", moduleName(u.Module), in.Offset, in.Op)}
				}
			}
		}
	}
	return nil
}

func pathsExist(u *spirv.Unit, in *spirv.Inst) bool {
	switch in.Op {
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		return chainExists(u, in, in.Args[1:])
	case spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		return chainExists(u, in, in.Args[2:])
	case spirv.OpCompositeExtract:
		return partExists(u.TypeOf(spirv.ID(in.Args[0])), u.Type(in.Type), in.Args[1:])
	case spirv.OpCompositeInsert:
		return partExists(u.TypeOf(spirv.ID(in.Args[1])), u.TypeOf(spirv.ID(in.Args[0])), in.Args[2:])
	case spirv.OpVectorShuffle:
		a, b := u.TypeOf(spirv.ID(in.Args[0])), u.TypeOf(spirv.ID(in.Args[1]))
		if a == nil || b == nil || a.Kind != spirv.Vector || b.Kind != spirv.Vector {
			return false
		}
		for _, c := range in.Args[2:] {
			if c != 0xffffffff && int64(c) >= int64(a.Len+b.Len) {
				return false
			}
		}
	}
	return true
}

// chainExists follows an access chain whose indexes are ids.
func chainExists(u *spirv.Unit, in *spirv.Inst, indexes []uint32) bool {
	base, result := u.TypeOf(spirv.ID(in.Args[0])), u.Type(in.Type)
	if base == nil || base.Kind != spirv.Pointer || result == nil || result.Kind != spirv.Pointer {
		return false
	}
	t := base.Elem
	for _, id := range indexes {
		part := 0 // of anything but a struct, all parts are alike
		if t != nil && t.Kind == spirv.Struct {
			c := u.Const(spirv.ID(id))
			if c == nil || c.Type.Kind != spirv.Int || c.Uint() >= uint64(len(t.Members)) {
				return false
			}
			part = int(c.Uint())
		}
		if t = child(t, part); t == nil {
			return false
		}
	}
	return t == result.Elem
}

// partExists follows literal indexes from a composite to a part.
func partExists(t, part *spirv.Type, indexes []uint32) bool {
	for _, i := range indexes {
		t = child(t, int(i))
	}
	return t != nil && t == part
}

func child(t *spirv.Type, i int) *spirv.Type {
	if t == nil {
		return nil
	}
	return t.Child(i)
}
