package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// compared are the layouts to measure: the tensor's own one and those that are named, or the well-known ones. Where
// neither a file nor a layout says how it lies, the first one named does.
func (j *benchJob) compared(t *source.Tensor) ([]bench.Layout, error) {
	o := j.options
	own, sizes, err := j.own(t)
	if err != nil {
		return nil, err
	}
	formats := o.layouts.formats
	var layouts []bench.Layout
	if len(formats) == 0 || o.source != "" || o.layout.layout != nil || o.strides.set || o.offset != 0 {
		layouts = append(layouts, own)
	}
	if len(formats) == 0 {
		formats = bench.DefaultLayouts(sizes.Names())
	}
	for _, f := range formats {
		f, ordered, err := sizesFor(f, sizes)
		if err != nil {
			return nil, err
		}
		l, err := f.Bind(ordered)
		if err != nil {
			return nil, err
		}
		name := formatName(f)
		if !slices.ContainsFunc(layouts, func(l bench.Layout) bool { return l.Name == name }) {
			layouts = append(layouts, bench.Layout{Name: name, Layout: l})
		}
	}
	return layouts, nil
}

// own is the tensor's layout, and any one that has the sizes that are measured. It goes by the name of its order where the
// order says all, and by "source" otherwise.
func (j *benchJob) own(t *source.Tensor) (own bench.Layout, sizes tensor.Layout, err error) {
	own, sizes = bench.Layout{Name: "source", Layout: t.Layout}, t.Layout
	if t.HasFormat && bound(t.Format, t.Layout).String() == t.Layout.String() {
		own.Name = formatName(t.Format)
	}
	if !j.options.quick {
		return own, sizes, nil
	}
	if own.Name != "source" {
		sizes = j.fewerImages(t)
		own.Layout = bound(t.Format, sizes)
	}
	if most := quickMost(t); sizes.Numel() > 2*most {
		return own, sizes, fault.New(fault.Usage, "--quick takes less than 10 s for tensors of up to %d elements, this one has %d",
			most, sizes.Numel()).WithHint("without --quick, or with a smaller --shape of the same channels")
	}
	return own, sizes, nil
}

// bound is the packed layout of a tensor's own format. It must exist: the tensor has it.
func bound(f notation.Format, l tensor.Layout) tensor.Layout {
	f, sizes, err := sizesFor(f, l)
	must(err)
	packed, err := f.Bind(sizes)
	must(err)
	return packed
}

// The largest tensor that --quick measures whole.
const (
	quickBytes = 12 << 20
	quickElems = quickBytes / 4
)

// quickMost is how many elements --quick measures.
func quickMost(t *source.Tensor) int { return min(quickElems, quickBytes/max(1, t.DType.ItemSize())) }

// fewerImages is the tensor row by row, with as much of its batch as --quick has time for.
func (j *benchJob) fewerImages(t *source.Tensor) tensor.Layout {
	names, shape := t.Layout.Names(), t.Layout.Shape()
	most := quickMost(t)
	if at := slices.Index(names, "N"); at >= 0 && t.Layout.Numel() > most && shape[at] > 1 {
		all := shape[at]
		shape[at] = max(1, most/(t.Layout.Numel()/all))
		j.notes = append(j.notes, fmt.Sprintf("--quick measures %d of the %d images", shape[at], all))
	}
	smaller, err := notation.RowMajor(names).Bind(shape)
	must(err)
	return smaller
}

// formatName is how the report names an order: nhwc, nchw16c.
func formatName(f notation.Format) string {
	if name, ok := f.Short(); ok {
		return strings.ToLower(name)
	}
	return strings.ToLower(f.String())
}
