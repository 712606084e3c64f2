package racecheck

import (
	"math/rand/v2"
	"testing"

	"ampdbg/spirv"
)

// TestClocksCostWhatIsNew lets tiles go through half-fenced barriers, and tiles
// count themselves in at one atomic: what that takes grows with the threads, and
// not with what has happened before.
func TestClocksCostWhatIsNew(t *testing.T) {
	const fence = uint32(spirv.MemorySemanticsAcquireRelease | spirv.MemorySemanticsUniformMemory)
	const barrier = uint32(spirv.MemorySemanticsAcquireRelease | spirv.MemorySemanticsWorkgroupMemory)
	// allocations of a turn of n threads, at first and after a thousand.
	turns := func(n uint32) (first, later float64) {
		d := &detector{perTile: n, width: 4, clocks: true, found: func(*race) {}}
		d.startClocks(1)
		tile := d.newTile(0, nil)
		turn := func() {
			for _, at := range []func(lanes []uint32){
				func(lanes []uint32) { d.fence(tile, lanes, reachTile, fence, 0) },
				func(lanes []uint32) { d.arrive(tile, lanes, reachTile, barrier, 1) },
			} {
				for w := uint32(0); w < n; w += 4 {
					at([]uint32{w, w + 1, w + 2, w + 3})
				}
			}
			d.barrier(tile)
		}
		turn()
		first = testing.AllocsPerRun(10, turn)
		for range 1000 {
			turn()
		}
		return first, testing.AllocsPerRun(10, turn)
	}
	small, smallLater := turns(64)
	large, largeLater := turns(512)
	if large > 12*small {
		t.Errorf("a turn of 64 threads takes %v allocations, one of 512 takes %v", small, large)
	}
	if smallLater > 2*small || largeLater > 2*large {
		t.Errorf("after 1,000 turns %v and %v allocations, at first %v and %v", smallLater, largeLater, small, large)
	}
	counted := func(tiles int) float64 {
		return testing.AllocsPerRun(1, func() {
			d := &detector{perTile: 32, width: 4, clocks: true, found: func(*race) {}}
			d.startClocks(uint64(tiles))
			d.sites = []site{{reads: true, writes: true, atomic: true, scope: reachGrid, size: 4}}
			mem := newShadow(0, 4, false, false)
			for i := range tiles {
				tile := d.newTile(i, nil)
				ins := &instr{tile: tile, first: tile.first, off: []int64{0}, mem: []*shadow{mem}, site: []uint16{0}, size: 4, values: noValues{}}
				ins.active.Set(0)
				d.atomic(ins, 0, fence)
			}
		})
	}
	if a, b := counted(200), counted(1600); b > 16*a {
		t.Errorf("200 tiles at one atomic take %v allocations, 1600 take %v", a, b)
	}
}

type noValues struct{}

func (noValues) written(int, int64) uint32 { return 0 }
func (noValues) held(int, int64) uint32    { return 0 }

// TestClocksAreMaps compares clocks with maps, through random raises and joins.
func TestClocksAreMaps(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := newClockSpace(uint32(1+r.IntN(40)), uint64(1+r.IntN(20)))
		keys := 1 + r.IntN(int(s.stride))
		clocks, maps := make([]*clock, 4), make([][]uint32, 4)
		for i := range maps {
			maps[i] = make([]uint32, keys+8)
		}
		for range 60 {
			i, j := r.IntN(4), r.IntN(4)
			if r.IntN(2) == 0 {
				clocks[i] = s.join(clocks[i], clocks[j])
				for k := range maps[i] {
					maps[i][k] = max(maps[i][k], maps[j][k])
				}
			} else {
				list := make([]uint32, 1+r.IntN(8))
				key := r.IntN(keys)
				for k := range list {
					list[k] = uint32(r.IntN(9))
					if key+k >= int(s.stride) {
						list = list[:k]
						break
					}
					maps[i][key+k] = max(maps[i][key+k], list[k])
				}
				clocks[i] = s.raise(clocks[i], uint64(key), list)
			}
			for k := range keys {
				if got := s.get(clocks[i], uint64(k)); got != maps[i][k] {
					t.Fatalf("seed %d: key %d has %d, want %d", seed, k, got, maps[i][k])
				}
			}
		}
	}
}
