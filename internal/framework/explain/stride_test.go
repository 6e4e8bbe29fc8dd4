package explain

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

var equation = regexp.MustCompile(`(?:^|= )(\d+(?:\s?·\s?\d+)+) = (\d+)`)

// TestStrideAddsUp: sentence and table cell name the stride, their products are right, and reach and padding add up to the stride.
func TestStrideAddsUp(t *testing.T) {
	products, kinds := 0, map[StrideKind]int{}
	check := func(axes []Axis) {
		for _, s := range NewStrides(axes) {
			kinds[s.Kind]++
			for _, text := range []string{s.String(), s.Short()} {
				if text != "innermost" && !regexp.MustCompile(`(^|[ =])`+strconv.Itoa(s.Stride)+`([:, ;]|$)`).MatchString(text) {
					t.Errorf("%+v: %q does not name the stride", s, text)
				}
				for _, m := range equation.FindAllStringSubmatch(text, -1) {
					if got, ok := evaluate(m[1]); !ok || strconv.Itoa(got) != m[2] {
						t.Errorf("%+v: %q: %s is %d", s, text, m[0], got)
					}
					products++
				}
			}
			if s.Kind == StridePadded && ints.Abs(s.Stride) != s.Reach+s.Padding() {
				t.Errorf("%+v: a reach of %d and %d of padding", s, s.Reach, s.Padding())
			}
		}
	}
	drawStrided(500, func(s tensor.Strided, names []string) {
		l, err := s.Layout(names, tensor.Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		check(InMemory(l, nil))
	})
	d := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		check(InMemory(drawLayout(t, d), nil))
	}
	for _, name := range []string{"nchw4", "chwn4", "nChw16c", "N C//2%3 H W C//6 C%2"} {
		f, l := bind(t, name, 2, 17, 3, 4)
		check(InMemory(l, &f))
		check(Axes(f, &l))
	}
	if products < 500 {
		t.Errorf("only %d products were checked", products)
	}
	for _, kind := range []StrideKind{StrideUnused, StrideBroadcast, StridePacked, StrideNested, StridePadded, StrideWithin} {
		if kinds[kind] < 20 {
			t.Errorf("only %d strides were %s", kinds[kind], kind)
		}
	}
}

func bind(t *testing.T, name string, sizes ...int) (notation.Format, tensor.Layout) {
	t.Helper()
	parsed, err := notation.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := parsed.Format.Bind(sizes)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Format, l
}

// TestStrideText: the sentence of every kind of stride; the symbol of a number of blocks is the same everywhere.
func TestStrideText(t *testing.T) {
	f, l := bind(t, "nChw16c", 1, 62, 5, 4)
	strides := NewStrides(InMemory(l, &f))
	for i, want := range []string{
		"N-stride = ⌈C/16⌉ · H · W · 16 = 4 · 5 · 4 · 16 = 1280, never used: its index is always 0",
		"C//16-stride = H · W · 16 = 5 · 4 · 16 = 320", "H-stride = W · 16 = 4 · 16 = 64", "W-stride = 16",
		"C%16-stride = 1: neighbors are adjacent",
	} {
		if got := strides[i].String(); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
	if got := strides[0].Short(); got != "⌈C/16⌉·H·W·16 = 4·5·4·16 = 1280" {
		t.Errorf("short: %q", got)
	}
	if got := NewStrides(Axes(f, nil))[0].Symbolic(); got != "⌈C/16⌉·H·W·16" {
		t.Errorf("without sizes: %q", got)
	}
	for _, c := range []struct {
		stride, innerStride int
		want                string
	}{
		{0, 1, "A-stride = 0: broadcast, all 2 indices share the same elements"},
		{3, 1, "A-stride = B = 3"},
		{-3, 1, "A-stride = -3: B = 3, reversed: index 0 is last"},
		{5, 1, "A-stride = 5: B · 1 = 3 and 2 elements of padding"},
		{7, 2, "A-stride = 7: B · B-stride = 3 · 2 = 6 and 1 element of padding"},
		{6, 2, "A-stride = B · B-stride = 3 · 2 = 6"},
		{2, 1, "A-stride = 2: less than B · 1 = 3, so its steps interleave with those of B"},
		{1, 0, "A-stride = 1: neighbors are adjacent"},
		{4, 0, "A-stride = 4: neighbors are 4 apart, with 3 elements of padding between"},
		{1, math.MaxInt32/2 + 9, "A-stride = 1: less than B · B-stride = 3 · 1073741832 = 3221225496, so its steps interleave with those of B"},
	} {
		axes := []Axis{
			{0, "A", true, tensor.Digit{Div: 1, Extent: 2, Stride: c.stride}},
			{1, "B", true, tensor.Digit{Div: 1, Extent: 3, Stride: c.innerStride}}}
		if got := NewStrides(axes)[0].String(); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

// TestOrder: the memory order is that of the format's axes; without a format, axes of stride 0 are outermost.
func TestOrder(t *testing.T) {
	f, l := bind(t, "CHWN4", 8, 5, 2, 2)
	var order []string
	for _, p := range InMemory(l, &f) {
		order = append(order, p.Name())
	}
	if got := strings.Join(order, " "); got != f.Explicit() {
		t.Errorf("in memory: %s, expected %s", got, f.Explicit())
	}
	still := layoutOf(t, 0,
		tensor.Dim{Name: "A", Size: 4, Digits: []tensor.Digit{{Div: 1, Extent: 4, Stride: 1}}},
		tensor.Dim{Name: "B", Size: 4, Digits: []tensor.Digit{{Div: 1, Extent: 4, Stride: 0}}})
	if got := InMemory(still, nil)[0].Name(); got != "B" {
		t.Errorf("outermost is %s, expected B", got)
	}
}

// TestBlocks: as many indices are padding as the padded shape has more than the shape.
func TestBlocks(t *testing.T) {
	_, l := bind(t, "nChw16c", 1, 62, 5, 4)
	blocks := newBlocks(l)
	if len(blocks) != 1 || blocks[0].Size+blocks[0].Padding != l.PaddedShape()[1] {
		t.Fatalf("%+v", blocks)
	}
	if got := blocks[0].String(); got != "C is 62, in 4 blocks of 16: the last block has 2 padding channels" {
		t.Errorf("%q", got)
	}
}
