//go:build cgo && linux && (amd64 || arm64)

package driver

import (
	"fmt"

	vk "github.com/vulkan-go/vulkan"
)

// Error is a Vulkan command that failed.
type Error struct {
	Call string // vkCreateDevice
	Code int32  // the VkResult
}

// The results that callers tell apart.
const (
	OutOfHostMemory   = int32(vk.ErrorOutOfHostMemory)
	OutOfDeviceMemory = int32(vk.ErrorOutOfDeviceMemory)
	DeviceLost        = int32(vk.ErrorDeviceLost)
	IncompatibleICD   = int32(vk.ErrorIncompatibleDriver)
)

var resultNames = map[int32]string{
	1: "VK_NOT_READY", 2: "VK_TIMEOUT", 5: "VK_INCOMPLETE",
	-1: "VK_ERROR_OUT_OF_HOST_MEMORY", -2: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
	-3: "VK_ERROR_INITIALIZATION_FAILED", -4: "VK_ERROR_DEVICE_LOST",
	-5: "VK_ERROR_MEMORY_MAP_FAILED", -6: "VK_ERROR_LAYER_NOT_PRESENT",
	-7: "VK_ERROR_EXTENSION_NOT_PRESENT", -8: "VK_ERROR_FEATURE_NOT_PRESENT",
	-9: "VK_ERROR_INCOMPATIBLE_DRIVER", -10: "VK_ERROR_TOO_MANY_OBJECTS",
	-11: "VK_ERROR_FORMAT_NOT_SUPPORTED", -12: "VK_ERROR_FRAGMENTED_POOL",
	-13: "VK_ERROR_UNKNOWN", -1000069000: "VK_ERROR_OUT_OF_POOL_MEMORY",
	-1000161000: "VK_ERROR_FRAGMENTATION", -1000011001: "VK_ERROR_VALIDATION_FAILED_EXT",
	-1000012000: "VK_ERROR_INVALID_SHADER_NV", -1000257000: "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS",
}

func (e *Error) Error() string {
	name := resultNames[e.Code]
	if name == "" {
		name = fmt.Sprintf("VkResult %d", e.Code)
	}
	return e.Call + ": " + name
}

// check turns a result into an error; success codes other than VK_SUCCESS
// are the caller's to look at before.
func check(call string, r vk.Result) error {
	if r >= 0 {
		return nil
	}
	return &Error{call, int32(r)}
}
