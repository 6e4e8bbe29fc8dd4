package main

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// contiguityTable answers every sense of contiguous, and PyTorch's three questions, each with its reason.
func (r screen) contiguityTable() render.Table {
	t := render.Table{Title: "Contiguous?", Header: []string{"sense", "answer", "why"}}
	c := r.Contiguous
	add := func(label, key string, ok bool) { t.Add(label, yesNo(ok), c.WhyNot[key].Reason) }
	add("C (is_contiguous)", "c", c.C)
	add("F (Fortran)", "f", c.F)
	if len(r.Shape) == 4 {
		add("channels_last", "channels_last", c.CL)
	}
	if len(r.Shape) == 5 {
		add("channels_last_3d", "channels_last_3d", c.CL3D)
	}
	if c.C && !c.CStrict {
		ignored := "the stride of a size-1 dim, which frameworks ignore"
		if r.Numel == 0 {
			ignored = "frameworks ignore the strides of an empty tensor"
		}
		t.Add("C, strictly", "no", c.WhyNot["c_strict"].Reason+"; "+ignored)
	}
	p := r.PyTorch
	if p == nil {
		return t
	}
	t.Add("suggest_memory_format", p.Suggested, r.suggestionText())
	for _, q := range []struct {
		call string
		made *copyReport
	}{{".contiguous()", &p.MakeContiguous}, {".contiguous(" + r.lastFormat() + ")", p.MakeChannelsLast}, {".to(" + r.lastFormat() + ")", p.ToChannelsLast}} {
		switch {
		case q.made == nil:
		case q.made.Self:
			t.Add(q.call, "itself", "no data is moved")
		default:
			t.Add(q.call, "a copy", "of strides "+tensor.Tuple(q.made.Strides))
		}
	}
	return t
}

func (r *inspectReport) lastFormat() string {
	if len(r.Shape) == 5 {
		return "channels_last_3d"
	}
	return "channels_last"
}

// suggestionText explains a hint that differs from what contiguity says.
func (r *inspectReport) suggestionText() string {
	c, hint := r.Contiguous, r.PyTorch.Suggested
	last := c.CL || c.CL3D
	switch {
	case hint == "contiguous" && last && !c.C:
		return "the hint looks at size-1 strides too, is_contiguous does not"
	case hint == "contiguous" && last && c.C:
		return "both orders fit; the strides of size-1 dims decide"
	case hint != "contiguous" && last && c.C:
		return "both orders fit; the strides of size-1 dims decide"
	case hint != "contiguous" && !last:
		return "the order is that of channels_last, but there are gaps"
	}
	return ""
}

// nameTable lists the layout's name in every framework that has one.
func (r screen) nameTable() render.Table {
	t := render.Table{Title: "Names", Header: []string{"framework", "name"}}
	n := r.Names
	add := func(framework string, names ...string) {
		if s := strings.Join(names, ", "); s != "" {
			t.Add(framework, s)
		}
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	add("PyTorch", text(n.PyTorch))
	add("oneDNN", n.OneDNN...)
	add("TVM", text(n.TVM))
	add("XLA", text(n.XLA))
	add("CuTe", n.CuTe)
	add("TensorRT", n.TensorRT...)
	add("MegEngine", n.MegEngine...)
	add("cuDNN", text(n.CuDNN))
	if d := n.DirectML; d != nil {
		strides := "null"
		if d.Strides != nil {
			strides = braces(d.Strides)
		}
		add("DirectML", fmt.Sprintf("Sizes %s, Strides %s", braces(d.Sizes), strides))
	}
	return t
}

func braces(xs []int) string { return "{" + words.Ints(xs, ", ") + "}" }

// candidateTable lists the memory orders that the strides agree with.
func (r screen) candidateTable() render.Table {
	t := render.Table{Title: "Which layouts could this be?", Header: []string{"order", "why"}}
	for _, c := range r.Candidates {
		t.Add(c.Layout, c.Why)
	}
	return t
}
