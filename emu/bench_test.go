package emu_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"ampdbg/emu"
	"ampdbg/launch"
)

// dispatch finds the first dispatch of a script.
func dispatch(tb testing.TB, path string) *launch.Dispatch {
	l, err := launch.Load(path, launch.LoadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	for _, s := range l.Steps {
		if d, ok := s.(*launch.Dispatch); ok {
			return d
		}
	}
	tb.Fatalf("%s: no RUN", path)
	return nil
}

// cpu is the processor time that the process has used, which other load on
// the machine disturbs less than the time of day.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkMatmul multiplies 256x256 matrices. ns/mad is processor time per
// multiply-add, ns/instr per thread-instruction.
func BenchmarkMatmul(b *testing.B) {
	for _, name := range []string{"matmul_naive", "matmul_tiled"} {
		for _, width := range []int{4, 8, 32} {
			for _, workers := range []int{1, 2} {
				if workers > 1 && width != 4 {
					continue
				}
				b.Run(fmt.Sprintf("%s/warp%d/workers%d", name, width, workers), func(b *testing.B) {
					d := dispatch(b, "../testdata/speed/"+name+".amber")
					e := &emu.Emulator{Options: emu.Options{Warp: width, Workers: workers}}
					if err := e.Dispatch(context.Background(), d); err != nil {
						b.Fatal(err)
					}
					steps := e.Last.Steps
					b.ReportAllocs()
					b.ResetTimer()
					before := cpu()
					for range b.N {
						if err := e.Dispatch(context.Background(), d); err != nil {
							b.Fatal(err)
						}
					}
					ns := float64(cpu()-before) / float64(b.N)
					b.ReportMetric(ns/(256*256*256), "ns/mad")
					b.ReportMetric(ns/float64(steps), "ns/instr")
				})
			}
		}
	}
}
