package main

import "github.com/tlayout/tlayout/internal/tensor"

// pytorchReport is what PyTorch answers to questions about the tensor; null where its strides are negative, which
// PyTorch does not have.
type pytorchReport struct {
	Contiguous       bool        `json:"is_contiguous"`
	ChannelsLast     bool        `json:"is_contiguous_channels_last"`
	Suggested        string      `json:"suggest_memory_format"`
	MakeContiguous   copyReport  `json:"contiguous"`
	MakeChannelsLast *copyReport `json:"contiguous_channels_last"`
	ToChannelsLast   *copyReport `json:"to_channels_last"`
	CloneStrides     []int       `json:"clone_strides"`
	DimOrder         []int       `json:"dim_order"`
	StorageElems     int         `json:"storage_elems"`
}

// copyReport is what a call returns: the tensor itself, or a copy of these strides.
type copyReport struct {
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
func (r *inspectReport) ask(s tensor.Strided) {
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
	p.MakeContiguous = copyReport(made)
	last := tensor.ChannelsLastFormat
	if s.Rank() == tensor.ChannelsLast3D.Rank() {
		last = tensor.ChannelsLast3D
	}
	if made, ok := s.Contiguous(last); ok {
		c := copyReport(made)
		p.MakeChannelsLast = &c
	}
	if made, ok := s.To(last); ok {
		c := copyReport(made)
		p.ToChannelsLast = &c
	}
	return p
}
