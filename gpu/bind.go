//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"cmp"
	"fmt"
	"slices"

	"ampdbg/diag"
	"ampdbg/gpu/internal/driver"
	"ampdbg/launch"
)

// count gives the elements of a binding's array: those bound, and those that
// the kernel declares beyond them.
func (j *job) count(b *launch.Binding) int {
	n := len(b.Elems)
	for i := range j.p.usage.resources {
		if r := &j.p.usage.resources[i]; r.set == b.Set && r.binding == b.Binding {
			n = max(n, r.count)
		}
	}
	return n
}

// filled reports whether an element of a binding has something in it.
func filled(e *launch.Descriptor) bool {
	return e.Buffer != nil || e.Image != nil || e.Sampler != nil
}

// partial reports whether some elements of a binding's array stay empty.
func (j *job) partial(b *launch.Binding) bool {
	return j.count(b) > len(b.Elems) || slices.ContainsFunc(b.Elems, func(e launch.Descriptor) bool { return !filled(&e) })
}

// layout gives the descriptor set layouts by set number.
func (j *job) layout() [][]driver.LayoutBinding {
	var sets [][]driver.LayoutBinding
	for _, b := range j.bindings {
		for int(b.Set) >= len(sets) {
			sets = append(sets, nil)
		}
		sets[b.Set] = append(sets[b.Set], driver.LayoutBinding{Binding: b.Binding, Type: kinds[b.Kind].descriptor,
			Count: uint32(j.count(b)), Partial: j.partial(b)})
	}
	return sets
}

// sortBindings puts the bindings into the order in which Vulkan counts
// dynamic offsets.
func (j *job) sortBindings() {
	for i := range j.d.Bindings {
		if b := &j.d.Bindings[i]; len(b.Elems) > 0 {
			j.bindings = append(j.bindings, b)
		}
	}
	slices.SortFunc(j.bindings, func(x, y *launch.Binding) int {
		return cmp.Or(cmp.Compare(x.Set, y.Set), cmp.Compare(x.Binding, y.Binding))
	})
}

// bind writes every descriptor and gathers the dynamic offsets.
func (j *job) bind() error {
	for _, b := range j.bindings {
		r := j.p.usage.resource(b.Set, b.Binding)
		for i := range j.count(b) {
			var e launch.Descriptor
			if i < len(b.Elems) {
				e = b.Elems[i]
			}
			if b.Kind.IsDynamic() {
				j.dynamic = append(j.dynamic, uint32(e.Dynamic))
			}
			if !filled(&e) {
				continue
			}
			slot := driver.Slot{Set: b.Set, Binding: b.Binding, Element: uint32(i), Type: kinds[b.Kind].descriptor}
			if err := j.bindElement(slot, b, &e, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *job) bindElement(slot driver.Slot, b *launch.Binding, e *launch.Descriptor, r *resource) error {
	lacks := func(what string) error {
		return bindingError(diag.BadInput, b, "element %d of a %s has no %s", slot.Element, b.Kind, what)
	}
	switch b.Kind {
	case launch.SeparateSampler, launch.CombinedImageSampler, launch.SampledImage, launch.StorageImage:
		var view *driver.ImageView
		var sampler *driver.Sampler
		var err error
		if b.Kind != launch.SeparateSampler {
			if e.Image == nil {
				return lacks("image")
			}
			if view, err = j.view(b, e, r); err != nil {
				return err
			}
		}
		if b.Kind == launch.SeparateSampler || b.Kind == launch.CombinedImageSampler {
			if e.Sampler == nil {
				return lacks("sampler")
			}
			if sampler, err = j.sampler(e.Sampler); err != nil {
				return err
			}
			if err := j.checkFilter(b, e); err != nil {
				return err
			}
		}
		j.sets.SetImage(slot, view, sampler)
		return nil
	}
	if e.Buffer == nil {
		return lacks("buffer")
	}
	size, err := j.checkRange(b, e)
	if err != nil {
		return err
	}
	place := j.buffers[e.Buffer]
	if !b.Kind.IsTexelBuffer() {
		j.sets.SetBuffer(slot, place.gpu, guardSize+e.Offset-e.Dynamic, size)
		return nil
	}
	f, ok := parseFormat(e.Format)
	if !ok {
		return bindingError(diag.Unsupported, b, "texel buffers of format %q", e.Format)
	}
	if _, have := j.a.physical.FormatFeatures(f.vulkan); have&kinds[b.Kind].format == 0 {
		return bindingError(diag.Unsupported, b, "%s has no %ss of format %s", j.a.device.Name, b.Kind, f.name)
	}
	texels := size / int64(f.bytes)
	if texels == 0 || texels > int64(j.a.device.Limits.TexelElements) {
		return bindingError(diag.Unsupported, b, "%d texels: %s takes 1 to %d", texels, j.a.device.Name, j.a.device.Limits.TexelElements)
	}
	view, err := place.gpu.NewView(f.vulkan, guardSize+e.Offset, texels*int64(f.bytes))
	if err != nil {
		return err
	}
	j.cleanup(view.Destroy)
	j.sets.SetTexel(slot, view)
	return nil
}

// checkFilter holds a combined image's format against a linear sampler.
func (j *job) checkFilter(b *launch.Binding, e *launch.Descriptor) error {
	s := e.Sampler
	if e.Image == nil || !s.MagLinear && !s.MinLinear {
		return nil
	}
	f, _ := parseFormat(e.Image.Format)
	if have, _ := j.a.physical.FormatFeatures(f.vulkan); have&formatSampledLinear == 0 {
		return bindingError(diag.Unsupported, b, "%s has no linear filter for images of format %s", j.a.device.Name, f.name)
	}
	return nil
}

// checkRange holds a buffer descriptor against its buffer and the device's
// alignments, and gives the size to bind.
//
// That is the descriptor's range; but where the range ends with the buffer,
// the guard zone behind it is bound too, unless the kernel could tell: drivers
// drop writes past the range, and what is dropped no one can report. The
// kernel can tell by OpArrayLength, and with robust access it may count on
// what happens outside.
func (j *job) checkRange(b *launch.Binding, e *launch.Descriptor) (int64, error) {
	l := &j.a.device.Limits
	align, limit := l.StorageAlign, uint64(l.StorageRange)
	switch b.Kind {
	case launch.UniformBuffer, launch.UniformBufferDynamic:
		align, limit = l.UniformAlign, uint64(l.UniformRange)
	case launch.StorageTexelBuffer, launch.UniformTexelBuffer:
		align, limit = l.TexelAlign, uint64(l.TexelElements)*16
	}
	if e.Offset < 0 || e.Dynamic < 0 || e.Dynamic > e.Offset || e.Range < 0 || e.Range > int64(len(e.Buffer.Data)) || e.Offset > int64(len(e.Buffer.Data))-e.Range {
		return 0, bindingError(diag.BadInput, b, "%d bytes from byte %d of buffer %s, which has %d", e.Range, e.Offset, e.Buffer.Name, len(e.Buffer.Data))
	}
	if e.Range == 0 {
		return 0, bindingError(diag.Unsupported, b, "Vulkan binds no empty range (of buffer %s)", e.Buffer.Name)
	}
	if a := int64(max(align, 1)); e.Offset%a != 0 || e.Dynamic%a != 0 {
		return 0, bindingError(diag.Unsupported, b, "offset %d into buffer %s: %s takes multiples of %d", e.Offset, e.Buffer.Name, j.a.device.Name, a)
	}
	if uint64(e.Range) > limit {
		return 0, bindingError(diag.Unsupported, b, "%d bytes of a %s: %s binds at most %d", e.Range, b.Kind, j.a.device.Name, limit)
	}
	storage := b.Kind == launch.StorageBuffer || b.Kind == launch.StorageBufferDynamic
	if storage && !j.d.Robust && !j.p.usage.lengths && e.Offset+e.Range == int64(len(e.Buffer.Data)) {
		j.buffers[e.Buffer].covered = true
		return min(e.Range+guardSize, int64(limit)), nil
	}
	return e.Range, nil
}

// pipeline finds or makes the pipeline.
func (j *job) pipeline() (*driver.Pipeline, error) {
	d, dev := j.d, &j.a.device
	sets := j.layout()
	push := (max(len(pushData(d)), j.p.usage.push) + 3) &^ 3
	key := pipelineKey{j.p.key, fmt.Sprint(sets), push, d.Subgroup}
	return j.l.pipelines.get(key, func() (*driver.Pipeline, error) {
		s := d.Subgroup
		info := driver.PipelineInfo{Words: j.p.words, Entry: d.Entry, Sets: sets, Push: push, Spec: j.p.spec,
			Subgroup: uint32(dev.Subgroup.requiredSize(s.RequiredSize)), Varying: s.VaryingSize, Full: s.FullyPopulated}
		// What the validation layer says of the module comes before the
		// driver's compiler gets it.
		info.Module = func() { j.begin(Compiling) }
		return j.l.dev.NewPipeline(info)
	})
}
