package repl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ampdbg/debugger"
	"ampdbg/diag"
)

// threadSet reads which threads a command is for.
func (r *Repl) threadSet(args string) (debugger.ThreadSet, error) {
	at, err := r.at()
	if err != nil {
		return nil, err
	}
	if _, err := at.Thread(r.focus); err != nil {
		return nil, err
	}
	if cond, ok := strings.CutPrefix(args, "if "); ok {
		e, err := debugger.ParseExpr(cond)
		if err != nil {
			return nil, err
		}
		running, err := at.Running()
		if err != nil {
			return nil, err
		}
		return at.Filter(r.focus, r.frame, running, e)
	}
	switch args {
	case "", "active":
		return at.Active(r.focus)
	case "thread":
		return debugger.ThreadSet{r.focus}, nil
	case "warp":
		return at.Warp(r.focus)
	case "tile":
		return at.Tile(r.focus)
	case "all", "grid":
		return at.Running()
	case "frozen":
		return at.Frozen()
	case "flagged":
		return at.Flagged()
	}
	if isWord(args) {
		return nil, wrong("expected active, thread, warp, tile, all, frozen, flagged, if COND or a thread, found %q", args)
	}
	id, err := r.threadID(args)
	return debugger.ThreadSet{id}, err
}

// triples reads "X[,Y[,Z]]", also in parentheses.
func triples(s string) (v [3]uint32, err error) {
	parts := strings.Split(strings.Trim(s, "()"), ",")
	if len(parts) > 3 {
		return v, wrong("expected X,Y,Z, found %q", s)
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(p), 10, 32)
		if err != nil {
			return v, wrong("expected X,Y,Z, found %q", s)
		}
		v[i] = uint32(n)
	}
	return v, nil
}

// threadID reads a thread: X,Y,Z (its global id), or any of tile X,Y,Z, local
// X,Y,Z, index N, warp N, lane N, with the rest as in the focus.
func (r *Repl) threadID(args string) (id debugger.ThreadID, err error) {
	at, err := r.at()
	if err != nil {
		return id, err
	}
	args = strings.ReplaceAll(strings.ReplaceAll(args, ", ", ","), "=", " ")
	fields := strings.Fields(args)
	if len(fields) == 1 {
		g, err := triples(strings.TrimPrefix(fields[0], "global"))
		if err != nil {
			return id, err
		}
		return at.ByGlobal(g)
	}
	if len(fields) == 2 && fields[0] == "global" {
		return r.threadID(fields[1])
	}
	focus, err := at.Thread(r.focus)
	if err != nil {
		return id, err
	}
	tile, local := focus.Tile, focus.Local
	byTile := true
	warp, lane, index := focus.Warp, focus.Lane, -1
	for i := 0; i+1 < len(fields); i += 2 {
		v, err := triples(fields[i+1])
		if err != nil {
			return id, err
		}
		switch fields[i] {
		case "tile":
			tile = v
			if byTile && len(fields) == 2 {
				local = [3]uint32{}
			}
		case "local":
			local = v
		case "index":
			index = int(v[0])
		case "warp":
			warp, byTile, lane = int(v[0]), false, 0
		case "lane":
			lane, byTile = int(v[0]), false
		default:
			return id, wrong("expected tile, local, index, warp or lane, found %q", fields[i])
		}
	}
	if len(fields)%2 != 0 {
		return id, wrong("expected X,Y,Z or tile X,Y,Z local X,Y,Z or warp N lane N, found %q", args)
	}
	if byTile && index < 0 {
		return at.ByTile(tile, local)
	}
	base, err := at.ByTile(tile, [3]uint32{})
	if err != nil {
		return id, err
	}
	if index >= 0 {
		return at.ByWarp(base.Tile, index/r.s.Launch().Warp, index%r.s.Launch().Warp)
	}
	return at.ByWarp(base.Tile, warp, lane)
}

// setFocus has commands be about a thread.
func (r *Repl) setFocus(id debugger.ThreadID) error {
	if _, err := r.threadAt(id); err != nil {
		return err
	}
	r.focus, r.frame = id, 0
	return nil
}

func (r *Repl) cmdThread(args string) error {
	if args != "" {
		id, err := r.threadID(args)
		if err != nil {
			return err
		}
		if err := r.setFocus(id); err != nil {
			return err
		}
	}
	r.where("", nil)
	th, err := r.thread()
	if err == nil && th.Why != "" {
		fmt.Fprintln(r.out, th.Why)
	}
	return err
}

func (r *Repl) cmdThreads(args string) error {
	by := debugger.Grouping{By: debugger.ByPlace}
	for args != "" {
		w, rest, _ := strings.Cut(args, " ")
		rest = strings.TrimSpace(rest)
		value, after, _ := strings.Cut(rest, " ")
		switch w {
		case "by":
			by.By = debugger.GroupBy(value)
			switch by.By {
			case debugger.ByPlace, debugger.ByLocation, debugger.ByStatusOf, debugger.ByTileOf, debugger.ByWarpOf, debugger.ByEachAlone:
			default:
				return wrong("expected place, location, status, tile, warp or thread, found %q", value)
			}
			args = strings.TrimSpace(after)
		case "sort":
			by.Sort = value
			switch value {
			case "count", "line", "location", "status", "tile":
			default:
				return wrong("expected count, line, location, status or tile, found %q", value)
			}
			args = strings.TrimSpace(after)
		case "flagged":
			by.Flagged, args = true, rest
		case "if":
			if rest == "" {
				return wrong("expected a condition after \"if\"")
			}
			e, err := debugger.ParseExpr(rest)
			if err != nil {
				return err
			}
			by.Where, args = e, ""
		default:
			return wrong("expected by, sort, flagged or if, found %q", w)
		}
	}
	at, err := r.at()
	if err != nil {
		return err
	}
	groups, err := at.Groups(r.focus, r.frame, by)
	if err != nil {
		return err
	}
	t := newTable("", "count", "line", "location", "status", "tile", "threads")
	total := 0
	for _, g := range groups {
		total += g.Count
		mark := ""
		if slices.Contains(g.Threads, r.focus) {
			mark = ">"
		}
		if g.Flags > 0 {
			mark += "*"
		}
		line := "-"
		if g.Pos.Line > 0 {
			line = strconv.Itoa(g.Pos.Line)
		}
		t.row(mark, strconv.Itoa(g.Count), line, dash(g.Func), dash(string(g.Status)), g.Tile, g.Who)
	}
	t.write(r.out)
	l := r.s.Launch()
	if by.Where == nil && !by.Flagged {
		tiles := uint64(l.Tiles[0]) * uint64(l.Tiles[1]) * uint64(l.Tiles[2])
		fmt.Fprintf(r.out, "%d threads in %s of %s\n", total, diag.Count(tiles, "tile", "tiles"), diag.Size(l.TileSize))
	} else {
		fmt.Fprintf(r.out, "%s\n", diag.Count(total, "thread", "threads"))
	}
	return nil
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func (r *Repl) cmdLanes(string) error {
	at, err := r.at()
	if err != nil {
		return err
	}
	w, err := at.Lanes(r.focus)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.out, "warp %d of tile %s: [%s], %d thread-instructions\n", w.Warp, diag.Triple(w.Tile), w.Mask, w.Steps)
	t := newTable("", "lane", "thread", "line", "location", "status", "why")
	for _, th := range w.Lanes {
		line := "-"
		if th.Pos.Line > 0 {
			line = strconv.Itoa(th.Pos.Line)
		}
		t.row(r.mark(th), strconv.Itoa(th.Lane), strconv.Itoa(th.ID.Local), line, dash(th.Func), string(th.Status), th.Why)
	}
	t.write(r.out)
	if len(w.Open) > 0 {
		fmt.Fprintln(r.out, "reconvergence stack, innermost first:")
	}
	for i := len(w.Open) - 1; i >= 0; i-- {
		c := w.Open[i]
		text := fmt.Sprintf("  %s", c.Kind)
		if c.Pos.Line > 0 {
			text += fmt.Sprintf(" of line %d", c.Pos.Line)
		}
		if c.Iter > 0 {
			text += fmt.Sprintf(", iteration %d", c.Iter)
		}
		if c.Merge.Line > 0 {
			text += fmt.Sprintf(", ends at line %d", c.Merge.Line)
		}
		if c.Wait != "" {
			text += ", waiting lanes: " + c.Wait
		}
		fmt.Fprintln(r.out, text)
	}
	return nil
}

func (r *Repl) cmdStacks(args string) error {
	set, err := r.threadSet(orDefault(args, "tile"))
	if err != nil {
		return err
	}
	at, err := r.at()
	if err != nil {
		return err
	}
	trees, err := at.Stacks(set)
	if err != nil {
		return err
	}
	if len(trees) == 0 {
		fmt.Fprintln(r.out, "no thread is in the kernel")
	}
	for _, n := range trees {
		r.stackNode(n, "")
	}
	return nil
}

func (r *Repl) stackNode(n *debugger.StackNode, indent string) {
	text := n.Func
	if n.Pos.Line > 0 {
		text = fmt.Sprintf("%s:%d", n.Pos.File, n.Pos.Line)
	}
	if n.Status != "" {
		text += ", " + n.Status
	}
	fmt.Fprintf(r.out, "%s%s: %s\n", indent, diag.Count(n.Count, "thread", "threads"), text)
	for _, c := range n.Children {
		r.stackNode(c, indent+"  ")
	}
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (r *Repl) cmdTile(args string) error {
	at, err := r.at()
	if err != nil {
		return err
	}
	if args != "" {
		v, err := triples(args)
		if err != nil {
			return err
		}
		id, err := at.ByTile(v, [3]uint32{})
		if err != nil {
			return err
		}
		if err := r.setFocus(id); err != nil {
			return err
		}
	}
	th, err := at.Thread(r.focus)
	if err != nil {
		return err
	}
	l := r.s.Launch()
	fmt.Fprintf(r.out, "tile %s of %s, %s threads in warps of %d\n", diag.Triple(th.Tile), diag.Size(l.Tiles), diag.Size(l.TileSize), l.Warp)
	groups, err := at.Groups(r.focus, r.frame, debugger.Grouping{By: debugger.ByWarpOf})
	if err != nil {
		return err
	}
	t := newTable("", "warp", "count", "line", "location", "status", "threads")
	n := 0
	for _, g := range groups {
		if g.First.Tile != r.focus.Tile || g.Threads == nil {
			continue
		}
		line, mark := "-", ""
		if g.Pos.Line > 0 {
			line = strconv.Itoa(g.Pos.Line)
		}
		if slices.Contains(g.Threads, r.focus) {
			mark = ">"
		}
		t.row(mark, strconv.Itoa(g.First.Local/l.Warp), strconv.Itoa(g.Count), line, dash(g.Func), string(g.Status), g.Who)
		n++
	}
	if n == 0 {
		fmt.Fprintf(r.out, "the tile is %s\n", th.Status)
		return nil
	}
	t.write(r.out)
	return nil
}

func (r *Repl) cmdBarrier(string) error {
	at, err := r.at()
	if err != nil {
		return err
	}
	b, err := at.Barrier(r.focus)
	if err != nil {
		return err
	}
	write := func(head string, groups []debugger.Group) {
		for _, g := range groups {
			place := ""
			if g.Pos.Line > 0 {
				place = fmt.Sprintf(" at %s:%d", g.Pos.File, g.Pos.Line)
			}
			fmt.Fprintf(r.out, "  %s %s%s: %s\n", diag.Count(g.Count, "thread", "threads"), head, place, g.Who)
		}
	}
	fmt.Fprintf(r.out, "tile %s\n", diag.Triple(b.Tile))
	if len(b.Waiting) == 0 {
		fmt.Fprintln(r.out, "  nobody waits at a barrier")
	}
	write("blocked", b.Waiting)
	for _, g := range b.Missing {
		write(string(g.Status), []debugger.Group{g})
	}
	return nil
}

// frames is the call stack of the focused thread.
func (r *Repl) frames() ([]debugger.Frame, error) {
	at, err := r.at()
	if err != nil {
		return nil, err
	}
	return at.Frames(r.focus)
}

func (r *Repl) cmdBacktrace(string) error {
	fs, err := r.frames()
	if err != nil {
		return err
	}
	for i, f := range fs {
		mark := " "
		if i == r.frame {
			mark = ">"
		}
		r.frameLine(mark, i, f)
	}
	return nil
}

func (r *Repl) frameLine(mark string, i int, f debugger.Frame) {
	inlined, place := "", ""
	if f.Inlined {
		inlined = " (inlined)"
	}
	if f.Pos.Line > 0 {
		place = fmt.Sprintf(" at %s:%d", f.Pos.File, f.Pos.Line)
	}
	fmt.Fprintf(r.out, "%s#%d  %s%s%s\n", mark, i, f.Func, place, inlined)
}

func (r *Repl) cmdFrame(args string) error {
	n := r.frame
	if args != "" {
		var err error
		if n, err = strconv.Atoi(args); err != nil {
			return wrong("expected the number of a frame, found %q", args)
		}
	}
	return r.toFrame(n)
}

func (r *Repl) toFrame(n int) error {
	fs, err := r.frames()
	if err != nil {
		return err
	}
	if n < 0 || n >= len(fs) {
		return fmt.Errorf("no frame %d: the stack has %d", n, len(fs))
	}
	r.frame = n
	r.frameLine("", n, fs[n])
	r.sourceLine(fs[n].Pos)
	r.listed = listing{file: fs[n].Pos.File, next: fs[n].Pos.Line - 4}
	return nil
}

func (r *Repl) cmdUp(args string) error {
	n, err := count(args, 1)
	if err != nil {
		return err
	}
	fs, err := r.frames()
	if err != nil {
		return err
	}
	if r.frame == len(fs)-1 {
		return fmt.Errorf("this is the outermost frame")
	}
	return r.toFrame(min(r.frame+n, len(fs)-1))
}

func (r *Repl) cmdDown(args string) error {
	n, err := count(args, 1)
	if err != nil {
		return err
	}
	if r.frame == 0 {
		return fmt.Errorf("this is the innermost frame")
	}
	return r.toFrame(max(r.frame-n, 0))
}

func (r *Repl) cmdFreeze(args string) error {
	set, err := r.threadSet(args)
	if err != nil {
		return err
	}
	if len(set) == 0 && args == "" {
		return fmt.Errorf("no lane of the focused warp is active; say which threads: freeze warp, freeze tile")
	}
	at, err := r.at()
	if err != nil {
		return err
	}
	n, err := at.Freeze(set)
	if err == nil {
		fmt.Fprintf(r.out, "%s frozen\n", diag.Count(n, "thread", "threads"))
	}
	return err
}

func (r *Repl) cmdThaw(args string) error {
	set, err := r.threadSet(orDefault(args, "frozen"))
	if err != nil {
		return err
	}
	at, err := r.at()
	if err != nil {
		return err
	}
	n, err := at.Thaw(set)
	if err == nil {
		fmt.Fprintf(r.out, "%s thawed\n", diag.Count(n, "thread", "threads"))
	}
	return err
}

func flagger(on bool) func(*Repl, string) error {
	return func(r *Repl, args string) error {
		if !on {
			args = orDefault(args, "flagged")
		}
		set, err := r.threadSet(args)
		if err != nil {
			return err
		}
		at, err := r.at()
		if err != nil {
			return err
		}
		if err := at.Flag(set, on); err != nil {
			return err
		}
		word := "flagged"
		if !on {
			word = "unflagged"
		}
		fmt.Fprintf(r.out, "%s %s\n", diag.Count(len(set), "thread", "threads"), word)
		return nil
	}
}
