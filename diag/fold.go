package diag

import (
	"cmp"
	"slices"
)

// Fold makes one finding of those that tell of the same bug (equal
// fingerprints), drops those whose severity is SeverityOff, and sorts the
// rest. The finding with the lowest threads stands for its group, with the
// group's worst severity and the sum of the counts. The result does not
// depend on the order of fs; fs itself is left alone.
func Fold(fs []Finding) []Finding {
	byPrint := make(map[string]int, len(fs))
	var out []Finding
	for i := range fs {
		f := fs[i]
		if f.Severity >= SeverityOff {
			continue
		}
		f.Count = f.Times()
		print := f.Fingerprint()
		at, seen := byPrint[print]
		if !seen {
			byPrint[print] = len(out)
			out = append(out, f)
			continue
		}
		g := out[at]
		count, severity := f.Count+g.Count, min(f.Severity, g.Severity)
		if compareWitness(&f, &g) < 0 {
			g = f
		}
		g.Count, g.Severity = count, severity
		out[at] = g
	}
	slices.SortFunc(out, func(a, b Finding) int { return compare(&a, &b) })
	return out
}

// compare is the order of a report: worst severity first, then by place, rule,
// variable and threads.
func compare(a, b *Finding) int {
	return cmp.Or(
		cmp.Compare(a.Severity, b.Severity),
		comparePos(a.Position(), b.Position()),
		cmp.Compare(a.Rule(), b.Rule()),
		compareText(a.Variable.String(), b.Variable.String()),
		compareWitness(a, b),
		compareText(a.Message, b.Message),
		cmp.Compare(a.Fingerprint(), b.Fingerprint()),
	)
}

// compareWitness orders findings of one bug by their threads, so that the
// lowest is shown; what remains equal is told apart by text.
func compareWitness(a, b *Finding) int {
	bySide := slices.CompareFunc(a.Accesses, b.Accesses, func(x, y Access) int { return x.Thread.Compare(y.Thread) })
	byParty := slices.CompareFunc(a.Parties, b.Parties, func(x, y Party) int { return x.First.Compare(y.First) })
	byText := slices.CompareFunc(a.Accesses, b.Accesses, func(x, y Access) int {
		return cmp.Or(comparePos(x.Pos, y.Pos), compareText(x.Object, y.Object), compareText(x.Old, y.Old), compareText(x.New, y.New))
	})
	return cmp.Or(bySide, byParty, compareText(a.Variable.String(), b.Variable.String()), byText, compareText(a.Message, b.Message))
}

func comparePos(a, b Pos) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Col, b.Col),
	)
}

// Folder collects findings, however many, in the memory that one of each bug
// takes.
type Folder struct {
	list []Finding
	room int // until it is time to fold them
}

// Add adds findings.
func (f *Folder) Add(fs ...Finding) {
	f.list = append(f.list, fs...)
	if len(f.list) > f.room {
		f.list = Fold(f.list)
		f.room = max(2*len(f.list), 1024)
	}
}

// Findings are those added so far, folded.
func (f *Folder) Findings() []Finding { return Fold(f.list) }
