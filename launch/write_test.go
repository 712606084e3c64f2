package launch

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ampdbg/amber"
	"ampdbg/diag"
)

// withoutExpect leaves out the steps that ToScript does not write.
func withoutExpect(steps []Step) (out []Step) {
	for _, s := range steps {
		switch s := s.(type) {
		case *Expect:
		case *Loop:
			out = append(out, &Loop{Count: s.Count, Steps: withoutExpect(s.Steps)})
		default:
			out = append(out, s)
		}
	}
	return out
}

// outline is a text that is the same for launches that do the same.
func outline(l *Launch) string {
	var b strings.Builder
	for _, r := range l.Require {
		fmt.Fprintln(&b, r.Kind, r.Name)
	}
	for _, m := range l.Buffers {
		fmt.Fprintf(&b, "buffer %s %d %x\n", m.Name, len(m.Data), sha256.Sum256(m.Data))
		for _, a := range m.Addresses {
			fmt.Fprintf(&b, "  %d: &%s+%d\n", a.At, a.To.Name, a.Add)
		}
	}
	for _, i := range l.Images {
		same := *i
		same.Data, same.Pos = nil, diag.Pos{}
		fmt.Fprintf(&b, "image %+v %d %x\n", same, len(i.Data), sha256.Sum256(i.Data))
	}
	for _, s := range l.Samplers {
		same := *s
		same.Pos = diag.Pos{}
		fmt.Fprintf(&b, "sampler %+v\n", same)
	}
	outlineSteps(&b, l.Steps)
	return b.String()
}

func outlineSteps(b *strings.Builder, steps []Step) {
	for _, s := range steps {
		switch s := s.(type) {
		case *Loop:
			fmt.Fprintln(b, "repeat", s.Count)
			outlineSteps(b, s.Steps)
		case *Copy:
			fmt.Fprintln(b, "copy", Content{Buffer: s.From, Image: s.FromImage}.Name(), Content{Buffer: s.To, Image: s.ToImage}.Name())
		case *Dispatch:
			fmt.Fprintf(b, "dispatch %x %s %v %v %+v %t %t\n", sha256.Sum256(s.Module.Encode(binary.LittleEndian)), s.Entry, s.Spec, s.Groups, s.Subgroup, s.Robust, s.Timed)
			if s.PushBuffer != nil {
				fmt.Fprintln(b, "  push", s.PushBuffer.Name)
			}
			for _, at := range s.Bindings {
				fmt.Fprintln(b, " ", at.Set, at.Binding, at.Kind)
				for _, e := range at.Elems {
					name := ""
					if e.Buffer != nil || e.Image != nil {
						name = Content{Buffer: e.Buffer, Image: e.Image}.Name()
					}
					if e.Sampler != nil {
						name += " " + e.Sampler.Name
					}
					fmt.Fprintln(b, "   ", name, e.Offset, e.Dynamic, e.Range, e.Format, e.BaseMip)
				}
			}
		}
	}
}

// A launch that is written as a script is the same launch when it is read.
func TestLaunchesAreWrittenAsScripts(t *testing.T) {
	files, err := filepath.Glob("../testdata/*/*.amber")
	if err != nil || len(files) == 0 {
		t.Fatal("no launches", err)
	}
	written := 0
	for _, file := range files {
		l, err := Load(file, LoadOptions{})
		if err != nil {
			continue
		}
		l.Steps = withoutExpect(l.Steps)
		saved := map[string][]byte{}
		script, err := ToScript(l, func(name string, data []byte) (string, error) {
			saved[name] = data
			return name, nil
		})
		var unsupported *diag.Error
		if errors.As(err, &unsupported) && unsupported.Class == diag.Unsupported {
			t.Log(file, err)
			continue
		} else if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		parsed, errs := amber.Parse(file, []byte(amber.Print(script)))
		if len(errs) > 0 {
			t.Errorf("%s: %v", file, errs[0])
			continue
		}
		again, err := FromScript(parsed, ScriptOptions{Read: func(name string) ([]byte, error) {
			if data, ok := saved[name]; ok {
				return data, nil
			}
			return nil, fs.ErrNotExist
		}})
		if err != nil {
			t.Errorf("%s: %v\n%s", file, err, amber.Print(script))
			continue
		}
		diff := cmp.Diff(outline(l), outline(again))
		if diff != "" {
			t.Errorf("%s reads back as another launch:\n%s", file, diff)
		}
		written++
	}
	if written < 200 {
		t.Errorf("only %d launches were written", written)
	}
}

// A script says with ADDRESS, LAYERS and CUBE what AmberScript has no words for.
func TestAdditionsForCaptures(t *testing.T) {
	load := func(text string) (*Launch, error) {
		s, errs := amber.Parse("x.amber", []byte("#!amber\n"+text))
		if len(errs) > 0 {
			return nil, errs[0]
		}
		return FromScript(s, ScriptOptions{})
	}
	l, err := load("BUFFER a DATA_TYPE uint32 SIZE 4 ADDRESS 8 &b+4 FILL 0\nBUFFER b DATA_TYPE uint8 SIZE 3 FILL 1\nIMAGE c FORMAT R8_UINT DIM_2D WIDTH 4 HEIGHT 4 LAYERS 6 CUBE FILL 1\n")
	if err != nil {
		t.Fatal(err)
	}
	if a := l.Buffers[0].Addresses; len(a) != 1 || a[0].At != 8 || a[0].To != l.Buffers[1] || a[0].Add != 4 {
		t.Errorf("found addresses %+v", a)
	}
	if i := l.Images[0]; i.Layers != 6 || !i.Cube || len(i.Data) != 96 || i.Data[95] != 1 {
		t.Errorf("found image %+v", i)
	}
	for text, want := range map[string]string{
		"BUFFER a DATA_TYPE uint32 SIZE 2 ADDRESS 1 &a FILL 0\n":                         "ends outside buffer a",
		"BUFFER a DATA_TYPE uint32 SIZE 1 ADDRESS 0 &a FILL 0\n":                         "ends outside buffer a",
		"BUFFER a DATA_TYPE uint32 SIZE 2 ADDRESS 0 &b FILL 0\n":                         `no buffer is called "b"`,
		"IMAGE c FORMAT R8_UINT DIM_2D WIDTH 4 HEIGHT 4 LAYERS 5 CUBE FILL 1\n":          "a CUBE is",
		"IMAGE c FORMAT R8_UINT DIM_3D WIDTH 4 HEIGHT 4 DEPTH 2 LAYERS 5 FILL 1\n":       "has no LAYERS",
		"IMAGE c FORMAT R8_UINT DIM_2D WIDTH 4 HEIGHT 4 LAYERS 4294967295 CUBE FILL 1\n": "CUBE",
	} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected %q, found %v", text, want, err)
		}
	}
}
