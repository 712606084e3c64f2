package racecheck_test

import (
	"context"
	"testing"
	"time"

	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// BenchmarkOverhead runs the matrix multiplications with and without all
// checks, by turns. The figure to read is x: checked time over unchecked.
func BenchmarkOverhead(b *testing.B) {
	for _, name := range []string{"matmul_naive", "matmul_tiled"} {
		b.Run(name, func(b *testing.B) {
			l, err := launch.Load("../testdata/speed/"+name+".amber", launch.LoadOptions{})
			if err != nil {
				b.Fatal(err)
			}
			d := dispatchOf(b, l)
			plain := &emu.Emulator{}
			checker := racecheck.NewChecker(racecheck.Options{})
			once := func(ex launch.Executor) time.Duration {
				start := time.Now()
				if err := ex.Dispatch(context.Background(), d); err != nil {
					b.Fatal(err)
				}
				return time.Since(start)
			}
			once(plain)
			once(checker)
			b.ResetTimer()
			best := [2]time.Duration{1 << 62, 1 << 62}
			for range b.N {
				best[0] = min(best[0], once(plain))
				best[1] = min(best[1], once(checker))
			}
			const mads = 256 * 256 * 256
			b.ReportMetric(float64(best[0].Nanoseconds())/mads, "plain-ns/mad")
			b.ReportMetric(float64(best[1].Nanoseconds())/mads, "checked-ns/mad")
			b.ReportMetric(float64(best[1])/float64(best[0]), "x")
			if r := checker.Result(); len(r.Findings) > 0 {
				b.Errorf("found %v", r.Findings)
			}
		})
	}
}

func dispatchOf(tb testing.TB, l *launch.Launch) *launch.Dispatch {
	for _, s := range l.Steps {
		if d, ok := s.(*launch.Dispatch); ok {
			return d
		}
	}
	tb.Fatal("no RUN")
	return nil
}
