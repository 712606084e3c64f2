package emu_test

import (
	"context"
	"encoding/binary"
	"testing"

	"ampdbg/emu"
	"ampdbg/launch"
)

// A dispatch that runs again has the push constants of that time: a buffer bound
// as such may have changed since.
func TestPushConstantsAreThoseOfEachDispatch(t *testing.T) {
	push := &launch.Buffer{Name: "push", Data: make([]byte, 4)}
	k := kernel{
		size: 4, buffers: []buffer{{"uint", make([]byte, 16)}},
		notes:   "OpDecorate %PB Block\nOpMemberDecorate %PB 0 Offset 0\n",
		globals: "%PB = OpTypeStruct %uint\n%pp = OpTypePointer PushConstant %PB\n%pu = OpTypePointer PushConstant %uint\n%push = OpVariable %pp PushConstant\n",
		body:    "%l = OpLoad %uint %local\n%a = OpAccessChain %pu %push %uint_0\n%v = OpLoad %uint %a\n%p = OpAccessChain %sb_uint %b0 %uint_0 %l\nOpStore %p %v\n",
	}
	d := k.dispatch(t, 1)
	d.PushBuffer = push
	e := &emu.Emulator{}
	out := d.Bindings[0].Elems[0].Buffer.Data
	for _, want := range []uint32{7, 8, 9} {
		binary.LittleEndian.PutUint32(push.Data, want)
		if err := e.Dispatch(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint32(out); got != want {
			t.Errorf("the kernel saw %d, the buffer held %d", got, want)
		}
	}
}
