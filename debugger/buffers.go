package debugger

import (
	"ampdbg/debugger/expr"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// launchBuffer finds a buffer by its name in the launch, whether the dispatch
// uses it or not: an array of the type that the launch gives it. nil if there
// is none, or if there are structs in it.
func (t *target) launchBuffer(name string) getter {
	for _, b := range t.all.Buffers {
		if b.Name != name {
			continue
		}
		typ := launchType(b.Elem)
		if typ == nil || b.Elem.Stride == 0 || len(b.Data) == 0 {
			return nil
		}
		array := typ
		if n := len(b.Data) / b.Elem.Stride; n > 1 || typ.Kind != spirv.Array {
			array = &spirv.Type{Kind: spirv.Array, Elem: typ, Len: n, ArrayStride: b.Elem.Stride}
		}
		return func(*thread) (operand, error) {
			return operand{t: array, at: &place{view: noView, data: b.Data, mem: t.memory(b.Data)}}, nil
		}
	}
	return nil
}

// noView is the view of a place that lies in no view of the dispatch.
const noView = -1

// launchType is the type of a scalar, vector, matrix or array of the launch, nil
// for others. A matrix is an array of its columns.
func launchType(d *launch.DataType) *spirv.Type {
	switch {
	case d == nil:
		return nil
	case d.Kind == launch.ScalarType:
		return scalarNames[d.Scalar.String()]
	case d.Kind == launch.VectorType, d.Kind == launch.MatrixType, d.Kind == launch.ArrayType:
		kind := spirv.Array
		if d.Kind == launch.VectorType {
			kind = spirv.Vector
		}
		if t := launchType(d.Elem); t != nil {
			return &spirv.Type{Kind: kind, Elem: t, Len: d.Len, ArrayStride: d.Step}
		}
	}
	return nil
}

// scalarNames are the types of AmberScript's scalars.
var scalarNames = map[string]*spirv.Type{
	"float": expr.Float, "double": expr.Double, "float16": {Kind: spirv.Float, Width: 16},
	"int8": expr.Types["int8_t"], "int16": expr.Types["int16_t"], "int32": expr.Int, "int64": expr.Int64,
	"uint8": expr.Types["uint8_t"], "uint16": expr.Types["uint16_t"], "uint32": expr.Uint, "uint64": expr.Uint64,
}
