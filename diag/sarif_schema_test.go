package diag

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// TestSARIFFollowsTheSchema validates the golden logs against the SARIF 2.1.0
// schema of OASIS, which go-sarif carries. go-sarif reads a log into its own
// types first; that nothing of ours is lost there is checked as well.
func TestSARIFFollowsTheSchema(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sarif")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden logs", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		log, err := sarif.FromBytes(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, run := range log.Runs {
			// go-sarif writes these out, empty, where a log leaves them out; give
			// them the schema's defaults.
			run.NewlineSequences = []string{"\r\n", "\n"}
			run.Language, run.Tool.Driver.Language = "en-US", "en-US"
		}
		if err := log.Validate(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		again, err := json.Marshal(log)
		if err != nil {
			t.Fatal(err)
		}
		var ours, theirs any
		if err := json.Unmarshal(data, &ours); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &theirs); err != nil {
			t.Fatal(err)
		}
		if path := lost(ours, theirs, "log"); path != "" {
			t.Errorf("%s: %s is no property that go-sarif knows, or has another value there", file, path)
		}
	}
}

// lost finds a value of a that b does not have in its place, "" if there is
// none.
func lost(a, b any, path string) string {
	switch a := a.(type) {
	case map[string]any:
		m, _ := b.(map[string]any)
		for k, v := range a {
			if p := lost(v, m[k], path+"."+k); p != "" {
				return p
			}
		}
		return ""
	case []any:
		list, _ := b.([]any)
		if len(list) != len(a) {
			return path
		}
		for i := range a {
			if p := lost(a[i], list[i], path+"[]"); p != "" {
				return p
			}
		}
		return ""
	}
	if b == nil && (a == float64(0) || a == false || a == "") {
		return "" // left out as the default
	}
	if !reflect.DeepEqual(a, b) {
		return path
	}
	return ""
}
