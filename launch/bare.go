package launch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ampdbg/diag"
	"ampdbg/spirv"
)

// fromModule makes the launch of a bare module: one dispatch.
func fromModule(m *spirv.Module, opt LoadOptions) (*Launch, error) {
	d, u, err := unbound(m, opt)
	if err != nil {
		return nil, err
	}
	if d.Push, err = parsePush(opt.Push); err != nil {
		return nil, err
	}
	if d.Push != nil && !hasPush(u) {
		return nil, &diag.Error{Msg: fmt.Sprintf("push constants %q: module %s has none", opt.Push, m.Name)}
	}
	l := &Launch{Name: m.Name}
	b := &binder{launch: l, dispatch: d, unit: u, left: MaxBytes}
	for _, text := range opt.Binds {
		if err := b.bind(text); err != nil {
			return nil, flagError("binding", text, err)
		}
	}
	if err := b.finish(); err != nil {
		return nil, err
	}
	l.Steps = []Step{d}
	return l, nil
}

// Unbound makes the dispatch of a bare module without anything bound: for those
// who want the kernel and will not run it. Of opt it takes Entry, Groups and Spec.
func Unbound(m *spirv.Module, opt LoadOptions) (*Dispatch, error) {
	d, _, err := unbound(m, opt)
	return d, err
}

// unbound is Unbound, with the module resolved for the dispatch.
func unbound(m *spirv.Module, opt LoadOptions) (*Dispatch, *spirv.Unit, error) {
	d := &Dispatch{Module: m, Entry: opt.Entry, Groups: opt.Groups, Pos: diag.Pos{File: m.Name}}
	if d.Groups == [3]uint32{} {
		d.Groups = [3]uint32{1, 1, 1}
	}
	if d.Entry == "" {
		d.Entry = "main"
		if names := entryPoints(m); len(names) == 1 {
			d.Entry = names[0]
		}
	}
	if err := hasEntry(m, d.Entry); err != nil {
		return nil, nil, &diag.Error{Pos: diag.Pos{File: m.Name}, Msg: err.Error()}
	}
	var err error
	if d.Spec, err = parseSpec(opt.Spec); err != nil {
		return nil, nil, err
	}
	u, err := spirv.Resolve(m, d.Spec)
	if err != nil {
		return nil, nil, err
	}
	return d, u, checkSpec(u, d.Spec)
}

// flagError names the flag's text unless the error has its own place.
func flagError(what, text string, err error) error {
	var d *diag.Error
	if errors.As(err, &d) {
		return err
	}
	return &diag.Error{Msg: fmt.Sprintf("%s %q: %s", what, text, err)}
}

// parseSpec reads ID=TYPE:VALUE.
func parseSpec(list []string) (spirv.SpecValues, error) {
	if list == nil {
		return nil, nil
	}
	values := spirv.SpecValues{}
	for _, text := range list {
		id, typed, ok := strings.Cut(text, "=")
		name, value, ok2 := strings.Cut(typed, ":")
		n, err := strconv.ParseUint(id, 10, 32)
		if !ok || !ok2 || err != nil {
			return nil, &diag.Error{Msg: fmt.Sprintf("specialization %q: expected ID=TYPE:VALUE", text)}
		}
		if name == "bool" {
			name, value = "uint32", map[string]string{"true": "1", "false": "0"}[value]
		}
		k, known := LookupScalar(name)
		if !known {
			return nil, &diag.Error{Msg: fmt.Sprintf("specialization %q: unknown scalar type %q", text, name)}
		}
		if values[uint32(n)], err = (Scalar{Kind: k}).parse(value); err != nil {
			return nil, flagError("specialization", text, err)
		}
	}
	return values, nil
}

// parsePush reads TYPE:VALUE,… parts separated by semicolons.
func parsePush(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	var data []byte
	for _, part := range strings.Split(text, ";") {
		name, init, _ := strings.Cut(strings.TrimSpace(part), ":")
		t, n, err := parseExtent(name)
		if err == nil && !strings.Contains(part, ":") {
			err = fmt.Errorf("expected TYPE:VALUE,…")
		}
		if err != nil {
			return nil, flagError("push constants", text, err)
		}
		values := splitValues(init)
		if n == 0 {
			n = (len(values) + t.scalars - 1) / t.scalars
		}
		if n > 1<<16/max(t.Stride, 1) {
			return nil, flagError("push constants", text, errors.New("they take more than 65536 bytes"))
		}
		at := roundUp(len(data), t.Align)
		data = append(data, make([]byte, at-len(data)+n*t.Stride)...)
		if err := storeValues(data[at:], t, n, values); err != nil {
			return nil, flagError("push constants", text, err)
		}
	}
	return append(data, make([]byte, roundUp(len(data), 4)-len(data))...), nil
}

// parseExtent reads TYPE or TYPE[N]; n is 0 without [N] and for [].
func parseExtent(name string) (t *DataType, n int, err error) {
	base, dims, err := splitDims(strings.TrimSpace(name))
	if err != nil {
		return nil, 0, err
	}
	for i, d := range dims {
		if i > 0 {
			base += fmt.Sprintf("[%d]", d)
			if d == 0 {
				return nil, 0, fmt.Errorf("%q: only the outermost array may have no length", name)
			}
		} else {
			n = d
		}
	}
	if t, err = ParseType(base, Std430); err != nil {
		return nil, 0, err
	}
	return elementOf(t, Std430), n, nil
}

// splitValues cuts a list at commas and blanks.
func splitValues(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
}

func storeValues(mem []byte, t *DataType, n int, values []string) error {
	if len(values) > n*t.scalars {
		return fmt.Errorf("%d values for %d elements of %s, which take %d", len(values), n, t.Name, n*t.scalars)
	}
	for i, v := range values {
		s := t.At(i)
		raw, err := s.parse(v)
		if err != nil {
			return err
		}
		s.store(mem, raw)
	}
	return nil
}

// binder gives the variables of a module their memory.
type binder struct {
	launch    *Launch
	dispatch  *Dispatch
	unit      *spirv.Unit
	left      int64 // bytes that may still be allocated
	addresses []pendingAddress
}

// pendingAddress is an &S.B whose buffer may be bound later.
type pendingAddress struct {
	in   *Buffer
	at   int
	text string
}

// bindKinds are the words that may stand before the type.
var bindKinds = map[string]DescriptorKind{
	"storage": StorageBuffer, "uniform": UniformBuffer,
	"storage_texel_buffer": StorageTexelBuffer, "uniform_texel_buffer": UniformTexelBuffer,
}

// bind reads one flag:
//
//	0.0=float[16]:1,2,3          the rest is 0
//	0.1=uniform vec4<float>:1,2,3,4
//	0.2=uint32[64]:fill 7
//	0.3=uint32[64]:series 0 1
//	0.4=uint8[]:file data.bin
//	0.5=uint64:&0.0+16           the device address of byte 16 of 0.0
//	0.6=image R32_UINT 8x8:fill 1
//	0.7=sampler linear clamp_to_edge
//
// Binding one place again adds an element to its descriptor array.
func (b *binder) bind(text string) error {
	place, rest, ok := strings.Cut(text, "=")
	at, err := parseSlot(place)
	if !ok || err != nil {
		return errors.New("expected SET.BINDING=TYPE[N]:INIT")
	}
	what, init, _ := strings.Cut(rest, ":")
	fields := strings.Fields(what)
	if len(fields) == 0 {
		return errors.New("expected a type after =")
	}
	binding := b.at(at)
	guess, known := b.guess(at)
	var d Descriptor
	switch fields[0] {
	case "image":
		if d.Image, err = b.image(place, fields[1:], init); err != nil {
			return err
		}
		binding.Kind = SampledImage
		if known && guess.Kind.isImage() {
			binding.Kind = guess.Kind
		}
		if binding.Kind == CombinedImageSampler {
			d.Sampler = NewSampler(place)
			b.launch.Samplers = append(b.launch.Samplers, d.Sampler)
		}
	case "sampler":
		if d.Sampler, err = b.sampler(place, fields[1:]); err != nil {
			return err
		}
		binding.Kind = SeparateSampler
		if n := len(binding.Elems); known && guess.Kind == CombinedImageSampler && n > 0 {
			// The sampler of the image bound there.
			binding.Kind, binding.Elems[n-1].Sampler = guess.Kind, d.Sampler
			return nil
		}
	default:
		binding.Kind = StorageBuffer
		if known {
			binding.Kind = guess.Kind
		}
		if kind, given := bindKinds[fields[0]]; given {
			binding.Kind = kind
			fields = fields[1:]
		}
		if d.Buffer, err = b.buffer(strings.Join(fields, ""), init); err != nil {
			return err
		}
		d.Buffer.Name = place
		if known {
			d.Buffer.Name = guess.Name
		}
		if n := len(binding.Elems); n > 0 || known && guess.Count != 1 {
			d.Buffer.Name += fmt.Sprintf("[%d]", n)
		}
		d.Range = int64(len(d.Buffer.Data))
		if binding.Kind.IsTexelBuffer() {
			f := formatOf(d.Buffer.Elem)
			if f == nil {
				return fmt.Errorf("%s cannot be texels", d.Buffer.Elem.Name)
			}
			d.Format = f.Name
		}
	}
	if known && binding.Kind.isImage() != guess.Kind.isImage() || known && (binding.Kind == SeparateSampler) != (guess.Kind == SeparateSampler) {
		return fmt.Errorf("the module's %s is a %s", guess.Name, guess.Kind)
	}
	binding.Elems = append(binding.Elems, d)
	return nil
}

func parseSlot(s string) (slot, error) {
	set, binding, ok := strings.Cut(strings.TrimSpace(s), ".")
	x, err := strconv.ParseUint(set, 10, 32)
	y, err2 := strconv.ParseUint(binding, 10, 32)
	if !ok || err != nil || err2 != nil {
		return slot{}, fmt.Errorf("expected SET.BINDING, found %q", s)
	}
	return slot{uint32(x), uint32(y)}, nil
}

// at gives the binding of a slot, made if need be.
func (b *binder) at(s slot) *Binding {
	for i := range b.dispatch.Bindings {
		if x := &b.dispatch.Bindings[i]; x.Set == s.set && x.Binding == s.binding {
			return x
		}
	}
	b.dispatch.Bindings = append(b.dispatch.Bindings, Binding{Set: s.set, Binding: s.binding})
	return &b.dispatch.Bindings[len(b.dispatch.Bindings)-1]
}

// guess finds the module's variable at a slot.
func (b *binder) guess(s slot) (Resource, bool) {
	for _, v := range b.unit.Globals {
		if r, ok := resourceOf(b.unit, v); ok && r.Set == s.set && r.Binding == s.binding {
			return r, true
		}
	}
	return Resource{}, false
}

// finish resolves addresses, sorts the bindings, and checks that all that the
// module uses is bound.
func (b *binder) finish() error {
	for _, a := range b.addresses {
		place, add, _ := strings.Cut(a.text[1:], "+")
		at, err := parseSlot(place)
		var n int64
		if err == nil && add != "" {
			n, err = strconv.ParseInt(add, 0, 64)
		}
		if err != nil {
			return &diag.Error{Msg: fmt.Sprintf("address %s: expected &SET.BINDING or &SET.BINDING+BYTES", a.text)}
		}
		to := b.bufferAt(at)
		if to == nil {
			return &diag.Error{Msg: fmt.Sprintf("address %s: no buffer is bound at %s", a.text, place)}
		}
		a.in.Addresses = append(a.in.Addresses, Address{At: a.at, To: to, Add: n})
	}
	slices.SortFunc(b.dispatch.Bindings, func(x, y Binding) int {
		return cmp.Or(cmp.Compare(x.Set, y.Set), cmp.Compare(x.Binding, y.Binding))
	})
	if err := b.checkBound(); err != nil {
		return err
	}
	resources, err := Resources(b.unit, b.dispatch.Entry)
	if err != nil {
		return err
	}
	var unbound []string
	for _, r := range resources {
		if !slices.ContainsFunc(b.dispatch.Bindings, func(x Binding) bool { return x.Set == r.Set && x.Binding == r.Binding }) {
			unbound = append(unbound, r.String())
		}
	}
	if unbound != nil {
		return &diag.Error{Pos: diag.Pos{File: b.launch.Name}, Msg: "nothing is bound to " + strings.Join(unbound, ", ")}
	}
	return nil
}

func (b *binder) bufferAt(s slot) *Buffer {
	for _, x := range b.dispatch.Bindings {
		if x.Set == s.set && x.Binding == s.binding && len(x.Elems) > 0 {
			return x.Elems[0].Buffer
		}
	}
	return nil
}
