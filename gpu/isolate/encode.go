//go:build cgo && linux && (amd64 || arm64)

package isolate

import (
	"encoding/binary"
	"fmt"
	"math"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// dispatch is a launch.Dispatch with numbers in place of pointers. With it
// come the module's words, then the contents of Buffers, then of Images.
type dispatch struct {
	Module   string // its name
	Entry    string
	Spec     spirv.SpecValues
	Bindings []binding
	Push     []byte
	// PushBuffer is the number of a buffer, 0 for none.
	PushBuffer int
	Groups     [3]uint32
	Subgroup   launch.Subgroup
	Robust     bool
	Timed      bool
	Pipeline   string
	Pos        diag.Pos
	Buffers    []buffer
	Images     []image
	Samplers   []sampler
	Forgotten  []int // numbers of buffers that will not come again
}

// buffer is a launch.Buffer. Its number, from 1, stays the same as long as
// the accelerator is open: a device must not take two for one, nor one for
// two, where addresses are involved.
type buffer struct {
	Number    int
	Name      string
	Pos       diag.Pos
	Addresses []address
}

type address struct {
	At  int
	To  int // number of a buffer, 0 for none
	Add int64
}

// image is a launch.Image; what is Data there comes behind the header.
type image struct {
	launch.Image
	Data struct{}
}

// sampler is a launch.Sampler, with the bits of its floats: JSON has no
// infinity.
type sampler struct {
	launch.Sampler
	MinLOD, MaxLOD, LODBias uint32
}

type binding struct {
	Set, Binding uint32
	Kind         launch.DescriptorKind
	Elems        []descriptor
	Pos          diag.Pos
}

type descriptor struct {
	Buffer                 int // number of a buffer, 0 for none
	Offset, Dynamic, Range int64
	Format                 string
	Image                  int // place in Images, from 1; 0 for none
	BaseMip                int
	Sampler                int // place in Samplers, from 1; 0 for none
}

// encoder makes the sendable form of a dispatch.
type encoder struct {
	number   func(*launch.Buffer) int
	out      *dispatch
	buffers  []*launch.Buffer // by place in out.Buffers
	images   []*launch.Image
	samplers []*launch.Sampler
	seen     map[*launch.Buffer]bool
}

// encode gives the sendable form of a dispatch, numbering buffers by number.
func encode(d *launch.Dispatch, number func(*launch.Buffer) int) *encoder {
	e := &encoder{number: number, seen: map[*launch.Buffer]bool{}}
	e.out = &dispatch{
		Module: d.Module.Name, Entry: d.Entry, Spec: d.Spec, Push: d.Push, PushBuffer: e.buffer(d.PushBuffer), Groups: d.Groups,
		Subgroup: d.Subgroup, Robust: d.Robust, Timed: d.Timed, Pipeline: d.Pipeline, Pos: d.Pos,
	}
	for _, b := range d.Bindings {
		w := binding{Set: b.Set, Binding: b.Binding, Kind: b.Kind, Pos: b.Pos}
		for _, x := range b.Elems {
			w.Elems = append(w.Elems, descriptor{
				Buffer: e.buffer(x.Buffer), Offset: x.Offset, Dynamic: x.Dynamic, Range: x.Range, Format: x.Format,
				Image: entry(&e.images, x.Image), BaseMip: x.BaseMip, Sampler: entry(&e.samplers, x.Sampler),
			})
		}
		e.out.Bindings = append(e.out.Bindings, w)
	}
	// Those whose addresses a buffer holds follow it.
	for i := 0; i < len(e.buffers); i++ {
		b := e.buffers[i]
		w := buffer{Number: number(b), Name: b.Name, Pos: b.Pos}
		for _, a := range b.Addresses {
			w.Addresses = append(w.Addresses, address{a.At, e.buffer(a.To), a.Add})
		}
		e.out.Buffers = append(e.out.Buffers, w)
	}
	for _, i := range e.images {
		w := image{Image: *i}
		w.Image.Data = nil
		e.out.Images = append(e.out.Images, w)
	}
	for _, s := range e.samplers {
		e.out.Samplers = append(e.out.Samplers, sampler{*s, math.Float32bits(s.MinLOD), math.Float32bits(s.MaxLOD), math.Float32bits(s.LODBias)})
	}
	return e
}

func (e *encoder) buffer(b *launch.Buffer) int {
	if b == nil {
		return 0
	}
	if !e.seen[b] {
		e.seen[b] = true
		e.buffers = append(e.buffers, b)
	}
	return e.number(b)
}

// entry finds or adds x, and gives its place from 1; 0 for nil.
func entry[T any](list *[]*T, x *T) int {
	if x == nil {
		return 0
	}
	for i, y := range *list {
		if x == y {
			return i + 1
		}
	}
	*list = append(*list, x)
	return len(*list)
}

// memories are the contents that go along, and come back.
func (e *encoder) memories() [][]byte {
	var out [][]byte
	for _, b := range e.buffers {
		out = append(out, b.Data)
	}
	for _, i := range e.images {
		out = append(out, i.Data)
	}
	return out
}

// request is the message that asks for the dispatch.
func (e *encoder) request(m *spirv.Module) (*request, [][]byte) {
	all := append([][]byte{m.Encode(binary.LittleEndian)}, e.memories()...)
	q := &request{Operation: runDispatch, Dispatch: e.out}
	for _, b := range all {
		q.Sizes = append(q.Sizes, len(b))
	}
	return q, all
}

// decode puts the dispatch of a request together again. known are the buffers
// that came before, by number. The memories that go back are those that came,
// but for the first.
func decode(q *request, memories [][]byte, known map[int]*launch.Buffer) (*launch.Dispatch, error) {
	w := q.Dispatch
	if w == nil {
		return nil, fmt.Errorf("%w: no dispatch", errRubbish)
	}
	if want := 1 + len(w.Buffers) + len(w.Images); len(memories) != want {
		return nil, fmt.Errorf("%w: %d memories, not %d", errRubbish, len(memories), want)
	}
	module, err := spirv.Decode(w.Module, memories[0])
	if err != nil {
		return nil, err
	}
	for _, n := range w.Forgotten {
		delete(known, n)
	}
	for i := range w.Buffers {
		x := &w.Buffers[i]
		b := known[x.Number]
		if b == nil {
			b = &launch.Buffer{}
			known[x.Number] = b
		}
		*b = launch.Buffer{Name: x.Name, Pos: x.Pos, Data: memories[1+i]}
	}
	bad := false
	buffer := func(n int) *launch.Buffer {
		b := known[n]
		bad = bad || n != 0 && b == nil
		return b
	}
	for _, x := range w.Buffers {
		b := known[x.Number]
		for _, a := range x.Addresses {
			b.Addresses = append(b.Addresses, launch.Address{At: a.At, To: buffer(a.To), Add: a.Add})
		}
	}
	var images []*launch.Image
	for i := range w.Images {
		x := w.Images[i].Image
		x.Data = memories[1+len(w.Buffers)+i]
		images = append(images, &x)
	}
	var samplers []*launch.Sampler
	for _, x := range w.Samplers {
		s := x.Sampler
		s.MinLOD, s.MaxLOD, s.LODBias = math.Float32frombits(x.MinLOD), math.Float32frombits(x.MaxLOD), math.Float32frombits(x.LODBias)
		samplers = append(samplers, &s)
	}
	d := &launch.Dispatch{
		Module: module, Entry: w.Entry, Spec: w.Spec, Push: w.Push, PushBuffer: buffer(w.PushBuffer), Groups: w.Groups,
		Subgroup: w.Subgroup, Robust: w.Robust, Timed: w.Timed, Pipeline: w.Pipeline, Pos: w.Pos,
	}
	for _, x := range w.Bindings {
		b := launch.Binding{Set: x.Set, Binding: x.Binding, Kind: x.Kind, Pos: x.Pos}
		for _, y := range x.Elems {
			if y.Image < 0 || y.Image > len(images) || y.Sampler < 0 || y.Sampler > len(samplers) {
				return nil, fmt.Errorf("%w: image %d, sampler %d", errRubbish, y.Image, y.Sampler)
			}
			e := launch.Descriptor{Buffer: buffer(y.Buffer), Offset: y.Offset, Dynamic: y.Dynamic, Range: y.Range, Format: y.Format, BaseMip: y.BaseMip}
			if y.Image > 0 {
				e.Image = images[y.Image-1]
			}
			if y.Sampler > 0 {
				e.Sampler = samplers[y.Sampler-1]
			}
			b.Elems = append(b.Elems, e)
		}
		d.Bindings = append(d.Bindings, b)
	}
	if bad || known[0] != nil {
		return nil, fmt.Errorf("%w: a buffer that did not come", errRubbish)
	}
	return d, nil
}
