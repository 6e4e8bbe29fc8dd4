package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/npy"
)

// TestListBound: headers are read until they have as many bytes as are allowed, broken ones counted too; one warning says how many are
// not read, and what is behind them is listed all the same.
func TestListBound(t *testing.T) {
	const members, size = 30, 1 << 10
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for i := range members {
		descr := []string{"<f4", "<x4"}[i%2]
		text := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (0,), }"
		text += strings.Repeat(" ", size-12-len(text)-1) + "\n"
		m, err := w.Create(strconv.Itoa(i) + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(append([]byte(npy.Magic+"\x02\x00"), append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]int{24 * size: 24, 24*size + 1: 25, maxHeaders: members} {
		entries, warnings, err := a.list(0, most)
		if err != nil || len(entries) != members || len(warnings) != min(members-want, 1) {
			t.Fatalf("%d entries, %v, %v", len(entries), warnings, err)
		}
		for i, e := range entries {
			switch {
			case (e.Err == ErrUnread) != (i >= want):
				t.Errorf("limit %d: %d: %v", most, i, e.Err)
			case i < want && (e.Err == nil) != (i%2 == 0):
				t.Errorf("limit %d: %d: %v", most, i, e.Err)
			}
		}
	}
}
