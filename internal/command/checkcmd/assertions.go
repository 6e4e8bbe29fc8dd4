package checkcmd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// assertion is an answer: the expected and the actual value, and the reason. passed, failed, decided, unknown and answered give the answer.
type assertion struct {
	Name     string        `json:"name"`
	Expected string        `json:"asserted"` // the expected value
	Found    string        `json:"actual"`   // what was found
	Verdict  tensor.Answer `json:"result"`   // yes, no or unknown
	OK       bool          `json:"ok"`       // it holds or is accepted
	Why      string        `json:"why"`
	Hint     string        `json:"hint"`

	stored bool // the answer is about the array as stored
}

// answered sets the answer and what was found.
func (a assertion) answered(answer tensor.Answer, found string) assertion {
	a.Verdict = answer
	a.OK = answer == tensor.Yes
	a.Found = found
	return a
}

// passed answers yes.
func (a assertion) passed(found string) assertion { return a.answered(tensor.Yes, found) }

// failed answers no.
func (a assertion) failed(found, why string) assertion {
	a.Why = why
	return a.answered(tensor.No, found)
}

// decided answers yes or no.
func (a assertion) decided(ok bool, found string) assertion {
	if ok {
		return a.passed(found)
	}
	return a.failed(found, "")
}

// unknown answers that the assertion cannot be decided.
func (a assertion) unknown(why string) assertion {
	a.Why = why
	return a.answered(tensor.Unknown, string(tensor.Unknown))
}

// withHint adds how to make an assertion hold; nothing if it holds.
func (a assertion) withHint(hint string) assertion {
	if !a.OK {
		a.Hint = hint
	}
	return a
}

// asStored marks an answer as one about the array as stored, where it was found.
func (a assertion) asStored(found string) assertion {
	a.Found = found + " as stored"
	a.stored = true
	return a
}

// elementAssertions check the dtype, the sizes and the offset.
func (o *options) elementAssertions(r *inspect.Report, t *source.Tensor) []assertion {
	var all []assertion
	w := &o.want
	add := func(name, expected, found string, ok bool, hint string) {
		all = append(all, assertion{Name: name, Expected: expected}.decided(ok, found).withHint(hint))
	}
	for i := range w.dtype.all {
		all = append(all, w.dtype.all[i].answer(t))
	}
	for _, x := range w.byteOrder.all {
		order := t.DType.Order()
		add("byte-order", x.word, order.String(), order == dtype.NoOrder || order.String() == x.word,
			"in NumPy: x.astype(x.dtype.newbyteorder('"+x.word+"'))")
	}
	for i := range w.shape.all {
		all = append(all, o.shapeAssertion(&w.shape.all[i], r, t))
	}
	for _, n := range w.rank.all {
		add("rank", n.String(), fmt.Sprint(len(r.Shape)), int(n) == len(r.Shape), "")
	}
	for _, want := range w.fileShape.all {
		found := "no file"
		if r.FileShape != nil {
			found = tensor.Tuple(r.FileShape)
		}
		add("file-shape", want.tuple(), found, r.FileShape != nil && want.fits(r.FileShape), "")
	}
	for _, n := range w.offset.all {
		add("offset", n.String(), fmt.Sprint(r.Offset), int(n) == r.Offset, "")
	}
	return all
}

// shapeAssertion answers --expect-shape. If the axis order is unknown, it checks the array as stored.
func (o *options) shapeAssertion(want *patternFlag, r *inspect.Report, t *source.Tensor) assertion {
	a := assertion{Name: "shape", Expected: want.tuple()}.decided(want.fits(r.Shape), tensor.NamedSizes(r.Dims, r.Shape))
	if o.assumed(t) {
		a = a.asStored(tensor.Tuple(r.Shape))
	}
	found := a.Found
	unpadded := slices.Clone(r.Shape)
	for _, p := range o.padding(t) {
		if p.dim >= len(want.want) || want.want[p.dim] == nil {
			continue
		}
		unpadded[p.dim] = min(max(*want.want[p.dim], p.minSize), r.Shape[p.dim])
		if want.fits(unpadded) {
			a = a.unknown(p.why).withHint(p.hint)
			a.Found = found // the sizes are known, not how much of them is padding
		}
	}
	return a
}

// padded is a dim whose size may include padding, because a .npy file does not record the logical size.
type padded struct {
	dim, minSize int // its index, and the smallest size with the same number of blocks
	why, hint    string
}

// padding returns those dims: they are split into blocks, and neither --channels nor a recorded layout gives their size.
func (o *options) padding(t *source.Tensor) (all []padded) {
	if t.Sized() || !t.HasFormat || t.DType.Packed() {
		return nil
	}
	for _, x := range t.Format.Axes() {
		name := t.Format.Names()[x.Dim]
		size := t.Layout.Dim(x.Dim).Size
		split := x.Extent == 0 && x.Div != 1
		given := name == "C" && o.reading.Channels != 0
		if !split || given || size == 0 {
			continue
		}
		p := padded{dim: x.Dim, minSize: size - x.Div + 1, why: fmt.Sprintf("%s = %d may include padding: logical size not recorded", name, size)}
		if name == "C" {
			p.hint = fmt.Sprintf("set it with --channels: %d to %d", p.minSize, size)
		}
		all = append(all, p)
	}
	return all
}

// paddingAssertion answers --no-padding.
func (o *options) paddingAssertion(r *inspect.Report, t *source.Tensor) assertion {
	a := assertion{Name: "no-padding"}
	around := r.Leading + r.Trailing
	if r.Padded != nil && !*r.Padded && around == 0 {
		if all := o.padding(t); len(all) > 0 {
			return a.unknown(all[0].why).withHint(all[0].hint)
		}
		return a.passed("no padding")
	}
	if padded, why := r.GapsText(); padded == tensor.Unknown && around == 0 {
		return a.unknown(why)
	}
	return a.failed(r.WasteText(), "")
}

// answer answers --expect-dtype.
func (f *wantedDType) answer(t *source.Tensor) assertion {
	name := func(d dtype.Type) string {
		if f.ordered {
			return d.Typestr()
		}
		return d.String()
	}
	a := assertion{Name: "dtype", Expected: name(*f.Value)}.decided(f.fits(t.DType), name(t.DType))
	if t.DType.Kind() == dtype.Void && t.DType.ItemSize() == f.Value.ItemSize() {
		return a.withHint("read the raw bytes as this type with --dtype " + f.Value.String())
	}
	return a
}

// storageAssertions check how elements occupy storage, and which frameworks accept it.
func (o *options) storageAssertions(r *inspect.Report, t *source.Tensor, part bool) []assertion {
	var all []assertion
	w := &o.want
	add := func(given bool, name string, ok bool, found string) {
		if given {
			all = append(all, assertion{Name: name}.decided(ok, found))
		}
	}
	add(w.packed, "packed", r.IsDense(), r.DensityText())
	if w.noPadding {
		all = append(all, o.paddingAssertion(r, t))
	}
	add(w.noOverlap, "no-overlap", r.Overlapping == string(tensor.No), "overlapping: "+cmp.Or(r.SharedText(), "no"))
	add(w.noBroadcast, "no-broadcast", len(r.BroadcastDims) == 0, "broadcast: "+r.BroadcastText())
	for i := range w.aligned.all {
		if !part {
			all = append(all, w.aligned.all[i].alignedAssertion(r, t))
		}
	}
	for _, limit := range w.maxBytes.all {
		size := t.DType.Size(int64(r.Storage))
		all = append(all, assertion{Name: "max-bytes", Expected: limit.text}.decided(size <= limit.N, text.ExactBytes(size)))
	}
	if w.acceptedBy.keys != nil {
		accepted := r.Accepts(w.acceptedBy.keys...)
		for _, key := range w.acceptedBy.keys {
			all = append(all, o.acceptedAssertion(accepted[key], t, key))
		}
	}
	return all
}

// alignedAssertion answers --aligned for the byte position of the first element, after header and offset. Standard input counts as a file, although
// only its header is read.
func (f *sizeFlag) alignedAssertion(r *inspect.Report, t *source.Tensor) assertion {
	a := assertion{Name: "aligned", Expected: f.text}
	if t.Member != nil && t.Member.Inline {
		return a.failed("in "+checkpoint.Format(t.Kind).InlineIn()+", decoded", "")
	}
	if t.Member != nil && t.Member.Slices != nil {
		return a.failed("in slices", "")
	}
	if _, inFile := t.DataStart(); t.Member != nil && !inFile {
		return a.failed("deflated: the archive does not contain its bytes", "").withHint("write the archive with np.savez, which does not compress")
	}
	if r.Container == nil {
		return a.failed("not in a file", "")
	}
	at := int64(t.DType.ByteOf(r.Offset)) + r.Container.DataOffset
	found := fmt.Sprintf("byte %d%s", at, r.Container.Within())
	inside := t.DType.Packed() && r.Offset%t.DType.PerByte() != 0
	if inside {
		found += ", inside it"
	}
	rest := at % f.N
	if rest != 0 {
		found += fmt.Sprintf(", %d past a multiple", rest)
	}
	return a.decided(rest == 0 && !inside, found)
}

// stridesAssertion answers --expect-strides. Strides of size-1 dims are never used, and only checked with --strict.
func (o *options) stridesAssertion(want *patternFlag, r *inspect.Report, t *source.Tensor) assertion {
	a := assertion{Name: "strides", Expected: want.tuple()}
	if r.Strides == nil {
		return a.failed(r.Contiguous.WhyNot["c"].Reason, "")
	}
	strides := r.Strides
	if !o.want.strict {
		strides = want.overUnused(r.Strides, r.Shape)
	}
	a = a.decided(want.fits(strides), tensor.Tuple(r.Strides))
	if o.assumed(t) {
		return a.asStored(a.Found)
	}
	return a
}

// overUnused returns strides with those of size-1 dims replaced by the expected ones.
func (f *patternFlag) overUnused(strides, shape []int) []int {
	strides = slices.Clone(strides)
	for i, want := range f.want[:min(len(f.want), len(strides))] {
		if want != nil && shape[i] == 1 {
			strides[i] = *want
		}
	}
	return strides
}

// finiteAssertion answers --finite. It scans the storage once, front to back, and searches for the element only at a value that is not finite,
// because padding may hold anything.
func (o *options) finiteAssertion(r *inspect.Report, t *source.Tensor) (assertion, error) {
	a := assertion{Name: "finite"}
	if !t.HasData() {
		answer := tensor.Yes
		if t.Layout.Numel() > 0 {
			answer = tensor.Unknown
		}
		a.Why = "nothing to check"
		return a.answered(answer, "no data"), nil
	}
	if !dtype.HasNumbers(t.DType) {
		a = a.failed(text.Shorten(t.DType.String())+" elements are not numbers", "")
		if t.DType.Kind() == dtype.Void && t.DType.Fields() == nil {
			a = a.withHint("read raw bytes as numbers with --dtype bfloat16")
		}
		return a, nil
	}
	scan := dtype.NotFinite(t.DType)
	if scan == nil {
		return a.passed(text.Shorten(t.DType.String()) + " elements are always finite"), nil
	}
	a = a.passed("all finite")
	err := t.Scan(func(at int64, piece []byte) bool {
		o.findNotFinite(&a, r, t, int(at), piece, scan)
		return a.OK
	})
	return a, err
}

// findNotFinite fails the assertion at the first element in a piece of the data that is not finite, or at the first offset with such a value if the
// search for its element was cut short. The piece begins at byte from of the data.
func (o *options) findNotFinite(a *assertion, r *inspect.Report, t *source.Tensor, from int, data []byte, scan func([]byte) int) {
	size := t.DType.ItemSize()
	for at := 0; at < len(data); at += size {
		next := scan(data[at:])
		if next < 0 {
			return
		}
		at += next / size * size
		offset := (from + at) / size
		coords, complete := t.Layout.Find(offset, 1)
		if len(coords) == 0 && complete {
			continue // padding
		}
		value := text.Quote(t.DType.FormatValue(data[at : at+size]))
		why := fmt.Sprintf("offset %d", offset)
		if start, ok := t.DataStart(); ok {
			why += fmt.Sprintf(", byte %d%s", start+int64(from+at), r.Container.Within())
		}
		if len(coords) == 0 {
			*a = a.failed(value, why+"; search for its element cut short")
			return
		}
		*a = a.failed(value+o.at(coords[0], r, t), why)
		return
	}
}

// at returns the end of a sentence about the element at a coordinate; empty for a scalar.
func (o *options) at(coord []int, r *inspect.Report, t *source.Tensor) string {
	if len(coord) == 0 {
		return ""
	}
	if o.assumed(t) {
		return " at " + tensor.List(coord)
	}
	return fmt.Sprintf(" at %s = %s", r.IndexNames(), text.Ints(coord, ", "))
}
