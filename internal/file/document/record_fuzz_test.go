package document

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// FuzzRecord reads any bytes as layout.json: no panic; memory in proportion to the bytes; a clean *fault.Error; and a layout that is
// accepted reaches no element outside of the array, is recorded as the same layout again, and names only orders that its digits have.
func FuzzRecord(f *testing.F) {
	for _, text := range []string{
		`{"schema":"tlayout/layout/v1","arrays":{}}`, `{"schema":"tlayout/layout/v2","arrays":{}}`, `{"schema":"x"}`, `[]`,
		`{"schema":"tlayout/layout/v1","arrays":{"a":{"crc32":"0","dtype":"float32","file_shape":[2,3],"dims":["H","W"],"shape":[2,3],"layout":"hw",` +
			`"digits":{"H":[{"div":1,"extent":2,"stride":3}],"W":[{"div":1,"extent":3,"stride":1}]},"storage_offset":0,"storage_elems":6}}}`,
		`{"schema":"tlayout/layout/v1","arrays":{"a":{"dtype":"int8","file_shape":[6],"dims":["H","W"],"shape":[2,3],"layout":"",` + // one beyond
			`"digits":{"H":[{"div":1,"extent":2,"stride":4}],"W":[{"div":1,"extent":3,"stride":1}]},"storage_offset":0,"storage_elems":6}}}`,
		`{"schema":"tlayout/layout/v1","arrays":{"a":{"dtype":"<f4","file_shape":[1,2,1,1,4],"dims":["N","C","H","W"],"shape":[1,5,1,1],"layout":"nchw4",` +
			`"digits":{"N":[{"div":1,"extent":1,"stride":8}],"C":[{"div":1,"extent":4,"stride":1},{"div":4,"extent":2,"stride":4}],"H":[{"div":1,"extent":1,"stride":4}],` +
			`"W":[{"div":1,"extent":1,"stride":4}]},"storage_offset":0,"swizzle":{"bits":1,"base":0,"shift":1},"storage_elems":8}}}`,
	} {
		f.Add([]byte(text))
	}
	plain, err := dtype.Parse("<f4")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := hostile.Allocated()
		r, err := parseRecord(text, checkpoint.DefaultLimit)
		if used := hostile.Allocated() - before; used > 1<<20+96*uint64(len(text)) {
			t.Fatalf("%d bytes allocated for a record of %d", used, len(text))
		}
		if err != nil {
			hostile.CheckError(t, err, math.MaxInt, fault.Resource)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(r.arrays)) {
			checkRecord(t, recorded(t, r, name), plain)
		}
	})
}

// recorded is an array of a record, which was read before.
func recorded(t *testing.T, r Arrays, name string) ArrayRecord {
	t.Helper()
	a, err := parseArray(r.arrays[name])
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// checkRecord makes the layout of a record, and records it again.
func checkRecord(t *testing.T, a ArrayRecord, d dtype.Type) {
	t.Helper()
	l, err := a.Bind()
	if err != nil {
		hostile.CheckError(t, err, math.MaxInt)
		return
	}
	if low, high, ok := l.Span(); ok && (low < 0 || high >= a.Alloc) {
		t.Fatalf("%s reaches from %d to %d in %d elements", l, low, high, a.Alloc)
	}
	order := a.Layout
	if _, _, err := a.Order(l); err != nil {
		hostile.CheckError(t, err, math.MaxInt)
		order = ""
	}
	text, err := json.Marshal(Record{recordSchema, map[string]ArrayRecord{"a": NewArrayRecord(d, a.FileShape, l, order)}})
	if err != nil {
		t.Fatal(err)
	}
	again, err := parseRecord(text, checkpoint.DefaultLimit)
	if err != nil {
		t.Fatalf("our own record: %v\n%s", err, text)
	}
	same, err := recorded(t, again, "a").Bind()
	if err != nil || same.String() != l.String() || same.Alloc() != l.Alloc() || same.Swizzle() != l.Swizzle() {
		t.Fatalf("%s is recorded as %s, %v\n%s", l, same, err, text)
	}
}
