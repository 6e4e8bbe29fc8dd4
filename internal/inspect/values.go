package inspect

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/relate"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// Evidence is what the values say about an axis order that is assumed: along H and W of an image neighbors are alike, along C they are not.
type Evidence struct {
	Suggests  string             `json:"suggests"`  // axis order by values
	Roughness map[string]float64 `json:"roughness"` // of dims: difference of neighbors over that of any two
}

// AddEvidence samples the values of a local file of 3 or 4 axes whose order is assumed. Other ranks have no two orders that are common.
func (r *Report) AddEvidence(t *source.Tensor) {
	r.rough = roughness(t)
	order := relate.ImageOrder(r.rough)
	if order == "" {
		return
	}
	r.Evidence = &Evidence{order, map[string]float64{}}
	for i, x := range r.rough {
		if !math.IsNaN(x.Ratio) {
			r.Evidence.Roughness[r.Dims[i]] = math.Round(x.Ratio*1000) / 1000
		}
	}
}

// ByValues returns the axis order that the values suggest for a file whose order is assumed; ok is false without one.
func ByValues(t *source.Tensor) (f notation.Format, ok bool) {
	axes := relate.ImageOrder(roughness(t))
	l, err := notation.Parse(axes)
	return l.Format, axes != "" && err == nil
}

// roughness samples the values along each dim; nil if the order is known or has another rank, and if numbers cannot be read from a local file.
func roughness(t *source.Tensor) []relate.Roughness {
	l, number, swap := t.Layout, dtype.Float64s(t.DType), dtype.LittleEndian(t.DType)
	s, _ := l.Strided()
	inner := slices.Index(s.Strides, 1)
	if !t.Assumed() || t.FileShape == nil || !t.OnDisk() || number == nil || inner < 0 || l.Numel() == 0 || l.Rank() != 3 && l.Rank() != 4 {
		return nil
	}
	return relate.Roughnesses(l.Shape(), inner, func(start []int, row []float64) bool {
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
}

// contradicted reports whether the values suggest another order than the assumed one.
func (r *Report) contradicted() bool {
	return r.Evidence != nil && r.Evidence.Suggests != strings.Join(r.Dims, "")
}

// evidence continues a remark on an assumed order, "; values agree" or "; values suggest NHWC"; empty if they say nothing.
func (r *Report) evidence() string {
	switch {
	case r.Evidence == nil:
		return ""
	case r.contradicted() || r.LooksLike != "":
		return "; values suggest " + r.Evidence.Suggests
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

// explainValues shows the roughness of each dim, with its bounds.
func (r *Report) explainValues() []Derivation {
	if r.rough == nil {
		return nil
	}
	e := Derivation{Title: "Axis order by values? unknown", Lines: []string{
		"roughness of an axis: difference of neighbors / that of any two elements of the same line",
		fmt.Sprintf("smooth, as H and W: at most %g, at most %g of shuffled, and %d indices or more", relate.MaxSmooth, relate.MaxOfLow, relate.MinSmooth),
		fmt.Sprintf("rough, as C: %g or more, not less than shuffled, or fewer than %d indices", relate.MinRough, relate.MinSmooth),
	}}
	if r.Evidence != nil {
		e.Title = "Axis order by values? " + r.Evidence.Suggests
	}
	for i, x := range r.rough {
		line := fmt.Sprintf("%s = %d: %.2f, shuffled %.2f or more", r.Dims[i], x.Size, x.Ratio, x.Low)
		if math.IsNaN(x.Ratio) {
			line = fmt.Sprintf("%s = %d: no two elements differ", r.Dims[i], x.Size)
		}
		e.Lines = append(e.Lines, line)
	}
	return []Derivation{e}
}
