package gpu

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"ampdbg/diag"
	"ampdbg/launch"
)

func TestGuardZonesTellWhatChanged(t *testing.T) {
	b := buffer("data", make([]byte, 100))
	for _, c := range []struct {
		name   string
		at     []int // bytes to change
		writes []int // first offset and length of each write
	}{
		{"nothing", nil, nil},
		{"one byte", []int{0}, []int{100, 1}},
		{"last byte", []int{guardSize - 1}, []int{100 + guardSize - 1, 1}},
		{"bytes of one word", []int{8, 11}, []int{108, 4}},
		{"two places", []int{8, 9, 20}, []int{108, 2, 120, 1}},
	} {
		zone := bytes.Clone(guardZone[:])
		for _, i := range c.at {
			zone[i] ^= 0x55
		}
		var got []int
		for _, w := range changedGuard(b, zone, &guardZone, 100) {
			got = append(got, w.Offset, len(w.Bytes))
		}
		if len(got) != len(c.writes) {
			t.Errorf("%s: expected %v, found %v", c.name, c.writes, got)
			continue
		}
		for i := range got {
			if got[i] != c.writes[i] {
				t.Errorf("%s: expected %v, found %v", c.name, c.writes, got)
			}
		}
	}
}

func TestGuardZonesDifferFromWhatKernelsWrite(t *testing.T) {
	seen := map[string]int{}
	for i := 0; i < guardSize; i += 4 {
		w := string(guardZone[i : i+4])
		if j, ok := seen[w]; ok {
			t.Errorf("the words at %d and %d are alike", j, i)
		}
		seen[w] = i
		if w == "\x00\x00\x00\x00" || w == "\xff\xff\xff\xff" {
			t.Errorf("the word at %d is % x", i, w)
		}
	}
}

func TestOutsideErrorSaysWhere(t *testing.T) {
	b := buffer("sums", make([]byte, 64))
	e := &OutsideError{
		Dispatch: &launch.Dispatch{Entry: "main", Pipeline: "reduce", Pos: diag.Pos{File: "a.amber", Line: 9}},
		Writes:   []Write{{b, -8, []byte{1, 2}}, {b, 64, make([]byte, 40)}},
	}
	const want = "a.amber:9: write of 2 bytes outside buffer sums, 8 bytes before its first byte: 01 02 (and 1 more)"
	if e.Error() != want {
		t.Errorf("expected %q, found %q", want, e)
	}
	f := e.Finding()
	if f.Code != diag.OutOfBounds || f.Variable.String() != "sums" || f.Kernel != "reduce" || f.Count != 2 || len(f.Notes) != 1 ||
		!strings.HasPrefix(f.Notes[0].Msg, "Write of 40 bytes outside buffer sums, at byte 64 of 64: 00") {
		t.Errorf("finding %+v", f)
	}
}

func TestSummarize(t *testing.T) {
	ms := func(n ...int) (d []time.Duration) {
		for _, v := range n {
			d = append(d, time.Duration(v)*time.Millisecond)
		}
		return d
	}
	for _, c := range []struct {
		in   []time.Duration
		want string
	}{
		{nil, "min 0s, median 0s, max 0s of 0 runs"},
		{ms(5), "5ms"},
		{ms(9, 1, 4), "min 1ms, median 4ms, max 9ms of 3 runs"},
		{ms(9, 1, 4, 5), "min 1ms, median 4.5ms, max 9ms of 4 runs"},
	} {
		if got := Summarize(c.in).String(); got != c.want {
			t.Errorf("%v: expected %q, found %q", c.in, c.want, got)
		}
	}
	if got := Summarize([]time.Duration{1, 3}); got.Median != 2 {
		t.Errorf("the middle of 1 and 3 is %d", got.Median)
	}
}
