package source

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// noteDoubt says where the sizes speak against the assumed order.
func (t *Tensor) noteDoubt() {
	if looks := t.LooksLike(); looks != "" {
		rank := len(t.FileShape)
		t.Notes = append(t.Notes, fmt.Sprintf("by its sizes it looks like %s: the last axis is %d, as channels are, axis %d is %d",
			looks, t.FileShape[rank-1], channelAxis(rank), t.FileShape[channelAxis(rank)]))
	}
}

// asChannels reports whether a size is one that channels of images have.
func asChannels(n int) bool { return n == 1 || n == 3 || n == 4 }

// channelAxis is the place of C in NCHW, NCDHW and CHW.
func channelAxis(rank int) int { return min(rank-3, 1) }

// LooksLike returns the channels-last layout that the sizes of an assumed channels-first file suggest: a last axis of
// 1, 3 or 4, and an axis 1 that is none of these. It returns "" where they do not, or nothing was assumed.
func (t *Tensor) LooksLike() string {
	rank := len(t.FileShape)
	last := map[int]string{3: "hwc", 4: "nhwc", 5: "ndhwc"}[rank]
	if !t.Assumed || last == "" {
		return ""
	}
	if asChannels(t.FileShape[rank-1]) && !asChannels(t.FileShape[channelAxis(rank)]) {
		return last
	}
	return ""
}

// SpeaksAgainst says why the file does not look like the order of rank 3 to 5 that its axes are said to have: a size
// that channels have stands at the wrong end, and none at theirs. It returns "" where nothing does.
func (t *Tensor) SpeaksAgainst(f notation.Format) string {
	rank := len(t.FileShape)
	if rank < 3 || rank > 5 || !f.Plain() || f.Rank() != rank {
		return ""
	}
	first, last := channelAxis(rank), rank-1
	channels := slices.IndexFunc(f.Axes(), func(x notation.Axis) bool { return f.Names()[x.Dim] == "C" })
	for _, end := range [][2]int{{first, last}, {last, first}} {
		if asked, other := end[0], end[1]; channels == asked && asChannels(t.FileShape[other]) && !asChannels(t.FileShape[asked]) {
			return fmt.Sprintf("its sizes speak against it: axis %d is %d, as channels are, axis %d is %d", other, t.FileShape[other], asked,
				t.FileShape[asked])
		}
	}
	return ""
}
