package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/tensor/zip"
	"github.com/tlayout/tlayout/internal/words"
)

// RecordName is the member of an archive that records the layouts of its arrays.
const RecordName = "layout.json"

// recordSchema names the record's format and its version.
const recordSchema = recordFamily + "v1"

const recordFamily = "tlayout/layout/"

// maxRecord bounds a record's size in bytes, maxArrayRecord that of one array, for which 64 dims in 62 digits need 10 KiB.
const (
	maxRecord      = 16 << 20
	maxArrayRecord = 64 << 10
)

// Record has what .npy headers cannot express: for each array of an archive, by its name without ".npy", its layout.
type Record struct {
	Schema string                 `json:"schema"`
	Arrays map[string]ArrayRecord `json:"arrays"`
}

// ArrayRecord is the layout of one array: logical sizes, memory order, digits, strides, offset. Numbers count elements.
type ArrayRecord struct {
	CRC32     string                    `json:"crc32,omitempty"` // of the member, in hexadecimal: it binds the layout to its data
	DType     string                    `json:"dtype"`
	FileShape []int                     `json:"file_shape"`
	Dims      []string                  `json:"dims"`
	Shape     []int                     `json:"shape"`
	Layout    string                    `json:"layout"` // memory order, outermost axis first; may be empty
	Digits    map[string][]tensor.Digit `json:"digits"`
	Offset    int                       `json:"offset"`
	Swizzle   *tensor.Swizzle           `json:"swizzle,omitempty"` // of element offsets
	Alloc     int                       `json:"storage_elems"`
}

// NewRecord is a record without arrays.
func NewRecord() Record { return Record{recordSchema, map[string]ArrayRecord{}} }

// NewArrayRecord describes a layout whose data is in a member of the given dtype and shape.
func NewArrayRecord(d dtype.Type, fileShape []int, l tensor.Layout, order string) ArrayRecord {
	r := ArrayRecord{DType: d.String(), FileShape: fileShape, Dims: l.Names(), Shape: l.Shape(), Layout: order,
		Digits: map[string][]tensor.Digit{}, Offset: l.Offset(), Alloc: l.Alloc()}
	for i := range l.Rank() {
		r.Digits[l.Dim(i).Name] = l.Dim(i).Digits
	}
	if z := l.Swizzle(); !z.IsZero() {
		r.Swizzle = &z
	}
	return r
}

// SetCRC records the CRC-32 of an array's member.
func (r Record) SetCRC(name string, crc uint32) {
	a := r.Arrays[name]
	a.CRC32 = fmt.Sprintf("%08x", crc)
	r.Arrays[name] = a
}

// JSON returns the record as it is written. Its length does not depend on checksums. Errors are fault.Unsupported: a record
// too large to be read again.
func (r Record) JSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		panic(err) // a Record holds nothing that JSON cannot
	}
	if out.Len() > maxRecord {
		return nil, fault.New(fault.Unsupported, "%s would have %d bytes, more than %d", RecordName, out.Len(), maxRecord)
	}
	return out.Bytes(), nil
}

// recordOf returns what the archive records about a member; nil if it records nothing. Errors name the record. A member of
// the record's name that is something else is ignored, with a warning.
func (a *archive) recordOf(m zip.Member) (*ArrayRecord, string, error) {
	r, err := a.record()
	if err != nil {
		return nil, "", fault.In(RecordName, err)
	}
	text, ok := r.arrays[npz.Key(m)]
	if !ok {
		return nil, r.warning, nil
	}
	array, err := parseArray(text)
	if err != nil {
		return nil, "", fault.In(RecordName, err)
	}
	if want := fmt.Sprintf("%08x", m.CRC); array.CRC32 != "" && !strings.EqualFold(array.CRC32, want) {
		return nil, "", fault.In(RecordName, fault.New(fault.Malformed, "it describes an array %s of checksum %s, not %s",
			words.Quoted(npz.Key(m)), words.Quote(words.Cut(array.CRC32, 20)), want).WithHint(ignoreRecord))
	}
	return &array, "", nil
}

const ignoreRecord = "--from names the layout instead, and ignores " + RecordName

// readRecord reads the archive's record. Without one it has no arrays.
func readRecord(a *npz.Archive, limit checkpoint.Limit) (r readArrays, err error) {
	if !slices.ContainsFunc(a.Members, func(m zip.Member) bool { return m.Name == RecordName }) {
		return r, nil
	}
	m, err := a.Find(RecordName)
	if err != nil {
		return r, err
	}
	if m.Size > maxRecord {
		return r, fault.New(fault.Malformed, "%d bytes are more than a record of layouts may have, %d", m.Size, maxRecord)
	}
	content, err := a.Content(m)
	if err != nil {
		return r, err
	}
	text, err := io.ReadAll(content)
	if err != nil {
		return r, err
	}
	return parseRecord(text, limit)
}

// readArrays are the arrays of a record as their JSON, which takes less memory than what it says.
type readArrays struct {
	limit   checkpoint.Limit
	arrays  map[string]json.RawMessage
	warning string // that there are none, because the document is no record
}

// parseRecord reads a record; of its arrays only the form is checked. A document of another kind is no record, as the warning says.
func parseRecord(text []byte, limit checkpoint.Limit) (r readArrays, err error) {
	var kind struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(text, &kind) != nil || !strings.HasPrefix(kind.Schema, recordFamily) {
		r.warning = "ignoring the archive's " + RecordName + ": it is not a record of layouts of schema " + recordSchema
		return r, nil
	}
	if kind.Schema != recordSchema {
		return r, fault.New(fault.Malformed, "its schema is %s, expected %q", words.Quoted(words.Cut(kind.Schema, 60)), recordSchema).
			WithHint(ignoreRecord)
	}
	record := struct {
		Schema string      `json:"schema"`
		Arrays *readArrays `json:"arrays"`
	}{Arrays: &readArrays{limit: limit}}
	if err := strictly(text, &record); err != nil {
		return r, err
	}
	if record.Arrays != nil {
		r = *record.Arrays
	}
	return r, nil
}

// strictly reads a part of a record, which has no other names than v. Errors of v's own stay as they are.
func strictly(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fault.New(fault.Malformed, "not a record of layouts: %s", jsonTrouble(err)).WithHint(ignoreRecord)
}

// UnmarshalJSON reads the arrays one by one; of two of one name the last counts.
func (r *readArrays) UnmarshalJSON(text []byte) error {
	r.arrays = map[string]json.RawMessage{}
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fault.New(fault.Malformed, "not a record of layouts: its arrays are not an object").WithHint(ignoreRecord)
	}
	for n := uint64(1); dec.More(); n++ {
		if err := r.limit.Check(n, "arrays"); err != nil {
			return err
		}
		name, err := dec.Token()
		if err != nil {
			return err // never: the text is an object
		}
		var array json.RawMessage
		if err := dec.Decode(&array); err != nil {
			return err
		}
		if _, err := parseArray(array); err != nil {
			return err
		}
		r.arrays[name.(string)] = array
	}
	return nil
}

// parseArray reads what a record says of an array.
func parseArray(text json.RawMessage) (a ArrayRecord, err error) {
	if len(text) > maxArrayRecord {
		return a, fault.New(fault.Malformed, "%d bytes are more than the record of an array may have, %d", len(text), maxArrayRecord).WithHint(ignoreRecord)
	}
	return a, strictly(text, &a)
}

// name is the memory order for a list: of a swizzled layout the swizzle, and "strides" of one without a name.
func (r ArrayRecord) name() string {
	switch {
	case r.Swizzle != nil:
		return r.Swizzle.String()
	case r.Layout == "":
		return "strides"
	}
	return words.Quote(words.Cut(r.Layout, 60))
}

// layout makes the layout, if the record is consistent.
func (r ArrayRecord) layout() (tensor.Layout, error) {
	bad := func(format string, args ...any) (tensor.Layout, error) {
		return tensor.Layout{}, fault.New(fault.Malformed, format, args...)
	}
	switch {
	case len(r.Dims) != len(r.Shape) || len(r.Digits) != len(r.Dims) || len(r.Dims) > tensor.MaxRank:
		return bad("%d dims, %d sizes, digits of %d", len(r.Dims), len(r.Shape), len(r.Digits))
	case r.Alloc < 0 || r.Offset < 0:
		return bad("offset %d, alloc %d", r.Offset, r.Alloc)
	}
	dims := make([]tensor.Dim, len(r.Dims))
	for i, name := range r.Dims {
		if len(name) == 0 || len(name) > 32 || slices.Contains(r.Dims[:i], name) || words.Quote(name) != name {
			return bad("dim name %q is not usable", words.Cut(name, 40))
		}
		dims[i] = tensor.Dim{Name: name, Size: r.Shape[i], Digits: r.Digits[name]}
	}
	l, err := tensor.New(dims, r.Offset, r.Alloc)
	if z := r.Swizzle; err == nil && z != nil {
		if _, err = tensor.NewSwizzle(z.Bits, z.Base, z.Shift); err == nil {
			l, err = l.Swizzled(*z, r.Alloc)
		}
	}
	if err != nil {
		return bad("%s", err)
	}
	if !l.InBounds() {
		return bad("the layout %s reaches outside of its %d elements", l, r.Alloc)
	}
	return l, nil
}

// format is the memory order that the record names, if its digits agree; ok is false if it names none.
func (r ArrayRecord) format(l tensor.Layout) (f notation.Format, ok bool, err error) {
	if r.Layout == "" {
		return f, false, nil
	}
	name, err := notation.Parse(r.Layout)
	if err == nil && name.Own == notation.OwnC && len(r.Dims) == 1 {
		return f, false, nil // a lone dim has no order
	}
	if err != nil || name.Own != notation.NotOwn || name.Exact != nil {
		return f, false, fault.New(fault.Malformed, "its layout %s is not a memory order", words.Quoted(words.Cut(r.Layout, 60)))
	}
	if f, ok = name.Format.Over(r.Dims); !ok || !f.Agrees(l) {
		return f, false, fault.New(fault.Malformed, "its digits contradict its layout %s", words.Quoted(words.Cut(r.Layout, 60)))
	}
	return f, true, nil
}

// describe replaces the assumed layout by the recorded one, if that belongs to the member.
func (t *Tensor) describe(r ArrayRecord, o Options) error {
	if o.Channels != 0 {
		return fault.New(fault.Usage, "its own number of channels is recorded").
			WithHint("--from names the layout too, and ignores the record")
	}
	l, err := r.layout()
	if err != nil {
		return err
	}
	if err := t.belongs(r, o.DType != nil); err != nil {
		return err
	}
	f, ok, err := r.format(l)
	if err != nil {
		return err
	}
	if err := checkBytes(l, t.DType); err != nil {
		return err
	}
	t.notes, t.Told = nil, ByRecord
	if ok {
		axes := f
		if t.Header.Fortran {
			axes = f.Reversed()
		}
		stored, _, err := Stored(axes, l.Shape(), t.FileShape, t.Header.Fortran)
		if err == nil && stored.String() == l.String() { // the member's axes are the format's
			t.Layout, t.Format, t.HasFormat = l, f, true
			return nil
		}
	}
	if t.Header.Fortran {
		return fault.New(fault.Malformed, "it describes storage in C order, the array is in Fortran order").WithHint(ignoreRecord)
	}
	t.Layout, t.Format, t.HasFormat, t.StorageView = l, f, ok, true
	return nil
}

// belongs checks that the record is that of the opened array, by its shape and type.
func (t *Tensor) belongs(r ArrayRecord, hinted bool) error {
	other := func(format string, args ...any) error {
		return fault.New(fault.Malformed, format, args...).WithHint(ignoreRecord)
	}
	elems, err := tensor.Numel(t.FileShape)
	switch {
	case err != nil:
		return err
	case !slices.Equal(r.FileShape, t.FileShape):
		return other("it describes an array of shape %s, not one of shape %s", tensor.Tuple(r.FileShape), tensor.Tuple(t.FileShape))
	case elems != r.Alloc:
		return other("it describes %d elements, the array has %d", r.Alloc, elems)
	case r.DType == t.Header.DType.String():
		return nil
	}
	named, err := dtype.Parse(r.DType)
	if err != nil || t.Header.DType.Kind() != dtype.Void || named.ItemSize() != t.Header.DType.ItemSize() {
		return other("it describes elements of %s, not of %s", words.Quote(words.Cut(r.DType, 60)), t.Header.DType)
	}
	if !hinted {
		t.DType = named
	}
	return nil
}

// jsonTrouble explains an error of encoding/json without the names of Go types.
func jsonTrouble(err error) string {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("no JSON at byte %d", syntax.Offset)
	case errors.As(err, &typ):
		return fmt.Sprintf("a %s does not fit its member %s", words.Quote(words.Cut(typ.Value, 60)), words.Quote(words.Cut(typ.Field, 60)))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it ends too early"
	}
	return words.Quote(words.Cut(strings.TrimPrefix(err.Error(), "json: "), 120))
}

// checkBytes checks that the layout's elements and storage can be counted in bytes.
func checkBytes(l tensor.Layout, d dtype.Type) error {
	if size := d.ItemSize(); size > 0 && (l.Alloc() > math.MaxInt/size || l.Numel() > math.MaxInt/size) {
		return fault.New(fault.Unsupported, "shape %s of %s overflows a 64-bit address", tensor.Tuple(l.Shape()), d)
	}
	return nil
}
