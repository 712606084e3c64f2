package debugger

import (
	"fmt"
	"regexp"
	"strings"

	"ampdbg/spirv"
	"ampdbg/tilemem/texel"
	"ampdbg/warp"
)

// texelRef names a texel of an image: "target[3,1]".
type texelRef struct {
	name  string // of the variable, with its element in an array of images
	coord []*Expr
}

// texelText is an image, perhaps one of an array, and coordinates.
var texelText = regexp.MustCompile(`^([A-Za-z_$][\w.$]*(?:\[\d+\])?)\[([^\[\]]+)\]$`)

// texelIn reads the name of a texel; nil if the text names nothing in an image
// of the dispatch.
func (s *Session) texelIn(text string) (*texelRef, error) {
	m := texelText.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || s.imageView(m[1]) < 0 {
		return nil, nil
	}
	ref := &texelRef{name: m[1]}
	for part := range strings.SplitSeq(m[2], ",") {
		e, err := ParseExpr(part)
		if err != nil {
			return nil, err
		}
		ref.coord = append(ref.coord, e)
	}
	return ref, nil
}

// imageView is the view of an image's bytes, -1 if none has that name.
func (s *Session) imageView(name string) int {
	for i := range s.t.c.Views {
		if v := &s.t.c.Views[i]; v.Name == name && s.t.c.Texels(i) != nil {
			return i
		}
	}
	return -1
}

// resolveTexel finds the texel that a watchpoint watches, at level 0 of the
// image as the kernel sees it, with all of its samples.
func (s *Session) resolveTexel(b *Breakpoint) {
	w := b.watch
	view := s.imageView(w.texel.name)
	if view < 0 {
		b.Problem = fmt.Sprintf("no image %q in this dispatch", w.texel.name)
		return
	}
	im := s.t.c.Texels(view)
	n := im.Coordinates()
	if len(w.texel.coord) != n {
		b.Problem = fmt.Sprintf("%s has %d coordinates, found %d", w.texel.name, n, len(w.texel.coord))
		return
	}
	var at [3]int
	ev := evaluator{t: s.t}
	th := s.thread(w.thread)
	for i, e := range w.texel.coord {
		o, err := ev.value(e.root, th)
		switch {
		case err != nil:
			b.Problem = err.Error()
			return
		case o.t.Kind != spirv.Int:
			b.Problem = fmt.Sprintf("%s is no integer", e.Text)
			return
		}
		at[i] = int(int32(convert(intType, o.t, o.bits[0])))
	}
	off, ok := im.At(at, 0, 0)
	if !ok {
		b.Problem = fmt.Sprintf("%s lies outside of the image", w.expr.Text)
		return
	}
	v := s.t.c.View(nil, view)
	w.mem, w.tile = v.Mem, -1
	w.off, w.size = v.Base+int64(off), int64(im.Format.TexelSize*im.Samples)
	w.text = func() string { return s.texelValue(im, v.Data[off:][:im.Format.TexelSize]) }
}

// imageAccess is the image that an access is to by an image instruction; nil
// if it is another one.
func (s *Session) imageAccess(a *warp.Access, l int) *texel.Image {
	if s.t.p.Code[a.PC].Code != warp.ImageOp {
		return nil
	}
	return s.t.c.Texels(int(a.View[l]))
}

// texelValue formats a texel.
func (s *Session) texelValue(im *texel.Image, data []byte) string {
	f := im.Format
	t := map[texel.Class]*spirv.Type{texel.FloatClass: floatType, texel.UintClass: uintType, texel.SintClass: intType}[f.Class]
	if f.Wide() {
		t = map[texel.Class]*spirv.Type{texel.FloatClass: doubleType, texel.UintClass: uint64Type, texel.SintClass: int64Type}[f.Class]
	}
	var bits []uint64
	for i, b := range f.Decode(data) {
		if f.Has(i) {
			bits = append(bits, convert(t, t, b))
		}
	}
	text, _ := s.t.text(operand{t: vectorOf(t, len(bits)), bits: bits}, &thread{}, 0)
	return text
}

// texelHit fills in what an access did to a texel.
func (s *Session) texelHit(hit *WatchHit, im *texel.Image, w *warp.Warp, a *warp.Access, l int) {
	old := w.T.Views[a.View[l]].Data[a.Off[l]:][:im.Format.TexelSize]
	hit.Old = s.texelValue(im, old)
	switch a.Kind {
	case warp.Read:
		hit.Kind = "read"
	case warp.Write:
		hit.Kind, hit.New = "write", s.texelValue(im, a.Texel)
	default:
		now := append([]byte(nil), old...)
		for i := range a.Width {
			now[i] = byte(a.New >> (8 * i))
		}
		hit.Kind, hit.New = "atomic", s.texelValue(im, now)
	}
}
