package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// Page writes the answer and where the two differ; both sides only if they differ too.
func (r *report) Page(p *cli.Page) {
	if p.Quiet() {
		p.Answer(r.names() + " differ")
		return
	}
	p.Answer(r.headline())
	p.Items(r.distances()...)
	switch {
	case p.All() || r.Differing == nil:
		sides := r.sideTable()
		p.Section(sides.Fit(p.Columns(), render.Break(len(sides.Header)-3, len(sides.Header)-2)))
	case !r.Equal && r.A.Notation != r.B.Notation:
		p.Items("a: "+r.A.text(), "b: "+r.B.text())
	}
	r.writeElements(p)
	p.Notes(r.Notes)
	p.More(r.ways()...)
}

// ways are the flags that show more.
func (r *report) ways() []string {
	switch {
	case r.Differing == nil:
		return nil
	case !r.Equal && r.Compare == "bits" && r.inexact:
		return []string{"--all", "--numeric for the largest difference", "--rtol 1e-5 for close numbers"}
	}
	return []string{"--all"}
}

// text is the layout of a side: NCHW (assumed), strides (60, 20, 5, 1).
func (s *side) text() string {
	strides := s.StridesText()
	if s.Strides != nil {
		strides = "strides " + strides
	}
	if name := s.order(); name != s.Notation {
		return name + ", " + strides
	}
	return strides
}

// headline is the answer in one line.
func (r *report) headline() string {
	if r.Equal {
		return r.names() + " " + r.sameness() + ": " + r.elementsText()
	}
	return r.names() + " " + r.difference("differ")
}

func (r *report) names() string {
	return source.DisplayName(r.A.Source) + " and " + source.DisplayName(r.B.Source)
}

// difference is how they differ, in one line; the verb is differ or differs.
func (r *report) difference(verb string) string {
	if r.Differing == nil {
		return verb + " in " + strings.Join(r.dtypeAndShape(), ", and in ")
	}
	if r.Compare == "close" {
		verb += " by more than " + r.tolerance()
	}
	return fmt.Sprintf("%s in %d of %s, first at %s", verb, *r.Differing, words.Count(*r.Elements, "element"),
		tensor.Tuple(r.listed.lowest()))
}

// dtypeAndShape says how the two differ if their elements cannot be compared.
func (r *report) dtypeAndShape() []string {
	var parts []string
	if r.differs("dtype") {
		parts = append(parts, "dtype, "+words.Shorten(r.dtypes[0])+" and "+words.Shorten(r.dtypes[1]))
	}
	if r.differs("shape") {
		b := r.B.Sizes()
		if slices.Equal(r.A.Dims, r.B.Dims) {
			b = tensor.Tuple(r.B.Shape)
		}
		parts = append(parts, "shape, "+r.A.Sizes()+" and "+b)
	}
	return parts
}

func (r *report) sameness() string {
	switch r.Compare {
	case "numbers":
		return "hold the same numbers"
	case "close":
		return "are close, within " + r.tolerance()
	}
	return "hold the same tensor"
}

// tolerance is the right side of |a − b| ≤ atol + rtol·|b|.
func (r *report) tolerance() string {
	var parts []string
	if *r.ATol > 0 {
		parts = append(parts, strconv.FormatFloat(*r.ATol, 'g', -1, 64))
	}
	if *r.RTol > 0 {
		parts = append(parts, strconv.FormatFloat(*r.RTol, 'g', -1, 64)+"·|b|")
	}
	return strings.Join(parts, " + ")
}

// elementsText names the tensor that both hold: 1280 elements of float32 (1, 64, 5, 4), NCHW and NHWC.
func (r *report) elementsText() string {
	dtype := words.Shorten(r.A.DType)
	if r.B.DType != r.A.DType {
		dtype += " and " + words.Shorten(r.B.DType)
	}
	s := fmt.Sprintf("%s of %s %s", words.Count(*r.Elements, "element"), dtype, tensor.Tuple(r.A.Shape))
	switch a, b := r.A.order(), r.B.order(); {
	case len(r.A.Shape) == 0:
		return s
	case a == b:
		return s + ", both " + a
	default:
		return s + ", " + a + " and " + b
	}
}

// order names the memory order, or prints the digits if it has no name.
func (s *side) order() string {
	if s.Assumed {
		return s.Layout + " (assumed)"
	}
	return cmp.Or(s.Layout, s.Notation)
}

// sideTable lists both tensors. A dtype that both have is the title.
func (r *report) sideTable() render.Table {
	t := render.Table{Title: words.Shorten(r.A.DType), Header: []string{"", "dtype", "layout", "shape", "strides", "source"}}
	for i, s := range []side{r.A, r.B} {
		dtype, layout := words.Shorten(r.dtypes[i]), cmp.Or(s.Name(), "strides")
		if a, b := r.A.ByteOrder, r.B.ByteOrder; a != b && a != "none" && b != "none" {
			dtype += ", " + s.ByteOrder
		}
		if s.Assumed {
			layout += " (assumed)"
		}
		t.Add(sideNames[i], dtype, layout, s.Sizes(), s.StridesText(), source.DisplayName(s.Source))
	}
	if t.Rows[0][1] != t.Rows[1][1] {
		t.Title = "Sides"
		return t
	}
	t.Header = slices.Delete(t.Header, 1, 2)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], 1, 2)
	}
	return t
}

// distances say how far apart numbers are.
func (r *report) distances() []string {
	var lines []string
	if m := r.MaxAbs; m != nil {
		finite := ""
		if r.NotFinite > 0 {
			finite = "finite "
		}
		lines = append(lines, fmt.Sprintf("largest %sabsolute difference: %g at %s", finite, m.Value, tensor.Tuple(m.Coord)))
	}
	if n := r.NotFinite; n > 0 {
		lines = append(lines, fmt.Sprintf("%d differing %s no finite difference: NaN, infinite or not a number", n,
			words.Plural(n, "element has", "elements have")))
	}
	return lines
}
