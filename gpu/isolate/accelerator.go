//go:build cgo && linux && (amd64 || arm64)

package isolate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"weak"

	"ampdbg/diag"
	"ampdbg/gpu"
	"ampdbg/launch"
)

// Accelerator is a device in a child. It may be used by several goroutines;
// dispatches run one after another.
type Accelerator struct {
	host     *Host
	selector string
	opt      Options

	mu      sync.Mutex
	device  gpu.Device
	process *process // nil after the last one died
	ran     int      // dispatches
	said    []gpu.Message
	closed  bool
	// numbers are those of the buffers that the child knows.
	numbers map[weak.Pointer[launch.Buffer]]int
	last    int // number that was given
}

// Open makes the device that the selector names ready in a child; see gpu.Open
// for the errors, to which the child's death adds one of class Unsupported.
func (h *Host) Open(ctx context.Context, selector string, opt Options) (*Accelerator, error) {
	a := &Accelerator{host: h, selector: selector, opt: opt}
	if err := a.open(ctx); err != nil {
		return nil, err
	}
	// A child that takes this one's place opens this very device.
	a.selector = a.device.Accelerator.DevicePath
	return a, nil
}

func (a *Accelerator) open(ctx context.Context) error {
	p, err := a.host.take()
	if err != nil {
		return err
	}
	o := options{Validate: a.opt.Validate, Timeout: a.opt.Timeout, Repeat: a.opt.Repeat, Require: a.opt.Require}
	r, err := a.host.ask(ctx, p, &request{Operation: openDevice, Selector: a.selector, Options: &o}, "opening the device")
	if err == nil {
		err = r.err()
	}
	if err == nil && r.Device == nil {
		p.kill(errRubbish)
		err = explain(errRubbish, "", "opening the device")
	}
	if err != nil {
		a.host.give(p)
		return err
	}
	a.device, a.process = *r.Device, p
	a.numbers = map[weak.Pointer[launch.Buffer]]int{}
	return nil
}

// Device describes the accelerator.
func (a *Accelerator) Device() *gpu.Device { return &a.device }

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
// Errors are those of gpu.Accelerator.Run and, as *diag.Error, one of class
// Unsupported where the child died (its cause is a *Death), and one of class
// Budget where a phase took longer than Options.Limit. What a buffer holds
// after a child died while it sent results is undefined.
func (a *Accelerator) Run(ctx context.Context, d *launch.Dispatch) (*gpu.Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, errors.New("the accelerator is closed")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if a.process == nil {
		if err := a.open(ctx); err != nil {
			return nil, err
		}
	}
	a.ran++
	e := encode(d, a.number)
	e.out.Forgotten = a.forget()
	q, memories := e.request(d.Module)
	r, last, err := a.process.ask(ctx, q, memories, e.memories(), watch{limit: a.limit, late: func(at gpu.Phase, limit time.Duration) error {
		if at == gpu.Running && a.opt.Timeout > 0 {
			limit = a.opt.Timeout
		}
		return &diag.Error{Class: diag.Budget, Pos: d.Pos, Msg: fmt.Sprintf("%s did not end %s within %v", a.device.Name, a.doing(at, d), limit)}
	}})
	if err != nil {
		a.drop()
		a.said = append(a.said, last.Messages...)
		return nil, place(explain(err, a.device.Name, a.doing(last.Phase, d)), d.Pos)
	}
	a.said = append(a.said, r.Messages...)
	err = r.err()
	var late *diag.Error
	if errors.As(err, &late) && late.Class == diag.Budget || r.Lost || !a.process.usable() {
		// The kernel that still runs ends with the child; and a driver that
		// lost a device may be in no state to open it again.
		a.drop()
	}
	if r.Result == nil && err != nil {
		return nil, err
	}
	return a.result(d, e, r)
}

// result makes the caller's form of a result.
func (a *Accelerator) result(d *launch.Dispatch, e *encoder, r *reply) (*gpu.Result, error) {
	rubbish := func(what string, args ...any) (*gpu.Result, error) {
		a.drop()
		return nil, place(explain(fmt.Errorf("%w: "+what, append([]any{errRubbish}, args...)...), a.device.Name, a.doing(gpu.Reading, d)), d.Pos)
	}
	if r.Result == nil {
		return rubbish("no result")
	}
	out := &gpu.Result{Device: r.Result.Device, Host: r.Result.Host, Messages: r.Result.Messages}
	for _, w := range r.Result.Outside {
		i := slices.IndexFunc(e.out.Buffers, func(b buffer) bool { return b.Number == w.Buffer })
		if i < 0 {
			return rubbish("a write to buffer %d", w.Buffer)
		}
		out.Outside = append(out.Outside, gpu.Write{Buffer: e.buffers[i], Offset: w.Offset, Bytes: w.Bytes})
	}
	if len(out.Outside) > 0 {
		return out, &gpu.OutsideError{Dispatch: d, Writes: out.Outside}
	}
	return out, nil
}

// limit is how long a phase may take.
func (a *Accelerator) limit(at gpu.Phase) time.Duration {
	if at == gpu.Running && a.opt.Timeout > 0 {
		// The child gives the dispatch up by itself, if it can.
		return a.opt.Timeout + patience
	}
	return a.opt.Limit
}

// doing says what a dispatch was at.
func (a *Accelerator) doing(at gpu.Phase, d *launch.Dispatch) string {
	if at == "" {
		at = gpu.Preparing
	}
	s := fmt.Sprintf("%s entry point %q", at, d.Entry)
	if d.Pos.IsValid() {
		s += fmt.Sprintf(" (dispatch %d)", a.ran) // which round of a loop
	}
	return s
}

// drop ends the child.
func (a *Accelerator) drop() {
	if a.process != nil {
		a.process.kill(errUnwanted)
	}
	a.process = nil
}

// number is the number by which the child knows a buffer.
func (a *Accelerator) number(b *launch.Buffer) int {
	key := weak.Make(b)
	if a.numbers[key] == 0 {
		a.last++
		a.numbers[key] = a.last
	}
	return a.numbers[key]
}

// forget gives the numbers of buffers that are gone, sorted, and forgets them.
func (a *Accelerator) forget() []int {
	var out []int
	for key, n := range a.numbers {
		if key.Value() == nil {
			out = append(out, n)
			delete(a.numbers, key)
		}
	}
	slices.Sort(out)
	return out
}

// Messages takes the validation messages that no Result has carried: those
// of dispatches that failed.
func (a *Accelerator) Messages() []gpu.Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.said
	a.said = nil
	return out
}

// Close gives the device back. Validation messages about the closing itself
// are an error, and so is a driver that crashes then.
func (a *Accelerator) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.process
	a.closed, a.process = true, nil
	if p == nil {
		return nil
	}
	defer a.host.give(p)
	r, err := a.host.ask(context.Background(), p, &request{Operation: closeDevice}, "closing "+a.device.Name)
	if err != nil {
		return err
	}
	return r.err()
}
