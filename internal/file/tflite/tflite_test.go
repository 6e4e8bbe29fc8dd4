package tflite

import (
	"bytes"
	"os"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/flatbuffer/flatbuffertest"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// sample is a file that the format's own library wrote: testdata/containers/make_containers.py.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("../../../testdata/containers/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func open(raw []byte) (*checkpoint.Container, error) {
	return Open(bytes.NewReader(raw), int64(len(raw)), checkpoint.DefaultLimit)
}

// TestDamage: a file with any bit flipped, or cut anywhere, is refused or has no tensor outside of it.
func TestDamage(t *testing.T) {
	for _, name := range []string{"net.tflite", "behind.tflite"} {
		flatbuffertest.Damage(t, sample(t, name), open)
	}
}

// TestTypes: every name of a type is one.
func TestTypes(t *testing.T) {
	for number, name := range types {
		if _, err := dtype.Parse(name); err != nil {
			t.Errorf("%d is %s: %v", number, name, err)
		}
	}
}

// FuzzTFLite opens any bytes: memory in proportion to them, a clean *fault.Error, or tensors in the file.
func FuzzTFLite(f *testing.F) {
	f.Add(sample(f, "net.tflite"))
	f.Add(sample(f, "behind.tflite"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := hostile.Allocated()
		_, _ = open(raw)
		if used := hostile.Allocated() - before; used > 4<<20+512*uint64(len(raw)) {
			t.Fatalf("%d bytes allocated for a file of %d", used, len(raw))
		}
		flatbuffertest.CheckPlaces(t, raw, open)
	})
}
