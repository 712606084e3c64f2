package debugger

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ampdbg/tilemem"
)

// tracedKernel writes each value that it gives to a variable to memory, on the
// same line: data[8*l+k] is the k-th variable.
const tracedKernel = `#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { int data[]; };

int weigh(int v, int at) {
    int w = v * 7 - at; data[at + 3] = w;
    if ((w & 4) != 0) {
        w ^= 0x55; data[at + 3] = w;
    }
    return w + 1;
}

void main() {
    int l = int(gl_LocalInvocationID.x) * 8; data[l + 7] = l;
    int a = l + 3; data[l] = a;
    float f = float(a) * 0.7f; data[l + 1] = floatBitsToInt(f);
    int8_t n = int8_t(a * 50); data[l + 2] = int(n);
    ivec2 p = ivec2(a, 9); data[l + 5] = p.x; data[l + 6] = p.y;
    for (int i = 0; i < 5; i++) {
        data[l + 4] = i;
        a = a * 3 + i; data[l] = a;
        if ((a & 2) == 0) {
            f = f / 3.0f - a; data[l + 1] = floatBitsToInt(f);
            n += int8_t(i); data[l + 2] = int(n);
        } else {
            a = weigh(a, l); data[l] = a;
            p.y -= a; data[l + 6] = p.y;
        }
        n *= int8_t(3); data[l + 2] = int(n);
        p = p.yx; data[l + 5] = p.x; data[l + 6] = p.y;
    }
    data[l] += 1;
}
`

// TestValuesAreThoseComputed compares variables at random stops with what the
// kernel itself has written of them.
func TestValuesAreThoseComputed(t *testing.T) {
	for _, mode := range []struct {
		flag     string
		optimise bool
	}{{"-g", false}, {"-gVS", false}, {"-gVS", true}} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			s := compiled(t, tracedKernel, mode.optimise, mode.flag)
			rng := rand.New(rand.NewPCG(4, 2))
			compared := map[string]int{}
			vars := []struct {
				name string
				slot int
			}{{"a", 0}, {"floatBitsToInt(f)", 1}, {"int(n)", 2}, {"w", 3}, {"i", 4}, {"p.x", 5}, {"p.y", 6}, {"l", 7}}
			for range 25 {
				if err := s.Restart(); err != nil {
					t.Fatal(err)
				}
				for range 6 {
					if err := s.SetFocus(ThreadID{0, rng.IntN(8)}); err != nil {
						t.Fatal(err)
					}
					for range rng.IntN(12) {
						if st, err := s.Step(StepIn, ThreadScope, ""); err != nil || st.Reason == AtExit {
							break
						}
					}
					if s.exited {
						break
					}
					th, err := s.Thread(s.Focus())
					if err != nil || th.Status != Active || th.Pos.Line == 31 || th.Pos.Line == 20 {
						continue // behind the last write, or at a loop's head, where i is ahead of it
					}
					// Other threads may be in the middle of a line.
					data := s.t.memories[0]
					for _, v := range vars {
						got, err := s.Eval(mustParse(t, v.name), 0)
						if err != nil {
							continue
						}
						want := fmt.Sprint(int32(tilemem.LoadWord(data, int64(4*(8*th.ID.Local+v.slot)), 4)))
						at := 8*th.ID.Local + v.slot
						if v.name == "i" && th.Pos.Line == 21 || v.name == "w" && th.Pos.Line == 8 || v.name == "a" && th.Pos.Line == 27 || want == fmt.Sprint(at) {
							continue // not written yet, or just before that
						}
						if got.Text != want {
							t.Fatalf("thread %d on line %d: %s is %s, the kernel has %s", th.ID.Local, th.Pos.Line, v.name, got.Text, want)
						}
						compared[v.name]++
					}
				}
			}
			for _, v := range vars {
				if compared[v.name] == 0 && !mode.optimise {
					t.Errorf("%s was never compared: the test proves nothing", v.name)
				}
			}
			if len(compared) < 3 {
				t.Errorf("compared: %v", compared)
			}
		})
	}
	if strings.Count(tracedKernel, "\n") != 34 {
		t.Error("the lines that the test names have moved")
	}
}
