package diag

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// WriteJSON writes reports as one JSON object {"reports": [...]}. Each report
// has the keys name, findings, errors and coverage, which counts no accesses if
// no checker ran; findings and errors have code, severity and message. Other fields that
// are unknown are left out. Positions are flat: file, line, column.
func WriteJSON(w io.Writer, reports []*Report) error {
	doc := jsonDocument{Reports: make([]jsonReport, 0, len(reports))}
	for _, r := range reports {
		doc.Reports = append(doc.Reports, toJSON(r))
	}
	return writeIndented(w, doc)
}

func writeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

type jsonDocument struct {
	Reports []jsonReport `json:"reports"`
}

type jsonReport struct {
	Name     string        `json:"name"`
	Findings []jsonFinding `json:"findings"`
	Errors   []jsonError   `json:"errors"`
	Coverage jsonCoverage  `json:"coverage"`
	Data     any           `json:"data,omitempty"`
}

type jsonCoverage struct {
	Checked    uint64          `json:"checked"`
	NotChecked uint64          `json:"not_checked"`
	Reasons    []jsonUnchecked `json:"reasons"`
	Schedules  int             `json:"schedules"`
	Exact      bool            `json:"exact"`
	Traced     []string        `json:"traced,omitempty"`
}

type jsonUnchecked struct {
	Count uint64 `json:"count"`
	Why   string `json:"why"`
}

type jsonPos struct {
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
}

type jsonError struct {
	Code     string `json:"code"`  // the class of the failure
	Class    string `json:"class"` // likewise, under the name that it has had
	Severity string `json:"severity"`
	Message  string `json:"message"`
	jsonPos
}

type jsonFinding struct {
	Code     Code   `json:"code"`
	Class    string `json:"class,omitempty"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Variable string `json:"variable,omitempty"`
	Space    string `json:"space,omitempty"`
	Kernel   string `json:"kernel,omitempty"`
	jsonPos
	Accesses    []jsonAccess `json:"accesses,omitempty"`
	Parties     []jsonParty  `json:"parties,omitempty"`
	Notes       []jsonNote   `json:"notes,omitempty"`
	Stack       []jsonFrame  `json:"stack,omitempty"`
	Count       uint64       `json:"count"`
	Fingerprint string       `json:"fingerprint"`
}

type jsonThread struct {
	Thread   uint32    `json:"thread"`
	Lane     uint32    `json:"lane"`
	Warp     uint32    `json:"warp"`
	Tile     [3]uint32 `json:"tile"`
	GlobalID [3]uint32 `json:"global_id"`
}

type jsonAccess struct {
	Kind   string `json:"kind"`
	Object string `json:"object,omitempty"`
	jsonThread
	jsonPos
	SpirvID uint32      `json:"spirv_id,omitempty"`
	Name    string      `json:"spirv_name,omitempty"`
	Old     string      `json:"old,omitempty"`
	New     string      `json:"new,omitempty"`
	Stack   []jsonFrame `json:"stack,omitempty"`
}

type jsonParty struct {
	Who   string     `json:"who"`
	What  string     `json:"what"`
	Count int        `json:"count"`
	First jsonThread `json:"first"`
	jsonPos
	SpirvID uint32 `json:"spirv_id,omitempty"`
	Name    string `json:"spirv_name,omitempty"`
}

type jsonNote struct {
	Message string `json:"message"`
	jsonPos
}

type jsonFrame struct {
	Function string `json:"function"`
	jsonPos
}

func toJSON(r *Report) jsonReport {
	out := jsonReport{Name: r.Name, Findings: []jsonFinding{}, Errors: []jsonError{}, Data: r.Data, Coverage: jsonCoverage{Reasons: []jsonUnchecked{}}}
	for i := range r.Findings {
		out.Findings = append(out.Findings, findingJSON(&r.Findings[i]))
	}
	for _, e := range r.Errors {
		bare := Error{Msg: e.Msg, Err: e.Err}
		out.Errors = append(out.Errors, jsonError{
			Code: e.Class.String(), Class: e.Class.String(), Severity: SeverityError.String(), Message: bare.Error(), jsonPos: posJSON(e.Pos),
		})
	}
	if c := r.Coverage; c != nil {
		out.Coverage.Checked = c.Checked
		for _, u := range c.Unchecked {
			out.Coverage.NotChecked += u.Count
			out.Coverage.Reasons = append(out.Coverage.Reasons, jsonUnchecked(u))
		}
		out.Coverage.Schedules, out.Coverage.Exact, out.Coverage.Traced = max(c.Schedules, 1), c.Exact(), c.Traced
	}
	return out
}

func findingJSON(f *Finding) jsonFinding {
	out := jsonFinding{
		Code: f.Code, Class: f.Class, Severity: f.Severity.String(), Message: f.Message,
		Variable: f.Variable.String(), Space: f.Space, Kernel: f.Kernel, jsonPos: posJSON(f.Position()),
		Stack: stackJSON(f.Stack), Count: f.Times(), Fingerprint: f.Fingerprint(),
	}
	for _, a := range f.Accesses {
		object := a.Object
		if object == "" {
			object = f.Variable.String()
		}
		out.Accesses = append(out.Accesses, jsonAccess{
			Kind: a.Kind, Object: object, jsonThread: threadJSON(a.Thread), jsonPos: posJSON(a.Pos),
			SpirvID: spirvID(a.ID, a.Name), Name: a.Name, Old: a.Old, New: a.New, Stack: stackJSON(a.Stack),
		})
	}
	for _, p := range f.Parties {
		out.Parties = append(out.Parties, jsonParty{
			Who: p.Who, What: p.What, Count: p.Count, First: threadJSON(p.First), jsonPos: posJSON(p.Pos), SpirvID: spirvID(p.ID, p.Name), Name: p.Name,
		})
	}
	for _, n := range f.Notes {
		out.Notes = append(out.Notes, jsonNote{Message: n.Msg, jsonPos: posJSON(n.Pos)})
	}
	return out
}

// spirvID is an id's number where its module is read: in the text, if that is
// what the module came as. An id that the text gives a name has none.
func spirvID(id uint32, name string) uint32 {
	if name == "" {
		return id
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(name, "%"), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

func posJSON(p Pos) jsonPos {
	return jsonPos{File: p.File, Line: p.Line, Column: p.Col, EndLine: p.EndLine, EndColumn: p.EndCol}
}

func threadJSON(t Thread) jsonThread {
	return jsonThread{Thread: t.Local, Lane: t.Lane, Warp: t.Warp, Tile: t.Tile, GlobalID: t.Global}
}

func stackJSON(frames []Frame) []jsonFrame {
	var out []jsonFrame
	for _, f := range frames {
		out = append(out, jsonFrame{Function: f.Func, jsonPos: posJSON(f.Pos)})
	}
	return out
}
