//go:build !(cgo && linux && (amd64 || arm64))

package gpu

import (
	"testing"

	"ampdbg/launch"
)

func TestWithoutCgoEverythingSaysWhy(t *testing.T) {
	_, err := Devices()
	expectError(t, err, "Unsupported", "no cgo")
	a, err := Open("", Options{})
	expectError(t, err, "Unsupported", "no cgo")
	expectError(t, a.Dispatch(t.Context(), &launch.Dispatch{}), "Unsupported", "no cgo")
	_, err = a.Run(t.Context(), &launch.Dispatch{})
	expectError(t, err, "Unsupported", "no cgo")
	if a.Messages() != nil || a.Close() != nil || a.Device() == nil || Available {
		t.Error("the accelerator of a build without cgo does something")
	}
}
