package emu

import (
	"context"
	"sync"
	"sync/atomic"

	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/tilemem"
)

// parallel reports whether tiles may run at once.
func (m *Machine) parallel(opt *Options) bool {
	return opt.Workers > 1 && opt.Seed == 0 && opt.Swap == nil && opt.OnFault == nil &&
		m.total > 1 && m.total < uint64(tilemem.MaxTrackedTiles)
}

// runParallel runs the tiles on several goroutines, as if they were
// independent. Trackers on all memory that the kernel may write prove that
// they are; ok is false if they are not, or if anything else happened whose
// outcome depends on the order of tiles (a fault, a spin loop, a used-up
// budget). Memory is then as it was, and the tiles run one after the other.
func (m *Machine) runParallel(ctx context.Context, opt *Options) (r *Result, ok bool, err error) {
	// A copy of what may be written, as much again to track it, and the tiles:
	// where there is no room for that, they run one after the other.
	need := int64(opt.Workers) * tileBytes(m.Program)
	for _, mem := range m.Memories {
		if mem.Writable && mem.Space != tilemem.TileStatic {
			need += 2 * mem.Size
		}
	}
	if host.Need(need, "running tiles at once") != nil {
		return nil, false, nil
	}
	var locks tilemem.Locks
	saved := map[*tilemem.Memory][]byte{}
	for _, mem := range m.Memories {
		if mem.Writable && mem.Space != tilemem.TileStatic {
			mem.Track = tilemem.NewTracker(mem.Size)
			saved[mem] = append([]byte{}, mem.Data...)
		}
	}
	p := &parallelRun{m: m, opt: opt, outputs: map[uint64][]output{}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	workers := min(uint64(opt.Workers), m.total)
	errs := make([]error, workers)
	for i := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() {
				if b := diag.Recovered(recover()); b != nil {
					errs[i] = b
					p.abort.Store(true)
				}
			}()
			errs[i] = p.worker(ctx, &locks)
		}()
	}
	wg.Wait()
	for mem := range saved {
		mem.Track = nil
	}
	for _, e := range errs {
		if e != nil {
			return nil, false, e
		}
	}
	// Each tile ended within what was left of the budget when it began, but
	// tiles of other workers may have used it since.
	if p.abort.Load() || p.steps.Load() >= opt.steps() {
		for mem, data := range saved {
			copy(mem.Data, data)
		}
		return nil, false, nil
	}
	r = &Result{Steps: p.steps.Load(), Tiles: m.total, Parallel: true, Findings: fold(p.findings)}
	if len(p.outputs) > 0 {
		for i := range m.total {
			for _, o := range p.outputs[i] {
				opt.Printf(o.thread, o.text)
			}
		}
	}
	return r, true, nil
}

// parallelRun is what the workers of a parallel run share.
type parallelRun struct {
	m     *Machine
	opt   *Options
	next  atomic.Uint64
	steps atomic.Uint64
	done  atomic.Uint64
	abort atomic.Bool

	mu       sync.Mutex
	outputs  map[uint64][]output
	said     int // bytes of them
	findings []found
}

const (
	// maxOutput is how many bytes of DebugPrintf's output are kept until it is
	// their turn.
	maxOutput  = 4 << 20
	outputCost = 96 // bytes of a line besides its text
)

// output is a line of DebugPrintf, kept until its tile's turn.
type output struct {
	thread diag.Thread
	text   string
}

// batch is how many consecutive tiles a worker takes at a time.
func (p *parallelRun) batch() uint64 {
	return max(1, min(16, p.m.total/uint64(p.opt.Workers)/8))
}

// worker runs tiles until there are none left or one turns out to depend on
// others.
func (p *parallelRun) worker(ctx context.Context, locks *tilemem.Locks) error {
	opt := *p.opt
	var r *run
	var out []output
	said := 0
	if opt.Printf != nil {
		opt.Printf = func(t diag.Thread, text string) {
			if said += len(text) + outputCost; said > maxOutput {
				r.stopped = true // to run in order, where it is written as it comes
				return
			}
			out = append(out, output{t, text})
		}
	}
	opt.Progress = nil
	r = newRun(ctx, p.m, opt, &pool{program: p.m.Program})
	r.locks, r.alone = locks, patienceAlone
	if len(p.m.Program.Atomics) > 0 {
		r.alone = patienceAtomic
	}
	n := p.batch()
	for !p.abort.Load() {
		first := p.next.Add(n) - n
		if first >= p.m.total {
			return nil
		}
		for i := first; i < min(first+n, p.m.total); i++ {
			r.next, r.end = i, i+1
			r.steps, r.budget = 0, opt.steps()-min(p.steps.Load(), opt.steps())
			if err := r.toEnd(); err != nil {
				if d, ok := err.(*diag.Error); ok && d.Class == diag.Budget {
					p.abort.Store(true)
					return nil
				}
				return err
			}
			if r.stopped {
				p.abort.Store(true)
				return nil
			}
			p.steps.Add(r.steps)
			if f := p.opt.Progress; f != nil && p.done.Add(1)%64 == 0 {
				p.mu.Lock()
				f(Progress{Tiles: p.done.Load(), TilesTotal: p.m.total, Steps: p.steps.Load()})
				p.mu.Unlock()
			}
			if len(out) > 0 || len(r.findings) > 0 {
				p.mu.Lock()
				if len(out) > 0 {
					p.outputs[i] = out
					if p.said += said; p.said > maxOutput {
						p.abort.Store(true)
					}
				}
				for _, f := range r.findings {
					p.findings = addFound(p.findings, f)
				}
				p.mu.Unlock()
				out, said, r.findings = nil, 0, nil
			}
		}
	}
	return nil
}
