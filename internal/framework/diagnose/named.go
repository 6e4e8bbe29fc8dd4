package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// namedLayout is a layout that a message names.
type namedLayout struct {
	name string
	notation.Format
}

var (
	imageName = lazy.Regexp(`(?i)\b(?:channels[_ -]?(?:last|first)|n?[dhw]*hwc|n?c?d?hw|hwio|oihw|dhwio|oidhw|ohwi)\b`)
	saysWant  = lazy.Regexp(`(?i)\b(?:expect\w*|requi\w*|should|must|needs?|wants?|only|supports|accepts|takes)\b`)
	saysHave  = lazy.Regexp(`(?i)\b(?:got|not|found|given|received|actual\w*|unsupported|unknown|doesn't|cannot|(?:input|tensor|data|image) is)\b`)
)

// otherName answers a layout that is expected by its name, where a tensor has another one, or one that is not supported.
func otherName(c *complaint) (Answer, bool) {
	wanted, actual := namedLayouts(c.message)
	if wanted == nil && actual == nil {
		return Answer{}, false
	}
	assumed := ""
	if wanted == nil {
		wanted = counterpart(*actual)
		assumed = "the message does not say what is expected: the other order of the same axes is assumed"
	}
	if actual == nil {
		actual = counterpart(*wanted)
		assumed = "the message does not say what the tensor is: the other order of the same axes is assumed"
	}
	if wanted == nil || actual == nil || !sameDims(*wanted, *actual) {
		return Answer{}, false
	}
	order := axesTo(*actual, *wanted)
	a := Answer{What: fmt.Sprintf("the tensor is %s, and %s is expected", described(*actual), described(*wanted)), Same: tensor.No,
		Cost:  "nothing where the call takes strides: permute is a view; one copy otherwise",
		Facts: []string{"permute moves the axes of a shape that is in the order " + actual.name + "; if x.shape is in the order " + wanted.name + " already, only the label is wrong"},
		Fixes: c.fix("permute", order)}
	if assumed != "" {
		a.Facts = append(a.Facts, assumed)
	}
	return a, true
}

// namedLayouts returns the layout that a message expects and the one that it finds; nil for one that it does not name. A name belongs to
// the nearest word before it that says which it is.
func namedLayouts(message string) (wanted, actual *namedLayout) {
	for _, at := range imageName.Get().FindAllStringIndex(message, 4) {
		l, ok := parseNamed(message[at[0]:at[1]])
		if !ok {
			continue
		}
		before := message[max(0, at[0]-maxBetween):at[0]]
		want := lastMatch(saysWant, before)
		have := lastMatch(saysHave, before)
		if want > have && wanted == nil {
			wanted = &l
		}
		if have > want && actual == nil {
			actual = &l
		}
	}
	return wanted, actual
}

// maxBetween limits the bytes between a name and the word that says whether it is expected.
const maxBetween = 40

// lastMatch returns where the last match of an expression begins; -1 if there is none.
func lastMatch(e *lazy.Expression, s string) int {
	all := e.Get().FindAllStringIndex(s, -1)
	if all == nil {
		return -1
	}
	return all[len(all)-1][0]
}

func parseNamed(name string) (namedLayout, bool) {
	spelled := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
	if strings.HasSuffix(spelled, "first") {
		spelled = "nchw"
	}
	l, err := printed.ParseName(spelled)
	if err != nil || l.Exact != nil || l.Sized != nil || l.Own != 0 {
		return namedLayout{}, false
	}
	return namedLayout{name, l.Format}, true
}

// counterparts are the two orders of the same axes that frameworks have, channels first and last.
var counterparts = [][2]string{{"NCHW", "NHWC"}, {"CHW", "HWC"}, {"NCDHW", "NDHWC"}, {"OIHW", "HWIO"}}

// counterpart returns the other order of the same axes; nil for a layout without one.
func counterpart(l namedLayout) *namedLayout {
	for _, pair := range counterparts {
		for i, name := range pair {
			one, ok := parseNamed(name)
			if !ok || !slices.Equal(one.AxisNames(), l.AxisNames()) {
				continue
			}
			other, ok := parseNamed(pair[1-i])
			if ok {
				return &other
			}
		}
	}
	return nil
}

func sameDims(a, b namedLayout) bool {
	isOther := !slices.Equal(a.AxisNames(), b.AxisNames())
	return isOther && slices.Equal(slices.Sorted(slices.Values(a.AxisNames())), slices.Sorted(slices.Values(b.AxisNames())))
}

// axesTo returns the axes of a permute from one order to another.
func axesTo(from, to namedLayout) []int {
	axes := []int{}
	for _, name := range to.AxisNames() {
		axes = append(axes, slices.Index(from.AxisNames(), name))
	}
	return axes
}

// described returns a layout's name, with where its channels are if the name does not say it.
func described(l namedLayout) string {
	names := l.AxisNames()
	isWords := strings.Contains(strings.ToLower(l.name), "channels")
	if isWords || !slices.Contains(names, "C") {
		return l.name
	}
	if names[len(names)-1] == "C" {
		return l.name + " (channels last)"
	}
	return l.name + " (channels first)"
}
