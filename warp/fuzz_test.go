package warp_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"ampdbg/program"
	"ampdbg/program/programtest"
	"ampdbg/warp"
	"ampdbg/warp/enginetest"
)

// A program of which operations have been changed is refused, by Check or for a
// function that is not known, or runs in both forms without a panic, a row beyond
// its arena or an end that never comes.
func FuzzOperations(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		change := make([]byte, 1+12*r.IntN(4))
		for i := range change {
			change[i] = byte(r.Uint32())
		}
		f.Add(r.Uint64(), change)
	}
	f.Fuzz(func(t *testing.T, seed uint64, change []byte) {
		p := programtest.Random(rand.New(rand.NewPCG(seed, 1)), programtest.Options{Width: 1 + int(seed%9)})
		for len(change) >= 12 {
			mutate(p, change[:12])
			change = change[12:]
		}
		if p.Check() != nil {
			return
		}
		// A program with a shadow's operations is another one, which Tile.Used is
		// for; what the engines make of it is the same.
		for _, e := range []warp.Engine{warp.Interpreter{Plain: true}, warp.Interpreter{}} {
			tile, err := enginetest.NewTile(e, p, seed)
			if err != nil {
				return
			}
			tile.Used = func() {}
			for range 4 {
				for _, w := range tile.Warps {
					w.Run(w.Steps + 2000)
					if len(w.R) != p.Rows*p.Stride {
						t.Fatal("another arena")
					}
				}
				tile.Release()
			}
		}
	})
}

// mutate changes a field of an operation as twelve bytes say.
func mutate(p *program.Program, b []byte) {
	op := &p.Code[int(binary.LittleEndian.Uint16(b))%len(p.Code)]
	v := binary.LittleEndian.Uint64(b[4:])
	switch b[3] % 4 {
	case 0: // near what is valid
		v %= uint64(p.Rows)
	case 1:
		v = v % uint64(p.Rows) * uint64(p.Stride)
	case 2:
		v = uint64(int64(v<<56) >> 56)
	}
	switch b[2] % 11 {
	case 0:
		op.Code = program.Code(v % uint64(program.NumCodes+1))
	case 1:
		op.Sh = uint8(v)
	case 2:
		op.Flag = uint8(v)
	case 3:
		op.N = uint32(v)
	case 4:
		op.Dst = uint32(v)
	case 5:
		op.A = uint32(v)
	case 6:
		op.B = uint32(v)
	case 7:
		op.C = uint32(v)
	case 8:
		op.X = int32(v)
	case 9:
		op.Y = int32(v)
	default:
		op.Imm = int64(v)
	}
}

// Of random changes, enough leave a program that runs for that to mean something.
func TestChangedProgramsRun(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	ran := 0
	for seed := range uint64(3000) {
		p := programtest.Random(rand.New(rand.NewPCG(seed, 1)), programtest.Options{Width: 1 + int(seed%9)})
		change := make([]byte, 12)
		for i := range change {
			change[i] = byte(r.Uint32())
		}
		mutate(p, change)
		if p.Check() != nil {
			continue
		}
		ran++
		for _, e := range []warp.Engine{warp.Interpreter{Plain: true}, warp.Interpreter{}} {
			tile, err := enginetest.NewTile(e, p, seed)
			if err != nil {
				break
			}
			tile.Used = func() {}
			for _, w := range tile.Warps {
				w.Run(2000)
			}
		}
	}
	if ran < 500 {
		t.Errorf("%d of 3000 changed programs pass Check", ran)
	}
	t.Logf("%d of 3000 changed programs pass Check", ran)
}
