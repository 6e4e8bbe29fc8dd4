package source

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// OrderName is the memory order's name. A tensor whose dims have no names of their own has c or fortran order.
func OrderName(t *Tensor) string {
	if !t.HasFormat {
		return ""
	}
	names := t.Format.Names()
	switch f := t.Format; {
	case len(names) > 0 && len(names[0]) == 1:
		return f.String()
	case f.Explicit() == notation.RowMajor(names).Explicit():
		return "c"
	case f.Explicit() == notation.RowMajor(names).Reversed().Explicit():
		return "fortran"
	default:
		return f.String()
	}
}

// RefuseGuess fails where the order of a source is only guessed, and its sizes speak for another one. flag names the order.
func RefuseGuess(t *Tensor, flag string) error {
	looks := t.LooksLike()
	if looks == "" {
		return nil
	}
	return fault.New(fault.Usage, "%s is read as %s by default, but %s", words.Quoted(t.Source), t.Format, t.Notes[len(t.Notes)-1]).
		WithHint("say which it is: %s %s or %s %s", flag, looks, flag, strings.ToLower(strings.Join(t.Layout.Names(), "")))
}

// SizesFor orders the tensor's sizes as the format lists its dims, and refuses other dims. A format that counts dims
// takes the tensor's names.
func SizesFor(f notation.Format, l tensor.Layout) (notation.Format, []int, error) {
	if f.Positional() && f.Rank() == l.Rank() {
		f = f.Rename(l.Names())
	}
	names, sizes := l.Names(), make([]int, f.Rank())
	for i, n := range f.Names() {
		at := slices.Index(names, n)
		if at < 0 || f.Rank() != l.Rank() {
			return f, nil, fault.New(fault.Usage, "layout %s has dims %s, the source has %s", f,
				strings.Join(f.Names(), ", "), cmp.Or(strings.Join(names, ", "), "none")).
				WithHint("name the source's own layout, or one with the same dims")
		}
		sizes[i] = l.Dim(at).Size
	}
	return f, sizes, nil
}

// PackedAs is the packed layout of a tensor's own format. It must exist: the tensor has it.
func PackedAs(f notation.Format, l tensor.Layout) tensor.Layout {
	f, sizes, err := SizesFor(f, l)
	if err != nil {
		panic(err)
	}
	packed, err := f.Bind(sizes)
	if err != nil {
		panic(err)
	}
	return packed
}
