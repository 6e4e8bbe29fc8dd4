package checkpoint

import (
	"math"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestRoom: a name of exactly MaxName bytes is taken and one byte more is not; all texts may have exactly 16 MiB, or 64 bytes for
// each tensor of the limit if that is more.
func TestRoom(t *testing.T) {
	for limit, whole := range map[Limit]int64{0: 16 << 20, 1: 16 << 20, 262_144: 16 << 20, 262_145: 16<<20 + 64, DefaultLimit: 64_000_000, MaxLimit: 640_000_000} {
		if err := limit.Room("names").TakeName(MaxName); err != nil {
			t.Errorf("%d: a name of MaxName bytes: %v", limit, err)
		}
		if err := limit.Room("names").TakeName(MaxName + 1); fault.ClassOf(err) != fault.Unsupported || err == nil {
			t.Errorf("%d: a name of one byte more: %v", limit, err)
		}
		r := limit.Room("names")
		if r.Left() != whole {
			t.Errorf("%d tensors: %d bytes, expected %d", limit, r.Left(), whole)
		}
		if err := r.Take(whole - 1); err != nil {
			t.Errorf("%d: %v", limit, err)
		}
		if err := r.TakeName(1); err != nil {
			t.Errorf("%d: the last byte: %v", limit, err)
		}
		if err := r.TakeName(1); fault.ClassOf(err) != fault.Unsupported || err == nil {
			t.Errorf("%d: one byte more: %v", limit, err)
		}
	}
	if r := Limit(1).Room("names"); r.Take(math.MaxInt64) == nil {
		t.Error("2⁶³−1 bytes are taken")
	}
}
