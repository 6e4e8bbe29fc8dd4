package explorer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// of returns the subject of a memory order and logical sizes.
func of(t *testing.T, order string, sizes ...int) Subject {
	t.Helper()
	l, err := notation.Parse(order)
	if err != nil {
		t.Fatal(err)
	}
	layout, err := l.Format.Bind(sizes)
	if err != nil {
		t.Fatal(err)
	}
	return Subject{Name: "x.npy", DType: "float32", Size: 4, Layout: layout, Format: l.Format, HasFormat: true}
}

// named returns the tensor in the packed layout of a memory order.
func named(t *testing.T, s Subject, order string) Named {
	t.Helper()
	n := of(t, order, s.Layout.Shape()...)
	return Named{Layout: n.Layout, Format: n.Format, HasFormat: true}
}

// exactly returns the tensor in a layout with explicit sizes.
func exactly(t *testing.T, s Subject, text string) Named {
	t.Helper()
	return Named{Layout: strided(t, text, s.Layout.Names()...).Layout}
}

// strided returns a subject with one stride per dim.
func strided(t *testing.T, text string, dims ...string) Subject {
	t.Helper()
	parsed, err := notation.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var list []tensor.Dim
	for i, name := range dims {
		list = append(list, tensor.Dim{Name: name, Size: parsed.Exact.Dim(i).Size, Digits: parsed.Exact.Dim(i).Digits})
	}
	l, err := tensor.New(list, parsed.Exact.Offset(), parsed.Exact.Alloc())
	if err != nil {
		t.Fatal(err)
	}
	return Subject{Name: "x.npy", DType: "float32", Size: 4, Layout: l}
}

func written(t *testing.T, s Subject) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// inside returns the text between two marks, each of which must be unique.
func inside(t *testing.T, text, open, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, open)
	body, _, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("no %s … %s", open, end)
	}
	return body
}

// TestPage: the page allows exactly its own style and script, requests nothing, and contains the subject.
func TestPage(t *testing.T) {
	s := of(t, "nchw", 2, 64, 3, 3)
	s.Layouts = []Named{named(t, s, "nhwc"), named(t, s, "NCHW4"), exactly(t, s, "(2,64,3,3):(576,1,192,64)")}
	text := written(t, s)
	t.Logf("the page of 2x64x3x3 has %d bytes", len(text))
	policy := strings.ReplaceAll(inside(t, text, `http-equiv="Content-Security-Policy" content="`, `"`), "&#43;", "+")
	style, script := inside(t, text, "<style>", "</style>"), inside(t, text, "<script>", "</script>")
	for _, want := range []string{"default-src 'none'", "style-src '" + hash(style) + "'", "script-src '" + hash(script) + "'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy is %s, without %s", policy, want)
		}
	}
	if found := regexp.MustCompile(`(?i)https?:|//[a-z]+\.|@import|url\(`).FindString(text); found != "" {
		t.Errorf("the page names something outside: %s", found)
	}
	var d data
	if err := json.Unmarshal([]byte(inside(t, text, `<script type="application/json" id="data">`, "</script>")), &d); err != nil {
		t.Fatal(err)
	}
	if d.Name != "x.npy" || d.Own != "NCHW" || !slices.Equal(d.Sizes, []int{2, 64, 3, 3}) || d.Item != 4 || d.Line != 64 {
		t.Errorf("the page is about %+v", d)
	}
	if want := []string{"NHWC", "NCHW4c", "(2,64,3,3):(576,1,192,64)"}; !slices.Equal(d.Begin, want) {
		t.Errorf("it begins with %q, not %q", d.Begin, want)
	}
}

// TestScripts: every script file is in the page, once.
func TestScripts(t *testing.T) {
	there, err := fs.Glob(files, "page/*.js")
	listed := slices.Sorted(slices.Values(slices.Concat(models, scripts)))
	for i, name := range listed {
		listed[i] = "page/" + name
	}
	if err != nil || !slices.Equal(listed, there) {
		t.Errorf("the page has %q, there are %q: %v", listed, there, err)
	}
}

// TestOrders: each order of the catalogue that fits the dims is offered once; other ranks have at least row-major and column-major.
func TestOrders(t *testing.T) {
	for _, dims := range []string{"N C H W", "N C D H W", "O I H W", "H W", "C H W", "N", "", "d0 d1 d2 d3 d4 d5"} {
		names := strings.Fields(dims)
		list := ordersFor(names, "").list
		seen := map[string]bool{}
		for _, o := range list {
			if seen[o.Name] {
				t.Errorf("%s: duplicate %s", dims, o.Name)
			}
			seen[o.Name] = true
			if capitals := strings.Trim(strings.ToUpper(o.Name), strings.ToUpper(dims)+"0123456789%/"); capitals != "" {
				t.Errorf("%s: %s has other dims", dims, o.Name)
			}
		}
		if list[0].Name != notation.RowMajor(names).String() || !seen[notation.RowMajor(names).Reversed().String()] {
			t.Errorf("%s: begins with %s, of %d", dims, list[0].Name, len(list))
		}
		for _, e := range framework.Catalogue() {
			if f, ok := orderOf(e); ok && slices.Equal(f.Names(), names) && !seen[f.String()] {
				t.Errorf("%s: %s is missing", dims, f)
			}
		}
	}
}

// TestBegin: a layout without an order is offered once, and the source's by its order's name, unless its storage differs.
func TestBegin(t *testing.T) {
	s := strided(t, "(2,3):(5,1)", "H", "W")
	longer, err := tensor.New([]tensor.Dim{s.Layout.Dim(0), s.Layout.Dim(1)}, 0, s.Layout.Alloc()+2)
	if err != nil {
		t.Fatal(err)
	}
	again := exactly(t, s, "(2,3):(7,1)")
	s.Layouts = []Named{exactly(t, s, "(2,3):(5,1)"), again, again, named(t, s, "wh"), {Layout: longer}}
	d, err := newData(s)
	if want := []string{own, "(2,3):(7,1)", "(2,3):(7,1)", "WH", "(2,3):(5,1)"}; err != nil || !slices.Equal(d.Begin, want) {
		t.Errorf("the page begins with %q, %v, want %q", d.Begin, err, want)
	}
	var fixed []string
	for _, f := range d.Fixed {
		fixed = append(fixed, f.Name)
	}
	if want := []string{own, "(2,3):(7,1)", "(2,3):(5,1)"}; !slices.Equal(fixed, want) {
		t.Errorf("layouts with sizes are %q, want %q", fixed, want)
	}
}

// TestOrdersByName: an order that names its dims in another order than the tensor still has the tensor's dims.
func TestOrdersByName(t *testing.T) {
	o := &orders{dims: []string{"W", "H"}}
	o.add(notation.RowMajor([]string{"H", "W"}))
	if x := o.list[0]; x.Name != "HW" || x.Axes[0].Dim != 1 || x.Axes[1].Dim != 0 {
		t.Errorf("%+v", x)
	}
}

// TestTooLarge: what JavaScript cannot count exactly is refused.
func TestTooLarge(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("no layout reaches so far")
	}
	far := 1 << (strconv.IntSize * 53 / 64)
	for _, text := range []string{
		fmt.Sprintf("(%d,1):(1,1)", far), fmt.Sprintf("(0,%d):(1,1)", far), fmt.Sprintf("(2,1):(%d,1)", far/4),
		fmt.Sprintf("(2,1):(1,%d)", far+1), fmt.Sprintf("((2,2)<3,1):((1,%d),1)", far/4-1),
	} {
		err := Write(io.Discard, strided(t, text, "H", "W"))
		if fault.ClassOf(err) != fault.Unsupported {
			t.Errorf("%s: %v", text, err)
		}
	}
	s := strided(t, "(2,1):(1,1)", "H", "W")
	s.Layouts = []Named{exactly(t, s, fmt.Sprintf("(2,1):(%d,1)", far/4))}
	if err := Write(io.Discard, s); fault.ClassOf(err) != fault.Unsupported {
		t.Errorf("%s to begin with: %v", s.Layouts[0].Layout, err)
	}
}

const nasty = "</script><script>alert(1)</script>\"'`<img src=x onerror=alert(2)>\u2028\u2029${alert(3)}{{.}}-->"

// TestHostile: foreign text cannot end the script or the title.
func TestHostile(t *testing.T) {
	s := of(t, "nchw", 1, 2, 2, 2)
	s.Name, s.DType, s.Values = nasty, nasty, slices.Repeat([]string{nasty}, 8)
	text := written(t, s)
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("the page has %d scripts", n)
	}
	if strings.Contains(text, "<img") || strings.Contains(inside(t, text, "<title>", "</title>"), "<") {
		t.Error("the name became a tag")
	}
}

// withNumbers gives a subject repeated values.
func withNumbers(s Subject, numbers ...float64) Subject {
	for k := range s.Layout.Numel() {
		x := numbers[k%len(numbers)]
		s.Values, s.Numbers = append(s.Values, fmt.Sprint(x)), append(s.Numbers, x)
	}
	return s
}

// TestValues: values come with their numbers, null for non-finite ones, unless there are too many.
func TestValues(t *testing.T) {
	s := strided(t, "(4):(1)", "W")
	s.Values, s.Numbers = []string{"1e300", "nan", "inf", "-0.1"}, []float64{1e300, math.NaN(), math.Inf(1), -0.1}
	s.ShortValues = true
	const want = `"values":["1e300","nan","inf","-0.1"],"shown":null,"numbers":[1e+300,null,null,-0.1],"label":"value"`
	if text := written(t, s); !strings.Contains(text, want) {
		t.Error("the page has other values")
	}
	s.Numeric, s.Values[3] = true, "-0.1000001"
	if text := written(t, s); !strings.Contains(text, `"-0.1000001"],"shown":["1e300","nan","inf","-0.100"]`) {
		t.Error("cells have all digits of values")
	}
	s.ShortValues = false
	if text := written(t, s); !strings.Contains(text, `"label":"index"`) {
		t.Error("long values are in cells")
	}
	s.Numbers = []float64{math.NaN()}
	if text := written(t, s); !strings.Contains(text, `"numbers":null`) {
		t.Error("the page has numbers although none is finite")
	}
	s = withNumbers(strided(t, fmt.Sprintf("(%d):(1)", MaxValues+1), "W"), 1, 2)
	s.ShortValues = true
	if text := written(t, s); !strings.Contains(text, `"values":null,"shown":null,"numbers":null,"label":"index"`) {
		t.Error("the page has too many values")
	}
}

// TestBrowserLongValues: long values are not the initial labels of cells, but can be chosen.
func TestBrowserLongValues(t *testing.T) {
	s := of(t, "nchw", 1, 1, 2, 2)
	s.Values = strings.Fields("a-long-text b c d")
	b := show(t, s, "")
	if got := strings.Join(value[[]string](b, inMemory), " "); got != "0 1 2 3" {
		t.Errorf("memory holds %s", got)
	}
	b.choose("label", "value")
	if got := strings.Join(value[[]string](b, inMemory), " "); got != "a-long-text b c d" {
		t.Errorf("by value memory holds %s", got)
	}
}

// TestNamesOfType: the page has a framework's name for an order only if it fits the tensor's type; for an unknown type it has all names.
func TestNamesOfType(t *testing.T) {
	for typ, want := range map[string]bool{"float32": false, "float16": true, "S3": false, "no type": true} {
		found := false
		for _, o := range ordersFor([]string{"N", "C", "H", "W"}, typ).list {
			for _, c := range o.Called {
				found = found || c.Framework == "TensorRT" && slices.Contains(c.Names, "kCHW16")
			}
		}
		if found != want {
			t.Errorf("kCHW16 with %s: %v", typ, found)
		}
	}
}
