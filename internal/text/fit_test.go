package text

import (
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// TestMiddle: the result has the beginning and the end, and at most the given columns.
func TestMiddle(t *testing.T) {
	if got := Middle("checkpoints/model-00001-of-00002.safetensors", 30, "…"); got != "checkpoint…f-00002.safetensors" {
		t.Errorf("%q", got)
	}
	for _, s := range []string{"", "x", "model.layers.0.weight", "ключ.ключ.ключ", "名前名前名前名前", "a\u0301bcdefgh"} {
		for columns := range 24 {
			got := Middle(s, columns, "…")
			if width := displaywidth.String(got); width > columns && columns > 0 || width < min(columns-3, displaywidth.String(s)) {
				t.Errorf("%q in %d columns: %q", s, columns, got)
			}
		}
	}
}
