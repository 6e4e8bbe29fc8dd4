package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// mention is a tensor that a text describes. Its strides are in elements; shape or strides are nil if the other is alone.
type mention struct {
	shape, strides []int
	dtype          string // as the text spells it, empty if unknown
	end            int    // of the mention in the text
	guessed        bool   // no word says that the list is a shape
	printed        string // the type that has it, with a layout; empty: none
}

// maxMentions limits the lists that are read of a text; strides belong to sizes that are at most maxBetween bytes away.
const maxMentions, maxBetween = 64, 40

var (
	// tensorWords matches f32[8,64], torch.Size([8, 64]), a list after any word, and 8x64xf32.
	tensorWords = lazy.Regexp(`\b([A-Za-z]\w*)\[(\d[\d, ]*)\]|(?:` + list + `|(\{\d[\d, ]*\}))|\b(\d+(?:x\d+)+)(?:x([a-z]+\d\w*))?\b`)
	// wordBefore matches the word before a list and what is between: "with shape ", "stride() = ", "permute".
	wordBefore   = lazy.Regexp(`([A-Za-z][\w.]*)(?:\(\))?["'*\x60]?((?:\s|:|=|<|,|\(|is\b|of\b|was\b|were\b)*)$`)
	ofShape      = lazy.Regexp(`(?i)(?:shapes?|sizes?|dims|dimensions|input|target|weight)$`)
	ofOther      = lazy.Regexp(`(?i)(?:array|tensor|list|ax[ei]s|perm\w*|order|pad\w*|dilations?|kernel_size|window\w*|indices|index|slice|mnk|args?)$`)
	oneSize      = lazy.Regexp(`^\(\d+\)$`) // size (4) is a size, (4,) and [4] are shapes
	ofStrides    = lazy.Regexp(`(?i)stride[sd]?$|strides?\b[^()\[\]{}]*$|strides? mismatch.*got $|\]\), $`)
	printedTypes = lazy.Regexp(printed.Pattern)
	anyBytes     = lazy.Regexp(`\b(\d+) ?(?:bytes|B)\b`)
	anyType      = lazy.Regexp(`\b(?:torch|np|numpy|jnp|tf)\.\w+|\b(?:b?float|u?int|complex)\d+(?:_\w+)?\b`)
)

// mentions returns the tensors of a text.
func mentions(message string) []mention {
	var all []mention
	types := printedTypes.Get().FindAllStringIndex(message, maxMentions)
	for _, at := range tensorWords.Get().FindAllStringSubmatchIndex(message, maxMentions) {
		part := func(i int) string { return message[max(0, at[2*i]):max(0, at[2*i+1])] }
		before := message[max(0, at[0]-64):at[0]] + part(1)
		numbers := part(2) + part(3) + part(4) + part(5)
		m := mention{end: at[1]}
		for _, t := range types {
			if t[0] <= at[0] && at[1] <= t[1] && strings.ContainsAny(message[t[0]:t[1]], "<{(") {
				m.printed = message[t[0]:t[1]]
			}
		}
		if d, err := dtype.ParsePrinted(part(1) + part(6)); err == nil {
			m.dtype = d.String()
		}
		kind := kindOf(before, part(5) != "")
		if m.dtype != "" || strings.Contains(numbers, "Size") {
			kind = "shape"
		}
		xs, err := notation.ParseInts(numbers)
		_, unsized := printed.ParseName(m.printed) // nil in a layout without sizes, as JAX's
		_, ok := sizes(numbers)
		m.shape = xs
		m.guessed = kind == ""
		if unsized == nil || err != nil || len(xs) == 0 {
			continue
		}
		if kind == "shape" && oneSize.Get().MatchString(numbers) {
			continue
		}
		if kind == "strides" {
			all = attach(all, xs, at)
			continue
		}
		if !ok || kind == "other" {
			continue
		}
		if m.guessed && (!isShape(xs) || part(4) != "") {
			continue
		}
		last := len(all) - 1
		if last >= 0 && all[last].shape == nil && at[0]-all[last].end <= maxBetween { // strides stand before the sizes
			if s, fits := strided(numbers, spelled(all[last].strides)); fits {
				m.strides = s.Strides
				all = all[:last]
			}
		}
		all = append(all, m)
	}
	return all
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

// attach gives strides to the tensor just before them in the text; others are mentioned alone, unless they are a convolution's.
func attach(all []mention, strides []int, at []int) []mention {
	if n := len(all) - 1; n >= 0 && at[0]-all[n].end <= maxBetween && all[n].strides == nil {
		if s, ok := strided(spelled(all[n].shape), spelled(strides)); ok {
			all[n].strides = s.Strides
			return all
		}
	}
	if slices.Max(strides) >= 16 {
		all = append(all, mention{strides: strides, end: at[1]})
	}
	return all
}

// Found describes the tensors of a text whose message is unknown: sizes, strides, bytes, and how shapes relate. What is empty if the
// text has none.
func Found(message string) Answer {
	message = strings.Join(strings.Fields(message[:min(len(message), MaxText)]), " ")
	a := Answer{Same: tensor.Unknown}
	all := []mention{}
	only := onlyType(message)
	named := 0
	for _, m := range mentions(message) {
		if m.guessed && named > 1 { // the others have their word, so this is likely no shape
			continue
		}
		if !m.guessed {
			named++
		}
		m.dtype = cmp.Or(m.dtype, only)
		m.end = 0
		if !slices.ContainsFunc(all, func(o mention) bool {
			return slices.Equal(o.shape, m.shape) && (m.strides == nil || slices.Equal(o.strides, m.strides))
		}) {
			all = append(all, m)
		}
	}
	all = all[:min(4, len(all))]
	var relations []string
	for i, m := range all {
		a.Facts = append(a.Facts, m.describe()...)
		for _, o := range all[i+1:] {
			if m.shape == nil || o.shape == nil {
				continue
			}
			fact, _, command := related(m.shape, o.shape)
			onlyShapes := len(all) == 2 && m.strides == nil
			if command != "" || onlyShapes {
				relations = append(relations, fact)
				a.Commands = append(a.Commands, command)
			}
		}
	}
	for _, m := range all {
		a.Commands = append(a.Commands, m.command())
	}
	for _, s := range printedTypes.Get().FindAllString(message, maxMentions) {
		if l, err := notation.Parse(s); err == nil && l.HasFormat() {
			a.Facts = append(a.Facts, "a layout of "+text.Count(l.Format.Rank(), "dim")+" without sizes: paste x.shape too")
			a.Commands = append(a.Commands, "tlayout inspect "+l.Flags(s, append(all, mention{})[0].shape))
		}
	}
	for _, m := range anyBytes.Get().FindAllStringSubmatch(message, 2) {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			relations = append(relations, sizedAs(n, all))
		}
	}
	a.Facts = append(a.Facts, relations...)
	if len(a.Facts) > 0 {
		a.What = "not a known message; this is what its sizes and strides say"
	}
	a.Commands = slices.DeleteFunc(a.Commands, func(line string) bool { return line == "" })
	a.Commands = a.Commands[:min(3, len(a.Commands))]
	return a
}

// sizedAs explains a number of bytes: elements of one of the tensors, or in binary units.
func sizedAs(bytes int64, all []mention) string {
	for _, m := range all {
		n, _ := tensor.Numel(m.shape)
		if m.shape == nil || n <= 1 {
			continue
		}
		size := int(bytes / int64(n))
		if bytes%int64(n) == 0 && slices.Contains([]int{1, 2, 4, 8, 16}, size) {
			return fmt.Sprintf("%d bytes: the %d elements of %s, %s each", bytes, n, tensor.Tuple(m.shape), text.Count(size, "byte"))
		}
	}
	return text.ExactBytes(bytes)
}

// describe says how many elements and bytes a tensor has; with strides, its order and its gaps in a second line.
func (m mention) describe() []string {
	if m.shape == nil {
		return []string{"strides " + tensor.Tuple(m.strides) + " without sizes: paste x.shape too"}
	}
	n, _ := tensor.Numel(m.shape)
	line := tensor.Tuple(m.shape)
	if m.guessed {
		line += " as a shape"
	}
	line += ": " + text.Count(n, "element")
	if d, err := dtype.ParseTyped(m.dtype); err == nil {
		if _, ok := tensor.Mul(n, d.ItemSize()); ok {
			line += fmt.Sprintf(" of %s, %s", d, text.ExactBytes(d.Size(int64(n))))
		}
	}
	if m.strides == nil {
		return []string{line}
	}
	s := tensor.Strided{Shape: m.shape, Strides: m.strides}
	order := fmt.Sprintf("  strides %s: %s", tensor.Tuple(m.strides), format(s))
	if s.FormatName() == "permuted" {
		order += fmt.Sprintf(", dense with dims %s from the outermost to the innermost", text.Ints(s.DimOrder(), ", "))
	}
	if v := s.CContiguous(); !v.OK {
		order += fmt.Sprintf("; not contiguous: the stride of dim %d is %d, expected %d", v.Dim, v.Found, v.Expected)
	}
	if s.StorageElems() > n {
		order += fmt.Sprintf("; spans %d elements of storage", s.StorageElems())
	}
	if !slices.Contains(m.strides, 1) {
		order += "; NumPy's strides are bytes: divide them by the itemsize first"
	}
	return []string{line, order}
}

// command inspects a tensor, or is empty if its sizes are unknown.
func (m mention) command() string {
	if m.shape == nil {
		return ""
	}
	if _, err := printed.Parse(m.printed); err == nil {
		return "tlayout inspect " + text.Shell(m.printed)
	}
	line := "tlayout inspect --shape " + text.Shell(spelled(m.shape))
	if m.strides != nil {
		line += " --strides " + text.Shell(spelled(m.strides))
	}
	if d, err := dtype.ParseTyped(m.dtype); err == nil {
		line += " --dtype " + text.Shell(d.String())
	}
	return line
}

// onlyType returns the one type of elements that a text names, empty if it names none or several.
func onlyType(message string) string {
	only := ""
	for _, word := range anyType.Get().FindAllString(message, maxMentions) {
		if d, err := dtype.ParseTyped(word); err == nil {
			if only != "" && d.String() != only {
				return ""
			}
			only = d.String()
		}
	}
	return only
}
