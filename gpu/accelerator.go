//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"ampdbg/diag"
	"ampdbg/gpu/internal/driver"
	"ampdbg/launch"
)

// Accelerator is a device that runs dispatches. It may be used by several
// goroutines; dispatches run one after another.
type Accelerator struct {
	device   Device
	opt      Options
	physical *driver.Physical
	instance *driver.Instance
	require  needs
	logicals map[string]*logical
	programs *cache[programKey, *program]
	closed   bool
	said     []Message // that messages has not given yet
	phase    Phase     // of the last dispatch
	// turn holds a token while no one uses the fields above.
	turn chan struct{}
	// abandoned counts dispatches that ran out of time and still run.
	abandoned atomic.Int64
	// copying keeps buffers off memory that the host sees, as on devices
	// without such; for tests.
	copying bool
}

// Open makes the device that the selector names (see Select) ready to run
// dispatches. Errors are *diag.Error: Unsupported where the system, the
// device or the layer for Options.Validate is missing.
func Open(selector string, opt Options) (*Accelerator, error) {
	i, err := processInstance()
	if err != nil {
		return nil, err
	}
	if opt.Validate {
		if i, err = driver.NewInstance(true); err != nil {
			return nil, instanceError(err)
		}
	}
	a := &Accelerator{opt: opt, instance: i, logicals: map[string]*logical{}, programs: newCache[programKey, *program](64, nil), turn: make(chan struct{}, 1)}
	if err := a.pick(selector); err != nil {
		if opt.Validate {
			i.Destroy()
		}
		return nil, err
	}
	a.turn <- struct{}{}
	return a, nil
}

func (a *Accelerator) pick(selector string) error {
	devices, physical, err := enumerate(a.instance)
	if err != nil {
		return err
	}
	d, err := selectDevice(devices, selector)
	if err != nil {
		return err
	}
	a.device, a.physical = *d, physical[d.Index]
	if a.device.API < makeAPIVersion(1, 1) {
		return unsupported("%s has Vulkan %s: 1.1 or newer is needed", d.Name, d.API)
	}
	if !a.device.ComputeQueue {
		return unsupported("%s runs no compute shaders", d.Name)
	}
	if a.require, err = requirementNeeds(a.opt.Require, d.API, a.instance.Extensions); err != nil {
		return err
	}
	if lack := a.require.missing(&a.device); lack != "" {
		return unsupported("%s lacks %s", d.Name, lack)
	}
	return nil
}

// Device describes the accelerator.
func (a *Accelerator) Device() *Device { return &a.device }

// Dispatch runs d and leaves its results in the Data of its buffers and
// images. See Run for the errors; what else there is to tell goes to
// Options.OnResult.
func (a *Accelerator) Dispatch(ctx context.Context, d *launch.Dispatch) error {
	r, err := a.Run(ctx, d)
	if r != nil && a.opt.OnResult != nil {
		a.opt.OnResult(d, r)
	}
	return err
}

// Run runs d and leaves its results in the Data of its buffers and images.
//
// Errors are: *diag.Error of class BadInput for a launch that fits no device,
// of class Unsupported for what this device or its driver lacks or refuses
// (out of memory and a lost device among it), of class Budget where
// Options.Timeout passed; the context's error; and, with a Result and the
// data in place, *OutsideError where the kernel wrote outside a buffer.
func (a *Accelerator) Run(ctx context.Context, d *launch.Dispatch) (*Result, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-a.turn:
	}
	defer func() { a.turn <- struct{}{} }()
	if a.closed {
		return nil, errors.New("the accelerator is closed")
	}
	r, err := a.run(ctx, d)
	if err != nil {
		return nil, a.explain(err, d)
	}
	r.Messages = a.messages()
	if len(r.Outside) > 0 {
		return r, &OutsideError{d, r.Outside}
	}
	return r, nil
}

// Messages takes the validation messages that no Result has carried: those
// of dispatches that failed.
func (a *Accelerator) Messages() []Message {
	<-a.turn
	defer func() { a.turn <- struct{}{} }()
	if a.closed {
		return nil
	}
	return a.messages()
}

func (a *Accelerator) messages() []Message {
	a.gather()
	out := a.said
	a.said = nil
	return out
}

// gather adds to a.said what the validation layer has said since, and gives
// that.
func (a *Accelerator) gather() []Message {
	n := len(a.said)
	for _, m := range a.instance.Messages() {
		a.said = append(a.said, Message(m))
	}
	return a.said[n:]
}

// Close gives the device back. Dispatches that ran out of time and still run
// keep what they need until they end. Validation messages about the closing
// itself are an error.
func (a *Accelerator) Close() error {
	<-a.turn
	defer func() { a.turn <- struct{}{} }()
	if a.closed {
		return nil
	}
	a.closed = true
	for _, l := range a.logicals {
		l.destroy()
	}
	a.logicals = nil
	messages := a.messages()
	if a.opt.Validate && a.abandoned.Load() == 0 {
		a.instance.Destroy()
	}
	if len(messages) > 0 {
		return unsupported("closing %s: %v", a.device.Name, messages[0])
	}
	return nil
}

// Lost reports whether an error of Run is about a device that was lost.
func Lost(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code == driver.DeviceLost
}

// explain turns a driver's error into one about the dispatch.
func (a *Accelerator) explain(err error, d *launch.Dispatch) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	doing := fmt.Sprintf("%s entry point %q", a.phase, d.Entry)
	msg := fmt.Sprintf("%s failed while %s", a.device.Name, doing)
	switch {
	case e.Code == driver.DeviceLost:
		msg = fmt.Sprintf("%s was lost while %s", a.device.Name, doing)
		if a.phase == Running {
			msg += ", which hung it or made an access that it cannot stand"
		}
	case e.Code == driver.OutOfDeviceMemory:
		msg = fmt.Sprintf("%s ran out of memory while %s", a.device.Name, doing)
	case e.Code == driver.OutOfHostMemory:
		msg = fmt.Sprintf("the driver of %s ran out of host memory while %s", a.device.Name, doing)
	case e.Call == "vkCreateShaderModule" || e.Call == "vkCreateComputePipelines":
		msg = "the driver of " + a.device.Name + " refuses " + moduleName(d.Module)
	}
	return &diag.Error{Class: diag.Unsupported, Pos: d.Pos, Msg: msg, Err: err}
}
