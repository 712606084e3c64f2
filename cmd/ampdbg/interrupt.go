package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/launch"
)

// ended is why a context ended, in the words of a report.
type ended string

func (e ended) Error() string { return string(e) }

// Unwrap makes it an end like any other.
func (e ended) Unwrap() error { return context.Canceled }

// atPrompt says that a person is asked for commands: Ctrl-C ends one of these,
// and not the session.
var atPrompt atomic.Bool

// untilSignal gives a context that ends at a signal that asks the process to
// end. A second one ends it at once.
func untilSignal(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(c, syscall.SIGHUP)
	}
	go func() {
		for s := range c {
			switch {
			case s == os.Interrupt && atPrompt.Load():
				continue
			case s == os.Interrupt:
				cancel(ended("interrupted"))
			default:
				cancel(ended(fmt.Sprintf("interrupted (%v)", s)))
			}
			signal.Stop(c)
			return
		}
	}()
	return ctx
}

// withinMemory ends a context when the process uses more memory than its limit,
// which is set to the default. Where that does not help, it ends the process.
func withinMemory(ctx context.Context, stderr io.Writer) (context.Context, func()) {
	host.SetMemoryLimit(host.DefaultMemoryLimit())
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go host.Watch(done, cancel, func(err error) {
		fmt.Fprintf(stderr, "ampdbg: %v\n", err)
		host.Abandon()
		os.Exit(exitInconclusive)
	})
	return ctx, func() {
		close(done)
		cancel(nil)
	}
}

// untilDone is a reader that gives up waiting when a context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader. A read that is given up goes on, into memory of
// its own.
func (u untilDone) Read(p []byte) (int, error) {
	type result struct {
		data []byte
		err  error
	}
	c := make(chan result, 1)
	go func() {
		data := make([]byte, min(len(p), 1<<16))
		n, err := u.r.Read(data)
		c <- result{data[:n], err}
	}()
	select {
	case <-u.ctx.Done():
		return 0, context.Cause(u.ctx)
	case r := <-c:
		return copy(p, r.data), r.err
	}
}

// within is the environment of something that may take so long; 0: any time.
func (env *environment) within(d time.Duration) (*environment, func()) {
	if d <= 0 {
		return env, func() {}
	}
	inside := *env
	var cancel func()
	inside.ctx, cancel = context.WithTimeoutCause(env.ctx, d, timedOut(d))
	return &inside, cancel
}

// timedOut is the end of something that took longer than --timeout says.
func timedOut(d time.Duration) error { return ended(fmt.Sprintf("not ended within %v (--timeout)", d)) }

// interrupted gives the end of a context the words of a report.
func interrupted(ctx context.Context, err error) error {
	if err == nil || !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		var at *launch.Interrupted
		if !errors.As(err, &at) {
			return err
		}
	}
	out := &diag.Error{Class: diag.Budget}
	cause := err
	if c := context.Cause(ctx); c != nil {
		cause = c
	}
	var at *launch.Interrupted
	if errors.As(err, &at) {
		out.Pos, cause = at.Pos, at.Err
	}
	switch out.Msg = cause.Error(); cause {
	case context.Canceled, context.DeadlineExceeded:
		out.Msg = "interrupted"
	}
	if at != nil && at.Where != "" {
		out.Msg += ": " + at.Where
	}
	return out
}

// memoryFlag is --memory.
type memoryFlag struct{}

func (memoryFlag) String() string { return "" }

func (memoryFlag) Set(s string) error {
	n, err := host.ParseSize(s)
	if err == nil {
		host.SetMemoryLimit(n)
	}
	return err
}

// duration is a flag of how long something may take.
type duration time.Duration

func (d *duration) String() string { return time.Duration(*d).String() }

// Set implements flag.Value.
func (d *duration) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil {
		return errors.New("expected a duration, such as 10s, 500ms or 1m30s")
	}
	*d = duration(v)
	return nil
}
