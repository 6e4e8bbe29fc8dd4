// Package inspect reports what is known about a tensor, as a struct with JSON tags, and about an archive of tensors.
//
//	report.go      Report: the dtype, shape, strides and storage of a tensor
//	frameworks.go  contiguity, and what each framework calls the layout and answers about it
//	acceptance.go  which frameworks accept the tensor without a copy, and whether that depends on the order of its axes
//	headline.go    a Report in one line; row.go among many
//	facts.go       all facts of a Report as sentences: facts_file.go of the file, facts_memory.go of the storage, facts_frameworks.go of who accepts it
//	values.go      Evidence: what the values say about an assumed order of axes
//	notes.go       what is easily misread
//	descriptor.go  what a oneDNN descriptor has to do with the layout
//	explain.go     where the facts come from: Derivation
//	quantized.go   Quantized: parts of blocks, and the first values
//	archive.go     Archive: what a .npz file holds
package inspect

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/relate/axes"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Report is everything that inspect reports about a tensor. Its JSON names are a contract; sizes without a unit in their name are in elements. Null
// means that a question does not apply to the tensor.
type Report struct {
	document.Head
	Container *Container `json:"container"`           // the file that holds the tensor
	DType     string     `json:"dtype"`               // element type: float32
	Descr     string     `json:"descr"`               // dtype as the .npy header spells it, <f4; empty for a type below a byte without a file
	ByteOrder string     `json:"byte_order"`          // little, big, or none for single bytes
	ItemSize  int        `json:"itemsize"`            // size of an element, in bytes; 0 if several share a byte
	Bits      int        `json:"item_bits,omitempty"` // size of an element that shares a byte with others, in bits
	Encoding  string     `json:"encoding,omitempty"`  // content of an opaque element: q4_0: 32 values in 18 bytes
	Fields    []field    `json:"fields,omitempty"`    // fields of a structured type
	// sizes of the stored axes, outermost first; of blocks in values, of packed values in words
	FileShape  []int    `json:"file_shape" jsonschema:"null without a file"`
	Dims       []string `json:"dims"`                  // names of the dims, in logical order
	Shape      []int    `json:"shape"`                 // sizes of the dims, in logical order; of blocks, in values
	BlockShape []int    `json:"block_shape,omitempty"` // sizes of a quantized tensor in blocks of values
	// the blocks of a quantized tensor
	Quantized *Quantized `json:"quantized,omitempty"`
	// step from one index of a dim to the next, in elements
	Strides []int `json:"strides" jsonschema:"null for a blocked layout, which digits describe"`
	// strides in bytes
	StridesBytes []int `json:"strides_bytes" jsonschema:"null for a blocked layout, and below a byte"`
	// offset of coordinate (0,…,0) in the storage, in elements; PyTorch's storage_offset()
	Offset int `json:"storage_offset"`
	Numel  int `json:"numel"`  // elements
	NBytes int `json:"nbytes"` // size of the data without padding, in bytes
	// memory order by name, outermost axis first: NHWC; shape:strides without a name
	Layout        string `json:"layout"`
	LayoutAssumed bool   `json:"layout_assumed"` // the order of axes is assumed from their number
	// source of the order of axes: none, assumed, strides, file name, header, layout.json or user
	LayoutFrom string `json:"layout_from"`
	LooksLike  string `json:"looks_like,omitempty"` // the order that the sizes suggest
	// values on an assumed axis order
	Evidence *Evidence `json:"evidence" jsonschema:"null if they say nothing"`
	Explicit string    `json:"memory_order"` // the axes written out, outermost first: N C//4 H W C%4
	// CuTe's XOR of offset bits
	Swizzle  *tensor.Swizzle `json:"swizzle" jsonschema:"null for almost all layouts"`
	Notation string          `json:"notation"` // shape:strides@offset, digits nested as in CuTe
	Formula  string          `json:"formula"`  // offset of an element, as a sum
	// digits of each dim, least significant first; each adds ((index div div) mod extent) · stride to the offset
	Digits map[string][]tensor.Digit `json:"digits"`
	// the array in the file: what np.load returns
	AsStored      *Stored    `json:"as_stored" jsonschema:"null without a file"`
	Contiguous    contiguity `json:"contiguous"`                  // contiguity in each sense
	Suggested     *string    `json:"suggested_memory_format"`     // what PyTorch's suggest_memory_format() answers
	Dense         *bool      `json:"non_overlapping_and_dense"`   // PyTorch's is_non_overlapping_and_dense()
	Packed        bool       `json:"packed"`                      // dense, in any order of dims: extent_elems = numel, without overlap
	Padded        *bool      `json:"padded"`                      // offsets within the extent hold no element
	BroadcastDims []int      `json:"broadcast_dims"`              // indices of the dims of stride 0 and size above 1
	Overlapping   string     `json:"overlapping"`                 // two elements share an offset
	OverlapLimit  int        `json:"overlapping_limit,omitempty"` // addresses listed to answer overlapping
	Extent        int        `json:"extent_elems"`                // first to last offset of an element, inclusive
	Unique        *int       `json:"unique_elems"`                // distinct offsets
	Gaps          *int       `json:"gap_elems"`                   // offsets within the extent without an element
	// lowest and highest offset of an element
	Span          []int       `json:"span" jsonschema:"null for an empty tensor"`
	Storage       int         `json:"storage_elems"`        // size of the storage, padding included
	Leading       int         `json:"leading_slack_elems"`  // storage before the first element
	Trailing      int         `json:"trailing_slack_elems"` // storage after the last element
	InBounds      bool        `json:"in_bounds"`            // all elements are inside the storage
	DirectMLBytes *int        `json:"directml_total_bytes"` // DirectML's TotalTensorSizeInBytes
	LDA           *int        `json:"lda"`                  // BLAS's leading dimension of a matrix
	LDAOrder      string      `json:"lda_order,omitempty"`  // the order that lda is for: row-major or column-major
	Candidates    []Candidate `json:"candidates"`           // memory orders that agree with the strides
	Ambiguous     bool        `json:"ambiguous"`            // strides cannot tell the memory order
	Ambiguity     string      `json:"ambiguity,omitempty"`  // why strides cannot tell the memory order
	OuterTags     []string    `json:"outer_strides_of"`     // oneDNN tags whose descriptors have these strides
	// the plain layout with the same order of blocks
	Unblocked  *unblocked            `json:"unblocked" jsonschema:"null without blocks"`
	Names      map[string][]string   `json:"names"`             // the layout's names in each framework; empty if it has none
	PyTorch    *pytorch              `json:"pytorch"`           // PyTorch's answers
	NumPy      *numpy                `json:"numpy"`             // NumPy's answers
	OneDNN     *onednn               `json:"onednn"`            // oneDNN's answers
	MegEngine  *megengine            `json:"megengine"`         // MegEngine's answers
	DirectML   *directmlDesc         `json:"directml"`          // a DML_BUFFER_TENSOR_DESC
	AcceptedBy map[string]Acceptance `json:"accepted_by"`       // each framework accepts the tensor without a copy
	Explain    []Derivation          `json:"explain,omitempty"` // derivation, with --explain

	images *axes.Images   // nil unless sampled
	tensor *source.Tensor // may be closed: only its layout, format and names are read later
}

// Container is the file that holds the tensor.
type Container struct {
	Format         string              `json:"format"`         // format of a file: npy, npz, raw, torch, safetensors, gguf, onnx, pt2, zarr, tflite, ptd, nifti, nrrd, idx
	Version        string              `json:"version"`        // version of tlayout, or of the .npy format
	FortranOrder   bool                `json:"fortran_order"`  // the header's fortran_order
	DataOffset     int64               `json:"data_offset"`    // offset of the data in the file, 0 if in_pickle, in bytes
	DataBytes      int64               `json:"data_bytes"`     // size of the data, uncompressed
	TrailingBytes  int64               `json:"trailing_bytes"` // size of the file after the data
	*ArchiveMember `json:",omitempty"` // of a file of several tensors

	gzip bool
}

type field struct {
	Name   string `json:"name"`            // its name
	Title  string `json:"title,omitempty"` // title of a field, or of a picture
	DType  string `json:"dtype"`           // element type: float32
	Offset int    `json:"offset_bytes"`    // offset of a field in the element
}

// Candidate is a memory order that matches the strides or the layout's name.
type Candidate struct {
	Layout string `json:"layout"` // memory order by name, outermost axis first: NHWC; shape:strides without a name
	Why    string `json:"why"`    // the reason

	gaps string // strides that differ from the packed ones
}

// New reports on a tensor. It reads no data.
func New(t *source.Tensor) *Report {
	r := Light(t)
	l := t.Layout
	r.Formula = explain.Formula(l)
	r.Quantized = newQuantized(t)
	for i := range l.Rank() {
		r.Digits[l.Dim(i).Name] = l.Dim(i).Digits
	}
	r.AsStored = newStored(t)
	if t.HasFormat && !t.Format.Plain() {
		r.Candidates = append(r.Candidates, Candidate{Layout: r.Layout, Why: "named; strides cannot describe its blocks"})
	}
	if s, plain := l.Strided(); plain {
		r.addCandidates(s)
		r.addFrameworks(s)
		r.addLeadingDim(s)
	}
	r.addNotes(t)
	r.addAcceptance(t)
	return r
}

// Light reports the elements and how they occupy storage, with all warnings. It does a tenth of the work of New: it asks no framework (see Accepts),
// tries no other order, and explains nothing.
func Light(t *source.Tensor) *Report {
	l := t.Layout
	d := t.DType
	r := &Report{
		Head: t.Head("tlayout/inspect/v1"), DType: d.String(), Descr: d.Typestr(), ByteOrder: d.Order().String(), ItemSize: d.WholeBytes(), Encoding: t.Encoding, FileShape: t.FileShape,
		Dims: l.Names(), Shape: l.Shape(), Offset: l.Offset(), Numel: l.Numel(), NBytes: int(d.Size(int64(l.Numel()))),
		Layout: t.LayoutName(), LayoutAssumed: t.Assumed(), LayoutFrom: t.OrderSource.String(), LooksLike: t.LooksLike(), Notation: l.String(),
		Digits: map[string][]tensor.Digit{}, BroadcastDims: l.BroadcastDims(), Extent: l.Extent(), Storage: l.Alloc(),
		InBounds: l.InBounds(), Packed: l.Packed(), Candidates: []Candidate{}, tensor: t,
	}
	if z := l.Swizzle(); !z.IsZero() {
		r.Swizzle = &z
	}
	if d.Packed() {
		r.Bits = d.Bits()
		r.Descr = ""
	}
	if d.Packed() && t.Header.Shape != nil || t.Divided() {
		r.FileShape = t.Header.Shape
	}
	if t.HasFormat {
		r.Explicit = t.Format.Explicit()
	}
	if t.Block > 0 {
		r.FileShape = t.Shape()
		r.BlockShape = r.Shape
		r.Shape = t.ValueShape()
	}
	r.addContainer(t)
	r.addOccupancy(l)
	r.Contiguous = newContiguity(l)
	shares := false
	if s, plain := l.Strided(); plain {
		r.addStrides(s)
		if shared := SharedWarning(s, r.ItemSize); shared != "" {
			r.Warnings = append(r.Warnings, shared)
			shares = true
		}
	}
	r.addDescriptor(l)
	if shared := r.overlapWarning(); shared != "" && !shares {
		r.Warnings = append(r.Warnings, shared)
	}
	r.addHeader(t)
	if !r.InBounds {
		low, high, _ := l.Span()
		r.Warnings = append(r.Warnings, fmt.Sprintf("elements span offsets %d to %d, outside the storage, which has %s", low, high,
			text.Count(l.Alloc(), "element")))
	}
	return r
}

// addContainer adds the contents of the file's header.
func (r *Report) addContainer(t *source.Tensor) {
	for _, f := range t.DType.Fields() {
		r.Fields = append(r.Fields, field{Name: text.Quote(f.Name), Title: text.Quote(f.Title), DType: f.DType.String(), Offset: f.Offset})
	}
	if t.Kind == "shape" {
		return
	}
	h := t.Header
	version := ""
	if h.Major > 0 {
		version = fmt.Sprintf("%d.%d", h.Major, h.Minor)
	}
	if !h.DType.Packed() {
		r.Descr = strings.Trim(text.Quote(h.Descr), "'")
	}
	r.Container = &Container{Format: t.Kind, Version: version, FortranOrder: h.Fortran,
		DataOffset: h.DataOffset, DataBytes: h.DataBytes, TrailingBytes: t.Trailing, ArchiveMember: newArchiveMember(t), gzip: t.Gzip}
}

// addOccupancy adds how the elements occupy storage.
func (r *Report) addOccupancy(l tensor.Layout) {
	o := l.Occupancy()
	r.Overlapping = string(o.Overlapping)
	if o.Overlapping == tensor.Unknown {
		r.OverlapLimit = tensor.EnumerationLimit
	}
	if o.Unique >= 0 {
		gaps := r.Extent - o.Unique
		r.Unique = &o.Unique
		r.Gaps = &gaps
	}
	if o.Unique >= 0 || r.Extent > r.Numel { // a larger extent has gaps, whatever overlaps
		padded := r.Gaps == nil || *r.Gaps > 0
		r.Padded = &padded
	}
	if low, high, ok := l.Span(); ok {
		r.Span = []int{low, high}
	}
	r.Leading, r.Trailing = l.Slack()
}

// addStrides adds the strides of a tensor with one stride per dim.
func (r *Report) addStrides(s tensor.Strided) {
	r.Strides = s.Strides
	if r.Bits == 0 {
		r.StridesBytes = tensor.InBytes(s.Strides, r.ItemSize)
	}
	if bits := dtype.DirectMLBits(r.tensor.DType); bits > 0 {
		if n, ok := s.DirectMLBytes(bits); ok {
			r.DirectMLBytes = &n
		}
	}
}

// addCandidates adds the memory orders that match the strides.
func (r *Report) addCandidates(s tensor.Strided) {
	in := s.Infer(r.Dims, source.KnownOrders(r.Dims))
	for _, c := range in.Candidates {
		r.Candidates = append(r.Candidates, Candidate{notation.Order(r.Dims, c.Order).String(), c.Why, c.Gaps})
	}
	r.Ambiguous = in.Ambiguity != ""
	r.Ambiguity = in.Ambiguity
}
