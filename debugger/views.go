package debugger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ampdbg/debugger/expr"
	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/spirv"
)

// Group is a row of the threads table: threads that do the same at the same
// place.
type Group struct {
	Count  int
	Pos    diag.Pos
	Func   string
	Status Status
	Tile   string // "(0,0,0)", or how many tiles
	Focus  bool   // the focused thread is among them
	Flags  int    // marked ones
	First  ThreadID
	Who    string // the threads' places in the tile, as ranges
}

// GroupBy says what makes threads of one group.
type GroupBy string

// The ways to group threads.
const (
	ByPlace     GroupBy = "place"    // tile, line and status
	ByLocation  GroupBy = "location" // line and status, of all tiles
	ByStatusOf  GroupBy = "status"
	ByTileOf    GroupBy = "tile"
	ByWarpOf    GroupBy = "warp"
	ByEachAlone GroupBy = "thread"
)

// Groups is the threads table. Without a filter, tiles that do not run are in
// it too, summed up. sort is a column: count, line, location, status, tile;
// empty: tile by tile, the focus first.
func (s *Session) Groups(by GroupBy, filter *Expr, flagged bool, sort string) ([]Group, error) {
	t, err := s.live()
	if err != nil {
		return nil, err
	}
	type key struct {
		tile   uint64
		status Status
		pos    diag.Pos
		fn     string
		warp   int
		local  int
	}
	groups := map[key]*Group{}
	members := map[key][]int{}
	tiles := map[key]map[uint64]bool{}
	var order []key
	ev := evaluator{t: t}
	vp := s.viewpoint()
	judged := 0 // threads that the filter had an answer for
	var firstErr error
	for _, tile := range t.c.Resident() {
		for _, w := range tile.Warps {
			places := w.Places()
			for lane := range w.Lanes {
				id := s.id(w, lane)
				if flagged && !s.flags[flag{s.t.number, id}] {
					continue
				}
				st := s.laneState(w, lane, places[lane])
				if filter != nil {
					yes, err := ev.truth(filter.root, vp.thread(id))
					if firstErr = telling(firstErr, err); err == nil {
						judged++
					}
					if err != nil || !yes {
						continue
					}
				}
				d := s.describe(id, st)
				d.Pos.Col, d.Pos.EndCol, d.Pos.EndLine = 0, 0, 0
				if st.status == NotStarted || st.status == Finished {
					d.Pos, d.Func = diag.Pos{}, ""
				}
				k := key{tile: id.Tile, status: d.Status, pos: d.Pos, fn: d.Func}
				switch by {
				case ByLocation:
					k.tile, k.status = 0, ""
				case ByStatusOf:
					k = key{status: d.Status}
				case ByTileOf:
					k = key{tile: id.Tile}
				case ByWarpOf:
					k.warp = w.Index
				case ByEachAlone:
					k.local = id.Local + 1
				}
				g := groups[k]
				if g == nil {
					g = &Group{First: id}
					if by != ByStatusOf && by != ByTileOf {
						g.Pos, g.Func = d.Pos, d.Func
					}
					if by != ByTileOf {
						g.Status = d.Status
					}
					groups[k] = g
					tiles[k] = map[uint64]bool{}
					order = append(order, k)
				}
				if by == ByLocation && !strings.Contains(string(g.Status), string(d.Status)) {
					g.Status += ", " + d.Status
				}
				g.Count++
				tiles[k][id.Tile] = true
				members[k] = append(members[k], id.Local)
				g.Focus = g.Focus || id == s.focus
				if s.flags[flag{s.t.number, id}] {
					g.Flags++
				}
			}
		}
	}
	var out []Group
	for _, k := range order {
		g := groups[k]
		if len(tiles[k]) == 1 {
			g.Tile = diag.Triple(t.tileID(g.First.Tile))
			g.Who = rangesText(members[k])
		} else {
			g.Tile = fmt.Sprintf("%d tiles", len(tiles[k]))
		}
		out = append(out, *g)
	}
	if len(out) == 0 && firstErr != nil && !(judged > 0 && isAbsence(firstErr)) {
		return nil, firstErr
	}
	sortGroups(out, sort)
	if filter == nil && !flagged {
		size := t.tileSize()
		rest := func(n uint64, st Status) {
			if n == 0 {
				return
			}
			name := fmt.Sprintf("%d tiles", n)
			if n == 1 {
				name = "1 tile"
			}
			out = append(out, Group{Count: int(n) * size, Status: st, Tile: name})
		}
		rest(t.c.Done(), Finished)
		rest(t.c.Total()-t.c.Started(), NotStarted)
	}
	return out, nil
}

func sortGroups(list []Group, by string) {
	slices.SortStableFunc(list, func(a, b Group) int {
		switch by {
		case "count":
			return cmp.Compare(b.Count, a.Count)
		case "line":
			return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
		case "location":
			return cmp.Compare(a.Func, b.Func)
		case "status":
			return cmp.Compare(a.Status, b.Status)
		case "tile":
			return cmp.Compare(a.First.Tile, b.First.Tile)
		}
		return 0
	})
}

// rangesText writes ascending numbers as ranges: "0-3,8".
func rangesText(list []int) string {
	slices.Sort(list)
	var b strings.Builder
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		if j == i {
			fmt.Fprint(&b, list[i])
		} else {
			fmt.Fprintf(&b, "%d-%d", list[i], list[j])
		}
		i = j + 1
	}
	return b.String()
}

// Lanes describes a warp: its lanes, and the constructs that they have open.
type Lanes struct {
	Tile  [3]uint32
	Warp  int
	Lanes []Thread
	Mask  string      // of the active ones, lane 0 first
	Open  []Construct // outermost first
	Steps uint64
}

// Construct is an open construct of a warp: where its lanes meet again.
type Construct struct {
	Kind  string
	Pos   diag.Pos // of the branch or call that opened it
	Merge diag.Pos // where it ends
	Iter  uint32   // of a loop: the iteration, from 1
	Wait  string   // lanes that wait at its end
}

// Lanes describes the focused warp.
func (s *Session) Lanes() (Lanes, error) {
	t, err := s.live()
	if err != nil {
		return Lanes{}, err
	}
	st := s.state(s.focus)
	if st.w == nil {
		return Lanes{}, fmt.Errorf("the focused thread's tile is not running: it is %s", st.status)
	}
	w := st.w
	out := Lanes{Tile: w.T.ID, Warp: w.Index, Steps: w.Steps}
	places := w.Places()
	for l := range w.Lanes {
		th := s.describe(s.id(w, l), s.laneState(w, l, places[l]))
		out.Lanes = append(out.Lanes, th)
		c := "."
		if th.Status == Active {
			c = "#"
		}
		out.Mask += c
	}
	for i, p := range w.Path() {
		if i == 0 {
			continue
		}
		info := &t.p.Constructs[p.Construct]
		c := Construct{Pos: s.instPos(int(info.Inst))}
		if info.Merge >= 0 {
			c.Merge = t.lines.pos[info.Merge]
		}
		switch info.Kind {
		case program.LoopConstruct:
			c.Kind, c.Iter = "loop", p.Iter+1
		case program.SwitchConstruct:
			c.Kind = "switch"
		case program.CallConstruct:
			c.Kind = "call"
		default:
			c.Kind = "if"
		}
		var waiting []int
		for l, pl := range places {
			if pl.Construct == int(p.Construct) {
				waiting = append(waiting, l)
			}
		}
		c.Wait = rangesText(waiting)
		out.Open = append(out.Open, c)
	}
	return out, nil
}

// StackNode is a node of the tree of call stacks: a place that threads are at
// or have called from, with what they called there.
type StackNode struct {
	Func     string
	Pos      diag.Pos
	Count    int // threads in it and deeper
	Here     int // threads whose innermost frame it is
	Status   string
	Children []*StackNode
}

// Stacks groups the threads of a set by call stack, as trees from the
// outermost call in. Threads that are nowhere are left out.
func (s *Session) Stacks(set ThreadSet) ([]*StackNode, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	var roots []*StackNode
	for _, id := range set {
		st := s.state(id)
		if st.pc < 0 || st.status == NotStarted || st.status == Finished {
			continue
		}
		fs := s.t.lines.stack(st.pc)
		level := &roots
		var n *StackNode
		for i := len(fs) - 1; i >= 0; i-- {
			entered := findNode(level, fs[i].Func, diag.Pos{}, "")
			entered.Count++
			pos := fs[i].Pos
			pos.Col, pos.EndCol, pos.EndLine = 0, 0, 0
			status := ""
			if i == 0 {
				status = string(st.status)
			}
			n = findNode(&entered.Children, fs[i].Func, pos, status)
			n.Count++
			level = &n.Children
		}
		if n != nil {
			n.Here++
		}
	}
	return roots, nil
}

func findNode(list *[]*StackNode, fn string, pos diag.Pos, status string) *StackNode {
	for _, n := range *list {
		if n.Func == fn && n.Pos == pos && n.Status == status {
			return n
		}
	}
	n := &StackNode{Func: fn, Pos: pos, Status: status}
	*list = append(*list, n)
	slices.SortStableFunc(*list, func(a, b *StackNode) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) })
	return n
}

// Barrier says who of the focused tile waits at barriers and who is missing.
type Barrier struct {
	Tile    [3]uint32
	Waiting []Group
	Missing []Group
}

// Barrier says who of the focused tile waits at barriers and who is missing.
func (s *Session) Barrier() (Barrier, error) {
	t, err := s.live()
	if err != nil {
		return Barrier{}, err
	}
	if err := s.check(s.focus); err != nil {
		return Barrier{}, err
	}
	out := Barrier{Tile: t.tileID(s.focus.Tile)}
	groups, err := s.Groups(ByPlace, nil, false, "line")
	if err != nil {
		return out, err
	}
	for _, g := range groups {
		switch {
		case g.Who == "" || g.First.Tile != s.focus.Tile:
		case g.Status == Blocked:
			out.Waiting = append(out.Waiting, g)
		default:
			out.Missing = append(out.Missing, g)
		}
	}
	if out.Waiting == nil && out.Missing == nil {
		return out, fmt.Errorf("tile %s is not running", diag.Triple(out.Tile))
	}
	return out, nil
}

// Line is a line of a listing.
type Line struct {
	Number int
	Text   string
	Here   bool // the focus is at it
	Code   bool // control comes to it
	Break  int  // number of a breakpoint, 0 if there is none
	Count  int  // threads of running tiles at it
	Active int  // of them active
}

// List gives lines of a source file, or of the disassembly.
func (s *Session) List(file string, first, last int) ([]Line, error) {
	t, err := s.live()
	if err != nil {
		return nil, err
	}
	text, err := s.text(file)
	if err != nil {
		return nil, err
	}
	counts, active := map[int]int{}, map[int]int{}
	for _, tile := range t.c.Resident() {
		for _, w := range tile.Warps {
			places := w.Places()
			for lane := range w.Lanes {
				st := s.laneState(w, lane, places[lane])
				if st.pc < 0 || st.status == NotStarted || st.status == Finished {
					continue
				}
				if p := t.lines.pos[st.pc]; p.File == file {
					counts[p.Line]++
					if st.status == Active {
						active[p.Line]++
					}
				}
			}
		}
	}
	here := 0
	th := s.threadIn(s.focus, s.frame)
	if th.pc >= 0 && t.lines.pos[th.pc].File == file {
		here = t.lines.pos[th.pc].Line
	}
	breaks := map[int]int{}
	for _, b := range s.breakpoints {
		if b.Problem == "" && b.watch == nil && b.Pos.File == file && b.Enabled {
			breaks[b.Pos.Line] = b.ID
		}
	}
	var out []Line
	for n := max(first, 1); n <= min(last, len(text)); n++ {
		out = append(out, Line{
			Number: n, Text: strings.TrimSuffix(text[n-1], "\r"), Here: n == here, Code: len(t.lines.byLine[file][n]) > 0,
			Break: breaks[n], Count: counts[n], Active: active[n],
		})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has %d lines", file, len(text))
	}
	return out, nil
}

// CurrentFile is the file that line numbers are about.
func (s *Session) CurrentFile() string {
	if s.t == nil {
		return ""
	}
	return s.currentFile()
}

// text is the lines of a source file.
func (s *Session) text(file string) ([]string, error) {
	if lines, ok := s.t.lines.text[file]; ok {
		return lines, nil
	}
	if s.opt.Sources != nil {
		if text, ok := s.opt.Sources(file); ok {
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			s.t.lines.text[file] = lines
			return lines, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", file, errNoSource)
}

// SourceLine is a line of a file, "" if it is not to be had.
func (s *Session) SourceLine(p diag.Pos) string {
	if s.t == nil || p.Line < 1 {
		return ""
	}
	lines, err := s.text(p.File)
	if err != nil || p.Line > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[p.Line-1], "\r")
}

// Instruction is an instruction around the focus.
type Instruction struct {
	Word int
	Text string
	Pos  diag.Pos
	Here bool
}

// Disassembly gives the instructions of the focus' function around the
// focused thread: n before and after it.
func (s *Session) Disassembly(n int) ([]Instruction, error) {
	t, err := s.live()
	if err != nil {
		return nil, err
	}
	th := s.threadIn(s.focus, s.frame)
	if th.pc < 0 {
		return nil, fmt.Errorf("the focused thread is %s", s.state(s.focus).status)
	}
	at := int(t.p.Inst[th.pc])
	var out []Instruction
	for i := max(at-n, 0); i <= min(at+n, len(t.u.Insts)-1); i++ {
		out = append(out, Instruction{
			Word: t.u.Insts[i].Offset, Text: t.u.InstString(i, t.names), Pos: t.u.PosOf(i), Here: i == at,
		})
	}
	return out, nil
}

// Memory is a typed piece of memory.
type Memory struct {
	Name  string
	Off   int64 // of the first element, in its view
	Size  int   // bytes of an element
	Type  string
	Elems []string
	Bytes []byte
}

// Memory reads count elements of memory from what an expression names, or has
// the address of, on: scalars of its type or texels, or, if size is not 0,
// unsigned integers of so many bytes (1, 2, 4 or 8).
func (s *Session) Memory(e *Expr, count, size int, f Format) (Memory, error) {
	if _, err := s.live(); err != nil {
		return Memory{}, err
	}
	th := s.viewpoint().thread(s.focus)
	ev := evaluator{t: s.t}
	root := e.root
	if u, ok := root.(*expr.Unary); ok && u.Op == "&" {
		root = u.Of
	}
	o, err := ev.eval(root, th)
	if err != nil {
		return Memory{}, err
	}
	if o.at == nil || o.at.rows != nil || o.at.views != nil {
		return Memory{}, fmt.Errorf("%s does not lie in memory", e.Text)
	}
	if o.at.withoutTile() {
		return Memory{}, errNoTile
	}
	out := Memory{Name: e.Text, Off: o.at.off}
	if o.isImage() {
		if o, err = o.texel(make([]int64, o.at.texels.im.Coordinates()), 0, 0, 0, o.at.texels.stored()); err != nil {
			return Memory{}, err
		}
	}
	t := o.t
	if o.isTexel() {
		out.Size = o.at.texels.im.Format.TexelSize
	}
	for t.IsComposite() && !o.isTexel() {
		part, off, in := t.Place(o.at.layout, 0)
		p := *o.at
		p.off, p.layout = p.off+int64(off), in
		o.at, t = &p, part
	}
	if size > 0 {
		p := *o.at
		p.texels = nil
		o.at, t, out.Size = &p, &spirv.Type{Kind: spirv.Int, Width: 8 * size}, size
	}
	out.Type = typeName(s.t.u, t)
	if out.Size == 0 {
		out.Size = scalarSize(t)
	}
	left := max(int64(len(o.at.data))-o.at.off, 0)
	n := int(min(int64(count), left/int64(out.Size), maxRead))
	out.Bytes = slices.Clone(o.at.data[min(o.at.off, int64(len(o.at.data))):][:n*out.Size])
	for i := range n {
		p := *o.at
		p.off += int64(i * out.Size)
		text, err := s.t.text(operand{t: t, at: &p}, th, f)
		if err != nil {
			return out, err
		}
		out.Elems = append(out.Elems, text)
	}
	return out, nil
}

// Picture is a grid of numbers: an expression across the focused tile, or an
// array in memory.
type Picture struct {
	Title         string
	Width, Height int
	Values        []float64 // row by row; NaN where there is none
	// None marks the places that have no value; nil if all have one.
	None []bool
}

// Picture computes an expression in every thread of the focused tile, laid out
// as the tile is; or, where the expression is an array, its elements, laid out
// as the array is, or in rows of the given width.
func (s *Session) Picture(e *Expr, width int) (Picture, error) {
	t, err := s.live()
	if err != nil {
		return Picture{}, err
	}
	vp := s.viewpoint()
	th := vp.thread(s.focus)
	ev := evaluator{t: t}
	o, err := ev.eval(e.root, th)
	absent := err != nil && isAbsence(err)
	if err != nil && !absent {
		return Picture{}, err
	}
	out := Picture{Title: e.Text}
	if absent {
		return s.tilePicture(e, vp)
	} else if im, err := t.asImage(o, th); err == nil {
		out.Width, out.Height, out.Values = im.at.texels.picture(width)
	} else if c := expr.Component(o.t); c == nil {
		bits, err := o.load(th)
		if err != nil {
			return out, err
		}
		t := o.t
		for expr.Component(t) == nil && t.IsComposite() && t.Elem != nil && !t.Elem.IsScalar() {
			t = t.Elem
		}
		if t.Elem == nil || !t.Elem.IsScalar() {
			return out, fmt.Errorf("expected an array of numbers, found %s", typeName(s.t.u, o.t))
		}
		out.Width = width
		if width <= 0 {
			out.Width = len(bits) / max(1, len(bits)/max(t.Len, 1))
			if t.Len == 0 || t == o.t {
				out.Width = min(len(bits), 64)
			}
		}
		out.Width = max(min(out.Width, len(bits)), 1)
		for _, b := range bits {
			out.Values = append(out.Values, expr.AsFloat(t.Elem, b))
		}
		out.Height = (len(bits) + out.Width - 1) / out.Width
	} else {
		return s.tilePicture(e, vp)
	}
	for len(out.Values) < out.Width*out.Height {
		out.Values = append(out.Values, nan)
	}
	return out, nil
}

// tilePicture is an expression across the focused tile.
func (s *Session) tilePicture(e *Expr, vp viewpoint) (Picture, error) {
	if err := s.check(s.focus); err != nil {
		return Picture{}, err
	}
	size := s.t.p.TileSize
	out := Picture{Title: e.Text, Width: int(size[0]), Height: int(size[1] * size[2])}
	var firstErr error
	failed := 0
	for _, id := range s.TileThreads() {
		v, err := s.valueAt(e, vp.thread(id), 0)
		none := err != nil || !v.IsNumber
		if none {
			v.Number = nan
			failed++
		}
		firstErr = telling(firstErr, err)
		out.Values, out.None = append(out.Values, v.Number), append(out.None, none)
	}
	if failed == len(out.Values) && firstErr != nil {
		return out, firstErr
	}
	return out, nil
}
