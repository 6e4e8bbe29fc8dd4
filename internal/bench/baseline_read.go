package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// ReadReport reads a report in JSON. It fails with Malformed where that is something else, or where its rows cannot be
// compared. Medians and intervals are computed again, so that they are those of the samples.
func ReadReport(data []byte) (*Report, error) {
	if err := checkSchema(data); err != nil {
		return nil, err
	}
	if err := checkCount(data); err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, jsonFault(err)
	}
	switch n, err := tensor.Numel(r.Shape); {
	case err != nil || n != r.Elems || n < 1:
		return nil, fault.New(fault.Malformed, "a report about %d elements of shape %s", r.Elems, tensor.Tuple(r.Shape))
	case len(r.Rows) == 0:
		return nil, fault.New(fault.Malformed, "a report without rows")
	}
	seen := map[string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if err := row.check(); err != nil {
			return nil, fault.In(fmt.Sprintf("row %d", i+1), err)
		}
		if seen[row.Key()] {
			return nil, fault.New(fault.Malformed, "row %d: %s is there twice", i+1, words.Quote(row.Key()))
		}
		seen[row.Key()] = true
		row.Timing = NewTiming(row.SamplesNS)
		row.GBps = gbps(row.Bytes, row.MedianNS)
	}
	return r, nil
}

// maxRows is more than any report has, and few enough to be read into memory.
const maxRows = 10_000

// checkSchema comes before the rest is read, for another schema may have other types.
func checkSchema(data []byte) error {
	var found struct {
		Schema *string `json:"schema"`
	}
	err := json.Unmarshal(data, &found)
	switch {
	case err != nil:
		return jsonFault(err)
	case found.Schema == nil:
		return fault.New(fault.Malformed, "JSON without a schema, want %s", Schema).
			WithHint("write reports with tlayout bench --json")
	case *found.Schema != Schema:
		return fault.New(fault.Malformed, "schema %s, want %s", words.Quote(*found.Schema), Schema).
			WithHint("measure the baseline again with this version of tlayout")
	}
	return nil
}

// checkCount comes before rows are read, each of which takes more memory than its text.
func checkCount(data []byte) error {
	var found struct {
		Rows []json.RawMessage `json:"rows"`
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return jsonFault(err)
	}
	if len(found.Rows) > maxRows {
		return fault.New(fault.Malformed, "a report of %d rows", len(found.Rows))
	}
	return nil
}

// jsonFault says in words what is wrong with JSON, and at which byte.
func jsonFault(err error) error {
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		return fault.New(fault.Malformed, "not JSON: byte %d: %s", e.Offset, words.Quote(e.Error()))
	}
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		field, found := cmp.Or(words.Quote(e.Field), "a report"), words.Quote(e.Value)
		return fault.New(fault.Malformed, "byte %d: %s cannot be a JSON %s", e.Offset, field, found)
	}
	return fault.New(fault.Malformed, "%s", words.Quote(err.Error()))
}

// A pass takes at least a thousandth of a nanosecond, and at most a year.
const leastNS, mostNS = 1e-3, 3.2e16

// check fails with Malformed where a row has no name, or no samples that are times.
func (r *Row) check() error {
	named := r.Suite == Access && r.Layout != "" && r.Pattern != "" || r.Suite == Convert && r.From != "" && r.To != ""
	if !named {
		return fault.New(fault.Malformed, "neither an access, with layout and pattern, nor a convert, with from and to")
	}
	if len(r.SamplesNS) == 0 {
		return fault.New(fault.Malformed, "%s has no samples", words.Quote(r.Key()))
	}
	for _, ns := range r.SamplesNS {
		if !(ns >= leastNS && ns <= mostNS) {
			return fault.New(fault.Malformed, "%s has a sample of %v ns", words.Quote(r.Key()), ns)
		}
	}
	return nil
}
