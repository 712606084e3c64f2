package debugger

import "ampdbg/program"

// flow is where control can go from each operation of a program.
type flow struct {
	preds [][]int32
	back  []bool // the operation is a back edge
}

// newFlow follows the program from its entry, with the constructs that are
// open at each operation.
func newFlow(p *program.Program) *flow {
	f := &flow{preds: make([][]int32, len(p.Code)), back: make([]bool, len(p.Code))}
	type node struct {
		pc    int32
		stack []int32
	}
	seen := make([]bool, len(p.Code))
	work := []node{{int32(p.Entry), []int32{0}}}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for pc, stack := n.pc, n.stack; !seen[pc]; pc++ {
			seen[pc] = true
			op := &p.Code[pc]
			go1 := func(to int32, s []int32) {
				if to < 0 {
					return
				}
				f.preds[to] = append(f.preds[to], pc)
				if !seen[to] {
					work = append(work, node{to, s})
				}
			}
			level := len(stack) - 1 - int(op.X)
			switch op.Code {
			case program.Jump:
				go1(op.X, stack)
			case program.BranchIf, program.BranchULt, program.BranchULe, program.BranchSLt, program.BranchSLe, program.BranchEq, program.BranchNe:
				go1(op.X, stack)
				go1(op.Y, stack)
			case program.SwitchOn:
				for _, to := range p.Switches[op.X].Targets {
					go1(to, stack)
				}
			case program.Enter:
				stack = append(stack[:len(stack):len(stack)], op.X)
				f.preds[pc+1] = append(f.preds[pc+1], pc)
				continue
			case program.ExitMerge:
				go1(p.Constructs[stack[level]].Merge, stack[:level])
			case program.ExitCont:
				go1(p.Constructs[stack[level]].Cont, stack[:level+1])
			case program.BackEdge:
				f.back[pc] = true
				go1(p.Constructs[stack[level]].Header, stack[:level+1])
			case program.Return, program.Unreachable:
			default:
				f.preds[pc+1] = append(f.preds[pc+1], pc)
				continue
			}
			break
		}
	}
	return f
}
