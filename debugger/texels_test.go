package debugger

import (
	"strings"
	"testing"
)

// TestWatchTexels counts the stops of watchpoints on texels over whole runs,
// and goes back to the first from the last.
func TestWatchTexels(t *testing.T) {
	for _, c := range []struct {
		script, texel string
		kind          WatchKind
		stops         string // kind, thread and values of each
	}{
		{"storage_images", "target[1,0]", WatchChange, "write 1 0>6"},
		{"storage_images", "target[local.x + 2, 1]", WatchWrite, "write 6 0>13"},
		{"storage_images", "target[1,0]", WatchRead, ""},
		{"storage_images", "source[3,1]", WatchRead, "read 4 8.5>"},
		{"storage_images", "cube[1,0,0]", WatchAccess, "read 1 (0, 1, 2, 3)>, write 1 (0, 1, 2, 3)>(2, 1, 0, -1)"},
		{"storage_images", "line[2]", WatchRead, "read 2 4>"},
		// Lanes of a warp come one after the other; the first that counts is told.
		{"image_atomics", "u[0,0]", WatchChange, "atomic 1 100>101, atomic 4 106>110"},
		{"image_atomics", "u[0,0]", WatchAccess, "atomic 0 100>100, atomic 4 106>110, read 0 128>"},
		{"image_atomics", "u[3,1]", WatchAccess, "atomic 5 9>10, read 7 10>"},
		{"sampled_images", "image[1,0]", WatchRead, "read 1 20>, read 1 20>, read 0 20>"},
	} {
		t.Run(c.script+" "+c.texel+" "+string(c.kind), func(t *testing.T) {
			s := open(t, "features/"+c.script+".amber", Options{})
			if _, err := s.Watch(c.texel, c.kind, 0); err != nil {
				t.Fatal(err)
			}
			var got []string
			var there []recorded
			for {
				st := must(t)(s.Continue())
				if st.Reason != AtWatchpoint {
					break
				}
				h := st.Watch
				got = append(got, strings.TrimSpace(h.Kind+" "+evalText(t, s, "index")+" "+h.Old+">"+h.New))
				if s.number == 1 {
					there = append(there, record(s, ""))
				}
			}
			if text := strings.Join(got, ", "); text != c.stops {
				t.Errorf("stops at\n%s, expected\n%s", text, c.stops)
			}
			for _, r := range there[:min(len(there), 1)] {
				if s.number != 1 {
					break
				}
				if err := s.travel(r.at); err != nil || s.t.c.Hash() != r.hash {
					t.Errorf("the state at the first stop differs, %v", err)
				}
			}
		})
	}
}

// TestLastWriteOfATexel goes back to before the store, and steps over it again.
func TestLastWriteOfATexel(t *testing.T) {
	s := open(t, "features/storage_images.amber", Options{})
	must(t)(s.Continue())
	st := must(t)(s.LastWrite("target[2,1]"))
	if st.Watch == nil || st.Watch.New != "13" || s.Focus().Local != 6 || st.Pos.Line != 13 {
		t.Fatalf("stopped: %+v", st)
	}
	v := s.t.c.View(nil, s.imageView("target"))
	if got := v.Data[4*6]; got != 0 {
		t.Errorf("the texel is %d before the store", got)
	}
	must(t)(s.Step(StepOver, ThreadScope, ""))
	if got := v.Data[4*6]; got != 13 {
		t.Errorf("the texel is %d after the store", got)
	}
}

func TestWatchTexelRejects(t *testing.T) {
	s := open(t, "features/storage_images.amber", Options{})
	for text, want := range map[string]string{
		"target[9,9]": "outside of the image", "target[1]": "has 2 coordinates, found 1", "target[1.5,0]": "is no integer",
		"target[,0]": "expected", "target[nothing,0]": "nothing", "nothing[1,0]": "expected", "target[-1,0]": "outside of the image",
	} {
		if _, err := s.Watch(text, WatchWrite, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
	if _, err := s.Watch("target[1,0]", WatchWrite, 4); err == nil {
		t.Error("a number of bytes of a texel is taken")
	}
}
