package warp

import "ampdbg/program"

// quickNames are the names of the interpreter's own operations.
var quickNames = map[program.Code]string{
	Break:         "break",
	BranchUniform: "branch_uniform",
	LoadUniform:   "load_uniform",
	CheckUniform:  "check_uniform",
	LoadLinear:    "load_linear",
	StoreLinear:   "store_linear",
	CompareBranch: "compare_branch",
	MulAdd:        "mul_add",
	LoadLoadFma:   "load_load_fma",
	LoopNext:      "loop_next",
}

// QuickForm names the operation of the quick form at pc and says how many of the
// program's it does; the name is empty where it is the program's own.
func (c *Interpreted) QuickForm(pc int) (name string, extent int) {
	return quickNames[c.quick[pc].Code], c.extent(pc)
}
