//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ampdbg/gpu/internal/driver"
)

func TestValidationMessagesArrive(t *testing.T) {
	a := openValidated(t, Options{Validate: true})
	b, err := mustLogical(t, a).dev.NewBuffer(64, 0, driver.OnDevice)
	if err == nil {
		b.Destroy()
	}
	messages := a.Messages()
	if len(messages) == 0 || !messages[0].Error || !strings.Contains(messages[0].String(), "VUID-VkBufferCreateInfo-usage") {
		t.Errorf("expected an error about a buffer without usage, found %v", messages)
	}
	if again := a.Messages(); len(again) > 0 {
		t.Errorf("messages come twice: %v", again)
	}
}

func TestRealDevicesAreDescribed(t *testing.T) {
	a := open(t, Options{})
	devices, err := Devices()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(devices[a.device.Index], *a.Device()); diff != "" {
		t.Error(diff)
	}
	t.Log("\n" + DevicesText(devices))
	// What Vulkan 1.0 promises of every device.
	for _, d := range devices {
		if d.Name == "" || d.TileStatic < 16384 || d.TileThreads < 128 || d.Grid[0] < 65535 || d.Limits.PushConstants < 128 ||
			d.Subgroup.Size == 0 || len(d.Memory) == 0 || d.Limits.StorageAlign == 0 || d.Limits.StorageAlign > guardSize || len(d.Extensions) == 0 {
			t.Errorf("a device below Vulkan's least limits: %+v", d)
		}
	}
}
