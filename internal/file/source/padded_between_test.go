package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestPaddedBetween: rows with padding between them and none after the last, as textures are copied, are named with strides that read the
// file.
func TestPaddedBetween(t *testing.T) {
	bytes, shape := mustType(t, "uint8"), []int{100, 464, 4}
	path := dump(t, make([]byte, 99*2048+464*4))
	_, err := OpenOnly(named(path), Options{Raw: &Typed{Shape: shape}, DType: bytes})
	var e *fault.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Hint, "rows of 2048 bytes, the last not padded: --strides 2048,4,1; or --skip ") {
		t.Fatalf("%v: %+v", err, e)
	}
	x, err := OpenOnly(named(path), Options{Raw: &Typed{Shape: shape, Strides: []int{2048, 4, 1}}, DType: bytes})
	if err != nil {
		t.Fatal(err)
	}
	x.Close()
}
