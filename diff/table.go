package diff

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ampdbg/diag"
)

// Row is one launch of a table.
type Row struct {
	Launch  string
	Class   string // Outcome.Class; "lacking" where the device cannot run the launch, "error" for other failures
	Numbers int
	Differ  int
	ULP     uint64
	Remark  string
}

// NewRow makes a row of what comparing a launch gave.
func NewRow(file string, o *Outcome, err error) Row {
	r := Row{Launch: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	var d *diag.Error
	switch {
	case errors.As(err, &d) && d.Class == diag.Unsupported && d.Err == nil:
		r.Class, r.Remark = "lacking", d.Msg
		return r
	case err != nil:
		r.Class, r.Remark = "error", err.Error()
		return r
	case o == nil:
		return r
	}
	r.Class = o.class()
	r.Numbers, r.Differ, r.ULP = o.counts()
	switch r.Class {
	case "faulty":
		r.Remark = fmt.Sprintf("%s on the emulator", o.Findings[0].Rule())
	case "racy":
		for i := range o.Blames {
			if s := o.Blames[i].Suspects; len(s) > 0 {
				r.Remark = s[0].Rule()
				break
			}
		}
	default:
		for _, m := range o.Memories {
			if l := m.Largest; l != nil && (r.Remark == "" || !m.Same()) {
				r.Remark = fmt.Sprintf("%s; allowed: %s", m.Name, m.allowance())
			}
		}
		for i := range o.Suspects {
			if r.Class == "differs" {
				r.Remark += "; " + o.Suspects[i].Rule()
			}
		}
	}
	return r
}

// Table writes rows as a Markdown table.
func Table(rows []Row) string {
	var b strings.Builder
	b.WriteString("| launch | class | numbers | differ | largest, ULP or units | remark |\n|---|---|--:|--:|--:|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %s |\n", r.Launch, r.Class, r.Numbers, r.Differ, r.ULP, strings.ReplaceAll(strings.ReplaceAll(r.Remark, "\n", " "), "|", `\|`))
	}
	return b.String()
}
