package diag

import "fmt"

// Element is a variable, or a part of one: "sums[3].x". Findings are told apart
// by its fields, never by its text, in which a name may hold anything.
type Element struct {
	Name    string // the variable's: "sums"; empty if there is none
	Path    string // what leads to the part: "[3].x"; empty for the whole
	Members string // Path without its indexes, "[].x", which is that of all elements of an array
}

func (e Element) String() string { return e.Name + e.Path }

// Index goes on to an element of an array: [i], or [x,y,z] of an image, or [] if
// it is not known which.
func (e *Element) Index(i ...int64) {
	e.Path += "["
	for k, n := range i {
		if k > 0 {
			e.Path += ","
		}
		e.Path += fmt.Sprint(n)
	}
	e.Path += "]"
	e.Members += "[]"
}

// Member goes on to a member of a structure or a component of a vector.
func (e *Element) Member(name string) {
	e.Path += "." + name
	e.Members += "." + name
}

// Byte goes on to a byte of what has no part there.
func (e *Element) Byte(n int64) { e.Path += fmt.Sprintf(" at byte %d", n) }

// IndexByte goes on to a byte of an array of them.
func (e *Element) IndexByte(n int64) {
	e.Path += fmt.Sprintf("[byte %d]", n)
	e.Members += "[]"
}
