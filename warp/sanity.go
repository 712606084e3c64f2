package warp

import "fmt"

// Finish completes a program whose code is there. The error is Check's.
func (p *Program) Finish() error {
	if err := p.Check(); err != nil {
		return err
	}
	p.quicken()
	return nil
}

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
		ok := true
		switch {
		case op.Code.Plain():
			a, b, c := op.operands()
			ok = op.N > 0 && op.N%stride == 0 && row(op.Dst, op.N) && (op.Code == Mov || row(p.Scratch, op.N)) &&
				(!a || row(op.A, op.N)) && (!b || row(op.B, op.N)) && (!c || row(op.C, op.N))
		case op.Code == Load32 || op.Code == Store32:
			second := op.A
			value := op.Dst
			if op.Code == Store32 {
				second, value = op.Dst, op.A
			}
			ok = row(value, stride) && row(op.C, stride) && (op.Flag == 0 || row(second, stride)) && int(op.X) < 1<<24
		case op.Code == BranchIf:
			ok = row(op.A, stride)
		case op.Code >= BranchULt && op.Code <= BranchNe:
			ok = row(op.A, stride) && row(op.B, stride)
		}
		switch op.Code {
		case Jump:
			ok = p.inCode(op.X)
		case BranchIf, BranchULt, BranchULe, BranchSLt, BranchSLe, BranchEq, BranchNe:
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
