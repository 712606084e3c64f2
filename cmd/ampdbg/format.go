package main

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"

	"ampdbg/diag"
	"ampdbg/host"
	"ampdbg/launch"
)

// format is the value of --format.
type format string

// The formats of a report.
const (
	formatText  format = "text"
	formatJSON  format = "json"
	formatSARIF format = "sarif"
	formatJUnit format = "junit"
)

func (f *format) String() string { return string(*f) }

func (f *format) Set(s string) error {
	switch format(s) {
	case formatText, formatJSON, formatSARIF, formatJUnit:
		*f = format(s)
		return nil
	}
	return fmt.Errorf("expected text, json, sarif or junit")
}

// writeReports writes reports to w. Source excerpts come from sources.
func writeReports(w io.Writer, f format, reports []*diag.Report, sources diag.Sources) error {
	switch f {
	case formatJSON:
		return diag.WriteJSON(w, reports)
	case formatSARIF:
		return diag.WriteSARIF(w, reports, version())
	case formatJUnit:
		return diag.WriteJUnit(w, reports)
	}
	return diag.WriteText(w, reports, diag.TextOptions{Sources: sources})
}

// version is the module version this program was built from, "(devel)" in a
// working copy without version control.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}

// fileSources reads source files from disk, at most once each.
func fileSources() diag.Sources {
	return readOnce(func(file string) ([]byte, error) { return host.ReadFile(file, host.MaxText) })
}

// scriptSources are the sources of a launch: files anywhere or, if it is
// confined, in the folder of its script only.
func scriptSources(opt *launch.LoadOptions, script string) diag.Sources {
	if !opt.Confine {
		return fileSources()
	}
	return readOnce(func(file string) ([]byte, error) {
		real, err := host.Inside(filepath.Dir(script), file)
		if err != nil {
			return nil, err
		}
		return host.ReadFile(real, host.MaxText)
	})
}

func readOnce(read func(string) ([]byte, error)) diag.Sources {
	type text struct {
		s  string
		ok bool
	}
	seen := map[string]text{}
	return func(file string) (string, bool) {
		t, known := seen[file]
		if !known {
			data, err := read(file)
			t = text{string(data), err == nil}
			seen[file] = t
		}
		return t.s, t.ok
	}
}
