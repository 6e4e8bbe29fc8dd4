package framework

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/words"
)

// shownType is how many characters a reason spends on the name of a type.
const shownType = 60

func typeName(d dtype.Type) string { return words.Cut(d.String(), shownType+1) }

// refusesType says why the framework takes no items of a type; empty where it does, and where its types are not known.
// Strings, times, records, raw bytes, and more digits than float64 has are NumPy's alone. So are big-endian numbers:
// from_numpy refuses those that are not the machine's own, and the answers are those of a little-endian machine, wherever
// this program runs.
func (f Framework) refusesType(d dtype.Type) string {
	switch {
	case f.Name == NumPy:
	case !numbers(d) || wide(d):
		return "no such type as " + typeName(d)
	case d.Order() == dtype.Big:
		return "big-endian; little-endian numbers are wanted, as x86 and ARM have them"
	}
	if f.Types == nil {
		return ""
	}
	return f.Types(d)
}

func typesNumPy(dtype.Type) string { return "" }

// typesPyTorch are those of from_numpy, of 1.13, run.
func typesPyTorch(d dtype.Type) string {
	if foreign(d) && d.String() != "bfloat16" {
		return "from_numpy takes no " + typeName(d)
	}
	return ""
}

// typesOf refuses all types but those listed, whatever their byte order.
func typesOf(names string) func(dtype.Type) string {
	taken := strings.Fields(names)
	return func(d dtype.Type) string {
		if slices.Contains(taken, d.String()) {
			return ""
		}
		return "it has no type " + typeName(d)
	}
}

func typesDirectML(d dtype.Type) string {
	if dtype.DirectMLBits(d) == 0 {
		return "it has no type " + typeName(d)
	}
	return ""
}

// numbers reports whether the items are numbers, as opposed to strings, times, records and raw bytes.
func numbers(d dtype.Type) bool {
	return slices.Contains([]dtype.Kind{dtype.Bool, dtype.Int, dtype.Uint, dtype.Float, dtype.Complex}, d.Kind())
}

// wide reports whether the items are of more digits than float64 has: long double, and complex of two of them.
func wide(d dtype.Type) bool {
	return d.Kind() == dtype.Float && d.ItemSize() > 8 || d.Kind() == dtype.Complex && d.ItemSize() > 16
}

// foreign reports whether NumPy has no name for the type, and keeps raw bytes.
func foreign(d dtype.Type) bool { return numbers(d) && strings.Contains(d.Typestr(), "V") }

// remark is what to know of a yes.
func (f Framework) remark(o Offer) string {
	d := o.DType
	switch f.Name {
	case PyTorch:
		switch {
		case d.Kind() == dtype.Uint && d.ItemSize() > 1:
			return "from_numpy of 1.13 has no " + d.String() + "; x.view('int" + strings.TrimPrefix(d.String(), "uint") + "') has the same bits"
		case foreign(d):
			return "from_numpy(x.view('int16')).view(torch.bfloat16)"
		}
	case NumPy:
		return remarkNumPy(o)
	}
	return ""
}

// remarkNumPy tells what np.save makes of it: C or Fortran order.
func remarkNumPy(o Offer) string {
	s, _ := o.Layout.Strided()
	switch {
	case foreign(o.DType):
		return "as " + o.DType.String() + " with ml_dtypes, as raw bytes (V" + words.Ints([]int{o.DType.ItemSize()}, "") + ") without"
	case s.SavedFortran():
		return "np.save writes fortran_order: True"
	case !s.CContiguous().OK:
		return "np.save writes a row-major copy of " + o.Copy + ": the layout is lost"
	}
	return ""
}
