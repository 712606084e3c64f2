package diag

import (
	"fmt"
	"slices"
	"strings"
)

// Explanation documents one kind of finding: what it means, an example and
// the usual cure. A family with classes has an entry of its own, with an
// empty Class, before those of its classes.
type Explanation struct {
	Code     Code
	Class    string
	Title    string   // a noun phrase without capital or full stop
	Severity Severity // unless the user sets another
	Meaning  string   // paragraphs, separated by an empty line
	Example  string   // GLSL or AmberScript with the fault in it
	Cure     string   // paragraphs
	// Shows and Clean name launch scripts of testdata: one that a check finds
	// this in, and one that comes close and is clean. Both are empty for what
	// takes a device.
	Shows, Clean string
}

// Rule names the entry as Finding.Rule does.
func (e *Explanation) Rule() string { return rule(e.Code, e.Class) }

// Explanations gives the table of all kinds of finding, families together.
func Explanations() []Explanation { return slices.Clone(explanations) }

// Explain finds the entry called name: a rule ("race/intra-tile"), a code
// ("race") or a class alone ("intra-tile").
func Explain(name string) (*Explanation, error) {
	for i := range explanations {
		if e := &explanations[i]; e.Rule() == name || e.Class == name && name != "" {
			return e, nil
		}
	}
	return nil, &Error{Class: BadInput, Msg: fmt.Sprintf("no finding is called %q; expected one of: %s", name, strings.Join(rules(), ", "))}
}

// rules lists the names of all entries in the order of the table.
func rules() []string {
	rules := make([]string, len(explanations))
	for i := range explanations {
		rules[i] = explanations[i].Rule()
	}
	return rules
}

// DefaultSeverity is the severity in the table for a kind of finding: that of
// the class, or of the family where the class has no entry.
func DefaultSeverity(code Code, class string) Severity {
	for _, name := range []string{rule(code, class), string(code)} {
		for i := range explanations {
			if explanations[i].Rule() == name {
				return explanations[i].Severity
			}
		}
	}
	return SeverityError
}

// Text writes the entry for a terminal of 80 columns.
func (e *Explanation) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s by default)\n", e.Rule(), e.Title, e.Severity)
	paragraphs(e.Meaning, func(p string) { fmt.Fprintf(&b, "\n%s\n", Wrap(p, 80, "", "")) })
	if e.Example != "" {
		fmt.Fprintf(&b, "\nExample:\n\n%s\n", indent(e.Example, "    "))
	}
	b.WriteString("\nUsual cure:\n")
	paragraphs(e.Cure, func(p string) { fmt.Fprintf(&b, "\n%s\n", Wrap(p, 80, "", "")) })
	if classes := e.classes(); len(classes) > 0 {
		b.WriteString("\nKinds:\n\n")
		for _, c := range classes {
			fmt.Fprintf(&b, "  %-24s %s\n", c.Class, c.Title)
		}
	}
	return b.String()
}

// classes gives the entries of a family's classes; none for a class.
func (e *Explanation) classes() []Explanation {
	var out []Explanation
	for _, c := range explanations {
		if e.Class == "" && c.Code == e.Code && c.Class != "" {
			out = append(out, c)
		}
	}
	return out
}

// findingsMarkdown is the text of docs/findings.md.
func findingsMarkdown() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from diag/codes.go; `go test ./diag -update` writes it. -->\n\n")
	b.WriteString("# Findings\n\n")
	b.WriteString("What a kernel can be found guilty of. `ampdbg explain NAME` prints the same texts.\n\n")
	b.WriteString("| name | what it is | severity |\n|---|---|---|\n")
	for _, e := range explanations {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", e.Rule(), strings.ReplaceAll(e.Rule(), "/", ""), e.Title, e.Severity)
	}
	for _, e := range explanations {
		level := "##"
		if e.Class != "" {
			level = "###"
		}
		fmt.Fprintf(&b, "\n%s %s\n\n", level, e.Rule())
		fmt.Fprintf(&b, "*%s*\n", strings.ToUpper(e.Title[:1])+e.Title[1:])
		paragraphs(e.Meaning, func(p string) { fmt.Fprintf(&b, "\n%s\n", p) })
		if e.Example != "" {
			fmt.Fprintf(&b, "\n```\n%s\n```\n", e.Example)
		}
		paragraphs(e.Cure, func(p string) { fmt.Fprintf(&b, "\nCure: %s\n", p) })
	}
	return b.String()
}

// paragraphs calls emit for each paragraph of s with its line breaks taken out.
func paragraphs(s string, emit func(string)) {
	for p := range strings.SplitSeq(s, "\n\n") {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			emit(p)
		}
	}
}
