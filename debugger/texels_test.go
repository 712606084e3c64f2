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
				if err := s.travel(r.at); err != nil || fullHash(s) != r.hash {
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
	if got := evalText(t, s, "target[2,1]"); got != "0" {
		t.Errorf("the texel is %s before the store", got)
	}
	must(t)(s.Step(StepOver, ThreadScope, ""))
	if got := evalText(t, s, "target[2,1]"); got != "13" {
		t.Errorf("the texel is %s after the store", got)
	}
}

func TestWatchTexelRejects(t *testing.T) {
	s := open(t, "features/storage_images.amber", Options{})
	for text, want := range map[string]string{
		"target[9,9]": "outside of the image", "target[1]": "has 2 coordinates, found 1", "target[1.5,0]": "is no integer",
		"target[,0]": "expected", "target[nothing,0]": "nothing", "nothing[1,0]": "no variable nothing", "target": "look at a texel", "target[-1,0]": "outside of the image",
	} {
		if _, err := s.Watch(text, WatchWrite, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
	if _, err := s.Watch("target[1,0]", WatchWrite, 4); err == nil {
		t.Error("a number of bytes of a texel is taken")
	}
}

// TestTexelsInExpressions looks at texels of all kinds of images, at the start
// of a launch.
func TestTexelsInExpressions(t *testing.T) {
	for script, table := range map[string]map[string]string{
		"storage_images": {
			"source[ivec2(3, 1)]": "8.5", "source[3, 1]": "8.5", "source[3, 1].x": "8.5", "source[ivec2(1, 0) + ivec2(1, 1)] * 2.0": "15",
			"imageLoad(source, ivec2(1, 0))": "(2, 0, 0, 1)", "imageLoad(cube, ivec3(1)).wzyx": "(27, 26, 25, 24)", "cube[0, 0, 0].y": "-3",
			"cube[uvec3(1, 0, 1)]": "(16, 17, 18, 19)", "line[5]": "32", "imageSize(cube)": "(2, 2, 2)", "imageSize(line)": "8", "textureSize(source, 0)": "(4, 2)",
			"source": "4x2 R32_SFLOAT {1, 2, 3, 4, 5.5, 6.5, 7.5, 8.5}", "expected[1, 1]": "15", "imageSamples(source)": "1",
			"source[4, 0]":  "error: texel (4,0) lies outside of the image: source is 4x2 R32_SFLOAT",
			"source[-1, 0]": "error: texel (-1,0) lies outside of the image", "source[1]": "error: source has 2 coordinates, found 1",
			"source[0.5, 0]": "error: a value of type float is no integer", "o[1, 2]": "error: 2 indexes of a value of type uint[]",
			"source + 1":      "error: source is an image, of 4x2 R32_SFLOAT; look at a texel of it, such as source[x,y]",
			"imageLoad(o, 1)": "error: expected an image, found a value of type uint[]", "imageLoad(source)": "error: imageLoad takes coordinates",
			"imageLoad(source, ivec2(0), 1)": "error: texel (0,0), sample 1, lies outside", "imageLoad()": "error: imageLoad takes 1 to 3 arguments",
			"&source[0, 0]": "error: this value has no address", "source.x": "error: no member x",
		},
		"mip_levels": {
			"textureQueryLevels(all)": "2", "texelFetch(all, ivec2(1, 0), 1)": "(0, 0, 0, 1)", "imageSize(level1)": "(2, 1)",
			"texelFetch(all, ivec2(2, 0), 1)": "error: texel (2,0) of level 1 lies outside", "textureSize(all, 1)": "(2, 1)",
			"textureSize(all, 2)": "error: no level 2: all is 4x1 R32_SFLOAT, 2 levels", "texelFetch(all, ivec2(0, 0), -1)": "error: texel (0,0) of level -1 lies",
			"level1[2, 0]": "error: texel (2,0) lies outside",
		},
		"image_descriptor_arrays": {
			"images[1]": "", "images[1][0, 0]": "", "images[2][0, 0]": "error: index 2 is outside of 2 descriptors",
			"images[0, 0]": "error: 2 indexes of a value of type image", "texelFetch(textures[0], ivec2(0, 0), 0).w": "1",
		},
		"texel_buffers": {
			"words[3]": "4", "target[4]": "100", "texelFetch(colours, 1)": "(1, 0, 0, 0.003921569)", "imageSize(target)": "5",
			"target[5]": "error: texel (5) lies outside of the image: target is 5 R32_UINT",
		},
		"sampled_images": {"image[1, 1]": "60", "texelFetch(words, ivec2(3, 0), 0)": "(1000000, 0, 0, 1)"},
	} {
		s := open(t, "features/"+script+".amber", Options{})
		for text, want := range table {
			e, err := ParseExpr(text)
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.Eval(e, 0)
			got := v.Text
			if err != nil {
				got = "error: " + err.Error()
			}
			if got != want && (!strings.HasPrefix(want, "error: ") || !strings.HasPrefix(got, want)) && (want != "" || err != nil) {
				t.Errorf("%s: %s is %s, expected %s", script, text, got, want)
			}
		}
	}
}

// TestSetTexels changes texels and their components, and makes the changes again
// in a replay.
func TestSetTexels(t *testing.T) {
	s := open(t, "features/storage_images.amber", Options{})
	if _, err := s.Break("13"); err != nil {
		t.Fatal(err)
	}
	must(t)(s.Continue())
	before := record(s, "")
	for _, text := range []string{"cube[1, 0, 0] = ivec4(9, 8, 7, 6)", "cube[1, 0, 0].z += 63", "target[3, 1] = 5", "imageLoad(source, ivec2(0, 1)) = vec4(0.25)"} {
		e, err := ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Set(e); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	after := record(s, "")
	for text, want := range map[string]string{"cube[1, 0, 0]": "(9, 8, 70, 6)", "target[3, 1]": "5", "source[0, 1]": "0.25"} {
		if got := evalText(t, s, text); got != want {
			t.Errorf("%s is %s, expected %s", text, got, want)
		}
	}
	for _, r := range []recorded{before, after} {
		if err := s.travel(r.at); err != nil || fullHash(s) != r.hash {
			t.Errorf("the state differs, %v", err)
		}
	}
	m, err := s.Memory(mustParse(t, "cube[1, 0, 0]"), 2, 0, 0)
	if err != nil || len(m.Elems) != 2 || m.Elems[0] != "(9, 8, 70, 6)" || m.Off != 16 {
		t.Errorf("memory: %+v, %v", m, err)
	}
	p, err := s.Picture(mustParse(t, "source"), 0)
	if err != nil || p.Width != 4 || p.Height != 2 || p.Values[4] != 0.25 {
		t.Errorf("picture: %+v, %v", p, err)
	}
}

func mustParse(t testing.TB, text string) *Expr {
	t.Helper()
	e, err := ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
