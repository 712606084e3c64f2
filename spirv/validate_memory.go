package spirv

import "math"

// checkDecorations checks that decorations stand on what they may decorate.
func (v *validator) checkDecorations() {
	type key struct {
		kind   Decoration
		member int
	}
	for i, list := range v.decorations {
		seen := map[key]bool{}
		for _, d := range list {
			if v.Insts[i].Op != OpDecorationGroup {
				v.checkTarget(i, d)
			}
			k := key{d.kind, d.member}
			switch d.kind {
			case DecorationArrayStride, DecorationOffset, DecorationMatrixStride, DecorationRowMajor, DecorationColMajor:
				v.want(i, !seen[k], "is decorated with %s twice", d.kind)
			}
			seen[k] = true
		}
		for k := range seen {
			for _, pair := range [][2]Decoration{{DecorationRowMajor, DecorationColMajor}, {DecorationBlock, DecorationBufferBlock}, {DecorationRestrict, DecorationAliased}} {
				v.want(i, k.kind != pair[0] || !seen[key{pair[1], k.member}], "is decorated with both %s and %s", pair[0], pair[1])
			}
		}
	}
}

// checkTarget checks what decoration d of instruction i is on.
func (v *validator) checkTarget(i int, d decoration) {
	op := v.Insts[i].Op
	t, _ := v.results[i].(*Type)
	isStruct := t != nil && t.Kind == Struct
	ok, expected := true, ""
	switch d.kind {
	case DecorationOffset, DecorationMatrixStride, DecorationRowMajor, DecorationColMajor:
		ok, expected = d.member >= 0, "a structure member"
	case DecorationBlock, DecorationBufferBlock, DecorationGLSLShared, DecorationGLSLPacked:
		ok, expected = d.member < 0 && isStruct, "a structure"
	case DecorationArrayStride:
		ok, expected = d.member < 0 && t != nil && (t.Kind == Array || t.Kind == RuntimeArray || t.Kind == Pointer), "an array or a pointer type"
	case DecorationSpecId:
		ok, expected = d.member < 0 && (op == OpSpecConstant || op == OpSpecConstantTrue || op == OpSpecConstantFalse), "a scalar specialization constant"
	case DecorationBuiltIn:
		size := len(d.args) > 0 && BuiltIn(d.args[0]) == BuiltInWorkgroupSize
		ok, expected = d.member >= 0 || op == OpVariable && !size || size && isConstant(op), "a variable, a structure member, or a constant that is WorkgroupSize"
		if g, isVar := v.results[i].(*Variable); ok && isVar && len(d.args) > 0 {
			v.checkBuiltIn(i, BuiltIn(d.args[0]), g)
		}
	case DecorationUniform, DecorationUniformId:
		ok, expected = d.member < 0, "a value"
	case DecorationBinding, DecorationDescriptorSet, DecorationInputAttachmentIndex:
		ok, expected = d.member < 0 && op == OpVariable, "a variable"
		if ok && d.kind != DecorationInputAttachmentIndex {
			s := v.results[i].(*Variable).Storage
			v.want(i, s == StorageClassUniform || s == StorageClassUniformConstant || s == StorageClassStorageBuffer, "a variable in %s memory has a %s", s, d.kind)
		}
	case DecorationInvariant, DecorationLocation, DecorationComponent, DecorationIndex, DecorationNoPerspective, DecorationFlat, DecorationPatch,
		DecorationCentroid, DecorationSample:
		ok, expected = d.member >= 0 || op == OpVariable, "a variable or a structure member"
	case DecorationAliased, DecorationRestrict, DecorationAliasedPointer, DecorationRestrictPointer:
		ok, expected = d.member < 0 && (op == OpVariable || op == OpFunctionParameter), "a variable or a parameter"
	case DecorationVolatile, DecorationCoherent, DecorationNonWritable, DecorationNonReadable:
		ok, expected = d.member >= 0 || op == OpVariable || op == OpFunctionParameter, "a variable, a parameter or a structure member"
	}
	if !ok && d.member >= 0 {
		v.fail(i, "member %d is decorated with %s, which is for %s", d.member, d.kind, expected)
	}
	v.want(i, ok, "is decorated with %s, which is for %s", d.kind, expected)
}

// checkBuiltIn checks that a variable can hold the built-in input that it is.
func (v *validator) checkBuiltIn(i int, b BuiltIn, g *Variable) {
	n := 1
	switch b {
	case BuiltInNumWorkgroups, BuiltInWorkgroupId, BuiltInLocalInvocationId, BuiltInGlobalInvocationId:
		n = 3
	case BuiltInSubgroupEqMask, BuiltInSubgroupGeMask, BuiltInSubgroupGtMask, BuiltInSubgroupLeMask, BuiltInSubgroupLtMask:
		n = 4
	case BuiltInLocalInvocationIndex, BuiltInSubgroupSize, BuiltInNumSubgroups, BuiltInSubgroupId, BuiltInSubgroupLocalInvocationId, BuiltInDeviceIndex:
	default:
		return
	}
	t := g.Type.Elem
	isInt := func(t *Type) bool { return t.Kind == Int && t.Width == 32 }
	if n == 1 {
		v.want(i, isInt(t), "built-in %s is %s, expected a 32-bit integer", b, t)
	} else {
		v.want(i, t.Kind == Vector && t.Len == n && isInt(t.Elem), "built-in %s is %s, expected a vector of %d 32-bit integers", b, t, n)
	}
	v.want(i, g.Storage == StorageClassInput, "built-in %s is in %s memory, expected Input", b, g.Storage)
}

// checkVariables checks what module-scope variables hold in each storage
// class, and how it is laid out.
func (v *validator) checkVariables() {
	checked := map[*Type]bool{}
	for _, g := range v.Globals {
		i, t := g.Index, g.Type.Elem
		inner := t
		for inner.Kind == Array || inner.Kind == RuntimeArray {
			inner = inner.Elem
		}
		block := inner.Kind == Struct && inner.Block
		v.want(i, t.Kind != RuntimeArray || v.has(CapabilityRuntimeDescriptorArray), "an array of descriptors without a length needs capability RuntimeDescriptorArray")
		switch g.Storage {
		case StorageClassUniformConstant:
			v.want(i, inner.Kind == Image || inner.Kind == Sampler || inner.Kind == SampledImage || inner.Kind == OtherType, "is %s, expected an image or a sampler", t)
		case StorageClassUniform:
			v.want(i, block || inner.Kind == Struct && inner.BufferBlock, "is %s, expected a structure decorated with Block", t)
		case StorageClassStorageBuffer:
			v.want(i, block, "is %s, expected a structure decorated with Block", t)
		case StorageClassPushConstant:
			v.want(i, t.Kind == Struct && t.Block, "is %s, expected a structure decorated with Block", t)
		default:
			v.want(i, g.Storage == StorageClassWorkgroup && block || !t.unsized(), "holds a run-time array in %s memory", g.Storage)
		}
		switch g.Storage {
		case StorageClassOutput, StorageClassPrivate, StorageClassWorkgroup, StorageClassFunction:
		default:
			v.want(i, g.Init == 0, "a variable in %s memory has an initializer", g.Storage)
		}
		if explicitIn(g.Storage) || g.Type.explicit {
			v.checkLayoutOf(inner, checked)
		}
	}
	for i := range v.Insts {
		if t, ok := v.results[i].(*Type); ok && t.Kind == Pointer && t.Storage == StorageClassPhysicalStorageBuffer && t.Elem != nil {
			v.want(i, t.Elem.laidOut, "%s lacks an Offset, ArrayStride or MatrixStride decoration", v.DisplayName(t.Elem.ID))
		}
	}
}

// unsized reports whether the type has a run-time array in it.
func (t *Type) unsized() bool {
	switch t.Kind {
	case RuntimeArray:
		return true
	case Array:
		return t.Elem.unsized()
	case Struct:
		for k := range t.Members {
			if t.Members[k].Type.unsized() {
				return true
			}
		}
	}
	return false
}

// checkLayoutOf checks the offsets and strides of a type in explicitly laid
// out memory: parts lie at multiples of the size of their scalars (the rules of
// scalar block layout, which all others are stricter than), and apart.
func (v *validator) checkLayoutOf(t *Type, checked map[*Type]bool) {
	if checked[t] {
		return
	}
	checked[t] = true
	switch t.Kind {
	case Array, RuntimeArray:
		v.checkStride(t, Explicit)
		v.checkLayoutOf(t.Elem, checked)
	case Struct:
		i := v.Def(t.ID)
		for k := range t.Members {
			m := &t.Members[k]
			v.want(i, m.Offset >= 0, "member %d lacks an Offset decoration", k)
			v.want(i, m.Offset%m.Type.align == 0, "member %d is at offset %d, expected a multiple of %d", k, m.Offset, m.Type.align)
			l := Explicit.member(m)
			if inner := matrixIn(m.Type); inner != nil {
				column := inner.Elem.size
				if m.RowMajor {
					column = inner.Len * inner.Elem.Elem.size
				}
				v.want(i, m.MatrixStride%inner.align == 0 && m.MatrixStride >= column, "member %d has a matrix stride of %d, expected a multiple of %d that is at least %d", k, m.MatrixStride, inner.align, column)
			}
			if m.Type.Kind == Array || m.Type.Kind == RuntimeArray {
				v.checkStride(m.Type, l)
			}
			v.checkLayoutOf(m.Type, checked)
			for j := range k {
				o := &t.Members[j]
				v.want(i, m.Offset >= o.end() || o.Offset >= m.end(), "members %d and %d overlap", j, k)
			}
		}
	}
}

// end is the offset behind an explicitly laid out member; nothing lies behind a
// run-time array.
func (m *Member) end() int {
	if m.Type.unsized() {
		return math.MaxInt
	}
	return m.Offset + m.Type.Size(Explicit.member(m))
}

// matrixIn is the matrix that a member is or is an array of.
func matrixIn(t *Type) *Type {
	for t.Kind == Array || t.Kind == RuntimeArray {
		t = t.Elem
	}
	if t.Kind == Matrix {
		return t
	}
	return nil
}

// checkStride checks the strides of an array in layout l.
func (v *validator) checkStride(t *Type, l Layout) {
	for ; t.Kind == Array || t.Kind == RuntimeArray; t = t.Elem {
		i := v.Def(t.ID)
		size := t.Elem.Size(l)
		v.want(i, t.ArrayStride > 0 && t.ArrayStride%t.align == 0 && t.ArrayStride >= size, "array stride %d, expected a multiple of %d that is at least %d", t.ArrayStride, t.align, size)
	}
}
