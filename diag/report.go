package diag

import (
	"fmt"
	"strings"
)

// Report is what one launch gave.
type Report struct {
	Name     string    // the launch: a script's or module's path
	Findings []Finding // folded and sorted, see Fold
	Coverage *Coverage // nil if no checker ran
	Errors   []*Error
	Data     any // more for WriteJSON, under "data"; nil: nothing
}

// Coverage says how much of a run was checked. "Not checked" never looks like
// "clean": each reason is listed.
type Coverage struct {
	Checked   uint64 // accesses checked
	Unchecked []Unchecked
	Schedules int // how many schedules ran; 0 counts as 1
	// Traced is what makes the verdict that of the schedules that ran, and no
	// more: "fences". Without it, other schedules find the same.
	Traced []string
}

// Unchecked counts accesses that no checker looked at, for one reason.
type Unchecked struct {
	Count uint64
	Why   string
}

// Complete reports whether nothing was left unchecked.
func (c *Coverage) Complete() bool { return len(c.Unchecked) == 0 }

// String gives the coverage line: "1,024 accesses checked, 12 not checked (8
// sampled images, 4 after the first finding)".
func (c *Coverage) String() string {
	s := fmt.Sprintf("%s checked, ", Count(c.Checked, "access", "accesses"))
	var n uint64
	var why []string
	for _, u := range c.Unchecked {
		n += u.Count
		why = append(why, thousands(u.Count)+" "+u.Why)
	}
	s += thousands(n) + " not checked"
	if len(why) > 0 {
		s += " (" + strings.Join(why, ", ") + ")"
	}
	if len(c.Traced) > 0 {
		ran := "schedule that ran"
		if c.Schedules > 1 {
			ran = fmt.Sprintf("%d schedules that ran", c.Schedules)
		}
		s += fmt.Sprintf("; the verdict is that of the %s, because of %s: --repeat-seeds tries more", ran, strings.Join(c.Traced, " and "))
	}
	return s
}

// Exact reports whether the verdict does not depend on the schedule.
func (c *Coverage) Exact() bool { return len(c.Traced) == 0 }

// Sources looks up the text of a source file by the name that positions carry.
type Sources func(file string) (text string, ok bool)

// FirstOf looks a source up in one place after the other.
func FirstOf(list ...Sources) Sources {
	return func(file string) (string, bool) {
		for _, s := range list {
			if text, ok := s(file); ok {
				return text, true
			}
		}
		return "", false
	}
}
