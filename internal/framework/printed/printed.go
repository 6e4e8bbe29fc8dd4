// Package printed reads tensor types as compilers and runtimes print them: XLA's f32[8,4]{1,0:T(8,128)}, MLIR's memref<2x3xf32>, Inductor's
// FixedLayout(…). They have sizes and elements; layouts without them are notation's, and of those that GPUs alone have, ParseName's.
package printed

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Type is a printed type.
type Type struct {
	DType  dtype.Type
	Layout tensor.Layout // in elements; Alloc includes the padding that the type implies
	Note   string        // what the text leaves open; may be empty
}

// Bytes returns the size of the storage.
func (t Type) Bytes() int64 { return t.DType.Size(int64(t.Layout.Alloc())) }

// maxBytes bounds the text of a type, or of the instruction that has it.
const maxBytes = 4096

// afterXLA matches what follows the type of an instruction of HLO: its operation with operands, or the name of an operand.
const afterXLA = `(?: +(?:[\w-]+\(.*|%[\w.-]+))?`

// readers are the types by what matches them. The functions get the parts of the pattern. A name that a file may have, conv[1], is a type
// if the part of it that names the elements, 0 if none does, is known.
//
// To add a type that a compiler prints: a row here, its spelling and its errors in this package's tests, a line in types.txtar.
var readers = []struct {
	pattern *lazy.Expression
	element int
	read    func(m []string) (Type, error)
}{
	{lazy.Regexp(`^(?:(?:ROOT )?%?[\w.-]+ = )?\(\w+\[`), 0, func([]string) (Type, error) {
		return Type{}, fault.New(fault.Usage, "a tuple is several tensors").WithHint("paste one of its types: f32[8,4]{1,0}")
	}},
	// printable_value_info of onnx/helper.py, ONNX 1.23: %x[FLOAT16, 1x3x224x224]
	{lazy.Regexp(`^%[^\[\]]+\[([A-Z][A-Z0-9]*), ([\w?]+)\]$`), 0, readONNX},
	{lazy.Regexp(`^[^\[\]]+\[([A-Z][A-Z0-9]*), ([\w?]+)\]$`), 1, readONNX},
	// an array of XLA, alone or in a line of HLO, and one that JAX prints without a layout, also of a variable, a:f32[8,4]
	{lazy.Regexp(`^(?:(?:ROOT )?%?[\w.-]+ = )(\w+)\[([\w<=?, ]*)\](\{.*?\})?` + afterXLA + `$`), 0, readXLA},
	{lazy.Regexp(`^(\w+)\[([\w<=?, ]*)\](\{.*?\})` + afterXLA + `$`), 0, readXLA},
	{lazy.Regexp(`^(?:[a-z]{1,3}:)?(\w\w+)\[([\w<=?, ]*)\](\{.*?\})?` + afterXLA + `$`), 1, readXLA},
	{lazy.Regexp(`^(?:tensor<[^#]*#(?:ttg|triton_gpu)\.|!\w+\.memdesc<).*$`), 0, readTriton},
	{lazy.Regexp(`^(memref|tensor|!migraphx\.shaped)<((?:-?[0-9?*]+x)*)(complex<\w+>|\w*)(?:, ?(.*))?>$`), 0, readMLIR},
	{lazy.Regexp(`^(Fixed|Flexible)Layout\('[^']*', ([\w.]+), size=\[([^\]]*)\], stride=\[([^\]]*)\]` +
		`(?:, offset=([^,)]+))?(?:, is_pinned=\w+)?\)$`), 0, readInductor},
	{lazy.Regexp(`^(?:seq\(|optional\()*tensor\((\w+)\)+$`), 0, func(m []string) (Type, error) {
		d, err := dtype.ParsePrinted(m[1])
		return Type{}, cmp.Or(err, error(fault.New(fault.Usage, "it has no sizes").WithHint("--shape 1,3,224,224 --dtype %s", d)))
	}},
	{lazy.Regexp(`^(?:Float|Half|BFloat16|Int8|Int32|Int64|UInt8|FP8|Bool)\([0-9:,]+\)$`), 0, func([]string) (Type, error) {
		return Type{}, fault.New(fault.Usage, "strides of TensorRT's log, in vectors of channels where one has a colon, without sizes").
			WithHint("give sizes, and --strides or the format: --shape 1,64,56,56 --from kCHW4")
	}},
	{lazy.Regexp(`^(?:memref|tensor|!migraphx\.shaped)<|^(?:Fixed|Flexible)Layout\(`), 0, unknown},
	{lazy.Regexp(`^(?:[a-z]{1,3}:)?(\w\w+)(\[[\w<=?, ]*\](?:\{.*?\})?) +(\S.*)$`), 1, func(m []string) (Type, error) {
		return Type{}, fault.New(fault.Usage, "text follows the type: %s", text.Quoted(text.Cut(strings.TrimSpace(m[3]), 40))).WithHint("paste the type alone: %s", text.Quote(m[1]+m[2]))
	}},
	{lazy.Regexp(`^(?:[a-z]{1,3}:)?(\w\w+)\[[0-9, ]*$`), 1, func(m []string) (Type, error) {
		return Type{}, fault.New(fault.Usage, "a bracket is not closed").WithHint("write %s]", m[0])
	}},
}

func unknown([]string) (Type, error) {
	return Type{}, fault.New(fault.Usage, "unknown form").WithHint("tlayout help layouts lists the types of compilers")
}

func readONNX(m []string) (Type, error) {
	return readXLA([]string{"", m[1], strings.TrimPrefix(m[2], "scalar"), ""})
}

// Pattern matches what may be a type in a text: an array of XLA, a type of MLIR, or a layout of Inductor or JAX.
const Pattern = `\w+\[[\d,]*\](?:\{[\w:(),#*]*\})?|(?:memref|tensor|!\w+\.\w+)<(?:->|[^<>]|<(?:->|[^<>]|<[^<>]*>)*>)*>` +
	`|\w*Layout\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`

// instruction matches a line of MLIR, whose result is the last type: … : memref<4xf32> to memref<?xf32>.
var instruction = lazy.Regexp(`^.* (?::|->|to) ((?:memref|tensor|!\w+\.\w+)<.*)$`)

// find returns the reader of a text, nil if it is not a type, and the parts for it.
func find(s string) (read func(m []string) (Type, error), m []string) {
	s = strings.TrimSpace(s)
	if !strings.ContainsAny(s, "[<(") { // a name, for which no pattern is compiled
		return nil, nil
	}
	if m := instruction.Get().FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	for _, r := range readers {
		m := r.pattern.Get().FindStringSubmatch(s)
		if m == nil {
			continue
		}
		if _, err := dtype.ParsePrinted(m[r.element]); r.element == 0 || err == nil {
			return r.read, m
		}
	}
	return nil, nil
}

// Is reports whether a text looks like a printed type, valid or not.
func Is(s string) bool {
	read, _ := find(s)
	return read != nil
}

// Parse reads a printed type, or the result of an instruction. Errors are Usage, and Unsupported for layouts and elements that are not
// supported.
func Parse(s string) (Type, error) {
	read, m := find(s)
	if read == nil || len(s) > maxBytes {
		read = unknown
	}
	t, err := read(m)
	if err == nil {
		err = t.Layout.CheckBytes(t.DType.ItemSize(), t.DType)
	}
	return t, fault.In("type "+text.Quoted(text.Cut(strings.TrimSpace(s), 81)), err)
}

const rowMajor = "the type has no layout: read as row-major"

// readXLA reads an array: m has its type, sizes and layout, which is empty if it is not printed.
func readXLA(m []string) (t Type, err error) {
	shape, err := sizes(m[2])
	if err == nil {
		_, err = tensor.Numel(shape)
	}
	if err != nil {
		return t, err
	}
	layout := m[3]
	order := ints.Range(len(shape))
	slices.Reverse(order)
	plain := "{" + text.Ints(order, ",") + "}"
	if layout == "" {
		t.Note = rowMajor
		layout = plain
	}
	x, err := notation.ParseXLA(layout)
	if err != nil {
		return t, err
	}
	if n := x.Format.Rank(); n != len(shape) {
		return t, fault.New(fault.Usage, "layout %s has %d dims, the array %d", text.Quoted(text.Cut(layout, 40)), n, len(shape)).
			WithHint("list each dim, the innermost first: %s", plain)
	}
	t.Layout, err = x.Bind(shape)
	if err != nil {
		return t, err
	}
	t.DType, err = dtype.ParsePrinted(m[1])
	if err != nil {
		return t, err
	}
	return t, t.store(x.Bits)
}

// store makes elements take so many bits in memory; 0: whole bytes. Packed ones begin with the lowest bits, as in jaxlib 0.10.2.
// (ShapeUtil::ArraySize and ByteSizeOfPrimitiveType of xla/shape_util.cc)
func (t *Type) store(bits int) (err error) {
	value := t.DType
	wholeBytes := bits == 0 || bits == 8
	if value.Packed() && wholeBytes {
		bytes, _ := dtype.Parse("V1")
		t.DType, err = bytes.Opaque(value)
		return err
	}
	if bits == 0 || bits == value.Bits() {
		return nil
	}
	if bits > value.Bits() && bits%8 == 0 && bits <= 128 {
		t.Note = text.Count(bits, "bit") + " for each element of " + value.String()
		t.DType, err = dtype.Parse("V" + text.Ints([]int{bits / 8}, ""))
		return err
	}
	if bits == 1 && value.Kind() == dtype.Bool {
		t.DType, err = dtype.Parse("uint1")
		return err
	}
	return fault.New(fault.Unsupported, "E(%d) of %s: want its %s, or whole bytes of more, up to 128 bits", bits, value, text.Count(value.Bits(), "bit")).
		WithHint("remove E(%d)", bits)
}

// memrefAttrs matches the layout of a memref, its memory space, or both: an integer, a string, or an attribute of a dialect.
var memrefAttrs = lazy.Regexp(`^(?:strided<\[([^\]]*)\](?:, ?offset: ?([^>]+))?>|(affine_map<.*?\)>))?` +
	`(?:(?:^|, ?)(?:-?[0-9]+(?: : \w+)?|"[^"]*"|#\w+\.[\w.]+(?:<.*>)?))?$`)

// readMLIR reads memref<2x3xf32, layout, memory space>, tensor<2x3xf32>, and rocMLIR's sizes and strides, !migraphx.shaped<2x3xf32, 3x1>.
// Memory spaces do not change addresses. (mlir/include/mlir/IR/BuiltinTypes.td; MIGraphX.td)
func readMLIR(m []string) (t Type, err error) {
	shape, err := sizes(strings.TrimSuffix(m[2], "x"))
	if err != nil {
		return t, err
	}
	if m[3] == "index" {
		return t, fault.New(fault.Unsupported, "index has as many bits as an address of the target").WithHint("write i64 or i32 instead")
	}
	if strings.Trim(m[3], "0123456789") == "" {
		return t, fault.New(fault.Usage, "it has no type of elements").WithHint("write one behind the last x: memref<2x3xf32>")
	}
	t.DType, err = dtype.ParsePrinted(strings.NewReplacer("complex<f32>", "c64", "complex<f64>", "c128").Replace(m[3]))
	if err != nil {
		return t, err
	}
	if t.DType.Packed() {
		return t, fault.New(fault.Unsupported, "%s may be packed or not", m[3]).WithHint("of packed elements: --shape 8,64 --dtype %s", t.DType)
	}
	rest := m[4]
	if m[1] == "!migraphx.shaped" {
		t.Layout, err = strided(shape, rest, "")
		return t, err
	}
	attrs := memrefAttrs.Get().FindStringSubmatch(rest)
	if rest != "" && (m[1] != "memref" || attrs == nil) {
		e := fault.New(fault.Unsupported, "the layout is %s", text.Quoted(text.Cut(rest, 40)))
		if strings.HasPrefix(rest, "#") {
			return t, e.WithHint("write out what it stands for")
		}
		return t, e.WithHint("write a layout, then a memory space: memref<2x3xf32, strided<[5, 1], offset: 2>, 3>")
	}
	if m[1] == "tensor" {
		t.Note = rowMajor
	}
	t.Layout, err = memrefLayout(shape, rest, attrs)
	return t, err
}

// memrefLayout returns the layout of a memref, whose attributes memrefAttrs matched; row-major by default.
func memrefLayout(shape []int, text string, attrs []string) (tensor.Layout, error) {
	if strings.HasPrefix(text, "strided") {
		return strided(shape, attrs[1], attrs[2])
	}
	if strings.HasPrefix(text, "affine") {
		f, err := notation.ParseAffine(attrs[3])
		if err != nil {
			return tensor.Layout{}, err
		}
		return f.Bind(shape)
	}
	return notation.RowMajor(make([]string, len(shape))).Bind(shape)
}

// readInductor reads what Layout.__str__ of torch/_inductor/ir.py prints, PyTorch 2.15.
func readInductor(m []string) (t Type, err error) {
	if m[1] == "Flexible" {
		t.Note = "FlexibleLayout: Inductor may still change the strides"
	}
	t.DType, err = dtype.ParseTyped(m[2])
	shape, bad := sizes(m[3])
	err = cmp.Or(err, bad)
	if err != nil {
		return t, err
	}
	t.Layout, err = strided(shape, m[4], m[5])
	return t, err
}

// strided returns the layout of sizes with printed strides and offset, in elements; an empty offset is 0.
func strided(shape []int, strides, offset string) (tensor.Layout, error) {
	steps, err := sizes(strides)
	first, bad := sizes(offset)
	err = cmp.Or(err, bad)
	if err != nil {
		return tensor.Layout{}, err
	}
	s, err := tensor.NewStrided(shape, steps, append(first, 0)[0])
	if err != nil {
		return tensor.Layout{}, err
	}
	return s.Layout(nil, tensor.Unbounded)
}

// sizes reads a list of numbers with commas or x between them.
func sizes(list string) ([]int, error) {
	all, err := notation.ParseInts(strings.ReplaceAll(list, "x", ","))
	if err != nil && strings.Trim(list, "-0123456789, x") != "" { // other errors are overflows
		return nil, fault.New(fault.Usage, "%s is not a list of numbers", text.Quoted(text.Cut(list, 40))).
			WithHint("write a number for each dynamic size, stride and offset")
	}
	return all, err
}

// ParseLayout reads a layout's name, as ParseName does, or a printed type; element is the type of its elements, nil for a name.
func ParseLayout(s string) (l notation.Layout, element *dtype.Type, err error) {
	if !Is(s) {
		l, err = ParseName(s)
		return l, nil, err
	}
	typ, err := Parse(s)
	l = notation.Layout{Exact: &typ.Layout, Element: typ.DType.String(), Note: typ.Note}
	if !typ.DType.Unpacked() {
		l.DType = l.Element // the word alone is the packed type
	}
	return l, &typ.DType, err
}
