package framework

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/notation"
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
func Spell(f notation.Format) Spellings {
	f = f.WithoutUnits()
	short, ok := f.Short()
	if !ok {
		return Spellings{XLA: xla(f), OneDNN: oneDNN(f), TensorRT: tensorRT(f, short)}
	}
	return Spellings{
		PyTorch:   pytorchNames[short],
		OneDNN:    oneDNN(f),
		TVM:       tvm(f),
		XLA:       xla(f),
		TensorRT:  tensorRT(f, short),
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
func tensorRT(f notation.Format, short string) []string {
	if f.Explicit() == notation.RowMajor(f.Names()).Explicit() {
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

// oneDNN returns the tag by letters and the one by position. A tag lists all outer axes before all blocks, at most
// twelve dims; an upper-case letter says that the dim is blocked. (doc/advanced/understanding_memory_formats.md)
func oneDNN(f notation.Format) []string {
	blocked := slices.IndexFunc(f.Axes(), func(a notation.Axis) bool { return a.Extent != 0 })
	if blocked >= 0 && slices.ContainsFunc(f.Axes()[blocked:], func(a notation.Axis) bool { return a.Extent == 0 }) || f.Rank() > 12 || f.Rank() == 0 {
		return nil
	}
	positions := make([]string, f.Rank())
	for i := range positions {
		positions[i] = string(rune('a' + i))
	}
	if t := slices.Index(f.Names(), "T"); t >= 0 { // the dims of sequences are T,N,C here
		positions = append(append(slices.Clone(positions[1:t+1]), "a"), positions[t+1:]...)
	}
	if f.Positional() || !f.Lettered() {
		return []string{tag(f, positions)}
	}
	return []string{tag(f, f.Names()), tag(f, positions)}
}

func tag(f notation.Format, names []string) string {
	var b strings.Builder
	for _, a := range f.Axes() {
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
func tvm(f notation.Format) string {
	seen := map[int]int{}
	for _, a := range f.Axes() {
		if a.Extent != 0 && seen[a.Dim] != 1 {
			return ""
		}
		seen[a.Dim]++
	}
	return f.String()
}

// xla returns minor_to_major with a tile, where one tile can say it: all outer axes, then at most one block a dim, in
// the order of their dims.
func xla(f notation.Format) string {
	var outer []string
	place := map[int]int{}
	for k, a := range f.Axes()[:min(f.Rank(), len(f.Axes()))] {
		if a.Extent != 0 {
			return ""
		}
		outer, place[a.Dim] = append([]string{fmt.Sprint(a.Dim)}, outer...), k
	}
	blocks := f.Axes()[len(outer):]
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

// NamesIn are the names of the order in one of the frameworks; nil where it has none.
func NamesIn(f notation.Format, framework string) []string {
	s := Spell(f)
	switch framework {
	case PyTorch:
		return whole(s.PyTorch)
	case OneDNN:
		return s.OneDNN
	case MegEngine:
		return s.MegEngine
	case TVM:
		return whole(s.TVM)
	case XLA:
		return whole(s.XLA)
	case TensorRT:
		return s.TensorRT
	case CuDNN:
		return whole(s.CuDNN)
	case TensorFlow:
		return only(f, "NCHW", "NHWC", "NCDHW", "NDHWC", "HWIO")
	case MNN:
		if len(only(f, "CNHW4c")) > 0 {
			return []string{"C4NHW4"}
		}
	}
	return nil
}

// only is the canonical name, if it is one of these.
func only(f notation.Format, names ...string) []string {
	if short, _ := f.Short(); slices.Contains(names, short) {
		return []string{short}
	}
	return nil
}

// whole is a list of one name, or of none where there is none.
func whole(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}
