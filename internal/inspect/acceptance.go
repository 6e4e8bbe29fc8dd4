package inspect

import (
	"slices"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Acceptance is whether a framework accepts the tensor without a copy.
type Acceptance struct {
	// yes, no or unknown
	Answer tensor.Answer `json:"result" jsonschema:"unknown if it depends on an assumed axis order, or if no one has checked the type"`
	OK     bool          `json:"ok"` // it holds or is accepted
	// the reason
	Why string `json:"why" jsonschema:"reason of a no, or condition of a yes"`

	Assumes bool `json:"-"` // the answer depends on the assumed axis order

	brief []string // clauses of Why for the first screen
	sizes bool     // a no that a row-major tensor of these sizes would get too
}

// onFirstScreen reports whether the first screen has the answer: a refusal only if it is of the layout or the type. That a row-major copy would be
// refused too, for its number of dims or because its rows are not a multiple of 16 bytes, is for --all.
func (a Acceptance) onFirstScreen() bool { return a.OK || !a.sizes }

// AsStored reports whether the framework accepts the array as stored, a different view from the tensor.
func (a Acceptance) AsStored() bool {
	return a.OK && len(a.brief) > 0 && a.brief[0] == framework.AsStored
}

// consumer is a framework that may accept a tensor, with its JSON name.
type consumer struct {
	Key string
	*framework.Framework
}

// Consumers are the frameworks of Report.AcceptedBy, in display order.
var Consumers = newConsumers()

func newConsumers() []consumer {
	var all []consumer
	for _, f := range framework.Accepting() {
		all = append(all, consumer{f.Key(), f})
	}
	return all
}

// NewOffer describes a tensor for the frameworks: its given order, and the orders that match its strides.
func NewOffer(t *source.Tensor, overlapping tensor.Answer) framework.Offer {
	l := t.Layout
	o := framework.Offer{Layout: l, Stored: l, Overlapping: overlapping, DType: t.DType, Header: t.Header.Chars,
		Copy: text.Bytes(t.DType.Size(int64(l.Numel())))}
	if t.FileShape != nil {
		if stored, err := t.FileLayout(); err == nil {
			o.Stored = stored
		}
	}
	add := func(f notation.Format) {
		same := func(g notation.Format) bool { return g.Explicit() == f.Explicit() }
		if f.Packs(l) && !slices.ContainsFunc(o.Orders, same) {
			o.Orders = append(o.Orders, f)
		}
	}
	if t.HasFormat {
		o.Order = &t.Format
		add(t.Format)
	}
	if l.Numel() == 0 && !t.HasFormat { // an empty tensor is packed in every order
		return o
	}
	if s, plain := l.Strided(); plain {
		for _, c := range s.Infer(l.Names(), source.KnownOrders(l.Names())).Candidates {
			add(notation.Order(l.Names(), c.Order))
		}
		if s.CContiguous().OK {
			add(notation.RowMajor(l.Names()))
		}
	}
	return o
}

// acceptor asks frameworks whether they accept a tensor without a copy. If the axes are unnamed, it offers the tensor in every axis order.
type acceptor struct {
	tensor *source.Tensor
	offer  framework.Offer
	others func() []framework.Offer // one per axis order
}

func newAcceptor(t *source.Tensor, overlapping tensor.Answer) acceptor {
	return acceptor{t, NewOffer(t, overlapping), sync.OnceValue(func() (all []framework.Offer) {
		for _, u := range Readings(t) {
			all = append(all, NewOffer(u, overlapping))
		}
		return all
	})}
}

func (a acceptor) ask(c consumer) Acceptance {
	answer := c.Accepts(a.offer)
	assumes := a.assumes(c, answer.OK)
	result := answer.Result()
	if assumes {
		result = tensor.Unknown
		answer = answer.And("if " + notation.JoinDims(a.tensor.Layout.Names()) + ", as assumed")
	}
	if why := awayFrom(c.Key, a.tensor.Device); why != "" {
		return Acceptance{Answer: tensor.No, Why: why, brief: []string{why}}
	}
	sizes := !answer.OK && c.RefusesSizes(a.offer)
	return Acceptance{Answer: result, OK: answer.OK, Why: answer.Why, brief: answer.Brief, Assumes: assumes, sizes: sizes}
}

// inCPUMemory are the frameworks whose arrays are in the memory of the CPU only: PyTorch's numpy() refuses a tensor of a GPU ("can't convert cuda:0
// device type tensor to numpy", torch/csrc/utils/tensor_numpy.cpp), and safetensors copies one to the CPU (_tobytes in safetensors/torch.py).
var inCPUMemory = []string{"numpy", "safetensors"}

// awayFrom returns why a framework cannot read the memory of a device; empty if nothing is known against it.
func awayFrom(framework, device string) string {
	kind, _, _ := strings.Cut(device, ":")
	switch kind {
	case "", "cpu":
		return ""
	case "meta":
		if framework == "pytorch" {
			return ""
		}
		return "the tensor is on meta: it has no memory"
	}
	if slices.Contains(inCPUMemory, framework) {
		return "the tensor is on " + device + ", not in the CPU's memory"
	}
	return ""
}

// assumes reports whether a framework's answer depends on the assumed axis order.
func (a acceptor) assumes(c consumer, accepted bool) bool {
	if a.tensor.Known() {
		return false
	}
	sameForAll := accepted || c.Pitch > 0 // of a row-major array
	if sameForAll && rowMajor(a.offer.Stored) {
		return false
	}
	return slices.ContainsFunc(a.others(), func(o framework.Offer) bool { return c.Accepts(o).OK != accepted })
}

// addAcceptance adds the frameworks that accept the tensor without a copy, and their names for it.
func (r *Report) addAcceptance(t *source.Tensor) {
	a := newAcceptor(t, tensor.Answer(r.Overlapping))
	r.Names = namesFor(a.offer)
	r.DirectML = newDirectML(a.offer)
	r.AcceptedBy = map[string]Acceptance{}
	for _, c := range Consumers {
		r.AcceptedBy[c.Key] = a.ask(c)
	}
}

// Accepts returns whether frameworks, by key, accept the tensor without a copy. AcceptedBy has all answers.
func (r *Report) Accepts(keys ...string) map[string]Acceptance {
	a := newAcceptor(r.tensor, tensor.Answer(r.Overlapping))
	all := map[string]Acceptance{}
	for _, c := range Consumers {
		if slices.Contains(keys, c.Key) {
			all[c.Key] = a.ask(c)
		}
	}
	return all
}

// rowMajor reports whether an array is C-contiguous. A framework that accepts such an array does so for any axis order: the axes are its own dims in
// its own order, TensorRT's kLINEAR and oneDNN's abcd. TMA refuses it so too: it has no names of axes.
func rowMajor(stored tensor.Layout) bool {
	s, plain := stored.Strided()
	return plain && s.CContiguous().OK
}

// Readings returns the tensors that a source with unnamed axes may be: one per axis order, for 2 to 5 axes; otherwise only the source.
func Readings(t *source.Tensor) []*source.Tensor {
	rank := t.Layout.Rank()
	if rank < 2 || rank > 5 {
		return []*source.Tensor{t}
	}
	var all []*source.Tensor
	for _, order := range ints.Permutations(rank) {
		if u, err := readAs(t, notation.Order(source.DimNames(rank), order)); err == nil {
			all = append(all, u)
		}
	}
	return all
}

// readAs returns the source with its axes in that order.
func readAs(t *source.Tensor, f notation.Format) (*source.Tensor, error) {
	if t.FileShape == nil {
		return source.Describe(source.Typed{Shape: t.Layout.Shape(), Offset: t.Layout.Offset(), DType: t.DType,
			Layout: &notation.Layout{Format: f}})
	}
	u := *t
	return &u, u.ReadAs(f)
}

// addHeader warns about a header that np.load refuses, and notes one written by Python 2.
func (r *Report) addHeader(t *source.Tensor) {
	if t.Header.Chars > framework.NumPy.MaxHeader {
		r.Warnings = append(r.Warnings, framework.NumPy.Accepts(NewOffer(t, tensor.Answer(r.Overlapping))).Why)
	}
	if t.Header.Python2 {
		r.Notes = append(r.Notes, "the header has Python 2 integers, such as 3L; np.load accepts it, with a warning since NumPy 1.25")
	}
}
