package source

import (
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// OrderSource is what determined the order of a tensor's axes.
type OrderSource int

// The values of OrderSource, the weakest first.
const (
	OrderUnknown OrderSource = iota // the axes have numbers
	ByRank                          // assumed: 4 axes are NCHW, 5 NCDHW, 3 CHW, 2 HW
	ByStrides                       // recorded or given strides, or a permutation of numbered axes; the dims' names are assumed
	ByName                          // the file's name: x.nhwc.npy
	ByHeader                        // names of dims in the file itself
	ByRecord                        // layout.json in the file's archive
	ByUser                          // --from
)

// String returns the name in JSON.
func (o OrderSource) String() string {
	return [...]string{"none", "assumed", "strides", "file name", "header", document.RecordName, "user"}[o]
}

// MarshalText returns String.
func (o OrderSource) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Assumed reports whether the order of the axes is an assumption.
func (t *Tensor) Assumed() bool { return t.OrderSource == ByRank }

// OrderMark returns where the memory order came from, to follow its name: " (assumed)", " (from the file's name)"; empty if it was given.
func (t *Tensor) OrderMark() string {
	if t.Assumed() && t.Header.Fortran {
		return " (file axes assumed " + notation.JoinDims(t.Layout.Names()) + ")"
	}
	if t.Assumed() {
		return " (assumed)"
	}
	if t.OrderSource == ByName {
		return " (from the file's name)"
	}
	return ""
}

// Known reports whether the memory order is known: strides were given, or the axes were named.
func (t *Tensor) Known() bool { return t.OrderSource >= ByStrides }

// Sized reports whether the logical sizes were given. Otherwise those of a blocked layout include padding, because a .npy file does
// not record it.
func (t *Tensor) Sized() bool {
	return t.StorageView || t.OrderSource == ByRecord || t.FileShape == nil || t.Kind == KindRaw
}

// Named reports whether the axes were named, so that the dims' names are not assumed either.
func (t *Tensor) Named() bool { return t.OrderSource >= ByName }
