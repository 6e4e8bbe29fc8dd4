package convert

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// split is how a result is cut into several files, along the outermost axis of its array that has more than one value: their data
// side by side is the data of the whole.
type split struct {
	plan *convert.Plan // of the whole
	axis int           // of the target's file
	cuts []int         // elements of the storage at which files begin, and its end
	unit int           // elements of the storage for each value of the axis
}

// maxSplit bounds the number of files: each is planned on its own.
const maxSplit = 10_000

// nearRead is the gap between two runs of a source on a network that is read rather than left out, and what a request counts for
// besides its bytes: some 20 ms at 50 MB/s.
const nearRead = 1 << 20

// newSplit cuts the target of a plan into n files, or as many as the axis has values.
func newSplit(p *convert.Plan, t convert.Target, n int) (*split, error) {
	if n < 1 || n > maxSplit {
		return nil, fault.New(fault.Usage, "--split %d is not a number of files from 1 to %d", n, maxSplit)
	}
	if t.Fortran {
		return nil, fault.New(fault.Unsupported, "--split cuts arrays in C order, and the result is in Fortran order")
	}
	axis := max(0, slices.IndexFunc(t.FileShape, func(size int) bool { return size > 1 }))
	if p.Alloc == 0 || len(t.FileShape) == 0 || p.Alloc%t.FileShape[axis] != 0 {
		return nil, fault.New(fault.Unsupported, "a result of %d elements has no axis to split", p.Alloc)
	}
	s := &split{plan: p, axis: axis, unit: p.Alloc / t.FileShape[axis]}
	s.cuts = p.Cuts(t.FileShape[axis], n)
	if s.unit%max(1, p.Pitch) != 0 {
		return nil, fault.New(fault.Unsupported, "--split would cut through padded rows").WithHint("leave out --pitch")
	}
	return s, nil
}

// axisName is the name of an axis of the target's file: C, N//32, or its number where it has none.
func axisName(c *conversion, axis int) string {
	if f := axesOf(c); f != nil && axis < len(f.order.Axes()) {
		return strings.Fields(f.order.Explicit())[axis]
	}
	return "axis " + strconv.Itoa(axis)
}

// files is their number.
func (s *split) files() int { return len(s.cuts) - 1 }

// part is the plan of one file.
func (s *split) part(k int) *convert.Plan { return s.plan.Part(s.cuts[k], s.cuts[k+1]) }

// values are those of the axis that a file holds.
func (s *split) values(k int) (begin, end int) { return s.cuts[k] / s.unit, s.cuts[k+1] / s.unit }

// shape is that of a file's array.
func (s *split) shape(whole []int, k int) []int {
	shape := slices.Clone(whole)
	begin, end := s.values(k)
	shape[s.axis] = end - begin
	return shape
}

// reading is what a source on a network is asked for.
type reading struct {
	Reads int64 `json:"range_reads"`
	Bytes int64 `json:"range_bytes"` // gaps included
}

// reading is what all files together read of the source, each on its own.
func (s *split) reading() (r reading) {
	for k := range s.files() {
		reads, bytes := s.part(k).ReadCost(nearRead)
		r.Reads += reads
		r.Bytes += bytes
	}
	return r
}

// cost is in bytes: each read counts as some.
func (r reading) cost(written int64) float64 {
	return float64(r.Reads)*nearRead + float64(r.Bytes) + float64(written)
}

// names of a split result in a folder: of each file, and of the manifest. base is the name that the whole would have,
// x.nhwc.npy.
type splitNames struct{ stem, layout string }

func newSplitNames(base string) splitNames {
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	if at := strings.LastIndexByte(stem, '.'); at > 0 {
		return splitNames{stem[:at], stem[at:]}
	}
	return splitNames{stem, ""}
}

// file ends in the layout, by which it is read.
func (n splitNames) file(k, of int) string {
	return fmt.Sprintf("%s.%05d-of-%05d%s.npy", n.stem, k, of, n.layout)
}

func (n splitNames) manifest() string { return n.stem + n.layout + source.SplitSuffix }

// between is the layout of a result between two passes over a source: cut along the source's outermost dim, so that the first pass
// reads it in order, and inside of each file along the target's, so that the second one reads long runs.
//
//	NCHW to CHWN in 8 files   N//32 C//8 N%32 C%8 H W, then CHWN
//
// ok is false if both have the same outermost dim, or one is blocked: then one pass is all there is.
func (c *conversion) between(n int) (f notation.Format, ok bool) {
	from, to := c.tensor.Format, notation.Format{}
	if c.flags.to.Layout != nil && !c.keepsAxes() && c.flags.to.Layout.Exact == nil {
		to = c.flags.to.Layout.Format
	}
	if !c.tensor.HasFormat || c.tensor.Described || !from.Plain() || !to.Plain() || to.Rank() == 0 {
		return f, false
	}
	sizes := map[string]int{}
	for i, name := range c.target.Layout.Names() {
		sizes[name] = c.target.Layout.Shape()[i]
	}
	outer := func(f notation.Format) string {
		for _, axis := range f.Axes() {
			if name := f.Names()[axis.Dim]; sizes[name] > 1 {
				return name
			}
		}
		return ""
	}
	a, b := outer(from), outer(to)
	if a == b || a == "" || b == "" {
		return f, false
	}
	each := func(name string) int { return (sizes[name] + n - 1) / n }
	if each(a) == sizes[a] || each(b) == sizes[b] {
		return f, false
	}
	var words, inner []string
	for _, name := range []string{a, b} {
		if each(name) == 1 {
			words = append(words, name)
			continue
		}
		words = append(words, fmt.Sprintf("%s//%d", name, each(name)))
	}
	for _, axis := range from.Axes() {
		switch name := from.Names()[axis.Dim]; {
		case name != a && name != b:
			inner = append(inner, name)
		case each(name) > 1:
			inner = append(inner, fmt.Sprintf("%s%%%d", name, each(name)))
		}
	}
	words = append(words, inner...)
	l, err := notation.Parse(strings.Join(words, " "))
	return l.Format, err == nil
}
