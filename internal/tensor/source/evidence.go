package source

import (
	"github.com/tlayout/tlayout/internal/tensor/document"
)

// Evidence is what told the order of a tensor's axes.
type Evidence int

// The values of Evidence, the weakest first.
const (
	ByNothing Evidence = iota // nothing: the axes have numbers
	ByRank                    // assumed: 4 axes are NCHW, 5 NCDHW, 3 CHW, 2 HW
	ByStrides                 // the strides, which the user gave with the sizes; the dims have no names
	ByName                    // the file's name: x.nhwc.npy
	ByRecord                  // layout.json in the file's archive
	ByUser                    // --from
)

// String is how JSON spells the evidence.
func (e Evidence) String() string {
	return [...]string{"none", "assumed", "strides", "file name", document.RecordName, "user"}[e]
}

// MarshalText makes it that in JSON.
func (e Evidence) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Assumed reports whether the order of the axes is an assumption.
func (t *Tensor) Assumed() bool { return t.Told == ByRank }

// Known reports whether the memory order is known: strides were given, or the axes were named.
func (t *Tensor) Known() bool { return t.Told >= ByStrides }

// Sized reports whether the logical sizes were given. Otherwise those of a blocked layout include padding, because a .npy file does
// not record it.
func (t *Tensor) Sized() bool {
	return t.StorageView || t.Told == ByRecord || t.FileShape == nil || t.Kind == KindRaw
}

// Named reports whether the axes were named, so that the dims' names are no assumption either.
func (t *Tensor) Named() bool { return t.Told >= ByName }
