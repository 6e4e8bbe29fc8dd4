package bench

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"

	"github.com/tlayout/tlayout/internal/golden"
)

// subject is a tensor in some layouts.
func subject(t *testing.T, typ string, patterns []Pattern, layouts []string, shape ...int) (Subject, error) {
	t.Helper()
	s := Subject{DType: dtypeOf(t, typ), Patterns: patterns, Converts: true}
	for _, name := range layouts {
		s.Layouts = append(s.Layouts, Layout{name, bind(t, name, shape...)})
	}
	return s, s.Check()
}

// ticking returns a clock that advances by a step at every reading.
func ticking(step time.Duration) Clock {
	var now time.Duration
	return func() time.Duration { now += step; return now }
}

func testOptions(step time.Duration) Options {
	return Options{Machine: Machine{CPU: "a test's", Cores: 2, L1: 32 << 10, L2: 1 << 20, L3: 8 << 20, Kernels: "generic", Go: "go1", OS: "os",
		Arch: "arch", Tlayout: "devel"}, Kernels: kernel.Best(), Geometry: cachesim.Reference, Clock: ticking(step),
		Samples: MinSamples, Sample: time.Millisecond, Progress: func(int, int) {}}
}

// TestRun: with a known clock, the report is known to the last name of its JSON. Every pass takes 2 ms.
func TestRun(t *testing.T) {
	s, err := subject(t, "float32", Walks, []string{"nchw", "nhwc"}, 2, 8, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(s, testOptions(2*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/report.golden.json", append(text, 10))
	again := &Report{}
	if err := json.Unmarshal(text, again); err != nil || !cmp.Equal(again, r) {
		t.Errorf("read again: %v\n%s", err, cmp.Diff(r, again))
	}
}

// A run has the rows of Keys, in types of every size and in ragged blocks; each program is checked.
func TestRunRows(t *testing.T) {
	for _, typ := range []string{"uint8", "bfloat16", "float32", "complex64", "complex128"} {
		s, err := subject(t, typ, Walks, []string{"nchw", "nhwc", "nchw4", "nchw16", "chwn", "CHWN4"}, 2, 5, 3, 4)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(s, testOptions(2*time.Millisecond))
		if err != nil {
			t.Fatal(typ, err)
		}
		if got := r.keys(); !slices.Equal(got, s.Keys()) || len(got) != 2*6+2*5 {
			t.Errorf("%s: rows %v", typ, got)
		}
		for _, row := range r.Rows {
			if row.OfRoof <= 0 || len(row.SamplesNS) != MinSamples || (row.Model != nil) != row.Pattern.Walk() {
				t.Errorf("%s: %+v", typ, row)
			}
		}
	}
}

// Subjects that cannot be measured are refused, each with its class.
func TestSubjectRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		typ      string
		patterns []Pattern
		layout   string
		shape    []int
		class    fault.Class
	}{
		"empty":       {"float32", Walks, "nchw", []int{0, 3, 4, 4}, fault.Usage},
		"no channels": {"float32", Walks, "hw", []int{4, 4}, fault.Usage},
	} {
		if _, err := subject(t, c.typ, c.patterns, []string{c.layout}, c.shape...); err == nil || fault.ClassOf(err) != c.class {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := subject(t, "float32", Walks, []string{"nchw", "nhwc"}, 64, 64, 64, 64)
	if err != nil {
		t.Fatal(err)
	}
	o := testOptions(time.Millisecond)
	if o.Machine.Memory = 300 << 20; fault.ClassOf(s.Fits(o)) != fault.Resource {
		t.Errorf("64 MiB in two layouts, in rows and twice for the roof fit into 300 MiB: %v", s.Fits(o))
	}
	if _, err := Run(s, o); fault.ClassOf(err) != fault.Resource {
		t.Errorf("and can be measured: %v", err)
	}
	for _, free := range []int64{0, 8 << 30} {
		if o.Machine.Memory = free; s.Fits(o) != nil {
			t.Error(s.Fits(o))
		}
	}
}

// A view with negative strides, overlapping elements or elements out of bounds is refused.
func TestSubjectViews(t *testing.T) {
	for name, c := range map[string]struct {
		strides []int
		offset  int
		class   fault.Class
	}{"backwards": {[]int{32, -16, 4, 1}, 16, fault.Unsupported}, "broadcast": {[]int{0, 16, 4, 1}, 0, fault.Unsupported}} {
		s, err := tensor.NewStrided([]int{2, 2, 4, 4}, c.strides, c.offset)
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Layout([]string{"N", "C", "H", "W"}, tensor.Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		err = Subject{DType: dtypeOf(t, "float32"), Patterns: Walks, Layouts: []Layout{{"source", l}}}.Check()
		if fault.ClassOf(err) != c.class || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	huge, err := tensor.NewStrided([]int{2, 2, 2, 2}, []int{math.MaxInt / 8, 4, 2, 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	l, err := huge.Layout([]string{"N", "C", "H", "W"}, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	s := Subject{DType: dtypeOf(t, "float64"), Patterns: Walks, Layouts: []Layout{{"source", l}}}
	if err := s.Check(); err != nil || fault.ClassOf(s.Fits(testOptions(0))) != fault.Resource {
		t.Errorf("%v, %v", err, s.Fits(testOptions(0)))
	}
}

// Every default format can be bound, and the first one is row-major.
func TestDefaultLayouts(t *testing.T) {
	for _, names := range []string{"CHW", "NCHW", "NCDHW"} {
		formats := DefaultLayouts(strings.Split(names, ""))
		if len(formats) < 6 || formats[0].String() != names {
			t.Errorf("%s: %v", names, formats)
		}
		for _, f := range formats {
			if _, err := f.Bind(make([]int, len(names))); err != nil {
				t.Errorf("%s: %v", f, err)
			}
		}
	}
	if got := DefaultLayouts([]string{"O", "I", "H", "W"}); got != nil {
		t.Errorf("weights: %v", got)
	}
}
