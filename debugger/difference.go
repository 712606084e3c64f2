package debugger

import (
	"context"
	"errors"
	"fmt"

	"ampdbg/diag"
	"ampdbg/warp"
)

// Difference is what a comparison of the launch with another machine gave.
// Who makes one runs launches of its own, as they begin: neither the session
// nor what was changed in it has a part in it.
type Difference struct {
	Sides    [2]string // the machines, as sentences call them; the first is the reference
	Summary  []string  // lines: what was compared, and how much of it differs
	Notes    []string  // what to know about it in this session
	Dispatch int       // after which the results part, from 1; 0: nowhere
	Elements []DifferentElement
	Findings []diag.Finding // faults that the machines found, and what makes differences no wonder
}

// DifferentElement is a number that differs.
type DifferentElement struct {
	Name string // "Out[17].x"
	Text string // with both values: "Out[17].x: 2 (0x40000000) against 3 (0x40400000), ..."
	// Values are those on either machine, as decimal numbers.
	Values [2]string
	// Where it lies: Size bytes at Offset of a buffer, or of an image, by its
	// index in the launch; the other index is -1.
	Buffer, Image int
	Offset, Size  int
	// Last is the write on the emulator that left the number; nil if no thread
	// writes it.
	Last *BlamedWrite
	// Suspect says what fault of the kernel touches the number, so that it may
	// hold anything; empty if none does.
	Suspect string
}

// BlamedWrite is a write that left a number that differs.
type BlamedWrite struct {
	Kind     string // "write", "atomic"
	Thread   diag.Thread
	Pos      diag.Pos
	Old, New string // values
	Count    uint64 // writes of the number in the dispatch, by all threads; this is the last one
}

// GoToWrite goes to the moment before the last write of an element in the
// dispatch after which the results part, of the thread that
// writes. From an earlier dispatch, or the middle of that one, the launch runs
// on to the end of it first, past breakpoints. A run that ends on the way, by
// the end of ctx or because threads are frozen, gives the stop there.
func (s *Session) GoToWrite(ctx context.Context, about ThreadID, d *Difference, e *DifferentElement) (*Stop, error) {
	return s.run(ctx, about, 0, func() (*Stop, error) { return s.goToWrite(d, e) })
}

func (s *Session) goToWrite(d *Difference, e *DifferentElement) (*Stop, error) {
	if e.Last == nil {
		return nil, fmt.Errorf("no thread writes %s on the emulator", e.Name)
	}
	if s.t.number > d.Dispatch {
		if err := s.travel(s.endOf(d.Dispatch)); err != nil {
			return nil, err
		}
	}
	for {
		st, err := s.runOut()
		if err != nil {
			return nil, err
		}
		if st != nil {
			return s.settle(st), nil
		}
		if s.t.number == d.Dispatch {
			break
		}
		if s.failedDispatch() {
			return nil, fmt.Errorf("dispatch %d ends at a fault of the kernel, before dispatch %d", s.number, d.Dispatch)
		}
		if _, err := s.cross(); err != nil {
			return nil, err
		}
		if s.exited {
			return nil, fmt.Errorf("the launch has ended before dispatch %d", d.Dispatch)
		}
	}
	data := s.differing(e)
	mem := s.t.memory(data)
	if mem == nil {
		return nil, fmt.Errorf("%s lies in memory that dispatch %d does not use", e.Name, d.Dispatch)
	}
	b := &point{spec: e.Name, kind: WatchWrite, watch: &watchpoint{
		data: data, mem: mem, tile: -1, off: int64(e.Offset), size: int64(e.Size),
	}}
	present := s.now()
	found, at, err := s.lastHit(b, s.startOf(s.t.number))
	if found == nil {
		if err == nil {
			err = fmt.Errorf("no thread has written %s: frozen threads or changed values have made this another run than the one compared", e.Name)
		}
		return nil, errors.Join(err, s.travel(present))
	}
	if err := s.travel(at); err != nil {
		return nil, err
	}
	w := s.t.c.Current()
	var lane warp.Mask
	lane.Set(found.Thread.Local % s.t.p.Width)
	st := s.stopAt(AtStep, w, lane)
	st.Active = w.Active().Count()
	if st.Thread != s.t.threadOf(e.Last.Thread) {
		st.Text = fmt.Sprintf("not the thread of the comparison, %v: this is another run", e.Last.Thread)
	}
	return s.settle(st), nil
}

// runOut runs the dispatch to its end, past breakpoints and findings. It gives
// a stop if something else ends the run.
func (s *Session) runOut() (*Stop, error) {
	for !s.t.c.Stopped() {
		st, err := s.drive(&goal{})
		if err != nil {
			return nil, err
		}
		if st.Reason != AtEnd && st.Reason != AtFinding {
			return st, nil
		}
	}
	return nil, nil
}

// differing is the buffer or image in which an element lies, nil if the launch
// has no such one.
func (s *Session) differing(e *DifferentElement) []byte {
	switch {
	case e.Buffer >= 0 && e.Buffer < len(s.launch.Buffers):
		return s.launch.Buffers[e.Buffer].Data
	case e.Image >= 0 && e.Image < len(s.launch.Images):
		return s.launch.Images[e.Image].Data
	}
	return nil
}
