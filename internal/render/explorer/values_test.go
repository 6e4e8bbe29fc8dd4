package explorer

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// withNumbers gives a subject values, over and over.
func withNumbers(s Subject, numbers ...float64) Subject {
	for k := range s.Layout.Numel() {
		x := numbers[k%len(numbers)]
		s.Values, s.Numbers = append(s.Values, fmt.Sprint(x)), append(s.Numbers, x)
	}
	return s
}

// Values come with their numbers, null for those that are not finite, unless there are too many.
func TestValues(t *testing.T) {
	s := strided(t, "(4):(1)", "W")
	s.Values, s.Numbers = []string{"1e300", "nan", "inf", "-0.1"}, []float64{1e300, math.NaN(), math.Inf(1), -0.1}
	s.ShortValues = true
	const want = `"values":["1e300","nan","inf","-0.1"],"numbers":[1e+300,null,null,-0.1],"label":"value"`
	if text := written(t, s); !strings.Contains(text, want) {
		t.Error("the page has other values")
	}
	s.ShortValues = false
	if text := written(t, s); !strings.Contains(text, `"label":"index"`) {
		t.Error("long values stand in cells")
	}
	s.Numbers = []float64{math.NaN()}
	if text := written(t, s); !strings.Contains(text, `"numbers":null`) {
		t.Error("none of the numbers is finite, but there they are")
	}
	s = withNumbers(strided(t, fmt.Sprintf("(%d):(1)", MaxValues+1), "W"), 1, 2)
	s.ShortValues = true
	if text := written(t, s); !strings.Contains(text, `"values":null,"numbers":null,"label":"index"`) {
		t.Error("too many values are there")
	}
}

// Values that are not short are not what cells say at first, but can be.
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
