package safetensors

import (
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"
)

// FuzzSafetensors opens any bytes: no panic; memory in proportion to the bytes; a clean *fault.Error; storages that cover the
// data without gaps or overlaps; and the same tensors again in a file with our header.
func FuzzSafetensors(f *testing.F) {
	for _, header := range []string{"{}", one, two("8,16"), two("0,8"), fields(`"dtype":"F4","shape":[2],"data_offsets":[0,1]`),
		`{"__metadata__":{"a":"b"},"t":{"shape":[0],"data_offsets":[0,0],"dtype":"C64"}}   `} {
		f.Add(file(header, 16))
		f.Add(file(header, 0))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := hostile.Allocated()
		c, err := open(raw)
		if used := hostile.Allocated() - before; used > 1<<20+96*uint64(len(raw)) {
			t.Fatalf("%d bytes allocated for a file of %d", used, len(raw))
		}
		checkCover(t, raw)
		if err != nil || len(c.Refused) > 0 {
			return
		}
		again := rewritten(t, c, describe(c, raw), 64)
		d, err := open(again)
		if err != nil {
			t.Fatalf("our own file: %v", err)
		}
		same(t, describe(d, again), describe(c, raw))
	})
}

// FuzzIndex reads any bytes as an index, and checks it against files that hold what it says, and against none.
func FuzzIndex(f *testing.F) {
	for _, text := range []string{"{}", `{"weight_map":{}}`, `{"metadata":{"total_size":24},"weight_map":{"a":"1","b":"1","c":"2"}}`,
		`{"weight_map":{"a":"../x"}}`, `{"metadata":{"total_size":1.0e3}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := hostile.Allocated()
		_, _ = readIndex(string(raw))
		if used := hostile.Allocated() - before; used > 1<<20+96*uint64(len(raw)) {
			t.Fatalf("%d bytes allocated for an index of %d", used, len(raw))
		}
		checkIndex(t, raw)
	})
}
