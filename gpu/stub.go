//go:build !(cgo && linux && (amd64 || arm64))

package gpu

import (
	"context"

	"ampdbg/diag"
	"ampdbg/launch"
)

// Available reports whether this build can reach Vulkan at all.
const Available = false

func noVulkan() *diag.Error {
	return unsupported("this build has no cgo, which Vulkan needs: build with CGO_ENABLED=1 for 64-bit Linux (amd64 or arm64)")
}

// Devices lists the accelerators; this build reaches none.
func Devices() ([]Device, error) { return nil, noVulkan() }

// Accelerator is a device that runs dispatches; this build opens none.
type Accelerator struct{}

// Open fails: this build reaches no device.
func Open(selector string, opt Options) (*Accelerator, error) { return nil, noVulkan() }

// Device describes the accelerator.
func (a *Accelerator) Device() *Device { return &Device{} }

// Dispatch fails: this build reaches no device.
func (a *Accelerator) Dispatch(ctx context.Context, d *launch.Dispatch) error { return noVulkan() }

// Run fails: this build reaches no device.
func (a *Accelerator) Run(ctx context.Context, d *launch.Dispatch) (*Result, error) {
	return nil, noVulkan()
}

// Lost reports whether an error is about a device that was lost.
func Lost(err error) bool { return false }

// Messages gives no messages.
func (a *Accelerator) Messages() []Message { return nil }

// Close does nothing.
func (a *Accelerator) Close() error { return nil }
