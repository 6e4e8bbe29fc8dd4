package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Comparison holds the changes since an earlier report, the baseline.
type Comparison struct {
	File        string   `json:"path"`
	Differences []string `json:"machine_differences"` // how the machines differ
	Rows        []Change `json:"rows"`                // rows of a table or picture
	// variation of the machine itself
	Floor   float64  `json:"floor" jsonschema:"the maximum of the roofs' changes and of both runs' noise"`
	Missing []string `json:"missing"` // keys of rows that the baseline lacks
	Gone    []string `json:"gone"`    // keys of rows that only the baseline has
}

// Change compares a row with that of the baseline by the Mann–Whitney U test.
type Change struct {
	Key      string  `json:"key"`       // key of the row or text
	BeforeNS float64 `json:"before_ns"` // median in the baseline
	AfterNS  float64 `json:"after_ns"`  // median in this run
	// the change, or ~ if inconclusive
	Delta string `json:"delta" jsonschema:"~ if p is not below 0.05 or the change does not exceed floor"`
	// probability of such a change by chance
	P float64 `json:"p" jsonschema:"corrected for the number of rows"`
}

func (r *Report) keys() []string {
	keys := make([]string, len(r.Rows))
	for i, row := range r.Rows {
		keys[i] = row.Key()
	}
	return keys
}

const ownBaseline = "measure a baseline with this tensor"

// Comparable fails with Usage if a run over a subject, with PyTorch or without, will share no row with an earlier report. It runs before the
// measurement.
func Comparable(before *Report, s Subject, torch *TorchOptions) error {
	shape := s.Layouts[0].Shape()
	dtype := s.DType.String()
	keys := s.Keys()
	if (torch != nil) != (before.Machine.Torch != nil) {
		return fault.New(fault.Usage, "only one of the baseline and this run measures PyTorch").WithHint(ownBaseline)
	}
	if torch != nil && !torch.sameOperators(before.Machine.Torch.TorchOptions) {
		return fault.New(fault.Usage, "the baseline has --out-channels %d and --kernel-size %d, this run %d and %d", before.Machine.Torch.OutChannels,
			before.Machine.Torch.Kernel, torch.OutChannels, torch.Kernel).WithHint(ownBaseline)
	}
	if !slices.Equal(before.Shape, shape) {
		return fault.New(fault.Usage, "the baseline has shape %s, this tensor %s",
			tensor.Tuple(before.Shape), tensor.Tuple(shape)).WithHint(ownBaseline)
	}
	if before.DType != dtype {
		return fault.New(fault.Usage, "the baseline has dtype %s, this tensor %s", text.Quote(before.DType), dtype).
			WithHint(ownBaseline)
	}
	if !slices.ContainsFunc(before.keys(), func(key string) bool { return slices.Contains(keys, key) }) {
		return fault.New(fault.Usage, "the baseline has no row in common with this run: %s", strings.Join(keys, ", ")).
			WithHint("its rows are %s", text.Quote(strings.Join(before.keys(), ", ")))
	}
	return nil
}

// Compare compares the rows in both reports.
func Compare(now, before *Report, file string) *Comparison {
	c := &Comparison{File: file, Rows: []Change{}, Missing: []string{}, Gone: []string{}, Floor: floor(now, before)}
	c.Differences = differences(now.Machine, before.Machine)
	at := byKey(before.Rows)
	keys := now.keys()
	for _, row := range now.Rows {
		old, ok := at[row.Key()]
		if !ok {
			c.Missing = append(c.Missing, row.Key())
			continue
		}
		c.Rows = append(c.Rows, Change{Key: row.Key(), BeforeNS: old.MedianNS, AfterNS: row.MedianNS, P: compare(old.Timing, row.Timing).P})
	}
	for _, key := range before.keys() {
		if !slices.Contains(keys, key) {
			c.Gone = append(c.Gone, key)
		}
	}
	holm(c.Rows)
	for i := range c.Rows {
		c.Rows[i].Delta = c.Rows[i].delta(c.Floor)
	}
	return c
}

// holm corrects the p of m tests: it multiplies the k-th smallest, from 0, by m − k, but keeps it at least the previous one. Holm, A Simple
// Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6 (1979).
func holm(rows []Change) {
	order := make([]*Change, len(rows))
	for i := range rows {
		order[i] = &rows[i]
	}
	slices.SortStableFunc(order, func(a, b *Change) int { return cmp.Compare(a.P, b.P) })
	previous := 0.0
	for k, c := range order {
		previous = max(previous, min(1, c.P*float64(len(rows)-k)))
		c.P = previous
	}
}

func (c Change) delta(floor float64) string {
	change := c.AfterNS/c.BeforeNS - 1
	if c.P >= benchmath.DefaultThresholds.CompareAlpha || math.Abs(change) <= floor {
		return "~"
	}
	return fmt.Sprintf("%+.2f%%", change*100)
}

// floor returns the change of the machine itself, which a test of two rows cannot detect: samples of one run share its state.
func floor(now, before *Report) float64 {
	change := max(now.Noise.Spread, before.Noise.Spread)
	for _, level := range []string{tensorRoof, conversionRoof} {
		if was, is := before.roofAt(level), now.roofAt(level); was > 0 {
			change = max(change, math.Abs(is/was-1))
		}
	}
	return change
}

// differences lists how two machines differ.
func differences(now, before Machine) []string {
	all := []string{}
	was := before.torch()
	is := now.torch()
	for _, d := range []struct {
		what    string
		was, is any
	}{
		{"CPU", before.CPU, now.CPU},
		{"cores", before.Cores, now.Cores},
		{"L1 cache", kib(before.L1), kib(now.L1)},
		{"L2 cache", kib(before.L2), kib(now.L2)},
		{"L3 cache", kib(before.L3), kib(now.L3)},
		{"kernels", before.Kernels, now.Kernels},
		{"operating system", before.OS, now.OS},
		{"architecture", before.Arch, now.Arch},
		{"Go", before.Go, now.Go},
		{"tlayout", before.Tlayout, now.Tlayout},
		{"model caches", before.Cache, now.Cache},
		{"PyTorch", was.Version, is.Version},
		{"device", was.on(), is.on()},
		{"threads", was.Threads, is.Threads},
	} {
		if d.was != d.is {
			all = append(all, fmt.Sprintf("%s: was %s, is %v", d.what, text.Quote(fmt.Sprint(d.was)), d.is))
		}
	}
	return all
}

// torch returns PyTorch as it measured, or nothing.
func (m Machine) torch() Torch {
	if m.Torch == nil {
		return Torch{}
	}
	return *m.Torch
}

func kib(bytes int) string {
	if bytes == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%g KiB", float64(bytes)/1024)
}

// ReadReport reads a report in JSON. It fails with Malformed if the data are not a report, or if its rows cannot be
// compared. Medians and intervals are computed from the samples.
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
	if n, err := tensor.Numel(r.Shape); err != nil || n != r.Elems || n < 1 {
		return nil, fault.New(fault.Malformed, "report has %d elements, but shape %s", r.Elems, tensor.Tuple(r.Shape))
	}
	if len(r.Rows) == 0 {
		return nil, fault.New(fault.Malformed, "report has no rows")
	}
	seen := map[string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if err := row.check(); err != nil {
			return nil, fault.In(fmt.Sprintf("row %d", i+1), err)
		}
		if seen[row.Key()] {
			return nil, fault.New(fault.Malformed, "row %d: duplicate %s", i+1, text.Quote(row.Key()))
		}
		seen[row.Key()] = true
		row.Timing = newTiming(row.SamplesNS)
		row.GBps = gbps(row.Bytes, row.MedianNS)
	}
	return r, nil
}

// maxRows exceeds every real report, and bounds the memory for a hostile one.
const maxRows = 10_000

// checkSchema runs first, since another schema may have other types.
func checkSchema(data []byte) error {
	var found struct {
		Schema *string `json:"schema"`
	}
	err := json.Unmarshal(data, &found)
	if err != nil {
		return jsonFault(err)
	}
	if found.Schema == nil {
		return fault.New(fault.Malformed, "JSON without a schema, want %s", Schema).
			WithHint("write reports with tlayout bench --json")
	}
	if *found.Schema != Schema {
		return fault.New(fault.Malformed, "schema %s, want %s", text.Quote(*found.Schema), Schema).
			WithHint("measure the baseline again with this version of tlayout")
	}
	return nil
}

// checkCount runs before rows are decoded, since a row takes more memory than its text.
func checkCount(data []byte) error {
	var found struct {
		Rows []json.RawMessage `json:"rows"`
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return jsonFault(err)
	}
	if len(found.Rows) > maxRows {
		return fault.New(fault.Malformed, "report has %d rows, more than the maximum of %d", len(found.Rows), maxRows)
	}
	return nil
}

// jsonFault describes a JSON error, with the byte.
func jsonFault(err error) error {
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		return fault.New(fault.Malformed, "invalid JSON: byte %d: %s", e.Offset, text.Quote(e.Error()))
	}
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		field := cmp.Or(text.Quote(e.Field), "a report")
		found := text.Quote(e.Value)
		return fault.New(fault.Malformed, "byte %d: %s cannot be a JSON %s", e.Offset, field, found)
	}
	return fault.New(fault.Malformed, "%s", text.Quote(err.Error()))
}

// Limits of a sample: a thousandth of a nanosecond, and a year.
const minNS, maxNS = 1e-3, 3.2e16

// isNamed reports whether a row has what its suite is named by.
func (r *Row) isNamed() bool {
	switch r.Suite {
	case Access:
		return r.Layout != "" && r.Pattern != ""
	case Convert:
		return r.From != "" && r.To != ""
	}
	return false
}

// check fails with Malformed if a row has no name, or no valid samples.
func (r *Row) check() error {
	if !r.isNamed() {
		return fault.New(fault.Malformed, "neither access, with layout and pattern, nor convert, with from and to")
	}
	if len(r.SamplesNS) == 0 {
		return fault.New(fault.Malformed, "%s has no samples", text.Quote(r.Key()))
	}
	for _, ns := range r.SamplesNS {
		if !(ns >= minNS && ns <= maxNS) {
			return fault.New(fault.Malformed, "%s has a sample of %v ns", text.Quote(r.Key()), ns)
		}
	}
	return nil
}
