package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// spellings are the names by framework: those of every candidate where strides cannot tell, none where there are gaps.
func (r *formatsReport) spellings() map[string][]string {
	all := map[string][]string{}
	if !r.Packed {
		return all
	}
	formats := []notation.Format{r.format}
	if len(r.Candidates) > 1 {
		formats = nil
		for _, c := range r.Candidates {
			if l, err := notation.Parse(c.Layout); err == nil && l.Own == notation.NotOwn {
				formats = append(formats, l.Format)
			}
		}
	}
	for _, f := range formats {
		s := f.Spell()
		for framework, names := range map[string][]string{"PyTorch": nonEmpty(s.PyTorch), "oneDNN": s.OneDNN,
			"TVM": nonEmpty(s.TVM), "XLA": nonEmpty(s.XLA), "TensorRT": s.TensorRT, "MegEngine": s.MegEngine, "cuDNN": nonEmpty(s.CuDNN),
			"TensorFlow": tensorFlowName(f), "MNN": mnnName(f), "Ascend": ascendName(f)} {
			all[framework] = append(all[framework], names...)
		}
	}
	if strings.HasPrefix(r.Asked, "{") && len(all["XLA"]) == 0 {
		all["XLA"] = []string{r.Asked}
	}
	return all
}

// tensorFlowName is the data_format, or HWIO for filters, which TensorFlow does not name.
func tensorFlowName(f notation.Format) []string {
	if short, _ := f.Short(); slices.Contains([]string{"NCHW", "NHWC", "NCDHW", "NDHWC", "HWIO"}, short) {
		return []string{short}
	}
	return nil
}

// mnnName is how MNN's own tensors are called, NC4HW4 in its documents.
func mnnName(f notation.Format) []string {
	if short, _ := f.Short(); short == "CNHW4c" {
		return []string{"C4NHW4"}
	}
	return nil
}

// ascendName is NC1HWC0, whose C0 is the block.
func ascendName(f notation.Format) []string {
	if f.Rank() == 0 {
		return nil
	}
	inner := f.Axes()[len(f.Axes())-1].Extent
	if short, _ := f.Short(); inner > 1 && short == fmt.Sprintf("NCHW%dc", inner) {
		return []string{fmt.Sprintf("NC1HWC0 of C0 = %d", inner)}
	}
	return nil
}

// takes reports whether a framework can be given the layout: by name, by strides, or as a tensor of its physical shape.
func (r *formatsReport) takes(f notation.Framework, named bool) bool {
	var s tensor.Strided
	strided := !r.blocked
	if r.layout != nil {
		s, strided = r.layout.Strided()
	}
	negative := strided && s.Negative()
	switch f.Name {
	case "NumPy":
		return strided || r.Packed
	case "CuTe":
		return r.layout != nil
	case "PyTorch":
		return !negative && (strided || r.Packed)
	case "DirectML":
		return r.layout == nil || r.directMLShape() != nil
	case "oneDNN":
		return named || strided && !negative && s.OneDNNAccepts()
	case "cuDNN":
		return named || strided && !negative && len(r.Dims) >= 3 && len(r.Dims) <= 8
	}
	return named
}
