package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/tensor/trace"
	"github.com/tlayout/tlayout/internal/words"
)

// report is all that trace says. Its JSON names are a contract; strides and offsets count elements.
type report struct {
	Schema   string      `json:"schema"`
	Source   string      `json:"source"`
	Raw      []byte      `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	Rules    trace.Rules `json:"rules"`
	DType    string      `json:"dtype"`
	ItemSize int         `json:"itemsize"`
	Start    state       `json:"start"`
	Steps    []traceStep `json:"steps"`
	Notes    []string    `json:"notes"`
	Warnings []string    `json:"warnings"`

	states []trace.State // the start, and what each step has made
}

// state is the tensor before or after a step; all null after a refused one.
type state struct {
	Dims         []string    `json:"dims"` // names, empty for a dim without one
	Shape        []int       `json:"shape"`
	Strides      []int       `json:"strides"`
	StridesBytes []int       `json:"strides_bytes"` // null for PyTorch
	Offset       *int        `json:"offset"`
	Contiguous   *contiguity `json:"contiguous"`
	Values       []string    `json:"values"` // of the first elements, in logical order; null unless asked for
}

type contiguity struct {
	C              bool `json:"c"`
	F              bool `json:"f"`
	ChannelsLast   bool `json:"channels_last"`
	ChannelsLast3D bool `json:"channels_last_3d"`
}

type traceStep struct {
	Op string `json:"op"`
	state
	Kind   *trace.Kind `json:"kind"` // null for a refused step
	View   bool        `json:"view"`
	Copied int         `json:"bytes_copied"`
	Why    string      `json:"why"`
	Error  *traceError `json:"error"`

	why []string
}

// traceError is why a step is refused. Dims, expected and found are null where no two dims are in the way.
type traceError struct {
	Text     string `json:"text"` // the framework's own words
	Why      string `json:"why"`
	Dims     []int  `json:"dims"`
	Expected *int   `json:"expected"`
	Found    *int   `json:"found"`
	Hint     string `json:"hint"`
}

func newReport(t *source.Tensor, s trace.State, calls []trace.Call) (*report, error) {
	r := &report{
		Schema: "tlayout/trace/v1", Source: t.Source, Raw: words.RawBytes(t.Source), Rules: s.Rules, DType: t.DType.String(), ItemSize: s.ItemSize,
		Start: newTraceState(s), Steps: []traceStep{}, states: []trace.State{s},
		Notes: append([]string{}, t.Notes...), Warnings: append([]string{}, t.Warnings...),
	}
	for _, c := range calls {
		step, err := s.Apply(c)
		var refused *trace.Refusal
		if errors.As(err, &refused) {
			r.Steps = append(r.Steps, traceStep{Op: c.Text, Why: refused.Why, Error: newTraceError(refused)})
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		s = step.State
		r.states = append(r.states, s)
		r.Steps = append(r.Steps, traceStep{Op: c.Text, state: newTraceState(s), Kind: &step.Kind, View: step.Kind != trace.Copy,
			Copied: step.Copied, Why: strings.Join(step.Why, "; "), why: step.Why})
	}
	if s.Negative() {
		r.Notes = append(r.Notes, words.And(framework.WithoutNegative())+" refuse negative strides; copy() gives an array without them")
	}
	return r, nil
}

func newTraceState(s trace.State) state {
	st := state{Dims: append([]string{}, s.Names...), Shape: append([]int{}, s.Shape...), Strides: append([]int{}, s.Strides...), Offset: &s.Offset,
		Contiguous: &contiguity{s.CContiguous().OK, s.FContiguous().OK, s.ChannelsLast().OK, s.ChannelsLast3D().OK}}
	if s.Rules == trace.NumPy {
		st.StridesBytes = tensor.InBytes(s.Strides, s.ItemSize)
	}
	return st
}

func newTraceError(f *trace.Refusal) *traceError {
	e := &traceError{Text: f.Text, Why: f.Why, Dims: f.Dims, Hint: f.Hint}
	if f.Dims != nil {
		e.Expected, e.Found = &f.Expected, &f.Found
	}
	return e
}

// refused is the step that ended the chain; nil where all went well.
func (r *report) refused() *traceStep {
	if n := len(r.Steps); n > 0 && r.Steps[n-1].Error != nil {
		return &r.Steps[n-1]
	}
	return nil
}

// refusal is the error that the program ends with after a refused step. It must do alone, where nobody sees the table.
func (r *report) refusal() error {
	s := r.refused()
	if s == nil {
		return nil
	}
	why := strings.TrimSuffix(s.Error.Text, ".")
	switch {
	case s.Error.Dims != nil && s.Error.Why != "":
		why = s.Error.Why
	case s.Error.Why != "":
		why += "; " + s.Error.Why
	}
	e := fault.New(fault.Negative, "%s: %s", s.Op, why)
	e.Hint = s.Error.Hint
	return e
}

// csv has a row for the start and for each step.
func (r *report) csv() render.Table {
	t := render.Table{Header: strings.Split("step,op,shape,strides,offset,c,f,channels_last,channels_last_3d,kind,bytes_copied,why,error", ",")}
	add := func(op, kind, copied, why, refused string, s *state) {
		cells := []string{strconv.Itoa(len(t.Rows)), op, "", "", "", "", "", "", ""}
		if c := s.Contiguous; c != nil {
			cells = append(cells[:2], words.Ints(s.Shape, ", "), words.Ints(s.Strides, ", "), strconv.Itoa(*s.Offset),
				fmt.Sprint(c.C), fmt.Sprint(c.F), fmt.Sprint(c.ChannelsLast), fmt.Sprint(c.ChannelsLast3D))
		}
		t.Add(append(cells, kind, copied, why, refused)...)
	}
	add("start", "", "", "", "", &r.Start)
	for i := range r.Steps {
		switch s := &r.Steps[i]; {
		case s.Error != nil:
			add(s.Op, "", "", s.Why, s.Error.Text, &s.state)
		default:
			add(s.Op, string(*s.Kind), strconv.Itoa(s.Copied), s.Why, "", &s.state)
		}
	}
	return t
}
