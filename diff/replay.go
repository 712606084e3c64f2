package diff

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// Span is a run of bytes of a buffer or image, in the Data of a launch.
type Span struct {
	Buffer *launch.Buffer // nil for an image
	Image  *launch.Image
	Offset int // bytes
	Size   int
}

// Write is one write, or writing atomic, to recorded bytes.
type Write struct {
	Seq    uint64 // its place among all accesses of the replay to recorded memory, from 1
	Kind   string // "write", "atomic"
	Thread diag.Thread
	Pos    diag.Pos
	Stack  []diag.Frame
	ID     uint32 // SPIR-V id, see diag.Access
	Name   string // of it, see diag.Access
	Object string // what was written, in the module's words: "buf.data[17]"
	Old    []byte // the recorded bytes before
	New    []byte // and after
	// Where the emulator stood: enough to come back to the moment before.
	PC    int
	Tile  int    // linear index
	Warp  int    // in the tile
	Lane  int    // in the warp
	Steps uint64 // of the warp, thread-instructions up to its last jump

	call uint64 // lanes of one instruction share it
}

// History is what happened to recorded bytes.
type History struct {
	Span
	Count  uint64  // writes in all
	Writes []Write // the last keptWrites of them, in order
	Reads  uint64
}

// keptWrites bounds the writes that are kept of each span.
const keptWrites = 4096

// last is the write that the bytes were left by, nil if there was none.
func (h *History) last() *Write {
	if len(h.Writes) == 0 {
		return nil
	}
	return &h.Writes[len(h.Writes)-1]
}

// of lists the writes by one thread, in order.
func (h *History) of(t diag.Thread) []Write {
	var out []Write
	for _, w := range h.Writes {
		if w.Thread == t {
			out = append(out, w)
		}
	}
	return out
}

// replay runs a dispatch on the emulator and records what writes to recorded
// bytes; the histories are in the order of the spans. The launch's memory
// is used as it is, and changed. A fault of the kernel ends the replay, with
// the histories until then.
func replay(ctx context.Context, d *launch.Dispatch, opt emu.Options, spans []Span) ([]History, error) {
	o := &replayer{list: make([]History, len(spans)), byMemory: map[*tilemem.Memory][]int{}}
	for i, w := range spans {
		o.list[i].Span = w
	}
	opt.Observe = o.begin
	_, err := emu.Run(ctx, d, opt)
	var stopped *emu.StoppedError
	if errors.As(err, &stopped) {
		err = nil
	}
	return o.list, err
}

// replayer is the observer behind Replay.
type replayer struct {
	m        *emu.Machine
	list     []History
	byMemory map[*tilemem.Memory][]int // spans, by offset
	seq      uint64
	calls    uint64
}

func (o *replayer) begin(m *emu.Machine) ([]emu.Observer, error) {
	o.m = m
	memories := map[any]*tilemem.Memory{}
	for v := range m.Views {
		mem := m.MemoryOf(v)
		switch info := &m.Views[v]; {
		case mem == nil:
		case info.Image != nil:
			memories[info.Image] = mem
		case info.Buffer != nil:
			memories[info.Buffer] = mem
		}
	}
	for i := range o.list {
		w := &o.list[i]
		var mem *tilemem.Memory
		if w.Image != nil {
			mem = memories[w.Image]
		} else {
			mem = memories[w.Buffer]
		}
		if mem != nil {
			o.byMemory[mem] = append(o.byMemory[mem], i)
		}
	}
	for _, list := range o.byMemory {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(o.list[a].Offset, o.list[b].Offset) })
	}
	return []emu.Observer{o}, nil
}

// Wants implements emu.Wants.
func (o *replayer) Wants(mem *tilemem.Memory) bool { return o.byMemory[mem] != nil }

// Access implements warp.MemoryObserver.
func (o *replayer) Access(w *warp.Warp, a *warp.Access) {
	o.calls++
	for l := a.Mask.First(); l >= 0; l = a.Mask.Next(l) {
		v := &w.T.Views[a.View[l]]
		list := o.byMemory[v.Mem]
		if list == nil {
			continue
		}
		o.seq++
		start := v.Base + a.Off[l]
		for _, i := range list {
			h := &o.list[i]
			if int64(h.Offset) >= start+a.Size {
				break
			}
			if int64(h.Offset+h.Size) <= start {
				continue
			}
			if a.Kind == warp.Read || a.Kind == warp.AtomicAccess && !a.Op.Writes() {
				h.Reads++
				continue
			}
			o.write(h, w, a, l, v, start)
		}
	}
}

// write records that lane l writes recorded bytes.
func (o *replayer) write(h *History, w *warp.Warp, a *warp.Access, l int, v *tilemem.View, start int64) {
	h.Count++
	if len(h.Writes) >= 2*keptWrites {
		h.Writes = append(h.Writes[:0], h.Writes[len(h.Writes)-keptWrites:]...)
	}
	out := Write{
		Seq: o.seq, Kind: "write", Thread: emu.Thread(w, l), Pos: o.m.Pos(a.PC), Stack: o.m.Stack(a.PC), ID: o.m.ID(a.PC), Name: o.m.IDName(a.PC),
		Object: o.m.Element(int(a.View[l]), max(a.Off[l], int64(h.Offset)-v.Base)).String(),
		PC:     a.PC, Tile: w.T.Index, Warp: w.Index, Lane: l, Steps: w.Steps, call: o.calls,
	}
	if a.Kind == warp.AtomicAccess {
		out.Kind = "atomic"
	}
	// Bytes that other lanes of the same instruction have written are not in
	// memory yet; their record comes before.
	out.Old = make([]byte, h.Size)
	if at := int64(h.Offset) - v.Base; at >= 0 && at <= int64(len(v.Data)) {
		copy(out.Old, v.Data[at:])
	}
	if last := h.last(); last != nil && last.call == o.calls {
		copy(out.Old, last.New)
	}
	out.New = slices.Clone(out.Old)
	for i := range out.New {
		if at := int64(h.Offset+i) - start; at >= 0 && at < a.Size {
			out.New[i] = a.Byte(w, l, at)
		}
	}
	h.Writes = append(h.Writes, out)
}
