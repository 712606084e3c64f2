package debugger

import (
	"fmt"
	"strings"

	"ampdbg/emu"
	"ampdbg/warp"
)

// logPart is a piece of a log message.
type logPart struct {
	text string
	expr *Expr
}

// parseLog cuts a log message into text and {expressions}.
func parseLog(s string) ([]logPart, error) {
	var out []logPart
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			return append(out, logPart{text: s}), nil
		}
		j := strings.IndexByte(s[i:], '}')
		if j < 0 {
			return nil, fmt.Errorf("a { without } in a log message")
		}
		if strings.TrimSpace(s[i+1:i+j]) == "" {
			return nil, fmt.Errorf("a {} without an expression in a log message")
		}
		e, err := ParseExpr(s[i+1 : i+j])
		if err != nil {
			return nil, err
		}
		out = append(out, logPart{text: s[:i]}, logPart{expr: e})
		s = s[i+j+1:]
	}
}

// breakGoal adds the breakpoints and watchpoints to a goal.
func (s *Session) breakGoal(g *goal) *goal {
	own := map[int]bool{}
	for _, pc := range g.pcs {
		own[pc] = true
	}
	at := map[int][]*point{}
	watching := false
	var private []*point
	for _, b := range s.points {
		if b.Disabled || b.Problem != "" {
			continue
		}
		if b.watch != nil {
			if b.watch.private() {
				private = append(private, b)
			} else {
				watching = true
			}
		}
		for _, pc := range b.pcs {
			at[pc] = append(at[pc], b)
			g.pcs = append(g.pcs, pc)
		}
	}
	only, inner := g.only, g.broke
	if len(at) > 0 {
		g.only = nil
	}
	g.hit = func(w *warp.Warp) *Stop { return s.hit(w, at[w.PC]) }
	g.broke = func(w *warp.Warp) *Stop {
		st := g.hit(w)
		if inner != nil && own[w.PC] && (only == nil || only(w)) {
			if is := inner(w); is != nil && st == nil {
				return is
			}
		}
		return st
	}
	if watching {
		s.watcher.begin()
		g.observe = []emu.Observer{&s.watcher}
	}
	if len(private) > 0 {
		g.before = func(w *warp.Warp) { s.beforePrivate(w, private) }
		g.after = func() *Stop { return s.afterPrivate(private) }
	}
	return g
}

// hit decides whether a warp that came to breakpoints stops.
func (s *Session) hit(w *warp.Warp, list []*point) *Stop {
	var st *Stop
	for _, b := range list {
		if b.watch != nil {
			continue // see goal.after
		}
		lanes := s.holding(w, b)
		if lanes.IsZero() {
			continue
		}
		if s.reversing && b.log != nil || !s.counts(b) {
			continue
		}
		if b.log != nil {
			for l := lanes.First(); l >= 0; l = lanes.Next(l) {
				s.tell(OutputEvent{Text: s.logText(b, w, l), Point: b.id})
			}
			continue
		}
		if st == nil {
			st = s.stopAt(AtBreakpoint, w, lanes)
		}
		st.Breakpoints = append(st.Breakpoints, b.id)
		if s.reversing {
			continue
		}
		s.conditionFailed(st, b)
		if b.temp {
			s.remove(b)
		}
	}
	return st
}

// holding is the set of active lanes that a breakpoint is for.
func (s *Session) holding(w *warp.Warp, b *point) warp.Mask {
	lanes := w.Active()
	for _, e := range []*Expr{b.threads, b.cond} {
		if e == nil {
			continue
		}
		ev := evaluator{t: s.t}
		th := thread{tile: uint64(w.T.Index), w: w, pc: w.PC}
		for l := lanes.First(); l >= 0; l = lanes.Next(l) {
			th.lane, th.local = l, w.Index*w.P.Width+l
			yes, err := ev.truth(e.root, &th)
			if err != nil {
				b.CondFail = err.Error()
				yes = true // a condition that cannot be computed stops, so that it is seen
			}
			if !yes {
				var m warp.Mask
				m.Set(l)
				lanes = lanes.AndNot(m)
			}
		}
	}
	return lanes
}

func (s *Session) logText(b *point, w *warp.Warp, lane int) string {
	ev := evaluator{t: s.t}
	th := &thread{tile: uint64(w.T.Index), local: w.Index*w.P.Width + lane, lane: lane, w: w, pc: w.PC}
	var out strings.Builder
	for _, p := range b.log {
		out.WriteString(p.text)
		if p.expr == nil {
			continue
		}
		v, err := ev.eval(p.expr.root, th)
		var text string
		if err == nil {
			text, err = s.t.text(v, th, 0)
		}
		if err != nil {
			text = "<" + err.Error() + ">"
		}
		out.WriteString(text)
	}
	return out.String()
}
