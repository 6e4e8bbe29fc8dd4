package main

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
)

// shownFields is how many fields of a record a screen shows: more would bury the rest, and wrapping them takes time.
const shownFields = 32

// shownText is how many characters of a text a screen shows: more would bury the rest, and wrapping them takes time.
const shownText = 240

// shorten cuts text to what a screen shows.
func shorten(s string) string {
	if runes := []rune(s); len(runes) > shownText {
		return string(runes[:shownText]) + "…"
	}
	return s
}

// factTable lists what is said in a line each.
func (r screen) factTable() render.Table {
	t := render.Table{Title: "Facts", Header: []string{"fact", "value"}}
	if c := r.Container; c != nil {
		order := "C order"
		if c.FortranOrder {
			order = "Fortran order"
		}
		t.Add("file", fmt.Sprintf(".npy %s, %s, %s of data from byte %d%s", c.Version, order, formatBytes(c.DataBytes), c.DataOffset,
			c.memberReport.within()))
		if c.memberReport != nil {
			addMemberFacts(c.memberReport, &t, c, r.ItemSize)
		}
		t.Add("file shape", tensor.Tuple(r.FileShape)+", physical: one size for each axis of the file")
	}
	t.Add("dtype", fmt.Sprintf("%s, %s, %s", shorten(r.DType), shorten(fault.Quote(r.Descr)), byteOrderText(r)))
	for i, f := range r.Fields {
		if i == shownFields {
			t.Add("", fmt.Sprintf("… %d more fields; --json lists them all", len(r.Fields)-i))
			break
		}
		t.Add("", fmt.Sprintf("field %s: %s at byte %d", shorten(f.Name), shorten(f.DType), f.Offset))
	}
	t.Add("shape", strings.TrimSuffix(fmt.Sprintf("%s, logical: %s", tensor.Tuple(r.Shape), strings.Join(r.Dims, ", ")), ": "))
	if r.Layout != "" && len(r.Shape) > 0 {
		memory := r.Explicit + ", outermost first"
		switch {
		case r.LayoutAssumed && r.reversed():
			memory += fmt.Sprintf(": the file's axes, assumed to be %s (--layout names others), in reverse", strings.Join(r.Dims, ", "))
		case r.LayoutAssumed:
			memory += "; assumed by rank, --layout names another"
		}
		t.Add("memory order", memory)
	}
	t.Add("address", r.Formula)
	t.Add("elements", fmt.Sprintf("%d, %s", r.Numel, formatBytes(int64(r.NBytes))))
	t.Add("extent", r.extentText())
	t.Add("packed", yesNo(r.Packed))
	t.Add("padded", r.paddedText())
	t.Add("broadcast", r.broadcastText())
	t.Add("overlapping", r.overlapText())
	if r.DirectMLBytes != nil {
		t.Add("DirectML size", fmt.Sprintf("%d bytes (DMLCalcBufferTensorSize)", *r.DirectMLBytes))
	}
	for _, n := range r.Notes {
		t.Add("note", n)
	}
	return t
}

func byteOrderText(r screen) string {
	s := fmt.Sprintf("%d bytes per item", r.ItemSize)
	if r.ItemSize == 1 {
		s = "1 byte per item"
	}
	if r.ByteOrder != "none" {
		s += ", " + r.ByteOrder + "-endian"
	}
	return s
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (r screen) extentText() string {
	s := fmt.Sprintf("%d", r.Extent)
	if r.Span != nil {
		s += fmt.Sprintf(", offsets %d to %d of a storage of %d", r.Span[0], r.Span[1], r.Storage)
	}
	if r.Unique != nil && *r.Unique != r.Extent {
		s += fmt.Sprintf("; %d in use", *r.Unique)
	}
	return s
}

func (r *inspectReport) paddedText() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{orZero(r.Gaps), "between elements"}, {r.Leading, "before the first"}, {r.Trailing, "after the last"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	switch {
	case r.Gaps == nil:
		return "unknown: too many elements to count"
	case len(parts) == 0:
		return "no"
	case *r.Padded:
		return "yes: " + strings.Join(parts, ", ")
	}
	return "not inside: " + strings.Join(parts, ", ")
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func (r *inspectReport) broadcastText() string {
	if len(r.BroadcastDims) == 0 {
		return "no"
	}
	var names []string
	for _, i := range r.BroadcastDims {
		names = append(names, r.Dims[i])
	}
	return "along " + strings.Join(names, ", ") + ": its index does not move the address"
}

func (r *inspectReport) overlapText() string {
	switch {
	case r.Overlapping == "unknown":
		return fmt.Sprintf("unknown: more than %d elements to compare", r.OverlapLimit)
	case r.Overlapping == "yes" && r.Unique != nil:
		return fmt.Sprintf("yes: %d elements share %d addresses", r.Numel, *r.Unique)
	case r.Overlapping == "yes":
		return fmt.Sprintf("yes: %d elements in an extent of %d", r.Numel, r.Extent)
	}
	return "no"
}
