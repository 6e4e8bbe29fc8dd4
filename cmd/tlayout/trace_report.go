package main

import (
	"errors"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/trace"
	"github.com/tlayout/tlayout/internal/words"
)

// traceReport is all that trace says. Its JSON names are a contract; strides and offsets count elements.
type traceReport struct {
	Schema   string      `json:"schema"`
	Source   string      `json:"source"`
	Raw      []byte      `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	Rules    trace.Rules `json:"rules"`
	DType    string      `json:"dtype"`
	ItemSize int         `json:"itemsize"`
	Start    traceState  `json:"start"`
	Steps    []traceStep `json:"steps"`
	Notes    []string    `json:"notes"`
	Warnings []string    `json:"warnings"`

	states []trace.State // the start, and what each step has made
}

// traceState is the tensor before or after a step; all null after a refused one.
type traceState struct {
	Dims         []string         `json:"dims"` // names, empty for a dim without one
	Shape        []int            `json:"shape"`
	Strides      []int            `json:"strides"`
	StridesBytes []int            `json:"strides_bytes"` // null for PyTorch
	Offset       *int             `json:"offset"`
	Contiguous   *traceContiguity `json:"contiguous"`
	Values       []string         `json:"values"` // of the first elements, in logical order; null unless asked for
}

type traceContiguity struct {
	C              bool `json:"c"`
	F              bool `json:"f"`
	ChannelsLast   bool `json:"channels_last"`
	ChannelsLast3D bool `json:"channels_last_3d"`
}

type traceStep struct {
	Op string `json:"op"`
	traceState
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

func newTraceReport(t *source.Tensor, s trace.State, calls []trace.Call) (*traceReport, error) {
	r := &traceReport{
		Schema: "tlayout/trace/v1", Source: t.Source, Raw: rawBytes(t.Source), Rules: s.Rules, DType: t.DType.String(), ItemSize: s.ItemSize,
		Start: newTraceState(s), Steps: []traceStep{}, states: []trace.State{s},
		Notes: append([]string{}, t.Notes...), Warnings: warningsOf(t),
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
		r.Steps = append(r.Steps, traceStep{Op: c.Text, traceState: newTraceState(s), Kind: &step.Kind, View: step.Kind != trace.Copy,
			Copied: step.Copied, Why: strings.Join(step.Why, "; "), why: step.Why})
	}
	if s.Negative() {
		r.Notes = append(r.Notes, words.And(notation.WithoutNegative())+" refuse negative strides; copy() gives an array without them")
	}
	return r, nil
}

func newTraceState(s trace.State) traceState {
	st := traceState{Dims: append([]string{}, s.Names...), Shape: append([]int{}, s.Shape...), Strides: append([]int{}, s.Strides...), Offset: &s.Offset,
		Contiguous: &traceContiguity{s.CContiguous().OK, s.FContiguous().OK, s.ChannelsLast().OK, s.ChannelsLast3D().OK}}
	if s.Rules == trace.NumPy {
		st.StridesBytes = eachInBytes(s.Strides, s.ItemSize)
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
func (r *traceReport) refused() *traceStep {
	if n := len(r.Steps); n > 0 && r.Steps[n-1].Error != nil {
		return &r.Steps[n-1]
	}
	return nil
}

// refusal is the error that the program ends with after a refused step. It must do alone, where nobody sees the table.
func (r *traceReport) refusal() error {
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
