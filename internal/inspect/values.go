package inspect

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/relate/axes"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Evidence is what the values say about an axis order that is assumed: along H and W of an image neighbors are alike, along C they are not, and
// channels have their edges in the same places.
type Evidence struct {
	Suggests  []string           `json:"suggests"`  // axis orders that explain the values, H before W; two if N and C cannot be told apart
	Roughness map[string]float64 `json:"roughness"` // of dims: difference of neighbors over that of any two
}

// AddEvidence samples the values of a local file of 3 or 4 axes whose order is assumed. Other ranks have no two orders that are common.
func (r *Report) AddEvidence(t *source.Tensor) {
	r.images = readImages(t)
	if r.images == nil || len(r.images.Orders) == 0 {
		return
	}
	r.Evidence = &Evidence{r.images.Orders, map[string]float64{}}
	for i, x := range r.images.Roughness {
		if !math.IsNaN(x.Ratio) {
			r.Evidence.Roughness[r.Dims[i]] = math.Round(x.Ratio*1000) / 1000
		}
	}
}

// ByValues returns the axis orders that explain the values of a file whose order is assumed; several cannot be told apart.
func ByValues(t *source.Tensor) []string {
	images := readImages(t)
	if images == nil {
		return nil
	}
	return images.Orders
}

// mayBeImages reports whether the values of a file could decide an assumed axis order: there are 3 or 4 axes, and the file is local.
func mayBeImages(t *source.Tensor) bool {
	if !t.Assumed() || t.FileShape == nil || !t.OnDisk() {
		return false
	}
	rank := t.Layout.Rank()
	return rank == 3 || rank == 4
}

// readImages samples the values; nil if they cannot decide the axis order, or are not numbers.
func readImages(t *source.Tensor) *axes.Images {
	if !mayBeImages(t) {
		return nil
	}
	l := t.Layout
	number := dtype.NearFloat64s(t.DType)
	swap := dtype.LittleEndian(t.DType)
	s, _ := l.Strided()
	inner := slices.Index(s.Strides, 1)
	if number == nil || inner < 0 || l.Numel() == 0 {
		return nil
	}
	images := axes.ReadImages(l.Shape(), inner, func(start []int, row []float64) bool {
		items := make([]byte, len(row)*t.DType.ItemSize())
		if t.Read(items, l.At(start...)*t.DType.ItemSize()) != nil {
			return false
		}
		if swap != nil {
			swap(items)
		}
		number(row, items)
		return true
	})
	return &images
}

// contradicted reports whether the values suggest other orders than the assumed one.
func (r *Report) contradicted() bool {
	return r.Evidence != nil && !slices.Contains(r.Evidence.Suggests, strings.Join(r.Dims, ""))
}

// evidence continues a remark on an assumed order, "; values agree" or "; values suggest NHWC or CHWN"; empty if they say nothing.
func (r *Report) evidence() string {
	if r.Evidence == nil {
		return ""
	}
	if r.contradicted() || r.LooksLike != "" || len(r.Evidence.Suggests) > 1 {
		return "; values suggest " + text.Or(r.Evidence.Suggests)
	}
	return "; values agree"
}

// withEvidence adds the evidence to a remark in parentheses.
func (r *Report) withEvidence(mark string) string {
	if r.Evidence == nil {
		return mark
	}
	return strings.TrimSuffix(mark, ")") + r.evidence() + ")"
}

// explainValues shows the roughness of each dim, and of which dim the planes are channels, with the bounds.
func (r *Report) explainValues() []Derivation {
	if r.images == nil {
		return nil
	}
	e := Derivation{Title: "Axis order by values? unknown", Lines: []string{
		"roughness of an axis: difference of neighbors / that of any two elements of the same line",
		fmt.Sprintf("smooth, as H and W: at most %g, at most %g of shuffled, and %d indices or more", axes.MaxSmooth, axes.MaxOfLow, axes.MinSmooth),
		fmt.Sprintf("rough, as C: %g or more, not less than shuffled, or fewer than %d indices", axes.MinRough, axes.MinSmooth),
	}}
	if r.Evidence != nil {
		e.Title = "Axis order by values? " + text.Or(r.Evidence.Suggests)
	}
	for i, x := range r.images.Roughness {
		line := fmt.Sprintf("%s = %d: %.2f, shuffled %.2f or more", r.Dims[i], x.Size, x.Ratio, x.Low)
		if math.IsNaN(x.Ratio) {
			line = fmt.Sprintf("%s = %d: no two elements differ", r.Dims[i], x.Size)
		}
		e.Lines = append(e.Lines, line)
	}
	if r.Evidence != nil {
		e.Lines = append(e.Lines, r.explainPlanes()...)
	}
	return []Derivation{e}
}

// explainPlanes shows what separates C from N.
func (r *Report) explainPlanes() []string {
	lines := []string{
		"edges: correlation of |x[h,w+1] - x[h,w]| in planes that differ in this index",
		"levels: difference of such planes / that of any two elements of one plane",
		fmt.Sprintf("channels, as C: edges %g or more, more of few pairs, and levels %g or more", axes.MinShared, axes.MinLevels),
		fmt.Sprintf("other images, as N: edges at most %g", axes.MaxUnshared),
	}
	for i, p := range r.images.Planes {
		if p.Pairs > 0 {
			lines = append(lines, fmt.Sprintf("%s = %d: edges %.2f, levels %.2f, of %s", r.Dims[i], r.images.Roughness[i].Size, p.Edges, p.Levels,
				text.Count(p.Pairs, "pair")))
		}
	}
	return append(lines, "H is assumed to come before W")
}
