package debugger

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"ampdbg/diag"
)

var errNoSource = errors.New("the source text is not to be had")

// Line is a line of a listing.
type Line struct {
	Number int
	Text   string
	Code   bool // control comes to it
	Break  int  // number of a breakpoint, 0 if there is none
	Count  int  // threads of running tiles at it
	Active int  // of them active
}

// List gives lines of a source file, or of the disassembly. The file is named as
// in a FileLine; found is its whole name.
func (at *Stopped) List(file string, first, last int) (found string, lines []Line, err error) {
	if err := at.enter(); err != nil {
		return "", nil, err
	}
	defer at.leave()
	t := at.t
	whole, unknown := t.lines.file(file)
	if unknown == nil {
		file = whole
	}
	text, err := at.s.text(file)
	if err != nil {
		return "", nil, cmp.Or(unknown, err)
	}
	counts, active := map[int]int{}, map[int]int{}
	for _, tile := range t.c.Resident() {
		for _, w := range tile.Warps {
			places := w.Places()
			for lane := range w.Lanes {
				st := t.laneState(w, lane, places[lane])
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
	breaks := map[int]int{}
	for _, p := range at.s.points {
		if p.Problem == "" && p.watch == nil && p.pos.File == file && !p.Disabled {
			breaks[p.pos.Line] = p.id
		}
	}
	for n := max(first, 1); n <= min(last, len(text)); n++ {
		lines = append(lines, Line{
			Number: n, Text: strings.TrimSuffix(text[n-1], "\r"), Code: len(t.lines.byLine[file][n]) > 0,
			Break: breaks[n], Count: counts[n], Active: active[n],
		})
	}
	if len(lines) == 0 {
		return "", nil, fmt.Errorf("%s has %d lines", file, len(text))
	}
	return file, lines, nil
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

// SourceLine is a line of a file.
func (at *Stopped) SourceLine(p diag.Pos) (string, error) {
	if err := at.enter(); err != nil {
		return "", err
	}
	defer at.leave()
	lines, err := at.s.text(p.File)
	if err != nil {
		return "", err
	}
	if p.Line < 1 || p.Line > len(lines) {
		return "", fmt.Errorf("%s has %d lines", p.File, len(lines))
	}
	return strings.TrimSuffix(lines[p.Line-1], "\r"), nil
}

// Instruction is an instruction of a listing.
type Instruction struct {
	Word int
	Text string
	Pos  diag.Pos
	Here bool
}

// Disassembly gives the instruction that a frame of a thread is at, and n before
// and after it.
func (at *Stopped) Disassembly(id ThreadID, frame, n int) ([]Instruction, error) {
	if err := at.sit(id, frame); err != nil {
		return nil, err
	}
	defer at.leave()
	t := at.t
	th := t.threadIn(id, frame)
	if th.pc < 0 {
		return nil, fmt.Errorf("the thread is %s", t.state(id).status)
	}
	here := int(t.p.Inst[th.pc])
	var out []Instruction
	for i := max(here-n, 0); i <= min(here+n, len(t.u.Insts)-1); i++ {
		out = append(out, Instruction{
			Word: t.u.Insts[i].Offset, Text: t.u.InstString(i, t.names), Pos: t.u.PosOf(i), Here: i == here,
		})
	}
	return out, nil
}
