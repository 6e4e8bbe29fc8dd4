package explorer

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// The page says what the numbers of a layout are.
func TestBrowserNotation(t *testing.T) {
	b := newTab(t)
	for _, c := range []struct {
		subject     Subject
		short, long string
	}{
		{of(t, "nchw", 2, 64, 3, 3), "sizes : strides", "the size and stride of N, C, H, W, in elements"},
		{strided(t, "(2,3):(3,1)@4", "H", "W"), "sizes : strides @ offset",
			"the size and stride of H, W, in elements; @ the offset of the first element"},
		{of(t, "nchw4", 1, 6, 3, 3), "sizes : strides", "the size and stride of N, C, H, W, in elements; " +
			"nested brackets: the digits of one dim, fastest first; < its size, if they have room for more"},
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

// It says in which senses the layout is contiguous, and how far it reaches where that is not the storage.
func TestBrowserContiguous(t *testing.T) {
	b := newTab(t)
	for _, c := range []struct {
		subject Subject
		want    string
	}{
		{of(t, "nchw", 2, 3, 2, 2), "C-contiguous; no padding"}, {of(t, "nhwc", 2, 3, 2, 2), "channels_last contiguous; no padding"},
		{of(t, "nchw", 2, 1, 2, 2), "C- and channels_last contiguous; no padding"},
		{of(t, "ndhwc", 2, 3, 2, 2, 2), "channels_last_3d contiguous; no padding"},
		{of(t, "ncdhw", 2, 1, 2, 2, 2), "C- and channels_last_3d contiguous; no padding"},
		{strided(t, "(4):(1)", "W"), "C- and F-contiguous; no padding"}, {strided(t, "(2,3):(1,2)", "H", "W"), "F-contiguous; no padding"},
		{strided(t, "(2,3):(5,1)", "H", "W"), "2 of 8 stored elements are padding"}, {strided(t, "(0,3):(3,1)", "H", "W"), "no padding"},
		{strided(t, "(2,3):(3,1)@4", "H", "W"), "C-contiguous; 4 of 10 stored elements are outside of the tensor; extent 6"},
		{strided(t, "(1,3):(5,1)@1", "H", "W"), "C- and F-contiguous; 1 of 4 stored elements is outside of the tensor; extent 3"},
		{strided(t, "(2,3):(5,1)@1", "H", "W"), "2 of 9 stored elements are padding, 1 outside of the tensor; extent 8"},
		{of(t, "nchw4", 1, 6, 1, 1), "2 of 8 stored elements are padding; extent 6"},
	} {
		b.load(written(t, c.subject), "#layout=own")
		text := b.text("#layout-text")
		if _, said, _ := strings.Cut(text, " · "); said != c.want && !strings.HasSuffix(said, "; "+c.want) {
			t.Errorf("%s: %q, want %q", c.subject.Layout, said, c.want)
		}
	}
}

// A layout whose storage is longer than its order needs is not called by that order's name alone.
func TestBrowserLongerStorage(t *testing.T) {
	s := of(t, "hw", 2, 3)
	var err error
	if s.Layout, err = tensor.New([]tensor.Dim{s.Layout.Dim(0), s.Layout.Dim(1)}, 0, 8); err != nil {
		t.Fatal(err)
	}
	b := show(t, s, "#layout=own")
	if name, text := b.text("#layout option"), b.text("#layout-text"); name != "as stored" || !strings.HasPrefix(text, "its own layout ") {
		t.Errorf("%q, %q", name, text)
	}
}
