package gpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"ampdbg/diag"
	"ampdbg/launch"
)

// guardSize is the bytes of the zone before and after each buffer's data. It
// is a multiple of every offset alignment that Vulkan allows (at most 256
// bytes), so that data keeps the alignment of its offset.
const guardSize = 4096

// guardZone is the contents of a zone that no descriptor covers: no two of its words are alike, so that
// hardly any value written there goes unseen.
var guardZone = func() (zone [guardSize]byte) {
	for i := 0; i < guardSize; i += 4 {
		// Each step can be undone, so different words go in and come out.
		x := uint32(i) ^ 0x9e3779b9
		x = (x ^ x>>16) * 0x85ebca6b
		x = (x ^ x>>13) * 0xc2b2ae35
		binary.LittleEndian.PutUint32(zone[i:], x^x>>16)
	}
	return zone
}()

// zeroZone is the contents of a zone that the kernel reaches by a descriptor
// (see checkRange). Drivers read zeros outside a descriptor's range and drop
// writes there: with zeros in the zone, results are as without it, or else a
// write is found.
var zeroZone [guardSize]byte

// Write is a run of bytes that a kernel changed outside a buffer.
type Write struct {
	Buffer *launch.Buffer
	// Offset is that of the first byte from the buffer's first one: negative
	// before the buffer, the buffer's length or more behind it.
	Offset int
	Bytes  []byte // what stands there now
}

func (w Write) String() string {
	where := fmt.Sprintf("%d bytes before its first byte", -w.Offset)
	if w.Offset >= 0 {
		where = fmt.Sprintf("at byte %d of %d", w.Offset, len(w.Buffer.Data))
	}
	shown := w.Bytes
	more := ""
	if len(shown) > 16 {
		shown, more = shown[:16], " ..."
	}
	return fmt.Sprintf("write of %d bytes outside buffer %s, %s: % x%s", len(w.Bytes), w.Buffer.Name, where, shown, more)
}

// mergeGap is how many unchanged bytes between two changed ones still count
// as one write: a word may agree with the zone in some of its bytes.
const mergeGap = 4

// changedGuard gives the runs of bytes of a zone that changed from what it
// was. base is the zone's offset from the buffer's first byte.
func changedGuard(b *launch.Buffer, zone []byte, was *[guardSize]byte, base int) []Write {
	if bytes.Equal(zone, was[:]) {
		return nil
	}
	var out []Write
	first, last := -1, -1
	flush := func() {
		if first >= 0 {
			out = append(out, Write{b, base + first, append([]byte(nil), zone[first:last+1]...)})
		}
		first = -1
	}
	for i, v := range zone {
		if v == was[i] {
			continue
		}
		if first >= 0 && i-last > mergeGap {
			flush()
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	flush()
	return out
}

// OutsideError is a kernel's fault: it wrote outside buffers. The buffers'
// Data holds the results nevertheless.
type OutsideError struct {
	Dispatch *launch.Dispatch
	Writes   []Write // at least one
}

func (e *OutsideError) Error() string {
	s := e.Writes[0].String()
	if n := len(e.Writes) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	if p := e.Dispatch.Pos; p.IsValid() {
		s = p.String() + ": " + s
	}
	return s
}

// Finding gives the fault as a finding of the launch.
func (e *OutsideError) Finding() diag.Finding {
	w := e.Writes[0]
	f := diag.Finding{
		Code: diag.OutOfBounds, Message: w.String(), Variable: diag.Element{Name: w.Buffer.Name}, Space: "storage buffer",
		Kernel: e.Dispatch.Entry, Pos: e.Dispatch.Pos, Count: uint64(len(e.Writes)),
	}
	if f.Kernel == "" || e.Dispatch.Pipeline != "" {
		f.Kernel = e.Dispatch.Pipeline
	}
	for _, w := range e.Writes[1:] {
		f.Notes = append(f.Notes, diag.Note{Msg: strings.ToUpper(w.String()[:1]) + w.String()[1:]})
	}
	return f
}
