package tracecmd

import (
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/gpu/cute"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// cuteReport is what trace --cute prints. Its JSON names are a contract; strides count elements.
type cuteReport struct {
	document.Head
	Rules string     `json:"rules"`
	Start cuteState  `json:"start"`
	Steps []cuteStep `json:"steps"`
}

// cuteState is the layout before or after a step; all null after a refused one.
type cuteState struct {
	Layout  *string     `json:"layout"`
	Shape   cute.Nested `json:"shape" jsonschema:"numbers and lists, nested like the layout"`
	Strides cute.Nested `json:"strides" jsonschema:"numbers and lists, nested like the layout"`
	Size    *int        `json:"size"`   // size of an axis, dim or layout
	Cosize  *int        `json:"cosize"` // CuTe's cosize: last offset + 1
	// offsets of the first coordinates, leftmost mode fastest, in elements
	Values []int `json:"indices" jsonschema:"null without --values"`

	layout cute.Layout
}

type cuteStep struct {
	Op string `json:"op"`
	cuteState
	Value *int         `json:"returned"` // the number that size, cosize or at returns
	Why   string       `json:"why"`      // the reason
	Error *cuteRefusal `json:"error"`

	reasons []string // that Why joins
}

type cuteRefusal struct {
	Condition string `json:"condition"` // the CuTe condition that is violated
	Text      string `json:"message"`
	Why       string `json:"why"` // the reason
	Hint      string `json:"hint"`
}

func newCuteReport(source string, c *cuteChain) (*cuteReport, error) {
	r := &cuteReport{Head: document.NewHead("tlayout/trace_cute/v1", name.Parse(source)), Rules: "cute", Steps: []cuteStep{}}
	r.Notes = []string{}
	if err := c.checkValues(); err != nil {
		return nil, err
	}
	var err error
	r.Start, err = c.state(c.start)
	if err != nil {
		return nil, err
	}
	for _, s := range c.steps {
		after, err := c.state(s.Layout)
		if err != nil {
			return nil, err
		}
		r.Steps = append(r.Steps, cuteStep{Op: s.Call.Text, cuteState: after, Value: s.Value, Why: strings.Join(s.Why, "; "), reasons: s.Why})
		for _, note := range s.Notes {
			r.Notes = append(r.Notes, s.Call.Name+": "+note)
		}
		for _, warning := range s.Warnings {
			r.Warnings = append(r.Warnings, s.Call.Name+": "+warning)
		}
	}
	if f := c.refusal; f != nil {
		r.Steps = append(r.Steps, cuteStep{Op: c.refused.Text, Why: f.Why, Error: &cuteRefusal{f.Condition, f.Text, f.Why, f.Hint}})
	}
	return r, nil
}

// state describes a layout, with its first indices if they were asked for.
func (c *cuteChain) state(l cute.Layout) (cuteState, error) {
	text := l.String()
	size := l.Size()
	cosize := l.Cosize()
	s := cuteState{Layout: &text, Shape: l.Shape(), Strides: l.Strides(), Size: &size, Cosize: &cosize, layout: l}
	if c.limit < 0 {
		return s, nil
	}
	s.Values = make([]int, c.printed(l))
	for i := range s.Values {
		at, err := l.At(i)
		if err != nil {
			return s, err
		}
		s.Values[i] = at
	}
	return s, nil
}

// printed returns the number of indices of a layout that --values prints.
func (c *cuteChain) printed(l cute.Layout) int {
	if c.limit < 0 {
		return 0
	}
	if c.limit == 0 {
		return l.Size()
	}
	return min(c.limit, l.Size())
}

func (c *cuteChain) checkValues() error {
	left := maxValues
	for _, l := range c.layouts() {
		if left -= min(c.printed(l), maxValues+1); left < 0 {
			return fault.New(fault.Usage, "--values prints at most %d values in total, but %s has %s", maxValues, l, text.Count(l.Size(), "element")).
				WithHint("--limit %d prints the first values of each layout", max(1, maxValues/(len(c.steps)+1)))
		}
	}
	return nil
}

func (c *cuteChain) layouts() []cute.Layout {
	all := []cute.Layout{c.start}
	for _, s := range c.steps {
		all = append(all, s.Layout)
	}
	return all
}

// Failed reports whether a step is refused.
func (r *cuteReport) Failed() bool { return r.Steps[len(r.Steps)-1].Error != nil }

// Rows returns a row for the start and for each step.
func (r *cuteReport) Rows() render.Table {
	type row struct {
		Step int `json:"step"`
		cuteStep
	}
	rows := []row{{0, cuteStep{Op: "start", cuteState: r.Start}}}
	for i, s := range r.Steps {
		rows = append(rows, row{i + 1, s})
	}
	return cli.TableOf("step,op,layout,size,cosize,returned,why,error=error_message,hint=error_hint", rows...)
}

// number returns a number's text; "" for nil.
func number(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}
