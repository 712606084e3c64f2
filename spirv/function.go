package spirv

// readFunction reads the function that starts at instruction i into its
// parameters, variables and blocks, and gives the index of its
// OpFunctionEnd.
func (r *resolver) readFunction(i int) (end int) {
	in := &r.Insts[i]
	f := &Function{ID: in.Result, Type: r.Type(ID(r.arg(i, 1))), Index: i}
	if f.Type == nil || f.Type.Kind != FunctionType {
		r.fail(i, "operand %s is not a function type", r.IDName(ID(in.Args[1])))
	}
	if r.Type(in.Type) != f.Type.Return {
		r.fail(i, "result type %s is not what its function type returns", r.IDName(in.Type))
	}
	r.results[i] = f
	r.Functions = append(r.Functions, f)

	var b *Block // open block
	for k := i + 1; k < len(r.Insts); k++ {
		in := &r.Insts[k]
		switch {
		case in.Op == OpFunctionEnd:
			r.endFunction(k, f, b)
			return k
		case in.Op == OpFunction:
			r.fail(k, "function %s lacks its OpFunctionEnd", r.IDName(f.ID))
		case in.Op == OpFunctionParameter:
			if len(f.Blocks) > 0 {
				r.fail(k, "parameter after the first block")
			}
			r.readParameter(k, f)
		case in.Op == OpLabel:
			if b != nil {
				r.fail(k, "block %s lacks its terminator", r.IDName(b.Label))
			}
			b = &Block{Label: in.Result, Index: len(f.Blocks), First: k + 1, MergeInst: -1, Order: -1}
			f.Blocks = append(f.Blocks, b)
			r.results[k] = b
		case b == nil:
			if in.Op != OpLine && in.Op != OpNoLine && in.Op != OpNop && in.Op != OpExtInst {
				r.fail(k, "expected inside a block, found outside")
			}
		default:
			if r.readInBlock(k, f, b) {
				b = nil
			}
		}
	}
	r.fail(i, "function lacks its OpFunctionEnd")
	return 0
}

func (r *resolver) readParameter(i int, f *Function) {
	in := &r.Insts[i]
	n := len(f.Params)
	if n >= len(f.Type.Params) {
		r.fail(i, "more parameters than the function's type has, %d", len(f.Type.Params))
	}
	if r.Type(in.Type) != f.Type.Params[n] {
		r.fail(i, "parameter type %s differs from that of the function's type, %s", r.IDName(in.Type), r.IDName(f.Type.Params[n].ID))
	}
	f.Params = append(f.Params, in.Result)
}

// endFunction checks what is known only at OpFunctionEnd i; b is the block
// still open, if any.
func (r *resolver) endFunction(i int, f *Function, b *Block) {
	if b != nil {
		r.fail(i, "block %s lacks its terminator", r.IDName(b.Label))
	}
	if len(f.Params) != len(f.Type.Params) {
		r.fail(f.Index, "%d parameters, expected %d by the function's type", len(f.Params), len(f.Type.Params))
	}
}

// readInBlock reads an instruction inside block b and reports whether it ends
// the block.
func (r *resolver) readInBlock(i int, f *Function, b *Block) (ends bool) {
	in := &r.Insts[i]
	r.blocks[i] = b
	if in.Type != 0 && r.Type(in.Type) == nil {
		r.fail(i, "result type %s is not a type", r.IDName(in.Type))
	}
	if b.MergeInst >= 0 && !isTerminator(in.Op) && in.Op != OpLine && in.Op != OpNoLine && in.Op != OpExtInst {
		r.fail(i, "expected the block's branch after its merge instruction")
	}
	switch {
	case isTerminator(in.Op):
		b.Last = i
		return true
	case in.Op == OpSelectionMerge || in.Op == OpLoopMerge:
		if b.MergeInst >= 0 {
			r.fail(i, "second merge instruction of block %s", r.IDName(b.Label))
		}
		b.MergeInst = i
	case in.Op == OpVariable:
		v := r.readVariable(i)
		if v.Storage != StorageClassFunction {
			r.fail(i, "variable in a function, expected storage class Function")
		}
		if b.Index != 0 {
			r.fail(i, "variable outside the function's first block")
		}
		f.Vars = append(f.Vars, v)
	case in.Op == OpUndef:
		r.readConst(i)
	case isConstant(in.Op), isTypeDeclaration(in.Op), in.Op != OpLine && in.Op != OpNoLine && in.Op != OpNop && in.Op != OpExtInst && outsideFunctions(in.Op):
		r.fail(i, "expected before all functions")
	}
	return false
}
