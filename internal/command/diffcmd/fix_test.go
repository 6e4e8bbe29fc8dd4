package diffcmd

import (
	"testing"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/pairing"
)

// TestUnfixable: each reason for which no command is tried.
func TestUnfixable(t *testing.T) {
	readable := func(r relate.Relation) *pairing.Relation { return &pairing.Relation{Relation: &r, CanRead: true} }
	for what, c := range map[string]struct {
		source string
		r      *pairing.Relation
		want   noFix
	}{
		"a permutation":  {"b.npy", readable(relate.Relation{}), fixFound},
		"standard input": {"-", readable(relate.Relation{}), sourceUnnamed},
		"a factor":       {"b.npy", readable(relate.Relation{Scale: &relate.Affine{Factor: 2}}), valuesComputed},
		"another dtype":  {"b.npy", readable(relate.Relation{DType: "float16"}), valuesComputed},
		"other bits":     {"b.npy", readable(relate.Relation{DType: "float32", Viewed: true}), fixFound},
		"unknown order":  {"b.npy", &pairing.Relation{Relation: &relate.Relation{Kind: relate.Shuffled}}, orderUnreadable},
	} {
		p := pair{sources: [2]name.Name{name.Parse("a.npy"), name.Parse(c.source)}, tensors: [2]*source.Tensor{{}, {}}}
		if got := p.unfixable(c.r); got != c.want {
			t.Errorf("%s: reason %d, expected %d", what, got, c.want)
		}
	}
}
