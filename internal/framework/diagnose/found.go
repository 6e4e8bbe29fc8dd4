package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

var (
	blockedName = lazy.Regexp(`\b[A-Za-z_]*[A-Za-z]\d{1,2}[a-z]\w*\b|\bb_fs_\w+\b`)
	anyBytes    = lazy.Regexp(`\b(\d+) ?(?:bytes|B)\b`)
	anyType     = lazy.Regexp(`\b(?:torch|np|numpy|jnp|tf)\.\w+|\b(?:b?float|u?int|complex)\d+(?:_\w+)?\b`)
)

// Found describes the tensors of a text whose message is unknown: sizes, strides, bytes, and how shapes relate. What is empty if the
// text has no sizes or layout.
func Found(message string) Answer {
	message = folded(message[:min(len(message), 4*maxPassage)])
	a := Answer{Same: tensor.Unknown}
	all := []mention{}
	only := onlyType(message)
	named := 0
	for _, m := range mentions(message) {
		if m.open {
			continue
		}
		if m.guessed && named > 1 { // the others have their word, so this is likely no shape
			continue
		}
		if !m.guessed {
			named++
		}
		m.dtype = cmp.Or(m.dtype, only)
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
	for _, word := range blockedName.Get().FindAllString(message, 4) {
		if f, err := printed.ParseName(word); err == nil && !f.Format.Plain() {
			a.Facts = append(a.Facts, fmt.Sprintf("%s is a blocked layout, %s: a runtime's own, of %s", word, f.Format, text.Count(f.Format.Rank(), "dim")))
			a.Commands = append(a.Commands, "tlayout formats "+word)
		}
	}
	if len(a.Facts) == 0 {
		return a
	}
	for _, m := range anyBytes.Get().FindAllStringSubmatch(message, 2) {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			relations = append(relations, sizedAs(n, all))
		}
	}
	a.Facts = append(a.Facts, relations...)
	a.What = "not a known message; this is what its sizes and strides say"
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
	if v := s.StrictContiguous(); s.CContiguous().OK && !v.OK {
		order += fmt.Sprintf("; dim %d, of size 1, has stride %d instead of %d: a kernel that compares strides refuses it", v.Dim, v.Found, v.Expected)
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
