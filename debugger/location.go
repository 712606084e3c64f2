package debugger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ampdbg/spirv"
)

// Location names a place in a kernel: a FileLine, a Function, a ResultID or a
// Word. What it means in a dispatch is found when that is debugged; a location
// may mean nothing in one dispatch and several operations in another.
type Location interface {
	// String is the location as ParseLocation reads it.
	String() string
	location()
}

// FileLine is a line of a source file; one without code stands for the next that
// has some. File is a name as debug information has it, or its last part; empty,
// it is the file of the kernel's entry point.
type FileLine struct {
	File string
	Line int // from 1
}

// Function is the start of a function, by its name in the source.
type Function struct{ Name string }

// ResultID is the instruction whose result is an id, by its name in the
// disassembly or its number, without the %.
type ResultID struct{ ID string }

// Word is the instruction that begins at a word of the module, from 0.
type Word struct{ Offset int }

func (l FileLine) String() string {
	if l.File == "" {
		return strconv.Itoa(l.Line)
	}
	return fmt.Sprintf("%s:%d", l.File, l.Line)
}
func (l Function) String() string { return l.Name }
func (l ResultID) String() string { return "%" + l.ID }
func (l Word) String() string     { return fmt.Sprintf("word %d", l.Offset) }

func (FileLine) location() {}
func (Function) location() {}
func (ResultID) location() {}
func (Word) location()     {}

// ParseLocation reads FILE:LINE, LINE, a function, %ID of an instruction's
// result, or "word N". Of a LINE alone the file is empty. An error names the
// column, from 1, at which the text is not what it should be.
func ParseLocation(text string) (Location, error) {
	text = strings.TrimSpace(text)
	wrong := func(at int, format string, args ...any) (Location, error) {
		return nil, fmt.Errorf("%s: column %d: %s", text, at+1, fmt.Sprintf(format, args...))
	}
	// number reads the decimal number that begins at a byte and goes to the end.
	number := func(at, least int, what string) (int, error) {
		digits := strings.TrimLeft(text[at:], " \t")
		at = len(text) - len(digits)
		n, err := strconv.Atoi(digits)
		if err == nil && n >= least {
			return n, nil
		}
		if digits == "" {
			_, err = wrong(at, "expected the number of a %s, found the end", what)
		} else {
			_, err = wrong(at, "expected the number of a %s, found %q", what, digits)
		}
		return 0, err
	}
	switch colon := strings.LastIndexByte(text, ':'); {
	case text == "":
		return nil, fmt.Errorf("expected FILE:LINE, LINE, a function, %%ID or word N, found nothing")
	case text[0] == '%':
		if len(text) == 1 {
			return wrong(1, "expected an id, found the end")
		}
		return ResultID{text[1:]}, nil
	case text == "word" || strings.HasPrefix(text, "word "):
		n, err := number(len("word"), 0, "word")
		if err != nil {
			return nil, err
		}
		return Word{n}, nil
	case colon == 0:
		return wrong(0, "expected a file before ':'")
	case colon > 0:
		n, err := number(colon+1, 1, "line")
		if err != nil {
			return nil, err
		}
		return FileLine{text[:colon], n}, nil
	case strings.Trim(strings.TrimLeft(text, "-+"), "0123456789") == "":
		n, err := number(0, 1, "line")
		if err != nil {
			return nil, err
		}
		return FileLine{"", n}, nil
	}
	// The names that compilers give functions may have parameters behind them.
	if i := strings.IndexAny(text, ", "); i >= 0 && !strings.ContainsRune(text, '(') {
		return wrong(i, "expected the end of a location: FILE:LINE, LINE, a function, %%ID or word N")
	}
	return Function{text}, nil
}

var errNoLocation = errors.New("expected a location, found none")

// resolve finds the operations that a location means; there is at least one.
func (t *target) resolve(at Location) ([]int, error) {
	switch at := at.(type) {
	case FileLine:
		file, err := t.lines.file(at.File)
		if err != nil {
			return nil, err
		}
		return t.lines.at(file, at.Line)
	case Function:
		if pcs := t.lines.entries(at.Name); len(pcs) > 0 {
			return pcs, nil
		}
		return nil, fmt.Errorf("no function %q; functions are: %s", at.Name, strings.Join(t.lines.functions(), ", "))
	case ResultID:
		return t.resolveInst(at, func(in *spirv.Inst) bool { return in.Result != 0 && t.called(in.Result, at.ID) })
	case Word:
		return t.resolveInst(at, func(in *spirv.Inst) bool { return in.Offset == at.Offset })
	}
	return nil, errNoLocation
}

// resolveInst finds the first operation of each copy of the instruction that a
// location names.
func (t *target) resolveInst(at Location, is func(in *spirv.Inst) bool) ([]int, error) {
	for i := range t.u.Insts {
		if !is(&t.u.Insts[i]) {
			continue
		}
		var pcs []int
		for pc, inst := range t.p.Inst {
			if int(inst) == i && (pc == 0 || int(t.p.Inst[pc-1]) != i || t.p.Frame[pc-1] != t.p.Frame[pc]) {
				pcs = append(pcs, pc)
			}
		}
		if len(pcs) == 0 {
			return nil, fmt.Errorf("%s takes no operation of its own: nothing is executed for it", at)
		}
		return pcs, nil
	}
	return nil, fmt.Errorf("no instruction %s in the module", at)
}
