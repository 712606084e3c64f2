//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"fmt"
	"strings"

	"ampdbg/diag"
	"ampdbg/gpu/internal/driver"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// deviceImage is a launch image's place on the device. Its texels go through
// a staging buffer: by copies, or, of several samples, by a kernel.
type deviceImage struct {
	gpu     *driver.Image
	stage   *driver.Buffer // nil where the texels are zero, and stay
	regions []driver.Region
	samples *samplesJob // nil for one sample
}

// imageRegions gives where each level of an image lies in its Data, and the
// size of the whole.
func imageRegions(i *launch.Image, texel int) (rs []driver.Region, size int64) {
	for mip := range i.MipLevels {
		extent := func(n int) uint32 { return uint32(max(n>>mip, 1)) }
		r := driver.Region{Offset: size, Mip: uint32(mip), Layers: uint32(i.Layers), Width: extent(i.Width), Height: extent(i.Height), Depth: extent(i.Depth)}
		rs = append(rs, r)
		size += int64(r.Width) * int64(r.Height) * int64(r.Depth) * int64(i.Layers) * int64(texel)
	}
	return rs, size
}

// placeImage finds or makes the place of an image. It is made for all the
// uses that the dispatch makes of it.
func (j *job) placeImage(i *launch.Image) (*deviceImage, error) {
	if p := j.images[i]; p != nil {
		return p, nil
	}
	fail := func(format string, args ...any) (*deviceImage, error) {
		return nil, &diag.Error{Class: diag.Unsupported, Pos: i.Pos, Msg: fmt.Sprintf("image %s: ", i.Name) + fmt.Sprintf(format, args...)}
	}
	f, ok := parseFormat(i.Format)
	if !ok {
		return fail("format %s cannot be copied texel by texel", i.Format)
	}
	rs, size := imageRegions(i, f.bytes)
	samples := max(i.Samples, 1)
	size *= int64(samples)
	if int64(len(i.Data)) != size || size == 0 {
		return nil, &diag.Error{Class: diag.BadInput, Pos: i.Pos, Msg: fmt.Sprintf("image %s: expected %d bytes and at least one texel, found %d", i.Name, size, len(i.Data))}
	}
	var usage, want uint32
	for k := range j.d.Bindings {
		b := &j.d.Bindings[k]
		for _, e := range b.Elems {
			if e.Image == i {
				usage |= kinds[b.Kind].image
				want |= kinds[b.Kind].format
			}
		}
	}
	copied := samples > 1 && copiesSamples(j.d, i)
	if copied {
		f = copiedFormat(f)
	}
	if have, _ := j.a.physical.FormatFeatures(f.vulkan); have&want != want {
		return fail("%s has no %s of format %s", j.a.device.Name, formatUse(want&^have), f.name)
	}
	info := driver.ImageInfo{
		Dim: i.Dim, Format: f.vulkan, Aspect: f.aspect, Cube: i.Cube, Usage: usage | 3, // and both copies
		Width: uint32(i.Width), Height: uint32(i.Height), Depth: uint32(i.Depth), Mips: uint32(i.MipLevels), Layers: uint32(i.Layers),
		Samples: uint32(samples),
	}
	if copied {
		info.Mutable = true
		info.Usage |= driver.ImageStorage
	}
	l, err := j.a.physical.ImageLimits(info)
	if err != nil {
		return fail("%s has no such image of format %s: %v", j.a.device.Name, f.name, err)
	}
	if info.Width > l.Width || info.Height > l.Height || info.Depth > l.Depth || info.Mips > l.Mips || info.Layers > l.Layers {
		return fail("%dx%dx%d with %d levels and %d layers: %s takes at most %dx%dx%d with %d and %d",
			info.Width, info.Height, info.Depth, info.Mips, info.Layers, j.a.device.Name, l.Width, l.Height, l.Depth, l.Mips, l.Layers)
	}
	if l.Samples&info.Samples == 0 {
		return fail("%d samples of format %s: %s takes %s for such images", samples, f.name, j.a.device.Name, counts(l.Samples))
	}
	p := &deviceImage{regions: rs}
	if p.gpu, err = j.l.dev.NewImage(info); err != nil {
		return nil, fmt.Errorf("image %s: %w", i.Name, err)
	}
	j.cleanup(p.gpu.Destroy)
	j.images[i] = p
	j.imageOrder = append(j.imageOrder, i)
	if i.Samples > 1 && !copied {
		return p, nil
	}
	if p.stage, err = j.l.dev.NewBuffer((size+3)&^3, driver.UseCopySource|driver.UseCopyTarget|driver.UseStorage, driver.Staging); err != nil {
		return nil, fmt.Errorf("image %s: %w", i.Name, err)
	}
	j.cleanup(p.stage.Destroy)
	if copied {
		p.samples, err = j.sampleJob(i, p)
	}
	return p, err
}

// counts lists the numbers of samples that a mask of Vulkan's has.
func counts(mask uint32) string {
	var out []string
	for n := uint32(1); n <= 64; n *= 2 {
		if mask&n != 0 {
			out = append(out, fmt.Sprint(n))
		}
	}
	return strings.Join(out, ", ")
}

func formatUse(features uint32) string {
	if features&formatStorage != 0 {
		return "storage images"
	}
	return "sampled images"
}

// view makes a view of an image for a variable of the kernel: of the
// dimension that the variable declares, else that of the image.
func (j *job) view(b *launch.Binding, e *launch.Descriptor, r *resource) (*driver.ImageView, error) {
	p, err := j.placeImage(e.Image)
	if err != nil {
		return nil, err
	}
	img := e.Image
	dim, arrayed := img.Dim, img.Layers > 1
	cube := img.Cube
	if t := r.image(); t != nil {
		arrayed = t.Arrayed
		if t.MS != (img.Samples > 1) {
			return nil, bindingError(diag.BadInput, b, "the kernel declares an image of %s, image %s has %d", map[bool]string{false: "one sample", true: "several samples"}[t.MS], img.Name, img.Samples)
		}
		declared := map[spirv.Dim]int{spirv.Dim1D: 1, spirv.Dim2D: 2, spirv.Dim3D: 3, spirv.DimCube: 2}[t.Dim]
		if declared != dim || t.Dim == spirv.DimCube && !img.Cube {
			return nil, bindingError(diag.BadInput, b, "the kernel declares an image of dimension %v, image %s has another", t.Dim, img.Name)
		}
		cube = t.Dim == spirv.DimCube
	}
	view, layers := map[int]driver.ViewType{1: driver.View1D, 2: driver.View2D, 3: driver.View3D}[dim], uint32(1)
	switch {
	case cube && arrayed:
		view, layers = driver.ViewCubeArray, uint32(img.Layers)
	case cube:
		view, layers = driver.ViewCube, 6
	case arrayed && dim == 1:
		view, layers = driver.View1DArray, uint32(img.Layers)
	case arrayed && dim == 2:
		view, layers = driver.View2DArray, uint32(img.Layers)
	}
	if e.BaseMip < 0 || e.BaseMip >= img.MipLevels {
		return nil, bindingError(diag.BadInput, b, "level %d of image %s, which has %d", e.BaseMip, img.Name, img.MipLevels)
	}
	mips := uint32(img.MipLevels - e.BaseMip)
	if b.Kind == launch.StorageImage {
		mips = 1
	}
	v, err := p.gpu.NewView(driver.ViewInfo{Type: view, Format: p.gpu.Format, Usage: kinds[b.Kind].image, Mip: uint32(e.BaseMip), Mips: mips, Layers: layers})
	if err != nil {
		return nil, err
	}
	j.cleanup(v.Destroy)
	return v, nil
}

// sampler makes a sampler.
func (j *job) sampler(s *launch.Sampler) (*driver.Sampler, error) {
	fail := func(what, value string) (*driver.Sampler, error) {
		return nil, &diag.Error{Class: diag.BadInput, Pos: s.Pos, Msg: fmt.Sprintf("sampler %s: unknown %s %q", s.Name, what, value)}
	}
	info := driver.SamplerInfo{MagLinear: s.MagLinear, MinLinear: s.MinLinear, MipLinear: s.MipLinear,
		LODBias: s.LODBias, MinLOD: s.MinLOD, MaxLOD: s.MaxLOD, Compare: s.Compare, Unnormalized: s.Unnormalized}
	for i, m := range []launch.AddressMode{s.AddressU, s.AddressV, s.AddressW} {
		if m > launch.MirrorClampToEdge {
			return fail("address mode", fmt.Sprint(uint8(m)))
		}
		info.Address[i] = int32(m) // in Vulkan's order
	}
	var ok bool
	if info.Border, ok = borderColor(s.BorderColor); !ok {
		return fail("border colour", s.BorderColor)
	}
	if info.CompareOp, ok = compareOp(s.CompareOp); !ok {
		return fail("comparison", s.CompareOp)
	}
	if s.Unnormalized {
		// Only level 0 is ever read then; Vulkan wants that said.
		info.MipLinear, info.MinLOD, info.MaxLOD, info.LODBias = false, 0, 0, 0
	}
	if !(info.MinLOD <= info.MaxLOD) {
		return nil, &diag.Error{Class: diag.BadInput, Pos: s.Pos, Msg: fmt.Sprintf("sampler %s: expected levels from least to largest, found %g to %g", s.Name, s.MinLOD, s.MaxLOD)}
	}
	v, err := j.l.dev.NewSampler(info)
	if err != nil {
		return nil, err
	}
	j.cleanup(v.Destroy)
	return v, nil
}
