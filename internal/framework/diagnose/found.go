package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
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
	message = mention.Folded(message[:min(len(message), 4*mention.MaxPassage)])
	a := Answer{Same: tensor.Unknown}
	all := []mention.Tensor{}
	only := onlyType(message)
	named := 0
	for _, m := range mention.Tensors(message) {
		if m.Open {
			continue
		}
		if m.Guessed && named > 1 { // the others have their word, so this is likely no shape
			continue
		}
		if !m.Guessed {
			named++
		}
		m.DType = cmp.Or(m.DType, only)
		if !slices.ContainsFunc(all, func(o mention.Tensor) bool {
			return slices.Equal(o.Shape, m.Shape) && (m.Strides == nil || slices.Equal(o.Strides, m.Strides))
		}) {
			all = append(all, m)
		}
	}
	all = all[:min(4, len(all))]
	var relations []string
	for i, m := range all {
		a.Facts = append(a.Facts, describe(m)...)
		for _, o := range all[i+1:] {
			if m.Shape == nil || o.Shape == nil {
				continue
			}
			fact, _, command := related(m.Shape, o.Shape)
			onlyShapes := len(all) == 2 && m.Strides == nil
			if command != "" || onlyShapes {
				relations = append(relations, fact)
				a.Commands = append(a.Commands, command)
			}
		}
	}
	for _, m := range all {
		a.Commands = append(a.Commands, inspected(m))
	}
	for _, f := range printed.Find(message, mention.MaxTensors) {
		s := f.Text
		if l, err := printed.ParseName(s); err == nil && l.HasFormat() {
			a.Facts = append(a.Facts, "a layout of "+text.Count(l.Format.Rank(), "dim")+" without sizes: paste x.shape too")
			a.Commands = append(a.Commands, "tlayout inspect "+l.Flags(s, append(all, mention.Tensor{})[0].Shape))
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
func sizedAs(bytes int64, all []mention.Tensor) string {
	for _, m := range all {
		n, _ := tensor.Numel(m.Shape)
		if m.Shape == nil || n <= 1 {
			continue
		}
		size := int(bytes / int64(n))
		if bytes%int64(n) == 0 && slices.Contains([]int{1, 2, 4, 8, 16}, size) {
			return fmt.Sprintf("%d bytes: the %d elements of %s, %s each", bytes, n, tensor.Tuple(m.Shape), text.Count(size, "byte"))
		}
	}
	return text.ExactBytes(bytes)
}

// describe says how many elements and bytes a tensor has; with strides, its order and its gaps in a second line.
func describe(m mention.Tensor) []string {
	if m.Shape == nil {
		return []string{"strides " + tensor.Tuple(m.Strides) + " without sizes: paste x.shape too"}
	}
	n, _ := tensor.Numel(m.Shape)
	line := tensor.Tuple(m.Shape)
	if m.Guessed {
		line += " as a shape"
	}
	line += ": " + text.Count(n, "element")
	if d, err := dtype.ParseTyped(m.DType); err == nil {
		if _, ok := tensor.Mul(n, d.ItemSize()); ok {
			line += fmt.Sprintf(" of %s, %s", d, text.ExactBytes(d.Size(int64(n))))
		}
	}
	if m.Strides == nil {
		return []string{line}
	}
	s := tensor.Strided{Shape: m.Shape, Strides: m.Strides}
	order := fmt.Sprintf("  strides %s: %s", tensor.Tuple(m.Strides), format(s))
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
	if !slices.Contains(m.Strides, 1) {
		order += "; NumPy's strides are bytes: divide them by the itemsize first"
	}
	return []string{line, order}
}

// inspected returns the command that inspects a tensor; it is empty if its sizes are unknown.
func inspected(m mention.Tensor) string {
	if m.Shape == nil {
		return ""
	}
	if l, _, err := printed.ParseLayout(m.Printed); err == nil && l.Exact != nil {
		return "tlayout inspect " + text.Shell(m.Printed)
	}
	line := "tlayout inspect --shape " + text.Shell(mention.Spelled(m.Shape))
	if m.Strides != nil {
		line += " --strides " + text.Shell(mention.Spelled(m.Strides))
	}
	if d, err := dtype.ParseTyped(m.DType); err == nil {
		line += " --dtype " + text.Shell(d.String())
	}
	return line
}

// onlyType returns the one type of elements that a text names, empty if it names none or several.
func onlyType(message string) string {
	only := ""
	for _, word := range anyType.Get().FindAllString(message, mention.MaxTensors) {
		if d, err := dtype.ParseTyped(word); err == nil {
			if only != "" && d.String() != only {
				return ""
			}
			only = d.String()
		}
	}
	return only
}
