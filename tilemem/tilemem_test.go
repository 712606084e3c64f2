package tilemem_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"ampdbg/program"
	"ampdbg/tilemem"
)

func TestPointersKeepViewAndOffset(t *testing.T) {
	for _, view := range []int{1, 2, 255, 65536, tilemem.MaxViews - 1} {
		for _, off := range []int64{0, 1, -1, 4096, -4096, tilemem.MaxSize - 1, -tilemem.MaxSize} {
			p := tilemem.Point(view, off)
			if v, o := tilemem.Split(p); v != view || o != off {
				t.Errorf("view %d, offset %d: got %d, %d", view, off, v, o)
			}
			if off > 0 && p != tilemem.Point(view, 0)+uint64(off) {
				t.Errorf("view %d, offset %d: adding to the pointer gives another", view, off)
			}
		}
	}
	if v, _ := tilemem.Split(0); v != 0 {
		t.Errorf("null points into view %d", v)
	}
}

func TestBoundsDoNotOverflow(t *testing.T) {
	data := make([]byte, 16)
	for _, c := range []struct {
		off, size int64
		want      bool
	}{
		{0, 16, true}, {12, 4, true}, {13, 4, false}, {16, 0, true}, {17, 0, false}, {-1, 1, false}, {-4, 8, false},
		{math.MaxInt64, 1, false}, {math.MaxInt64 - 2, 4, false}, {math.MinInt64, 4, false}, {0, math.MaxInt64, false}, {8, math.MaxInt64, false},
	} {
		if got := tilemem.InBounds(data, c.off, c.size); got != c.want {
			t.Errorf("%d bytes at %d of 16: got %v", c.size, c.off, got)
		}
	}
	if tilemem.InBounds(nil, 0, 1) || !tilemem.InBounds(nil, 0, 0) {
		t.Error("bounds of no memory")
	}
}

func TestWordsAreLittleEndian(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		for off := range 9 {
			data := bytes.Repeat([]byte{0xaa}, 17)
			want := bytes.Clone(data)
			v := uint64(0x1122334455667788)
			for i := range size {
				want[off+i] = byte(v >> (8 * i))
			}
			tilemem.StoreWord(data, int64(off), size, v)
			if !bytes.Equal(data, want) {
				t.Fatalf("%d bytes at %d: got %x, want %x", size, off, data, want)
			}
			if got := tilemem.LoadWord(data, int64(off), size); got != v&(^uint64(0)>>(64-8*size)) {
				t.Fatalf("%d bytes at %d: read %#x", size, off, got)
			}
		}
	}
}

func TestApplyAtomic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{1, 2, 4, 8} {
		w := uint(8 * size)
		mask := ^uint64(0) >> (64 - w)
		sx := func(a uint64) int64 { return int64(a<<(64-w)) >> (64 - w) }
		for op, f := range map[program.AtomicOp]func(a, b uint64) uint64{
			program.AtomicLoad:     func(a, b uint64) uint64 { return a },
			program.AtomicStore:    func(a, b uint64) uint64 { return b },
			program.AtomicExchange: func(a, b uint64) uint64 { return b },
			program.AtomicAdd:      func(a, b uint64) uint64 { return a + b },
			program.AtomicSub:      func(a, b uint64) uint64 { return a - b },
			program.AtomicUMin:     func(a, b uint64) uint64 { return min(a, b) },
			program.AtomicUMax:     func(a, b uint64) uint64 { return max(a, b) },
			program.AtomicSMin:     func(a, b uint64) uint64 { return uint64(min(sx(a), sx(b))) },
			program.AtomicSMax:     func(a, b uint64) uint64 { return uint64(max(sx(a), sx(b))) },
			program.AtomicAnd:      func(a, b uint64) uint64 { return a & b },
			program.AtomicOr:       func(a, b uint64) uint64 { return a | b },
			program.AtomicXor:      func(a, b uint64) uint64 { return a ^ b },
		} {
			values := []uint64{0, 1, mask, mask >> 1, mask>>1 + 1, r.Uint64() & mask, r.Uint64() & mask}
			for _, a := range values {
				for _, b := range values {
					if got, want := tilemem.ApplyAtomic(op, size, a, b, 0), f(a, b)&mask; got != want {
						t.Fatalf("operation %d, %d bytes, %#x and %#x: got %#x, want %#x", op, size, a, b, got, want)
					}
				}
			}
		}
		if got := tilemem.ApplyAtomic(program.AtomicCompareExchange, size, 5, 6, 5); got != 6 {
			t.Errorf("equal: got %d", got)
		}
		if got := tilemem.ApplyAtomic(program.AtomicCompareExchange, size, 5, 6, 7); got != 5 {
			t.Errorf("unequal: got %d", got)
		}
	}
	b32 := func(f float32) uint64 { return uint64(math.Float32bits(f)) }
	nan, zero, minus := b32(float32(math.NaN())), b32(0), b32(float32(math.Copysign(0, -1)))
	for _, c := range []struct {
		op         program.AtomicOp
		a, b, want uint64
	}{
		{program.AtomicFAdd, b32(1.5), b32(2.25), b32(3.75)},
		{program.AtomicFMin, nan, b32(1), b32(1)}, {program.AtomicFMin, b32(1), nan, b32(1)},
		{program.AtomicFMax, nan, b32(1), b32(1)}, {program.AtomicFMax, b32(-1), b32(1), b32(1)},
		{program.AtomicFMin, zero, minus, minus}, {program.AtomicFMax, minus, zero, zero},
	} {
		if got := tilemem.ApplyAtomic(c.op, 4, c.a, c.b, 0); got != c.want {
			t.Errorf("operation %d of %#x and %#x: got %#x, want %#x", c.op, c.a, c.b, got, c.want)
		}
	}
}

// TestTrackerIsSound plays random accesses of tiles: unless each word is
// touched by one tile only, or only read, or only by atomics that commute, the
// tracker must have reported a conflict; and it must not where all keep to
// their own words or only read.
func TestTrackerIsSound(t *testing.T) {
	type touch struct {
		tile, kind int // 0 read, 1 write, 2 and more: a commuting atomic
	}
	conflicts := 0
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 2))
		tr := tilemem.NewTracker(32)
		words := make([][]touch, 8)
		ok := true
		for n := 1 + r.IntN(6); n > 0 && ok; n-- {
			tile := r.IntN(3)
			size := int64(4)
			if r.IntN(3) == 0 {
				size = 8
			}
			off := int64(r.IntN(8)) * 4 / size * size
			kind := r.IntN(5)
			switch kind {
			case 0:
				ok = tr.Read(tile, off, size)
			case 1:
				ok = tr.Write(tile, off, size)
			case 2:
				ok = tr.Commute(tile, program.AtomicAdd, off, size)
			case 3:
				ok = tr.Commute(tile, program.AtomicSub, off, size)
				kind = 2
			default:
				ok = tr.Commute(tile, program.AtomicUMax, off, size)
			}
			if kind >= 2 {
				kind += int(size) * 10
			}
			for w := off / 4; w < (off+size)/4; w++ {
				words[w] = append(words[w], touch{tile, kind})
			}
		}
		independent, simple := true, true
		for _, list := range words {
			tiles, kinds := map[int]bool{}, map[int]bool{}
			for _, x := range list {
				tiles[x.tile], kinds[x.kind] = true, true
			}
			if len(tiles) > 1 && !(len(kinds) == 1 && !kinds[1]) {
				independent = false
			}
			if !(len(kinds) <= 1 && !kinds[1] || len(tiles) <= 1 && len(kinds) <= 2 && !hasAtomic(kinds)) {
				simple = false
			}
		}
		if ok && !independent {
			t.Fatalf("seed %d: dependent tiles, and no conflict: %v", seed, words)
		}
		if !ok && simple {
			t.Fatalf("seed %d: a conflict of independent tiles: %v", seed, words)
		}
		if !ok {
			conflicts++
		}
	}
	if conflicts < 1000 {
		t.Errorf("only %d conflicts", conflicts)
	}
}

func hasAtomic(kinds map[int]bool) bool {
	for k := range kinds {
		if k >= 2 {
			return true
		}
	}
	return false
}
