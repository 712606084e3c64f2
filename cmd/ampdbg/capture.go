package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"ampdbg/diag"
	"ampdbg/diff"
	"ampdbg/gpu/capture"
	"ampdbg/host"
)

var captureCommand = command{
	name:  "capture",
	args:  "-- COMMAND ARGS...",
	short: "take launches out of a Vulkan program",
	long: `Runs a program and writes its compute dispatches as launches: a folder each,
with the module, the memory that the dispatch saw and what the device left of
it. The program is not changed, and may use Vulkan directly or through WebGPU,
OpenCL, an ML runtime or an engine.

	ampdbg capture -- ./program --its --flags
	ampdbg capture --list -- ./program          which dispatches there are
	ampdbg capture --shader scan --every -- ./program
	ampdbg capture --dispatch 17..20 --out seventeen -- ./program
	ampdbg check capture                        all that was captured
	ampdbg diff capture/001-scan-5ab0c3f1       the emulator and that device

By default the first dispatch of each kernel is captured: of each module with
entry point and specialization. A folder that capture made stands for its
launches wherever a command takes a FILE; "ampdbg diff" compares them with what
the program's device left, on a machine without one.

The layer that does it is built with the installed C compiler at first use.

The exit code is 3 if nothing was captured: the program loads no Vulkan, makes
no device, records no dispatch, or none that was selected.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		var opt captureOptions
		opt.register(fs)
		fs.StringVar(&opt.out, "out", "capture", "write to the folder `DIR`, which is new or empty")
		fs.BoolVar(&opt.settings.List, "list", false, "only write a table of all dispatches, with the bytes that they reach and their time on the device")
		fs.StringVar(&opt.finish, "finish", "", "make launches of what a capture that was stopped left in `DIR`, without a COMMAND")
		return func(env *environment, command []string) (int, error) {
			if (len(command) == 0) == (opt.finish == "") {
				return 0, usagef("expected a COMMAND, or --finish")
			}
			if err := opt.check(); err != nil {
				return 0, err
			}
			if opt.finish != "" {
				opt.out = opt.finish
			} else if err := emptyFolder(opt.out); err != nil {
				return 0, err
			}
			_, code, err := opt.run(env, command)
			return code, err
		}
	},
}

// captureOptions are the flags of capture.
type captureOptions struct {
	settings   capture.Settings
	dispatches string
	shaders    repeated
	maxBytes   string
	out        string
	finish     string
	quiet      bool // say only why nothing was captured; the program's output goes where messages do
}

func (o *captureOptions) register(fs *flag.FlagSet) {
	fs.StringVar(&o.dispatches, "dispatch", "", "capture the dispatches `N[..M][,...]`, by their numbers in --list")
	fs.Var(&o.shaders, "shader", "capture kernels that are called `NAME`: the name of the pipeline or module, the entry point, or the beginning of the id; may be given several times")
	fs.BoolVar(&o.settings.Every, "every", false, "capture every dispatch of a kernel")
	fs.IntVar(&o.settings.Nth, "skip", 0, "leave out the first `N` dispatches of each kernel")
	fs.StringVar(&o.maxBytes, "max-bytes", "4GiB", "copy at most `SIZE` in all")
	fs.IntVar(&o.settings.Shots, "max-dispatches", 64, "capture at most `N` dispatches of a process")
}

func (o *captureOptions) check() error {
	o.settings.Shaders = o.shaders
	for _, s := range o.shaders {
		if strings.ContainsAny(s, "\n\x00") || s == "" {
			return usagef("--shader %q: expected a name or an id", s)
		}
	}
	n, err := host.ParseSize(o.maxBytes)
	if err != nil || n < 1 {
		return usagef("--max-bytes %s: expected a size such as 64MiB", o.maxBytes)
	}
	o.settings.TotalBytes, o.settings.ShotBytes = n, min(n, 1<<30)
	if o.settings.Shots < 1 || o.settings.Nth < 0 {
		return usagef("--max-dispatches and --skip: expected 1 or more, and 0 or more")
	}
	if o.dispatches == "" {
		return nil
	}
	for part := range strings.SplitSeq(o.dispatches, ",") {
		first, last, ranged := strings.Cut(part, "..")
		if !ranged {
			last = first
		}
		a, err := strconv.ParseUint(first, 10, 64)
		b, err2 := strconv.ParseUint(last, 10, 64)
		if err != nil || err2 != nil || a == 0 || b < a {
			return usagef("--dispatch %s: expected N or N..M, from 1 on", part)
		}
		o.settings.Ranges = append(o.settings.Ranges, capture.Range{First: a, Last: b})
	}
	return nil
}

// emptyFolder refuses a folder with something in it.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return usagef("--out %s: there is something in that folder", dir)
	}
	return nil
}

// run runs the command under the layer, and makes launches of what it left:
// it gives their folders.
func (o *captureOptions) run(env *environment, command []string) (folders []string, code int, err error) {
	raw := filepath.Join(o.out, "raw")
	if o.finish == "" {
		if raw, err = filepath.Abs(raw); err != nil {
			return nil, 0, err
		}
		layer, err := capture.Build("")
		if err != nil {
			return nil, 0, err
		}
		if err := os.MkdirAll(raw, 0o777); err != nil {
			return nil, 0, err
		}
		if err := o.execute(env, command, layer, raw); err != nil {
			return nil, 0, errors.Join(err, os.RemoveAll(raw), removeEmpty(o.out))
		}
	}
	processes, err := capture.Read(raw)
	if err != nil {
		return nil, 0, err
	}
	if why := nothing(processes, o.settings.List); why != "" {
		fmt.Fprintf(env.stderr, "ampdbg capture: nothing captured: %s\n", why)
		return nil, exitInconclusive, errors.Join(os.RemoveAll(raw), removeEmpty(o.out))
	}
	if o.settings.List {
		if err := listDispatches(env.stdout, processes); err != nil {
			return nil, 0, err
		}
		return nil, exitClean, errors.Join(os.RemoveAll(raw), removeEmpty(o.out))
	}
	refused := map[string]int{}
	for i := range processes {
		dirs, err := o.convert(&processes[i], len(folders), refused)
		folders = append(folders, dirs...)
		if err != nil {
			return nil, 0, err
		}
	}
	if err := o.index(processes, command); err != nil {
		return nil, 0, err
	}
	o.summary(env, processes, folders, refused)
	if len(folders) == 0 {
		return nil, exitInconclusive, nil
	}
	return folders, exitClean, os.RemoveAll(raw)
}

// removeEmpty removes a folder if there is nothing in it.
func removeEmpty(dir string) error {
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return err
	}
	return os.Remove(dir)
}

// execute runs the command to its end, with its own input and output.
func (o *captureOptions) execute(env *environment, command []string, layer, raw string) error {
	c := exec.CommandContext(env.ctx, command[0], command[1:]...)
	c.Env = o.settings.Environ(os.Environ(), layer, raw)
	c.Stdin = env.stdin
	c.Stdout, c.Stderr = env.stdout.Unwrap(), env.stderr.Unwrap()
	if o.quiet {
		c.Stdout = c.Stderr // what goes to standard output is the report
	}
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		fmt.Fprintf(env.stderr, "ampdbg capture: %s: %v\n", command[0], exit)
		return nil
	}
	return err
}

// nothing says why there is nothing to capture, if so.
func nothing(processes []capture.Process, list bool) string {
	var instances, devices int
	var dispatches, submitted, taken bool
	for _, p := range processes {
		instances += p.Instances
		devices += len(p.Devices)
		dispatches = dispatches || p.Count > 0
		submitted = submitted || p.Submitted
		for _, d := range p.Dispatches {
			taken = taken || d.Status != ""
		}
	}
	switch {
	case instances == 0:
		return "the layer was not loaded. The program makes no Vulkan instance, is linked with a loader of its own, is setuid, cannot write files (a sandbox), or opens a driver by itself; VK_LOADER_DEBUG=layer says what the loader does"
	case devices == 0:
		return "the program makes no Vulkan device"
	case !dispatches && submitted:
		return "the program submits work and records no dispatch"
	case !dispatches:
		return "the program records no dispatch"
	case !taken && !list:
		return "no dispatch was selected; --list shows what there is"
	}
	return ""
}

// convert makes launches of the shots of a process, in folders that are
// numbered from first+1 on.
func (o *captureOptions) convert(p *capture.Process, first int, refused map[string]int) (folders []string, err error) {
	for i := range p.Dispatches {
		d := &p.Dispatches[i]
		switch d.Status {
		case "":
			continue
		case "refused":
			refused[d.Reason]++
			continue
		}
		s, err := p.Load(d.Number)
		if errors.Is(err, fs.ErrNotExist) {
			d.Status, d.Reason = "refused", "recorded, and never submitted"
			refused[d.Reason]++
			continue
		}
		var dir string
		if err == nil {
			name := strings.Join([]string{fmt.Sprintf("%03d", first+len(folders)+1), capture.Plain(s.Name), s.Kernel[:min(8, len(s.Kernel))]}, "-")
			dir = filepath.Join(o.out, name)
			err = o.write(s, dir)
		}
		var unsupported *diag.Error
		if errors.As(err, &unsupported) {
			os.RemoveAll(dir)
			d.Status, d.Reason = "refused", unsupported.Msg
			refused[d.Reason]++
			continue
		}
		if err != nil {
			return nil, err
		}
		switch {
		case !s.Before:
			d.Status = "without memory"
		case s.After == nil:
			d.Status = "lost"
		default:
			d.Status = "captured"
		}
		d.Groups = s.Groups
		folders = append(folders, dir)
	}
	return folders, nil
}

// write writes the folder of a shot.
func (o *captureOptions) write(s *capture.Shot, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := s.Write(dir); err != nil || s.After == nil {
		return err
	}
	seen := diff.Observed{Launch: s.Launch, Device: s.Device, Driver: s.Driver, Subgroup: s.Subgroup, After: s.After}
	return seen.Keep(filepath.Join(dir, capture.ResultsFolder))
}

// index writes what of the capture is not in its launches: capture.json and
// list.tsv.
func (o *captureOptions) index(processes []capture.Process, command []string) error {
	type process struct {
		ID         int      `json:"id"`
		Client     string   `json:"client"`
		Devices    []string `json:"devices"`
		Dispatches uint64   `json:"dispatches"`
	}
	out := struct {
		Version   int       `json:"version"`
		Command   []string  `json:"command"`
		Processes []process `json:"processes"`
	}{1, command, nil}
	for _, p := range processes {
		out.Processes = append(out.Processes, process{p.ID, p.Client, p.Devices, p.Count})
	}
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	write := func(name string, f func(io.Writer) error) error { return host.WriteFile(filepath.Join(o.out, name), f) }
	return errors.Join(
		write("capture.json", func(w io.Writer) error { _, err := w.Write(append(data, '\n')); return err }),
		write("list.tsv", func(w io.Writer) error { return dispatchRows(w, processes) }),
	)
}

// dispatchRows writes a row of cells, with tabs between, for each dispatch.
func dispatchRows(w io.Writer, processes []capture.Process) error {
	row := func(cells ...string) error {
		_, err := fmt.Fprintln(w, strings.Join(cells, "\t"))
		return err
	}
	err := row("process", "number", "kernel", "name", "entry", "grid", "bytes", "device time", "what", "label")
	for _, p := range processes {
		for _, d := range p.Dispatches {
			orDash := func(s string) string {
				if s = strings.Join(strings.Fields(s), " "); s == "" {
					return "-"
				}
				return s
			}
			grid, bytes, spent, what := fmt.Sprintf("%dx%dx%d", d.Groups[0], d.Groups[1], d.Groups[2]), "-", "-", d.Status
			if d.Indirect && d.Groups == [3]uint32{} {
				grid = "indirect"
			}
			if d.Bytes >= 0 {
				bytes = strconv.FormatInt(d.Bytes, 10)
			}
			if d.Time > 0 {
				spent = d.Time.String()
			}
			if d.Reason != "" {
				what = strings.TrimSpace(what + ": " + d.Reason)
			}
			err = errors.Join(err, row(strconv.Itoa(p.ID), strconv.FormatUint(d.Number, 10), d.Kernel[:min(8, len(d.Kernel))], orDash(d.Name), orDash(d.Entry),
				grid, bytes, spent, orDash(what), orDash(d.Label)))
		}
	}
	return err
}

func listDispatches(w io.Writer, processes []capture.Process) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	return errors.Join(dispatchRows(t, processes), t.Flush())
}

// summary says what was captured and what was not.
func (o *captureOptions) summary(env *environment, processes []capture.Process, folders []string, refused map[string]int) {
	var count uint64
	refusals := 0
	for _, p := range processes {
		count += p.Count
	}
	for _, n := range refused {
		refusals += n
	}
	if !o.quiet {
		fmt.Fprintf(env.stdout, "%d of %s captured in %s\n", len(folders), counted(int(count), "dispatch", "dispatches"), o.out)
		for _, f := range folders {
			fmt.Fprintf(env.stdout, "  %s\n", filepath.Base(f))
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(refused)) {
		fmt.Fprintf(env.stderr, "not captured: %s: %s\n", counted(refused[reason], "dispatch", "dispatches"), reason)
	}
	if left := int(count) - refusals - len(folders); left > 0 && !o.quiet {
		fmt.Fprintf(env.stdout, "not selected: %s\n", counted(left, "dispatch", "dispatches"))
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// expandCaptures puts the scripts of captured dispatches in place of the
// folders that hold them.
func expandCaptures(operands []string) ([]string, error) {
	var out []string
	for _, operand := range operands {
		info, err := os.Stat(operand)
		if err != nil || !info.IsDir() {
			out = append(out, operand)
			continue
		}
		if _, err := os.Stat(filepath.Join(operand, capture.LaunchFile)); err == nil {
			out = append(out, filepath.Join(operand, capture.LaunchFile))
			continue
		}
		inside, err := filepath.Glob(filepath.Join(operand, "*", capture.LaunchFile))
		if err != nil {
			return nil, err
		}
		if len(inside) == 0 {
			return nil, &diag.Error{Pos: diag.Pos{File: operand}, Msg: "a folder without launches that capture made"}
		}
		out = append(out, inside...)
	}
	return out, nil
}

// resultsOf gives the folder with what the device left of a captured dispatch;
// "" if there is none.
func resultsOf(script string) string {
	dir := filepath.Join(filepath.Dir(script), capture.ResultsFolder)
	if filepath.Base(script) != capture.LaunchFile {
		return ""
	}
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}
