package main

import (
	"errors"
	"fmt"

	"ampdbg/diag"
	"ampdbg/gpu"
	"ampdbg/launch"
)

// onMachine is the value of --on.
type onMachine string

func (v *onMachine) String() string { return string(*v) }

func (v *onMachine) Set(s string) error {
	if s != "emulator" && s != "gpu" {
		return errors.New("expected emulator or gpu")
	}
	*v = onMachine(s)
	return nil
}

// checkMachine refuses flags that the machine of --on does not know.
func (o *runOptions) checkMachine() error {
	for _, c := range []struct {
		set     bool
		flag    string
		machine onMachine
	}{
		{o.warp != 0, "--warp", "emulator"}, {o.workers != 0, "--workers", "emulator"}, {o.seed != 0, "--seed", "emulator"},
		{o.steps != 0, "--steps", "emulator"}, {o.robust, "--robust", "emulator"},
		{o.device.selector != "", "--device", "gpu"}, {o.device.validate, "--validate", "gpu"},
		{o.repeat != 1, "--repeat", "gpu"},
	} {
		if c.set && c.machine != o.on {
			return usagef("%s needs --on %s", c.flag, c.machine)
		}
	}
	if o.repeat < 1 {
		return usagef("--repeat %d: expected 1 or more", o.repeat)
	}
	if o.device.timeout < 0 {
		return usagef("--timeout %v: expected a positive duration", o.device.timeout)
	}
	return nil
}

// runGPU carries a launch out on a device, and reports.
func (o *runOptions) runGPU(env *environment, l *launch.Launch) (code int, err error) {
	for _, r := range o.dump {
		if _, err := r.find(l); err != nil {
			return 0, err
		}
	}
	var findings diag.Folder
	var timings []timing
	timed := o.timed(l)
	a, err := o.device.open(env, l, gpu.Options{Repeat: o.repeat, OnResult: func(d *launch.Dispatch, r *gpu.Result) {
		if timed {
			timings = append(timings, timing{d, r})
		}
		findings.Add(messageFindings(r.Messages, d.Pos)...)
	}})
	if err != nil {
		return o.finish(env, &diag.Report{Name: l.Name, Errors: diagErrors(interrupted(env.ctx, err))}, launch.Sources(l, &o.launch))
	}
	defer closeDevice(a, &err)
	summary, err := l.Execute(env.ctx, outsideGoesOn{a, &findings}, func(r *launch.ExpectResult) {
		if !r.OK() {
			findings.Add(expectFinding(r))
		}
	})
	findings.Add(messageFindings(a.Messages(), diag.Pos{})...)
	report := &diag.Report{Name: l.Name, Findings: findings.Findings()}
	if timed {
		report.Data = jsonTimings(timings)
	}
	if err != nil {
		report.Errors = diagErrors(interrupted(env.ctx, err))
	}
	if code, err = o.finish(env, report, launch.Sources(l, &o.launch)); err != nil {
		return 0, err
	}
	if o.format == formatText {
		if timed {
			for i, t := range timings {
				fmt.Fprintln(env.stdout, timingLine(i+1, t))
			}
		}
		fmt.Fprintf(env.stdout, "%s, on %s\n", summaryLine(l, summary, false, len(report.Errors) > 0), a.Device().Name)
	}
	return code, o.output(env.stdout, l)
}

// timed reports whether times are wanted: by --repeat or by the script.
func (o *runOptions) timed(l *launch.Launch) bool {
	if o.repeat > 1 {
		return true
	}
	for _, d := range launch.Dispatches(l.Steps) {
		if d.Timed {
			return true
		}
	}
	return false
}
