package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/tlayout/tlayout/internal/fault"
)

// ReadReport reads a report in JSON. It fails with Malformed where that is something else, or where its rows cannot be
// compared. Medians and intervals are computed again, so that they are those of the samples.
func ReadReport(data []byte) (*Report, error) {
	if err := checkSchema(data); err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, jsonFault(err)
	}
	if r.Elems < 1 {
		return nil, fault.New(fault.Malformed, "a report about %d elements", r.Elems)
	}
	seen := map[string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if err := row.check(); err != nil {
			return nil, fault.In(fmt.Sprintf("row %d", i+1), err)
		}
		if seen[row.Key()] {
			return nil, fault.New(fault.Malformed, "row %d: %s is there twice", i+1, fault.Quote(row.Key()))
		}
		seen[row.Key()] = true
		row.Timing = newTiming(row.SamplesNS)
		row.GBps = gbps(row.Bytes, row.MedianNS)
	}
	return r, nil
}

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
		return fault.New(fault.Malformed, "schema %s, want %s", fault.Quote(*found.Schema), Schema).
			WithHint("measure the baseline again with this version of tlayout")
	}
	return nil
}

// jsonFault says in words what is wrong with JSON, and at which byte.
func jsonFault(err error) error {
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		return fault.New(fault.Malformed, "not JSON: byte %d: %s", e.Offset, fault.Quote(e.Error()))
	}
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		field, found := fault.Quote(e.Field), fault.Quote(e.Value)
		return fault.New(fault.Malformed, "byte %d: %s cannot be a JSON %s", e.Offset, field, found)
	}
	return fault.New(fault.Malformed, "%s", fault.Quote(err.Error()))
}

// check fails with Malformed where a row has no name, or no samples that are times.
func (r *Row) check() error {
	named := r.Suite == Access && r.Layout != "" && r.Pattern != "" || r.Suite == Convert && r.From != "" && r.To != ""
	if !named {
		return fault.New(fault.Malformed, "neither an access, with layout and pattern, nor a convert, with from and to")
	}
	if len(r.SamplesNS) == 0 {
		return fault.New(fault.Malformed, "%s has no samples", fault.Quote(r.Key()))
	}
	for _, ns := range r.SamplesNS {
		if !(ns > 0) || math.IsInf(ns, 0) {
			return fault.New(fault.Malformed, "%s has a sample of %v ns", fault.Quote(r.Key()), ns)
		}
	}
	return nil
}
