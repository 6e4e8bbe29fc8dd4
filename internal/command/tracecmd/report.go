package tracecmd

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{
	{Schema: schema, Prints: "trace", Type: reflect.TypeFor[report]()},
	{Schema: "tlayout/trace_cute/v1", Prints: "trace --cute", Type: reflect.TypeFor[cuteReport]()},
}

const schema = "tlayout/trace/v1"

// report is what trace prints. Its JSON names are a contract; strides and offsets count elements.
type report struct {
	document.Head
	Rules    trace.Rules `json:"rules"`    // pytorch, numpy or cute
	DType    string      `json:"dtype"`    // element type: float32
	ItemSize int         `json:"itemsize"` // size of an element, in bytes; 0 if several share a byte
	Start    state       `json:"start"`    // the tensor before the first step
	// call that made the tensor before the first step: torch.zeros(2, 3)
	Made  string `json:"made_by" jsonschema:"empty if the tensor is a source's"`
	Steps []step `json:"steps"`
	// value of a last statement that is not a step, as Python prints it: (60, 20, 5, 1); a tensor in words
	Value string `json:"last_value" jsonschema:"empty if the last step is the answer"`

	asked string // the step that has the value
	other bool   // the refused step is of another tensor than the result of the step before it
}

// state is the tensor before or after a step; all null after a refused one.
type state struct {
	Dims         []string `json:"dims" jsonschema:"null after a refused step; empty names of dims without one"`
	Shape        []int    `json:"shape" jsonschema:"null after a refused step"`
	Strides      []int    `json:"strides" jsonschema:"null after a refused step"`
	StridesBytes []int    `json:"strides_bytes" jsonschema:"null for PyTorch, and after a refused step"`
	Offset       *int     `json:"storage_offset"`
	// element type: float32
	DType *string `json:"dtype" jsonschema:"null after a refused step"`
	// size of an element, in bytes; 0 if several share a byte
	ItemSize   *int        `json:"itemsize" jsonschema:"bytes per element; null after a refused step"`
	Contiguous *contiguity `json:"contiguous"`
	// first elements, in logical order
	Values []string `json:"values" jsonschema:"null without --values, and once a step computes values"`
}

type contiguity struct {
	C              bool `json:"c"`
	F              bool `json:"f"`
	ChannelsLast   bool `json:"channels_last"`
	ChannelsLast3D bool `json:"channels_last_3d"`
}

type step struct {
	Op string `json:"op"` // the step
	state
	Kind   *trace.Kind `json:"kind" jsonschema:"null for a refused step"`
	View   bool        `json:"view"`         // the result is a view
	Copied int         `json:"bytes_copied"` // data that the step copies, in bytes
	Why    string      `json:"why"`          // the reason
	Error  *refusal    `json:"error"`
	// the result is not known, and no step after it is
	Unknown bool `json:"result_unknown"`

	equations []string // that Why joins
	reason    string   // of a copy
	of        int      // how many tensors the call returned; 0 for one
}

// refusal is the reason of a refused step. Dims, expected and found are null unless two dims cannot be merged.
type refusal struct {
	Text string `json:"message"`
	Why  string `json:"why"` // the reason
	// indices of the dims that cannot be merged
	Dims     []int  `json:"dim_indices" jsonschema:"null unless two dims cannot be merged"`
	Expected *int   `json:"expected"`
	Found    *int   `json:"found"`
	Hint     string `json:"hint"`

	brief, rest string // the parts of Why, if two dims cannot be merged
}

// newReport returns the report on a chain of steps; t is nil if they make their own tensor.
func newReport(t *source.Tensor, c *chain) *report {
	r := &report{
		Head: document.NewHead(schema, name.Name{}), Rules: c.start.Rules, DType: c.start.DType.String(), ItemSize: c.start.ItemSize,
		Start: newState(c.start, c.start.Rules), Made: c.made, Steps: []step{}, Value: c.Value, asked: c.Asked,
	}
	if t != nil {
		r.Head = t.Head(schema)
	}
	if c.Loaded != "" {
		r.Notes = append(r.Notes, "what "+c.Loaded+" loads is not known: it is followed as the tensor")
	}
	last := c.start
	for _, s := range c.Steps {
		last = s.State
		r.Steps = append(r.Steps, step{Op: s.Call.Text, state: newState(last, c.start.Rules), Kind: &s.Kind, View: s.Kind == trace.View || s.Kind == trace.Self,
			Copied: s.Copied, Why: strings.Join(s.Why, "; "), equations: s.Why, reason: s.Reason, of: s.Parts})
	}
	states := r.states()
	for i, values := range c.values {
		states[i].Values = values
	}
	if c.values != nil && !last.Storage.HasOrigin() {
		r.Notes = append(r.Notes, "values are printed up to the first step that computes new ones")
	}
	r.other = c.Other
	if c.Refusal != nil {
		r.Steps = append(r.Steps, step{Op: c.Last.Text, Why: c.Refusal.Why, Error: newRefusal(c.Refusal)})
		return r
	}
	if c.Stop != nil {
		r.Steps = append(r.Steps, step{Op: c.Last.Text, Why: c.Stop.Why, Unknown: true})
		return r
	}
	if shared := inspect.SharedWarning(last.Strided, last.ItemSize); shared != "" {
		r.Warnings = append(r.Warnings, shared)
	}
	if last.Negative() {
		r.Notes = append(r.Notes, text.And(framework.WithoutNegative())+" refuse negative strides; copy() returns an array without them")
	}
	return r
}

func newState(s trace.State, rules trace.Rules) state {
	dtype := s.DType.String()
	st := state{
		Dims: append([]string{}, s.Names...), Shape: append([]int{}, s.Shape...), Strides: append([]int{}, s.Strides...),
		Offset: &s.Offset, DType: &dtype, ItemSize: &s.ItemSize, Contiguous: &contiguity{C: s.CContiguous().OK, F: s.FContiguous().OK,
			ChannelsLast: s.ChannelsLast().OK, ChannelsLast3D: s.ChannelsLast3D().OK},
	}
	if rules == trace.NumPy {
		st.StridesBytes = tensor.InBytes(s.Strides, s.ItemSize)
	}
	return st
}

func newRefusal(f *trace.Refusal) *refusal {
	e := &refusal{Text: f.Text, Why: f.Why, Dims: f.Dims, Hint: f.Hint, brief: f.Brief, rest: f.Numbers}
	if f.Dims != nil {
		e.Expected = &f.Expected
		e.Found = &f.Found
	}
	return e
}

// states returns the start and the state after each step that is known.
func (r *report) states() []*state {
	all := []*state{&r.Start}
	for i := range r.known() {
		all = append(all, &r.Steps[i].state)
	}
	return all
}

// known returns the steps before one that is refused or unknown.
func (r *report) known() []step {
	n := len(r.Steps)
	if n > 0 && r.Steps[n-1].Kind == nil {
		n--
	}
	return r.Steps[:n]
}

// refused returns the refused step; nil if none is.
func (r *report) refused() *step {
	if n := len(r.Steps); n > 0 && r.Steps[n-1].Error != nil {
		return &r.Steps[n-1]
	}
	return nil
}

// unknown returns the step whose result is not known; nil if every result is.
func (r *report) unknown() *step {
	if n := len(r.Steps); n > 0 && r.Steps[n-1].Unknown {
		return &r.Steps[n-1]
	}
	return nil
}

// hasOffsets reports whether any offset is not 0.
func (r *report) hasOffsets() bool {
	return slices.ContainsFunc(r.states(), func(s *state) bool { return *s.Offset != 0 })
}

// changesDType reports whether a step returns another dtype.
func (r *report) changesDType() bool {
	return slices.ContainsFunc(r.states(), func(s *state) bool { return *s.DType != r.DType })
}

// Failed reports whether a step is refused, or its result is not known.
func (r *report) Failed() bool { return len(r.known()) < len(r.Steps) }

// failure returns the error that sets the exit code; nil if every result is known.
func (r *report) failure() error {
	if r.unknown() != nil {
		return fault.New(fault.Unsupported, "the result of a step is not known")
	}
	if r.refused() != nil {
		return errRefused
	}
	return nil
}

// first names the tensor before the first step.
func (r *report) first() string { return cmp.Or(r.Made, "start") }

// Rows returns a row for the start and for each step.
func (r *report) Rows() render.Table {
	type row struct {
		Step int `json:"step"`
		step
		Copied *int `json:"bytes_copied"`
	}
	rows := []row{{step: step{Op: r.first(), state: r.Start}}}
	for i, s := range r.Steps {
		next := row{i + 1, s, &s.Copied}
		if s.Kind == nil {
			next.Copied = nil
		}
		rows = append(rows, next)
	}
	return cli.TableOf("step,op,shape,strides,storage_offset,contiguous_c,contiguous_f,contiguous_channels_last,contiguous_channels_last_3d,"+
		"kind,bytes_copied,why,error=error_message,hint=error_hint,dtype", rows...)
}
