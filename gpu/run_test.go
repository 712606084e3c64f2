package gpu

import (
	"testing"

	"ampdbg/launch"
)

func TestDispatchDoublesABuffer(t *testing.T) {
	a := open(t, Options{})
	b := buffer("data", words(upTo(64)...))
	run(t, a, dispatch(kernel(t, "double.spvasm"), 8, whole(0, 0, launch.StorageBuffer, b)))
	for i, v := range unwords(b.Data) {
		if v != uint32(2*i) {
			t.Fatalf("element %d: expected %d, found %d", i, 2*i, v)
		}
	}
}
