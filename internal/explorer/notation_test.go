package explorer

import (
	"slices"
	"testing"
)

// The page says what the numbers of a layout are.
func TestBrowserNotation(t *testing.T) {
	b := newTab(t)
	for _, c := range []struct {
		subject     Subject
		short, long string
	}{
		{of(t, "nchw", 2, 64, 3, 3), "sizes : strides", "a size and a stride for each of N, C, H, W, in elements"},
		{strided(t, "(2,3):(3,1)@4", "H", "W"), "sizes : strides @ offset",
			"a size and a stride for each of H, W, in elements; @ the offset of the first element"},
		{of(t, "nchw4", 1, 6, 3, 3), "sizes : strides", "a size and a stride for each of N, C, H, W, in elements; " +
			"brackets within: the digits of one dim, the fastest first; < its size, where they have room for more"},
		{strided(t, "():()"), "sizes : strides", "neither sizes nor strides"},
	} {
		b.load(written(t, c.subject), "")
		got := value[[]string](b, `(([code, small]) => [small.textContent, code.title, small.title])(
			document.querySelectorAll("#layout-text code, #layout-text small"))`)
		if want := []string{c.short, c.long, c.long}; !slices.Equal(got, want) {
			t.Errorf("%s is explained by %q, not %q", c.subject.Layout, got, want)
		}
	}
}
