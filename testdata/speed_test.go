package testdata_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The launches for timing: large enough to run for a tenth of a second, with
// buffers that series fill and a few samples of what they must give.

// speedScript is a script whose generator stands in this file.
func speedScript(comment string, parts ...string) string {
	return strings.Replace(script(comment, parts...), "amp_test.go", "speed_test.go", 1)
}

// ampShader is the SHADER command for a module of the folder amp.
func ampShader(name string) string {
	return strings.Replace(shader(name), "FILE ", "FILE ../amp/", 1)
}

// speedMatmul multiplies matrices of 256x256 whose elements are i/1024. The
// few samples it expects were computed in 64-bit floating point.
func speedMatmul(kernel string) string {
	const n = 256
	var expects strings.Builder
	for _, at := range [][2]int{{0, 0}, {0, 255}, {17, 16}, {128, 127}, {255, 0}, {255, 255}} {
		sum := 0.0
		for k := range n {
			sum += float64(n*at[0]+k) / 1024 * float64(n*k+at[1]) / 1024
		}
		fmt.Fprintf(&expects, "EXPECT c IDX %d TOLERANCE 0.01%% EQ %.4f\n", 4*(n*at[0]+at[1]), sum)
	}
	return speedScript("256x256x256 matrix multiplication for timing.",
		shader(kernel),
		"BUFFER a DATA_TYPE float SIZE 65536 SERIES_FROM 0 INC_BY 0.0009765625\nBUFFER b DATA_TYPE float SIZE 65536 SERIES_FROM 0 INC_BY 0.0009765625\nBUFFER c DATA_TYPE float SIZE 65536 FILL 0\nBUFFER args DATA_TYPE int32 DATA 256 END\n",
		pipeline("p", kernel, "a", "b", "c", "push:args"),
		"RUN p 16 16 1\n"+expects.String())
}

// speedNbody moves 1024 bodies on a line, at rest before. The answers were
// computed in 64-bit floating point.
func speedNbody() string {
	const n, dt, softening = 1024, 0.0625, 0.5
	var pos [4 * n]float64
	for i := range pos {
		pos[i] = 0.25 + float64(i)/4096
	}
	var expects strings.Builder
	for _, i := range []int{0, 1, n - 1} {
		var acc [3]float64
		for k := range n {
			d := softening
			for c := range 3 {
				r := pos[4*k+c] - pos[4*i+c]
				d += r * r
			}
			for c := range 3 {
				acc[c] += (pos[4*k+c] - pos[4*i+c]) * pos[4*k+3] / (d * math.Sqrt(d))
			}
		}
		fmt.Fprintf(&expects, "EXPECT velocity IDX %d TOLERANCE 0.1%% EQ %.4f %.4f %.4f 0\n", 16*i, acc[0]*dt, acc[1]*dt, acc[2]*dt)
	}
	return speedScript("One step of 1024 bodies for timing.",
		ampShader("nbody"),
		"BUFFER old_pos DATA_TYPE vec4<float> SIZE 1024 SERIES_FROM 0.25 INC_BY 0.000244140625\nBUFFER new_pos DATA_TYPE vec4<float> SIZE 1024 FILL 0\nBUFFER velocity DATA_TYPE vec4<float> SIZE 1024 FILL 0\nBUFFER args DATA_TYPE float DATA 0.0625 0.5 END\n",
		pipeline("p", "nbody", "old_pos", "new_pos", "velocity", "push:args"),
		"RUN p 32 1 1\n"+expects.String())
}

// speedStencil sweeps over a plane, which sweeps leave as it is: an element is the
// average of its neighbours. All sums are exact.
func speedStencil() string {
	return speedScript("Four sweeps of the five-point stencil over 256x256 values for timing.",
		ampShader("stencil"),
		"BUFFER even DATA_TYPE float SIZE 65536 SERIES_FROM 0 INC_BY 1\nBUFFER odd DATA_TYPE float SIZE 65536 FILL 0\nBUFFER expected DATA_TYPE float SIZE 65536 SERIES_FROM 0 INC_BY 1\nBUFFER args DATA_TYPE int32 DATA 256 END\n",
		pipeline("there", "stencil", "even", "odd", "push:args"),
		pipeline("back", "stencil", "odd", "even", "push:args"),
		"REPEAT 2\n  RUN there 16 16 1\n  RUN back 16 16 1\nEND\n\nEXPECT odd EQ_BUFFER expected\nEXPECT even EQ_BUFFER expected\n")
}

// speedReduction sums 0 to 524287, modulo 2^32, in tiles of 128.
func speedReduction() string {
	const n = 1 << 19
	return speedScript("Reduction of 524288 integers for timing: 4096 tile sums, 32 sums of these, their sum.",
		ampShader("reduction"),
		"BUFFER values DATA_TYPE int32 SIZE 524288 SERIES_FROM 0 INC_BY 1\nBUFFER sums DATA_TYPE int32 SIZE 4096 FILL 0\nBUFFER partial DATA_TYPE int32 SIZE 32 FILL 0\nBUFFER total DATA_TYPE int32 SIZE 1 FILL 0\n",
		pipeline("first", "reduction", "values", "sums"),
		pipeline("second", "reduction", "sums", "partial"),
		pipeline("third", "reduction", "partial", "total"),
		"RUN first 4096 1 1\nRUN second 32 1 1\nRUN third 1 1 1\n",
		fmt.Sprintf("EXPECT sums IDX 4 EQ %d\nEXPECT total IDX 0 EQ %d\n", 128*(128+255)/2, int32(n/2*(n-1)&(1<<32-1)-1<<32)))
}

// speedScan sums 0, 1, 2, ... in tiles of 64: element i is i(i+1)/2 modulo 2^32.
func speedScan() string {
	var expects strings.Builder
	for _, i := range []uint32{0, 63, 64, 4095, 4096, 92681, 262143} {
		fmt.Fprintf(&expects, "EXPECT scanned IDX %d EQ %d\n", 4*i, uint32(uint64(i)*uint64(i+1)/2))
	}
	return speedScript("Inclusive prefix sum of 262144 integers for timing: scan the tiles, their totals, and the totals of these; add.",
		ampShader("prefix_scan"), ampShader("prefix_add"),
		"BUFFER values DATA_TYPE uint32 SIZE 262144 SERIES_FROM 0 INC_BY 1\nBUFFER scanned DATA_TYPE uint32 SIZE 262144 FILL 0\n",
		"BUFFER totals DATA_TYPE uint32 SIZE 4096 FILL 0\nBUFFER scanned_totals DATA_TYPE uint32 SIZE 4096 FILL 0\n",
		"BUFFER upper DATA_TYPE uint32 SIZE 64 FILL 0\nBUFFER scanned_upper DATA_TYPE uint32 SIZE 64 FILL 0\nBUFFER total DATA_TYPE uint32 SIZE 1 FILL 0\n",
		pipeline("tiles", "prefix_scan", "values", "scanned", "totals"),
		pipeline("sums", "prefix_scan", "totals", "scanned_totals", "upper"),
		pipeline("tops", "prefix_scan", "upper", "scanned_upper", "total"),
		pipeline("add_upper", "prefix_add", "scanned_totals", "scanned_upper"),
		pipeline("add", "prefix_add", "scanned", "scanned_totals"),
		"RUN tiles 4096 1 1\nRUN sums 64 1 1\nRUN tops 1 1 1\nRUN add_upper 64 1 1\nRUN add 4096 1 1\n"+expects.String())
}

// speedBitonic sorts multiples of an odd number modulo 2^32, which are all
// different.
func speedBitonic() string {
	const n, factor = 1 << 14, 2654435761
	keys := make([]uint32, n)
	for i := range keys {
		keys[i] = uint32(i) * factor
	}
	slices.Sort(keys)
	var expects strings.Builder
	for _, i := range []int{0, 1, n/2 - 1, n / 2, n - 1} {
		fmt.Fprintf(&expects, "EXPECT keys IDX %d EQ %d\n", 4*i, keys[i])
	}
	return speedScript("Bitonic sort of 16384 keys for timing: 105 steps of the network.",
		ampShader("bitonic_sort"), ampShader("bitonic_advance"),
		fmt.Sprintf("BUFFER keys DATA_TYPE uint32 SIZE %d SERIES_FROM 0 INC_BY %d\nBUFFER step DATA_TYPE uint32 DATA 2 1 END\n", n, factor),
		pipeline("sort", "bitonic_sort", "keys", "step"),
		pipeline("advance", "bitonic_advance", "", "step"),
		"REPEAT 105\n  RUN sort 256 1 1\n  RUN advance 1 1 1\nEND\n\n"+expects.String())
}

// speedMandelbrot counts on 256x128 points.
func speedMandelbrot() string {
	const width, height, limit = 256, 128, 100
	const x0, y0, scale = float32(-2.25), float32(-0.75), float32(0.01171875)
	var expects strings.Builder
	for _, at := range [][2]int{{0, 0}, {100, 30}, {128, 64}, {159, 64}, {120, 10}, {255, 127}} {
		cx := x0 + float32(float32(at[0])*scale)
		cy := y0 + float32(float32(at[1])*scale)
		var x, y float32
		n := uint32(0)
		for n < limit && float32(float32(x*x)+float32(y*y)) <= 4 {
			xy := float32(x * y)
			x, y = float32(float32(float32(x*x)-float32(y*y))+cx), float32(float32(xy+xy)+cy)
			n++
		}
		fmt.Fprintf(&expects, "EXPECT count IDX %d EQ %d\n", 4*(at[1]*width+at[0]), n)
	}
	return speedScript("Escape times of the Mandelbrot set on 256x128 points for timing, at most 100 steps.",
		ampShader("mandelbrot"),
		"BUFFER count DATA_TYPE uint32 SIZE 32768 FILL 0\nSTRUCT Args\n  float x0\n  float y0\n  float scale\n  uint32 width\n  uint32 limit\nEND\nBUFFER args DATA_TYPE Args DATA -2.25 -0.75 0.01171875 256 100 END\n",
		pipeline("p", "mandelbrot", "count", "push:args"),
		"RUN p 16 32 1\n"+expects.String())
}
