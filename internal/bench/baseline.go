package bench

import (
	"fmt"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Comparison says what changed since an earlier report.
type Comparison struct {
	File        string   `json:"file"`
	Differences []string `json:"machine_differences"` // in words; none where it is the same machine
	Rows        []Change `json:"rows"`
	Missing     []string `json:"missing"` // keys of rows that the earlier report does not have
	Notes       []string `json:"notes"`   // why changes may not be those of a layout
}

// Change compares a row with its earlier self by the Mann–Whitney U test.
type Change struct {
	Key      string  `json:"key"`
	BeforeNS float64 `json:"before_ns"` // medians
	AfterNS  float64 `json:"after_ns"`
	Delta    string  `json:"delta"` // +12.3%, or ~ where the difference is not significant
	P        float64 `json:"p"`
}

func (r *Report) keys() []string {
	keys := make([]string, len(r.Rows))
	for i, row := range r.Rows {
		keys[i] = row.Key()
	}
	return keys
}

const ownBaseline = "measure a baseline with this tensor"

// Comparable fails with Usage where a run over a tensor would have nothing to compare with an earlier one. It is asked
// before measuring: keys are those of the rows to come.
func Comparable(before *Report, shape []int, dtype string, keys []string) error {
	switch shared := func(key string) bool { return slices.Contains(keys, key) }; {
	case !slices.Equal(before.Shape, shape):
		return fault.New(fault.Usage, "the baseline is of shape %s, this tensor of %s",
			tensor.Tuple(before.Shape), tensor.Tuple(shape)).WithHint(ownBaseline)
	case before.DType != dtype:
		return fault.New(fault.Usage, "the baseline is of %s, this tensor of %s", fault.Quote(before.DType), dtype).
			WithHint(ownBaseline)
	case !slices.ContainsFunc(before.keys(), shared):
		return fault.New(fault.Usage, "the baseline has none of the rows %s", list(keys)).
			WithHint("its rows are %s", fault.Quote(list(before.keys())))
	}
	return nil
}

// Compare says what changed in the rows that both reports have.
func Compare(now, before *Report, file string) *Comparison {
	c := &Comparison{File: file, Rows: []Change{}, Missing: []string{}}
	c.Differences, c.Notes = differences(now.Machine, before.Machine), drift(now, before)
	at := byKey(before.Rows)
	for _, row := range now.Rows {
		old, ok := at[row.Key()]
		if !ok {
			c.Missing = append(c.Missing, row.Key())
			continue
		}
		test := compare(old.Timing, row.Timing)
		delta := test.FormatDelta(old.MedianNS, row.MedianNS)
		c.Rows = append(c.Rows, Change{row.Key(), old.MedianNS, row.MedianNS, delta, test.P})
	}
	return c
}

// steadyRoof is how much the roofs of two runs may differ.
const steadyRoof = 0.1

// drift says where the machine itself was faster or slower, which the test of two rows cannot know.
func drift(now, before *Report) []string {
	notes := []string{}
	for _, level := range []string{tensorRoof, conversionRoof} {
		was, is := before.roofAt(level), now.roofAt(level)
		if was > 0 && math.Abs(is/was-1) > steadyRoof {
			notes = append(notes, fmt.Sprintf("the roof of the %s was %.3g GB/s and is %.3g: of_roof compares better than times", level, was, is))
		}
	}
	for _, r := range []*Report{before, now} {
		if r.Noise.Advice != "" {
			notes = append(notes, fmt.Sprintf("one of the runs was noisy: the same read varied by %.0f %%", r.Noise.Spread*100))
			break
		}
	}
	return notes
}

// differences says where two machines are not the same.
func differences(now, before Machine) []string {
	all := []string{}
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
		{"the model's caches", before.Cache, now.Cache},
	} {
		if d.was != d.is {
			all = append(all, fmt.Sprintf("%s: was %s, is %v", d.what, fault.Quote(fmt.Sprint(d.was)), d.is))
		}
	}
	return all
}

func kib(bytes int) string {
	if bytes == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%g KiB", float64(bytes)/1024)
}
