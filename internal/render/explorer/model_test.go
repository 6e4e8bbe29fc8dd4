package explorer

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tlayout/tlayout/internal/tensor"
)

// modelTab opens a page with only the model.
func modelTab(t *testing.T) *tab {
	t.Helper()
	var script strings.Builder
	for _, name := range models {
		script.WriteString(file(name))
	}
	b := newTab(t)
	b.load("<!doctype html><meta charset=utf-8><title>model</title><script>\"use strict\";\n"+script.String()+"</script>", "")
	return b
}

// each calls a JavaScript function on all questions at once. It rejects answers with numbers that JSON cannot represent, which would become
// 0.
func each[A, Q any](b *tab, function string, questions []Q) []A {
	b.t.Helper()
	const finite = `(key, x) => {
		if (typeof x === "number" && !Number.isFinite(x)) throw new Error(key + " is " + x);
		return x;
	}`
	answers := value[[]A](b, fmt.Sprintf("((list) => (JSON.stringify(list, %s), list))(%s.map(%s))", finite,
		jsonOf(b.t, questions), function))
	if len(answers) != len(questions) {
		b.t.Fatalf("%d answers to %d questions", len(answers), len(questions))
	}
	return answers
}

// compare compares both models on layouts.
func compare(b *tab, seed uint64, layouts []tensor.Layout) {
	b.t.Helper()
	d := rand.New(rand.NewPCG(seed, 0))
	questions := make([]question, len(layouts))
	for i, l := range layouts {
		questions[i] = askOf(d, l)
	}
	wrong := 0
	for i, got := range each[answer](b, modelAnswer, questions) {
		if want := goAnswer(layouts[i], questions[i]); canonical(b.t, got) != canonical(b.t, want) && wrong < 5 {
			wrong++
			b.t.Errorf("%s in a storage of %d (-Go +JavaScript):\n%s", layouts[i], layouts[i].Alloc(),
				cmp.Diff(want, got, cmpopts.EquateEmpty()))
		}
	}
}

// canonical returns a value as JSON, in which nil and empty lists are equal.
func canonical(t testing.TB, x any) string { return strings.ReplaceAll(jsonOf(t, x), "null", "[]") }

func jsonOf(t testing.TB, x any) string {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestBrowserModel: all functions of a layout agree with Go's, over all kinds of layouts.
func TestBrowserModel(t *testing.T) {
	b := modelTab(t)
	d := rand.New(rand.NewPCG(7, 0))
	seen := map[string]int{}
	layouts := rareLayouts(t)
	for len(layouts) < 2000 {
		l := drawLayout(t, d)
		layouts = append(layouts, l)
		for _, kind := range kindsOf(l) {
			seen[kind]++
		}
	}
	for _, kind := range allKinds {
		if seen[kind] < 20 {
			t.Errorf("only %d layouts are %s", seen[kind], kind)
		}
	}
	t.Log(seen)
	for batch := range slices.Chunk(layouts, 500) {
		compare(b, uint64(len(batch)), batch)
	}
}

// TestBrowserModelLargeBytes: byte counts of any size are written exactly.
func TestBrowserModelLargeBytes(t *testing.T) {
	b := modelTab(t)
	got := value[string](b, `model.addressText(model.strided(["W"], [3], [2 ** 51 + 1], 0), [2], 16)`)
	if want := "{2} · {36028797018963984} = 2·36028797018963984 = 72057594037927968"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestBrowserModelRefuses: invalid layouts and inexact numbers are refused with the reason.
func TestBrowserModelRefuses(t *testing.T) {
	b := modelTab(t)
	order := `{names: ["N", "C"], axes: [{dim: 0, div: 1, extent: 0}, {dim: 1, div: 1, extent: 0}]}`
	for _, c := range []struct{ expression, want string }{
		{`model.strided(["H"], [2 ** 53], [1], 0)`, "9007199254740992, not an integer within ±(2^53 − 1)"},
		{`model.strided(["H"], [1.5], [1], 0)`, "the size of H is 1.5, not an integer"},
		{`model.strided(["H"], ["3"], [1], 0)`, "the size of H is 3, not an integer"},
		{`model.strided(["H"], [-1], [1], 0)`, "the size of H is -1, which is negative"},
		{`model.strided(["H"], [3], [NaN], 0)`, "a stride of H is NaN"},
		{`model.strided(["H"], [3], [2 ** 52], 0)`, "the reach of H is 9007199254740992"},
		{`model.strided(["H"], [2], [2 ** 53 - 1], 1)`, "the highest address is 9007199254740992"},
		{`model.layout([{name: "H", size: 2, digits: [{div: 1, extent: 2, stride: 2 ** 53 - 2}]}], 1, 9)`,
			"the storage is 9007199254740992"},
		{`model.layout([{name: "H", size: 2, digits: [{div: 1, extent: 2, stride: 2 ** 53 - 1}]}], -9, 9)`,
			"the storage is 9007199254740992"},
		{`model.strided(["H", "W"], [2 ** 27, 2 ** 27], [0, 0], 0)`, "the number of elements is 18014398509481984"},
		{`model.strided(["H", "W"], [2, 3], [3], 0)`, "2 sizes and 1 strides for 2 dims"},
		{`model.strided(["H"], [3], [-1], 1)`, "an element is at offset -1, before the storage"},
		{`model.strided(["H"], [3], [1], 1, 3)`, "an element is at offset 3, past the end of a storage of 3"},
		{`model.layout([{name: "C", size: 5, digits: [{div: 1, extent: 4, stride: 1}, {div: 2, extent: 3, stride: 4}]}], 0)`,
			"digit 1 of dim C divides by 2, expected 4"},
		{`model.layout([{name: "C", size: 5, digits: [{div: 1, extent: 4, stride: 1}]}], 0)`, "last digit of extent 5, found 4"},
		{`model.layout([{name: "C", size: 5, digits: []}], 0)`, "dim C has no digits"},
		{`model.bind(` + order + `, [3])`, "an order of 2 dims, a shape of 1"},
		{`model.bind(` + order + `, [2 ** 30, 2 ** 30])`, "the number of elements is 1152921504606847000"},
		{`model.pad(` + order + `, [3, 3], 0)`, "a pitch of 0"},
		{`model.pad(` + order + `, [3, 3], [{dim: "W", align: 4}])`, "pitch W: no dim of this name"},
		{`model.withBlock(` + order + `, 0)`, "a block of 0"},
		{`model.walk(model.bind(` + order + `, [3, 3]), "channel")`, "need a dim C and a spatial dim; the dims are N, C"},
		{`model.walk(model.strided(["C", "W"], [2, 2], [2, 1], 0), "sideways")`, "unknown pattern sideways"},
		{`model.paddingText(model.strided(["W"], [2], [1], 0), 1)`, "an element is at offset 1"},
		{`new model.Cache(64, 0)`, "a cache of 0 lines of 64 B"},
		{`new model.Cache(64, 1).access(-1, 4)`, "an address is -1, which is negative"},
	} {
		script := "(() => { try { " + c.expression + "; return 'nothing' } catch (e) { return e.name + ': ' + e.message } })()"
		got := value[string](b, script)
		if !strings.HasPrefix(got, "RangeError: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.expression, got, c.want)
		}
	}
}

// TestBrowserModelGivesUp: an endless search gives up after as many steps as Go's, and counting elements stops at a limit.
func TestBrowserModelGivesUp(t *testing.T) {
	b := modelTab(t)
	s, err := tensor.NewStrided(slices.Repeat([]int{8}, 7), slices.Repeat([]int{2}, 7), 0)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Layout(nil, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	for off, ends := range map[int]bool{1: true, 7: true, 49: false} {
		found, complete := l.Find(off, findLimit)
		if complete != ends {
			t.Errorf("the search at %d comes to an end: %v", off, complete)
		}
		script := fmt.Sprintf(`((found) => found.coords.length + " " + found.complete)(model.find(%s, %d, %d))`,
			jsonOf(t, newLayout(l)), off, findLimit)
		if got, want := value[string](b, script), fmt.Sprint(len(found), complete); got != want {
			t.Errorf("at %d: %s, want %s", off, got, want)
		}
	}
	const counted = `[16, 15].map((limit) => model.unique(model.strided(["H", "W"], [4, 4], [1, 1], 0), limit))`
	if got := value[[]int](b, counted); got[0] != 7 || got[1] != -1 {
		t.Errorf("distinct addresses: %d, past the limit %d", got[0], got[1])
	}
}

// TestBrowserModelLeavesNoTrace: arguments are not changed, no 0 has a sign, and the page defines one more name.
func TestBrowserModelLeavesNoTrace(t *testing.T) {
	b := modelTab(t)
	l, err := mustParse(t, "NCHW4").Bind([]int{2, 5, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	text := jsonOf(t, askOf(rand.New(rand.NewPCG(1, 0)), l))
	script := fmt.Sprintf("(() => { const q = %s; (%s)(q); return JSON.stringify(q) })()", text, modelAnswer)
	if got := value[string](b, script); got != text {
		t.Errorf("%s became %s", text, got)
	}
	const product = `model.terms(model.strided(["W"], [2], [-1], 1), [0])[0].product`
	if value[bool](b, "Object.is("+product+", -0)") {
		t.Error("a product is -0, which some ways to write numbers show")
	}
	if got := value[string](b, "typeof model + ' ' + typeof window.model"); got != "object undefined" {
		t.Error(got)
	}
}
