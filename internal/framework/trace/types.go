package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// torchTypes are PyTorch's dtypes with the methods that convert to them, if any, and their names in messages: Float8_e5m2 for float8_e5m2.
// (c10/core/ScalarType.h in PyTorch 2.15)
var torchTypes = []struct{ name, method, message string }{
	{"float16", "half", "Half"}, {"float32", "float", "Float"}, {"bfloat16", "bfloat16", "BFloat16"}, {"float64", "double", "Double"},
	{"int32", "int", "Int"}, {"int64", "long", "Long"}, {"int16", "short", "Short"}, {"int8", "char", "Char"}, {"uint8", "byte", "Byte"},
	{"bool", "bool", "Bool"}, {"complex32", "chalf", "ComplexHalf"}, {"complex64", "cfloat", "ComplexFloat"},
	{"complex128", "cdouble", "ComplexDouble"}, {"uint16", "", "UInt16"}, {"uint32", "", "UInt32"}, {"uint64", "", "UInt64"},
	{"float8_e4m3fn", "", "Float8_e4m3fn"}, {"float8_e4m3fnuz", "", "Float8_e4m3fnuz"}, {"float8_e5m2", "", "Float8_e5m2"},
	{"float8_e5m2fnuz", "", "Float8_e5m2fnuz"}, {"float8_e8m0fnu", "", "Float8_e8m0fnu"},
}

// torchType returns a dtype's name and its name in messages; empty if PyTorch has none of that name.
func torchType(word string) (name, message string) {
	for _, t := range torchTypes {
		if word == t.name || word == t.method && word != "" {
			return t.name, t.message
		}
	}
	return "", ""
}

// conversions are the methods that convert to a dtype.
func conversions() []string {
	var methods []string
	for _, t := range torchTypes {
		if t.method != "" {
			methods = append(methods, t.method)
		}
	}
	return methods
}

// promoted returns the dtype of a result of the tensor and a number of a kind; other operands have the tensor's dtype.
func (s State) promoted(by ArgKind) dtype.Type {
	kind := s.DType.Kind()
	to := s.DType
	if by == Number && isIntegral(kind) {
		to, _ = dtype.Parse("float32")
	}
	if by == Int && kind == dtype.Bool {
		to, _ = dtype.Parse("int64")
	}
	return to
}

// isIntegral reports whether a kind is one of PyTorch's integral types, of which bool is one.
func isIntegral(kind dtype.Kind) bool {
	return kind == dtype.Bool || kind == dtype.Int || kind == dtype.Uint
}

func promotes(s State, by ArgKind) (common, result dtype.Type) { return s.promoted(by), s.promoted(by) }

func toFloat(s State, _ ArgKind) (common, result dtype.Type) { return promotes(s, Number) }

func toBool(s State, by ArgKind) (common, result dtype.Type) {
	result, _ = dtype.Parse("bool")
	return s.promoted(by), result
}

// newType returns the dtype that a call names, by default the tensor's.
func (s State) newType(a arguments) (dtype.Type, error) {
	word := a.word("dtype", "")
	name, _ := torchType(word)
	if !a.has("dtype") {
		return s.DType, nil
	}
	if name == "" {
		return dtype.Type{}, fault.New(fault.Usage, "%s: unknown dtype %s", a.call.Name, text.Quoted(word)).
			WithHint("float16, float32, int64, …")
	}
	return dtype.Parse(name)
}

// like is empty_like and its kind, and a conversion to a dtype: a new tensor of the same shape, by default in the same memory order.
func (s State) like(a arguments) (Step, error) {
	to, err := s.newType(a)
	if err != nil {
		return Step{}, err
	}
	f, err := s.format(a, preserve)
	strides := s.CloneStrides()
	why := strings.ReplaceAll(s.whyPreserved(), "copy", "new tensor")
	if err == nil && f != preserve {
		err = s.rankFor(f)
		strides, _ = tensor.FormatStrides(s.Shape, f)
		why = "strides of " + string(f)
	}
	if err != nil {
		return Step{}, err
	}
	return s.computed(tensor.Strided{Shape: s.Shape, Strides: strides}, s.Names, to, why)
}

// convert is to(dtype), and float(), half() and their kind.
func (s State) convert(a arguments) (Step, error) {
	if !a.has("dtype") {
		a.given["dtype"] = Arg{Kind: Word, Word: a.call.Name}
	}
	if to, _ := s.newType(a); to.Equal(s.DType) {
		return s.itself("the dtype is " + to.String() + " already: returns the tensor itself")
	}
	return s.like(a)
}

// viewOfType reads the same bytes as elements of another size: the last size, the offset, and all strides but the last, which must be
// 1, are multiplied by old size/new size. (view_dtype in PyTorch's aten/src/ATen/native/TensorConversions.cpp)
func (s State) viewOfType(a arguments) (Step, error) {
	as, err := s.newType(a)
	bytes, fits := tensor.Mul(s.Storage.Elems, s.ItemSize)
	_, oldName := torchType(s.DType.String())
	_, newName := torchType(as.String())
	if err != nil {
		return Step{}, err
	}
	if oldName == "" {
		return Step{}, fault.New(fault.Unsupported, "PyTorch has no dtype %s", s.DType)
	}
	if as.Equal(s.DType) {
		return s.view(s.Strided, s.Names, "the same dtype")
	}
	from := s.ItemSize
	size := as.ItemSize()
	to := tensor.Strided{Shape: slices.Clone(s.Shape), Strides: slices.Clone(s.Strides), Offset: s.Offset}
	if from != size {
		var refused *Refusal
		unless := func(ok bool, condition, format string, args ...any) {
			if !ok && refused == nil {
				refused = refuse("self.%s to view %s as %s (different element sizes)"+format,
					append([]any{condition, oldName, newName}, args...)...)
			}
		}
		scale := func(name string, n *int) {
			all, ok := tensor.Mul(*n, from)
			fits = fits && ok
			unless(all%size == 0, fmt.Sprintf("%s must be divisible by %d", name, size/from), ", but got %d", *n)
			*n = all / size
		}
		if s.Rank() == 0 {
			unless(false, "dim() cannot be 0", "")
			return Step{}, refused
		}
		last := s.Rank() - 1
		scale("size(-1)", &to.Shape[last])
		scale("storage_offset()", &to.Offset)
		unless(s.Strides[last] == 1, "stride(-1) must be 1", ", but got %d", s.Strides[last])
		for d := range last {
			scale(fmt.Sprintf("stride(%d)", d), &to.Strides[d])
		}
		if refused != nil {
			return Step{}, refused
		}
	}
	if !fits {
		return Step{}, overflow("view(%s)", as)
	}
	s.DType = as
	s.ItemSize = size
	s.Storage = &Storage{Elems: bytes / size, isNew: true}
	return s.view(to, s.Names, fmt.Sprintf("the last size, the other strides and the offset times %d/%d, the bytes per element", from, size))
}
