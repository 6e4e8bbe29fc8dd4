package framework

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/words"
)

// shownType is how many characters of a type's name a reason shows.
const shownType = 60

func typeName(d dtype.Type) string { return words.Cut(d.String(), shownType+1) }

// refusesType says why the framework refuses a type; empty if it accepts the type, or its types are not known. Strings,
// times, records, raw bytes and floats wider than float64 are NumPy's alone. So are big-endian numbers: from_numpy refuses
// numbers that are byte-swapped on its machine, which is taken to be little-endian wherever this program runs.
func (f *Framework) refusesType(d dtype.Type) string {
	switch {
	case f == NumPy:
	case !numbers(d) || wide(d):
		return "unsupported type " + typeName(d)
	case d.Order() == dtype.Big:
		return "big-endian; it needs little-endian numbers, as on x86 and ARM"
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
		return "from_numpy does not support " + typeName(d)
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
		return "unsupported type " + typeName(d)
	}
}

func typesDirectML(d dtype.Type) string {
	if dtype.DirectMLBits(d) == 0 {
		return "unsupported type " + typeName(d)
	}
	return ""
}

// numbers reports whether the elements are numbers, as opposed to strings, times, records and raw bytes.
func numbers(d dtype.Type) bool {
	return slices.Contains([]dtype.Kind{dtype.Bool, dtype.Int, dtype.Uint, dtype.Float, dtype.Complex}, d.Kind())
}

// wide reports whether the elements are wider than float64: long double, and complex of two of them.
func wide(d dtype.Type) bool {
	return d.Kind() == dtype.Float && d.ItemSize() > 8 || d.Kind() == dtype.Complex && d.ItemSize() > 16
}

// foreign reports whether NumPy has no name for the type and stores it as raw bytes.
func foreign(d dtype.Type) bool { return numbers(d) && strings.Contains(d.Typestr(), "V") }

// remark is what to know about a yes.
func (f *Framework) remark(o Offer) string {
	d := o.DType
	switch f {
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

// remarkNumPy is how np.save writes it: in C or Fortran order.
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
