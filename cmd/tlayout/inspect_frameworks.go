package main

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

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
		s := t.Format.Spell()
		n.PyTorch, n.TVM, n.XLA, n.CuDNN = orNull(s.PyTorch), orNull(s.TVM), orNull(s.XLA), orNull(s.CuDNN)
		n.OneDNN, n.TensorRT, n.MegEngine = orEmpty(s.OneDNN), orEmpty(s.TensorRT), orEmpty(s.MegEngine)
	}
	s, plain := t.Layout.Strided()
	if _, ok := s.DirectMLBytes(8); plain && ok && s.Rank() <= notation.FrameworkOf(notation.DirectML).MaxDims {
		sizes, strides := s.DirectMLDesc()
		if s.CContiguous().OK {
			strides = nil
		}
		n.DirectML = &directmlDesc{sizes, strides}
	}
	return n
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
