package inspect

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// pytorchReport is what PyTorch answers to questions about the tensor; null where its strides are negative, which
// PyTorch does not have.
type pytorchReport struct {
	Contiguous       bool        `json:"is_contiguous"`
	ChannelsLast     bool        `json:"is_contiguous_channels_last"`
	Suggested        string      `json:"suggest_memory_format"`
	MakeContiguous   CopyReport  `json:"contiguous"`
	MakeChannelsLast *CopyReport `json:"contiguous_channels_last"`
	ToChannelsLast   *CopyReport `json:"to_channels_last"`
	CloneStrides     []int       `json:"clone_strides"`
	DimOrder         []int       `json:"dim_order"`
	StorageElems     int         `json:"storage_elems"`
}

// CopyReport is what a call returns: the tensor itself, or a copy of these strides.
type CopyReport struct {
	Self    bool  `json:"self"`
	Strides []int `json:"strides"`
}

type numpyReport struct {
	CContiguous  bool  `json:"c_contiguous"`
	FContiguous  bool  `json:"f_contiguous"`
	ByteBounds   []int `json:"byte_bounds"`
	SavedFortran bool  `json:"saved_fortran_order"`
}

type onednnReport struct {
	StridesOK bool `json:"strides_ok"`
	Elems     int  `json:"size_elems"`
}

type megengineReport struct {
	Contiguous               bool  `json:"is_contiguous"`
	ContiguousAllowBroadcast bool  `json:"is_contiguous_allow_brdcst"`
	AbsMonotonous            bool  `json:"is_abs_monotonous_allow_brdcst"`
	NonOverlappingStrong     *bool `json:"is_non_overlapping_strong"`
	Span                     []int `json:"span"`
}

// ask puts every framework's questions to a tensor of one stride a dim.
func (r *Report) ask(s tensor.Strided) {
	low, high := s.ByteBounds(r.ItemSize)
	r.NumPy = &numpyReport{s.CContiguous().OK, s.FContiguous().OK, []int{low, high}, s.SavedFortran()}
	meg := &megengineReport{Contiguous: s.MegContiguous(), ContiguousAllowBroadcast: s.MegContiguousAllowBroadcast(),
		AbsMonotonous: s.MegAbsMonotonous()}
	low, high = s.MegSpan()
	meg.Span = []int{low, high}
	if strong, ok := s.MegNonOverlapping(); ok {
		meg.NonOverlappingStrong = &strong
	}
	r.MegEngine = meg
	if s.Negative() {
		return
	}
	suggested, dense := string(s.SuggestMemoryFormat()), s.NonOverlappingAndDense()
	r.Suggested, r.Dense = &suggested, &dense
	r.OneDNN = &onednnReport{s.OneDNNAccepts(), s.OneDNNElems()}
	r.PyTorch = newPyTorch(s)
}

func newPyTorch(s tensor.Strided) *pytorchReport {
	p := &pytorchReport{Contiguous: s.CContiguous().OK, ChannelsLast: s.ChannelsLast().OK || s.ChannelsLast3D().OK,
		Suggested: string(s.SuggestMemoryFormat()), CloneStrides: s.CloneStrides(), DimOrder: s.DimOrder(), StorageElems: s.StorageElems()}
	made, _ := s.Contiguous(tensor.ContiguousFormat)
	p.MakeContiguous = CopyReport(made)
	last := tensor.ChannelsLastFormat
	if s.Rank() == tensor.ChannelsLast3D.Rank() {
		last = tensor.ChannelsLast3D
	}
	if made, ok := s.Contiguous(last); ok {
		c := CopyReport(made)
		p.MakeChannelsLast = &c
	}
	if made, ok := s.To(last); ok {
		c := CopyReport(made)
		p.ToChannelsLast = &c
	}
	return p
}

type contiguityReport struct {
	C       bool              `json:"c"`
	F       bool              `json:"f"`
	CL      bool              `json:"channels_last"`
	CL3D    bool              `json:"channels_last_3d"`
	CStrict bool              `json:"c_strict"`
	WhyNot  map[string]whyNot `json:"why_not"`
}

// whyNot is the first stride that is not the packed one; null where the rank or a block says no already.
type whyNot struct {
	Dim      *string `json:"dim"`
	Expected *int    `json:"expected"`
	Found    *int    `json:"found"`
	Reason   string  `json:"reason"`
}

// newContiguity asks for every sense of contiguous.
func newContiguity(l tensor.Layout) contiguityReport {
	r := contiguityReport{WhyNot: map[string]whyNot{}}
	s, plain := l.Strided()
	senses := []struct {
		name string
		to   *bool
		ask  func(tensor.Strided) tensor.Verdict
		rank int
	}{
		{"c", &r.C, tensor.Strided.CContiguous, 0},
		{"f", &r.F, tensor.Strided.FContiguous, 0},
		{"channels_last", &r.CL, tensor.Strided.ChannelsLast, 4},
		{"channels_last_3d", &r.CL3D, tensor.Strided.ChannelsLast3D, 5},
		{"c_strict", &r.CStrict, tensor.Strided.StrictContiguous, 0},
	}
	for _, q := range senses {
		if !plain {
			r.WhyNot[q.name] = whyNot{Reason: "a dim is split into blocks"}
			continue
		}
		v := q.ask(s)
		switch *q.to = v.OK; {
		case v.OK:
		case v.Dim < 0:
			r.WhyNot[q.name] = whyNot{Reason: fmt.Sprintf("it exists for rank %d only", q.rank)}
		default:
			dim := l.Dim(v.Dim).Name
			r.WhyNot[q.name] = whyNot{&dim, &v.Expected, &v.Found,
				fmt.Sprintf("%s-stride is %d, expected %d", dim, v.Found, v.Expected)}
		}
	}
	return r
}

// namesReport is the layout's name in every framework; null or empty where it has none.
type namesReport struct {
	PyTorch   *string       `json:"pytorch"`
	OneDNN    []string      `json:"onednn"`
	TVM       *string       `json:"tvm"`
	XLA       *string       `json:"xla"`
	CuTe      string        `json:"cute"`
	TensorRT  []string      `json:"tensorrt"`
	MegEngine []string      `json:"megengine"`
	CuDNN     *string       `json:"cudnn"`
	DirectML  *directmlDesc `json:"directml"`
}

// directmlDesc is a DML_BUFFER_TENSOR_DESC: strides are null where the tensor is packed.
type directmlDesc struct {
	Sizes   []int `json:"sizes"`
	Strides []int `json:"strides"`
}

func newNames(t *source.Tensor) namesReport {
	n := namesReport{CuTe: notation.CuTe(t.Layout), OneDNN: []string{}, TensorRT: []string{}, MegEngine: []string{}}
	if t.HasFormat && t.Format.Packs(t.Layout) {
		s := framework.Spell(t.Format)
		n.PyTorch, n.TVM, n.XLA, n.CuDNN = words.OrNull(s.PyTorch), words.OrNull(s.TVM), words.OrNull(s.XLA), words.OrNull(s.CuDNN)
		n.OneDNN, n.TensorRT, n.MegEngine = words.OrEmpty(s.OneDNN), words.OrEmpty(s.TensorRT), words.OrEmpty(s.MegEngine)
	}
	s, plain := t.Layout.Strided()
	if _, ok := s.DirectMLBytes(8); plain && ok && s.Rank() <= framework.Of(framework.DirectML).MaxDims {
		sizes, strides := s.DirectMLDesc()
		if s.CContiguous().OK {
			strides = nil
		}
		n.DirectML = &directmlDesc{sizes, strides}
	}
	return n
}
