package notation_test

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TensorRT's names without N are the same orders of one dim less; names that spell N, or no TensorRT's, mean the same for every
// rank.
func TestForRank(t *testing.T) {
	for _, name := range []string{"kCHW2", "kCHW4", "kCHW16", "kCHW32", "kHWC", "kHWC8", "kHWC16", "HWC8", "kCDHW32", "kDHWC", "kDHWC8"} {
		l, err := notation.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		rank := l.Format.Rank()
		if got, want := l.ForRank(rank-1).Format.String(), strings.Replace(l.Format.String(), "N", "", 1); got != want || len(got) == len(l.Format.String()) {
			t.Errorf("%s of %d dims is %s, want %s", name, rank-1, got, want)
		}
		if got := l.ForRank(rank).Format.String(); got != l.Format.String() {
			t.Errorf("%s of %d dims is %s", name, rank, got)
		}
	}
	for _, x := range []struct {
		name string
		rank int
		want string
	}{{"NHD", 3, "NHD"}, {"nhd", 4, "BNHC"}, {"NHD", 5, "BKNHC"}, {"HND", 3, "HND"}, {"HND", 4, "BHNC"}, {"hnd", 5, "BKHNC"}, {"NHD", 6, "NHD"}} {
		l, err := notation.Parse(x.name)
		if err != nil {
			t.Fatal(err)
		}
		if rank, axes := l.ForRank(x.rank).Format.String(), l.ForAxes(x.rank).Format.String(); rank != x.want || axes != x.want {
			t.Errorf("%s is %s of %d dims, %s of as many axes, expected %s", x.name, rank, x.rank, axes, x.want)
		}
	}
	for _, name := range []string{"NCHW4", "NHWC8", "channels_last", "nchw", "HWC", "CHWN4"} {
		l, err := notation.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.ForRank(l.Format.Rank() - 1).Format.String(); got != l.Format.String() {
			t.Errorf("%s of one dim less is %s", name, got)
		}
	}
}
