package diag

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"sort"
	"strings"
)

// Code names a family of findings. Where a family has several kinds, a
// Finding's Class tells them apart.
type Code string

// The codes. Each has its entries in the table behind Explanations.
const (
	OutOfBounds         Code = "out-of-bounds"
	NullPointer         Code = "null-pointer"
	Misaligned          Code = "misaligned"
	ReadOnly            Code = "read-only"
	DivergentBarrier    Code = "divergent-barrier"
	Deadlock            Code = "deadlock"
	Livelock            Code = "livelock"
	ExpectFailed        Code = "expect-failed"
	UnreachableExecuted Code = "unreachable-executed"
	Race                Code = "race"
	Uninitialized       Code = "uninitialized"
	UndefinedValue      Code = "undefined-value"
	Difference          Code = "gpu-difference"
	Validation          Code = "validation"
	OrderDependent      Code = "order-dependent"
)

// The classes of DivergentBarrier.
const (
	BarrierExited               = "exited"
	BarrierMissing              = "missing"
	BarrierOther                = "other-barrier"
	BarrierOtherIteration       = "other-iteration"
	BarrierOtherCallSite        = "other-call-site"
	BarrierFallthrough          = "fallthrough"
	BarrierAfterDivergentReturn = "after-divergent-return"
)

// The classes of Race.
const (
	RaceSameInstruction = "same-instruction"
	RaceLockstep        = "lockstep"
	RaceIntraTile       = "intra-tile"
	RaceUnfencedBarrier = "unfenced-barrier"
	RaceHalfFenced      = "half-fenced"
	RaceInterTile       = "inter-tile"
	RaceScope           = "scope"
	RaceFenceClass      = "fence-class"
	RaceNoAcquire       = "no-acquire"
	RaceNoRelease       = "no-release"
	RaceUnavailable     = "unavailable"
	RaceInvisible       = "invisible"
	RaceAtomicScope     = "atomic-scope"
	RaceAtomicPlain     = "atomic-plain"
	RaceAtomicSize      = "atomic-size"
	RaceSameValue       = "same-value"
	RacePadding         = "padding"
	RaceAliasedBinding  = "aliased-binding"
	RacePrivate         = "private"
)

// The classes of UndefinedValue.
const (
	UndefOperand              = "undef"
	UndefDivisionByZero       = "division-by-zero"
	UndefDivisionOverflow     = "division-overflow"
	UndefShiftRange           = "shift-range"
	UndefBitFieldRange        = "bit-field-range"
	UndefConversionRange      = "conversion-range"
	UndefNegativeRemainder    = "negative-remainder"
	UndefFloatDomain          = "float-domain"
	UndefCrossedEdges         = "crossed-edges"
	UndefExponentRange        = "exponent-range"
	UndefNaNOperand           = "nan-operand"
	UndefZeroVector           = "zero-vector"
	UndefComponentIndex       = "component-index"
	UndefInactiveLane         = "inactive-lane"
	UndefNonUniformLane       = "nonuniform-lane"
	UndefNonUniformDescriptor = "nonuniform-descriptor"
	UndefFalseAssumption      = "false-assumption"
)

// The classes of Difference.
const DifferenceRacy = "racy"

// Thread says which thread did something.
type Thread struct {
	Global [3]uint32 // GlobalInvocationId
	Tile   [3]uint32 // WorkgroupId
	Local  uint32    // LocalInvocationIndex: the thread's place in its tile
	Warp   uint32    // the warp's place in its tile
	Lane   uint32    // the thread's place in its warp
}

// Compare orders threads by tile (z, y, x) and by place in the tile; it
// returns a negative number, 0 or a positive number.
func (t Thread) Compare(u Thread) int {
	for i := 2; i >= 0; i-- {
		if t.Tile[i] != u.Tile[i] {
			return cmp.Compare(t.Tile[i], u.Tile[i])
		}
	}
	return cmp.Compare(t.Local, u.Local)
}

// String gives "thread 5 of tile (1,0,0), lane 1 of warp 1, global id (21,0,0)".
func (t Thread) String() string {
	return fmt.Sprintf("%s, lane %d of warp %d, global id %s", t.Place(), t.Lane, t.Warp, Triple(t.Global))
}

// Place gives "thread 5 of tile (1,0,0)".
func (t Thread) Place() string { return fmt.Sprintf("thread %d of tile %s", t.Local, Triple(t.Tile)) }

// Access is one side of a finding: one thread touching one object.
type Access struct {
	Kind   string // "read", "write", "atomic add", ...
	Object string // what it touched, "sums[3].x"; empty: the finding's Variable
	Thread Thread
	Pos    Pos
	ID     uint32  // SPIR-V result id, or the id of the instruction's pointer operand; 0 if none
	Name   string  // what the module's text calls the id, "%sum"; empty: its number
	Old    string  // value before a write, or the value read; empty if unknown
	New    string  // value written; empty for reads and where unknown
	Stack  []Frame // calls that led here, innermost first; may be nil
}

// Party is a set of threads that share a fate: those that wait at one
// barrier, those that returned, those that spin.
type Party struct {
	Who   string // the threads as ranges: "lanes 1-3 of warp 0"
	What  string // what they do: "wait at this barrier", "returned"
	Count int    // how many threads
	First Thread // the lowest of them
	Pos   Pos    // where they are
	ID    uint32 // SPIR-V id of the instruction there, 0 if none
	Name  string // what the module's text calls the id; empty: its number
}

// Note is a further remark on a finding, with or without a place.
type Note struct {
	Pos Pos
	Msg string
}

// Frame is one call of a kernel stack.
type Frame struct {
	Func string // source name of the function
	Pos  Pos    // where execution stands in it
}

// Finding is one fault of a kernel, or one failed expectation.
type Finding struct {
	Code     Code
	Class    string   // kind within the family, empty where it has none
	Also     []string // other classes that the same places show
	Severity Severity
	Message  string  // one sentence without position, capital or full stop
	Variable Element // empty if no variable is concerned
	Space    string  // where the variable lives: "tile_static", "storage buffer", ...; may be empty
	Kernel   string  // entry point or pipeline, may be empty
	Pos      Pos     // the main place; where invalid, that of the last access
	// Accesses are the sides: none, one, or both accesses of a race with the
	// earlier one first.
	Accesses []Access
	Parties  []Party
	Notes    []Note
	Stack    []Frame // kernel stack at Pos, innermost first; may be nil
	Count    uint64  // how often it happened; 0 counts as 1
}

// Rule names the kind of finding in full: "race/intra-tile", "out-of-bounds".
func (f *Finding) Rule() string { return rule(f.Code, f.Class) }

func rule(code Code, class string) string {
	if class == "" {
		return string(code)
	}
	return string(code) + "/" + class
}

// Position is the main place of the finding.
func (f *Finding) Position() Pos {
	if f.Pos.IsValid() {
		return f.Pos
	}
	for i := len(f.Accesses) - 1; i >= 0; i-- {
		if p := f.Accesses[i].Pos; p.IsValid() {
			return p
		}
	}
	for i := range f.Parties {
		if p := f.Parties[i].Pos; p.IsValid() {
			return p
		}
	}
	return Pos{}
}

// Times is Count, at least 1.
func (f *Finding) Times() uint64 { return max(f.Count, 1) }

// Fingerprint is 16 hexadecimal digits that are equal for the same bug found
// again: it depends on the rule, the kernel, the variable without its indexes,
// and the file name and line (without a line, the SPIR-V id) of each side, but not on
// threads, values, counts, columns or the folder the sources lie in.
func (f *Finding) Fingerprint() string {
	sides := make([]string, 0, len(f.Accesses)+len(f.Parties))
	for i := range f.Accesses {
		a := &f.Accesses[i]
		sides = append(sides, a.Kind+" "+place(a.Pos, idName(a.ID, a.Name)))
	}
	for i := range f.Parties {
		p := &f.Parties[i]
		sides = append(sides, p.What+" "+place(p.Pos, idName(p.ID, p.Name)))
	}
	sort.Strings(sides)
	parts := append([]string{f.Rule(), f.Kernel, f.Space, f.Variable.Name + f.Variable.Members, place(f.Pos, "%0")}, sides...)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// idName is an id by its name in the module's text or by its number, "" if
// there is none.
func idName(id uint32, name string) string {
	if name == "" && id != 0 {
		return fmt.Sprintf("%%%d", id)
	}
	return name
}

func place(p Pos, id string) string {
	if p.Line == 0 {
		if id == "" {
			return "%0"
		}
		return id
	}
	return fmt.Sprintf("%s:%d", path.Base(strings.ReplaceAll(p.File, `\`, "/")), p.Line)
}
