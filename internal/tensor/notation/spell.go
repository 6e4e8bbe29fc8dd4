package notation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Spellings are one format's names in every framework; empty where a framework has none.
type Spellings struct {
	PyTorch   string
	OneDNN    []string
	TVM       string
	XLA       string
	TensorRT  []string
	MegEngine []string
	CuDNN     string
}

// Spell returns the format's names. Those that go by dims' letters exist only where the dims have them.
func (f Format) Spell() Spellings {
	f = f.withoutUnits()
	short, ok := f.Short()
	if !ok {
		return Spellings{XLA: f.xla(), OneDNN: f.oneDNN(), TensorRT: f.tensorRT(short)}
	}
	return Spellings{
		PyTorch:   pytorchNames[short],
		OneDNN:    f.oneDNN(),
		TVM:       f.tvm(),
		XLA:       f.xla(),
		TensorRT:  f.tensorRT(short),
		MegEngine: megEngineNames[short],
		CuDNN:     cuDNNNames[short],
	}
}

var pytorchNames = map[string]string{
	"NCHW": "contiguous_format", "NCDHW": "contiguous_format", "CHW": "contiguous_format", "HW": "contiguous_format",
	"OIHW": "contiguous_format", "OIDHW": "contiguous_format", "DHW": "contiguous_format", "BCHW": "contiguous_format",
	"NHWC": "channels_last", "NDHWC": "channels_last_3d", "OHWI": "channels_last", "BHWC": "channels_last",
}

var tensorRTNames = map[string][]string{
	"NCHW2c": {"kCHW2"}, "NCHW4c": {"kCHW4"}, "NCHW16c": {"kCHW16"}, "NCHW32c": {"kCHW32"}, "NCDHW32c": {"kCDHW32"},
	"NHWC": {"kHWC"}, "NHWC8c": {"kHWC8"}, "NHWC16c": {"kHWC16"}, "NDHWC": {"kDHWC"}, "NDHWC8c": {"kDHWC8"},
}

// tensorRT returns kLINEAR for row-major dims, whatever they are called.
func (f Format) tensorRT(short string) []string {
	if f.Explicit() == RowMajor(f.names).Explicit() {
		return []string{"kLINEAR"}
	}
	return tensorRTNames[short]
}

var megEngineNames = map[string][]string{
	"NCHW": {"NCHW"}, "NHWC": {"NHWC"}, "CHWN": {"CHWN"}, "NCHW4c": {"NCHW4", "NCHW44", "NCHW44_DOT"},
	"NCHW8c": {"NCHW8", "NCHW88"}, "NCHW32c": {"NCHW32"}, "NCHW64c": {"NCHW64"}, "CHWN4c": {"CHWN4"},
	"NHCW4c": {"NHWCD4"}, "OIHW4i4o": {"NCHW44 weight"}, "OIHW4o4i": {"NCHW44_DOT weight"}, "OIHW8i8o": {"NCHW88 weight"},
}

var cuDNNNames = map[string]string{
	"NCHW": "NCHW", "NHWC": "NHWC", "NCHW4c": "NC/4HW4 (NCHW_VECT_C)", "NCHW32c": "NC/32HW32 (NCHW_VECT_C)",
}

// withoutUnits drops axes that count one value only.
func (f Format) withoutUnits() Format {
	return Format{f.names, slices.DeleteFunc(slices.Clone(f.axes), func(a Axis) bool { return a.Extent == 1 })}
}

// oneDNN returns the tag by letters and the one by position. A tag lists all outer axes before all blocks, at most
// twelve dims; an upper-case letter says that the dim is blocked. (doc/advanced/understanding_memory_formats.md)
func (f Format) oneDNN() []string {
	blocked := slices.IndexFunc(f.axes, func(a Axis) bool { return a.Extent != 0 })
	if blocked >= 0 && slices.ContainsFunc(f.axes[blocked:], func(a Axis) bool { return a.Extent == 0 }) || f.Rank() > 12 || f.Rank() == 0 {
		return nil
	}
	positions := make([]string, f.Rank())
	for i := range positions {
		positions[i] = string(rune('a' + i))
	}
	if t := slices.Index(f.names, "T"); t >= 0 { // the dims of sequences are T,N,C here
		positions = append(append(slices.Clone(positions[1:t+1]), "a"), positions[t+1:]...)
	}
	if f.Positional() || !f.lettered() {
		return []string{f.tag(positions)}
	}
	return []string{f.tag(f.names), f.tag(positions)}
}

func (f Format) tag(names []string) string {
	var b strings.Builder
	for _, a := range f.axes {
		name := strings.ToLower(names[a.Dim])
		switch {
		case a.Extent != 0:
			fmt.Fprintf(&b, "%d%s", a.Extent, name)
		case a.Div != 1:
			b.WriteString(strings.ToUpper(name))
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}

// tvm returns TVM's string: the canonical name, if no dim is split twice and no block stands before its dim.
// (src/s_tir/data_layout.cc)
func (f Format) tvm() string {
	seen := map[int]int{}
	for _, a := range f.axes {
		if a.Extent != 0 && seen[a.Dim] != 1 {
			return ""
		}
		seen[a.Dim]++
	}
	return f.String()
}

// xla returns minor_to_major with a tile, where one tile can say it: all outer axes, then at most one block a dim, in
// the order of their dims.
func (f Format) xla() string {
	var outer []string
	place := map[int]int{}
	for k, a := range f.axes[:min(f.Rank(), len(f.axes))] {
		if a.Extent != 0 {
			return ""
		}
		outer, place[a.Dim] = append([]string{fmt.Sprint(a.Dim)}, outer...), k
	}
	blocks := f.axes[len(outer):]
	if len(blocks) == 0 {
		return "{" + strings.Join(outer, ",") + "}"
	}
	tile := make([]string, f.Rank())
	for i := range tile {
		tile[i] = "1"
	}
	last := -1
	for _, a := range blocks {
		if a.Extent == 0 || a.Div != 1 || place[a.Dim] <= last {
			return ""
		}
		last = place[a.Dim]
		tile[last] = fmt.Sprint(a.Extent)
	}
	return "{" + strings.Join(outer, ",") + ":T(" + strings.Join(tile[place[blocks[0].Dim]:], ",") + ")}"
}

var belowSize = regexp.MustCompile(`<[0-9]+`)

// CuTe prints a layout as CuTe writes it, padding included: a dim that ends inside a block counts whole blocks.
func CuTe(l tensor.Layout) string { return belowSize.ReplaceAllString(l.String(), "") }
