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
	// What stands directly before or behind a name and says that it is expected, or that a tensor has it.
	wantBefore = lazy.Regexp(`(?i)(?:\bexpected|\brequires?|\bmust be|\bshould be|\bneeds to be|\bhas to be|\bonly (?:supports?|accepts?|works with|takes)|\bis not)(?: (?:in|an?|the|of|layout|format|input|data|tensors?|images?|memory))*[ :'"=]*$`)
	wantBehind = lazy.Regexp(`(?i)^['"]?(?: (?:layout|format|input|is|was|are))* (?:expected|required|needed)\b`)
	haveBefore = lazy.Regexp(`(?i)(?:\bgot|\bgiven|\breceived|\bfound|, not|\bbut (?:not|the input is|input is)|\bunsupported|\bdoes(?:n't| not) support)(?: (?:in|an?|the|of|data|layout|format|input|tensor|tensors|images?|memory))*[ :'"=]*$`)
	haveBehind = lazy.Regexp(`(?i)^['"]?(?: (?:layout|format|input|is|was|are))* (?:given|found|received|got|(?:is )?(?:not supported|unsupported))\b`)
	// A name beside another one is one of several, of which none is meant.
	// Of a message that names only what the tensor has, the word that makes it a complaint.
	unsupported   = lazy.Regexp(`(?i)\b(?:unsupported|not supported|does(?:n't| not) support|, not)\b|, not `)
	oneOfSeveral  = lazy.Regexp(`(?i)(?:\b(?:and|or|either)\b|[/|]) ?['"]?$`)
	severalBehind = lazy.Regexp(`(?i)^['"]? ?(?:(?:and|or)\b|[/|])`)
)

// otherName answers a layout that is expected by its name, where a tensor has another one, or one that is not supported.
func otherName(c *complaint) (Answer, bool) {
	wanted, actual := namedLayouts(c.message)
	if wanted == nil && actual == nil {
		return Answer{}, false
	}
	if wanted == nil && !unsupported.Get().MatchString(c.message) {
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
	if wanted == nil || actual == nil || !areOrdersOfOne(*wanted, *actual) {
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

// namedLayouts returns the layout that a message expects and the one that it finds; nil for one that it does not name. What stands behind a
// name says which it is, or else what stands before it.
func namedLayouts(message string) (wanted, actual *namedLayout) {
	for _, at := range imageName.Get().FindAllStringIndex(message, 4) {
		l, ok := parseNamed(message[at[0]:at[1]])
		if !ok {
			continue
		}
		before := message[:at[0]]
		behind := message[at[1]:]
		if oneOfSeveral.Get().MatchString(before) || severalBehind.Get().MatchString(behind) {
			return nil, nil
		}
		role := roleOf(before, behind)
		if role == wantedRole && wanted == nil {
			wanted = &l
		}
		if role == actualRole && actual == nil {
			actual = &l
		}
	}
	return wanted, actual
}

// role is what a message says of a layout.
type role int

const (
	noRole role = iota
	wantedRole
	actualRole
)

// roleOf returns the role of a name between two parts of a message.
func roleOf(before, behind string) role {
	for _, r := range []struct {
		says *lazy.Expression
		in   string
		role role
	}{{wantBehind, behind, wantedRole}, {haveBehind, behind, actualRole}, {wantBefore, before, wantedRole}, {haveBefore, before, actualRole}} {
		if r.says.Get().MatchString(r.in) {
			return r.role
		}
	}
	return noRole
}

func parseNamed(name string) (namedLayout, bool) {
	spelled := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
	if strings.HasSuffix(spelled, "first") {
		spelled = "nchw"
	}
	l, err := printed.ParseName(spelled)
	if err != nil || !l.HasFormat() {
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

// areOrdersOfOne reports whether two layouts are different orders of the same axes.
func areOrdersOfOne(a, b namedLayout) bool {
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
