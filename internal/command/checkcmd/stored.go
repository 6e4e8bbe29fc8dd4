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
	if strings.HasPrefix(a.Expected, senseLast) {
		o.channelsLast(&a, r, t)
	} else {
		o.storedContiguous(&a, r, t)
	}
	return a
}

// storedContiguous answers c, f and dense.
func (o *options) storedContiguous(a *assertion, r *inspect.Report, t *source.Tensor) {
	l, inFile := o.stored(t)
	s, plain := l.Strided()
	a.Found = r.Character()
	if inFile {
		a.foundStored(inspect.Senses(s.CContiguous().OK, s.FContiguous().OK, false, false))
	}
	ask := tensor.Strided.CContiguous
	to := "c"
	own := notation.OwnC
	switch {
	case a.Expected == senseF:
		ask = tensor.Strided.FContiguous
		to = "fortran"
		own = notation.OwnFortran
	case o.want.strict:
		ask = tensor.Strided.StrictContiguous
	}
	v := ask(s)
	a.OK = plain && v.OK
	a.Why = inspect.BrokenAt(l, v)
	if a.Expected == senseDense {
		a.OK = l.Packed() || l.Numel() == 0
		a.Why = r.DensityText()
	}
	if a.OK {
		a.Why = ""
	}
	if a.Expected != senseDense {
		a.Hint = o.convertHint(t, to, own)
	}
}

// channelsLast answers channels_last and channels_last_3d.
func (o *options) channelsLast(a *assertion, r *inspect.Report, t *source.Tensor) {
	ask := tensor.Strided.ChannelsLast
	to := "nhwc"
	dims := "NCHW"
	if a.Expected == senseLast3 {
		ask = tensor.Strided.ChannelsLast3D
		to = "ndhwc"
		dims = "NCDHW"
	}
	a.Found = r.Character()
	a.Why = r.Contiguous.WhyNot[a.Expected].Reason
	a.Verdict = o.inEveryOrder(t, func(u *source.Tensor) bool {
		s, plain := u.Layout.Strided()
		return plain && ask(s).OK
	})
	switch a.Verdict {
	case tensor.Unknown:
		a.leaveUnknown(t, nil)
	case tensor.Yes:
		a.Why = ""
	case tensor.No:
		if strings.Join(t.Layout.Names(), "") == dims && t.Known() {
			a.Hint = o.convertHint(t, to, notation.NotOwn)
		}
	}
}
