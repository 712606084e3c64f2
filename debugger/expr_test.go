package debugger

import (
	"strings"
	"testing"
)

// TestExpressions computes expressions at thread 5 (lane 1 of warp 1) on line
// 22, where total is -(5+6).
func TestExpressions(t *testing.T) {
	s := compiled(t, stepKernel, false, "-g")
	if err := s.SetFocus(ThreadID{0, 5}); err != nil {
		t.Fatal(err)
	}
	must(t)(s.Step(StepTo, ThreadScope, "22"))
	for text, want := range map[string]string{
		"total":                             "-11",
		"l":                                 "5",
		"total + l * 2":                     "-1",
		"-total / 2":                        "5",
		"total % 4":                         "1",
		"total < 0 && l == 5":               "true",
		"l > 5 ? 1 : 2":                     "2",
		"data[l]":                           "5",
		"data[l + 1] << 4":                  "96",
		"data[3]@4":                         "{3, 4, 5, 6}",
		"Data.data[63]":                     "63",
		"length(data)":                      "64",
		"sums[0]":                           "2",
		"sums":                              "{2, 6, -5, -7, 0, 0, 0, 0}",
		"gl_GlobalInvocationID":             "(5, 0, 0)",
		"gl_LocalInvocationID.x":            "5",
		"gl_WorkGroupSize.xy":               "(8, 1)",
		"lane":                              "1",
		"warp":                              "1",
		"tile":                              "(0, 0, 0)",
		"local.x + $lane":                   "6",
		"float(l) / 2":                      "2.5",
		"(float)l / 2":                      "2.5",
		"1.5f + 1":                          "2.5",
		"0x10 | 0b1":                        "17",
		"1u - 2u":                           "4294967295",
		"uint(-1)":                          "4294967295",
		"int(3.9)":                          "3",
		"vec3(1, 2, 3).zyx":                 "(3, 2, 1)",
		"vec2(1, 2) * 2":                    "(2, 4)",
		"ivec2(1, 2) == ivec2(1, 2)":        "true",
		"dot(vec3(1, 2, 3), vec3(1, 1, 1))": "6",
		"max(l, 7)":                         "7",
		"clamp(l, 0, 3)":                    "3",
		"abs(total)":                        "11",
		"sqrt(16)":                          "4",
		"~0":                                "-1",
		"!true":                             "false",
		"1 ? 2 : 3 ? 4 : 5":                 "2",
		"2 + 3 * 4 - 1":                     "13",
		"(2 + 3) * 4":                       "20",
		"1 << 2 + 1":                        "8",
		"7 & 3 == 3":                        "1",
		"true ^^ true":                      "false",
		"1e3":                               "1000",
		"3000000000":                        "3000000000",
		"5000000000":                        "5000000000",
		"i":                                 "2",
	} {
		e, err := ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		v, err := s.Eval(e, 0)
		if err != nil || v.Text != want {
			t.Errorf("%s = %s, %v; expected %s", text, v.Text, err, want)
		}
	}
	for text, want := range map[string]string{
		"1 +":           "expected a value, found the end",
		"(1":            "expected ')'",
		"data[":         "expected a value",
		"nothing":       "no variable nothing in main",
		"data[64]":      "index 64 is outside of 64 elements",
		"data[-1]":      "index -1 is outside",
		"1 / 0":         "division by zero",
		"total.y":       "no member y in a value of type int",
		"f(1)":          "no function f",
		"1 # 2":         `"#" is no part of an expression`,
		"l = 1":         "an assignment is not possible here",
		"vec3(1, 2)":    "a constructor of 3 components with 2",
		"1.0 & 2":       "no & of floating-point values",
		"%nosuch":       "no id %nosuch",
		"08":            "is no number",
		"1.5 % 2":       "no % of floating-point values",
		"$nosuch":       "no $nosuch",
		"vec2(1).z":     "no component z",
		"length(1,2,3)": "length takes 1 argument, found 3",
	} {
		e, err := ParseExpr(text)
		if err == nil {
			_, err = s.Eval(e, 0)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
	for format, want := range map[Format]string{'x': "0xfffffff5", 'u': "4294967285", 'd': "-11", 'o': "037777777765", 'b': "0b11111111111111111111111111110101", 'f': "nan(0xfffffff5)", 'c': "0xfffffff5"} {
		e, _ := ParseExpr("total")
		if v, err := s.Eval(e, format); err != nil || v.Text != want {
			t.Errorf("total/%c = %s, %v; expected %s", format, v.Text, err, want)
		}
	}
}

func TestAssignments(t *testing.T) {
	s := compiled(t, stepKernel, false, "-g")
	must(t)(s.Step(StepTo, ThreadScope, "22"))
	for _, c := range [][2]string{{"total = 7", "7"}, {"total += 3", "10"}, {"sums[3] = total", "10"}, {"data[9] -= 4", "5"}, {"total = 2.9", "2"}} {
		e, err := ParseExpr(c[0])
		if err != nil {
			t.Fatal(err)
		}
		if v, err := s.Set(e); err != nil || v.Text != c[1] {
			t.Errorf("%s gives %s, %v; expected %s", c[0], v.Text, err, c[1])
		}
	}
	if got := evalText(t, s, "total + sums[3] + data[9]"); got != "17" {
		t.Errorf("the changed places add up to %s", got)
	}
	for _, text := range []string{"5 = 1", "gl_WorkGroupID.x = 1", "total", "nothing = 1"} {
		e, err := ParseExpr(text)
		if err == nil {
			_, err = s.Set(e)
		}
		if err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

// FuzzParseExpr parses and computes: a value or an error.
func FuzzParseExpr(f *testing.F) {
	for _, text := range []string{
		"a[1].x + f(2, 3) * -b", "(int)x ? %12 : 0x1f", "x = y @ 3", "vec3(1.5, 2e-3f, .5).zyx", "((((", "1 .", "a . . b",
		"source[ivec2(3, local.y)].x", "imageLoad(cube, ivec3(1)).wzyx", "texelFetch(source, ivec2(1), -1)", "imageSize(o[1])", "o[8] @ 2", "cube[1,1,1][3]",
		"expected[1u, 1u]", "line[-1]", "&o[3]", "*&o[3]", "length(o)", "target", "%_",
		"{1, 2 <8 times>, {a = 1}}", "(1, 2.0)", "mat3(1) * mat3x2(vec2(1), vec2(2), 3, 4)", "float[2][](float[](1, 2), float[](3, 4))[1].length()", "nan(0x7f800001)", "-inf",
		"frexp(vec2(1, 3)).exponent", "umulExtended(1u, 2u, x, y)", "inverse(mat4(2)) == transpose(mat4(.5))", "x++ + --y", "'\\n' << 3", "pack64(unpack8(7))", "bitfieldInsert(1, 2, 3, 99)",
		strings.Repeat("length(", 150) + "1" + strings.Repeat(")", 150), strings.Repeat("(", 60) + "o[0]" + strings.Repeat(" @ 1)[0]", 60), "1e400LF % 0", "uint8_t(300) * 77us", "mix(1, 2, true)", "o.length()", "line.xy.yx[1]", "refract(vec2(1), vec2(2), 3) * mat2(1)",
	} {
		f.Add(text)
	}
	s := open(f, "features/storage_images.amber", Options{})
	if _, err := s.Break("13"); err != nil {
		f.Fatal(err)
	}
	must(f)(s.Continue())
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseExpr(text)
		if err != nil {
			return
		}
		s.Eval(e, 'x')
		s.TypeOf(e)
		s.Memory(e, 4, 2, 0)
		s.Picture(e, 3)
		s.newWatch(Watchpoint{Expr: text})
	})
}

// TestOuterFrames looks at the variables of the function that a call is in, in
// all threads that are there, changes one, and watches one.
func TestOuterFrames(t *testing.T) {
	s := open(t, "amp/nbody.amber", Options{})
	if _, err := s.Break("attraction"); err != nil {
		t.Fatal(err)
	}
	must(t)(s.Continue())
	if got := evalText(t, s, "position"); strings.Count(got, ",") != 2 {
		t.Errorf("the parameter is %s, expected three components", got)
	}
	if err := s.SetFrame(1); err != nil {
		t.Fatal(err)
	}
	if got := evalText(t, s, "position"); strings.Count(got, ",") != 3 {
		t.Errorf("the variable of the caller is %s, expected four components", got)
	}
	k := mustParse(t, "k")
	rows, err := s.Across(s.WarpThreads(), Table{Columns: []Column{{Name: "k", Expr: k}}})
	if err != nil || len(rows) != 4 || rows[3].Cells[0].Err != nil || rows[3].Cells[0].Text != "0" {
		t.Errorf("k in the warp: %+v, %v", rows, err)
	}
	if _, err := s.Set(mustParse(t, "k = 30")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Watch("k", WatchChange, 0); err != nil {
		t.Fatal(err)
	}
	s.Delete(1)
	if st := must(t)(s.Continue()); st.Watch == nil || st.Watch.Old != "30" || st.Watch.New != "31" {
		t.Errorf("stopped: %+v", st)
	}
}

// TestBuffersOfTheLaunch names buffers as the launch does, where the dispatch
// does not use them.
func TestBuffersOfTheLaunch(t *testing.T) {
	s := open(t, "features/rounds.amber", Options{})
	for text, want := range map[string]string{
		"copied[3]": "0", "step[0] * 2": "20", "sums": "{0, 0}", "values[7]": "7", "length(copied)": "16", "step": "{10}",
	} {
		if got := evalText(t, s, text); got != want {
			t.Errorf("%s is %s, expected %s", text, got, want)
		}
	}
	if _, err := s.Set(mustParse(t, "copied[3] = 9")); err != nil {
		t.Fatal(err)
	}
	changed := record(s, "")
	must(t)(s.Rewind(1))
	if got := evalText(t, s, "copied[3]"); got != "0" {
		t.Errorf("copied[3] is %s before the assignment", got)
	}
	if err := s.travel(changed.at); err != nil || fullHash(s) != changed.hash {
		t.Errorf("the state differs when the assignment is made again, %v", err)
	}
	if _, err := s.Eval(mustParse(t, "copied[16]"), 0); err == nil {
		t.Error("an element outside of the buffer")
	}
}

// TestSwizzledAssignments changes components of vectors and members of structs,
// and goes back to before it and on.
func TestSwizzledAssignments(t *testing.T) {
	s := compiled(t, `#version 450
layout(local_size_x = 4) in;
struct Rec { vec3 v; ivec2 n; };
layout(set = 0, binding = 0) buffer Data { Rec recs[]; };
void main() {
    vec4 w = vec4(1, 2, 3, 4);
    mat2 m = mat2(1, 2, 3, 4);
    int k = 5;
    recs[0].n.x = int(w.x + m[0].x) + k;
}
`, false, "-g")
	must(t)(s.Step(StepTo, ThreadScope, "9"))
	for _, c := range [][2]string{
		{"w.zx = vec2(30, 10)", "(10, 2, 30, 4)"}, {"w.rg += 1", "(11, 3, 30, 4)"}, {"w.stp = (7, 8, 9)", "(7, 8, 9, 4)"}, {"w = -w", "(-7, -8, -9, -4)"},
		{"m = -m", "{(-1, -2), (-3, -4)}"}, {"m[1].y = 40", "(-3, 40)"}, {"k++", "6"}, {"--k", "5"}, {"k <<= 2", "20"},
		{"recs[1].v.xy = vec2(1, 2)", "{v = (1, 2, 1.4e-44), n = (12, 13)}"}, {"recs[1] = {v = (4, 5, 6), n = (7, 8)}", "{v = (4, 5, 6), n = (7, 8)}"},
		{"recs[1] = Rec(vec3(9), ivec2(3))", "{v = (9, 9, 9), n = (3, 3)}"},
	} {
		e := mustParse(t, c[0])
		if _, err := s.Set(e); err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		of, _, _ := strings.Cut(strings.Trim(c[0], "+-"), " ")
		of, _, _ = strings.Cut(strings.TrimRight(of, "+-"), ".")
		of, _, _ = strings.Cut(of, "[1].y")
		if of = strings.TrimSpace(of); evalText(t, s, of) != c[1] {
			t.Errorf("after %s, %s is %s, expected %s", c[0], of, evalText(t, s, of), c[1])
		}
	}
	if got := evalText(t, s, "recs.length()"); got != "8" {
		t.Errorf("recs.length() is %s", got)
	}
	changed := record(s, "")
	must(t)(s.Rewind(1))
	if err := s.travel(changed.at); err != nil || fullHash(s) != changed.hash {
		t.Errorf("the state differs when the assignments are made again, %v", err)
	}
	for text, want := range map[string]string{
		"w.xx = vec2(1)": "a component is there twice", "w.xyq = vec2(1)": "no component xyq", "w = vec3(1)": "cannot assign a value of type vec3 to one of type vec4",
		"recs[1] = {n = (1, 2)}": "expected member v of Rec, found n", "recs[1] = {v = (1, 2, 3)}": "1 of the 2 parts", "w = {1, 2, ...}": "leaves elements out",
		"k = {1}": "a list for a value of type int", "w.xy.x.x = Rec(vec3(1), ivec2(1))": "cannot assign", "-w = w": "can be changed",
	} {
		if _, err := s.Set(mustParse(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
}
