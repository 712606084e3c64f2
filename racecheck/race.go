package racecheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/spirv"
	"ampdbg/warp"
)

var raceNames = [numRaces]string{
	raceInterTile: diag.RaceInterTile, raceIntraTile: diag.RaceIntraTile, raceScope: diag.RaceScope,
	raceFenceClass: diag.RaceFenceClass, raceNoAcquire: diag.RaceNoAcquire, raceNoRelease: diag.RaceNoRelease,
	raceUnavailable: diag.RaceUnavailable, raceInvisible: diag.RaceInvisible, raceAtomicScope: diag.RaceAtomicScope, raceAtomicSize: diag.RaceAtomicSize,
	raceAtomicPlain: diag.RaceAtomicPlain, raceUnfenced: diag.RaceUnfencedBarrier, raceSameInstruction: diag.RaceSameInstruction,
	raceLockstep: diag.RaceLockstep, raceHalfFenced: diag.RaceHalfFenced, raceSameValue: diag.RaceSameValue,
	racePadding: diag.RacePadding, raceAliased: diag.RaceAliasedBinding, racePrivate: diag.RacePrivate,
}

func (c raceClass) String() string { return raceNames[c] }

// raceKey is what makes two races the same one while the dispatch runs.
type raceKey struct {
	class         raceClass
	first, second uint16
}

// sighting is a race as it was seen with the lowest threads.
type sighting struct {
	raceKey
	count     uint64
	low, high uint32 // threads
	finding   diag.Finding
}

// found notes a race.
func (o *observer) found(r *race) {
	severity := o.opt.SeverityOf(diag.Race, r.class.String())
	if severity >= diag.SeverityOff {
		return
	}
	if severity == diag.SeverityError && o.stop && !o.stopped {
		o.stopped = true
		o.latest = o.describe(r, severity)
	}
	k := raceKey{r.class, r.first.site, r.second.site}
	s := o.seen[k]
	if s == nil {
		s = &sighting{raceKey: k, low: ^uint32(0), high: ^uint32(0)}
		o.seen[k] = s
	}
	s.count++
	low, high := min(r.first.thread, r.second.thread), max(r.first.thread, r.second.thread)
	if c := cmp.Or(cmp.Compare(low, s.low), cmp.Compare(high, s.high)); c < 0 {
		s.low, s.high = low, high
		s.finding = o.describe(r, severity)
	}
}

// describe makes the finding of a race, whose second access has not happened
// yet.
func (o *observer) describe(r *race, severity diag.Severity) diag.Finding {
	a, b := &o.d.sites[r.first.site], &o.d.sites[r.second.site]
	x := r.ins.values.(accessValues)
	view := int(b.view)
	base := x.w.T.Views[view].Base
	at := 4*r.word + int64(lowest(r.mask)) - base
	// Nothing orders the two threads, so which came first is the schedule's doing:
	// they are named in the order of the program's text.
	swap := !o.stop && a.pc > b.pc && o.unsequenced(r)
	hazard := "RAW"
	switch {
	case a.writes && b.writes:
		hazard = "WAW"
	case b.writes != swap:
		hazard = "WAR"
	}
	where := "in-tile"
	if r.first.thread/o.d.perTile != r.second.thread/o.d.perTile {
		where = "across tiles"
	}
	variable := o.m.Element(view, at)
	f := diag.Finding{
		Code: diag.Race, Class: r.class.String(), Severity: severity, Kernel: o.m.Entry.Name,
		Variable: variable, Space: o.m.Views[view].SpaceName(),
		Message: fmt.Sprintf("data race on %s (%s, %s): %s", variable, hazard, where, raceReasons[r.class]),
	}
	first := o.side(a, r.first.thread)
	second := o.side(b, r.second.thread)
	kind := kindAt(&o.m.Views[view], at)
	held := o.heldScalar(x.w, view, at, kind.size)
	was, known := held, r.fresh
	switch shift := 8 * ((at + base) & 3); {
	case !r.ins.inTurn && r.ins.collides(&entry{thread: r.first.thread, site: r.first.site}, r.lane, r.word, r.mask):
		if known = true; a.writes {
			was = writtenScalar(x, int(r.first.thread-r.ins.first), at+base, kind.size)
		}
	case !known && int(shift)+8*kind.size <= 32:
		was, known = uint64(r.value>>shift)&(1<<(8*kind.size)-1), true
	}
	switch {
	case !known:
		f.Notes = append(f.Notes, diag.Note{Msg: "what the earlier access left is not known: memory has been overwritten since"})
	case a.writes:
		first.New = kind.format(was)
	default:
		first.Old = kind.format(was)
	}
	second.Old = kind.format(held)
	if b.writes {
		second.New = kind.format(writtenScalar(x, r.lane, at+base, kind.size))
	}
	if b.padding || a.padding {
		second.Old, second.New, first.Old, first.New = "", "", "", ""
	}
	if other := o.m.Element(int(a.view), 4*r.word+int64(lowest(r.mask))-x.w.T.Views[a.view].Base); other != variable {
		first.Object = other.String()
	}
	f.Accesses = []diag.Access{first, second}
	if swap {
		f.Accesses[0], f.Accesses[1] = second, first
		f.Notes = append(f.Notes, diag.Note{Msg: "this schedule ran the second access before the first"})
	}
	if note := o.missing(r); note != "" {
		f.Notes = append(f.Notes, diag.Note{Msg: note})
	}
	return f
}

// unsequenced reports whether nothing at all comes between the two accesses of
// a race: neither the program of a warp, nor a barrier, nor synchronization.
func (o *observer) unsequenced(r *race) bool {
	switch r.class {
	case raceInterTile, raceIntraTile, raceAtomicScope, raceAtomicSize, raceAtomicPlain, raceSameValue, racePadding:
		t := r.ins.tile
		return !o.d.holds(t, r.first.thread) || r.epoch >= t.any && !o.d.sameWarp(t, r.first.thread, r.second.thread)
	}
	return false
}

// missing says in lines what lies between the accesses of a race and does not
// order them; "" if that is not known.
func (o *observer) missing(r *race) string {
	// What the first thread did after its access, and the second before its own.
	after, before := int32(-1), int32(-1)
	d := o.d
	first, second := d.steps[r.first.thread], d.steps[r.second.thread]
	for pc, s := range first {
		if s.epoch < r.epoch || !s.writes || releases(s.semantics) == (r.class == raceNoRelease) {
			continue
		}
		if after < 0 || cmp.Or(cmp.Compare(s.epoch, first[after].epoch), cmp.Compare(pc, after)) < 0 {
			after = pc
		}
	}
	for pc, s := range second {
		if !s.reads || acquires(s.semantics) == (r.class == raceNoAcquire) {
			continue
		}
		if before < 0 || cmp.Or(cmp.Compare(s.epoch, second[before].epoch), cmp.Compare(pc, before)) > 0 {
			before = pc
		}
	}
	if after < 0 || before < 0 {
		return ""
	}
	place := func(pc int32) string {
		p := o.m.Pos(int(pc))
		if p.Line == 0 {
			return fmt.Sprintf("%%%d", o.m.ID(int(pc)))
		}
		return fmt.Sprintf("line %d", p.Line)
	}
	class := d.sites[r.second.site].class
	a, b := first[after], second[before]
	switch r.class {
	case raceNoAcquire:
		return fmt.Sprintf("%s releases at %s scope, nothing acquires before %s: %s reads without acquiring",
			place(after), a.scope, place(d.sites[r.second.site].pc), place(before))
	case raceNoRelease:
		return fmt.Sprintf("%s acquires at %s scope, nothing releases after %s: %s writes without releasing",
			place(before), b.scope, place(d.sites[r.first.site].pc), place(after))
	case raceScope:
		return fmt.Sprintf("%s releases at %s scope, %s acquires at %s scope", place(after), a.scope, place(before), b.scope)
	case raceFenceClass:
		return fmt.Sprintf("%s releases %s, %s acquires %s; the data is in %s", place(after), classNames(a.semantics), place(before), classNames(b.semantics), classNames(class.bit()))
	case raceUnavailable:
		if own := d.sites[r.first.site]; own.available > reachThread {
			return fmt.Sprintf("%s makes itself available at %s scope; %s acquires at %s scope", place(own.pc), own.available, place(before), b.scope)
		}
		if a.semantics&uint32(spirv.MemorySemanticsMakeAvailable) == 0 || a.semantics&class.bit() == 0 {
			return fmt.Sprintf("%s releases without making writes to %s available", place(after), classNames(class.bit()))
		}
		return fmt.Sprintf("%s makes available at %s scope, %s acquires at %s scope", place(after), a.scope, place(before), b.scope)
	case raceInvisible:
		if b.semantics&uint32(spirv.MemorySemanticsMakeVisible) == 0 || b.semantics&class.bit() == 0 {
			return fmt.Sprintf("%s acquires without making writes to %s visible", place(before), classNames(class.bit()))
		}
		return fmt.Sprintf("%s releases at %s scope, %s makes visible at %s scope", place(after), a.scope, place(before), b.scope)
	}
	return ""
}

// classNames lists the classes of memory semantics.
func classNames(semantics uint32) string {
	var names []string
	for c, name := range [numClasses]string{"buffers", "tile_static memory", "images"} {
		if semantics&class(c).bit() != 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " and ")
}

func lowest(mask uint8) int {
	for k := range 4 {
		if mask>>k&1 != 0 {
			return k
		}
	}
	return 0
}

// raceReasons says for each class what is missing.
var raceReasons = [numRaces]string{
	raceSameInstruction: "two threads of a warp collide in one instruction",
	raceLockstep:        "only running in lockstep orders the two threads of one warp",
	raceIntraTile:       "no barrier lies between the accesses of two warps",
	raceUnfenced:        "the barrier between the accesses does not order this kind of memory",
	raceHalfFenced:      "the barrier between the accesses has a fence for this memory on one side only",
	raceInterTile:       "nothing orders the accesses of two tiles",
	raceScope:           "the synchronization between the accesses has too narrow a scope",
	raceFenceClass:      "the synchronization between the accesses is for another class of memory",
	raceNoAcquire:       "one thread releases, but the other reads that without an acquire",
	raceNoRelease:       "one thread acquires, but the other wrote that without a release",
	raceUnavailable:     "the write is ordered before the access, but nothing makes it available",
	raceInvisible:       "the write is available, but nothing makes it visible to the read",
	raceAtomicScope:     "the scope of an atomic does not include the other thread",
	raceAtomicPlain:     "one access is atomic, the other is not",
	raceAtomicSize:      "two atomics of different size or place overlap",
	raceSameValue:       "both threads write the same value",
	racePadding:         "the accesses overlap in padding only",
	raceAliased:         "the accesses go through two bindings of the same memory",
	racePrivate:         "an access is private to its thread, and so not ordered with others",
}

// side describes an access.
func (o *observer) side(s *site, thread uint32) diag.Access {
	stack := o.m.Stack(int(s.pc))
	a := diag.Access{Kind: "read", Thread: o.thread(thread), ID: o.m.ID(int(s.pc)), Name: o.m.IDName(int(s.pc)), Stack: stack}
	if len(stack) > 0 {
		a.Pos = stack[0].Pos
	}
	switch {
	case s.atomic:
		a.Kind = atomicNames[o.atomicInfo(int(s.pc)).Op]
	case s.writes:
		a.Kind = "write"
	}
	return a
}

// thread describes a thread by its number.
func (o *observer) thread(n uint32) diag.Thread {
	size := o.m.Program.TileSize
	tile, local := n/o.d.perTile, n%o.d.perTile
	t := diag.Thread{
		Tile:  spirv.Extent(o.m.Dispatch.Groups).At(uint64(tile)),
		Local: local, Warp: local / o.d.width, Lane: local % o.d.width,
	}
	in := spirv.Extent(size).At(uint64(local))
	for i := range in {
		t.Global[i] = t.Tile[i]*size[i] + in[i]
	}
	return t
}

// findings are the races seen, one for each bug: of the classes that one pair
// of places shows, the one that explains most stands for all.
func (o *observer) findings() []diag.Finding {
	list := make([]*sighting, 0, len(o.seen))
	for _, s := range o.seen {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *sighting) int {
		return cmp.Or(cmp.Compare(a.finding.Severity, b.finding.Severity), cmp.Compare(a.class, b.class), cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high),
			cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second))
	})
	type bug struct {
		f     diag.Finding
		count uint64
		also  []raceClass
	}
	var order []string
	bugs := map[string]*bug{}
	for _, s := range list {
		k := bugKey(&s.finding)
		g := bugs[k]
		if g == nil {
			g = &bug{f: s.finding}
			bugs[k] = g
			order = append(order, k)
		}
		g.count += s.count
		if s.class.String() != g.f.Class && !slices.Contains(g.also, s.class) {
			g.also = append(g.also, s.class)
		}
	}
	var out []diag.Finding
	for _, k := range order {
		g := bugs[k]
		g.f.Count = g.count
		if len(g.also) > 0 {
			for _, c := range g.also {
				g.f.Also = append(g.f.Also, c.String())
			}
			g.f.Notes = append(g.f.Notes, diag.Note{Msg: "the same two places also show: " + strings.Join(g.f.Also, ", ")})
		}
		out = append(out, g.f)
	}
	return out
}

// bugKey is equal for races between the same two places on the same variable.
func bugKey(f *diag.Finding) string {
	sides := []string{}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		place := fmt.Sprintf("%s:%d", a.Pos.File, a.Pos.Line)
		if a.Pos.Line == 0 {
			place = fmt.Sprintf("%%%d", a.ID)
		}
		sides = append(sides, place)
	}
	slices.Sort(sides)
	return f.Space + "\x00" + f.Variable.Name + "\x00" + strings.Join(sides, "\x00")
}

var _ interface {
	warp.MemoryObserver
	warp.BarrierObserver
	warp.FenceObserver
	emu.TileObserver
	emu.ReleaseObserver
	emu.Wants
	emu.ReadLogger
} = (*observer)(nil)
