package launch

import (
	"ampdbg/amber"
)

// command makes the step of a statement; nil for a declaration.
func (b *builder) command(s amber.Stmt) (Step, error) {
	switch s := s.(type) {
	case *amber.Run:
		return orNil(b.runStep(s))
	case *amber.Copy:
		return orNil(b.copyStep(s))
	case *amber.Expect:
		return orNil(b.expectStep(s))
	case *amber.Repeat:
		loop := &Loop{Count: s.Count.Value, Pos: b.script.Pos(s.Offset())}
		for _, inner := range s.Body {
			step, err := b.command(inner)
			b.note(err)
			if step != nil {
				loop.Steps = append(loop.Steps, step)
			}
		}
		return loop, nil
	case *amber.Clear:
		if b.pipelines[s.Pipeline.Text] == nil {
			return nil, b.bad(s.Pipeline, "no pipeline is named %s", s.Pipeline.Text)
		}
		return nil, b.bad(s.Pipeline, "%s is a compute pipeline: it has no attachments to clear", s.Pipeline.Text)
	}
	return nil, nil
}

// orNil keeps a nil pointer from becoming a Step.
func orNil[T any, P interface {
	*T
	Step
}](step P, err error) (Step, error) {
	if err != nil {
		return nil, err
	}
	return step, nil
}

func (b *builder) runStep(s *amber.Run) (*Dispatch, error) {
	p := b.pipelines[s.Pipeline.Text]
	if p == nil {
		return nil, b.bad(s.Pipeline, "no pipeline is named %s", s.Pipeline.Text)
	}
	base, err := b.dispatch(p, s.Pipeline)
	if err != nil {
		return nil, err
	}
	d := *base
	d.Timed = s.Timed
	d.Pos = b.script.Pos(s.Offset())
	for i, g := range s.Groups {
		d.Groups[i] = uint32(g.Value)
	}
	return &d, nil
}

func (b *builder) copyStep(s *amber.Copy) (*Copy, error) {
	from, err := b.memoryNamed(s.From)
	if err != nil {
		return nil, err
	}
	to, err := b.memoryNamed(s.To)
	if err != nil {
		return nil, err
	}
	if from == to {
		return nil, b.bad(s.To, "%s is copied to itself", s.To.Text)
	}
	if n, m := len(from.bytes()), len(to.bytes()); n != m {
		return nil, b.bad(s.To, "%s has %d bytes, %s has %d", s.From.Text, n, s.To.Text, m)
	}
	return &Copy{From: from.buffer, FromImage: from.image, To: to.buffer, ToImage: to.image, Pos: b.script.Pos(s.Offset())}, nil
}

// expectStep types the values of an EXPECT by the memory they speak about.
func (b *builder) expectStep(s *amber.Expect) (*Expect, error) {
	m, err := b.memoryNamed(s.Buffer)
	if err != nil {
		return nil, err
	}
	e := &Expect{Pos: b.script.Pos(s.Offset()), Op: compareOps[s.Op.Text], Subject: m.content()}
	for _, t := range s.Tolerance {
		e.Tolerance = append(e.Tolerance, Tolerance{t.Value, t.Percent})
	}
	switch {
	case s.Other.Given():
		other, err := b.memoryNamed(s.Other)
		if err != nil {
			return nil, err
		}
		e.Other = other.content()
		return e, b.comparable(s, e)
	case s.Size != nil:
		return e, b.expectColour(s, e, m)
	}
	return e, b.expectValues(s, e, m)
}

func (m *memory) content() Content {
	return Content{Buffer: m.buffer, Image: m.image, Type: m.elem}
}

// comparable checks that two memories can be compared as a whole.
func (b *builder) comparable(s *amber.Expect, e *Expect) error {
	x, y := e.Subject.Bytes(), e.Other.Bytes()
	if len(x) != len(y) {
		return b.bad(s.Other, "%s has %d bytes, %s has %d", s.Buffer.Text, len(x), s.Other.Text, len(y))
	}
	if e.Op != EqualBuffer {
		a, c := e.Subject.Type, e.Other.Type
		if a == nil || c == nil || a.Name != c.Name || a.Stride != c.Stride || a.scalars != c.scalars {
			return b.bad(s.Other, "%s and %s hold different types", s.Buffer.Text, s.Other.Text)
		}
	}
	if e.Op == HistogramBuffer {
		f := formatOf(e.Subject.Type)
		for i := 0; f != nil && i < len(f.Components); i++ {
			if !isUnorm8(&f.Components[i]) {
				f = nil
			}
		}
		if f == nil {
			return b.bad(s.Buffer, "EQ_HISTOGRAM_EMD_BUFFER compares UNORM components of 8 bits, %s holds %s", s.Buffer.Text, e.Subject.Type.Name)
		}
	}
	return nil
}

func (b *builder) expectColour(s *amber.Expect, e *Expect, m *memory) error {
	f := formatOf(m.elem)
	if f == nil || f.TexelSize > m.elem.Stride {
		return b.bad(s.Buffer, "%s holds %s, which has no colours", s.Buffer.Text, m.elem.Name)
	}
	e.X, e.Y = int(s.Index[0].Value), int(s.Index[1].Value)
	e.W, e.H = int(s.Size[0].Value), int(s.Size[1].Value)
	if e.X+e.W > m.width || e.Y+e.H > m.height {
		return b.bad(s.Size[0].Word, "the area %d,%d to %d,%d lies outside %s, which is %dx%d",
			e.X, e.Y, e.X+e.W, e.Y+e.H, s.Buffer.Text, m.width, m.height)
	}
	e.rowTexels, e.format = m.width, f
	byteColour := Scalar{Kind: Float64}
	for _, v := range s.Values {
		raw, err := byteColour.parse(v.Text)
		if err != nil {
			return b.bad(v, "%s", err)
		}
		e.colour = append(e.colour, byteColour.Float(raw))
	}
	return nil
}

func (b *builder) expectValues(s *amber.Expect, e *Expect, m *memory) error {
	offset := s.Index[0]
	first, ok := m.elem.Find(int(offset.Value))
	size := len(m.bytes())
	if offset.Value >= int64(size) {
		return b.bad(offset.Word, "offset %d lies outside %s, which has %d bytes", offset.Value, s.Buffer.Text, size)
	}
	if !ok {
		return b.bad(offset.Word, "no number starts at byte %d of %s, which holds %s in strides of %d bytes",
			offset.Value, s.Buffer.Text, m.elem.Name, m.elem.Stride)
	}
	e.First = first
	for i, v := range s.Values {
		at := m.elem.At(first + i)
		if at.end() > size {
			return b.bad(v, "value %d would lie at byte %d of %s, which has %d bytes", i+1, at.Offset, s.Buffer.Text, size)
		}
		raw, err := at.parse(v.Text)
		if err != nil {
			return b.bad(v, "%s", err)
		}
		e.Values = append(e.Values, raw)
	}
	return nil
}
