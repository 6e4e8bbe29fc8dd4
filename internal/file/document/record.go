package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/npz"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// RecordName is the archive member that records the layouts of the arrays.
const RecordName = "layout.json"

// recordSchema is the format and version of the record.
const recordSchema = recordFamily + "v1"

const recordFamily = "tlayout/layout/"

// maxRecord limits the size of a record, and maxArrayRecord that of one array's part, in bytes; 64 dims in 62 digits need 10 KiB.
const (
	maxRecord      = 16 << 20
	maxArrayRecord = 64 << 10
)

// Record holds what .npy headers cannot express: the layout of each array of an archive, by its name without ".npy".
type Record struct {
	Schema string                 `json:"schema"`
	Arrays map[string]ArrayRecord `json:"arrays"` // the arrays of layout.json, by name
}

// ArrayRecord is the layout of one array: logical sizes, memory order, digits, strides, offset. Numbers are in elements.
type ArrayRecord struct {
	// CRC-32 of the member, in hexadecimal
	CRC32     string                    `json:"crc32,omitempty" jsonschema:"it binds the layout to its data"`
	DType     string                    `json:"dtype"`
	FileShape []int                     `json:"file_shape"`
	Dims      []string                  `json:"dims"`
	Shape     []int                     `json:"shape"`
	Layout    string                    `json:"layout" jsonschema:"may be empty"`
	Digits    map[string][]tensor.Digit `json:"digits"`
	Offset    int                       `json:"storage_offset"`
	Swizzle   *tensor.Swizzle           `json:"swizzle,omitempty"`
	Alloc     int                       `json:"storage_elems"`
}

// NewRecord returns a record without arrays.
func NewRecord() Record { return Record{recordSchema, map[string]ArrayRecord{}} }

// NewArrayRecord describes a layout stored in a member with this dtype and shape.
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

// NumberDims returns the names of the dims in the record of a tensor whose dims nobody named: d0, d1, …
func NumberDims(rank int) []string {
	names := make([]string, rank)
	for i := range names {
		names[i] = fmt.Sprintf("d%d", i)
	}
	return names
}

// IsNumbered reports whether the dims have the names of NumberDims: the record has an order, but no names.
func (r ArrayRecord) IsNumbered() bool { return slices.Equal(r.Dims, NumberDims(len(r.Dims))) }

// SetCRC records the CRC-32 of an array's member.
func (r Record) SetCRC(name string, crc uint32) {
	a := r.Arrays[name]
	a.CRC32 = fmt.Sprintf("%08x", crc)
	r.Arrays[name] = a
}

// JSON returns the encoded record. Its length does not depend on checksums. A record too large to be read again is fault.Unsupported.
func (r Record) JSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		panic(err) // a Record holds nothing that JSON cannot
	}
	if out.Len() > maxRecord {
		return nil, fault.New(fault.Unsupported, "%s would have %d bytes, over the limit of %d", RecordName, out.Len(), maxRecord)
	}
	return out.Bytes(), nil
}

// Of returns the record of a member; nil if there is none.
func (r Arrays) Of(m zip.Member) (*ArrayRecord, error) {
	entry, ok := r.arrays[npz.Key(m)]
	if !ok {
		return nil, nil
	}
	array, err := parseArray(entry)
	if err != nil {
		return nil, err
	}
	if want := fmt.Sprintf("%08x", m.CRC); array.CRC32 != "" && !strings.EqualFold(array.CRC32, want) {
		return nil, fault.New(fault.Malformed, "it describes an array %s with checksum %s, not %s",
			text.Quoted(npz.Key(m)), text.Quote(text.Cut(array.CRC32, 20)), want).WithHint(IgnoreRecord)
	}
	return &array, nil
}

// IgnoreRecord is the hint for an error in a record.
const IgnoreRecord = "use --from to set the layout and ignore " + RecordName

// ReadRecord reads the archive's record. Without a record, the result has no arrays.
func ReadRecord(a *npz.Archive, limit checkpoint.Limit) (r Arrays, err error) {
	if !slices.ContainsFunc(a.Members, func(m zip.Member) bool { return m.Name == RecordName }) {
		return r, nil
	}
	m, err := a.Find(RecordName)
	if err != nil {
		return r, err
	}
	if m.Size > maxRecord {
		return r, fault.New(fault.Malformed, "record of layouts has %d bytes, over the limit of %d", m.Size, maxRecord)
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

// Arrays are the arrays of a record as raw JSON, which needs less memory than the parsed form.
type Arrays struct {
	limit   checkpoint.Limit
	arrays  map[string]json.RawMessage
	Warning string // set if the document is not a record, so that there are none
}

// parseRecord parses a record, but only checks the syntax of its arrays. It warns about a document of another kind.
func parseRecord(content []byte, limit checkpoint.Limit) (r Arrays, err error) {
	var kind struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(content, &kind) != nil || !strings.HasPrefix(kind.Schema, recordFamily) {
		r.Warning = "ignoring the archive's " + RecordName + ": not a record of layouts with schema " + recordSchema
		return r, nil
	}
	if kind.Schema != recordSchema {
		return r, fault.New(fault.Malformed, "its schema is %s, expected %q", text.Quoted(text.Cut(kind.Schema, 60)), recordSchema).
			WithHint(IgnoreRecord)
	}
	record := struct {
		Schema string  `json:"schema"`
		Arrays *Arrays `json:"arrays"`
	}{Arrays: &Arrays{limit: limit}}
	if err := strictly(content, &record); err != nil {
		return r, err
	}
	if record.Arrays != nil {
		r = *record.Arrays
	}
	return r, nil
}

// strictly decodes a part of a record, rejecting unknown names. It keeps errors of v's own methods.
func strictly(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fault.New(fault.Malformed, "not a record of layouts: %s", problem(err)).WithHint(IgnoreRecord)
}

// UnmarshalJSON decodes the arrays one by one; the last one of a name wins.
func (r *Arrays) UnmarshalJSON(text []byte) error {
	r.arrays = map[string]json.RawMessage{}
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fault.New(fault.Malformed, "not a record of layouts: its arrays are not an object").WithHint(IgnoreRecord)
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

// parseArray parses the record of an array.
func parseArray(text json.RawMessage) (a ArrayRecord, err error) {
	if len(text) > maxArrayRecord {
		return a, fault.New(fault.Malformed, "record of an array has %d bytes, over the limit of %d", len(text), maxArrayRecord).WithHint(IgnoreRecord)
	}
	return a, strictly(text, &a)
}

// Title returns the memory order for a list: a swizzle for a swizzled layout, "strides" without a name.
func (r ArrayRecord) Title() string {
	if r.Swizzle != nil {
		return r.Swizzle.String()
	}
	if r.Layout == "" {
		return "strides"
	}
	return text.Quote(text.Cut(r.Layout, 60))
}

// Bind returns the layout, if the record is consistent.
func (r ArrayRecord) Bind() (tensor.Layout, error) {
	bad := func(format string, args ...any) (tensor.Layout, error) {
		return tensor.Layout{}, fault.New(fault.Malformed, format, args...)
	}
	if len(r.Dims) != len(r.Shape) || len(r.Digits) != len(r.Dims) || len(r.Dims) > tensor.MaxRank {
		return bad("%d dims, %d sizes, digits of %d", len(r.Dims), len(r.Shape), len(r.Digits))
	}
	if r.Alloc < 0 || r.Offset < 0 {
		return bad("offset %d, alloc %d", r.Offset, r.Alloc)
	}
	dims := make([]tensor.Dim, len(r.Dims))
	for i, name := range r.Dims {
		if !isDimName(name) || slices.Contains(r.Dims[:i], name) {
			return bad("dim name %q is not usable", text.Cut(name, 40))
		}
		dims[i] = tensor.Dim{Name: name, Size: r.Shape[i], Digits: r.Digits[name]}
	}
	l, err := tensor.New(dims, r.Offset, r.Alloc)
	if z := r.Swizzle; err == nil && z != nil {
		_, err = tensor.NewSwizzle(z.Bits, z.Base, z.Shift)
		if err == nil {
			l, err = l.Swizzled(*z, r.Alloc)
		}
	}
	if err != nil {
		return bad("%s", err)
	}
	if !l.InBounds() {
		return bad("layout %s exceeds its %d elements", l, r.Alloc)
	}
	return l, nil
}

// isDimName reports whether a dim can have this name on the screen: it is short, and nothing in it needs quotes.
func isDimName(name string) bool { return name != "" && len(name) <= 32 && text.Quote(name) == name }

// Order returns the memory order that the record names, checked against its digits; ok is false if it names none.
func (r ArrayRecord) Order(l tensor.Layout) (f notation.Format, ok bool, err error) {
	if r.Layout == "" {
		return f, false, nil
	}
	name, err := notation.Parse(r.Layout)
	if err == nil && name.Own == notation.OwnC && len(r.Dims) == 1 {
		return f, false, nil // a single dim has no order
	}
	if err != nil || !name.HasFormat() {
		return f, false, fault.New(fault.Malformed, "layout %s is not a memory order", text.Quoted(text.Cut(r.Layout, 60)))
	}
	f, ok = name.Format.Over(r.Dims)
	if !ok || !f.Agrees(l) {
		return f, false, fault.New(fault.Malformed, "digits contradict layout %s", text.Quoted(text.Cut(r.Layout, 60)))
	}
	return f, true, nil
}
