package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// einopsCase is a call of einops and what einops returned.
type einopsCase struct {
	Call    string `json:"call"`
	NumPy   bool   `json:"numpy"`
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Strides []int  `json:"strides"`
	Offset  int    `json:"offset"`
	Elems   int    `json:"elems"`

	Calls  []string `json:"calls"` // of the framework, as steps
	To     []int    `json:"to"`
	By     []int    `json:"by"`
	Shared bool     `json:"shared"`
	Self   bool     `json:"self"`
	Result string   `json:"result"`
	Values []int64  `json:"values"` // nil unless asked
	Error  string   `json:"error"`
}

func (c einopsCase) start(t testing.TB) State {
	t.Helper()
	rules := PyTorch
	if c.NumPy {
		rules = NumPy
	}
	element, err := dtype.Parse(c.DType)
	if err != nil {
		t.Fatal(err)
	}
	s := Start(tensor.Strided{Shape: c.Shape, Strides: c.Strides, Offset: c.Offset}, nil, c.Elems, element.ItemSize(), rules)
	s.DType = element
	return s
}

// compare returns how the model differs from einops.
func (c einopsCase) compare(t testing.TB) string {
	calls, err := ParseChain(c.Call)
	if err != nil {
		return err.Error()
	}
	steps, err := c.start(t).Follow(calls[0])
	var r *Refusal
	switch {
	case strings.Contains(c.Error, "values to unpack"), strings.Contains(c.Error, "not implemented for"):
		if fault.ClassOf(err) == fault.Usage || fault.ClassOf(err) == fault.Unsupported || strings.Contains(c.Error, "implemented") {
			return ""
		}
		return fmt.Sprintf("accepts, or %v", err)
	case c.Error != "":
		if !errors.As(err, &r) || r.Text != c.Error {
			return fmt.Sprintf("refuses with %v", err)
		}
		return ""
	case err != nil:
		return "refuses: " + err.Error()
	}
	last := steps[len(steps)-1].State
	shared := !slices.ContainsFunc(steps, func(s Step) bool { return s.Kind == Copy || s.Kind == New })
	var made []string
	for _, step := range steps {
		if step.Kind != Self || step.Call.Text != calls[0].Text {
			made = append(made, step.Call.Text)
		}
	}
	switch {
	case !slices.Equal(made, c.Calls):
		return fmt.Sprintf("makes %q", made)
	case !slices.Equal(last.Shape, c.To):
		return fmt.Sprintf("shape %v", last.Shape)
	case !slices.Equal(last.Strides, c.By):
		return fmt.Sprintf("strides %v", last.Strides)
	case !last.Empty() && shared != c.Shared:
		return fmt.Sprintf("a view: %v", shared)
	case (steps[len(steps)-1].Kind == Self) != c.Self:
		return "is it itself"
	case last.DType.String() != c.Result:
		return "dtype " + last.DType.String()
	case c.Values != nil:
		return last.compareValues(c.Values)
	}
	return ""
}

// TestEinopsRecorded compares with what einops 0.8.2 returned on PyTorch 2.15 and NumPy 2.5: the calls that it made, shape, strides, view or
// copy, dtype, or the text of its error. testdata/einops_cases.py drew the calls.
func TestEinopsRecorded(t *testing.T) {
	f, err := os.Open("testdata/einops.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := 0
	for lines.Scan() {
		var c einopsCase
		if n++; n == 1 {
			continue // versions
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if trouble := c.compare(t); trouble != "" {
			t.Errorf("line %d: %s\nthe model: %s", n, lines.Text(), trouble)
		}
	}
	if n < 401 {
		t.Errorf("only %d lines", n)
	}
}

// TestEinopsSteps: the calls that einops makes (_apply_recipe and _backends.py), and the names of dims after the last.
func TestEinopsSteps(t *testing.T) {
	for _, c := range []struct{ call, torch, numpy, names string }{
		{"rearrange('b (c k) h w -> b c h w k', k=2)", "reshape(2,2,2,3,5) permute(0,1,3,4,2)",
			"reshape(2,2,2,3,5) transpose(0,1,3,4,2)", "b,c,h,w,k"},
		{"rearrange(x, 'a b c d -> a (b c) d')", "reshape(2,12,5)", "reshape(2,12,5)", "a,,d"},
		{"repeat('a ... -> a k ... 2', k=3)", "unsqueeze(1) unsqueeze(5) expand(-1,3,-1,-1,-1,2)",
			"expand_dims(1) expand_dims(5) tile(1,3,1,1,1,2)", "a,k,C,H,W,"},
		{"reduce(x, 'a b c d -> d a', 'all')", "permute(3,0,1,2) all(3) all(2)", "transpose(3,0,1,2) all(2,3)", "d,a"},
		{"reduce(x, 'a b c d -> a b', 'any')", "any(3) any(2)", "any(2,3)", "a,b"},
		{"reduce(x, 'a b c d -> b 1', 'max')", "permute(1,0,2,3) amax(1,2,3) reshape(4,1)", "transpose(1,0,2,3) max(1,2,3) reshape(4,1)", "b,"},
		{"einops.rearrange(x, 'a ... -> a ...')", "itself", "itself", "a,C,H,W"},
	} {
		for rules, want := range map[Rules]string{PyTorch: c.torch, NumPy: c.numpy} {
			s := Start(tensor.Strided{Shape: []int{2, 4, 3, 5}, Strides: []int{60, 15, 5, 1}}, []string{"N", "C", "H", "W"}, 120, 4, rules)
			s.DType, _ = dtype.Parse("float32")
			calls, err := ParseChain(c.call)
			if err != nil {
				t.Fatal(err)
			}
			steps, err := s.Follow(calls[0])
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, step := range steps {
				texts = append(texts, step.Call.Text)
			}
			last := steps[len(steps)-1]
			if got := strings.Join(texts, " "); got != want && last.Kind != Self || strings.Join(last.State.Names, ",") != c.names {
				t.Errorf("%s: %s makes %s, names %q", rules, c.call, got, last.State.Names)
			}
		}
	}
}

// TestAgainstEinops compares with the installed einops, and also which element is where.
//
// TLAYOUT_TEST_EINOPS_CASES sets how many calls, TLAYOUT_TEST_RANDOM_SEED which ones; TLAYOUT_TEST_REQUIRE_EINOPS=1 fails without
// einops.
func TestAgainstEinops(t *testing.T) {
	n := random.Cases(t, "TLAYOUT_TEST_EINOPS_CASES", 300)
	o := oracle.Einops(t, "einops_cases.py", strconv.Itoa(n), strconv.Itoa(random.New(t).IntN(1<<30)), "live")
	mismatches := 0
	for k := 0; k < n && mismatches < mismatchLimit; k++ {
		var c einopsCase
		if err := o.Read(&c); err != nil {
			t.Fatal(err)
		}
		if trouble := c.compare(t); trouble != "" {
			mismatches++
			t.Errorf("%+v\nthe model: %s", c, trouble)
		}
	}
	t.Logf("%s: %d calls, %d mismatches", o.Version, n, mismatches)
}

// FuzzEinops: no pattern makes Follow panic, leave the storage, lose a name, refuse without a message, or write a wrong equation. A step
// that is a view has the storage of the step before it.
func FuzzEinops(f *testing.F) {
	f.Add("b (c k) h -> b c h k", uint8(0), false, 2, "\x02\x04\x01", "\x04\x03\x03")
	f.Add("a b ... -> (b ...) 2 k a", uint8(1), true, 3, "\x02\x04\x01\x06", "\x04\x03\x03\x01")
	f.Add("(k 2) ... () -> k", uint8(2), true, 3, "\x06\x03\x01", "\x01\x02\x07")
	f.Add("... 1 -> ... 1 ()", uint8(3), false, 1, "\x01\x01", "\x09\x0a")
	f.Add("a b -> (a 9223372036854775807 b)", uint8(1), true, 1, "\x03\x02", "\x01\x02")
	f.Fuzz(func(t *testing.T, text string, operation uint8, numpy bool, k int, shape, strides string) {
		s, ok := fuzzStart(shape, strides, 2, numpy)
		if !ok {
			return
		}
		s.DType, _ = dtype.Parse([]string{"float32", "float16", "int32", "bool"}[operation/8%4])
		s.ItemSize = s.DType.ItemSize()
		c := Call{Name: "reduce", Args: []Arg{{Kind: Word, Word: text}}, Keywords: map[string]Arg{"k": {Kind: Int, Int: k}}}
		if names := []string{"rearrange", "repeat"}; operation%8 < 2 {
			c.Name = names[operation%8]
		} else {
			c.Args = append(c.Args, Arg{Kind: Word, Word: []string{"min", "max", "sum", "mean", "prod", "all"}[operation%8-2]})
		}
		steps, err := s.Follow(c)
		var r *Refusal
		var unknown *Stop
		switch {
		case errors.As(err, &unknown):
			return // NumPy's repeat
		case errors.As(err, &r) && r.Text != "" || fault.ClassOf(err) == fault.Usage || fault.ClassOf(err) == fault.Unsupported:
			return
		case err != nil:
			t.Fatalf("%q: %#v", text, err)
		}
		for _, step := range steps {
			wantTrue(t, strings.Join(step.Why, "; "))
			l, err := step.State.Layout(nil, step.State.Storage.Elems)
			shares := step.State.Storage == s.Storage
			if err != nil || !l.InBounds() || len(step.State.Names) != step.State.Rank() || shares != (step.Kind == View || step.Kind == Self) {
				t.Fatalf("%q: %s is a %s, %+v: %v", text, step.Call.Text, step.Kind, step.State, err)
			}
			s = step.State
		}
	})
}
