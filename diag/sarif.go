package diag

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"
)

// The schema and version of the logs that WriteSARIF writes.
const (
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
	sarifVersion = "2.1.0"
)

// WriteSARIF writes reports as one run of a SARIF 2.1.0 log (OASIS standard,
// "Static Analysis Results Interchange Format"). Rules come from the table of
// Explanations; each report is an invocation, with its errors as execution
// notifications and its coverage among the properties.
func WriteSARIF(w io.Writer, reports []*Report, version string) error {
	run := sarifRun{
		Tool:        sarifTool{Driver: sarifDriver{Name: "ampdbg", Version: version, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{},
		Results:     []sarifResult{},
		ColumnKind:  "unicodeCodePoints",
	}
	index := make(map[string]int)
	for i := range explanations {
		e := &explanations[i]
		index[e.Rule()] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID:                   e.Rule(),
			ShortDescription:     sarifText{e.Title},
			FullDescription:      sarifText{joinParagraphs(e.Meaning)},
			Help:                 sarifText{joinParagraphs(e.Cure)},
			DefaultConfiguration: sarifConfiguration{Level: sarifLevel(e.Severity)},
		})
	}
	for _, r := range reports {
		inv := sarifInvocation{ExecutionSuccessful: len(r.Errors) == 0, Properties: sarifProperties{Launch: r.Name}}
		if r.Coverage != nil {
			inv.Properties.Coverage = r.Coverage.String()
		}
		for _, e := range r.Errors {
			bare := Error{Msg: e.Msg, Err: e.Err}
			inv.Notifications = append(inv.Notifications, sarifNotification{
				Level: "error", Message: sarifText{bare.Error()}, Locations: sarifLocations(e.Pos, ""),
			})
		}
		run.Invocations = append(run.Invocations, inv)
		for i := range r.Findings {
			run.Results = append(run.Results, sarifFinding(&r.Findings[i], index))
		}
	}
	return writeIndented(w, sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{run}})
}

func sarifFinding(f *Finding, index map[string]int) sarifResult {
	res := sarifResult{
		RuleID:              f.Rule(),
		Level:               sarifLevel(f.Severity),
		Message:             sarifText{f.Message},
		Locations:           sarifLocations(f.Position(), ""),
		PartialFingerprints: map[string]string{"ampdbg/v1": f.Fingerprint()},
		OccurrenceCount:     f.Times(),
	}
	if i, ok := index[f.Rule()]; ok {
		res.RuleIndex = &i
	}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		res.related(a.Pos, a.Kind+" by "+a.Thread.String())
	}
	for i := range f.Parties {
		p := &f.Parties[i]
		res.related(p.Pos, p.Who+": "+p.What)
	}
	for _, n := range f.Notes {
		res.related(n.Pos, n.Msg)
	}
	return res
}

// related adds a further location with a message.
func (r *sarifResult) related(p Pos, msg string) {
	for _, l := range sarifLocations(p, msg) {
		l.ID = len(r.RelatedLocations) + 1
		r.RelatedLocations = append(r.RelatedLocations, l)
	}
}

func sarifLevel(s Severity) string {
	if s == SeverityOff {
		return "none"
	}
	return s.String()
}

// sarifLocations gives the location of p, or none if p names no file.
func sarifLocations(p Pos, msg string) []sarifLocation {
	if p.File == "" {
		return nil
	}
	loc := sarifLocation{}
	loc.PhysicalLocation.ArtifactLocation.URI = fileURI(p.File)
	if p.Line > 0 {
		region := &sarifRegion{StartLine: p.Line, StartColumn: p.Col}
		if p.EndLine >= p.Line {
			region.EndLine, region.EndColumn = p.EndLine, p.EndCol
		}
		loc.PhysicalLocation.Region = region
	}
	if msg != "" {
		loc.Message = &sarifText{msg}
	}
	return []sarifLocation{loc}
}

// fileURI gives a relative reference for a relative path, and a file URI for
// an absolute one.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if strings.HasPrefix(u.Path, "/") {
		u.Scheme = "file"
	}
	return u.String()
}

func joinParagraphs(s string) string {
	var out []string
	paragraphs(s, func(p string) { out = append(out, p) })
	return strings.Join(out, "\n\n")
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
	ColumnKind  string            `json:"columnKind"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID                   string             `json:"id"`
	ShortDescription     sarifText          `json:"shortDescription"`
	FullDescription      sarifText          `json:"fullDescription"`
	Help                 sarifText          `json:"help"`
	DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	Properties          sarifProperties     `json:"properties"`
}

type sarifProperties struct {
	Launch   string `json:"launch"`
	Coverage string `json:"coverage,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           *int              `json:"ruleIndex,omitempty"`
	Level               string            `json:"level"`
	Message             sarifText         `json:"message"`
	Locations           []sarifLocation   `json:"locations,omitempty"`
	RelatedLocations    []sarifLocation   `json:"relatedLocations,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	OccurrenceCount     uint64            `json:"occurrenceCount"`
}

type sarifLocation struct {
	ID               int        `json:"id,omitempty"`
	Message          *sarifText `json:"message,omitempty"`
	PhysicalLocation struct {
		ArtifactLocation struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}
