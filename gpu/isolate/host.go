//go:build cgo && linux && (amd64 || arm64)

package isolate

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"ampdbg/diag"
	"ampdbg/gpu"
)

// Host starts children. The zero value is ready. Its methods may be called by
// several goroutines.
type Host struct {
	mu   sync.Mutex
	idle *process // to be lent out next, nil if there is none
	// command makes what a child runs; nil is this program. For tests.
	command func() *exec.Cmd
}

// take gives a child for one user alone.
func (h *Host) take() (*process, error) {
	h.mu.Lock()
	p := h.idle
	h.idle = nil
	h.mu.Unlock()
	if p != nil {
		return p, nil
	}
	command := h.command
	if command == nil {
		command = itself
	}
	p, err := start(command)
	if err != nil {
		return nil, &diag.Error{Class: diag.Unsupported, Msg: "no process for the device", Err: err}
	}
	return p, nil
}

// give takes back a child that has nothing open. One is kept.
func (h *Host) give(p *process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.idle == nil && p.usable() {
		h.idle = p
		return
	}
	p.kill(errUnwanted)
}

// Close ends the child that is kept. Accelerators must have been closed.
func (h *Host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.idle != nil {
		h.idle.kill(errUnwanted)
	}
	h.idle = nil
}

// What has to do with no dispatch is bounded: starting Vulkan, listing and
// opening devices; and closing them, which nothing else can end.
const (
	startTime = time.Minute
	closeTime = 10 * time.Second
)

// Devices lists the accelerators; see gpu.Devices for the order and the
// errors. A driver that crashes, or does not answer within a minute, is a
// *diag.Error too.
func (h *Host) Devices(ctx context.Context) ([]gpu.Device, error) {
	p, err := h.take()
	if err != nil {
		return nil, err
	}
	defer h.give(p)
	r, err := h.ask(ctx, p, &request{Operation: listDevices}, "listing the devices")
	if err != nil {
		return nil, err
	}
	return r.Devices, r.err()
}

// ask asks a child for something else than a dispatch.
func (h *Host) ask(ctx context.Context, p *process, q *request, doing string) (*reply, error) {
	r, _, err := p.ask(ctx, q, nil, nil, watch{
		limit: func(gpu.Phase) time.Duration {
			if q.Operation == closeDevice {
				return closeTime
			}
			return startTime
		},
		late: func(_ gpu.Phase, limit time.Duration) error {
			return &diag.Error{Class: diag.Budget, Msg: fmt.Sprintf("Vulkan did not end %s within %v", doing, limit)}
		},
	})
	if err != nil {
		return nil, explain(err, "", doing)
	}
	return r, nil
}

// explain puts what ended a child into words: the device that it ran, empty
// if none was open, and what it was doing.
func explain(err error, device, doing string) error {
	driver, process := "a Vulkan driver", "the process that runs Vulkan"
	if device != "" {
		driver, process = "the driver of "+device, "the process that runs "+device
	}
	fail := func(format string, args ...any) error {
		return &diag.Error{Class: diag.Unsupported, Msg: fmt.Sprintf(format, args...), Err: err}
	}
	var death *Death
	switch {
	case errors.As(err, &death) && death.Crashed():
		return fail("%s crashed while %s", driver, doing)
	case errors.As(err, &death):
		return fail("%s ended while %s", process, doing)
	case errors.Is(err, errRubbish):
		return fail("%s gave no answer that can be read while %s", process, doing)
	}
	return err
}

// place gives an error the position p if it is a *diag.Error without one.
func place(err error, p diag.Pos) error {
	if d, ok := err.(*diag.Error); ok && !d.Pos.IsValid() {
		d.Pos = p
	}
	return err
}
