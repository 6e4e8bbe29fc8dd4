package relate

import (
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

var fingerprinted = []string{"bool", "uint8", "<i2", ">i2", "<f4", ">f4", "<f8", ">f8", "<c16", ">c16", "S5", "<U3", ">U3", "bfloat16", "V11"}

// TestFingerprint: it does not depend on the order of elements nor on the byte order, is additive, and changes with a bit.
func TestFingerprint(t *testing.T) {
	r := random.New(t)
	for _, name := range fingerprinted {
		typ, err := dtype.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		size := typ.ItemSize()
		for range 20 {
			n := 1 + r.IntN(2500)
			data := make([]byte, n*size)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			whole, cut := Of(data, typ), r.IntN(n+1)*size
			shuffled := slices.Clone(data)
			r.Shuffle(n, func(i, j int) {
				for k := range size {
					shuffled[i*size+k], shuffled[j*size+k] = shuffled[j*size+k], shuffled[i*size+k]
				}
			})
			sum := Of(data[:cut], typ).Add(Of(data[cut:], typ))
			if whole.Count != n || whole.Size != size || Of(shuffled, typ) != whole || sum != whole {
				t.Fatalf("%s, %d elements: %+v, shuffled %+v, of parts %+v", name, n, whole, Of(shuffled, typ), sum)
			}
			if swap := dtype.LittleEndian(typ); swap != nil {
				swap(shuffled)
				if got := Of(shuffled, typ.LittleEndian()); got != whole {
					t.Fatalf("%s swapped: %+v, want %+v", name, got, whole)
				}
			}
			bit := r.IntN(len(data) * 8)
			data[bit/8] ^= 1 << (bit % 8)
			if changed := Of(data, typ); changed.Sum == whole.Sum || changed.Mix == whole.Mix {
				t.Fatalf("%s: %+v after bit %d changed", name, changed, bit)
			}
		}
	}
	if (Of([]byte{1, 2, 3}, dtype.Type{}) != Fingerprint{}) {
		t.Error("a type of no size has a fingerprint")
	}
}

func BenchmarkFingerprint(b *testing.B) {
	for _, name := range []string{"uint8", "float16", "float32", ">f4", "float64", "complex128"} {
		b.Run(name, func(b *testing.B) {
			typ, err := dtype.Parse(name)
			if err != nil {
				b.Fatal(err)
			}
			data := make([]byte, 1<<20)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				Of(data, typ)
			}
		})
	}
}
