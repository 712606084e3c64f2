package emu_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/spirv"
)

// used lists the instructions in the function bodies of modules, core ones and
// those of GLSL.std.450.
func used(modules []*spirv.Module) (core map[spirv.Opcode]string, glsl map[uint32]string) {
	core, glsl = map[spirv.Opcode]string{}, map[uint32]string{}
	for _, m := range modules {
		set := uint32(0)
		body := false
		for i := range m.Insts {
			in := &m.Insts[i]
			body = body || in.Op == spirv.OpFunction
			if in.Op == spirv.OpExtInstImport {
				if name, _, _ := spirv.String(in.Args); name == "GLSL.std.450" {
					set = uint32(in.Result)
				}
			}
			if !body {
				continue
			}
			core[in.Op] = m.Name
			if in.Op == spirv.OpExtInst && in.Args[0] == set {
				glsl[in.Args[1]] = m.Name
			}
		}
	}
	return core, glsl
}

// TestEveryInstructionIsExercised holds the list of instructions against what
// the tests run: the kernels of testdata, whose results are checked by their
// scripts, and those of the tests here.
func TestEveryInstructionIsExercised(t *testing.T) {
	modules := slices.Clone(seedModules())
	add := func(k *kernel) {
		k.dispatch(t)
		modules = append(modules, k.module)
	}
	for _, in := range instructions() {
		k, _ := in.kernelFor(1, operandSets(in.args, rand.New(rand.NewPCG(1, 1)))[:1])
		add(k)
	}
	for _, c := range fixedKernels() {
		add(c.k)
	}
	for _, o := range groupOps() {
		add(o.kernel(4, 4, make([]uint64, 4), make([]uint64, 4), make([]uint64, 4)))
	}
	for _, o := range atomicOps() {
		add(o.kernel("StorageBuffer", 4, make([]uint64, 4)))
	}
	core, glsl := used(modules)
	listed := emu.Instructions()
	for _, op := range listed {
		if core[op] == "" {
			t.Errorf("%v is listed, and no test runs it", op)
		}
	}
	for op, where := range core {
		if !slices.Contains(listed, op) {
			t.Errorf("%v is run by %s, and is not listed", op, filepath.Base(where))
		}
	}
	ext := emu.ExtendedInstructions()
	for _, inst := range ext {
		if glsl[inst] == "" {
			t.Errorf("%s is listed, and no test runs it", spirv.ExtInstName("GLSL.std.450", inst))
		}
	}
	for inst, where := range glsl {
		if !slices.Contains(ext, inst) {
			t.Errorf("%s is run by %s, and is not listed", spirv.ExtInstName("GLSL.std.450", inst), strings.TrimSuffix(where, ".spvasm"))
		}
	}
}
