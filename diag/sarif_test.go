package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// checkSARIF checks a log against the constraints of the SARIF 2.1.0 schema
// (OASIS, sections 3.13 and following) for the objects that WriteSARIF uses:
// required properties, no unknown ones, types, enumerations, minimums, unique
// rule ids, and references between results and rules.
func checkSARIF(log []byte) []string {
	var problems []string
	var root any
	if err := json.Unmarshal(log, &root); err != nil {
		return []string{err.Error()}
	}
	sarifObjects["log"].check(root, "log", &problems)
	if len(problems) > 0 {
		return problems
	}
	var doc sarifLog
	dec := json.NewDecoder(bytes.NewReader(log))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return []string{err.Error()}
	}
	for _, run := range doc.Runs {
		seen := map[string]int{}
		for i, rule := range run.Tool.Driver.Rules {
			if _, twice := seen[rule.ID]; twice {
				problems = append(problems, "rule "+rule.ID+" stands twice")
			}
			seen[rule.ID] = i
		}
		for _, res := range run.Results {
			if i, known := seen[res.RuleID]; known && (res.RuleIndex == nil || *res.RuleIndex != i) {
				problems = append(problems, "result of "+res.RuleID+" has the wrong ruleIndex")
			}
			ids := map[int]bool{}
			for _, l := range res.RelatedLocations {
				if ids[l.ID] {
					problems = append(problems, fmt.Sprint("related location id ", l.ID, " stands twice"))
				}
				ids[l.ID] = true
			}
		}
	}
	return problems
}

// sarifProperty is what the schema says of one property.
type sarifProperty struct {
	required bool
	kind     string   // "string", "uri", "bool", "map", or the name of an object
	array    bool     // an array of kind
	enum     []string // strings
	min      int      // numbers: the least value
}

type sarifObject map[string]sarifProperty

var level = sarifProperty{kind: "string", enum: []string{"none", "note", "warning", "error"}}

var sarifObjects = map[string]sarifObject{
	"log": {
		"$schema": {kind: "uri"},
		"version": {required: true, kind: "string", enum: []string{"2.1.0"}},
		"runs":    {required: true, kind: "run", array: true},
	},
	"run": {
		"tool":        {required: true, kind: "tool"},
		"invocations": {kind: "invocation", array: true},
		"results":     {kind: "result", array: true},
		"columnKind":  {kind: "string", enum: []string{"utf16CodeUnits", "unicodeCodePoints"}},
	},
	"tool": {"driver": {required: true, kind: "toolComponent"}},
	"toolComponent": {
		"name":    {required: true, kind: "string"},
		"version": {kind: "string"},
		"rules":   {kind: "reportingDescriptor", array: true},
	},
	"reportingDescriptor": {
		"id":                   {required: true, kind: "string"},
		"shortDescription":     {kind: "message"},
		"fullDescription":      {kind: "message"},
		"help":                 {kind: "message"},
		"defaultConfiguration": {kind: "reportingConfiguration"},
	},
	"reportingConfiguration": {"level": level},
	"message":                {"text": {required: true, kind: "string"}},
	"invocation": {
		"executionSuccessful":        {required: true, kind: "bool"},
		"toolExecutionNotifications": {kind: "notification", array: true},
		"properties":                 {kind: "map"},
	},
	"notification": {
		"level":     level,
		"message":   {required: true, kind: "message"},
		"locations": {kind: "location", array: true},
	},
	"result": {
		"ruleId":              {kind: "string"},
		"ruleIndex":           {kind: "number"},
		"level":               level,
		"message":             {required: true, kind: "message"},
		"locations":           {kind: "location", array: true},
		"relatedLocations":    {kind: "location", array: true},
		"partialFingerprints": {kind: "map"},
		"occurrenceCount":     {kind: "number", min: 1},
	},
	"location": {
		"id":               {kind: "number", min: 0},
		"message":          {kind: "message"},
		"physicalLocation": {kind: "physicalLocation"},
	},
	"physicalLocation": {
		"artifactLocation": {required: true, kind: "artifactLocation"},
		"region":           {kind: "region"},
	},
	"artifactLocation": {"uri": {required: true, kind: "uri"}},
	"region": {
		"startLine":   {required: true, kind: "number", min: 1},
		"startColumn": {kind: "number", min: 1},
		"endLine":     {kind: "number", min: 1},
		"endColumn":   {kind: "number", min: 1},
	},
}

func (o sarifObject) check(v any, path string, problems *[]string) {
	object, ok := v.(map[string]any)
	if !ok {
		*problems = append(*problems, path+": expected an object")
		return
	}
	for name, p := range o {
		if _, has := object[name]; p.required && !has {
			*problems = append(*problems, path+": lacks "+name)
		}
	}
	for name, value := range object {
		p, known := o[name]
		if !known {
			*problems = append(*problems, path+": unknown property "+name)
			continue
		}
		if !p.array {
			p.check(value, path+"."+name, problems)
			continue
		}
		items, ok := value.([]any)
		if !ok {
			*problems = append(*problems, path+"."+name+": expected an array")
			continue
		}
		for i, item := range items {
			p.check(item, fmt.Sprintf("%s.%s[%d]", path, name, i), problems)
		}
	}
}

func (p sarifProperty) check(v any, path string, problems *[]string) {
	bad := func(expected string) {
		*problems = append(*problems, fmt.Sprintf("%s: expected %s, found %v", path, expected, v))
	}
	switch p.kind {
	case "string", "uri":
		s, ok := v.(string)
		if !ok || s == "" && p.kind == "uri" {
			bad("a string")
		} else if len(p.enum) > 0 && !slices.Contains(p.enum, s) {
			bad("one of " + strings.Join(p.enum, ", "))
		}
		if _, err := url.Parse(s); p.kind == "uri" && (err != nil || strings.ContainsAny(s, ` \`)) {
			bad("a URI reference")
		}
	case "number":
		if n, ok := v.(float64); !ok || n != float64(int64(n)) || int(n) < p.min {
			bad(fmt.Sprintf("an integer of at least %d", p.min))
		}
	case "bool":
		if _, ok := v.(bool); !ok {
			bad("true or false")
		}
	case "map":
		m, ok := v.(map[string]any)
		if !ok {
			bad("an object")
		}
		for key, value := range m {
			if _, ok := value.(string); !ok || key == "" {
				bad("an object of strings")
			}
		}
	default:
		sarifObjects[p.kind].check(v, path, problems)
	}
}

func TestSARIFCheckerSeesFaults(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSARIF(&b, sampleReports(), "test"); err != nil {
		t.Fatal(err)
	}
	whole := b.String()
	for _, c := range []struct{ name, old, new string }{
		{"version", `"version": "2.1.0"`, `"version": "2.0.0"`},
		{"driver name", `"name": "ampdbg",`, ``},
		{"level", `"level": "warning"`, `"level": "bad"`},
		{"line 0", `"startLine": 9`, `"startLine": 0`},
		{"unknown property", `"ruleId"`, `"rule"`},
		{"uri", `"uri": "reduce.comp"`, `"uri": "re duce.comp"`},
		{"rule twice", `"id": "race/intra-tile"`, `"id": "race"`},
		{"message", `"message": {`, `"massage": {`},
	} {
		broken := strings.Replace(whole, c.old, c.new, 1)
		if broken == whole {
			t.Errorf("%s: %q is not in the log", c.name, c.old)
		} else if len(checkSARIF([]byte(broken))) == 0 {
			t.Errorf("%s: the checker saw nothing", c.name)
		}
	}
}

func TestFileURI(t *testing.T) {
	for file, want := range map[string]string{
		"a.comp":        "a.comp",
		"sub dir/a.amp": "sub%20dir/a.amp",
		"/tmp/a.comp":   "file:///tmp/a.comp",
		"a:b.comp":      "./a:b.comp",
	} {
		if got := fileURI(file); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", file, got, want)
		}
	}
}
