package expr

import (
	"strings"
	"testing"
)

// TestParseErrors reads the column and the sentence of each error.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"1 +":                             "column 4: expected a value, found the end",
		"(1":                              "column 3: expected ')', found the end",
		"a[":                              "column 3: expected a value, found the end",
		"a[]":                             "column 4: expected an index, or '(' and the elements of an array, found the end",
		"a[1 2]":                          `column 5: expected ',' or ']', found "2"`,
		"f(1 2)":                          `column 5: expected ',' or ')', found "2"`,
		"1 # 2":                           `column 3: "#" is no part of an expression`,
		"1 ä 2":                           `column 3: expected an operator or the end, found "ä"`,
		"08":                              `column 1: "08" is no number`,
		"1x":                              `column 1: "1x" is no number`,
		"a ? b":                           "column 6: expected ':', found the end",
		"a.":                              "column 3: expected a member or a swizzle, found the end",
		"a.size()":                        "column 3: values have no function size(); there is length()",
		"a.length(1)":                     `column 10: expected ')': length() takes no arguments, found "1"`,
		"1, 2":                            "column 2: expected one expression; a vector is written (1, 2) or vec2(1, 2)",
		"{1, 2":                           "column 6: expected ',' or '}', found the end",
		"'ab'":                            "column 1: 'ab' is no character",
		"'a":                              "column 1: expected a second ' after the character",
		"(a)(1)":                          "column 4: what stands before this cannot be called",
		"99999999999999999999":            `column 1: "99999999999999999999" is no number`,
		"":                                "column 1: expected a value, found the end",
		"{1 <99999999 times>}":            "more than 65536 elements",
		strings.Repeat("(", 500):          "nested more than 200 deep",
		strings.Repeat("-", 20000) + "1":  "nested more than 200 deep",
		"1" + strings.Repeat("+1", 20000): "more than 16384 parts",
		"a" + strings.Repeat(".x", 20000): "more than 16384 parts",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, expected %q", text, err, want)
		}
	}
}

// TestColumns finds operators and names where they stand.
func TestColumns(t *testing.T) {
	n, err := Parse("  ab + f(x) * -3")
	if err != nil {
		t.Fatal(err)
	}
	sum := n.(*Binary)
	product := sum.Y.(*Binary)
	if sum.Col() != 6 || sum.X.Col() != 3 || product.Col() != 13 || product.X.Col() != 8 || product.Y.Col() != 15 {
		t.Errorf("columns %d %d %d %d %d", sum.Col(), sum.X.Col(), product.Col(), product.X.Col(), product.Y.Col())
	}
}
