package explain

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestPadding: the offset is that of the coordinate in Would, which is not one of the tensor's; padding before and after is outside
// the elements.
func TestPadding(t *testing.T) {
	d, kinds, would := rand.New(rand.NewPCG(1, 2)), map[PaddingKind]int{}, 0
	for range 300 {
		l := drawLayout(t, d)
		used := map[int]bool{}
		for _, off := range l.Logical() {
			used[off] = true
		}
		low, high, _ := l.Plain().Span()
		for at := range high + 5 {
			if used[at] {
				continue
			}
			p, off := NewPadding(l, at), l.Swizzle().Inverse(at)
			kinds[p.Kind]++
			if p.Kind == PadBefore != (off < low) || p.Kind == PadAfter && off <= high {
				t.Fatalf("%s: padding %d is %s, the elements span %d to %d", l, off, p, low, high)
			}
			_, text, swizzled := strings.Cut(p.String(), " before Sw<")
			if _, text, _ = strings.Cut(text, ">, "); !swizzled {
				text = p.String()
			}
			if swizzled == l.Swizzle().IsZero() || !strings.HasPrefix(text, map[PaddingKind]string{PadBlock: "in a block"}[p.Kind]) {
				t.Fatalf("%s: padding %d of kind %s is %s", l, off, p.Kind, p)
			}
			if p.Would == nil {
				continue
			}
			got, inside := l.Offset(), true
			for k, i := range p.Would {
				got += l.Dim(k).At(i)
				inside = inside && i < l.Dim(k).Size
			}
			if would++; inside || got != off {
				t.Fatalf("%s: %v would be at %d, not at %d, or is an element: %s", l, p.Would, got, off, p)
			}
		}
	}
	for _, kind := range []PaddingKind{PadBefore, PadAfter, PadBetween, PadBlock} {
		if kinds[kind] < 20 {
			t.Errorf("only %d offsets were padding %s", kinds[kind], kind)
		}
	}
	if would < 100 {
		t.Errorf("only %d would-be coordinates were checked", would)
	}
}

// TestPaddingRows: padding after each H is between rows for images only: the H of attention are heads.
func TestPaddingRows(t *testing.T) {
	for names, want := range map[string]string{"NCHW": "between two rows: ", "BCHW": "between two rows: ", "OIHW": "between two rows: ",
		"BSHD": "between two steps of H: ", "BNHD": "between two steps of H: ", "NHD": "between two steps of H: "} {
		h := strings.IndexByte(names, 'H')
		dims, stride := make([]tensor.Dim, len(names)), 1
		for d := len(names) - 1; d >= 0; d-- {
			dims[d] = tensor.Dim{Name: names[d : d+1], Size: 2, Digits: []tensor.Digit{{Div: 1, Extent: 2, Stride: stride}}}
			if stride *= 2; d == h+1 {
				stride++ // one element of padding after each step of H
			}
		}
		l, err := tensor.New(dims, 0, tensor.Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		if got := NewPadding(l, 2).String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, expected %q", names, got, want)
		}
	}
}
