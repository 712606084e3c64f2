package program

// FlowGraph is where control goes from each operation of a program, and comes
// from to each, by pc. Operations that cannot be reached have neither.
type FlowGraph struct {
	Succs, Preds [][]int32
	Back         []bool // the operation is a back edge
	// Order lists the operations that can be reached, each after one that leads to
	// it.
	Order []int32
}

// Flow follows a program from its entry, with the constructs that are open at
// each operation.
func (p *Program) Flow() *FlowGraph {
	n := len(p.Code)
	g := &FlowGraph{Succs: make([][]int32, n), Preds: make([][]int32, n), Back: make([]bool, n)}
	type node struct {
		pc    int32
		stack []int32 // constructs, the innermost last
	}
	seen := make([]bool, n)
	work := []node{{int32(p.Entry), []int32{0}}}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for pc, stack := at.pc, at.stack; !seen[pc]; pc++ {
			seen[pc] = true
			g.Order = append(g.Order, pc)
			edge := func(to int32) {
				g.Succs[pc] = append(g.Succs[pc], to)
				g.Preds[to] = append(g.Preds[to], pc)
			}
			jump := func(to int32, s []int32) {
				if to >= 0 {
					if edge(to); !seen[to] {
						work = append(work, node{to, s})
					}
				}
			}
			op := &p.Code[pc]
			level := len(stack) - 1 - int(op.X)
			switch table[op.Code].Flow {
			case FlowJump:
				jump(op.X, stack)
			case FlowBranch:
				jump(op.X, stack)
				jump(op.Y, stack)
			case FlowSwitch:
				for _, to := range p.Switches[op.X].Targets {
					jump(to, stack)
				}
			case FlowMerge:
				jump(p.Constructs[stack[level]].Merge, stack[:level])
			case FlowContinue:
				jump(p.Constructs[stack[level]].Cont, stack[:level+1])
			case FlowBack:
				g.Back[pc] = true
				jump(p.Constructs[stack[level]].Header, stack[:level+1])
			case FlowEnd:
			case FlowEnter:
				stack = append(stack[:len(stack):len(stack)], op.X)
				edge(pc + 1)
				continue
			default:
				edge(pc + 1)
				continue
			}
			break
		}
	}
	return g
}
