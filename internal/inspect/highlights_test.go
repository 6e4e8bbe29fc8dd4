package inspect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// factsOf are the facts of a report that have a label.
func factsOf(r *Report, label string) []Fact {
	return slices.DeleteFunc(r.Facts(), func(f Fact) bool { return f.Label != label })
}

// news are the facts of a report by their labels.
func news(r *Report) map[string][]Fact {
	all := map[string][]Fact{}
	for _, f := range r.Highlights() {
		all[f.Label] = append(all[f.Label], f)
	}
	return all
}

// TestNewsOfAnything: on random tensors the first screen says what the report's fields say: every framework either accepts or
// refuses, as in AcceptedBy, with the reasons, but for refusals that a row-major tensor of the same sizes meets too; each sense of contiguous; a copy where PyTorch makes one; and padding, broadcast,
// overlap, an offset and ambiguity if and only if there are.
func TestNewsOfAnything(t *testing.T) {
	d := rand.New(rand.NewPCG(20, 80))
	types := strings.Fields("float32 float16 int8 uint64 bool float128 S3 >f4 i4,f8")
	seen := map[string]int{}
	for range 400 {
		rank, run := d.IntN(6), 1
		y := source.Typed{Shape: make([]int, rank), Strides: make([]int, rank), Offset: d.IntN(2) * d.IntN(9)}
		for _, i := range d.Perm(rank) {
			y.Shape[i] = 1 + d.IntN(5)
			run += d.IntN(3) / 2
			y.Strides[i] = []int{run, run, run, run, 0, 1, -run}[d.IntN(7)]
			run *= y.Shape[i]
		}
		typ := types[d.IntN(len(types))]
		r, dense := New(describe(t, y, typ)), New(describe(t, source.Typed{Shape: y.Shape}, typ))
		all := news(r)
		for label := range all {
			seen[label]++
		}
		for label, ok := range map[string]bool{"zero-copy": true, "refused": false} {
			want := slices.DeleteFunc(accepting(r, ok), func(name string) bool {
				a := dense.AcceptedBy[strings.ReplaceAll(strings.ToLower(name), " ", "")]
				return !ok && !a.OK && !strings.HasPrefix(a.Why, "unsupported type") && !strings.HasPrefix(a.Why, "big-endian")
			})
			if got := whose(all[label], r, ok); !slices.Equal(got, want) {
				t.Fatalf("%s %s: %s is said of %v, expected %v", r.DType, r.Notation, label, got, want)
			}
		}
		copies := strings.Join(texts(all["copies"]), "")
		p := r.PyTorch
		for label, is := range map[string]bool{
			"padding":   r.Numel > 0 && (r.Padded == nil || *r.Padded || r.Trailing > 0) && len(r.OuterTags) == 0,
			"broadcast": len(r.BroadcastDims) > 0,
			"overlap":   len(r.BroadcastDims) == 0 && r.Overlapping != string(tensor.No),
			"offset":    y.Offset > 0,
			"ambiguous": r.Ambiguous,
			"strict":    r.Contiguous.C && !r.Contiguous.CStrict && r.Numel > 0,
			"axes":      false,
		} {
			if (len(all[label]) > 0) != is {
				t.Fatalf("%s: %s: %q", r.Notation, label, texts(all[label]))
			}
		}
		copied := strings.Contains(copies, ".contiguous() ") && !strings.Contains(copies, ".contiguous() none")
		if copied != (p != nil && r.AcceptedBy["pytorch"].OK && !p.MakeContiguous.Self) {
			t.Fatalf("%s: copies %q", r.Notation, copies)
		}
		checkContiguous(t, r, strings.Join(texts(all["contiguous"]), ""))
	}
	for _, label := range strings.Fields("zero-copy refused contiguous copies padding broadcast overlap offset ambiguous strict names") {
		if seen[label] < 5 {
			t.Errorf("only %d tensors have the fact %q", seen[label], label)
		}
	}
}

// TestPaddingOfAnything: whatever the size, the sentences about padding and the headline answer as the JSON field does.
func TestPaddingOfAnything(t *testing.T) {
	d := rand.New(rand.NewPCG(3, 60000))
	seen := map[string]int{}
	for range 300 {
		rank := 2 + d.IntN(2)
		y := source.Typed{Shape: make([]int, rank), Strides: make([]int, rank)}
		run, size := 1, []int{5, 600}[d.IntN(2)]
		for i := range rank {
			y.Shape[i] = size - d.IntN(3)
			y.Strides[i] = max(1, run+d.IntN(3)-1)
			run = y.Shape[i] * y.Strides[i]
		}
		r := New(describe(t, y, "float32"))
		want, counted := "unknown", r.Gaps != nil
		if r.Padded != nil {
			want = text.YesNo(*r.Padded)
		}
		seen[fmt.Sprint(want, counted)]++
		padding := strings.Join(texts(factsOf(r, "padding")), "")
		if padding == "no" {
			padding = ""
		}
		for _, text := range []string{r.WasteText(), padding} {
			if (text == "") != (want == "no") || strings.Contains(text, "unknown") != (want == "unknown") {
				t.Errorf("%s: %q, expected %s", r.Notation, text, want)
			}
		}
		if strings.HasSuffix(r.Headline(), ", padded") && want != "yes" {
			t.Errorf("%s: padded in the headline, expected %s", r.Notation, want)
		}
	}
	for _, kind := range strings.Fields("yestrue yesfalse notrue unknownfalse") {
		if seen[kind] == 0 {
			t.Errorf("no tensor is %s: %v", kind, seen)
		}
	}
}

// checkContiguous compares the sentence with the answers: yes stands after the senses that hold, no after each other one.
func checkContiguous(t *testing.T, r *Report, text string) {
	t.Helper()
	if len(r.Shape) == 0 {
		return
	}
	held, rest, _ := strings.Cut(text, " yes")
	if rest == "" && !strings.HasSuffix(text, " yes") {
		held, rest = "", text
	}
	c := r.Contiguous
	for name, ok := range map[string]bool{"C": c.C, "F": c.F} {
		yes := slices.Contains(strings.FieldsFunc(held, func(x rune) bool { return x == ',' || x == ' ' }), name)
		no := slices.ContainsFunc(strings.Split(rest, "; "), func(s string) bool { return strings.HasPrefix(s, name+" no") })
		if yes != ok || no == ok {
			t.Fatalf("%s: contiguous %q, expected %s %t", r.Notation, text, name, ok)
		}
	}
	if (c.CL || c.CL3D) != strings.Contains(held, "channels_last") {
		t.Fatalf("%s: contiguous %q", r.Notation, text)
	}
}

// TestRefusalsOfSizes: a row-major tensor whose rows are not a multiple of 16 bytes is refused by TMA, of more than 8 dims by cuDNN, which the
// first screen leaves out; a refusal that a row-major copy would not meet is on it.
func TestRefusalsOfSizes(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		key, why, told string
	}{
		{[]int{720, 1280, 3}, nil, "tma", "rows are 12 bytes, not a multiple of 16", ""},
		{[]int{128, 63}, nil, "tma", "rows are 252 bytes, not a multiple of 16", ""},
		{[]int{1, 1, 1, 1, 1, 1, 1, 1, 4}, nil, "cudnn", "it accepts 1 to 8 dims", ""},
		{[]int{64, 64}, []int{65, 1}, "tma", "rows are 260 bytes, not a multiple of 16", "TMA: rows are 260 B, not a multiple of 16"},
		{[]int{64, 64}, []int{1, 64}, "safetensors", "its tensors have no strides", "TensorFlow, ONNX Runtime, safetensors: its tensors have no strides"},
	} {
		r := New(describe(t, source.Typed{Shape: c.shape, Strides: c.strides}, "float32"))
		if a := r.AcceptedBy[c.key]; a.OK || !strings.HasPrefix(a.Why, c.why) {
			t.Errorf("%s: %+v", r.Notation, a)
		}
		if told := texts(news(r)["refused"]); c.told == "" && len(told) > 0 || c.told != "" && !slices.Contains(told, c.told) {
			t.Errorf("%s: told %q, expected %q", r.Notation, told, c.told)
		}
	}
}

func texts(facts []Fact) (texts []string) {
	for _, f := range facts {
		texts = append(texts, f.Text)
	}
	return texts
}

// accepting lists the frameworks that accept the tensor, or those that do not, in alphabetical order.
func accepting(r *Report, ok bool) (names []string) {
	for _, c := range Consumers {
		if r.AcceptedBy[c.Key].OK == ok {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}

// whose lists the frameworks that facts are about, in alphabetical order; "all others" are those that do not answer so.
func whose(facts []Fact, r *Report, ok bool) (names []string) {
	for _, f := range facts {
		switch {
		case f.Who == "all others" || strings.HasPrefix(f.Who, "all "):
			return accepting(r, ok)
		default:
			for name := range strings.SplitSeq(f.Who, ", ") {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}
