package framework

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Code is statements that convert a logical x to y, which has a layout, and y back to x.
type Code struct {
	Make []string
	Back []string
}

// Dialect is how a framework writes a conversion.
type Dialect struct {
	permute string // the method that permutes axes
	copied  string // copies a value to be contiguous
	formats bool   // has memory formats
	pad     func(before []string) string
	view    func(v view) []string
}

// The dialects of Python. F is torch.nn.functional.
var (
	PyTorchCode = Dialect{permute: "permute", copied: "%s.contiguous()", formats: true, pad: padPyTorch, view: viewPyTorch}
	NumPyCode   = Dialect{permute: "transpose", copied: "np.ascontiguousarray(%s)", pad: padNumPy, view: viewNumPy}
)

// padPyTorch lists the last dim first, up to the last one that is padded.
func padPyTorch(pads []string) string {
	var flat []string
	for _, p := range slices.Backward(pads) {
		flat = append(flat, "0", p)
	}
	for len(flat) > 0 && flat[len(flat)-1] == "0" {
		flat = flat[:len(flat)-2]
	}
	return "F.pad(x, (" + strings.Join(flat, ", ") + "))"
}

func padNumPy(pads []string) string {
	pairs := make([]string, len(pads))
	for i, p := range pads {
		pairs[i] = "(0, " + p + ")"
	}
	return "np.pad(x, (" + strings.Join(pairs, ", ") + tail(len(pairs)) + "))"
}

func (d Dialect) order(value string, axes []int) string {
	return fmt.Sprintf("%s.%s(%s)", value, d.permute, text.Ints(axes, ", "))
}

func (d Dialect) contiguous(value string) string { return fmt.Sprintf(d.copied, value) }

// tail makes a tuple from one name.
func tail(n int) string {
	if n == 1 {
		return ","
	}
	return ""
}

// Packed makes the dense memory of an order, with zeros in its padding: for these logical sizes, or for any x if shape is nil. The
// order has at least one dim.
func (d Dialect) Packed(f notation.Format, shape []int) Code {
	if f.Plain() {
		return d.plain(f)
	}
	if shape != nil {
		return d.blocked(givenSizes(f, shape))
	}
	c := d.blocked(namedSizes(f))
	c.Make = slices.Insert(c.Make, 0, opening(f))
	return c
}

// plain permutes axes; PyTorch's channels_last does so and keeps the logical shape.
func (d Dialect) plain(f notation.Format) Code {
	order := make([]int, f.Rank())
	back := make([]int, f.Rank())
	for k, a := range f.Axes() {
		order[k] = a.Dim
		back[a.Dim] = k
	}
	name := strings.Join(PyTorch.NamesOf(f), "")
	if slices.IsSorted(order) {
		return Code{[]string{"y = " + d.contiguous("x")}, []string{"x = y"}}
	}
	if d.formats && strings.HasPrefix(name, "channels_last") {
		return Code{[]string{"y = x.contiguous(memory_format=torch." + name + ")"}, []string{"x = y.contiguous()"}}
	}
	return Code{[]string{"y = " + d.contiguous(d.order("x", order))}, []string{"x = " + d.contiguous(d.order("y", back))}}
}

// Reordered converts a contiguous array x, whose axes are from's, to a contiguous y, whose axes are to's: one statement, with a comment that
// names the axes of x. The orders have the same dims; ok is false for blocks, and if the orders are equal.
func (d Dialect) Reordered(from, to notation.Format) (line string, ok bool) {
	isPlain := from.Plain() && to.Plain()
	if !isPlain || from.Rank() != to.Rank() {
		return "", false
	}
	axes := make([]int, to.Rank())
	for k, a := range to.Axes() {
		axes[k] = slices.IndexFunc(from.Axes(), func(b notation.Axis) bool { return b.Dim == a.Dim })
	}
	if slices.IsSorted(axes) {
		return "", false
	}
	return "y = " + d.contiguous(d.order("x", axes)) + "  # x: " + strings.Join(from.AxisNames(), ","), true
}

// blocked pads x to whole blocks, makes an axis of every digit, and puts them in memory order.
func (d Dialect) blocked(s sizes) Code {
	var c Code
	var pads, padded []string
	for _, x := range s.dims {
		pads = append(pads, x.pad)
		padded = append(padded, x.padded)
	}
	value := "x"
	crop := s.crop()
	if crop != "" {
		c.Make = append(c.Make, "y = "+d.pad(pads))
		value = "y"
	}
	digits, order, back := s.digits()
	c.Make = append(c.Make, "y = "+d.contiguous(d.order(value+".reshape("+digits+")", order)))
	c.Back = []string{"x = " + d.order("y", back) + ".reshape(" + strings.Join(padded, ", ") + ")" + crop}
	return c
}

// digits writes the sizes of all digits, dim by dim, the most significant first; order has the positions of memory's axes among them,
// and back is its inverse.
func (s sizes) digits() (list string, order, back []int) {
	var texts []string
	order = make([]int, len(s.Axes()))
	back = make([]int, len(s.Axes()))
	for d := range s.Rank() {
		for _, a := range s.DigitAxes(d) {
			k := slices.Index(s.Axes(), a)
			order[k] = len(texts)
			back[len(texts)] = k
			texts = append(texts, s.axis(a))
		}
	}
	return strings.Join(texts, ", "), order, back
}

// crop cuts off the padding: [:, :62]; empty without padding.
func (s sizes) crop() string {
	var ranges []string
	last := 0
	for d, x := range s.dims {
		ranges = append(ranges, ":")
		if x.pad != "0" {
			ranges[d] = ":" + x.size
			last = d + 1
		}
	}
	if last == 0 {
		return ""
	}
	return "[" + strings.Join(ranges[:last], ", ") + "]"
}

// view is a strided tensor over a storage of this many elements.
type view struct {
	tensor.Strided
	alloc int
}

// Strided makes a view with the layout's strides over zeros and copies x into it. ok is false for overlapping elements, negative
// strides, empty tensors and blocks.
func (d Dialect) Strided(l tensor.Layout) (c Code, ok bool) {
	s, plain := l.Strided()
	if !plain || s.Empty() || l.Occupancy().Overlapping != tensor.No {
		return Code{}, false
	}
	if s.Negative() || s.Offset < 0 {
		return Code{}, false
	}
	return Code{d.view(view{s, l.Alloc()}), []string{"x = " + d.contiguous("y")}}, true
}

func viewPyTorch(v view) []string {
	offset := ""
	if v.Offset != 0 {
		offset = fmt.Sprintf(", %d", v.Offset)
	}
	return []string{
		fmt.Sprintf("y = torch.zeros(%d, dtype=x.dtype)", v.alloc),
		fmt.Sprintf("y = y.as_strided(%s, %s%s).copy_(x)", tensor.Tuple(v.Shape), tensor.Tuple(v.Strides), offset),
	}
}

func viewNumPy(v view) []string {
	start := ""
	if v.Offset != 0 {
		start = fmt.Sprintf("[%d:]", v.Offset)
	}
	bytes := make([]string, len(v.Strides))
	for i, x := range v.Strides {
		bytes[i] = inBytes(x)
	}
	strides := strings.Join(bytes, ", ") + tail(len(bytes))
	return []string{
		fmt.Sprintf("y = np.zeros(%d, x.dtype)%s", v.alloc, start),
		fmt.Sprintf("y = np.lib.stride_tricks.as_strided(y, %s, (%s))", tensor.Tuple(v.Shape), strides),
		"y[...] = x",
	}
}

// inBytes returns the expression of a stride in bytes, for any type.
func inBytes(stride int) string {
	switch stride {
	case 0:
		return "0"
	case 1:
		return "x.itemsize"
	}
	return fmt.Sprintf("%d * x.itemsize", stride)
}

// sizes holds the sizes of a memory order as text: numbers, or expressions in the names of x's dims.
type sizes struct {
	notation.Format
	dims []dim
	axis func(notation.Axis) string
}

// dim has the texts of a dim's size, of the padding to whole blocks, and of the padded size.
type dim struct{ size, pad, padded string }

// block is the multiple that a dim is padded to.
func block(f notation.Format, d int) int {
	for _, a := range f.Axes() {
		if a.Dim == d && a.Extent == 0 {
			return a.Div
		}
	}
	return 1
}

func givenSizes(f notation.Format, shape []int) sizes {
	s := sizes{Format: f}
	for d, n := range shape {
		b := block(f, d)
		full := ints.CeilDiv(n, b) * b
		s.dims = append(s.dims, dim{strconv.Itoa(n), strconv.Itoa(full - n), strconv.Itoa(full)})
	}
	s.axis = func(a notation.Axis) string {
		if a.Extent != 0 {
			return strconv.Itoa(a.Extent)
		}
		return strconv.Itoa(ints.CeilDiv(shape[a.Dim], a.Div))
	}
	return s
}

func namedSizes(f notation.Format) sizes {
	s := sizes{Format: f}
	names := strings.Split(strings.ToLower(strings.Join(f.Names(), " ")), " ")
	for d, n := range names {
		x := dim{n, "0", n}
		if b := block(f, d); b != 1 {
			x.pad = fmt.Sprintf("-%s %% %d", n, b)
			x.padded = fmt.Sprintf("%s + -%s %% %d", n, n, b)
		}
		s.dims = append(s.dims, x)
	}
	s.axis = func(a notation.Axis) string {
		if a.Extent != 0 {
			return strconv.Itoa(a.Extent)
		}
		if a.Div != 1 {
			return fmt.Sprintf("-(-%s // %d)", names[a.Dim], a.Div)
		}
		return names[a.Dim]
	}
	return s
}

// opening names the sizes of x.
func opening(f notation.Format) string {
	names := f.Names()
	return strings.ToLower(strings.Join(names, ", ")) + tail(len(names)) + " = x.shape"
}

// Desc is a DML_BUFFER_TENSOR_DESC.
type Desc struct {
	Sizes    []int
	Strides  []int // elements; nil if the tensor is dense
	DataType string
	Bytes    int // TotalTensorSizeInBytes
}

// NewDesc returns the descriptor of a tensor, with leading sizes of 1 up to four dims. ok is false if DirectML supports no such tensor
// or type, or its size overflows an int (tensor.Strided's DirectMLBytes).
func NewDesc(s tensor.Strided, d dtype.Type) (desc Desc, ok bool) {
	bytes, ok := s.DirectMLBytes(dtype.DirectMLBits(d))
	if !ok {
		return Desc{}, false
	}
	desc = Desc{DataType: "DML_TENSOR_DATA_TYPE_" + strings.ToUpper(d.String()), Bytes: bytes}
	desc.Sizes, desc.Strides = s.DirectMLDesc()
	if s.CContiguous().OK {
		desc.Strides = nil
	}
	return desc, true
}

// Lines returns the C++ statements that fill it in.
func (d Desc) Lines() []string {
	lines := []string{"const UINT sizes[] = {" + text.Ints(d.Sizes, ", ") + "};"}
	strides := "nullptr; // packed"
	if d.Strides != nil {
		lines = append(lines, "const UINT strides[] = {"+text.Ints(d.Strides, ", ")+"}; // elements")
		strides = "strides;"
	}
	count := ""
	if len(d.Sizes) > 5 {
		count = " // feature level 3.0; 5 before"
	}
	return append(lines,
		"DML_BUFFER_TENSOR_DESC desc = {};",
		"desc.DataType = "+d.DataType+";",
		fmt.Sprintf("desc.DimensionCount = %d;%s", len(d.Sizes), count),
		"desc.Sizes = sizes;",
		"desc.Strides = "+strides,
		fmt.Sprintf("desc.TotalTensorSizeInBytes = %d; // DMLCalcBufferTensorSize", d.Bytes),
		"desc.GuaranteedBaseOffsetAlignment = 0;")
}
