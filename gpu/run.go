//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"context"
	"fmt"
	"time"

	"ampdbg/diag"
	"ampdbg/gpu/internal/driver"
	"ampdbg/launch"
)

// job is one dispatch on its way through the device.
type job struct {
	a *Accelerator
	d *launch.Dispatch
	p *program
	l *logical

	bindings   []*launch.Binding // sorted by set and binding
	buffers    map[*launch.Buffer]*deviceBuffer
	order      []*launch.Buffer
	images     map[*launch.Image]*deviceImage
	imageOrder []*launch.Image
	sets       *driver.Descriptors
	dynamic    []uint32
	commands   *driver.Commands
	cleanups   []func()
}

// cleanup has f called when the job is done, in reverse order.
func (j *job) cleanup(f func()) { j.cleanups = append(j.cleanups, f) }

// begin tells of a phase.
func (j *job) begin(p Phase) {
	j.a.phase = p
	if j.a.opt.OnPhase != nil {
		j.a.opt.OnPhase(p, j.a.gather())
	}
}

func (j *job) close() {
	for i := len(j.cleanups) - 1; i >= 0; i-- {
		j.cleanups[i]()
	}
	j.cleanups = nil
}

// run takes a dispatch through all stages. The caller holds the turn.
func (a *Accelerator) run(ctx context.Context, d *launch.Dispatch) (*Result, error) {
	p, err := a.program(d)
	if err != nil {
		return nil, err
	}
	if err := p.usage.checkBindings(d); err != nil {
		return nil, err
	}
	if err := p.usage.checkLimits(&a.device, d); err != nil {
		return nil, err
	}
	j := &job{a: a, d: d, p: p, buffers: map[*launch.Buffer]*deviceBuffer{}, images: map[*launch.Image]*deviceImage{}}
	j.sortBindings()
	n, err := j.needs()
	if err != nil {
		return nil, err
	}
	j.begin(Preparing)
	if j.l, err = a.logical(n); err != nil {
		return nil, err
	}
	if err := j.prepare(); err != nil {
		if Lost(err) {
			j.lost()
		}
		j.close()
		return nil, err
	}
	return j.execute(ctx)
}

// needs gathers what the device must have for the dispatch, and says what it
// lacks.
func (j *job) needs() (needs, error) {
	all := needs{}
	merge := func(n needs) {
		for k, why := range n {
			if _, ok := all[k]; !ok {
				all[k] = why
			}
		}
	}
	merge(j.p.usage.needs)
	merge(j.p.usage.extensionsFor(j.a.device.API))
	merge(j.a.require)
	if j.d.Robust {
		all.feature("robustBufferAccess", "the launch asks for it")
	}
	if list := addressed(j.d); len(list) > 0 {
		all.feature("bufferDeviceAddress", "the address of buffer "+list[0].Name+" is asked for or held")
	}
	for _, b := range j.bindings {
		if j.partial(b) {
			all.feature("descriptorBindingPartiallyBound", fmt.Sprintf("the array at set %d binding %d has empty elements", b.Set, b.Binding))
		}
		for _, e := range b.Elems {
			if e.Image != nil {
				if err := sampleNeeds(all, j.d, e.Image); err != nil {
					return nil, err
				}
			}
			if e.Image != nil && e.Image.Cube && e.Image.Layers > 6 {
				all.feature("imageCubeArray", "image "+e.Image.Name)
			}
			if s := e.Sampler; s != nil && (s.AddressU == launch.MirrorClampToEdge || s.AddressV == launch.MirrorClampToEdge || s.AddressW == launch.MirrorClampToEdge) {
				if j.a.device.API >= makeAPIVersion(1, 2) {
					all.feature("samplerMirrorClampToEdge", "sampler "+s.Name)
				} else {
					all.extension("VK_KHR_sampler_mirror_clamp_to_edge", "sampler "+s.Name)
				}
			}
		}
	}
	if err := j.p.usage.checkSubgroup(&j.a.device, j.d, all); err != nil {
		return nil, err
	}
	if lack := all.missing(&j.a.device); lack != "" {
		return nil, at(unsupported("%s lacks %s", j.a.device.Name, lack), j.d.Pos)
	}
	return all, nil
}

// prepare makes everything that the dispatch needs on the device and records
// its commands.
func (j *job) prepare() error {
	j.begin(Compiling)
	pipeline, err := j.pipeline()
	if err != nil {
		return err
	}
	j.begin(Placing)
	if err := j.placeBuffers(); err != nil {
		return err
	}
	if j.sets, err = pipeline.NewDescriptors(); err != nil {
		return err
	}
	j.cleanup(j.sets.Destroy)
	if err := j.bind(); err != nil {
		return err
	}
	return j.record(pipeline)
}

func (j *job) record(pipeline *driver.Pipeline) error {
	c, err := j.l.dev.NewCommands()
	if err != nil {
		return err
	}
	j.commands = c
	j.cleanup(c.Destroy)
	for _, b := range j.order {
		if p := j.buffers[b]; p.stage != nil {
			c.Copy(p.stage, p.gpu, 0, 0, p.gpu.Size)
		}
	}
	for _, i := range j.imageOrder {
		switch p := j.images[i]; {
		case p.samples != nil:
			p.samples.fill.record(c, p.gpu)
		case p.stage == nil:
			c.Zero(p.gpu)
		default:
			c.CopyToImage(p.stage, p.gpu, p.regions)
		}
	}
	push := append([]byte(nil), pushData(j.d)...)
	for len(push)%4 != 0 || len(push) < j.p.usage.push {
		push = append(push, 0)
	}
	c.BeforeDispatch()
	c.Dispatch(pipeline, j.sets, j.dynamic, push, j.d.Groups)
	c.AfterDispatch()
	for _, b := range j.order {
		if p := j.buffers[b]; p.stage != nil {
			c.Copy(p.gpu, p.stage, 0, 0, p.gpu.Size)
		}
	}
	for _, i := range j.imageOrder {
		switch p := j.images[i]; {
		case p.samples != nil:
			p.samples.read.record(c, p.gpu)
		case p.stage != nil:
			c.CopyFromImage(p.gpu, p.stage, p.regions)
		}
	}
	c.BeforeHost()
	return c.End()
}

// execute runs the commands as often as wanted and reads the results back.
func (j *job) execute(ctx context.Context) (*Result, error) {
	r := &Result{}
	for range max(j.a.opt.Repeat, 1) {
		j.begin(Running)
		for _, b := range j.order {
			j.buffers[b].upload(b.Data)
		}
		for _, i := range j.imageOrder {
			if p := j.images[i]; p.stage != nil {
				copy(p.stage.Bytes, i.Data)
			}
		}
		start := time.Now()
		if err := j.commands.Submit(); err != nil {
			j.lost()
			return nil, err
		}
		if err := j.wait(ctx, start); err != nil {
			return nil, err
		}
		r.Host = append(r.Host, time.Since(start))
		if t, ok := j.commands.Duration(); ok {
			r.Device = append(r.Device, t)
		}
	}
	j.begin(Reading)
	for _, b := range j.order {
		r.Outside = append(r.Outside, j.buffers[b].download(b)...)
	}
	for _, i := range j.imageOrder {
		if p := j.images[i]; p.stage != nil {
			copy(i.Data, p.stage.Bytes)
		}
	}
	j.close()
	return r, nil
}

// waitSlice bounds each wait for the device, so that a context that ends is
// seen soon.
const waitSlice = 20 * time.Millisecond

// wait waits for the commands. Where time runs out before they end, the job
// is left to a goroutine that frees it when they do.
func (j *job) wait(ctx context.Context, start time.Time) error {
	for {
		done, err := j.commands.Wait(waitSlice)
		if err != nil {
			j.lost()
			return err
		}
		if done {
			return nil
		}
		if ctx.Err() != nil {
			j.abandon()
			return ctx.Err()
		}
		if t := j.a.opt.Timeout; t > 0 && time.Since(start) > t {
			j.abandon()
			return &diag.Error{Class: diag.Budget, Pos: j.d.Pos, Msg: fmt.Sprintf("%s did not end running entry point %q within %v", j.a.device.Name, j.d.Entry, t)}
		}
	}
}

// lost frees everything of a logical device that failed; the next dispatch
// makes a new one.
func (j *job) lost() {
	delete(j.a.logicals, j.l.key)
	j.close()
	j.l.destroy()
}

// abandon takes the job's logical device out of use, and frees both when the
// commands end, if they ever do.
func (j *job) abandon() {
	delete(j.a.logicals, j.l.key)
	j.a.abandoned.Add(1)
	go func() {
		for {
			done, err := j.commands.Wait(100 * time.Millisecond)
			if done || err != nil {
				break
			}
		}
		j.close()
		j.l.destroy()
		j.a.abandoned.Add(-1)
	}()
}
