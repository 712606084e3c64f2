package launch

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ampdbg/amber"
	"ampdbg/diag"
	"ampdbg/spirv"
)

// ToScript writes a launch as a script of declarations and RUN, COPY and
// REPEAT. Contents and modules go to files: save is given each with a name for
// it, and gives the path that the script is to say. FromScript makes an equal
// launch of it. What a script cannot say is a *diag.Error of class Unsupported.
func ToScript(l *Launch, save func(name string, data []byte) (path string, err error)) (*amber.Script, error) {
	w := &writer{launch: l, save: save, script: &amber.Script{File: l.Name}, shaders: map[*spirv.Module]string{}}
	for _, r := range l.Require {
		w.add(&amber.Require{Kind: word(r.Kind), Name: word(r.Name)})
	}
	if l.FenceTimeoutMS > 0 {
		w.add(&amber.EngineData{Name: word("fence_timeout_ms"), Value: number(int64(l.FenceTimeoutMS))})
	}
	texels := map[*Buffer]string{}
	for _, d := range Dispatches(l.Steps) {
		if err := w.shader(d); err != nil {
			return nil, err
		}
		for _, b := range d.Bindings {
			for _, e := range b.Elems {
				if e.Buffer == nil || !b.Kind.IsTexelBuffer() {
					continue
				}
				if f := texels[e.Buffer]; f != "" && f != e.Format {
					return nil, unwritten("buffer %s has texels of two formats, %s and %s", e.Buffer.Name, f, e.Format)
				}
				texels[e.Buffer] = e.Format
			}
		}
	}
	for _, b := range l.Buffers {
		if err := w.buffer(b, texels[b]); err != nil {
			return nil, err
		}
	}
	for _, i := range l.Images {
		if err := w.image(i); err != nil {
			return nil, err
		}
	}
	for _, s := range l.Samplers {
		w.add(samplerStmt(s))
	}
	steps, err := w.steps(l.Steps)
	if err != nil {
		return nil, err
	}
	w.script.Stmts = append(w.script.Stmts, steps...)
	return w.script, nil
}

type writer struct {
	launch    *Launch
	save      func(name string, data []byte) (string, error)
	script    *amber.Script
	shaders   map[*spirv.Module]string
	pipelines int
}

func unwritten(format string, args ...any) error {
	return &diag.Error{Class: diag.Unsupported, Msg: "no script says this: " + fmt.Sprintf(format, args...)}
}

func word(s string) amber.Word { return amber.Word{Text: s} }

func number(n int64) amber.Number {
	return amber.Number{Word: word(strconv.FormatInt(n, 10)), Value: n}
}

func (w *writer) add(s amber.Stmt) { w.script.Stmts = append(w.script.Stmts, s) }

// named checks that a name can stand in a script.
func named(name string) error {
	if name == "" || strings.ContainsAny(name, " \t\r\n\v\f#") {
		return unwritten("the name %q", name)
	}
	return nil
}

func (w *writer) shader(d *Dispatch) error {
	if w.shaders[d.Module] != "" {
		return nil
	}
	name := "kernel"
	if n := len(w.shaders); n > 0 {
		name += strconv.Itoa(n + 1)
	}
	path, err := w.save(name+".spv", d.Module.Encode(binary.LittleEndian))
	if err != nil {
		return err
	}
	w.shaders[d.Module] = name
	w.add(&amber.Shader{Type: word("compute"), Name: word(name), Format: word("SPIRV-BIN"), File: word(path)})
	return nil
}

// buffer declares a buffer as its type, or as bytes where the type has no
// whole number of elements or is none that a script has without a STRUCT.
func (w *writer) buffer(b *Buffer, format string) error {
	if err := named(b.Name); err != nil {
		return err
	}
	decl := &amber.Buffer{Name: word(b.Name)}
	t := b.Elem
	if format != "" {
		decl.Format = word(format)
		if t == nil || t.Kind != FormatType || t.Name != format {
			var err error
			if t, err = ElementType(format); err != nil {
				return err
			}
		}
	} else {
		if t == nil || !plainType(t) || t.Stride == 0 || len(b.Data)%t.Stride != 0 {
			t = newScalar(Uint8)
		}
		decl.DataType = word(t.Name)
	}
	if t.Stride == 0 || len(b.Data)%t.Stride != 0 {
		return unwritten("buffer %s has %d bytes, no whole number of %s", b.Name, len(b.Data), t.Name)
	}
	decl.Size = number(int64(len(b.Data) / t.Stride))
	for _, a := range b.Addresses {
		to := "&" + a.To.Name
		if a.Add < 0 || strings.Contains(a.To.Name, "+") {
			return unwritten("the address %s%+d", to, a.Add)
		}
		if a.Add > 0 {
			to += "+" + strconv.FormatInt(a.Add, 10)
		}
		decl.Addresses = append(decl.Addresses, amber.Address{At: number(int64(a.At)), To: word(to)})
	}
	var err error
	decl.Init, err = w.contents(b.Name, b.Data)
	w.add(decl)
	return err
}

// plainType reports whether a buffer can be declared as a type by its name
// alone, with the layout that goes without saying.
func plainType(t *DataType) bool {
	same, err := ParseType(t.Name, Std430)
	return err == nil && (t.Kind == ScalarType || t.Kind == VectorType) && elementOf(same, Std430).Stride == t.Stride && same.Scalar == t.Scalar
}

// contents saves memory that is not all zero.
func (w *writer) contents(name string, data []byte) (*amber.Init, error) {
	if !slices.ContainsFunc(data, func(b byte) bool { return b != 0 }) {
		return nil, nil
	}
	path, err := w.save(name+".bin", data)
	return &amber.Init{Kind: amber.InitFile, FileKind: word("BINARY"), Path: word(path)}, err
}

func (w *writer) image(i *Image) error {
	if err := named(i.Name); err != nil {
		return err
	}
	decl := &amber.Buffer{Image: true, Name: word(i.Name), Format: word(i.Format), Dim: i.Dim, Width: number(int64(i.Width)), Cube: i.Cube}
	if i.Layers > 1 {
		decl.Layers = number(int64(i.Layers))
	}
	if i.Dim > 1 {
		decl.Height = number(int64(i.Height))
	}
	if i.Dim > 2 {
		decl.Depth = number(int64(i.Depth))
	}
	if i.MipLevels > 1 {
		decl.MipLevels = number(int64(i.MipLevels))
	}
	var err error
	if decl.Init, err = w.contents(i.Name, i.Data); err != nil {
		return err
	}
	if i.Samples > 1 {
		if decl.Init != nil {
			return unwritten("image %s has several samples and contents", i.Name)
		}
		decl.Samples = number(int64(i.Samples))
	}
	w.add(decl)
	return nil
}

// reversed looks a value up in one of the tables of AmberScript's words.
func reversed[V comparable](table map[string]V, v V) string {
	for k, x := range table {
		if x == v {
			return k
		}
	}
	return ""
}

func samplerStmt(s *Sampler) *amber.Sampler {
	stmt := &amber.Sampler{Name: word(s.Name)}
	option := func(key, value string) {
		stmt.Options = append(stmt.Options, amber.SamplerOption{Key: word(key), Value: word(value)})
	}
	filter := map[bool]string{false: "nearest", true: "linear"}
	float := func(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }
	option("MAG_FILTER", filter[s.MagLinear])
	option("MIN_FILTER", filter[s.MinLinear])
	option("ADDRESS_MODE_U", reversed(addressModes, s.AddressU))
	option("ADDRESS_MODE_V", reversed(addressModes, s.AddressV))
	option("ADDRESS_MODE_W", reversed(addressModes, s.AddressW))
	option("BORDER_COLOR", strings.ToLower(s.BorderColor))
	if s.Unnormalized {
		option("UNNORMALIZED_COORDS", "")
	} else {
		option("MIN_LOD", float(s.MinLOD))
		option("MAX_LOD", float(s.MaxLOD))
	}
	if s.Compare {
		option("COMPARE", "on")
		option("COMPARE_OP", s.CompareOp)
	}
	return stmt
}

func (w *writer) steps(steps []Step) (out []amber.Stmt, err error) {
	for _, s := range steps {
		switch s := s.(type) {
		case *Dispatch:
			name, err := w.pipeline(s)
			if err != nil {
				return nil, err
			}
			run := &amber.Run{Timed: s.Timed, Pipeline: word(name)}
			for i, g := range s.Groups {
				run.Groups[i] = number(int64(g))
			}
			out = append(out, run)
		case *Copy:
			name := func(b *Buffer, i *Image) amber.Word {
				if i != nil {
					return word(i.Name)
				}
				return word(b.Name)
			}
			out = append(out, &amber.Copy{From: name(s.From, s.FromImage), To: name(s.To, s.ToImage)})
		case *Loop:
			body, err := w.steps(s.Steps)
			if err != nil {
				return nil, err
			}
			out = append(out, &amber.Repeat{Count: number(s.Count), Body: body})
		default:
			return nil, unwritten("a step of type %T", s)
		}
	}
	return out, nil
}

// pipeline declares the pipeline of a dispatch and gives its name.
func (w *writer) pipeline(d *Dispatch) (string, error) {
	w.pipelines++
	name := "pipeline"
	if w.pipelines > 1 {
		name += strconv.Itoa(w.pipelines)
	}
	shader := word(w.shaders[d.Module])
	if err := named(d.Entry); err != nil {
		return "", err
	}
	attach := &amber.Attach{Shader: shader, Entry: word(d.Entry)}
	for id, v := range d.Spec {
		kind := "uint32"
		if v > 1<<32-1 {
			kind = "uint64"
		}
		attach.Spec = append(attach.Spec, amber.Specialize{ID: number(int64(id)), Type: word(kind), Value: word(strconv.FormatUint(v, 10))})
	}
	slices.SortFunc(attach.Spec, func(x, y amber.Specialize) int { return cmp.Compare(x.ID.Value, y.ID.Value) })
	p := &amber.Pipeline{Name: word(name), Body: []amber.PipelineStmt{attach}}
	if g := d.Subgroup; g != (Subgroup{}) {
		stmt := &amber.Subgroup{Shader: shader}
		on := map[bool]string{true: "on"}
		stmt.FullyPopulated, stmt.VaryingSize = word(on[g.FullyPopulated]), word(on[g.VaryingSize])
		switch {
		case g.RequiredSize == RequiredMin:
			stmt.RequiredSize = word("MIN")
		case g.RequiredSize == RequiredMax:
			stmt.RequiredSize = word("MAX")
		case g.RequiredSize > 0:
			stmt.RequiredSize = word(strconv.Itoa(g.RequiredSize))
		}
		p.Body = append(p.Body, stmt)
	}
	for i := range d.Bindings {
		b, err := bindStmt(&d.Bindings[i])
		if err != nil {
			return "", err
		}
		p.Body = append(p.Body, b)
	}
	switch {
	case d.PushBuffer != nil:
		p.Body = append(p.Body, &amber.Bind{Names: []amber.Word{word(d.PushBuffer.Name)}, As: word("push_constant")})
	case d.Push != nil:
		decl := &Buffer{Name: name + "_push", Data: d.Push}
		if err := w.buffer(decl, ""); err != nil {
			return "", err
		}
		p.Body = append(p.Body, &amber.Bind{Names: []amber.Word{word(decl.Name)}, As: word("push_constant")})
	}
	w.add(p)
	return name, nil
}

func bindStmt(b *Binding) (*amber.Bind, error) {
	stmt := &amber.Bind{Set: number(int64(b.Set)), Binding: number(int64(b.Binding)), Array: len(b.Elems) > 1}
	sampler := b.Kind == SeparateSampler
	if stmt.Sampler = sampler; !sampler {
		stmt.As = word(reversed(descriptorKinds, b.Kind))
	}
	for i, e := range b.Elems {
		switch {
		case sampler && e.Sampler != nil:
			stmt.Names = append(stmt.Names, word(e.Sampler.Name))
		case b.Kind.isImage() && e.Image != nil:
			stmt.Names = append(stmt.Names, word(e.Image.Name))
			stmt.BaseMips = append(stmt.BaseMips, number(int64(e.BaseMip)))
			if b.Kind == CombinedImageSampler {
				if e.Sampler == nil {
					return nil, unwritten("element %d of binding %d.%d has no sampler", i, b.Set, b.Binding)
				}
				stmt.Samplers = append(stmt.Samplers, word(e.Sampler.Name))
			}
		case e.Buffer != nil:
			stmt.Names = append(stmt.Names, word(e.Buffer.Name))
			if b.Kind.IsDynamic() {
				stmt.Offsets = append(stmt.Offsets, number(e.Dynamic))
			}
			stmt.DescOffsets = append(stmt.DescOffsets, number(e.Offset-e.Dynamic))
			stmt.DescRanges = append(stmt.DescRanges, number(e.Range))
		default:
			return nil, unwritten("element %d of binding %d.%d is empty", i, b.Set, b.Binding)
		}
	}
	if len(b.Elems) == 0 {
		return nil, unwritten("binding %d.%d has no element", b.Set, b.Binding)
	}
	return stmt, nil
}
