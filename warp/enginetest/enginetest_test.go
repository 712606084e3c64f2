package enginetest

import (
	"math/rand/v2"
	"testing"

	"ampdbg/program"
	"ampdbg/program/programtest"
	"ampdbg/warp"
	"ampdbg/warp/scalar"
)

// broken is the interpreter with one function that is wrong for some operands.
type broken struct{ warp.Interpreter }

func (e broken) Compile(p *program.Program) (warp.Code, error) {
	c, err := e.Interpreter.Compile(p)
	if err == nil {
		c.Functions().Wrap(func(_ program.Symbol, f scalar.Func1) scalar.Func1 { return f }, func(_ program.Symbol, f scalar.Func2) scalar.Func2 {
			return func(a, b uint64) uint64 {
				if a%2 == 0 {
					return f(a, b) ^ 1
				}
				return f(a, b)
			}
		})
	}
	return c, err
}

func TestDifferencesAreFound(t *testing.T) {
	found := 0
	for seed := range uint64(300) {
		if differ(broken{}, programtest.Random(rand.New(rand.NewPCG(seed, 1)), programtest.Options{Width: 4}), seed) != "" {
			found++
		}
	}
	if found < 5 {
		t.Errorf("%d of 300 programs show that a function is wrong", found)
	}
}
