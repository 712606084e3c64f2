package debugger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/program"
)

// Group is a row of the threads table: threads that do the same at the same
// place.
type Group struct {
	Count  int
	Pos    diag.Pos
	Func   string
	Status Status
	Tile   string // "(0,0,0)", or how many tiles
	Flags  int    // marked ones
	First  ThreadID
	Who    string // the threads' places in the tile, as ranges
	// Threads are those of the group, in order; none for tiles that do not run.
	Threads ThreadSet
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

// Grouping asks for a threads table.
type Grouping struct {
	By      GroupBy // empty: ByPlace
	Where   *Expr   // threads to count; nil: all
	Flagged bool    // only marked ones
	// Sort is a column: count, line, location, status, tile; empty: tile by tile,
	// in the order of the schedule.
	Sort string
}

// Groups is the threads table. Without a condition, tiles that do not run are in
// it too, summed up. Names in it are what they are in a frame of the thread id.
func (at *Stopped) Groups(id ThreadID, frame int, by Grouping) ([]Group, error) {
	if err := at.sit(id, frame); err != nil {
		return nil, err
	}
	defer at.leave()
	return at.t.groups(id, frame, by)
}

func (t *target) groups(id ThreadID, frame int, by Grouping) ([]Group, error) {
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
	f := filter{cond: by.Where, ev: evaluator{t: t}}
	vp := t.viewpoint(id, frame)
	for _, tile := range t.c.Resident() {
		for _, w := range tile.Warps {
			places := w.Places()
			for lane := range w.Lanes {
				id := t.id(w, lane)
				if by.Flagged && !t.flags[flag{t.number, id}] || by.Where != nil && !f.holds(vp.thread(id)) {
					continue
				}
				st := t.laneState(w, lane, places[lane])
				d := t.describe(id, st)
				d.Pos.Col, d.Pos.EndCol, d.Pos.EndLine = 0, 0, 0
				if st.status == NotStarted || st.status == Finished {
					d.Pos, d.Func = diag.Pos{}, ""
				}
				k := key{tile: id.Tile, status: d.Status, pos: d.Pos, fn: d.Func}
				switch by.By {
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
					if by.By != ByStatusOf && by.By != ByTileOf {
						g.Pos, g.Func = d.Pos, d.Func
					}
					if by.By != ByTileOf {
						g.Status = d.Status
					}
					groups[k] = g
					tiles[k] = map[uint64]bool{}
					order = append(order, k)
				}
				if by.By == ByLocation && !strings.Contains(string(g.Status), string(d.Status)) {
					g.Status += ", " + d.Status
				}
				g.Count++
				tiles[k][id.Tile] = true
				members[k] = append(members[k], id.Local)
				g.Threads = append(g.Threads, id)
				if d.Flag {
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
	if err := f.failed(len(out)); err != nil {
		return nil, err
	}
	sortGroups(out, by.Sort)
	if by.Where == nil && !by.Flagged {
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

// Lanes describes the warp of a thread.
func (at *Stopped) Lanes(id ThreadID) (Lanes, error) {
	if err := at.sit(id, 0); err != nil {
		return Lanes{}, err
	}
	defer at.leave()
	t := at.t
	st := t.state(id)
	if st.w == nil {
		return Lanes{}, fmt.Errorf("the thread's tile is not running: it is %s", st.status)
	}
	w := st.w
	out := Lanes{Tile: w.T.ID, Warp: w.Index, Steps: w.Steps}
	places := w.Places()
	for l := range w.Lanes {
		th := t.describe(t.id(w, l), t.laneState(w, l, places[l]))
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
		c := Construct{Pos: t.instPos(int(info.Inst))}
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
func (at *Stopped) Stacks(set ThreadSet) ([]*StackNode, error) {
	if err := at.enter(); err != nil {
		return nil, err
	}
	defer at.leave()
	t := at.t
	var roots []*StackNode
	for _, id := range set {
		if err := t.check(id); err != nil {
			return nil, err
		}
		st := t.state(id)
		if st.pc < 0 || st.status == NotStarted || st.status == Finished {
			continue
		}
		fs := t.lines.stack(st.pc)
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

// Barrier says who of a tile waits at barriers and who is missing.
type Barrier struct {
	Tile    [3]uint32
	Waiting []Group
	Missing []Group
}

// Barrier says who of a thread's tile waits at barriers and who is missing.
func (at *Stopped) Barrier(id ThreadID) (Barrier, error) {
	if err := at.enter(); err != nil {
		return Barrier{}, err
	}
	defer at.leave()
	t := at.t
	if err := t.check(id); err != nil {
		return Barrier{}, err
	}
	out := Barrier{Tile: t.tileID(id.Tile)}
	groups, err := t.groups(id, 0, Grouping{Sort: "line"})
	if err != nil {
		return out, err
	}
	for _, g := range groups {
		switch {
		case g.Threads == nil || g.First.Tile != id.Tile:
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
