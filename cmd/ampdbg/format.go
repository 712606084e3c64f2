package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"ampdbg/diag"
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
