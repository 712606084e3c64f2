package emu_test

import (
	"context"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/program"
	"ampdbg/warp"
)

// brokenEngine makes code that panics.
type brokenEngine struct{}

type brokenCode struct{ warp.Code }

func (brokenEngine) Compile(p *program.Program) (warp.Code, error) {
	c, err := warp.Interpreter{}.Compile(p)
	return brokenCode{c}, err
}

func (brokenCode) Run(*warp.Warp, uint64) warp.Status { return brokenLane() }

func brokenLane() warp.Status { panic("no such lane") }

// TestBugKeepsItsStack: a panic is one kind of error wherever it happens, on
// the goroutine of the caller or on a worker's, and names where that was.
func TestBugKeepsItsStack(t *testing.T) {
	k := kernel{size: 4, buffers: []buffer{{"uint", make([]byte, 16)}}, body: "%p = OpAccessChain %sb_uint %b0 %uint_0 %l\nOpStore %p %g\n"}
	k.body = "%l = OpLoad %uint %local\n" + k.body
	for _, workers := range []int{1, 2} {
		_, err := emu.Run(context.Background(), k.dispatch(t, 4), emu.Options{Workers: workers, Engine: brokenEngine{}})
		b := diag.AsBug(err)
		if b == nil || b.Cause != "no such lane" || !strings.Contains(string(b.Stack), "brokenLane") {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}
