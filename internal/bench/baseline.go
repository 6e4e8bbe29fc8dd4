package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// Comparison says what changed since an earlier report.
type Comparison struct {
	File        string   `json:"file"`
	Differences []string `json:"machine_differences"` // in words; none where it is the same machine
	Rows        []Change `json:"rows"`
	// Floor is how much the machine itself changed: the greatest of the roofs' changes and of both runs' noise.
	Floor   float64  `json:"floor"`
	Missing []string `json:"missing"` // keys of rows that the earlier report does not have
	Gone    []string `json:"gone"`    // keys of rows that only the earlier report has
}

// Change compares a row with its earlier self by the Mann–Whitney U test.
type Change struct {
	Key      string  `json:"key"`
	BeforeNS float64 `json:"before_ns"` // medians
	AfterNS  float64 `json:"after_ns"`
	// Delta is +12.3%, or ~ where P is not below 0.05, or the change no larger than the Floor.
	Delta string `json:"delta"`
	// P is corrected for the number of rows: of many rows, some differ by chance.
	P float64 `json:"p"`
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
		return fault.New(fault.Usage, "the baseline is of %s, this tensor of %s", words.Quote(before.DType), dtype).
			WithHint(ownBaseline)
	case !slices.ContainsFunc(before.keys(), shared):
		return fault.New(fault.Usage, "the baseline has none of the rows %s", strings.Join(keys, ", ")).
			WithHint("its rows are %s", words.Quote(strings.Join(before.keys(), ", ")))
	}
	return nil
}

// Compare says what changed in the rows that both reports have.
func Compare(now, before *Report, file string) *Comparison {
	c := &Comparison{File: file, Rows: []Change{}, Missing: []string{}, Gone: []string{}, Floor: floor(now, before)}
	c.Differences = differences(now.Machine, before.Machine)
	at, keys := byKey(before.Rows), now.keys()
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

// holm corrects the p of m tests, the k-th smallest of which, from 0 on, becomes (m − k) times as large, but no smaller than
// one before it: Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6 (1979).
func holm(rows []Change) {
	order := make([]*Change, len(rows))
	for i := range rows {
		order[i] = &rows[i]
	}
	slices.SortStableFunc(order, func(a, b *Change) int { return cmp.Compare(a.P, b.P) })
	least := 0.0
	for k, c := range order {
		least = max(least, min(1, c.P*float64(len(rows)-k)))
		c.P = least
	}
}

func (c Change) delta(floor float64) string {
	change := c.AfterNS/c.BeforeNS - 1
	if c.P >= benchmath.DefaultThresholds.CompareAlpha || math.Abs(change) <= floor {
		return "~"
	}
	return fmt.Sprintf("%+.2f%%", change*100)
}

// floor is how much the machine itself changed, which the test of two rows cannot know: samples of one run share its state.
func floor(now, before *Report) float64 {
	most := max(now.Noise.Spread, before.Noise.Spread)
	for _, level := range []string{tensorRoof, conversionRoof} {
		if was, is := before.roofAt(level), now.roofAt(level); was > 0 {
			most = max(most, math.Abs(is/was-1))
		}
	}
	return most
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
			all = append(all, fmt.Sprintf("%s: was %s, is %v", d.what, words.Quote(fmt.Sprint(d.was)), d.is))
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
