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

// isTorchType reports whether a word is one of PyTorch's dtypes.
func isTorchType(word string) bool {
	name, _ := torchType(word)
	return name != ""
}

// typeOf returns the dtype of an operand; one that has only a shape has the tensor's.
func (s State) typeOf(g Arg) dtype.Type {
	if g.Of != nil {
		return g.Of.DType
	}
	return s.DType
}

// commonType returns the dtype of operands: that of tensors with dims, unless the kind of one without, or of a number, is higher.
// (result_type in PyTorch's aten/src/ATen/native/TypeProperties.cpp)
func (s State) commonType(operands []Arg) dtype.Type {
	var byRank [3]*dtype.Type // tensors with dims, without, numbers
	add := func(level int, d dtype.Type) {
		if byRank[level] != nil {
			d = promote(*byRank[level], d)
		}
		byRank[level] = &d
	}
	for _, g := range operands {
		rank := 1
		if g.Of != nil {
			rank = g.Of.Rank()
		}
		if g.Kind == List {
			rank = len(g.List)
		}
		switch {
		case g.isNumber():
			add(2, g.numberType())
		case rank == 0:
			add(1, s.typeOf(g))
		default:
			add(0, s.typeOf(g))
		}
	}
	var common *dtype.Type
	for _, level := range []int{2, 1, 0} {
		if byRank[level] == nil {
			continue
		}
		higher := *byRank[level]
		if common != nil && category(*common) > category(higher) {
			higher = promoteKind(higher, *common)
		}
		common = &higher
	}
	return *common
}

// numberType returns the dtype of a number among operands.
func (g Arg) numberType() dtype.Type {
	name := map[ArgKind]string{Int: "int64", Number: "float32", Word: "bool"}[g.Kind]
	d, _ := dtype.Parse(name)
	return d
}

// category orders the kinds of dtypes: bool, integers, floats, complex numbers.
func category(d dtype.Type) int {
	switch d.Kind() {
	case dtype.Bool:
		return 0
	case dtype.Int, dtype.Uint:
		return 1
	case dtype.Complex:
		return 3
	}
	return 2
}

// promoteKind returns the dtype of tensors if operands without dims have a higher kind: a float tensor becomes complex of its size.
func promoteKind(d, higher dtype.Type) dtype.Type {
	if category(higher) == 3 && category(d) == 2 {
		c, err := dtype.Parse(fmt.Sprintf("complex%d", 2*d.Bits()))
		if err == nil {
			return c
		}
	}
	return higher
}

// promote returns the smallest dtype that holds both. (promoteTypes in PyTorch's c10/core/ScalarType.cpp)
func promote(a, b dtype.Type) dtype.Type {
	if category(a) < category(b) {
		a, b = b, a
	}
	if category(a) == 3 && category(b) == 2 && a.Bits() < 2*b.Bits() {
		return promoteKind(b, a)
	}
	if category(a) != category(b) || a.Equal(b) {
		return a
	}
	name := ""
	switch category(a) {
	case 1:
		name = promotedInt(a, b)
	case 2:
		if a.Bits() == b.Bits() { // float16 and bfloat16
			name = "float32"
		}
	}
	if d, err := dtype.Parse(name); err == nil {
		return d
	}
	if a.Bits() < b.Bits() {
		return b
	}
	return a
}

// promotedInt returns the signed dtype that holds an unsigned one too; empty if the larger one does.
func promotedInt(a, b dtype.Type) string {
	if a.Kind() == b.Kind() {
		return ""
	}
	unsigned := a
	signed := b
	if a.Kind() == dtype.Int {
		unsigned, signed = b, a
	}
	return fmt.Sprintf("int%d", max(signed.Bits(), min(2*unsigned.Bits(), 64)))
}

// isIntegral reports whether a kind is one of PyTorch's integral types, of which bool is one.
func isIntegral(kind dtype.Kind) bool {
	return kind == dtype.Bool || kind == dtype.Int || kind == dtype.Uint
}

func promotes(common dtype.Type) (computed, result dtype.Type) { return common, common }

func toFloat(common dtype.Type) (computed, result dtype.Type) {
	if isIntegral(common.Kind()) {
		common, _ = dtype.Parse("float32")
	}
	return common, common
}

func toBool(common dtype.Type) (computed, result dtype.Type) {
	result, _ = dtype.Parse("bool")
	return common, result
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

// typed returns a dtype that exists.
func typed(name string) dtype.Type {
	d, _ := dtype.Parse(name)
	return d
}

func messageType(d dtype.Type) string {
	_, message := torchType(d.String())
	return message
}

func (s State) typeAs(a arguments) (Step, error) {
	typ := s.typeOf(a.given["other"])
	if typ.Equal(s.DType) {
		return s.itself("the dtype is " + typ.String() + " already: returns the tensor itself")
	}
	a.given["dtype"] = Arg{Kind: Word, Word: typ.String()}
	return s.like(a)
}
