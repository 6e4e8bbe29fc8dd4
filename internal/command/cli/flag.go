package cli

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Enum is a flag whose value is one of a few words.
type Enum[T ~string] struct {
	Value  *T
	Values []T
	Meant  func(word string, values []string) string // suggests a value for an invalid word, or ""; default text.Nearest
}

// EnumOf returns an Enum that sets value, whose default is first.
func EnumOf[T ~string](value *T, first T, others ...T) *Enum[T] {
	*value = first
	return &Enum[T]{value, append([]T{first}, others...), nil}
}

func (e *Enum[T]) String() string { return string(*e.Value) }

func (e *Enum[T]) Type() string { return strings.Join(e.Words(), "|") }

func (e *Enum[T]) Set(s string) error {
	if !slices.Contains(e.Values, T(s)) {
		return UnknownWord(s, e.Words(), e.Meant)
	}
	*e.Value = T(s)
	return nil
}

// UnknownWord is the error for a word that is not a valid value; suggest is as in Enum.Meant.
func UnknownWord(word string, values []string, suggest func(word string, values []string) string) error {
	e := fault.New(fault.Usage, "%s: valid values are %s", text.Quoted(word), strings.Join(values, ", "))
	if suggest == nil {
		suggest = text.Nearest
	}
	if near := suggest(word, values); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e
}

// Words returns the valid values.
func (e *Enum[T]) Words() []string {
	all := make([]string, len(e.Values))
	for i, v := range e.Values {
		all[i] = string(v)
	}
	return all
}

// File is a flag that holds the name of a file.
type File name.Name

func (f *File) String() string { return name.Name(*f).Redacted() }

// Type is the placeholder in help.
func (f *File) Type() string { return "file" }

// Set rejects the empty name, so that -o "$OUT" with OUT unset does not mean the default.
func (f *File) Set(s string) error {
	n := name.Parse(s)
	*f = File(n)
	return n.Check()
}

// Ints is a flag with a list of integers, in any form of notation.ParseInts. The empty list is the shape of a scalar.
type Ints struct {
	Values []int
	Given  bool
	Joins  bool // repeated flags append
}

func (f *Ints) String() string {
	if f.Given && len(f.Values) == 0 {
		return "()"
	}
	return text.Ints(f.Values, ", ")
}

func (f *Ints) Type() string { return "ints" }

func (f *Ints) Set(s string) error {
	values, err := notation.ParseInts(s)
	if f.Joins {
		values = append(f.Values, values...)
	}
	f.Values = values
	f.Given = err == nil
	return err
}

// Sizes is a flag with the sizes of a tensor, in any form of notation.ParseSizes.
type Sizes struct {
	Ints
	Names []string // of the dims; nil if not given
}

func (f *Sizes) Type() string { return "sizes" }

// Set parses the sizes.
func (f *Sizes) Set(s string) (err error) {
	f.Names, f.Values, err = notation.ParseSizes(s)
	f.Given = err == nil
	return err
}

// Dims is a flag with the names of a tensor's dims.
type Dims []string

func (f *Dims) String() string { return strings.Join(*f, ",") }

// Type is the placeholder in help.
func (f *Dims) Type() string { return "names" }

// Set parses the names.
func (f *Dims) Set(s string) error {
	names, err := notation.ParseDims(s)
	*f = names
	return err
}

// Layout is a flag with the name of a layout.
type Layout struct {
	Name    string
	Layout  *notation.Layout
	element *dtype.Type // of a printed type
}

func (f *Layout) String() string { return f.Name }

func (f *Layout) Type() string { return "layout" }

func (f *Layout) Set(s string) error {
	s = strings.TrimSpace(s)
	l, element, err := printed.ParseLayout(s)
	if err != nil {
		return several(s, err)
	}
	f.Name = s
	f.Layout = &l
	f.element = element
	return nil
}

// several replaces the hint of an error by one for --layouts, if every word of a list is a layout.
func several(s string, err error) error {
	var e *fault.Error
	list := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' })
	for _, name := range list {
		if _, bad := notation.Parse(strings.TrimSpace(name)); bad != nil || len(strings.TrimSpace(name)) < 2 {
			return err
		}
	}
	if len(list) < 2 || !errors.As(err, &e) {
		return err
	}
	return e.WithHint("this flag takes one layout; draw and bench take several with --layouts")
}

// DType is a flag with the name of an element type; Value is nil if not given.
type DType struct{ Value *dtype.Type }

func (f *DType) String() string {
	if f.Value == nil {
		return ""
	}
	return f.Value.String()
}

func (f *DType) Type() string { return "dtype" }

func (f *DType) Set(s string) error {
	d, err := dtype.ParseTyped(s)
	var e *fault.Error
	if errors.As(err, &e) {
		e.Class = fault.Usage
	}
	if err != nil {
		return err
	}
	f.Value = &d
	return nil
}

// Tensors is a flag that limits the tensors of a container.
type Tensors struct{ Limit checkpoint.Limit }

func (f *Tensors) String() string {
	if f.Limit == 0 {
		return ""
	}
	return strconv.Itoa(int(f.Limit))
}

func (f *Tensors) Type() string { return "int" }

func (f *Tensors) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > int(checkpoint.MaxLimit) {
		return fmt.Errorf("want a number from 1 to %d", checkpoint.MaxLimit)
	}
	f.Limit = checkpoint.Limit(n)
	return nil
}

// Count is a flag with a non-negative integer.
type Count int

// CountVar adds a Count flag with a default.
func CountVar(flags *pflag.FlagSet, p *int, name string, value int, usage string) {
	*p = value
	flags.Var((*Count)(p), name, usage)
}

func (f *Count) String() string { return strconv.Itoa(int(*f)) }

func (f *Count) Type() string { return "int" }

func (f *Count) Set(s string) error {
	n, err := atLeast(0, "negative", s)
	*f = Count(n)
	return err
}

// atLeast reads an integer; a smaller one is called below.
func atLeast(minimum int64, below, s string) (int, error) {
	n, err := strconv.ParseInt(s, 0, strconv.IntSize)
	if err == nil && n < minimum {
		return 0, fault.New(fault.Usage, "%d is %s", n, below)
	}
	return int(n), err
}

// Positive is a flag with an integer of at least 1. Its default may be 0, which a user cannot write.
type Positive int

// PositiveVar adds a Positive flag with a default.
func PositiveVar(flags *pflag.FlagSet, p *int, name string, value int, usage string) {
	*p = value
	flags.Var((*Positive)(p), name, usage)
}

func (f *Positive) String() string { return strconv.Itoa(int(*f)) }

func (f *Positive) Type() string { return "int" }

func (f *Positive) Set(s string) error {
	n, err := atLeast(1, "less than 1", s)
	*f = Positive(n)
	return err
}

// Bytes is a flag with a size in bytes: 64MiB, 4096 or 1.5GB.
type Bytes struct{ N int64 }

func (f *Bytes) String() string {
	if f.N == 0 {
		return ""
	}
	return text.Bytes(f.N)
}

func (f *Bytes) Type() string { return "size" }

// Set parses a size.
func (f *Bytes) Set(s string) error {
	n, ok := text.ParseBytes(s)
	if !ok || n > 1<<62 {
		return errors.New("want a size such as 64MiB or 4096")
	}
	f.N = int64(n)
	return nil
}

// Line is a flag with the size of a cache line in bytes.
type Line struct{ Bytes }

// maxLine limits a cache line, in bytes.
const maxLine = 4096

// Set parses a size that is a power of two.
func (f *Line) Set(s string) error {
	if err := f.Bytes.Set(s); err != nil {
		return err
	}
	if f.N > maxLine || bits.OnesCount64(uint64(f.N)) != 1 {
		return fault.New(fault.Usage, "%d is not a power of two up to %d", f.N, maxLine).WithHint("typical sizes: 32, 64, 128, 256")
	}
	return nil
}
