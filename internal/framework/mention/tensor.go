package mention

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Tensor is what a text says about a tensor. Its strides are in elements; shape or strides are nil if the other is alone.
type Tensor struct {
	Shape, Strides []int
	DType          string // as the text spells it, empty if unknown
	begin, end     int    // of the mention in the text
	Guessed        bool   // no word says that the list is a shape
	Open           bool   // a size is any, which is -1: None, ? or -1 in the text
	Role           Role
	Before         string // the last bytes before it
	Printed        string // the type that has it, with a layout; empty: none
}

// Role says whether a tensor is the one that was expected.
type Role int

const (
	Unsaid Role = iota
	Expected
	Actual
)

var roleWords = lazy.Regexp(`(?i)\b(?:(expect\w*|requir\w*|should|must|wants?|needs?|model|jit layout|requested|desired|into|current|supposed|target)|(got|but|given|actual\w*|received|found|passed|provided|from|input|arg layout|set|checkpoint|has|have|is))\b`)

var afterArrow = lazy.Regexp(`->[ (]*(?:\w+[ :=(]*)?$`)

// RoleOf returns the role of what stands after a text: that of the last word with one.
func RoleOf(before string) Role {
	if afterArrow.Get().MatchString(before) {
		return Expected
	}
	all := roleWords.Get().FindAllStringSubmatch(before, -1)
	if len(all) == 0 {
		return Unsaid
	}
	if all[len(all)-1][1] != "" {
		return Expected
	}
	return Actual
}

// MaxTensors limits the lists that are read of a text; strides belong to sizes that are at most maxBetween bytes away.
const MaxTensors, maxBetween = 64, 40

var (
	// tensorWords matches f32[8,64], torch.Size([8, 64]), a list after any word, and 8x64xf32.
	tensorWords = lazy.Regexp(`\b([A-Za-z]\w*)\[(\d[\d, ]*)\]|(?:` + List + `|(\{\d[\d, ]*\}))|\b(\d+(?:x\d+)+)(?:x([a-z]+\d\w*))?\b|` + openList)
	// wordBefore matches the word before a list and what is between: "with shape ", "stride() = ", "permute".
	wordBefore = lazy.Regexp(`([A-Za-z][\w.]*)(?:\(\))?["'*\x60]?((?:\s|:|=|<|,|\(|is\b|of\b|was\b|were\b)*)$`)
	ofShape    = lazy.Regexp(`(?i)(?:shapes?|sizes?|dims|dimensions|input|target|weight)$`)
	ofOther    = lazy.Regexp(`(?i)(?:array|tensor|list|ax[ei]s|perm\w*|order|pad\w*|dilations?|kernel_size|window\w*|indices|index|slice|mnk|args?)$`)
	oneSize    = lazy.Regexp(`^\(\d+\)$`) // size (4) is a size, (4,) and [4] are shapes
	ofStrides  = lazy.Regexp(`(?i)stride[sd]?$|strides?\b[^()\[\]{}]*$|strides? mismatch.*got $|\]\), $`)
)

// Tensors returns the tensors of a text.
func Tensors(message string) []Tensor {
	var all []Tensor
	lastEnd := 0
	types := printed.Find(message, MaxTensors)
	for _, at := range tensorWords.Get().FindAllStringSubmatchIndex(message, MaxTensors) {
		part := func(i int) string { return message[max(0, at[2*i]):max(0, at[2*i+1])] }
		t := around(types, at[0], at[1])
		if t.Strides != nil {
			if t.End > lastEnd {
				all = append(all, printedTensor(t, message[max(0, lastEnd, t.Begin-64):t.Begin]))
				lastEnd = t.End
			}
			continue
		}
		before := message[max(0, at[0]-64):at[0]] + part(1)
		numbers := part(2) + part(3) + part(4) + part(5)
		m := Tensor{begin: at[0], end: at[1], Role: RoleOf(message[max(lastEnd, at[0]-64):at[0]]), Before: before[max(0, len(before)-24):]}
		lastEnd = at[1]
		if part(7) != "" {
			m.Open = true
			m.Shape, _ = OpenSizes(part(7))
			if m.Shape != nil {
				all = append(all, m)
			}
			continue
		}
		if strings.ContainsAny(t.Text, "<{(") {
			m.Printed = t.Text
		}
		if d, err := dtype.ParsePrinted(part(1) + part(6)); err == nil {
			m.DType = d.String()
		}
		if part(1) != "" && m.DType == "" && !strings.Contains(numbers, ",") { // an index: shape[0]
			continue
		}
		kind := kindOf(before, part(5) != "")
		if m.DType != "" || strings.Contains(numbers, "Size") {
			kind = "shape"
		}
		xs, err := notation.ParseInts(numbers)
		_, unsized := printed.ParseName(m.Printed) // nil in a layout without sizes, as JAX's
		_, ok := Sizes(numbers)
		m.Shape = xs
		m.Guessed = kind == ""
		if unsized == nil || err != nil || len(xs) == 0 {
			continue
		}
		if m.Guessed && followsStrides(all, len(xs)) { // strides (1, 4), expected (6, 1)
			kind = "strides"
		}
		if kind == "shape" && oneSize.Get().MatchString(numbers) {
			continue
		}
		if kind == "strides" {
			all = attach(all, xs, m)
			continue
		}
		if !ok || kind == "other" {
			continue
		}
		if m.Guessed && (!isShape(xs) || part(4) != "") {
			continue
		}
		last := len(all) - 1
		if last >= 0 && all[last].Shape == nil && m.begin-all[last].end <= maxBetween { // strides stand before the sizes
			if s, fits := Strided(xs, all[last].Strides); fits {
				m.Strides = s.Strides
				all = all[:last]
			}
		}
		all = append(all, m)
	}
	return all
}

// around returns the printed tensor that has these bytes of the text; none has no text.
func around(types []printed.Found, begin, end int) printed.Found {
	for _, t := range types {
		if t.Begin <= begin && end <= t.End {
			return t
		}
	}
	return printed.Found{}
}

// printedTensor returns the tensor of a print that has its strides.
func printedTensor(t printed.Found, before string) Tensor {
	return Tensor{Shape: t.Shape, Strides: t.Strides, DType: t.Element, Printed: t.Text, begin: t.Begin, end: t.End, Role: RoleOf(before),
		Before: before[max(0, len(before)-24):]}
}

// kindOf says what a list is by the text before it: "shape", "strides", "other", or "" if no word says it.
func kindOf(before string, bare bool) string {
	m := wordBefore.Get().FindStringSubmatch(before)
	word := ""
	between := ""
	if m != nil && !bare {
		word = m[1]
		between = m[2]
	}
	if ofOther.Get().MatchString(word) {
		return "other"
	}
	if ofShape.Get().MatchString(word) {
		return "shape"
	}
	if ofStrides.Get().MatchString(word) || !bare && ofStrides.Get().MatchString(before) {
		return "strides"
	}
	if word != "" && between == "" { // a call or an index: permute(0, 1), x[0]
		return "other"
	}
	return ""
}

// isShape reports whether a list without a word is likely of sizes: two to eight positive ones, of 16 elements or more.
func isShape(xs []int) bool {
	n, _ := tensor.Numel(xs)
	return len(xs) >= 2 && len(xs) <= 8 && n >= 16
}

// followsStrides reports whether the last tensor has strides of a rank and no shape.
func followsStrides(all []Tensor, rank int) bool {
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return last.Shape == nil && len(last.Strides) == rank
}

// attach gives strides to the tensor just before them in the text; others are mentioned alone, unless they are a convolution's.
func attach(all []Tensor, strides []int, m Tensor) []Tensor {
	if n := len(all) - 1; n >= 0 && m.begin-all[n].end <= maxBetween && all[n].Strides == nil {
		if s, ok := Strided(all[n].Shape, strides); ok {
			all[n].Strides = s.Strides
			return all
		}
	}
	if slices.Max(strides) >= 4 && slices.Min(strides) != slices.Max(strides) {
		m.Shape = nil
		m.Strides = strides
		all = append(all, m)
	}
	return all
}
