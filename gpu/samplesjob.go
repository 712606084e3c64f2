//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"fmt"

	"ampdbg/gpu/internal/driver"
	"ampdbg/launch"
)

// samplesJob copies the texels of a multisampled image to it and from it.
type samplesJob struct {
	fill, read sampleStep
}

// sampleStep is one of the two copies: a dispatch of the kernel in
// samples.comp.
type sampleStep struct {
	pipeline *driver.Pipeline
	sets     *driver.Descriptors
	push     []byte
	groups   [3]uint32
	fills    bool
}

// Bindings of the kernel.
const (
	samplesImage = 0
	samplesWords = 1
)

// sampleJob prepares the copies of an image's texels from and to its staging
// buffer.
func (j *job) sampleJob(i *launch.Image, p *deviceImage) (*samplesJob, error) {
	fail := func(format string, args ...any) (*samplesJob, error) {
		return nil, at(unsupported("image %s: "+format, append([]any{i.Name}, args...)...), i.Pos)
	}
	dev := &j.a.device
	f, _ := parseFormat(i.Format)
	s := sampleCopies[f.bytes]
	if have, _ := j.a.physical.FormatFeatures(s.alias.vulkan); have&formatStorage == 0 {
		return fail("its samples are copied as %s, of which %s has no storage images", s.alias.name, dev.Name)
	}
	alias := p.gpu.ImageInfo
	alias.Format, alias.Usage = s.alias.vulkan, driver.ImageStorage
	if l, err := j.a.physical.ImageLimits(alias); err != nil || l.Samples&alias.Samples == 0 {
		return fail("%s has no storage images of format %s with %d samples, as which they are copied", dev.Name, s.alias.name, i.Samples)
	}
	if size, most := p.stage.Size, int64(dev.Limits.StorageRange); size > most {
		return fail("%d bytes of samples: %s copies at most %d", size, dev.Name, most)
	}
	view, err := p.gpu.NewView(driver.ViewInfo{Type: driver.View2DArray, Format: s.alias.vulkan, Usage: driver.ImageStorage, Mips: 1, Layers: uint32(i.Layers)})
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", i.Name, err)
	}
	j.cleanup(view.Destroy)
	out := &samplesJob{}
	for _, step := range []*sampleStep{&out.fill, &out.read} {
		*step = sampleStep{push: s.push(i), groups: s.groups(i), fills: step == &out.fill}
		if step.pipeline, err = j.samplePipeline(&s, step.fills); err != nil {
			return nil, err
		}
		if step.sets, err = step.pipeline.NewDescriptors(); err != nil {
			return nil, err
		}
		j.cleanup(step.sets.Destroy)
		step.sets.SetImage(driver.Slot{Binding: samplesImage, Type: kinds[launch.StorageImage].descriptor}, view, nil)
		step.sets.SetBuffer(driver.Slot{Binding: samplesWords, Type: kinds[launch.StorageBuffer].descriptor}, p.stage, 0, p.stage.Size)
	}
	return out, nil
}

// samplePipeline finds or makes the kernel's pipeline.
func (j *job) samplePipeline(s *sampleCopy, fills bool) (*driver.Pipeline, error) {
	key := pipelineKey{program: programKey{entry: "copy of samples", spec: fmt.Sprint(s.alias.name, " ", fills)}}
	return j.l.pipelines.get(key, func() (*driver.Pipeline, error) {
		words, err := s.words()
		if err != nil {
			return nil, err
		}
		spec := []driver.SpecConstant{{ID: 0, Bytes: 4}, {ID: 1, Bits: uint64(s.texelsPerWord), Bytes: 4}, {ID: 2, Bits: uint64(s.wordsPerTexel), Bytes: 4}}
		if fills {
			spec[0].Bits = 1
		}
		return j.l.dev.NewPipeline(driver.PipelineInfo{
			Words: words, Entry: "main", Push: 16, Spec: spec,
			Sets: [][]driver.LayoutBinding{{
				{Binding: samplesImage, Type: kinds[launch.StorageImage].descriptor, Count: 1},
				{Binding: samplesWords, Type: kinds[launch.StorageBuffer].descriptor, Count: 1},
			}},
		})
	})
}

// record records the copy: before the launch's kernel, or after it.
func (s *sampleStep) record(c *driver.Commands, i *driver.Image) {
	if s.fills {
		c.BeforeFill(i)
		c.BeforeDispatch()
	} else {
		c.BetweenKernels()
	}
	c.Help(s.pipeline, s.sets, s.push, s.groups)
	if s.fills {
		c.BetweenKernels()
	}
}
