package diag

import (
	"encoding/xml"
	"io"
	"strings"
)

// WriteJUnit writes reports as JUnit XML: a test suite for each report, in it
// one failed case for each error or warning, one skipped case for each reason
// that left accesses unchecked, one case in error for each Error, and a single
// passed case named after the launch if there is none of those. Notes stand
// in the suite's system-out.
func WriteJUnit(w io.Writer, reports []*Report) error {
	var doc junitSuites
	for _, r := range reports {
		doc.Suites = append(doc.Suites, junitReport(r))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitReport(r *Report) junitSuite {
	suite := junitSuite{Name: r.Name}
	add := func(name string) *junitCase {
		suite.Cases = append(suite.Cases, junitCase{Name: name, Class: r.Name})
		return &suite.Cases[len(suite.Cases)-1]
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		text := findingText(f)
		if f.Severity >= SeverityNote {
			suite.Out += text
			continue
		}
		suite.Failures++
		add(strings.TrimRight(f.Rule()+" "+f.Position().String(), " ")).Failure = &junitOutcome{
			Message: f.Message, Type: f.Severity.String(), Text: text,
		}
	}
	for _, e := range r.Errors {
		suite.Errors++
		add("run").Error = &junitOutcome{Message: e.Error(), Type: e.Class.String()}
	}
	if r.Coverage != nil {
		for _, u := range r.Coverage.Unchecked {
			suite.Skipped++
			add("not checked: " + u.Why).Skipped = &junitOutcome{Message: Count(u.Count, "access", "accesses") + " not checked: " + u.Why}
		}
		suite.Out += r.Coverage.String() + "\n"
	}
	if len(suite.Cases) == 0 {
		add(r.Name)
	}
	suite.Tests = len(suite.Cases)
	return suite
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
	Out      string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitOutcome `xml:"failure"`
	Error   *junitOutcome `xml:"error"`
	Skipped *junitOutcome `xml:"skipped"`
}

type junitOutcome struct {
	Message string `xml:"message,attr,omitempty"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}
