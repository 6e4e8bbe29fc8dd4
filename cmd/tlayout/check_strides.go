package main

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// strided answers --strides. Those of size-1 dims are never used, and count with --strict only.
func (w *wanted) strided(r *inspectReport) assertion {
	a := assertion{Name: "strides", Expected: w.strides.tuple(), Found: "a dim is split into blocks"}
	if r.Strides == nil {
		return a
	}
	a.Found = tensor.Tuple(r.Strides)
	found := slices.Clone(r.Strides)
	for i, want := range w.strides.want {
		if i < len(found) && r.Shape[i] == 1 && want != nil && !w.strict {
			found[i] = *want
		}
	}
	a.OK = w.strides.fits(found)
	return a
}

// contiguity answers --contiguous.
func (o *checkOptions) contiguity(r *inspectReport, t *source.Tensor) assertion {
	sense, c := o.want.contiguous.word, r.Contiguous
	a := assertion{Name: "contiguous", Expected: sense, Found: r.character()}
	to := strings.ToLower(strings.Join(r.Dims, ""))
	switch sense {
	case senseC:
		a.OK = c.C && (c.CStrict || !o.want.strict)
		if a.Why = c.WhyNot["c"].Reason; c.C && !a.OK {
			a.Why = c.WhyNot["c_strict"].Reason
		}
	case senseF:
		a.OK, a.Why, to = c.F, c.WhyNot["f"].Reason, "fortran"
	case senseLast:
		a.OK, a.Why, to = c.CL, c.WhyNot[sense].Reason, "nhwc"
	case senseLast3:
		a.OK, a.Why, to = c.CL3D, c.WhyNot[sense].Reason, "ndhwc"
	case senseDense:
		a.OK, a.Why = r.Packed || r.Numel == 0, r.spread()
	}
	if a.OK {
		a.Why = ""
	} else if len(r.Shape) > 0 && len(r.Dims[0]) == 1 && !(strings.HasPrefix(sense, senseLast) && len(to) != len(r.Shape)) {
		a.Hint = o.command(t, to)
	}
	return a
}
