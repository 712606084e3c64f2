package program

import "fmt"

// Check reports what is wrong with a program: a row outside the arena, or a
// jump out of the code. The interpreter reaches rows without bounds checks,
// so a program must pass before it runs; a failure is a mistake of the
// lowering.
func (p *Program) Check() error {
	size := uint64(p.Rows) * uint64(p.Stride)
	row := func(off uint32, n uint32) bool {
		return uint64(off)%uint64(p.Stride) == 0 && uint64(off)+uint64(n) <= size
	}
	stride := uint32(p.Stride)
	for pc := range p.Code {
		op := &p.Code[pc]
		if op.Code >= NumCodes {
			return fmt.Errorf("operation %d of the lowered program is no code of one: %+v", pc, *op)
		}
		ok := true
		p.Touches(op, func(r RowRun) { ok = ok && r.N > 0 && r.N%stride == 0 && row(r.At, r.N) })
		switch {
		case op.Code.Plain():
			ok = ok && (op.Code == Mov || row(p.Scratch, op.N))
		case op.Code == Load32 || op.Code == Store32:
			ok = ok && row(op.C, stride) && int(op.X) < 1<<24 // the row is read, whatever the stride
		}
		switch table[op.Code].Flow {
		case FlowJump:
			ok = p.inCode(op.X)
		case FlowBranch:
			ok = ok && p.inCode(op.X) && p.inCode(op.Y)
		}
		if !ok {
			return fmt.Errorf("operation %d, %v, of the lowered program is malformed: %+v", pc, op.Code, *op)
		}
	}
	for _, c := range p.Consts {
		if !row(c.Row, stride) {
			return fmt.Errorf("constant %#x of the lowered program lies outside the arena", c.Bits)
		}
	}
	return nil
}

func (p *Program) inCode(pc int32) bool { return pc >= 0 && int(pc) < len(p.Code) }
