package program

// RowRun is a run of consecutive rows that an operation reads or writes.
type RowRun struct {
	At   uint32 // element of the first row
	N    uint32 // elements, a multiple of the program's Stride
	Role Role
}

// Writes reports whether the operation writes the rows; it reads them otherwise.
func (r RowRun) Writes() bool { return r.Role == RoleResult }

// Touches calls f with all runs of rows that op reads, and then those that it
// writes. Registers of variables that an operation reaches by an index are among
// them, as a whole.
func (p *Program) Touches(op *Op, f func(RowRun)) {
	row := uint32(p.Stride)
	info := &table[op.Code]
	run := op.N
	if info.countsRows {
		run *= row
	}
	for i := range 4 {
		if o, at := info.operand(op, i); o.names(op) && o.role != RoleResult {
			f(o.runAt(at, run, row))
		}
	}
	if info.listed != nil {
		info.listed(p, op, func(role Role, rows ...uint32) {
			for _, r := range rows {
				if r != NoRow {
					f(RowRun{At: r, N: row, Role: role})
				}
			}
		})
	}
	if info.variable != RoleNone {
		v := &p.Vars[op.X]
		f(RowRun{At: uint32(v.Row) * row, N: uint32(v.Rows) * row, Role: info.variable})
	}
	if info.dst.role == RoleResult {
		f(info.dst.runAt(op.Dst, run, row))
	}
}

// operand is the i-th field of an operation that may name a row.
func (info *Info) operand(op *Op, i int) (o *operand, at uint32) {
	switch i {
	case 0:
		return &info.a, op.A
	case 1:
		return &info.b, op.B
	case 2:
		return &info.c, op.C
	}
	return &info.dst, op.Dst
}

func (o *operand) runAt(at, run, row uint32) RowRun {
	if o.run {
		return RowRun{At: at, N: run, Role: o.role}
	}
	return RowRun{At: at, N: row, Role: o.role}
}

// names reports whether a field of this sort names a row in op.
func (o *operand) names(op *Op) bool {
	switch o.when {
	case flag:
		return op.Flag != 0
	case stride:
		return op.Y != 0
	}
	return o.role != RoleNone
}

// Plain reports whether the operation computes Dst from the operands that its
// fields name: no control flow, memory, or rows listed elsewhere. Plain
// operations may be given another row to write.
func (c Code) Plain() bool { return c >= Mov && c <= PtrAdd }

// computes reports whether the operation is a value operation: it computes rows
// from rows.
func (c Code) computes() bool { return c >= Mov && c <= CallN }

// Operands tells which of A, B and C a Plain operation reads.
func (op *Op) Operands() (a, b, c bool) {
	info := &table[op.Code]
	read := func(o *operand) bool { return o.role != RoleResult && o.names(op) }
	return read(&info.a), read(&info.b), read(&info.c)
}

// Reads reports whether a Plain operation on single rows has row as an
// operand.
func (op *Op) Reads(row uint32) bool {
	a, b, c := op.Operands()
	return a && op.A == row || b && op.B == row || c && op.C == row
}

// Writes reports whether the operation computes row, named in Dst, and no other.
func (op *Op) Writes(row uint32) bool {
	return op.Dst == row && table[op.Code].dst.role == RoleResult
}

// Rename makes a Plain operation read row to where it reads row from.
func (op *Op) Rename(from, to uint32) {
	a, b, c := op.Operands()
	if a && op.A == from {
		op.A = to
	}
	if b && op.B == from {
		op.B = to
	}
	if c && op.C == from {
		op.C = to
	}
}
