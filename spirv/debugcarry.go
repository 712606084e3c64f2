package spirv

import (
	"slices"

	"ampdbg/diag"
)

// carryPositions gives a position to instructions at the start of blocks that
// have none. A line ends with its block (SPIR-V 1.6, 3.52.2, OpLine), and
// compilers do not repeat it where the blocks of one expression meet: in
// "x = c ? a : b" the store of x has none, nor has the branch of "if (a && b)".
// Such an instruction has the position of the branch that its block belongs
// to: the one that the block is the merge point of, or else the conditional one
// that alone leads to it, or the head of the loop whose test it is. What follows a loop belongs to nothing, and a block
// that only leaves has no need of a position.
func (d *debugReader) carryPositions() {
	pos := d.out.pos
	if pos == nil {
		return
	}
	for _, f := range d.Functions {
		byLabel := map[ID]*Block{}
		for _, b := range f.Blocks {
			byLabel[b.Label] = b
		}
		blocks := slices.Clone(f.Blocks)
		slices.SortFunc(blocks, func(a, b *Block) int { return a.Order - b.Order })
		selection, loop := map[*Block]*Block{}, map[*Block]bool{} // by merge block
		for _, b := range blocks {
			if b.MergeInst < 0 {
				continue
			}
			if merge := byLabel[ID(d.Insts[b.MergeInst].Args[0])]; d.Insts[b.MergeInst].Op == OpLoopMerge {
				loop[merge] = true
			} else {
				selection[merge] = b
			}
		}
		for _, b := range blocks {
			if b.Order < 0 || loop[b] {
				continue
			}
			var from diag.Pos
			if header := selection[b]; header != nil {
				from = pos[header.MergeInst]
			} else if len(b.Preds) == 1 && (len(b.Preds[0].Succs) > 1 || b.Preds[0].MergeInst >= 0) {
				from = pos[b.Preds[0].Last]
			}
			if !from.IsValid() {
				continue
			}
			does := false // something but to leave
			for i := b.First; i <= b.Last && !pos[i].IsValid(); i++ {
				op := d.Insts[i].Op
				n, debug := d.debugOp(i)
				if op == OpNoLine || debug && n == ShaderDebugNoLine || !does && (op == OpBranch || op == OpReturn || op == OpUnreachable) {
					break
				}
				does = does || op != OpPhi && op != OpLine && !debug
				pos[i] = from
			}
		}
	}
}
