package emu_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// Random structured programs: statements over four uint variables, with
// everything that structured control flow has. flowGen makes them, flowCode
// writes them as SPIR-V, and the reference in flowref_test.go runs them.

type stmt interface{}

type (
	assign  struct{ dst, op, a, b int } // var[dst] = var[a] op (var[b] or a constant)
	mark    struct{ id int }            // hash in id
	ballot  struct{ id int }            // hash in id and the lanes that are here together
	barrier struct{ id int }
	ifStmt  struct {
		cond      cond
		then, els []stmt
		phi       bool // with no exits in either arm: var[0] = phi(id, id+1)
		id        int
		hasElse   bool
	}
	switchStmt struct {
		id, on int // var[on] & 3
		cases  []switchCase
		def    int // index of the default's case, -1: the merge block
	}
	switchCase struct {
		values []int
		body   []stmt
		falls  bool
	}
	loopStmt struct {
		id, form int
		trips    int // var[trips] & 3, at the loop's start
		body     []stmt
		cont     []stmt // in the continue construct: no exits
	}
	breakLoop    struct{}
	breakSwitch  struct{}
	continueLoop struct{}
	returnStmt   struct{}
	callStmt     struct{ id, fn, arg, dst int }
)

// cond is (var[v] & mask) < limit.
type cond struct{ v, mask, limit int }

// The forms of loop.
const (
	testInBody   = iota // the header only branches to a block that tests
	testInHeader        // the header's branch tests
	doWhile             // the back edge's branch tests
	counterPhi          // testInHeader, with the counter in an OpPhi
	loopForms
)

type flowProgram struct {
	main []stmt
	fns  [][]stmt // fns[i] may call fns[j], j > i; they return var[0]
}

type flowGen struct {
	r        *rand.Rand
	ballots  bool
	barriers bool
	ids      int
	left     int // statements still to make
	fns      int
}

func (g *flowGen) id() int { g.ids++; return g.ids }

func randomFlow(r *rand.Rand, ballots, barriers bool) *flowProgram {
	g := &flowGen{r: r, ballots: ballots, barriers: barriers, fns: r.IntN(3)}
	p := &flowProgram{}
	g.left = 8 + r.IntN(30)
	p.main = g.list(scope{fn: -1}, 4)
	for i := range g.fns {
		g.left = 6 + r.IntN(12)
		p.fns = append(p.fns, g.list(scope{fn: i}, 3))
	}
	return p
}

// scope says what a statement may leave for.
type scope struct {
	fn             int
	loop           bool // in a loop
	swtch          bool // in a switch, with no loop in between
	noExit, inCont bool
}

func (g *flowGen) list(s scope, depth int) []stmt {
	var out []stmt
	for n := 1 + g.r.IntN(4); n > 0 && g.left > 0; n-- {
		g.left--
		st, ends := g.stmt(s, depth)
		out = append(out, st)
		if ends {
			return out
		}
	}
	return append(out, mark{g.id()})
}

func (g *flowGen) cond() cond {
	masks := []int{1, 3, 7, 31}
	m := masks[g.r.IntN(len(masks))]
	return cond{g.r.IntN(4), m, g.r.IntN(m + 2)}
}

func (g *flowGen) stmt(s scope, depth int) (st stmt, ends bool) {
	switch k := g.r.IntN(20); {
	case k < 3:
		return assign{g.r.IntN(4), g.r.IntN(5), g.r.IntN(4), g.r.IntN(8)}, false
	case k < 4:
		return mark{g.id()}, false
	case k < 6:
		if g.ballots {
			return ballot{g.id()}, false
		}
		if g.barriers && !s.inCont {
			return barrier{g.id()}, false
		}
		return mark{g.id()}, false
	case k < 10 && depth > 0:
		st := ifStmt{cond: g.cond(), id: g.id(), hasElse: g.r.IntN(2) == 0}
		g.ids++
		st.phi = st.hasElse && g.r.IntN(3) == 0
		in := s
		in.noExit = s.noExit || st.phi
		st.then = g.list(in, depth-1)
		if st.hasElse {
			st.els = g.list(in, depth-1)
		}
		return st, st.hasElse && exits(st.then) && exits(st.els)
	case k < 12 && depth > 0:
		st := switchStmt{id: g.id(), on: g.r.IntN(4), def: -1}
		in := s
		in.swtch = true
		values := g.r.Perm(4)
		for n := 1 + g.r.IntN(4); n > 0; n-- {
			c := switchCase{falls: g.r.IntN(3) == 0}
			for k := 1 + g.r.IntN(2); k > 0 && len(values) > 0; k-- {
				c.values = append(c.values, values[0])
				values = values[1:]
			}
			c.body = g.list(in, depth-1)
			st.cases = append(st.cases, c)
		}
		last := len(st.cases) - 1
		st.cases[last].falls = false
		if g.r.IntN(2) == 0 {
			st.def = last
		}
		for i := range st.cases {
			if len(st.cases[i].values) == 0 && i != st.def {
				st.cases[i].values = []int{10 + i}
			}
		}
		return st, exits([]stmt{st})
	case k < 15 && depth > 0:
		st := loopStmt{id: g.id(), form: g.r.IntN(loopForms), trips: g.r.IntN(4)}
		in := s
		in.loop, in.swtch = true, false
		st.body = g.list(in, depth-1)
		if g.r.IntN(3) == 0 {
			st.cont = g.list(scope{fn: s.fn, noExit: true, inCont: true}, 1)
		}
		return st, false
	case k < 16 && s.loop && !s.noExit:
		return breakLoop{}, true
	case k < 17 && s.loop && !s.noExit:
		return continueLoop{}, true
	case k < 18 && s.swtch && !s.noExit:
		return breakSwitch{}, true
	case k < 19 && !s.noExit && g.r.IntN(2) == 0:
		return returnStmt{}, true
	case k < 20 && s.fn+1 < g.fns && !s.inCont:
		return callStmt{g.id(), s.fn + 1 + g.r.IntN(g.fns-s.fn-1), g.r.IntN(4), g.r.IntN(4)}, false
	}
	return mark{g.id()}, false
}

// exits reports whether a list never comes to its end.
func exits(list []stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case breakLoop, breakSwitch, continueLoop, returnStmt:
		return true
	case ifStmt:
		return s.hasElse && exits(s.then) && exits(s.els)
	case switchStmt:
		if s.def < 0 {
			return false
		}
		for _, c := range s.cases {
			if !(exits(c.body) || c.falls) || leavesSwitch(c.body) {
				return false
			}
		}
		return true
	}
	return false
}

// leavesSwitch reports whether a list breaks out of the switch around it.
func leavesSwitch(list []stmt) bool {
	for _, st := range list {
		switch s := st.(type) {
		case breakSwitch:
			return true
		case ifStmt:
			if leavesSwitch(s.then) || leavesSwitch(s.els) {
				return true
			}
		}
	}
	return false
}

// flowCode writes a program as SPIR-V.
type flowCode struct {
	b     strings.Builder
	vars  strings.Builder // Function variables of the current function
	n     int
	cur   string // label of the open block
	fn    int
	loops []loopLabels
	merge []string // of switches
}

type loopLabels struct{ merge, cont string }

func (c *flowCode) p(format string, args ...any) { fmt.Fprintf(&c.b, format+"\n", args...) }

func (c *flowCode) fresh(what string) string { c.n++; return fmt.Sprintf("%%%s%d", what, c.n) }

func (c *flowCode) label(l string) { c.p("%s = OpLabel", l); c.cur = l }

func (c *flowCode) v(i int) string { return fmt.Sprintf("%%v%d_%d", c.fn+1, i) }

func (c *flowCode) load(i int) string {
	x := c.fresh("x")
	c.p("%s = OpLoad %%uint %s", x, c.v(i))
	return x
}

func (c *flowCode) op(format string, args ...any) string {
	x := c.fresh("x")
	c.p("%s = "+format, append([]any{x}, args...)...)
	return x
}

// hash mixes x into the thread's hash.
func (c *flowCode) hash(x string) {
	h := c.op("OpLoad %%uint %%hash")
	h = c.op("OpIMul %%uint %s %%mixer", h)
	h = c.op("OpIAdd %%uint %s %s", h, x)
	c.p("OpStore %%hash %s", h)
}

func (c *flowCode) constant(i int) string { return fmt.Sprintf("%%c%d", i) }

func (c *flowCode) cond(k cond) string {
	x := c.op("OpBitwiseAnd %%uint %s %s", c.load(k.v), c.constant(k.mask))
	return c.op("OpULessThan %%bool %s %s", x, c.constant(k.limit))
}

// list writes statements; it reports whether the block is still open.
func (c *flowCode) list(l []stmt) bool {
	for _, s := range l {
		if !c.stmt(s) {
			return false
		}
	}
	return true
}

func (c *flowCode) stmt(s stmt) bool {
	switch s := s.(type) {
	case assign:
		a := c.load(s.a)
		b := c.constant(s.b * 3)
		if s.b < 4 {
			b = c.load(s.b)
		}
		op := []string{"OpIAdd", "OpISub", "OpIMul", "OpBitwiseXor", "OpBitwiseOr"}[s.op]
		c.p("OpStore %s %s", c.v(s.dst), c.op("%s %%uint %s %s", op, a, b))
	case mark:
		c.hash(c.constant(s.id))
	case ballot:
		c.hash(c.constant(s.id))
		x := c.op("OpGroupNonUniformBallot %%v4uint %%uint_3 %%true")
		for k := range 4 {
			c.hash(c.op("OpCompositeExtract %%uint %s %d", x, k))
		}
	case barrier:
		c.p("OpControlBarrier %%uint_2 %%uint_2 %%uint_264")
	case ifStmt:
		return c.ifStmt(s)
	case switchStmt:
		return c.switchStmt(s)
	case loopStmt:
		c.loop(s)
	case breakLoop:
		c.p("OpBranch %s", c.loops[len(c.loops)-1].merge)
		return false
	case continueLoop:
		c.p("OpBranch %s", c.loops[len(c.loops)-1].cont)
		return false
	case breakSwitch:
		c.p("OpBranch %s", c.merge[len(c.merge)-1])
		return false
	case returnStmt:
		c.leave()
		return false
	case callStmt:
		x := c.op("OpFunctionCall %%uint %%f%d %s", s.fn, c.load(s.arg))
		c.p("OpStore %s %s", c.v(s.dst), x)
	}
	return true
}

// leave returns from the current function.
func (c *flowCode) leave() {
	if c.fn >= 0 {
		c.p("OpReturnValue %s", c.load(0))
		return
	}
	h := c.op("OpLoad %%uint %%hash")
	for i := range 4 {
		h = c.op("OpIMul %%uint %s %%mixer", h)
		h = c.op("OpIAdd %%uint %s %s", h, c.load(i))
	}
	p := c.op("OpAccessChain %%sb_uint %%b0 %%uint_0 %%g")
	c.p("OpStore %s %s", p, h)
	c.p("OpReturn")
}

func (c *flowCode) ifStmt(s ifStmt) bool {
	k := c.cond(s.cond)
	then, els, merge := c.fresh("then"), c.fresh("else"), c.fresh("endif")
	c.p("OpSelectionMerge %s None", merge)
	if s.hasElse {
		c.p("OpBranchConditional %s %s %s", k, then, els)
	} else {
		c.p("OpBranchConditional %s %s %s", k, then, merge)
	}
	var from [2]string
	c.label(then)
	open := c.list(s.then)
	if open {
		c.p("OpBranch %s", merge)
		from[0] = c.cur
	}
	reach := open || !s.hasElse
	if s.hasElse {
		c.label(els)
		open := c.list(s.els)
		if open {
			c.p("OpBranch %s", merge)
			from[1] = c.cur
		}
		reach = reach || open
	}
	c.label(merge)
	if !reach {
		c.p("OpUnreachable")
		return false
	}
	if s.phi && from[0] != "" && from[1] != "" {
		x := c.op("OpPhi %%uint %s %s %s %s", c.constant(s.id), from[0], c.constant(s.id+1), from[1])
		c.p("OpStore %s %s", c.v(0), x)
	}
	return true
}

func (c *flowCode) switchStmt(s switchStmt) bool {
	on := c.op("OpBitwiseAnd %%uint %s %%uint_3", c.load(s.on))
	merge := c.fresh("endswitch")
	labels := make([]string, len(s.cases)+1)
	for i := range s.cases {
		labels[i] = c.fresh("case")
	}
	def := merge
	if s.def >= 0 {
		def = labels[s.def]
	}
	c.p("OpSelectionMerge %s None", merge)
	fmt.Fprintf(&c.b, "OpSwitch %s %s", on, def)
	for i, k := range s.cases {
		for _, v := range k.values {
			fmt.Fprintf(&c.b, " %d %s", v, labels[i])
		}
	}
	c.p("")
	c.merge = append(c.merge, merge)
	reach := s.def < 0
	for i, k := range s.cases {
		c.label(labels[i])
		reach = reach || leavesSwitch(k.body)
		if c.list(k.body) {
			if k.falls {
				c.p("OpBranch %s", labels[i+1])
			} else {
				c.p("OpBranch %s", merge)
				reach = true
			}
		}
	}
	c.merge = c.merge[:len(c.merge)-1]
	c.label(merge)
	if !reach {
		c.p("OpUnreachable")
	}
	return reach
}

func (c *flowCode) loop(s loopStmt) {
	header, test, body, cont, merge := c.fresh("loop"), c.fresh("test"), c.fresh("body"), c.fresh("continue"), c.fresh("endloop")
	trips := c.op("OpBitwiseAnd %%uint %s %%uint_3", c.load(s.trips))
	counter := fmt.Sprintf("%%i%d_%d", c.fn+1, s.id)
	phi, next := counter+"_phi", counter+"_next"
	if s.form != counterPhi {
		fmt.Fprintf(&c.vars, "%s = OpVariable %%fp_uint Function\n", counter)
		c.p("OpStore %s %%uint_0", counter)
	}
	before := c.cur
	c.p("OpBranch %s", header)
	c.label(header)
	back := c.fresh("back")
	var less string
	switch s.form {
	case counterPhi:
		c.p("%s = OpPhi %%uint %%uint_0 %s %s %s", phi, before, next, back)
		less = c.op("OpULessThan %%bool %s %s", phi, trips)
	case testInHeader:
		less = c.op("OpULessThan %%bool %s %s", c.op("OpLoad %%uint %s", counter), trips)
	}
	c.p("OpLoopMerge %s %s None", merge, cont)
	switch s.form {
	case testInBody:
		c.p("OpBranch %s", test)
		c.label(test)
		less = c.op("OpULessThan %%bool %s %s", c.op("OpLoad %%uint %s", counter), trips)
		c.p("OpBranchConditional %s %s %s", less, body, merge)
	case doWhile:
		c.p("OpBranch %s", body)
	default:
		c.p("OpBranchConditional %s %s %s", less, body, merge)
	}
	c.label(body)
	c.loops = append(c.loops, loopLabels{merge, cont})
	if c.list(s.body) {
		c.p("OpBranch %s", cont)
	}
	c.loops = c.loops[:len(c.loops)-1]
	c.label(cont)
	c.list(s.cont)
	// The back edge comes from a block of its own.
	c.p("OpBranch %s", back)
	c.label(back)
	if s.form == counterPhi {
		c.p("%s = OpIAdd %%uint %s %%uint_1", next, phi)
		c.p("OpBranch %s", header)
	} else {
		x := c.op("OpIAdd %%uint %s %%uint_1", c.op("OpLoad %%uint %s", counter))
		c.p("OpStore %s %s", counter, x)
		if s.form == doWhile {
			less = c.op("OpULessThan %%bool %s %s", x, trips)
			c.p("OpBranchConditional %s %s %s", less, header, merge)
		} else {
			c.p("OpBranch %s", header)
		}
	}
	c.label(merge)
}

// kernel writes the whole program. Thread g starts with var[i] = g >> i ^ salt,
// in buffer 0 it leaves its hash.
func (p *flowProgram) kernel(size uint32, threads int, salt uint32) *kernel {
	k := &kernel{size: size, buffers: []buffer{{"uint", make([]byte, 4*threads)}}}
	k.caps = []string{"GroupNonUniform", "GroupNonUniformBallot"}
	var g strings.Builder
	g.WriteString("%fp_uint = OpTypePointer Function %uint\n%pp_uint = OpTypePointer Private %uint\n")
	g.WriteString("%hash = OpVariable %pp_uint Private %uint_1\n%mixer = OpConstant %uint 1664525\n%fnuint = OpTypeFunction %uint %uint\n")
	fmt.Fprintf(&g, "%%salt = OpConstant %%uint %d\n", salt)
	k.vars = "%b0 %hash"
	body := func(fn int, list []stmt, start string) (vars, code string) {
		c := &flowCode{fn: fn, n: (fn + 1) * 10000, cur: "%entry"}
		if fn >= 0 {
			c.cur = fmt.Sprintf("%%fentry%d", fn)
		}
		for i := range 4 {
			fmt.Fprintf(&c.vars, "%s = OpVariable %%fp_uint Function\n", c.v(i))
		}
		for i := range 4 {
			x := c.op("OpShiftRightLogical %%uint %s %s", start, c.constant(i))
			c.p("OpStore %s %s", c.v(i), c.op("OpBitwiseXor %%uint %s %%salt", x))
		}
		if c.list(list) {
			c.leave()
		}
		return c.vars.String(), c.b.String()
	}
	k.fvars, k.body = body(-1, p.main, "%g")
	k.ended = true
	var f strings.Builder
	for i, l := range p.fns {
		vars, code := body(i, l, fmt.Sprintf("%%p%d", i))
		fmt.Fprintf(&f, "%%f%d = OpFunction %%uint None %%fnuint\n%%p%d = OpFunctionParameter %%uint\n%%fentry%d = OpLabel\n%s%s\nOpFunctionEnd\n", i, i, i, vars, code)
	}
	k.funcs = f.String()
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`%c(\d+)\b`).FindAllStringSubmatch(k.body+k.funcs, -1) {
		if !known[m[1]] {
			known[m[1]] = true
			fmt.Fprintf(&g, "%%c%s = OpConstant %%uint %s\n", m[1], m[1])
		}
	}
	k.globals = g.String()
	return k
}
