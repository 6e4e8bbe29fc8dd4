package main

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/explain"
	"github.com/tlayout/tlayout/internal/tensor"
)

// explainWalks walks the senses of contiguous that have a meaning for the rank, each from the innermost dim out.
func (r *inspectReport) explainWalks(s tensor.Strided) []explained {
	walks := []explained{}
	if !s.Empty() {
		walks = append(walks, explainedWalk("C-contiguous?", explain.NewWalk(s, r.Dims, explain.Packed(s.Rank()))))
	}
	if order := explain.ChannelsLast(s.Rank()); order != nil {
		walks = append(walks, explainedWalk(r.lastFormat()+" contiguous?", explain.NewWalk(s, r.Dims, order)))
	}
	return walks
}

func explainedWalk(title string, w explain.Walk) explained {
	e := explained{Title: title + " " + yesNo(w.OK)}
	for _, step := range w.Steps {
		e.Lines = append(e.Lines, step.String())
	}
	if len(w.Steps) == 0 {
		e.Lines = []string{"a scalar is contiguous in every sense"}
	}
	return e
}

// explainPyTorch puts the three questions side by side, with the reason where they part, and says which of them each
// call asks.
func (r *inspectReport) explainPyTorch(s tensor.Strided) (e explained, asked bool) {
	p, format := r.PyTorch, r.lastFormat()
	if p == nil || explain.ChannelsLast(s.Rank()) == nil {
		return e, false
	}
	last := r.Contiguous.CL || r.Contiguous.CL3D
	e = explained{Title: "What PyTorch's three questions answer", Lines: []string{
		fmt.Sprintf("is_contiguous(): %s", yesNo(p.Contiguous)),
		fmt.Sprintf("is_contiguous(%s): %s", format, yesNo(last)),
		fmt.Sprintf("suggest_memory_format(): %s; %s", p.Suggested, explain.NewHint(s, r.Dims)),
	}}
	if why := r.suggestionText(); why != "" {
		e.Lines = append(e.Lines, "they differ: "+why)
	}
	return explained{e.Title, append(e.Lines,
		fmt.Sprintf(".contiguous(%s) asks the second: %s", format, p.MakeChannelsLast.text()),
		fmt.Sprintf(".to(memory_format=%s) asks the third: %s", format, p.ToChannelsLast.text()))}, true
}

func (c *copyReport) text() string {
	if c.Self {
		return "it returns the tensor itself"
	}
	return "it returns a copy of strides " + tensor.Tuple(c.Strides)
}
