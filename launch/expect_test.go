package launch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"ampdbg/diag"
)

// nothingRan reports whether err is that of a launch without a dispatch.
func nothingRan(err error) bool {
	var d *diag.Error
	return errors.As(err, &d) && d.Class == diag.NotRun
}

// expectOn evaluates EXPECT lines after declarations.
func expectOn(t *testing.T, decl, expect string) *ExpectResult {
	t.Helper()
	l := mustLoad(t, decl+expect+"\n")
	var result *ExpectResult
	if _, err := l.Execute(context.Background(), nil, func(r *ExpectResult) { result = r }); !nothingRan(err) {
		t.Fatal(err)
	}
	return result
}

func TestComparisons(t *testing.T) {
	const decl = `
BUFFER u DATA_TYPE uint32 DATA 1 2 3 4294967295 END
BUFFER i DATA_TYPE int32 DATA -1 2 -3 END
BUFFER f DATA_TYPE float DATA 1.0 0.1 0x7fc00000 -0.0 0x7f800000 100 END
BUFFER d DATA_TYPE double DATA 0.333333333333 1e300 END
BUFFER h DATA_TYPE float16 DATA 0.1 END
BUFFER v DATA_TYPE vec2<float> DATA 10 100 10 100 END
BUFFER big DATA_TYPE int64 DATA -9223372036854775808 9007199254740993 END
`
	tests := []struct {
		expect string
		failed int
	}{
		{"u IDX 0 EQ 1 2 3", 0},
		{"u IDX 4 EQ 2 4", 1},
		{"u IDX 0 EQ 9 9 9", 3},
		{"u IDX 0 NE 1", 1},
		{"u IDX 0 NE 2", 0},
		{"u IDX 12 GT 2147483647", 0}, // unsigned
		{"u IDX 0 LT 1", 1},
		{"u IDX 0 LE 1", 0},
		{"u IDX 0 GE 2", 1},
		{"i IDX 0 LT 0", 0}, // signed
		{"i IDX 0 EQ 0xffffffff", 0},
		{"i IDX 0 GT 0", 1},
		{"i IDX 8 TOLERANCE 1 EQ -2", 0},
		{"i IDX 8 TOLERANCE 1 EQ -1", 1},
		{"i IDX 8 TOLERANCE 50% EQ -2", 0},
		{"f IDX 4 EQ 0.1", 0},
		{"f IDX 4 EQ 0.10000001", 1},
		{"f IDX 12 EQ 0", 0}, // -0 = +0
		{"f IDX 8 EQ nan", 0},
		{"f IDX 8 EQ 1", 1},
		{"f IDX 8 NE 1", 0},
		{"f IDX 8 GE 1", 1},
		{"f IDX 8 LE 1", 1},
		{"f IDX 8 TOLERANCE 1000000 EQ 1", 1}, // a NaN is not near anything
		{"f IDX 16 EQ inf", 0},
		{"f IDX 16 GT 3e38", 0},
		{"f IDX 16 TOLERANCE 1% EQ 3e38", 1},
		{"f IDX 16 TOLERANCE 1% EQ inf", 0},
		{"f IDX 20 TOLERANCE 1% EQ inf", 1},
		{"f IDX 20 TOLERANCE 1 EQ 101", 0},
		{"f IDX 20 TOLERANCE 1 EQ 101.5", 1},
		{"f IDX 20 TOLERANCE 2% EQ 102", 0},
		{"f IDX 20 TOLERANCE 2 % EQ 98", 1},
		{"v IDX 0 TOLERANCE 1 10 EQ 11 110 9 90", 0},
		{"v IDX 0 TOLERANCE 1 10 EQ 20 110 9 90", 1},
		{"v IDX 4 TOLERANCE 1 10 EQ 110 11", 0}, // by component, not by value
		{"d IDX 0 EQ 0.3333333", 1},
		{"d IDX 0 EQ 0.333333333", 0}, // amber's 1e-8
		{"d IDX 8 EQ 1e300", 0},
		{"h IDX 0 EQ 0.1", 0}, // the value is rounded to the type
		{"h IDX 0 EQ 0.1001", 1},
		{"big IDX 8 EQ 9007199254740992", 1},
		{"big IDX 8 TOLERANCE 0 EQ 9007199254740992", 1},
		{"big IDX 0 TOLERANCE 1 EQ 9223372036854775807", 1},
		{"u EQ_BUFFER u", 0},
	}
	for _, tt := range tests {
		r := expectOn(t, decl, "EXPECT "+tt.expect)
		if r.Failed != tt.failed || r.OK() != (tt.failed == 0) {
			t.Errorf("EXPECT %s: %d failures, want %d: %s", tt.expect, r.Failed, tt.failed, r)
		}
	}
}

func TestFailuresAreDescribed(t *testing.T) {
	const decl = `STRUCT s
  vec2<int16> p
  float16 h OFFSET 6
END
BUFFER b DATA_TYPE s DATA 1 2 0.5 3 4 1.5 END
BUFFER c DATA_TYPE s DATA 1 2 0.5 9 4 1.5 END
BUFFER x DATA_TYPE R8G8B8A8_UNORM WIDTH 2 HEIGHT 2 SERIES_FROM 0 INC_BY 1
BUFFER y DATA_TYPE R8G8B8A8_UNORM WIDTH 2 HEIGHT 2 FILL 3
BUFFER f DATA_TYPE float SIZE 9 FILL 1
`
	tests := []struct{ expect, want string }{
		{"b IDX 8 EQ 3 5 1", "b[1].p.y at byte 10: expected 5, found 4\n\t1 more of 3 differ"},
		{"b IDX 6 GT 0.5", "b[0].h at byte 6: expected more than 0.5, found 0.5"},
		{"b IDX 6 NE 0.5", "b[0].h at byte 6: expected anything but 0.5, found 0.5"},
		{"f IDX 4 TOLERANCE 0.25 EQ 2", "f[1] at byte 4: expected 2 ±0.25, found 1"},
		{"f IDX 4 TOLERANCE 5% EQ 2", "f[1] at byte 4: expected 2 ±5%, found 1"},
		{"f IDX 0 EQ 2 2 2 2 2 2 2 2 2", "f[0] at byte 0: expected 2, found 1\n\t8 more of 9 differ"},
		{"b EQ_BUFFER c", "b[1].p.x at byte 8: expected 9 (c), found 3"},
		{"x IDX 0 0 SIZE 2 1 EQ_RGB 0 1 2", "x at 1,0: expected (0, 1, 2), found (4, 5, 6)"},
		{"x RMSE_BUFFER y TOLERANCE 1", "root mean square error of x and y: expected at most 1, found 6.44205"},
		{"x EQ_HISTOGRAM_EMD_BUFFER y TOLERANCE 0.001", "histogram distance of x and y: expected at most 0.001, found 0.0234375"},
	}
	for _, tt := range tests {
		r := expectOn(t, decl, "EXPECT "+tt.expect)
		_, got, _ := strings.Cut(r.String(), "EXPECT failed: ")
		if got != tt.want {
			t.Errorf("EXPECT %s\n%s\nwant\n%s", tt.expect, got, tt.want)
		}
	}
}

// TestMeasures computes the two measures another way: RMSE by its definition
// on the bytes, the earth mover's distance by moving pixels one by one.
func TestMeasures(t *testing.T) {
	a, b := []float64{0, 10, 20, 255}, []float64{5, 10, 100, 200}
	l := mustLoad(t, `
BUFFER a DATA_TYPE R8_UNORM DATA 0 10 20 255 END
BUFFER b DATA_TYPE R8_UNORM DATA 5 10 100 200 END
EXPECT a RMSE_BUFFER b TOLERANCE 1
EXPECT a EQ_HISTOGRAM_EMD_BUFFER b TOLERANCE 1
`)
	sum, moved := 0.0, 0.0
	for i := range a { // both sorted: pixel i goes to pixel i
		sum += (a[i] - b[i]) * (a[i] - b[i])
		moved += math.Abs(a[i] - b[i])
	}
	if got, want := l.Steps[0].(*Expect).rmse(), math.Sqrt(sum/4); math.Abs(got-want) > 1e-12 {
		t.Errorf("rmse %g, want %g", got, want)
	}
	if got, want := l.Steps[1].(*Expect).histogramDistance(), moved/4/256; math.Abs(got-want) > 1e-12 {
		t.Errorf("distance %g, want %g", got, want)
	}
}

func TestColours(t *testing.T) {
	const decl = `
IMAGE unorm FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 2 HEIGHT 2 DATA
  10 20 30 40   10 20 30 40
  10 20 30 40   11 22 33 44
END
IMAGE bgra FORMAT B8G8R8A8_UNORM DIM_2D WIDTH 1 HEIGHT 1 DATA 30 20 10 40 END
IMAGE floats DATA_TYPE vec4<float> DIM_2D WIDTH 1 HEIGHT 1 DATA 1 0.5 0 0.25 END
IMAGE ints DATA_TYPE vec4<int32> DIM_2D WIDTH 1 HEIGHT 1 DATA 200 -7 0 9 END
IMAGE red FORMAT R16_UNORM DIM_2D WIDTH 1 HEIGHT 1 FILL 65535
`
	tests := []struct {
		expect string
		failed int
	}{
		{"unorm IDX 0 0 SIZE 2 1 EQ_RGB 10 20 30", 0},
		{"unorm IDX 0 0 SIZE 2 2 EQ_RGB 10 20 30", 1},
		{"unorm IDX 1 1 SIZE 1 1 EQ_RGBA 11 22 33 44", 0},
		{"unorm IDX 0 0 SIZE 2 2 EQ_RGBA 10 20 30 40 TOLERANCE 4", 0},
		{"unorm IDX 0 0 SIZE 2 2 TOLERANCE 1 2 3 4 EQ_RGBA 10 20 30 40", 0},
		{"unorm IDX 0 0 SIZE 2 2 TOLERANCE 1 1 3 4 EQ_RGBA 10 20 30 40", 1},
		{"unorm IDX 0 0 SIZE 2 2 TOLERANCE 10% EQ_RGBA 10 20 30 40", 0},
		{"unorm IDX 0 0 SIZE 2 2 TOLERANCE 9% EQ_RGBA 10 20 30 40", 1},
		{"bgra IDX 0 0 SIZE 1 1 EQ_RGBA 10 20 30 40", 0},
		{"floats IDX 0 0 SIZE 1 1 EQ_RGBA 255 127.5 0 63.75", 0},
		{"floats IDX 0 0 SIZE 1 1 EQ_RGBA 255 129 0 63.75", 1},
		{"ints IDX 0 0 SIZE 1 1 EQ_RGBA 200 -7 0 9", 0},
		{"ints IDX 0 0 SIZE 1 1 EQ_RGBA 200 -8 0 9", 1},
		{"red IDX 0 0 SIZE 1 1 EQ_RGBA 255 1 2 3", 0}, // missing components are not compared
	}
	for _, tt := range tests {
		if r := expectOn(t, decl, "EXPECT "+tt.expect); r.Failed != tt.failed {
			t.Errorf("EXPECT %s: %d failures, want %d: %s", tt.expect, r.Failed, tt.failed, r)
		}
	}
}

type failingExecutor struct{ after int }

func (f *failingExecutor) Dispatch(context.Context, *Dispatch) error {
	if f.after--; f.after < 0 {
		return fmt.Errorf("trap")
	}
	return nil
}

func TestExecuteStops(t *testing.T) {
	l := mustLoad(t, increment+`
PIPELINE compute p
  ATTACH k
END
REPEAT 4294967295
  RUN p 1 1 1
END
`)
	sum, err := l.Execute(context.Background(), &failingExecutor{after: 7}, nil)
	if err == nil || sum.Dispatches != 7 {
		t.Errorf("%+v, %v", sum, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.Steps = append([]Step{&Loop{Count: math.MaxInt64}}, l.Steps...)
	sum, err = l.Execute(ctx, dispatchFunc(func() { cancel() }), nil)
	if !errors.Is(err, context.Canceled) || sum.Dispatches != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}

type dispatchFunc func()

func (f dispatchFunc) Dispatch(context.Context, *Dispatch) error { f(); return nil }
