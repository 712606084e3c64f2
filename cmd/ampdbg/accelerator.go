package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"ampdbg/diag"
	"ampdbg/gpu"
	"ampdbg/gpu/isolate"
	"ampdbg/launch"
)

// deviceOptions are the flags that say which device runs a launch, and how.
type deviceOptions struct {
	selector string
	validate bool
	timeout  time.Duration
}

func (o *deviceOptions) register(fs *flag.FlagSet) {
	fs.StringVar(&o.selector, "device", "", "run on the GPU `N|NAME`: its number or a part of its name in \"ampdbg devices\"; by default the first that is no CPU")
	fs.BoolVar(&o.validate, "validate", false, "on a GPU, run under Vulkan's validation layer and report its messages")
	fs.Var((*duration)(&o.timeout), "timeout", "give up after `DURATION` (such as 10s): on the emulator the launch, on a GPU and in \"ampdbg diff\" a dispatch that runs, or is compiled, for longer; by default never, on a GPU what the launch says of running")
}

// open opens the device for a launch.
func (o *deviceOptions) open(env *environment, l *launch.Launch, opt gpu.Options) (*isolate.Accelerator, error) {
	opt.Validate, opt.Timeout, opt.Require = o.validate, o.timeout, l.Require
	if opt.Timeout == 0 {
		opt.Timeout = time.Duration(l.FenceTimeoutMS) * time.Millisecond
	}
	return env.gpus.Open(env.ctx, o.selector, isolate.Options{Options: opt, Limit: o.timeout})
}

// messageFindings makes findings of what the validation layer says.
func messageFindings(messages []gpu.Message, pos diag.Pos) []diag.Finding {
	var out []diag.Finding
	for _, m := range messages {
		f := diag.Finding{Code: diag.Validation, Severity: diag.SeverityWarning, Variable: diag.Element{Name: m.ID}, Message: m.Text, Pos: pos}
		if m.ID != "" {
			f.Message = m.ID + ": " + m.Text
		}
		if m.Error {
			f.Severity = diag.SeverityError
		}
		out = append(out, f)
	}
	return out
}

// timing is how long the runs of a dispatch took.
type timing struct {
	dispatch *launch.Dispatch
	result   *gpu.Result
}

// jsonTimings is the form of timings in reports.
func jsonTimings(list []timing) any {
	type durations struct {
		Runs   int   `json:"runs"`
		Min    int64 `json:"min_ns"`
		Median int64 `json:"median_ns"`
		Max    int64 `json:"max_ns"`
	}
	type entry struct {
		Pipeline string     `json:"pipeline"`
		Device   *durations `json:"device,omitempty"`
		Host     *durations `json:"host,omitempty"`
	}
	of := func(d []time.Duration) *durations {
		if len(d) == 0 {
			return nil
		}
		t := gpu.Summarize(d)
		return &durations{t.N, t.Min.Nanoseconds(), t.Median.Nanoseconds(), t.Max.Nanoseconds()}
	}
	out := []entry{}
	for _, t := range list {
		out = append(out, entry{t.dispatch.Pipeline, of(t.result.Device), of(t.result.Host)})
	}
	return struct {
		Timings []entry `json:"timings"`
	}{out}
}

// timingLine is one line of text about a dispatch's runs.
func timingLine(n int, t timing) string {
	s := fmt.Sprintf("dispatch %d (%s): ", n, t.dispatch.Pipeline)
	if len(t.result.Device) > 0 {
		s += fmt.Sprintf("%v on the device, ", gpu.Summarize(t.result.Device))
	}
	return s + fmt.Sprintf("%v with copies, as the host sees it", gpu.Summarize(t.result.Host))
}

// closeDevice gives a device back; what that brings to light joins err.
func closeDevice(a *isolate.Accelerator, err *error) {
	*err = errors.Join(*err, a.Close())
}

// outsideGoesOn runs dispatches on a device and notes writes outside of
// buffers, after which the launch goes on.
type outsideGoesOn struct {
	*isolate.Accelerator
	findings *diag.Folder
}

// Dispatch implements launch.Executor.
func (o outsideGoesOn) Dispatch(ctx context.Context, d *launch.Dispatch) error {
	err := o.Accelerator.Dispatch(ctx, d)
	var outside *gpu.OutsideError
	if errors.As(err, &outside) {
		o.findings.Add(outside.Finding())
		return nil
	}
	return err
}
