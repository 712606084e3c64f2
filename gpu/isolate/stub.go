//go:build !(cgo && linux && (amd64 || arm64))

package isolate

import (
	"context"

	"ampdbg/gpu"
)

// ServeChild does nothing: this build starts no children.
func ServeChild() {}

// Host starts children; in this build, none.
type Host struct{}

// Devices lists the accelerators; this build reaches none.
func (h *Host) Devices(context.Context) ([]gpu.Device, error) { return gpu.Devices() }

// Close does nothing.
func (h *Host) Close() {}

// Accelerator is a device in a child; this build opens none.
type Accelerator struct{ *gpu.Accelerator }

// Open fails: this build reaches no device.
func (h *Host) Open(_ context.Context, selector string, opt Options) (*Accelerator, error) {
	a, err := gpu.Open(selector, opt.Options)
	return &Accelerator{a}, err
}
