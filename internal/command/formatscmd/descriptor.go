package formatscmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/descriptor"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// addDescriptors adds the matrix descriptors of the layout, whose elements must have a known size.
func (r *report) addDescriptors(o *options) (err error) {
	if r.layout == nil {
		return fault.New(fault.Usage, "--descriptor needs the sizes of a tile").WithHint("add --shape %s", strings.Join(r.Dims, ","))
	}
	l := o.Layout.Layout
	typed := l != nil && l.Exact != nil && l.DType != ""
	if !typed && !r.typed {
		return fault.New(fault.Usage, "--descriptor needs the size of an element").
			WithHint("add --dtype float16, or write Sw<3,4,3> o smem_ptr[16b](unset) o (128,64):(64,1)")
	}
	if typed {
		if d, err := dtype.Parse(l.DType); err == nil && d.Bits() != r.dtype.Bits() {
			return fault.New(fault.Usage, "elements of %s have %d bits, those of %s %d", text.Quote(r.Asked), d.Bits(), r.DType, r.dtype.Bits())
		}
	}
	r.Descriptors, err = descriptor.Of(*r.layout, r.dtype.Bits())
	if err != nil {
		return err
	}
	for d, name := range r.Dims {
		if o := r.Descriptors[0]; name != o.MN && name != o.K && r.Shape[d] > 1 {
			r.Notes = append(r.Notes, fmt.Sprintf("the tile is the first of %d, at %s = 0", r.Shape[d], name))
		}
	}
	return nil
}

// descriptorAnswer returns which operand the layout is.
func (r *report) descriptorAnswer() string {
	k := r.Descriptors[0]
	mn := r.Descriptors[1]
	if k.OK && mn.OK {
		return fmt.Sprintf("%s canonical: K-major if %s is K, MN-major if %s is K", r.subject(), k.K, mn.K)
	}
	if k.OK {
		return fmt.Sprintf("%s canonical: K-major, K is %s", r.subject(), k.K)
	}
	if mn.OK {
		return fmt.Sprintf("%s canonical: MN-major, K is %s", r.subject(), mn.K)
	}
	return fmt.Sprintf("%s not canonical: %s", r.subject(), k.Why)
}

// pageDescriptors writes the fields of the descriptors, a column for each major dim, and the canonical layouts or the first difference.
func (r *report) pageDescriptors(p *cli.Page) {
	p.Answer(r.Answer)
	t := render.Table{Title: fmt.Sprintf("Matrix descriptors: %s elements, T = %d", r.DType, 128/r.dtype.Bits()), Header: []string{"field"}}
	for _, name := range []string{"M or N, K", "LBO", "SBO", "layout_type, SM90", "layout_type, SM100", "descriptor, SM90", "descriptor, SM100"} {
		t.Add(name)
	}
	var facts []cli.Fact
	for _, o := range r.Descriptors {
		if !o.OK {
			facts = append(facts, cli.Fact{Label: "not " + o.Major + "-major", Text: o.Why}, cli.Fact{Label: "nearest", Text: o.Canonical})
			continue
		}
		if o.Extent > 0 {
			o.Canonical += fmt.Sprintf(", for %d indices of %s", o.Extent, o.MN)
		}
		facts = append(facts, cli.Fact{Label: o.Major + "-major", Text: o.Canonical})
		t.Header = append(t.Header, o.Major+"-major")
		sm90 := cmp.Or(o.SM90, &descriptor.Value{})
		sm100 := o.SM100
		for i, cell := range []string{o.MN + ", " + o.K, offset(o, "lbo", o.LBO), offset(o, "sbo", o.SBO),
			layoutType(sm90), layoutType(sm100), cmp.Or(sm90.Bits, "-"), sm100.Bits} {
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	if len(t.Header) > 1 {
		p.Section(t)
		facts = append(facts, cli.Fact{Label: "note", Text: "the address is 0: add (address & 0x3ffff) >> 4; so is the base offset: " +
			"patterns of 32B, 64B and 128B start at multiples of 256, 512 and 1024 bytes"})
	}
	p.Facts(facts...)
	p.Notes(r.Notes)
}

func layoutType(v *descriptor.Value) string {
	if v.Name == "" {
		return "-"
	}
	return fmt.Sprintf("%d %s", v.Code, v.Name)
}

func offset(o descriptor.Operand, name string, bytes int) string {
	s := fmt.Sprintf("%d B, encoded %d", bytes, bytes/16)
	if slices.Contains(o.Unused, name) {
		s += ", unused"
	}
	return s
}
