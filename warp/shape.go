package warp

import (
	"ampdbg/program"
	"ampdbg/spirv"
)

// shape is what the lanes of a row have in common in a warp that has never
// split: one whose lanes have executed the same operations, all of them. It
// is found without regard to the order of operations, which is sound because
// such a warp has no other order.
type shape uint8

const (
	unwritten shape = iota // 0 in every lane
	uniform                // the same in every lane
	linear                 // lane l holds what lane 0 holds plus l, modulo 2^32; or all hold the same, see linearAt
	varying
)

// meet is the shape of a row that is written with either.
func (s shape) meet(t shape) shape {
	switch {
	case s == unwritten || s == t:
		return t
	case t == unwritten:
		return s
	}
	return varying
}

// same reports whether all lanes hold the same.
func (s shape) same() bool { return s <= uniform }

// shapesOf finds the shape of every row of a program.
func shapesOf(p *program.Program) []shape {
	z := &shaping{p: p, rows: make([]shape, p.Rows), stride: uint32(p.Stride)}
	for _, c := range p.Consts {
		z.set(c.Row, uniform)
	}
	for i := range p.Builtins {
		for k, row := range p.Builtins[i].Rows {
			z.set(row, builtinShape(p, p.Builtins[i].BuiltIn, k))
		}
	}
	for _, u := range p.Undefs {
		z.set(u.Row, varying)
	}
	for z.changed = true; z.changed; {
		z.changed = false
		for pc := range p.Code {
			z.op(&p.Code[pc])
		}
	}
	return z.rows
}

// builtinShape is the shape of component k of a built-in input.
func builtinShape(p *program.Program, b spirv.BuiltIn, k int) shape {
	width, size := uint32(p.Width), p.TileSize
	switch b {
	case spirv.BuiltInNumWorkgroups, spirv.BuiltInWorkgroupSize, spirv.BuiltInWorkgroupId,
		spirv.BuiltInSubgroupSize, spirv.BuiltInSubgroupMaxSize, spirv.BuiltInNumSubgroups, spirv.BuiltInSubgroupId:
		return uniform
	case spirv.BuiltInLocalInvocationIndex, spirv.BuiltInSubgroupLocalInvocationId:
		return linear
	case spirv.BuiltInLocalInvocationId, spirv.BuiltInGlobalInvocationId:
		row := size[0]%width == 0            // a warp stays in a row of the tile
		line := size[1] == 1 && size[2] == 1 // the tile is one
		switch {
		case k == 0 && (row || line):
			return linear
		case k == 1 && (row || line), k == 2 && (line || size[0]*size[1]%width == 0):
			return uniform
		}
	}
	return varying
}

type shaping struct {
	p       *program.Program
	rows    []shape
	stride  uint32
	changed bool
}

func (z *shaping) at(element uint32) shape { return z.rows[element/z.stride] }

func (z *shaping) set(element uint32, s shape) {
	r := &z.rows[element/z.stride]
	if m := r.meet(s); m != *r {
		*r, z.changed = m, true
	}
}

// op sets the rows that an operation writes.
func (z *shaping) op(op *program.Op) {
	if op.Code.Plain() {
		for i := uint32(0); i < op.N; i += z.stride {
			z.set(op.Dst+i, z.plain(op, i))
		}
		return
	}
	s := varying
	switch op.Code {
	case program.Load8, program.Load16, program.Load32, program.Load64, program.LoadPtr, program.CallN, program.ArrayLen, program.PtrToElem, program.HandleElem:
		s = uniform // if all that they read is
	}
	z.p.Touches(op, func(r program.RowRun) {
		for i := uint32(0); i < r.N; i += z.stride {
			if r.Writes() {
				z.set(r.At+i, s)
			} else if !z.at(r.At + i).same() {
				s = varying
			}
		}
	})
}

// plain is the shape of the row i elements from Dst.
func (z *shaping) plain(op *program.Op, i uint32) shape {
	hasA, hasB, hasC := op.Operands()
	a, b, c := uniform, uniform, uniform
	if hasA {
		a = z.at(op.A + i)
	}
	if hasB {
		b = z.at(op.B + i)
	}
	if hasC {
		c = z.at(op.C + i)
	}
	switch {
	case a.same() && b.same() && c.same():
		return uniform
	case op.Code == program.Mov:
		return a
	case op.Code == program.IAdd32 && (a == linear && b.same() || a.same() && b == linear),
		op.Code == program.ISub32 && a == linear && b.same(),
		op.Code == program.IMulAdd32 && a.same() && b.same() && c == linear:
		return linear
	}
	return varying
}
