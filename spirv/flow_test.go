package spirv

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// flowBlock is a block of a function under test: no targets return, one
// branches, two depend on a condition, more (or wide) on a switch.
type flowBlock struct {
	name           string
	merge, continu string
	targets        []string
	wide           bool
}

// parseFlow reads one block a line: "name [sel M | loop M C] [switch] targets".
func parseFlow(text string) (blocks []flowBlock) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		b := flowBlock{name: f[0]}
		f = f[1:]
		if len(f) > 0 && f[0] == "sel" {
			b.merge, f = f[1], f[2:]
		} else if len(f) > 0 && f[0] == "loop" {
			b.merge, b.continu, f = f[1], f[2], f[3:]
		}
		if len(f) > 0 && f[0] == "switch" {
			b.wide, f = true, f[1:]
		}
		b.targets = f
		blocks = append(blocks, b)
	}
	return blocks
}

// flowModule gives a module with one function of those blocks.
func flowModule(capability string, blocks []flowBlock) string {
	var names, body strings.Builder
	for _, b := range blocks {
		fmt.Fprintf(&names, "OpName %%%s \"%s\"\n", b.name, b.name)
		fmt.Fprintf(&body, "%%%s = OpLabel\n", b.name)
		switch {
		case b.continu != "":
			fmt.Fprintf(&body, "OpLoopMerge %%%s %%%s None\n", b.merge, b.continu)
		case b.merge != "":
			fmt.Fprintf(&body, "OpSelectionMerge %%%s None\n", b.merge)
		}
		switch n := len(b.targets); {
		case n == 0:
			body.WriteString("OpReturn\n")
		case b.wide || n > 2:
			fmt.Fprintf(&body, "OpSwitch %%one %%%s", b.targets[0])
			for k, t := range b.targets[1:] {
				fmt.Fprintf(&body, " %d %%%s", k, t)
			}
			body.WriteString("\n")
		case n == 1:
			fmt.Fprintf(&body, "OpBranch %%%s\n", b.targets[0])
		default:
			fmt.Fprintf(&body, "OpBranchConditional %%true %%%s %%%s\n", b.targets[0], b.targets[1])
		}
	}
	return "OpCapability " + capability + `
OpCapability Linkage
OpMemoryModel Logical GLSL450
` + names.String() + `
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%true = OpConstantTrue %bool
%one = OpConstant %uint 1
%fn = OpTypeFunction %void
%f = OpFunction %void None %fn
` + body.String() + "OpFunctionEnd\n"
}

func resolveText(t *testing.T, text string) (*Unit, error) {
	t.Helper()
	m, err := Assemble("test.spvasm", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return Resolve(m, nil)
}

func mustResolve(t *testing.T, text string) *Unit {
	t.Helper()
	u, err := resolveText(t, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return u
}

// constructText gives "header(header(...))" from the outermost construct in.
func (u *Unit) constructText(c *Construct) string {
	var headers []string
	for ; c != nil; c = c.Parent {
		headers = append(headers, u.Name(c.Header.Label))
	}
	slices.Reverse(headers)
	return strings.Join(headers, ">")
}

func TestConstructs(t *testing.T) {
	tests := []struct {
		name, flow string
		want       string // block:construct, where it lies in one
		order      string // blocks by Order, if not in module order
	}{
		{name: "if without else", flow: `
			a sel m b m
			b m
			m`, want: "b:a"},
		{name: "if with early return", flow: `
			a sel m b c
			b
			c m
			m`, want: "b:a c:a"},
		{name: "both arms return: merge unreachable", flow: `
			a sel m b c
			b
			c
			m`, want: "b:a c:a"},
		{name: "single-block loop", flow: `
			a h
			h loop m h h m
			m`, want: "h:h"},
		{name: "while loop", flow: `
			a h
			h loop m c t
			t b m
			b c
			c h
			m`, want: "h:h t:h b:h c:h"},
		{name: "loop header that branches conditionally", flow: `
			a h
			h loop m c b m
			b c
			c h
			m`, want: "h:h b:h c:h"},
		{name: "nested loops, break and continue from inside a selection", flow: `
			a h
			h loop m c b
			b g
			g loop n d e
			e sel s x s
			x sel y n y
			y d
			s d
			d g n
			n sel z m z
			z c
			c h
			m`, want: "h:h b:h g:h>g e:h>g x:h>g>e y:h>g>e s:h>g d:h>g n:h z:h c:h"},
		{name: "continue from a switch inside a loop", flow: `
			a h
			h loop m c b
			b sel s switch s p q r
			p q
			q c
			r m
			s c
			c h
			m`, want: "h:h b:h p:h>b q:h>b r:h>b s:h c:h"},
		{name: "fallthrough between cases", flow: `
			a sel m switch d x y
			x y
			y d
			d m
			m`, want: "x:a y:a d:a"},
		{name: "break out of a switch from a nested selection", flow: `
			a sel m switch d x
			x sel k m y
			y k
			k d
			d m
			m`, want: "x:a y:a>x k:a d:a"},
		{name: "switch case is a loop", flow: `
			a sel m switch m h
			h loop n h h n
			n m
			m`, want: "h:a>h n:a"},
		{name: "merge block is the next header", flow: `
			a sel h b h
			b h
			h loop m h h m
			m sel n x n
			x n
			n`, want: "b:a h:h x:m"},
		{name: "unreachable continue target", flow: `
			a h
			h loop m c b
			b m
			c h
			m`, want: "h:h b:h c:h"},
		{name: "endless loop: merge unreachable", flow: `
			a h
			h loop m c b
			b c
			c h
			m`, want: "h:h b:h c:h"},
		{name: "break and continue without a selection", flow: `
			a h
			h loop m c b
			b m k
			k c l
			l
			c h
			m`, want: "h:h b:h k:h l:h c:h"},
		{name: "selection in the continue construct", flow: `
			a h
			h loop m c b m
			b c
			c sel d e d
			e d
			d h
			m`, want: "h:h b:h c:h e:h>c d:h"},
		{name: "dead code after a return", flow: `
			a
			b sel c d c
			d c
			c`, want: ""},
		{name: "order is by structure", flow: `
			a sel m b c
			m
			c m
			b m`, want: "b:a c:a", order: "a b c m"},
		{name: "order of falling through", flow: `
			a sel m switch d x y
			d m
			y d
			x y
			m`, want: "x:a y:a d:a", order: "a x y d m"},
		{name: "order puts continue targets last in the loop", flow: `
			a h
			h loop m c b
			m
			c h
			b sel s c s
			s c k
			k m`, want: "h:h b:h s:h k:h c:h", order: "a h b s k c m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := mustResolve(t, flowModule("Shader", parseFlow(tt.flow)))
			f := u.Functions[0]
			got := map[string]string{}
			for _, b := range f.Blocks {
				if b.Construct != nil {
					got[u.Name(b.Label)] = u.constructText(b.Construct)
				}
			}
			want := map[string]string{}
			for _, w := range strings.Fields(tt.want) {
				b, c, _ := strings.Cut(w, ":")
				want[b] = c
			}
			for _, b := range f.Blocks {
				if n := u.Name(b.Label); got[n] != want[n] {
					t.Errorf("block %s lies in %q, want %q", n, got[n], want[n])
				}
			}
			if tt.order != "" {
				order := make([]string, len(f.Blocks))
				for _, b := range f.Blocks {
					order[b.Order] = u.Name(b.Label)
				}
				if s := strings.Join(order, " "); s != tt.order {
					t.Errorf("order %s, want %s", s, tt.order)
				}
			}
			checkFlow(t, u)
		})
	}
}

func TestBadFlow(t *testing.T) {
	tests := []struct{ name, flow, want string }{
		{"merge block not dominated", `
			a sel m b c
			b x
			c sel x y m
			y m
			x m
			m`, "does not structurally dominate"},
		{"merge block shared", `
			a sel m b m
			b sel m c m
			c m
			m`, "already that of header"},
		{"merge block is the header", `
			a b
			b sel b c c
			c`, "its own merge block"},
		{"branch into a construct", `
			a sel m b c
			b sel n d n
			d n
			n m
			c d
			m`, ""},
		{"selection without merge", `
			a b c
			b d
			c d
			d`, "without an OpSelectionMerge"},
		{"switch without merge", `
			a switch m m
			m`, "without an OpSelectionMerge"},
		{"loop without header", `
			a b
			b a2
			a2 b`, "not the header of a loop"},
		{"back edge from outside the continue construct", `
			a h
			h loop m c b
			b sel k h k
			k c
			c h
			m`, "outside its continue construct"},
		{"branch to the first block", `
			a b
			b a`, "first block"},
		{"continue target is merge block", `
			a h
			h loop m m b
			b m
			m`, "both"},
		{"continue target of an outer loop", `
			a h
			h loop m c g
			g loop n d e
			e c d
			d g n
			n c
			c h
			m`, "another construct"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := resolveText(t, flowModule("Shader", parseFlow(tt.flow)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestKernelFlowNeedsNoConstructs(t *testing.T) {
	text := flowModule("Kernel", parseFlow(`
		a b c
		b c d
		c b d
		d`))
	u := mustResolve(t, strings.Replace(text, "Logical GLSL450", "Logical OpenCL", 1))
	for _, b := range u.Functions[0].Blocks {
		if b.Construct != nil || !b.Reachable {
			t.Errorf("block %s: construct %v, reachable %v", u.Name(b.Label), b.Construct, b.Reachable)
		}
		if n := u.Name(b.Label); n != "a" && u.Name(b.IDom.Label) != "a" {
			t.Errorf("block %s: immediate dominator %s, want a", n, u.Name(b.IDom.Label))
		}
	}
}

// reach gives the blocks that paths from the entry reach without avoid.
func reach(f *Function, succs func(*Block) []*Block, avoid *Block) map[*Block]bool {
	seen := map[*Block]bool{}
	var walk func(*Block)
	walk = func(b *Block) {
		if b == avoid || seen[b] {
			return
		}
		seen[b] = true
		for _, s := range succs(b) {
			walk(s)
		}
	}
	walk(f.Blocks[0])
	return seen
}

// checkFlow compares dominators, constructs and order with their definitions
// by paths.
func checkFlow(t *testing.T, u *Unit) {
	t.Helper()
	for _, f := range u.Functions {
		plain := func(b *Block) []*Block { return b.Succs }
		all := reach(f, plain, nil)
		without := map[*Block]map[*Block]bool{}
		structured := map[*Block]map[*Block]bool{}
		for _, b := range f.Blocks {
			without[b] = reach(f, plain, b)
			structured[b] = reach(f, structuralSuccs, b)
		}
		sall := reach(f, structuralSuccs, nil)
		sdom := func(a, b *Block) bool { return sall[b] && !structured[a][b] }
		for _, b := range f.Blocks {
			if b.Reachable != all[b] {
				t.Errorf("block %s: reachable %v, want %v", u.Name(b.Label), b.Reachable, all[b])
			}
			// The strict dominators are the chain of immediate ones.
			for _, a := range f.Blocks {
				want := a != b && all[b] && !without[a][b]
				got := false
				for d := b.IDom; d != nil; d = d.IDom {
					got = got || d == a
				}
				if self := a == b && all[b]; a.Dominates(b) != (want || self) {
					t.Errorf("%s dominates %s: %v", u.Name(a.Label), u.Name(b.Label), a.Dominates(b))
				}
				if got != want {
					t.Errorf("%s dominates %s: %v, want %v", u.Name(a.Label), u.Name(b.Label), got, want)
				}
			}
			for _, s := range b.Succs {
				if u.structured && sall[b] && s.Order <= b.Order && !sdom(s, b) {
					t.Errorf("order of edge %s to %s", u.Name(b.Label), u.Name(s.Label))
				}
			}
			if (b.Order >= 0) != sall[b] {
				t.Errorf("block %s has order %d", u.Name(b.Label), b.Order)
			}
		}
		for _, c := range f.Constructs() {
			low, high, n := len(f.Blocks), -1, 0
			for _, b := range f.Blocks {
				want := sdom(c.Header, b) && !sdom(c.Merge, b) && (c.Kind == LoopConstruct || b != c.Header)
				got := c.contains(b.Construct)
				if got != want {
					t.Errorf("block %s in construct of %s: %v, want %v", u.Name(b.Label), u.Name(c.Header.Label), got, want)
				}
				if got {
					low, high, n = min(low, b.Order), max(high, b.Order), n+1
				}
			}
			if n > 0 && high-low+1 != n {
				t.Errorf("construct of %s is not contiguous in order", u.Name(c.Header.Label))
			}
			if n > 0 && c.Merge.Order <= high {
				t.Errorf("merge block of %s comes before the construct's end", u.Name(c.Header.Label))
			}
		}
	}
}

// flowMaker makes random structured control flow.
type flowMaker struct {
	rnd    *rand.Rand
	blocks []flowBlock
	budget int
}

func (g *flowMaker) block() int {
	g.blocks = append(g.blocks, flowBlock{name: fmt.Sprintf("b%d", len(g.blocks))})
	return len(g.blocks) - 1
}

func (g *flowMaker) name(k int) string { return g.blocks[k].name }

// sequence fills block k and what follows it, up to a branch to next; exits
// are where breaks and continues lead.
func (g *flowMaker) sequence(k int, next string, exits []string) {
	for {
		g.budget--
		kind := g.rnd.IntN(10)
		if g.budget <= 0 {
			kind = 9
		}
		switch kind {
		case 0, 1: // if
			then, m := g.block(), g.block()
			other := g.name(m)
			if g.rnd.IntN(2) == 0 {
				o := g.block()
				g.sequence(o, g.name(m), exits)
				other = g.name(o)
			}
			g.sequence(then, g.name(m), exits)
			g.blocks[k].merge = g.name(m)
			g.blocks[k].targets = []string{g.name(then), other}
			k = m
		case 2, 3: // loop
			h, c, m := g.block(), g.block(), g.block()
			g.blocks[k].targets = []string{g.name(h)}
			g.blocks[h].merge, g.blocks[h].continu = g.name(m), g.name(c)
			b := g.block()
			g.blocks[h].targets = []string{g.name(b)}
			if g.rnd.IntN(2) == 0 {
				g.blocks[h].targets = append(g.blocks[h].targets, g.name(m))
			}
			g.sequence(b, g.name(c), []string{g.name(m), g.name(c)})
			g.blocks[c].targets = []string{g.name(h)}
			if g.rnd.IntN(2) == 0 {
				g.blocks[c].targets = append(g.blocks[c].targets, g.name(m))
			}
			k = m
		case 4: // switch
			m := g.block()
			n := 1 + g.rnd.IntN(3)
			cases := make([]int, n)
			for i := range cases {
				cases[i] = g.block()
			}
			g.blocks[k].merge, g.blocks[k].wide = g.name(m), true
			inside := append([]string{g.name(m)}, exits[min(1, len(exits)):]...)
			for i, c := range cases {
				g.blocks[k].targets = append(g.blocks[k].targets, g.name(c))
				to := g.name(m)
				if i+1 < n && g.rnd.IntN(2) == 0 {
					to = g.name(cases[i+1])
				}
				g.sequence(c, to, inside)
			}
			k = m
		case 5: // conditional break or continue
			if len(exits) == 0 {
				continue
			}
			r := g.block()
			g.blocks[k].targets = []string{exits[g.rnd.IntN(len(exits))], g.name(r)}
			k = r
		case 6: // break or continue
			if len(exits) > 0 {
				g.blocks[k].targets = []string{exits[g.rnd.IntN(len(exits))]}
				return
			}
		case 7:
			if g.rnd.IntN(3) == 0 {
				return // return
			}
		default:
			if next != "" {
				g.blocks[k].targets = []string{next}
			}
			return
		}
	}
}

func randomFlow(seed uint64) []flowBlock {
	g := &flowMaker{rnd: rand.New(rand.NewPCG(seed, 1)), budget: 12}
	g.sequence(g.block(), "", nil)
	return g.blocks
}

func TestRandomStructuredFlow(t *testing.T) {
	for seed := range uint64(1500) {
		text := flowModule("Shader", randomFlow(seed))
		u, err := resolveText(t, text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		checkFlow(t, u)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}

// TestRandomlyBrokenFlow redirects a branch of structured control flow: that
// is an error, or all definitions still hold.
func TestRandomlyBrokenFlow(t *testing.T) {
	accepted := 0
	for seed := range uint64(1500) {
		blocks := randomFlow(seed)
		rnd := rand.New(rand.NewPCG(seed, 2))
		b := &blocks[rnd.IntN(len(blocks))]
		if len(b.targets) == 0 || len(blocks) == 1 {
			continue
		}
		b.targets[rnd.IntN(len(b.targets))] = blocks[1+rnd.IntN(len(blocks)-1)].name
		text := flowModule("Shader", blocks)
		u, err := resolveText(t, text)
		if err != nil {
			continue
		}
		accepted++
		checkFlow(t, u)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
	if accepted == 0 {
		t.Error("no module with a redirected branch was accepted: the test tests nothing")
	}
}

// TestRandomFlow checks dominators in arbitrary graphs.
func TestRandomFlow(t *testing.T) {
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		n := 2 + rnd.IntN(10)
		blocks := make([]flowBlock, n)
		for i := range blocks {
			blocks[i].name = fmt.Sprintf("b%d", i)
			for range rnd.IntN(4) {
				blocks[i].targets = append(blocks[i].targets, fmt.Sprintf("b%d", 1+rnd.IntN(n-1)))
			}
		}
		text := strings.Replace(flowModule("Kernel", blocks), "Logical GLSL450", "Logical OpenCL", 1)
		u := mustResolve(t, text)
		checkFlow(t, u)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}

// TestLongFlowResolves has 30,000 breaks out of one selection: what takes
// quadratic time in blocks would not end.
func TestLongFlowResolves(t *testing.T) {
	const n = 30_000
	blocks := []flowBlock{{name: "b0", merge: "m", targets: []string{"b1", "m"}}}
	for i := 1; i < n; i++ {
		blocks = append(blocks, flowBlock{name: fmt.Sprint("b", i), targets: []string{fmt.Sprint("b", i+1), "m"}})
	}
	blocks = append(blocks, flowBlock{name: fmt.Sprint("b", n), targets: []string{"m"}}, flowBlock{name: "m"})
	u := mustResolve(t, flowModule("Shader", blocks))
	f := u.Functions[0]
	if m := f.Blocks[n+1]; m.IDom != f.Blocks[0] || m.Order != n+1 {
		t.Errorf("merge block: immediate dominator %s, order %d", u.Name(m.IDom.Label), m.Order)
	}
}
