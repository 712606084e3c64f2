package racecheck

import (
	"testing"
	"unsafe"
)

func TestShadowIsFourBytesForEachByte(t *testing.T) {
	if n := unsafe.Sizeof(word{}); n != 16 {
		t.Errorf("the state of a word of 4 bytes takes %d bytes, want 16", n)
	}
	s := newShadow(0, 1<<20, false, false)
	if got := uintptr(cap(s.words)) * unsafe.Sizeof(word{}); got != 4<<20 {
		t.Errorf("shadow of 1 MiB takes %d bytes", got)
	}
}

func TestRecordsKeepTheirParts(t *testing.T) {
	for _, c := range []struct {
		kind, thread, epoch uint32
		site                uint16
	}{{recOne, 0, 1, 0}, {recSide, maxThreads - 1, maxEpoch, maxSites - 1}, {recTile, 12345678, 54321, 999}} {
		r := makeRecord(c.kind, c.thread, c.epoch, c.site)
		if r.kind() != c.kind || r.thread() != c.thread || r.epoch() != c.epoch || r.site() != c.site {
			t.Errorf("%+v gives kind %d, thread %d, epoch %d, site %d", c, r.kind(), r.thread(), r.epoch(), r.site())
		}
	}
}

func TestPairsRunOut(t *testing.T) {
	var p pairs
	for i := range maxSites {
		if _, ok := p.number(pair{delta: int32(i)}); !ok {
			t.Fatalf("pair %d has no number", i)
		}
	}
	if _, ok := p.number(pair{delta: -1}); ok {
		t.Error("more pairs than a record can name")
	}
	if n, ok := p.number(pair{delta: 7}); !ok || n != 7 {
		t.Errorf("pair 7 has number %d, %v", n, ok)
	}
}
