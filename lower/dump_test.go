package lower_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ampdbg/lower"
)

var update = flag.Bool("update", false, "rewrite the dumps in testdata")

// What kernels are lowered to is kept as text.
func TestDumps(t *testing.T) {
	for _, c := range []struct {
		kernel string
		opt    lower.Options
	}{
		{"speed/matmul_naive", lower.Options{Width: 4}},
		{"speed/matmul_tiled", lower.Options{Width: 4}},
		{"amp/reduction", lower.Options{Width: 4}},
		{"diverge/fallthrough", lower.Options{Width: 4}},
		{"features/control_flow", lower.Options{Width: 4}},
		{"features/atomics", lower.Options{Width: 32}},
		{"features/physical_storage_buffer", lower.Options{Width: 1}},
		{"features/image_descriptor_arrays", lower.Options{Width: 4, Checks: true}},
		{"features/subgroup_quad", lower.Options{Width: 8}},
		{"features/debug_printf", lower.Options{Width: 4}},
		{"race/undefined_bit_field_range", lower.Options{Width: 4, Exact: true}},
	} {
		p, b := lowered(t, "../testdata/"+c.kernel+".spvasm", c.opt)
		got := dump(t, p, b)
		golden := filepath.Join("testdata", filepath.Base(c.kernel)+".txt")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s, -update rewrites it:\n%s", golden, diff)
		}
	}
}

// Every module of testdata can be lowered and printed, and the same module is
// lowered to the same program again.
func TestLoweringIsDeterministic(t *testing.T) {
	for _, file := range modules(t) {
		for _, opt := range []lower.Options{{Width: 4}, {Width: 7, Exact: true}, {Width: 128, Checks: true}} {
			p, b := lowered(t, file, opt)
			text := dump(t, p, b)
			if p, b := lowered(t, file, opt); dump(t, p, b) != text {
				t.Errorf("%s, %+v: two programs", file, opt)
			}
			if n := strings.Count("\n"+text, "\n "); n != len(p.Code) {
				t.Errorf("%s, %+v: %d of %d operations are printed", file, opt, n, len(p.Code))
			}
			if len(p.Inst) != len(p.Code) || len(p.Frame) != len(p.Code) {
				t.Errorf("%s, %+v: %d operations of %d instructions in %d frames", file, opt, len(p.Code), len(p.Inst), len(p.Frame))
			}
		}
	}
}
