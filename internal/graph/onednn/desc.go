package onednn

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// A descriptor of a line has no sizes; those follow from the problem:
//
//	src:f32:ap:blocked:aBcd8b:strides:f0   3.5 and newer, as in src:f32::blocked:acdb::f0
//	src_f32:ap:blocked:aBcd8b:strides:f0   3.0 to 3.4
//	src_f32:p:blocked:aBcd8b:f0            1.x and 2.x
//
// Strides are there if they are not those of the tag. (md2fmt_str in oneDNN's src/common/verbose.cpp)

// operand is a tensor of a primitive.
type operand struct {
	tensor *graph.Tensor // nil if the line does not tell it; equal ones are shared
	use    use
	weight bool
}

// use says what a primitive does with an operand.
type use uint8

const (
	reads use = iota
	writes
	readsAndWrites // src and dst have one descriptor
)

// descriptor is the fields of an operand.
type descriptor struct{ name, typ, tag, strides string }

// descriptors makes tensors of descriptors. Equal ones are shared: a log of a million lines has some hundred.
type descriptors struct {
	tensors map[string]*graph.Tensor
	formats map[string]notation.Format // by tag; one of rank 0 for a text that is no tag
}

func newDescriptors() descriptors {
	return descriptors{map[string]*graph.Tensor{}, map[string]notation.Format{}}
}

// memoryTypes are oneDNN's types, of which those with _ cannot be cut from the name before them by it. (dnnl_dt2str, oneDNN 3.13)
var memoryTypes = []string{"f32", "bf16", "f16", "f64", "s32", "s64", "s8", "u8", "s4", "u4", "f8_e5m2", "f8_e4m3", "f4_e2m1", "f4_e3m0", "e8m0",
	"boolean", "undef"}

// readDescriptor reads the text of an operand.
func readDescriptor(s string) (d descriptor, ok bool) {
	name, rest, _ := strings.Cut(s, ":")
	for _, typ := range memoryTypes {
		before, has := strings.CutSuffix(name, "_"+typ)
		if has {
			return withLayout(before, typ, rest)
		}
	}
	typ, rest, _ := strings.Cut(rest, ":")
	if !slices.Contains(memoryTypes, typ) {
		return d, false
	}
	return withLayout(name, typ, rest)
}

// withLayout reads the fields of a descriptor behind the type: flags, kind, tag, strides that may be missing, and extra ones.
func withLayout(name, typ, rest string) (descriptor, bool) {
	d := descriptor{name: name, typ: typ}
	fields := strings.Split(rest, ":")
	if len(fields) < 2 {
		return d, false
	}
	if len(fields) > 3 && fields[1] == "blocked" {
		d.tag = fields[2]
		if startsWithDigit(fields[3]) {
			d.strides = fields[3]
		}
	}
	return d, true
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// operands returns the operands of a primitive, given its fields, without those that are undef.
func (m descriptors) operands(fields []string) []operand {
	var all []operand
	primitive := fields[fieldPrimitive]
	sizes := newProblem(primitive, fields[fieldAuxiliary], fields[fieldProblem])
	for word := range strings.FieldsSeq(fields[fieldDescriptors]) {
		d, ok := readDescriptor(word)
		if !ok || d.typ == "undef" {
			continue
		}
		o := operand{use: d.use(fields[fieldProp])}
		dims := sizes.of(d.name)
		o.tensor = m.tensor(d, dims)
		// two matrices in a batch are activations, as those of attention
		o.weight = d.name == "wei" && (primitive != "matmul" || len(dims) == 2)
		all = append(all, o)
	}
	return all
}

// use returns what a primitive does with the operand, by its name and by the direction, as forward_inference or backward_weights.
func (d descriptor) use(prop string) use {
	switch prop {
	case "backward_data":
		return writesIf(d.name == "src" || strings.HasPrefix(d.name, "diff_src"))
	case "backward_weights":
		return writesIf(d.name == "wei" || d.name == "bia")
	case "backward":
		return writesIf(strings.HasPrefix(d.name, "diff") && !strings.HasPrefix(d.name, "diff_dst"))
	}
	if d.name == "data" {
		return readsAndWrites
	}
	return writesIf(strings.HasPrefix(d.name, "dst") || d.name == "ws" || d.name == "stats")
}

func writesIf(does bool) use {
	if does {
		return writes
	}
	return reads
}

// tensor returns the tensor of a descriptor and its sizes; nil if the line does not have them all.
func (m descriptors) tensor(d descriptor, dims []int) *graph.Tensor {
	if dims == nil || d.tag == "" {
		return nil
	}
	key := d.typ + ":" + d.tag + ":" + d.strides + ":" + text.Ints(dims, "x")
	t, known := m.tensors[key]
	if !known {
		t = m.newTensor(d, dims)
		m.tensors[key] = t
	}
	return t
}

func (m descriptors) newTensor(d descriptor, dims []int) *graph.Tensor {
	f := m.format(d.tag)
	if f.Rank() != len(dims) {
		return nil
	}
	l, err := layoutOf(f, d, dims)
	if err != nil {
		return nil
	}
	t := &graph.Tensor{Layout: graph.Merged(l)}
	t.Type, err = dtype.ParsePrinted(d.typ)
	if err != nil { // boolean
		t.Type = dtype.Type{}
	}
	return t
}

// layoutOf returns the layout of a tag, with the descriptor's strides where it has some.
func layoutOf(f notation.Format, d descriptor, dims []int) (tensor.Layout, error) {
	if d.strides == "" {
		return f.Bind(dims)
	}
	strides, ok := readSizes(d.strides)
	if !ok || len(strides) != len(dims) {
		return f.Bind(dims)
	}
	if f.Plain() {
		return graph.Strided(dims, strides)
	}
	s, err := tensor.NewStrided(dims, strides, 0)
	if err != nil {
		return tensor.Layout{}, err
	}
	return notation.FromDescriptor(d.tag, f.Names(), s)
}

// format returns the order of a tag by position, as aBcd8b.
func (m descriptors) format(tag string) notation.Format {
	f, known := m.formats[tag]
	if !known {
		l, err := notation.Parse(tag)
		if err == nil && l.HasFormat() && l.Format.Positional() {
			f = l.Format
		}
		m.formats[tag] = f
	}
	return f
}
