package cute

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// apply runs steps on a layout as text: the last layout or number.
func apply(t testing.TB, layout, steps string) (Step, error) {
	t.Helper()
	l := mustParse(t, layout)
	calls, err := ParseSteps(steps)
	if err != nil {
		return Step{}, err
	}
	var step Step
	for _, c := range calls {
		if step, err = l.Apply(c); err != nil {
			return step, err
		}
		l = step.Layout
	}
	return step, nil
}

// TestComplementReasons: the mode that repeats the whole is a reason where there is one; a whole that reaches the bound leaves none.
func TestComplementReasons(t *testing.T) {
	for _, c := range []struct {
		layout  string
		repeats bool
	}{{"4:1", true}, {"(4,3):(1,4)", true}, {"(4,6):(1,4)", false}, {"(4,7):(1,4)", false}} {
		step, err := apply(t, c.layout, "complement(24)")
		why := strings.Join(step.Why, "; ")
		if err != nil || strings.Contains(why, "repeats the layout") != c.repeats || strings.Contains(why, "no repetition fits") == c.repeats {
			t.Errorf("%s: %q, %v", c.layout, why, err)
		}
	}
}

// TestDocument: the worked examples of CUTLASS's media/docs/cpp/cute/01_layout.md and 02_layout_algebra.md at 7107b055.
func TestDocument(t *testing.T) {
	for _, c := range []struct{ layout, steps, want string }{
		{"(2,(1,6)):(1,(6,2))", "coalesce", "12:1"},
		{"(2,(1,6)):(1,(6,2))", "coalesce((1,1))", "(2,6):(1,2)"},
		{"(6,2):(8,2)", "composition((4,3):(3,1))", "((2,2),3):((24,2),8)"},
		{"20:2", "composition((5,4):(4,1))", "(5,4):(8,2)"},
		{"(10,2):(16,4)", "composition((5,4):(1,5))", "(5,(2,2)):(16,(80,4))"},
		{"(12,(4,8)):(59,(13,1))", "composition(<3:4,8:2>)", "(3,(2,4)):(236,(26,1))"},
		{"(12,(4,8)):(59,(13,1))", "composition((3,8))", "(3,(4,2)):(59,(13,1))"},
		{"4:1", "complement(24)", "6:4"},
		{"6:4", "complement(24)", "4:1"},
		{"(4,6):(1,4)", "complement(24)", "1:0"},
		{"4:2", "complement(24)", "(2,3):(1,8)"},
		{"(2,4):(1,6)", "complement(24)", "3:2"},
		{"(2,2):(1,6)", "complement(24)", "(3,2):(2,12)"},
		{"(4,2,3):(2,1,8)", "logical_divide(4:2)", "((2,2),(2,3)):((4,1),(2,8))"},
		{"(9,(4,8)):(59,(13,1))", "logical_divide(<3:3,(2,4):(1,8)>)", "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"},
		{"(9,(4,8)):(59,(13,1))", "zipped_divide(<3:3,(2,4):(1,8)>)", "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"},
		{"(9,(4,8)):(59,(13,1))", "tiled_divide(<3:3,(2,4):(1,8)>)", "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"},
		{"(9,(4,8)):(59,(13,1))", "flat_divide(<3:3,(2,4):(1,8)>)", "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"},
		{"(2,2):(4,1)", "logical_product(6:1)", "((2,2),(2,3)):((4,1),(2,8))"},
		{"(2,2):(4,1)", "logical_product((4,2):(2,1))", "((2,2),(4,2)):((4,1),(8,2))"},
		// A 2×5 row-major block over a 3×4 column-major arrangement; the document's picture has mode 0 coalesced.
		{"(2,5):(5,1)", "blocked_product((3,4):(1,3))", "((2,3),(5,4)):((5,10),(1,30))"},
		{"(2,5):(5,1)", "raked_product((3,4):(1,3))", "((3,2),(4,5)):((10,5),(30,1))"},
		{"(2,5):(5,1)", "logical_product(<3:5,4:6>)", "((2,3),(5,4)):((5,10),(1,30))"},
		// 01_layout.md: coordinates of (3,(2,3)):(3,(12,1)).
		{"(3,(2,3)):(3,(12,1))", "at(16)", "17"},
		{"(3,(2,3)):(3,(12,1))", "at(1,5)", "17"},
		{"(3,(2,3)):(3,(12,1))", "at((1,(1,2)))", "17"},
		{"(_4,(2,_2)) : (_2, (_1,_8))", "composition(A, 8) . size", "8"},
		{"(4,2)", "coalesce()", "8:1"},
		{"4:2", "left_inverse", "(2,4):(4,1)"},
		{"(8,4):(4,1)", "right_inverse left_inverse", "(8,4):(4,1)"},
	} {
		step, err := apply(t, c.layout, c.steps)
		if err != nil {
			t.Errorf("%s %s: %v", c.layout, c.steps, err)
			continue
		}
		got := step.Layout.String()
		if step.Value != nil {
			got = number0(*step.Value)
		}
		if got != c.want {
			t.Errorf("%s %s is %s, want %s", c.layout, c.steps, got, c.want)
		}
	}
}

func number0(n int) string { return argument{n: n}.String() }

// TestRefusals: a refusal has CuTe's condition with its numbers, and a hint that works.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ layout, step, condition, text, why, hint string }{
		{"(6,2):(8,2)", "composition(4:4)", "stride_divisibility", "stride divisibility condition: 4 and 6 do not divide each other",
			"composing 4:4 with mode 6:8 of (6,2):(8,2)", "instead of 4:4: 4:3 or 4:6"},
		{"(4,6):(1,8)", "composition(6:1)", "shape_divisibility", "shape divisibility condition: 4 elements fit this mode, and 4 does not divide 6",
			"composing 6:1 with mode 4:1 of (4,6):(1,8)", "instead of 6:1: 4:1 or 8:1"},
		{"(6,(4,6)):(1,(6,48))", "composition(<_,6>)", "shape_divisibility", "shape divisibility condition: 4 elements fit this mode, and 4 does not divide 6",
			"mode 1: composing 6:1 with mode 4:6 of (4,6):(6,48)", "instead of 6:1: 4:1 or 8:1"},
		{"(2,2):(2,3)", "complement", "injective", "complement needs modes that do not interleave: stride 3 is below 4, the reach of the smaller strides",
			"mode 2:3 of (2,2):(2,3); layout.hpp calls it non-injective", "complement of (2,2):(1,3) or (2,2):(2,4) exists"},
		{"4:-1", "complement(8)", "positive_strides", "complement needs positive strides, got -1", "mode 4:-1 of 4:-1", "complement of 4:1 exists"},
		{"(2,2,2):(1,3,8)", "left_inverse", "left_inverse_divisibility", "left inverse divisibility condition: stride 8 is not a multiple of stride 3",
			"mode 2:8 of (2,2,2):(1,3,8), by stride", "left_inverse of (2,2,2):(1,2,8) or (2,2,2):(1,4,8) exists"},
		{"(4,2):(1,4)", "composition((1,1,1))", "rank", "composition by mode: 3 entries for a layout of rank 2", "(4,2):(1,4) has 2 modes", ""},
		{"(3,5):(5,1)", "logical_divide(2:1)", "stride_divisibility", "stride divisibility condition: 2 and 3 do not divide each other",
			"composing 8:2 with mode 3:5 of (3,5):(5,1)", "instead of 2:1: 3:1"},
	} {
		_, err := apply(t, c.layout, c.step)
		var r *Refusal
		if !errors.As(err, &r) {
			t.Errorf("%s %s: %v", c.layout, c.step, err)
			continue
		}
		if r.Condition != c.condition || r.Text != c.text || r.Why != c.why || r.Hint != c.hint {
			t.Errorf("%s %s:\n%q\n%q\n%q\n%q", c.layout, c.step, r.Condition, r.Text, r.Why, r.Hint)
		}
	}
}

// TestWarnings: layout.hpp and pycute do not check that modes of B together carry over a mode of A; the result is then not
// A(B(i)), and a warning has the first coordinate that shows it.
func TestWarnings(t *testing.T) {
	step, err := apply(t, "(12,2):(1,100)", "composition((2,2,2):(6,4,3))")
	if err != nil || step.Layout.String() != "(2,2,2):(6,4,3)" || len(step.Warnings) != 1 ||
		!strings.HasPrefix(step.Warnings[0], "the result is not A∘B at 7: A(B(7)) = A(13) = 101, but the result has 13; ") {
		t.Errorf("%s, %q, %v", step.Layout, step.Warnings, err)
	}
}

// TestTrailingModes: outside of A's domain, a last mode of size 1 continues in layout.hpp, which gives 6:3, (8,2):(1,5) and
// (8,2):(1,1) for the first three; pycute drops it. The note names both, the warning the first index; neither is there if the
// mode's stride changes nothing, or if the tiles of a divide reach beyond A anyway.
func TestTrailingModes(t *testing.T) {
	for _, c := range []struct{ a, step, want, note, warning string }{
		{"1:3", "composition(6:1)", "6:0", "6:1 reaches index 5, outside A's domain 0…0: mode 1:0 continues, as in pycute; in layout.hpp A's last mode 1:3 does",
			"the result is not A∘B at 1: A(B(1)) = A(1) = 3, but the result has 0; index 1 is outside A's domain, and A's last mode 1:3 is dropped, as in pycute"},
		{"(8,1):(1,5)", "composition(16:1)", "16:1", "16:1 reaches index 15, outside A's domain 0…7: mode 8:1 continues, as in pycute; in layout.hpp A's last mode 1:5 does",
			"the result is not A∘B at 8: A(B(8)) = A(8) = 5, but the result has 8; index 8 is outside A's domain, and A's last mode 1:5 is dropped, as in pycute"},
		{"(8,1,1):(1,5,1)", "composition(16:1)", "16:1", "16:1 reaches index 15, outside A's domain 0…7: mode 8:1 continues, as in pycute; in layout.hpp A's last mode 1:1 does",
			"the result is not A∘B at 8: A(B(8)) = A(8) = 1, but the result has 8; index 8 is outside A's domain, and A's last mode 1:1 is dropped, as in pycute"},
		{"(8,1):(1,8)", "composition(16:1)", "16:1", "16:1 reaches index 15, outside A's domain 0…7: mode 8:1 continues", ""},
		{"(4,2):(2,1)", "composition(16:1)", "(4,4):(2,1)", "16:1 reaches index 15, outside A's domain 0…7: mode 2:1 continues", ""},
		{"(8,1):(1,5)", "composition(8:1)", "8:1", "", ""},
		{"(9,1):(1,5)", "logical_divide(2)", "(2,5):(1,2)",
			"tile 2 · tiles 5 = 10 elements for a layout of 9: the last tiles reach beyond A, as CuTe's do, and need predication", ""},
		{"(2,3,2,1):(18,2,1,5)", "logical_divide((2,4):(4,12))", "((2,4),(2,2)):((4,2),(18,2))",
			"2:4: stride 2 does not divide 3: pycute refuses it; layout.hpp accepts it, and the 2 elements stay in mode 3:2|" +
				"tile 8 · tiles 4 = 32 elements for a layout of 12: the last tiles reach beyond A, as CuTe's do, and need predication",
			"the result is not A∘B at 17: A(B(17)) = A(6) = 1, but the result has 6; modes of B together carry over mode 3:2 of A, which CuTe does not check"},
	} {
		step, err := apply(t, c.a, c.step)
		if err != nil || step.Layout.String() != c.want || strings.Join(step.Notes, "|") != c.note || strings.Join(step.Warnings, "|") != c.warning {
			t.Errorf("%s %s: %s, %q, %q, %v", c.a, c.step, step.Layout, step.Notes, step.Warnings, err)
		}
	}
}

// TestSharedRepetitions: a product whose repetitions share an index, because a stride of A is not a multiple of what is below it,
// is CuTe's answer with a warning.
func TestSharedRepetitions(t *testing.T) {
	for _, c := range []struct{ a, b, want, warning string }{
		{"(2,2,2):(3,1,12)", "2:2", "((2,2,2),2):((3,1,12),12)",
			"repetitions share index 12: rest = 2:6 has 2 elements, and B = 2:2 reaches 2, which CuTe does not check"},
		{"(1,2,3,2):(1,12,1,4)", "2:1", "((1,2,3,2),2):((1,12,1,4),0)",
			"repetitions share index 0: rest = 1:0 has 1 element, and B = 2:1 reaches 1, which CuTe does not check"},
	} {
		step, err := apply(t, c.a, "logical_product("+c.b+")")
		if err != nil || step.Layout.String() != c.want || len(step.Warnings) != 1 || step.Warnings[0] != c.warning {
			t.Errorf("%s × %s: %s, %q, %v", c.a, c.b, step.Layout, step.Warnings, err)
		}
	}
}

// TestMisuse: malformed layouts and operations are usage errors; numbers that overflow an int or exceed the limits are unsupported. Time
// and memory do not grow with the numbers.
func TestMisuse(t *testing.T) {
	deep := strings.Repeat("(", 40) + "2" + strings.Repeat(")", 40)
	wide := "(" + strings.Repeat("1,", 300) + "1)"
	for _, c := range []struct {
		layout, steps string
		class         fault.Class
		text          string
	}{
		{"(4,2):(1", "", fault.Usage, `"(4,2):(1": expected a comma or ), found the end`},
		{"(4,2):(1,2,3)", "", fault.Usage, `"(4,2):(1,2,3)": shape (4,2) and strides (1,2,3) nest differently`},
		{"(4,2):(1,(2))", "", fault.Usage, `"(4,2):(1,(2))": shape 2 and strides (2) nest differently`},
		{"(4,0)", "", fault.Usage, `"(4,0)": size 0 is below 1`},
		{"()", "", fault.Usage, `"()": an empty tuple has no modes`},
		{"(4,_):(1,4)", "", fault.Usage, `"(4,_):(1,4)": _ is not a size or a stride`},
		{"<4,2>", "", fault.Usage, `"<4,2>": <4,2> is not a layout`},
		{"4:2 x", "", fault.Usage, `"4:2 x": expected the end, found "x" at byte 4`},
		{"4:\x1b[31m", "", fault.Usage, `"4:\x1b[31m": expected an integer or a tuple, found "\x1b" at byte 2`},
		{"99999999999999999999", "", fault.Usage, `"99999999999999999999": 99999999999999999999 is out of range`},
		{"cute::Swizzle<3,4,3>{} o (8,64):(64,1)", "", fault.Unsupported,
			`"cute::Swizzle<3,4,3>{} o (8,64):(64,1)": swizzled layouts are not supported: operations on them do not return shape:strides`},
		{"(SW_3_4_3 o 0 o (8,64):(64,1))", "", fault.Unsupported,
			`"(SW_3_4_3 o 0 o (8,64):(64,1))": swizzled layouts are not supported: operations on them do not return shape:strides`},
		{"(8,64):(64,1)", "composition(S<3,4,3> o 0 o (8,64):(64,1))", fault.Unsupported,
			`"composition(S<3,4,3> o 0 o (8,64):(64,1))": swizzled layouts are not supported: operations on them do not return shape:strides`},
		{"(8,64):(64,1)", "composition(A, <Sw<3,4,3>,_>)", fault.Unsupported,
			`"composition(A, <Sw<3,4,3>,_>)": swizzled layouts are not supported: operations on them do not return shape:strides`},
		{"(8,64):(64,1)", "composition(B 4)", fault.Usage, `"composition(B 4)": expected a comma after the name of the layout, found "4" at byte 14`},
		{"Sw<3,4,3> o 0 o (8,64):(64,1)", "", fault.Unsupported,
			`"Sw<3,4,3> o 0 o (8,64):(64,1)": swizzled layouts are not supported: operations on them do not return shape:strides`},
		{deep, "", fault.Usage, ""},
		{wide, "", fault.Unsupported, "layout has 301 modes: the limit is 256"},
		{strings.Repeat("1", 5000), "", fault.Usage, "text of 5000 bytes is too long: the limit is 4096"},
		{"4:1", "coalesc", fault.Usage, `unknown operation "coalesc"`},
		{"4:1", "transpose", fault.Usage, `unknown operation "transpose"`},
		{"4:1", "complement(8, 9)", fault.Usage, "complement(8, 9): extra argument"},
		{"4:1", "composition", fault.Usage, "composition: missing B"},
		{"4:1", "complement(0)", fault.Usage, "complement(0): complement requires an integer of at least 1, got 0"},
		{"4:1", "composition(0)", fault.Usage, "composition(0): size 0 is below 1"},
		{"4:1", "coalesce(4:1)", fault.Usage, "coalesce(4:1): coalesce requires a profile, a tuple of integers, got 4:1"},
		{"4:1", "blocked_product(4)", fault.Usage, "blocked_product(4): blocked_product requires a layout, got 4"},
		{"(4,2):(1,4)", "at(1,2,3)", fault.Usage, "at(1,2,3): coordinate (1,2,3) does not fit (4,2):(1,4), which has 2 modes"},
		{"4:1", "at(-1)", fault.Usage, "at(-1): coordinate -1 is negative"},
		{"4:1", "", fault.Usage, "empty step"},
		{"4:1", "(2)", fault.Usage, `"(2)": expected an operation, found "(" at byte 0`},
		{"4:1", "coalesce(1", fault.Usage, `"coalesce(1": expected a comma or ), found the end`},
	} {
		l, err := ParseLayout(c.layout)
		if err == nil {
			var calls []Call
			if calls, err = ParseSteps(c.steps); err == nil {
				_, err = l.Apply(calls[0])
			}
		}
		if err == nil || fault.ClassOf(err) != c.class || c.text != "" && err.Error() != c.text {
			t.Errorf("%s %s: class %d, %v", c.layout, c.steps, fault.ClassOf(err), err)
		}
	}
}

// TestOverflow: numbers near the limit of an int are computed or refused, never wrapped.
func TestOverflow(t *testing.T) {
	big := number0(math.MaxInt)
	half := number0(math.MaxInt / 2)
	for _, c := range []struct {
		layout, steps string
		ok            bool
	}{
		{big + ":1", "coalesce complement right_inverse size cosize", true},
		{big + ":2", "size", false},
		{"2:" + big, "size", false},
		{"(2,2):(" + half + ",1)", "size", true},
		{"(2,2,2):(" + half + "," + half + ",1)", "size", false},
		{"(" + half + ",4)", "size", false},
		{"4:" + number0(math.MinInt), "size", false},
		{half + ":1", "complement(" + big + ")", false},
		{half + ":1", "logical_product(3:1)", false},
		{"(2,2):(1," + number0(math.MaxInt/4) + ")", "composition(2:8)", false},
		{"4:1", "at(" + big + ")", true},
		{"4:2", "at(" + big + ")", false},
		{"4:1", "composition(" + half + ":1) composition(" + half + ":2) size", true},
		{"4:4", "composition(" + half + ":1)", false},
	} {
		l, err := ParseLayout(c.layout)
		if err == nil {
			var calls []Call
			if calls, err = ParseSteps(c.steps); err != nil {
				t.Fatal(err)
			}
			for _, call := range calls {
				var step Step
				if step, err = l.Apply(call); err != nil {
					break
				}
				l = step.Layout
			}
		}
		if (err == nil) != c.ok || err != nil && fault.ClassOf(err) != fault.Unsupported {
			t.Errorf("%s %s: %v", c.layout, c.steps, err)
		}
	}
}

// FuzzChain: no text makes parsing or a chain fail otherwise than by an error, and what is printed of a layout parses to it.
func FuzzChain(f *testing.F) {
	f.Add("(4,(2,2)):(2,(1,8))", "coalesce((1,1)) composition((2,2):(1,2)) complement(24) logical_divide(<2:1,_>) right_inverse at(1,(0,1))")
	f.Add("(6,2):(8,2)", "composition(4:4)")
	f.Add("(_4,2):(-1,0)", "zipped_product(A, (2,3)) left_inverse cosize raked_product((3,4):(1,3))")
	f.Add("(1000000000000,3)", "flat_divide(7) tiled_product(5:3)")
	f.Fuzz(func(t *testing.T, layout, steps string) {
		l, err := ParseLayout(layout)
		if err != nil {
			return
		}
		calls, err := ParseSteps(steps)
		if err != nil {
			return
		}
		for _, c := range calls[:min(len(calls), 8)] {
			again, err := ParseLayout(l.String())
			if len(l.String()) <= maxText && (err != nil || !again.equal(l)) {
				t.Fatalf("%s parses to %s, %v", l, again, err)
			}
			step, err := l.Apply(c)
			var refusal *Refusal
			if errors.As(err, &refusal) {
				if refusal.Text == "" || refusal.Why == "" || refusal.Condition == "" {
					t.Fatalf("%s %s: %+v", l, c.Text, refusal)
				}
				return
			}
			if err != nil {
				if class := fault.ClassOf(err); class != fault.Usage && class != fault.Unsupported {
					t.Fatalf("%s %s: %v", l, c.Text, err)
				}
				return
			}
			if step.Layout.Size() < 1 || step.Layout.Cosize() < 1 {
				t.Fatalf("%s %s: %s of size %d, cosize %d", l, c.Text, step.Layout, step.Layout.Size(), step.Layout.Cosize())
			}
			l = step.Layout
		}
	})
}
