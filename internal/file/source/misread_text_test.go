package source

import (
	"testing"

	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TestMisreadText: the sentence counts the coordinates at which a reader finds other elements, and names the first.
func TestMisreadText(t *testing.T) {
	float := mustType(t, "float32")
	for _, c := range []struct{ from, as, want string }{
		{"nhwc", "nchw", "10 of 12 coordinates hold other elements, first [0,0,0,1]: the element of [0,1,0,0]"}, // torch.as_strided
		{"nhwc", "nhwc", "12 coordinates hold their own elements"},
		{"nchw", "(1,3,2,2):(12,4,2,1)", "12 coordinates hold their own elements"},
	} {
		from, err := notation.Parse(c.from)
		if err != nil {
			t.Fatal(err)
		}
		as, err := notation.Parse(c.as)
		if err != nil {
			t.Fatal(err)
		}
		x, err := Describe(Typed{Shape: []int{1, 3, 2, 2}, Layout: &from, DType: *float})
		if err != nil {
			t.Fatal(err)
		}
		reader, err := x.Reader(&as)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.MisreadText(*reader); got != c.want {
			t.Errorf("%s read as %s: %s, want %s", c.from, c.as, got, c.want)
		}
	}
}
