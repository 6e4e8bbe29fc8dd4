package inspect

import (
	"cmp"
	"fmt"

	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// contiguity is whether a tensor is contiguous, in each sense of the word.
type contiguity struct {
	C       bool              `json:"c"`                // C-contiguous: PyTorch's is_contiguous()
	F       bool              `json:"f"`                // Fortran-contiguous
	CL      bool              `json:"channels_last"`    // contiguous in PyTorch's channels_last
	CL3D    bool              `json:"channels_last_3d"` // contiguous in PyTorch's channels_last_3d
	CStrict bool              `json:"c_strict"`         // C-contiguous, with the strides of size-1 dims
	WhyNot  map[string]whyNot `json:"why_not"`          // first dim whose stride differs, of each sense that fails
}

// whyNot is the first stride that differs from the packed one. Dim is null if the rank or a block rules the sense out.
type whyNot struct {
	Dim      *string `json:"dim"`      // name of a dim
	Expected *int    `json:"expected"` // the stride it would need
	Found    *int    `json:"found"`    // the stride it has
	Reason   string  `json:"why"`      // the reason
}

func newContiguity(l tensor.Layout) contiguity {
	r := contiguity{WhyNot: map[string]whyNot{}}
	s, plain := l.Strided()
	senses := []struct {
		name   string
		ok     *bool
		decide func(tensor.Strided) tensor.Verdict
		rank   int // the only one that has this sense; 0 for any
	}{
		{"c", &r.C, tensor.Strided.CContiguous, 0},
		{"f", &r.F, tensor.Strided.FContiguous, 0},
		{string(tensor.ChannelsLastFormat), &r.CL, tensor.Strided.ChannelsLast, 4},
		{string(tensor.ChannelsLast3D), &r.CL3D, tensor.Strided.ChannelsLast3D, 5},
		{"c_strict", &r.CStrict, tensor.Strided.StrictContiguous, 0},
	}
	for _, sense := range senses {
		if !plain {
			r.WhyNot[sense.name] = whyNot{Reason: explain.NoStrides(l)}
			continue
		}
		v := sense.decide(s)
		*sense.ok = v.OK
		if !v.OK {
			r.WhyNot[sense.name] = newWhyNot(l, v, sense.rank)
		}
	}
	return r
}

// newWhyNot explains a verdict on a sense of contiguity, which may be defined for one rank only.
func newWhyNot(l tensor.Layout, v tensor.Verdict, rank int) whyNot {
	if v.Dim < 0 {
		return whyNot{Reason: fmt.Sprintf("defined for rank %d only", rank)}
	}
	dim := l.Dim(v.Dim).Name
	return whyNot{Dim: &dim, Expected: &v.Expected, Found: &v.Found, Reason: BrokenAt(l, v)}
}

// channelsLast reports whether the tensor is contiguous in the channels_last format of its rank.
func (c *contiguity) channelsLast() bool { return c.CL || c.CL3D }

// ignoresStrides reports whether the tensor is C-contiguous only if the strides of size-1 dims are ignored.
func (c *contiguity) ignoresStrides() bool { return c.C && !c.CStrict }

// BrokenAt is why a layout is not contiguous: the dim with another stride than expected, if one is.
func BrokenAt(l tensor.Layout, v tensor.Verdict) string {
	if why := explain.NoStrides(l); why != "" || v.OK {
		return why
	}
	return fmt.Sprintf("%s-stride is %d, expected %d", l.Dim(v.Dim).Name, v.Found, v.Expected)
}

// pytorch holds PyTorch's answers about the tensor; null for negative strides, which PyTorch lacks. Answers about a memory format are null if the
// rank has none of that name.
type pytorch struct {
	Contiguous     bool   `json:"is_contiguous"`                  // PyTorch's or MegEngine's is_contiguous()
	ChannelsLast   *bool  `json:"is_contiguous_channels_last"`    // PyTorch's is_contiguous(memory_format=torch.channels_last)
	ChannelsLast3D *bool  `json:"is_contiguous_channels_last_3d"` // PyTorch's is_contiguous(memory_format=torch.channels_last_3d)
	Suggested      string `json:"suggest_memory_format"`          // PyTorch's suggest_memory_format()
	Like           *bool  `json:"is_channels_last_strides_2d"`    // PyTorch's, in C++, behind suggest_memory_format
	Like3D         *bool  `json:"is_channels_last_strides_3d"`    // PyTorch's, in C++, behind suggest_memory_format
	// PyTorch's torch._prims_common.are_strides_like_channels_last, 1.13 to 2.10
	PrimsLike        *bool `json:"are_strides_like_channels_last"`
	MakeContiguous   Copy  `json:"make_contiguous"`       // what contiguous() returns
	MakeChannelsLast *Copy `json:"make_channels_last"`    // what contiguous(memory_format=torch.channels_last) returns
	MakeLast3D       *Copy `json:"make_channels_last_3d"` // what contiguous(memory_format=torch.channels_last_3d) returns
	ToChannelsLast   *Copy `json:"to_channels_last"`      // what to(memory_format=torch.channels_last) returns
	ToLast3D         *Copy `json:"to_channels_last_3d"`   // what to(memory_format=torch.channels_last_3d) returns
	CloneStrides     []int `json:"clone_strides"`         // strides of clone()
	DimOrder         []int `json:"dim_order"`             // PyTorch's dim_order(): indices of the dims, outermost first
	StorageElems     int   `json:"storage_elems"`         // size of the storage, padding included
}

// ContiguousLast is the result of contiguous for the channels_last format of the rank; nil for ranks without one.
func (p *pytorch) ContiguousLast() *Copy { return cmp.Or(p.MakeChannelsLast, p.MakeLast3D) }

// ToLast is the result of to for the channels_last format of the rank; nil for ranks without one.
func (p *pytorch) ToLast() *Copy { return cmp.Or(p.ToChannelsLast, p.ToLast3D) }

// suggestsLast reports whether suggest_memory_format, in C++, is a channels_last format.
func (p *pytorch) suggestsLast() bool { return p.Suggested != string(tensor.ContiguousFormat) }

// languagesDiffer reports whether PyTorch's Python, which traces for torch.compile, suggests another format than its C++.
func (p *pytorch) languagesDiffer() bool {
	if p == nil || p.PrimsLike == nil {
		return false
	}
	return *p.PrimsLike != p.suggestsLast()
}

// Copy is the result of a call: the tensor itself, or a copy with these strides.
type Copy struct {
	Self    bool  `json:"self"`    // the call returns the tensor itself
	Strides []int `json:"strides"` // step from one index of a dim to the next, in elements
}

type numpy struct {
	CContiguous  bool  `json:"c_contiguous"`        // NumPy's flags.c_contiguous
	FContiguous  bool  `json:"f_contiguous"`        // NumPy's flags.f_contiguous
	ByteBounds   []int `json:"byte_bounds"`         // NumPy's byte_bounds, relative to the first element, in bytes
	SavedFortran bool  `json:"saved_fortran_order"` // np.save writes Fortran order
}

type onednn struct {
	StridesOK bool `json:"strides_ok"`    // oneDNN accepts the strides
	Elems     int  `json:"storage_elems"` // size of the storage, padding included
}

type megengine struct {
	Contiguous               bool  `json:"is_contiguous"`                  // PyTorch's or MegEngine's is_contiguous()
	ContiguousAllowBroadcast bool  `json:"is_contiguous_allow_brdcst"`     // MegEngine's answer
	AbsMonotonous            bool  `json:"is_abs_monotonous_allow_brdcst"` // MegEngine's answer
	NonOverlappingStrong     *bool `json:"is_non_overlapping_strong"`      // MegEngine's answer
	Span                     []int `json:"relative_span"`                  // MegEngine's span, from the first element; its end is excluded
}

// addFrameworks adds the results of each framework's own functions.
func (r *Report) addFrameworks(s tensor.Strided) {
	low, high := s.ByteBounds(1)
	low = r.tensor.DType.ByteOf(low)
	high = int(r.tensor.DType.Size(int64(high)))
	r.NumPy = &numpy{CContiguous: s.CContiguous().OK, FContiguous: s.FContiguous().OK, ByteBounds: []int{low, high},
		SavedFortran: s.SavedFortran()}
	if framework.MegEngine.AcceptsRank(s.Rank()) {
		r.MegEngine = newMegEngine(s)
	}
	if framework.OneDNN.AcceptsRank(s.Rank()) && !s.Backwards() {
		r.OneDNN = &onednn{StridesOK: s.OneDNNAccepts(), Elems: s.OneDNNElems()}
	}
	if s.Negative() {
		return
	}
	suggested := string(s.SuggestMemoryFormat())
	dense := s.NonOverlappingAndDense()
	r.Suggested = &suggested
	r.Dense = &dense
	r.PyTorch = newPyTorch(s)
}

func newMegEngine(s tensor.Strided) *megengine {
	low, high := s.MegSpan()
	m := &megengine{Contiguous: s.MegContiguous(), ContiguousAllowBroadcast: s.MegContiguousAllowBroadcast(),
		AbsMonotonous: s.MegAbsMonotonous(), Span: []int{low, high}}
	if strong, ok := s.MegNonOverlapping(); ok {
		m.NonOverlappingStrong = &strong
	}
	return m
}

func newPyTorch(s tensor.Strided) *pytorch {
	p := &pytorch{Contiguous: s.CContiguous().OK, Suggested: string(s.SuggestMemoryFormat()), CloneStrides: s.CloneStrides(),
		DimOrder: s.DimOrder(), StorageElems: s.StorageElems()}
	contiguous, _ := s.Contiguous(tensor.ContiguousFormat)
	p.MakeContiguous = Copy(contiguous)
	switch s.Rank() {
	case tensor.ChannelsLastFormat.Rank():
		a := newFormatAnswers(s, tensor.ChannelsLastFormat)
		p.ChannelsLast = &a.contiguous
		p.Like = &a.like
		p.PrimsLike = &a.primsLike
		p.MakeChannelsLast = &a.contiguousCopy
		p.ToChannelsLast = &a.toCopy
	case tensor.ChannelsLast3D.Rank():
		a := newFormatAnswers(s, tensor.ChannelsLast3D)
		p.ChannelsLast3D = &a.contiguous
		p.Like3D = &a.like
		p.PrimsLike = &a.primsLike
		p.MakeLast3D = &a.contiguousCopy
		p.ToLast3D = &a.toCopy
	}
	return p
}

// formatAnswers are PyTorch's answers about a channels_last format that fits the rank.
type formatAnswers struct {
	contiguous      bool // is_contiguous
	like, primsLike bool // strides are like those of the format, in C++ and in Python
	contiguousCopy  Copy // what contiguous returns
	toCopy          Copy // what to returns
}

func newFormatAnswers(s tensor.Strided, f tensor.MemoryFormat) *formatAnswers {
	contiguous, _ := s.Contiguous(f)
	to, _ := s.To(f)
	return &formatAnswers{s.IsContiguous(f), s.LikeChannelsLast(f), s.PrimsLikeChannelsLast(f), Copy(contiguous), Copy(to)}
}

// channelsLastFormat returns the channels_last format for the rank.
func channelsLastFormat(rank int) tensor.MemoryFormat {
	if rank == tensor.ChannelsLast3D.Rank() {
		return tensor.ChannelsLast3D
	}
	return tensor.ChannelsLastFormat
}

// namingFrameworks have names for layouts, which inspect lists in this order. CuTe spells any layout, see namesFor.
var namingFrameworks = []*framework.Framework{
	framework.PyTorch, framework.OneDNN, framework.TVM, framework.MegEngine, framework.CuDNN, framework.XLA, framework.TensorRT,
}

// directmlDesc is a DML_BUFFER_TENSOR_DESC, with null strides for a packed tensor.
type directmlDesc struct {
	Sizes []int `json:"sizes"` // DirectML's Sizes
	// step from one index of a dim to the next, in elements
	Strides []int `json:"strides" jsonschema:"null for a packed tensor"`
}

// namesFor returns the names of the logical tensor, by framework; the array as stored has none.
func namesFor(o framework.Offer) map[string][]string {
	o.Stored = o.Layout
	all := map[string][]string{"cute": {notation.CuTe(o.Layout)}}
	for _, f := range namingFrameworks {
		all[f.Key()] = text.OrEmpty(f.NamesFor(o))
	}
	return all
}

// newDirectML returns the description of the logical tensor; nil if DirectML refuses it.
func newDirectML(o framework.Offer) *directmlDesc {
	o.Stored = o.Layout
	a := framework.DirectML.Accepts(o)
	if !a.OK || a.As != framework.Logical {
		return nil
	}
	s, _ := o.Layout.Strided()
	sizes, strides := s.DirectMLDesc()
	if s.CContiguous().OK {
		strides = nil
	}
	return &directmlDesc{sizes, strides}
}
