package racecheck_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"ampdbg/launch"
	"ampdbg/racecheck"
	"ampdbg/warp"
)

// engines are those that programs can run on. The first is the reference.
var engines = map[string]warp.Engine{"reference": warp.Interpreter{Plain: true}, "interpreter": warp.Interpreter{}}

// Every engine finds the same, says the same of what it covered, takes as many
// steps and leaves the same memory.
func TestEnginesFindTheSame(t *testing.T) {
	ran := 0
	for _, pattern := range []string{"race/*.amber", "diverge/*.amber", "features/*.amber", "amp/*.amber", "spin/*.amber"} {
		for _, path := range scripts(t, pattern) {
			type outcome struct {
				report []byte
				err    string
				memory [][]byte
			}
			run := func(e warp.Engine) *outcome {
				l, err := launch.Load(path, launch.LoadOptions{})
				if err != nil {
					return nil
				}
				r, err := racecheck.Run(t.Context(), l, racecheck.Options{Steps: 1 << 22, Engine: e}, nil)
				out := &outcome{}
				if err != nil {
					out.err = err.Error()
				}
				if out.report, err = json.Marshal(r); err != nil {
					t.Fatal(err)
				}
				for _, b := range l.Buffers {
					out.memory = append(out.memory, b.Data)
				}
				for _, i := range l.Images {
					out.memory = append(out.memory, i.Data)
				}
				return out
			}
			want := run(engines["reference"])
			if want == nil {
				continue
			}
			ran++
			for name, e := range engines {
				got := run(e)
				if !bytes.Equal(got.report, want.report) || got.err != want.err {
					t.Errorf("%s: %s finds %s (%s), the reference %s (%s)", filepath.Base(path), name, got.report, got.err, want.report, want.err)
				}
				for i := range want.memory {
					if !bytes.Equal(got.memory[i], want.memory[i]) {
						t.Errorf("%s: %s leaves other memory than the reference", filepath.Base(path), name)
						break
					}
				}
			}
		}
	}
	if ran < 200 {
		t.Errorf("only %d launches ran", ran)
	}
}
