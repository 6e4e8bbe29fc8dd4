package checkcmd

import (
	"strings"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// A file has two views: the array as stored, with the header's shape, contiguous in C or Fortran order, and the tensor whose dims are the file's
// axes. c, f and dense refer to the first, channels_last to the second.

// stored returns the layout of the array in the file, or of the tensor if there is no file or --from gives sizes and strides.
func (o *options) stored(t *source.Tensor) (l tensor.Layout, inFile bool) {
	if t.FileShape == nil || o.reading.Exact() {
		return t.Layout, false
	}
	l, err := t.FileLayout()
	if err != nil {
		return t.Layout, false
	}
	return l, true
}

// contiguousAssertion answers --contiguous.
func (o *options) contiguousAssertion(sense string, r *inspect.Report, t *source.Tensor) assertion {
	a := assertion{Name: "contiguous", Expected: sense}
	if strings.HasPrefix(sense, senseLast) {
		return o.channelsLast(a, r, t)
	}
	l, inFile := o.stored(t)
	if sense == senseDense {
		a = a.decided(l.Packed() || l.Numel() == 0, r.Character())
		if !a.OK {
			a.Why = r.DensityText()
		}
	} else {
		a = o.storedContiguous(a.decided(false, r.Character()), l, t)
	}
	if inFile {
		s, _ := l.Strided()
		return a.asStored(inspect.Senses(s.CContiguous().OK, s.FContiguous().OK, false, false))
	}
	return a
}

// storedContiguous answers c and f for the array as stored.
func (o *options) storedContiguous(a assertion, l tensor.Layout, t *source.Tensor) assertion {
	ask := tensor.Strided.CContiguous
	to := "c"
	own := notation.OwnC
	if o.want.strict {
		ask = tensor.Strided.StrictContiguous
	}
	if a.Expected == senseF {
		ask = tensor.Strided.FContiguous
		to = "fortran"
		own = notation.OwnFortran
	}
	s, plain := l.Strided()
	v := ask(s)
	if plain && v.OK {
		return a.passed(a.Found)
	}
	return a.failed(a.Found, inspect.BrokenAt(l, v)).withHint(o.convertHint(t, to, own))
}

// channelsLast answers channels_last and channels_last_3d.
func (o *options) channelsLast(a assertion, r *inspect.Report, t *source.Tensor) assertion {
	ask := tensor.Strided.ChannelsLast
	to := "nhwc"
	dims := "NCHW"
	if a.Expected == senseLast3 {
		ask = tensor.Strided.ChannelsLast3D
		to = "ndhwc"
		dims = "NCDHW"
	}
	switch o.inEveryOrder(t, func(u *source.Tensor) bool {
		s, plain := u.Layout.Strided()
		return plain && ask(s).OK
	}) {
	case tensor.Yes:
		return a.passed(r.Character())
	case tensor.Unknown:
		return a.needsOrder(t, nil)
	}
	a = a.failed(r.Character(), r.Contiguous.WhyNot[a.Expected].Reason)
	if strings.Join(t.Layout.Names(), "") == dims && t.Known() {
		return a.withHint(o.convertHint(t, to, notation.NotOwn))
	}
	return a
}
