//go:build cgo && linux && (amd64 || arm64)

package isolate

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ampdbg/diag"
	"ampdbg/gpu"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// kernel reads a module of package gpu's tests, after replacing pairs of text
// in it.
func kernel(t testing.TB, name string, replace ...string) *spirv.Module {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Assemble(name, strings.NewReplacer(replace...).Replace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// full is a dispatch that has everything; no field of it is zero.
func full(t testing.TB) *launch.Dispatch {
	pos := diag.Pos{File: "full.amber", Line: 3, Col: 4, EndLine: 5, EndCol: 6}
	list := &launch.Buffer{Name: "list", Data: []byte("12345678"), Pos: pos}
	head := &launch.Buffer{Name: "head", Data: []byte("abcdefgh"), Pos: pos}
	head.Addresses = []launch.Address{{At: 1, To: list, Add: 2}}
	list.Addresses = []launch.Address{{At: 3, To: head, Add: -4}} // a ring
	img := &launch.Image{Name: "img", Format: "R8_UINT", Dim: 2, Width: 2, Height: 3, Depth: 1, Layers: 6, MipLevels: 1, Samples: 4, Cube: true, Data: []byte("texels"), Pos: pos}
	s := &launch.Sampler{
		Name: "s", MagLinear: true, MinLinear: true, MipLinear: true, AddressU: launch.ClampToEdge, AddressV: launch.MirroredRepeat, AddressW: launch.ClampToBorder,
		BorderColor: "INT_OPAQUE_WHITE", MinLOD: 0.1, MaxLOD: float32(math.Inf(1)), LODBias: -0.5, Unnormalized: true, Compare: true, CompareOp: "less", Pos: pos,
	}
	return &launch.Dispatch{
		Module: kernel(t, "double.spvasm"), Entry: "main", Spec: spirv.SpecValues{1: math.MaxUint64},
		Bindings: []launch.Binding{{Set: 1, Binding: 2, Kind: launch.CombinedImageSampler, Pos: pos, Elems: []launch.Descriptor{
			{Buffer: head, Offset: 1, Dynamic: 2, Range: 3, Format: "R32_UINT", Image: img, BaseMip: 4, Sampler: s},
			{}, {Image: img, Sampler: s},
		}}},
		Push: []byte{}, PushBuffer: list, Groups: [3]uint32{1, 2, 3}, Subgroup: launch.Subgroup{FullyPopulated: true, VaryingSize: true, RequiredSize: -1},
		Robust: true, Timed: true, Pipeline: "p", Pos: pos,
	}
}

// sent sends a dispatch through the bytes of a message.
func sent(t testing.TB, d *launch.Dispatch) (*request, [][]byte, []byte) {
	t.Helper()
	numbers := map[*launch.Buffer]int{}
	e := encode(d, func(b *launch.Buffer) int {
		if numbers[b] == 0 {
			numbers[b] = len(numbers) + 1
		}
		return numbers[b]
	})
	q, memories := e.request(d.Module)
	var message bytes.Buffer
	if err := writeMessage(&message, q, memories); err != nil {
		t.Fatal(err)
	}
	text := bytes.Clone(message.Bytes())
	q, memories, err := readRequest(&message)
	if err != nil || message.Len() > 0 {
		t.Fatal(err, message.Len())
	}
	return q, memories, text
}

func TestDispatchesAreSentWhole(t *testing.T) {
	want := full(t)
	q, memories, _ := sent(t, want)
	got, err := decode(q, memories, map[int]*launch.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(spirv.Module{}))
	if diff != "" {
		t.Error(diff)
	}
	if got.PushBuffer.Addresses[0].To != got.Bindings[0].Elems[0].Buffer || got.Bindings[0].Elems[0].Image != got.Bindings[0].Elems[2].Image {
		t.Error("one buffer or image became two")
	}
	// A field that is new in package launch is zero in full, until it is sent.
	for _, x := range []any{want, want.Bindings[0], want.Bindings[0].Elems[0], want.Bindings[0].Elems[0].Image, want.Bindings[0].Elems[0].Sampler, want.PushBuffer, want.PushBuffer.Addresses[0], want.Subgroup} {
		v := reflect.Indirect(reflect.ValueOf(x))
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "Elem" {
				t.Errorf("%v.%s is zero: send it, and set it here", v.Type(), name)
			}
		}
	}
}

func TestErrorsAreSentWhole(t *testing.T) {
	one := &diag.Error{Class: diag.Budget, Pos: diag.Pos{File: "f", Line: 2}, Msg: "late", Err: errors.New("why")}
	for _, want := range []error{nil, errors.New("plain"), one, errors.Join(one, errors.New("and"))} {
		got := (&reply{Errors: failures(want)}).err()
		if want == nil || got == nil {
			if got != want {
				t.Errorf("expected %v, found %v", want, got)
			}
			continue
		}
		var x, y *diag.Error
		if got.Error() != want.Error() || errors.As(got, &x) != errors.As(want, &y) || x != nil && (x.Class != y.Class || x.Pos != y.Pos || x.Msg != y.Msg) {
			t.Errorf("expected %#v, found %#v", want, got)
		}
	}
}

func TestBuffersStayThemselves(t *testing.T) {
	known := map[int]*launch.Buffer{}
	b := &launch.Buffer{Name: "b", Data: []byte{1}}
	d := &launch.Dispatch{Module: kernel(t, "double.spvasm"), PushBuffer: b}
	var first *launch.Buffer
	for range 2 {
		q, memories, _ := sent(t, d)
		got, err := decode(q, memories, known)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got.PushBuffer
		}
		if got.PushBuffer != first {
			t.Error("the buffer of a later dispatch is another one")
		}
	}
	q, memories, _ := sent(t, &launch.Dispatch{Module: d.Module})
	q.Dispatch.Forgotten = []int{1}
	if _, err := decode(q, memories, known); err != nil || len(known) > 0 {
		t.Errorf("%v; %d buffers are known", err, len(known))
	}
}

func FuzzRequest(f *testing.F) {
	_, _, text := sent(f, full(f))
	f.Add(text)
	f.Add([]byte("\x02\x00\x00\x00{}"))
	var bad bytes.Buffer
	q := &request{Dispatch: &dispatch{PushBuffer: 7, Bindings: []binding{{Elems: []descriptor{{Image: -1}}}}}, Sizes: []int{0}}
	if err := writeMessage(&bad, q, nil); err != nil {
		f.Fatal(err)
	}
	f.Add(bad.Bytes())
	f.Fuzz(func(t *testing.T, message []byte) {
		q, memories, err := readRequest(bytes.NewReader(message))
		if err != nil {
			return
		}
		if d, err := decode(q, memories, map[int]*launch.Buffer{}); (d == nil) == (err == nil) {
			t.Errorf("dispatch %v, error %v", d, err)
		}
	})
}

func FuzzReply(f *testing.F) {
	var message bytes.Buffer
	p := &reply{Device: &gpu.Device{Name: "n"}, Errors: failures(errors.New("x")), Result: &result{Outside: []write{{1, -4, []byte{1}}}}, Sizes: []int{3}}
	if err := writeMessage(&message, p, [][]byte{[]byte("abc")}); err != nil {
		f.Fatal(err)
	}
	f.Add(message.Bytes())
	f.Add([]byte("\xff\xff\xff\x03{"))
	f.Fuzz(func(t *testing.T, message []byte) {
		memory := make([]byte, 3)
		if p, err := readReply(bytes.NewReader(message), [][]byte{memory}); (p == nil) == (err == nil) {
			t.Errorf("reply %v, error %v", p, err)
		} else if p != nil {
			_ = p.err()
		}
	})
}
