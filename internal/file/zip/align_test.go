package zip

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestPlaceAligned proves that contents begin at multiples of any alignment that is accepted, in an archive that Open and Go's
// archive/zip read.
func TestPlaceAligned(t *testing.T) {
	members := []New{{"a", 1}, {"directory/b", 5}, {"c", 0}, {"d", 3}}
	for alignment := 1; alignment <= MaxAlignment; alignment *= 2 {
		p, err := PlaceAligned(members, alignment)
		if err != nil {
			t.Fatal(err)
		}
		file, crcs := make([]byte, p.Size()), make([]uint32, len(members))
		for i, m := range members {
			crcs[i] = crc32.ChecksumIEEE(make([]byte, m.Size))
			header, at := p.Header(i, crcs[i])
			copy(file[at:], header)
		}
		end, at := p.End(crcs)
		copy(file[at:], end)
		a, err := Open(bytes.NewReader(file), p.Size(), "archive")
		if err != nil {
			t.Fatal(alignment, err)
		}
		if err := a.Sound(); err != nil {
			t.Fatal(alignment, err)
		}
		other, err := zip.NewReader(bytes.NewReader(file), p.Size())
		if err != nil {
			t.Fatal(alignment, err)
		}
		for i, m := range a.Members {
			theirs, err := other.File[i].DataOffset()
			if at, err2 := a.Locate(m); err != nil || err2 != nil || at%int64(alignment) != 0 || at != p.Content(i) || at != theirs {
				t.Errorf("alignment %d: member %d at byte %d, archive/zip says %d: %v, %v", alignment, i, at, theirs, err, err2)
			}
		}
	}
	for _, alignment := range []int{-1, 0, 3, 96, 2 * MaxAlignment} {
		if _, err := PlaceAligned(members, alignment); fault.ClassOf(err) != fault.Usage {
			t.Errorf("alignment %d: %v", alignment, err)
		}
	}
}
