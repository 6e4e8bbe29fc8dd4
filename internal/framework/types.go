package framework

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// shownType is how many characters of a type's name a reason shows.
const shownType = 60

func typeName(d dtype.Type) string { return text.Cut(d.String(), shownType+1) }

// refusesType returns why the framework refuses a type; empty if it accepts the type. Strings, times, records, raw bytes and floats
// wider than float64 are accepted only with AnyType, and so are big-endian numbers: from_numpy refuses numbers that are byte-swapped on
// its machine, which is assumed to be little-endian.
func (f *Framework) refusesType(d dtype.Type) clause {
	if f.Types == AnyType && f.lacksType(d) {
		return clause{unsupported + " " + typeName(d) + ", whose values share bytes", unsupported}
	}
	if f.Types == AnyType {
		return clause{}
	}
	if f.Unpacked != "" && acceptsType(f.Unpacked, d) {
		if d.Packed() {
			return uncut("packed " + typeName(d) + "; its " + typeName(d) + " has a byte for each value")
		}
		return clause{}
	}
	if d.Unpacked() && acceptsType(f.Types, d) {
		return uncut(typeName(d) + " with a byte for each value; its " + typeName(d) + " is packed")
	}
	if f.lacksType(d) {
		return clause{unsupported + " " + typeName(d), unsupported}
	}
	if d.Order() == dtype.Big {
		return uncut("big-endian; it requires little-endian numbers, as on x86 and ARM")
	}
	return clause{}
}

// answersType answers for a type that the framework refuses, or of which it is not known; decided is false if it accepts the type.
func (f *Framework) answersType(d dtype.Type) (a Answer, decided bool) {
	if f.unchecked(d) {
		return Answer{Unchecked: true}.And(typeName(d) + " is not checked"), true
	}
	why := f.refusesType(d)
	return Answer{}.and(why), why.full != ""
}

// unchecked reports whether the framework has the type, but whether it accepts tensors of it is not known.
func (f *Framework) unchecked(d dtype.Type) bool { return f.Narrow != "" && acceptsType(f.Narrow, d) }

const unsupported = "unsupported type"

// lacksType reports whether the framework does not support the type, in any byte order.
func (f *Framework) lacksType(d dtype.Type) bool {
	if f.Types == AnyType {
		return d.Packed() && f.Packed != PackedAny
	}
	number := numbers(d) || d.String() == pairOfFloat4
	return !number || widerThanFloat64(d) || !acceptsType(f.Types, d)
}

// acceptsType reports whether a list of types has this one, in any byte order. An empty list has all.
func acceptsType(list string, d dtype.Type) bool {
	return list == "" || list == AnyType || slices.Contains(strings.Fields(list), d.String())
}

// Takes is which types and ranks a framework, or one of its names, accepts.
type Takes struct {
	Framework string `json:"framework"` // name of the framework
	// its name
	Name string `json:"name,omitempty" jsonschema:"empty for the framework as a whole"`
	// types of the name; any: all
	Types   []string `json:"types" jsonschema:"null if they are not known"`
	MinDims int      `json:"min_rank"`            // fewest dims
	MaxDims *int     `json:"max_rank"`            // most dims; null without a known limit
	Source  string   `json:"reference,omitempty"` // where it is documented
}

// Takes returns what the framework accepts under any name, with the source.
func (f *Framework) Takes() Takes {
	t := Takes{Framework: f.Name, MinDims: f.MinDims, Source: f.Source + "; version read: " + f.Read}
	if f.Types != "" {
		t.Types = strings.Fields(f.Types)
	}
	if f.MaxDims > 0 {
		t.MaxDims = &f.MaxDims
	}
	return t
}

// NamesTake returns the names of an order that go only with some types, and what they accept.
func (f *Framework) NamesTake(order notation.Format) []Takes {
	var all []Takes
	for _, e := range f.entriesOf(order) {
		if e.Types != "" {
			all = append(all, e.takes(f, order.Rank()))
		}
	}
	return all
}

// takes returns what the framework accepts under a name: as many dims as the name has letters, unless others may come before.
func (e Entry) takes(f *Framework, rank int) Takes {
	t := f.Takes()
	t.Name = e.spelled()
	t.MinDims = rank
	t.MaxDims = &rank
	t.Source = ""
	if f.Order == ByFormat {
		t.MinDims = e.MinDims
		t.MaxDims = &f.MaxDims
	}
	if e.Types != "" {
		t.Types = strings.Fields(e.Types)
	}
	return t
}

// numbers reports whether the elements are numbers, not strings, times, records or raw bytes.
func numbers(d dtype.Type) bool {
	return slices.Contains([]dtype.Kind{dtype.Bool, dtype.Int, dtype.Uint, dtype.Float, dtype.Complex}, d.Kind())
}

// widerThanFloat64 reports whether the elements are wider than float64: long double, and complex of two of them.
func widerThanFloat64(d dtype.Type) bool {
	return d.Kind() == dtype.Float && d.ItemSize() > 8 || d.Kind() == dtype.Complex && d.ItemSize() > 16
}

// foreign reports whether NumPy has no name for the type and stores it as raw bytes.
func foreign(d dtype.Type) bool { return numbers(d) && strings.Contains(d.Typestr(), "V") }

// pairOfFloat4 is PyTorch's name of a byte of two values.
const pairOfFloat4 = "float4_e2m1fn_x2"

// viewed holds the types that from_numpy of PyTorch 1.13 refuses, but accepts as another type with the same bits. The torch type is new
// in version since; empty: 1.13 has it. From that version on, from_numpy accepts those of direct. (ScalarType.h of 2.2 to 2.15)
var viewed = map[string]struct {
	as, since string
	direct    bool
}{
	"uint16": {"int16", "2.3", true}, "uint32": {"int32", "2.3", true}, "uint64": {"int64", "2.3", true},
	"bfloat16": {"int16", "", false}, "complex32": {"int32", "", false},
	"float8_e4m3fn": {"uint8", "2.1", false}, "float8_e5m2": {"uint8", "2.1", false},
	"float8_e4m3fnuz": {"uint8", "2.2", false}, "float8_e5m2fnuz": {"uint8", "2.2", false}, "float8_e8m0fnu": {"uint8", "2.7", false},
	pairOfFloat4: {"uint8", "2.8", false}, "bcomplex32": {"int32", "2.14", false},
	"int1": {"uint8", "2.6", false}, "int2": {"uint8", "2.6", false}, "int4": {"uint8", "2.6", false},
	"uint1": {"uint8", "2.3", false}, "uint2": {"uint8", "2.3", false}, "uint4": {"uint8", "2.3", false},
}

// viewRemark returns how from_numpy accepts a type that it accepts only as another one; empty if it accepts the type.
func viewRemark(d dtype.Type) []clause {
	v, listed := viewed[d.String()]
	if !listed {
		return nil
	}
	since := ""
	if v.since != "" {
		since = " since PyTorch " + v.since
	}
	if v.direct {
		return []clause{uncut("from_numpy accepts " + d.String() + since), uncut("before, x.view('" + v.as + "') has the same bits")}
	}
	return []clause{uncut("from_numpy(x.view('" + v.as + "')).view(torch." + d.String() + ")" + since)}
}
