package emu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"ampdbg/warp"
)

// unhashed are the fields, by path, that a hash leaves out, and why.
var unhashed = map[string]string{
	"state.steps":               "Control.Hash adds what the turn in progress has executed",
	"state.before":              "likewise",
	"state.quiet":               "counts spins that are quiet",
	"state.findings[].bug":      "a finding's text says it",
	"state.findings[].Finding":  "by its fingerprint and count",
	"tileState.idle":            "counts warps that are blocked or finished",
	"tileState.arrived":         "follows from what warps wait for",
	"tileState.place":           "likewise",
	"tileState.instance":        "likewise",
	"tileState.spins[].suspect": "a state of the warp that a probe has seen, and will see again",
	"tileState.spins[].reads":   "for reports: follows from what the probe executes",
}

// fields calls f for each field of *v, and of the elements of its slices.
func fields(path string, v reflect.Value, f func(path string, v reflect.Value)) {
	for i := range v.NumField() {
		field := reflect.NewAt(v.Field(i).Type(), unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem()
		at := path + "." + v.Type().Field(i).Name
		f(at, field)
		if field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct {
			for k := range field.Len() {
				fields(at+"[]", field.Index(k), f)
			}
		}
	}
}

// change gives a field another value.
func change(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Bool {
			v.Index(0).SetBool(!v.Index(0).Bool())
		} // else its elements are changed
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*warp.Snapshot]() {
			t.Fatalf("%s points at what a copy would share", path)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[rand.PCG]() {
			v.Addr().Interface().(*rand.PCG).Uint64()
		}
	default:
		t.Fatalf("%s is of a kind that no copy is known of: %v", path, v.Type())
	}
}

func someState() *state {
	return &state{source: *rand.NewPCG(1, 2), findings: []found{{}}}
}

func someTile() *tileState {
	return &tileState{spins: []spin{{reads: []spinRead{{}}}}, held: []bool{false}, met: []meeting{{}}}
}

// A copy of a run's state shares nothing with it that changes, and its hash
// depends on every field, those that are known to follow from others aside: a
// field that is added is in both, or this fails.
func TestStateIsCopiedAndHashedWhole(t *testing.T) {
	seen := map[string]bool{}
	check := func(name string, fresh func() (v reflect.Value, clone func() any, hash func() []byte)) {
		v, _, _ := fresh()
		n := 0
		fields(name, v, func(string, reflect.Value) { n++ })
		for k := range n {
			v, clone, hash := fresh()
			before, digest := clone(), hash()
			i := 0
			fields(name, v, func(path string, field reflect.Value) {
				if i++; i != k+1 {
					return
				}
				seen[path] = true
				change(t, path, field)
				_, same, _ := fresh()
				if want := same(); !reflect.DeepEqual(before, want) {
					t.Errorf("a change of %s changes a copy made before", path)
				}
				_, left := unhashed[path]
				if slices.Contains([]reflect.Kind{reflect.Slice, reflect.Pointer}, field.Kind()) && field.Type() != reflect.TypeFor[[]bool]() {
					return
				}
				if hashed := !bytes.Equal(digest, hash()); hashed == left && !inside(path) {
					t.Errorf("the hash depends on %s: %v", path, hashed)
				}
				if after := clone(); !reflect.DeepEqual(after, v.Addr().Interface()) {
					t.Errorf("a copy lacks a change of %s", path)
				}
			})
		}
	}
	check("state", func() (reflect.Value, func() any, func() []byte) {
		s := someState()
		return reflect.ValueOf(s).Elem(), func() any { c := s.clone(); return &c }, func() []byte { return s.appendTo(nil) }
	})
	check("tileState", func() (reflect.Value, func() any, func() []byte) {
		s := someTile()
		return reflect.ValueOf(s).Elem(), func() any { c := s.clone(); return &c }, func() []byte { return s.appendTo(nil) }
	})
	for path := range unhashed {
		if !seen[path] {
			t.Errorf("there is no %s", path)
		}
	}
}

// inside reports whether a path leads into what is left out of a hash as a
// whole.
func inside(path string) bool {
	for p := range unhashed {
		if len(path) > len(p) && path[:len(p)] == p {
			return true
		}
	}
	return false
}

// The fields of what a run and a tile are made of besides their state are known:
// where one is added, it has to be settled whether a checkpoint has to have it.
func TestCheckpointsKnowAllOfARun(t *testing.T) {
	for _, c := range []struct {
		of   any
		want string
	}{
		// All but state and tiles is what the run runs with.
		{run{}, "[Machine opt ctx rng order budget alone locks pool audience stepper told untold code single stepped pause ended state tiles]"},
		// Tile but for Changed, and storage but for mem and warps, are made by newTile and show.
		{tile{}, "[Tile storage tileState]"},
		{storage{}, "[mem views warps state]"},
		{warp.Tile{}, "[Index ID Groups Views Images Warps Obs Locks OnFault Print ExactChanges Changed Undefined Used Robust Halt]"},
		{savedTile{}, "[index state mem warps changed]"},
		{Checkpoint{}, "[Time Bytes state tiles push]"},
	} {
		var names []string
		typ := reflect.TypeOf(c.of)
		for i := range typ.NumField() {
			names = append(names, typ.Field(i).Name)
		}
		if got := fmt.Sprint(names); got != c.want {
			t.Errorf("%v has the fields %s, not %s: see Save, Restore and Hash", typ, got, c.want)
		}
	}
}
