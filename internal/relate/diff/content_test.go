package diff

import (
	"math/rand/v2"
	"testing"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/tensor"
)

// releasedPages counts the bytes that are released.
type releasedPages struct{ bytes int }

func (p *releasedPages) Read([]byte, int) error { return nil }
func (p *releasedPages) Release(from, to int)   { p.bytes += to - from }

// TestFingerprintInPieces: a large tensor is read in pieces of whole elements, which are released one by one.
func TestFingerprintInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"uint8", "float32", "S7"} {
		typ := dtypeOf(name)
		n := (9 << 20) / typ.ItemSize()
		data := make([]byte, n*typ.ItemSize())
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		pages := &releasedPages{}
		s := must(tensor.Packed([]int{n}))
		side := Side{Layout: must(s.Layout(nil, n)), DType: typ, Data: data, Pages: pages}
		if got, want := must(Fingerprint(side, convert.Options{})), relate.Of(data, typ); got != want || pages.bytes != len(data) {
			t.Errorf("%s: %+v, want %+v; %d of %d bytes were released", name, got, want, pages.bytes, len(data))
		}
	}
}
