package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// formatsCode are statements that make y, of this memory, from a logical x, and x from y.
type formatsCode struct {
	Framework string   `json:"framework"`
	Make      []string `json:"make"`
	Back      []string `json:"back"`
}

// dialect is how a framework says the steps of a re-layout.
type dialect struct {
	framework string
	permute   string // the method that orders axes anew
	copied    string // a value, made contiguous
	pad       func(before []string) string
}

var pytorchCode = dialect{"PyTorch", "permute", "%s.contiguous()", func(pads []string) string {
	var flat []string // the last dim first, and none after the last one that is padded
	for _, p := range slices.Backward(pads) {
		flat = append(flat, "0", p)
	}
	for len(flat) > 0 && flat[len(flat)-1] == "0" {
		flat = flat[:len(flat)-2]
	}
	return "F.pad(x, (" + strings.Join(flat, ", ") + "))"
}}

var numpyCode = dialect{"NumPy", "transpose", "np.ascontiguousarray(%s)", func(pads []string) string {
	for i, p := range pads {
		pads[i] = "(0, " + p + ")"
	}
	if len(pads) == 1 {
		pads[0] += ","
	}
	return "np.pad(x, (" + strings.Join(pads, ", ") + "))"
}}

// code writes the statements. There are none for layouts in which elements share places or run backwards.
func (r *formatsReport) code() []formatsCode {
	var all []formatsCode
	for _, d := range []dialect{pytorchCode, numpyCode} {
		if !keeps(r.framework, d.framework) || len(r.Dims) == 0 {
			continue
		}
		switch {
		case r.Packed && r.blocked:
			all = append(all, r.blockedCode(d))
		case r.Packed:
			all = append(all, r.plainCode(d))
		default:
			all = append(all, r.stridedCode(d)...)
		}
	}
	return all
}

func (d dialect) order(value string, axes []int) string {
	return fmt.Sprintf("%s.%s(%s)", value, d.permute, strings.Join(words.Each(axes), ", "))
}

func (d dialect) contiguous(value string) string { return fmt.Sprintf(d.copied, value) }

// plainCode permutes axes; channels_last is PyTorch's own word for it, and keeps the logical shape.
func (r *formatsReport) plainCode(d dialect) formatsCode {
	order, back := make([]int, r.format.Rank()), make([]int, r.format.Rank())
	for k, a := range r.format.Axes() {
		order[k], back[a.Dim] = a.Dim, k
	}
	c := formatsCode{Framework: d.framework}
	name := r.format.Spell().PyTorch
	switch {
	case slices.IsSorted(order):
		c.Make, c.Back = []string{"y = " + d.contiguous("x")}, []string{"x = y"}
	case d.framework == "PyTorch" && strings.HasPrefix(name, "channels_last"):
		c.Make = []string{"y = x.contiguous(memory_format=torch." + name + ")"}
		c.Back = []string{"x = y.contiguous()"}
	default:
		c.Make = []string{"y = " + d.contiguous(d.order("x", order))}
		c.Back = []string{"x = " + d.contiguous(d.order("y", back))}
	}
	return c
}

// blockedCode pads x to whole blocks, makes an axis of every digit, and orders them as memory has them.
func (r *formatsReport) blockedCode(d dialect) formatsCode {
	c := formatsCode{Framework: d.framework}
	if r.layout == nil {
		c.Make = []string{strings.ToLower(strings.Join(r.Dims, ", ")) + tail(len(r.Dims)) + " = x.shape"}
	}
	var pads, padded []string
	for dim := range r.format.Rank() {
		_, pad, full := r.sizeCode(dim)
		pads, padded = append(pads, pad), append(padded, full)
	}
	crop := r.cropCode()
	value := "x"
	if crop != "" {
		c.Make, value = append(c.Make, "y = "+d.pad(pads)), "y"
	}
	digits, order, back := r.digitsCode()
	c.Make = append(c.Make, "y = "+d.contiguous(d.order(value+".reshape("+digits+")", order)))
	c.Back = []string{"x = " + d.order("y", back) + ".reshape(" + strings.Join(padded, ", ") + ")" + crop}
	return c
}

// digitsCode writes the sizes of all digits, dim by dim, the most significant first; order has the places of memory's
// axes among them, and back is its inverse.
func (r *formatsReport) digitsCode() (sizes string, order, back []int) {
	var words []string
	order, back = make([]int, len(r.format.Axes())), make([]int, len(r.format.Axes()))
	for dim := range r.format.Rank() {
		for _, a := range r.digitAxes(dim) {
			k := slices.Index(r.format.Axes(), a)
			order[k], back[len(words)] = len(words), k
			words = append(words, r.axisCode(a))
		}
	}
	return strings.Join(words, ", "), order, back
}

// cropCode cuts off what was padded: [:, :62]; nothing where nothing was.
func (r *formatsReport) cropCode() string {
	var ranges []string
	last := 0
	for d := range r.format.Rank() {
		size, pad, _ := r.sizeCode(d)
		if ranges = append(ranges, ":"); pad != "0" {
			ranges[d], last = ":"+size, d+1
		}
	}
	if last == 0 {
		return ""
	}
	return "[" + strings.Join(ranges[:last], ", ") + "]"
}

// tail makes a tuple of one name.
func tail(n int) string {
	if n == 1 {
		return ","
	}
	return ""
}

// sizeCode writes a dim's size, what is missing to whole blocks, and the size in whole blocks.
func (r *formatsReport) sizeCode(d int) (size, pad, padded string) {
	block := 1
	for _, a := range r.format.Axes() {
		if a.Dim == d && a.Extent == 0 {
			block = a.Div
		}
	}
	if r.layout != nil {
		n := r.layout.Dim(d).Size
		full := (n + block - 1) / block * block
		return strconv.Itoa(n), strconv.Itoa(full - n), strconv.Itoa(full)
	}
	name := strings.ToLower(r.Dims[d])
	if block == 1 {
		return name, "0", name
	}
	return name, fmt.Sprintf("-%s %% %d", name, block), fmt.Sprintf("%s + -%s %% %d", name, name, block)
}

// axisCode writes an axis's size.
func (r *formatsReport) axisCode(a notation.Axis) string {
	name := strings.ToLower(r.Dims[a.Dim])
	switch {
	case r.layout != nil:
		return strconv.Itoa(r.digit(a).Extent)
	case a.Extent != 0:
		return strconv.Itoa(a.Extent)
	case a.Div != 1:
		return fmt.Sprintf("-(-%s // %d)", name, a.Div)
	}
	return name
}

// stridedCode lays a view of the strides over zeros and copies x into it.
func (r *formatsReport) stridedCode(d dialect) []formatsCode {
	s, plain := r.layout.Strided()
	if !plain || s.Negative() || s.Empty() || s.Offset < 0 || r.layout.Occupancy().Overlapping != tensor.No {
		return nil
	}
	c := formatsCode{Framework: d.framework, Back: []string{"x = " + d.contiguous("y")}}
	if d.framework == "PyTorch" {
		c.Make = []string{fmt.Sprintf("y = torch.zeros(%d, dtype=x.dtype)", *r.Elems),
			fmt.Sprintf("y = y.as_strided(%s, %s, %d).copy_(x)", tensor.Tuple(s.Shape), tensor.Tuple(s.Strides), s.Offset)}
		return []formatsCode{c}
	}
	bytes := make([]string, len(s.Strides))
	for i, x := range s.Strides {
		bytes[i] = fmt.Sprintf("%d * x.itemsize", x)
	}
	strides := strings.Join(bytes, ", ") + tail(len(bytes))
	c.Make = []string{fmt.Sprintf("y = np.zeros(%d, x.dtype)[%d:]", *r.Elems, s.Offset),
		fmt.Sprintf("y = np.lib.stride_tricks.as_strided(y, %s, (%s))", tensor.Tuple(s.Shape), strides), "y[...] = x"}
	return []formatsCode{c}
}
