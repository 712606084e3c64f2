package racecheck

import (
	"fmt"

	"ampdbg/diag"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// firstRead is a read of memory that no one wrote.
type firstRead struct {
	count uint64
	f     diag.Finding
}

// readsUnwritten notes that a lane reads tile_static memory that no one wrote.
func (o *observer) readsUnwritten(w *warp.Warp, a *warp.Access, l int) {
	if a.Kind == warp.AtomicAccess && a.Op == tilemem.AtomicStore {
		return
	}
	view := int(a.View[l])
	name := o.m.Element(view, a.Off[l])
	f := diag.Finding{
		Code: diag.Uninitialized, Severity: o.opt.severity(diag.Uninitialized, ""), Kernel: o.m.Entry.Name,
		Variable: name, Space: o.m.Views[view].SpaceName(),
		Message: fmt.Sprintf("read of %s, which no thread of the tile has written", name),
	}
	stack := o.m.Stack(a.PC)
	acc := diag.Access{Kind: "read", Thread: o.thread(o.firstThread(w) + uint32(l)), ID: o.m.ID(a.PC), Stack: stack}
	if len(stack) > 0 {
		acc.Pos = stack[0].Pos
	}
	f.Accesses = []diag.Access{acc}
	if o.unsure == nil {
		o.unsure = map[string]*firstRead{}
	}
	k := f.Fingerprint()
	r := o.unsure[k]
	if r == nil {
		r = &firstRead{f: f}
		o.unsure[k] = r
	}
	r.count++
}

// initialised reports whether a tile_static memory has an initialiser.
func (o *observer) initialised(mem *tilemem.Memory) bool {
	for v := range o.m.Views {
		if o.m.MemoryOf(v) == mem {
			if x := o.m.Unit.Var(o.m.Views[v].Var); x != nil && x.Init != 0 {
				return true
			}
		}
	}
	return false
}
