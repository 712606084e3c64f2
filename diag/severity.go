package diag

import "fmt"

// Severity says how bad a finding is. The zero value is the worst, so that a
// finding whose severity no one set is never lost.
type Severity uint8

// The severities, worst first. SeverityOff is a setting only: a finding with
// it is dropped by Fold.
const (
	SeverityError Severity = iota
	SeverityWarning
	SeverityNote
	SeverityOff
)

var severityNames = [...]string{"error", "warning", "note", "off"}

func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// ParseSeverity is the inverse of String; "warn" is short for "warning".
func ParseSeverity(s string) (Severity, error) {
	if s == "warn" {
		return SeverityWarning, nil
	}
	for i, name := range severityNames {
		if s == name {
			return Severity(i), nil
		}
	}
	return 0, &Error{Class: BadInput, Msg: fmt.Sprintf("severity %q: expected error, warning (or warn), note or off", s)}
}
