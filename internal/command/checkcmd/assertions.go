package checkcmd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// assertion is one answer: the expected and the actual value, and the reason. An empty Verdict means that of OK until settle.
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

// foundStored sets a result found in the array as stored.
func (a *assertion) foundStored(found string) {
	a.Found = found + " as stored"
	a.stored = true
}

// settle makes Verdict and OK agree, and removes the hint of a passed assertion.
func (a *assertion) settle() {
	switch {
	case a.Verdict != "":
		a.OK = a.Verdict == tensor.Yes
	case a.OK:
		a.Verdict = tensor.Yes
	default:
		a.Verdict = tensor.No
	}
	if a.OK {
		a.Hint = ""
	}
}

// elementAssertions check the dtype, the sizes and the offset.
func (o *options) elementAssertions(r *inspect.Report, t *source.Tensor) []assertion {
	var all []assertion
	w := &o.want
	add := func(name, expected, found string, ok bool, hint string) {
		all = append(all, assertion{Name: name, Expected: expected, Found: found, OK: ok, Hint: hint})
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
	a := assertion{Name: "shape", Expected: want.tuple(), Found: tensor.NamedSizes(r.Dims, r.Shape), OK: want.fits(r.Shape)}
	if o.assumed(t) {
		a.foundStored(tensor.Tuple(r.Shape))
	}
	unpadded := slices.Clone(r.Shape)
	for _, p := range o.padding(t) {
		if p.dim < len(want.want) && want.want[p.dim] != nil {
			unpadded[p.dim] = min(max(*want.want[p.dim], p.minSize), r.Shape[p.dim])
			if want.fits(unpadded) {
				a.Verdict = tensor.Unknown
				a.Why = p.why
				a.Hint = p.hint
			}
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
		if x.Extent != 0 || x.Div == 1 || size == 0 || name == "C" && o.reading.Channels != 0 {
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
	a := assertion{Name: "no-padding", Found: "no padding", OK: r.Padded != nil && !*r.Padded && r.Leading+r.Trailing == 0}
	if !a.OK {
		a.Found = r.WasteText()
	}
	if padded, why := r.GapsText(); padded == tensor.Unknown && r.Leading+r.Trailing == 0 {
		a.Verdict = padded
		a.Found = string(padded)
		a.Why = why
	}
	if all := o.padding(t); a.OK && len(all) > 0 {
		a.Verdict = tensor.Unknown
		a.Found = string(tensor.Unknown)
		a.Why = all[0].why
		a.Hint = all[0].hint
	}
	return a
}

// answer answers --expect-dtype.
func (f *wantedDType) answer(t *source.Tensor) assertion {
	name := func(d dtype.Type) string {
		if f.ordered {
			return d.Typestr()
		}
		return d.String()
	}
	a := assertion{Name: "dtype", Expected: name(*f.Value), Found: name(t.DType), OK: f.fits(t.DType)}
	if !a.OK && t.DType.Kind() == dtype.Void && t.DType.ItemSize() == f.Value.ItemSize() {
		a.Hint = "read the raw bytes as this type with --dtype " + f.Value.String()
	}
	return a
}

// storageAssertions check how elements occupy storage, and which frameworks accept it.
func (o *options) storageAssertions(r *inspect.Report, t *source.Tensor, part bool) []assertion {
	var all []assertion
	w := &o.want
	add := func(given bool, name string, ok bool, found string) {
		if given {
			all = append(all, assertion{Name: name, Found: found, OK: ok})
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
	for _, most := range w.maxBytes.all {
		held := t.DType.Size(int64(r.Storage))
		all = append(all, assertion{Name: "max-bytes", Expected: most.text, Found: text.ExactBytes(held), OK: held <= most.N})
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
	switch _, inFile := t.DataStart(); {
	case t.Member != nil && t.Member.Inline:
		a.Found = "in the pickle, as text"
		return a
	case t.Member != nil && !inFile:
		a.Found = "deflated: the archive does not contain its bytes"
		a.Hint = "write the archive with np.savez, which does not compress"
		return a
	case r.Container == nil:
		a.Found = "not in a file"
		return a
	}
	at := int64(t.DType.ByteOf(r.Offset)) + r.Container.DataOffset
	a.OK = at%f.N == 0
	a.Found = fmt.Sprintf("byte %d%s", at, r.Container.Within())
	if t.DType.Packed() && r.Offset%t.DType.PerByte() != 0 {
		a.OK = false
		a.Found = a.Found + ", inside it"
	}
	if rest := at % f.N; rest != 0 {
		a.Found += fmt.Sprintf(", %d past a multiple", rest)
	}
	return a
}

// stridesAssertion answers --expect-strides. Strides of size-1 dims are never used, and only checked with --strict.
func (o *options) stridesAssertion(want *patternFlag, r *inspect.Report, t *source.Tensor) assertion {
	a := assertion{Name: "strides", Expected: want.tuple(), Found: r.Contiguous.WhyNot["c"].Reason}
	if r.Strides == nil {
		return a
	}
	a.Found = tensor.Tuple(r.Strides)
	found := slices.Clone(r.Strides)
	for i, n := range want.want {
		if i < len(found) && r.Shape[i] == 1 && n != nil && !o.want.strict {
			found[i] = *n
		}
	}
	a.OK = want.fits(found)
	if o.assumed(t) {
		a.foundStored(a.Found)
	}
	return a
}

// finiteAssertion answers --finite. It scans the storage once, front to back, and searches for the element only at a value that is not finite,
// because padding may hold anything.
func (o *options) finiteAssertion(r *inspect.Report, t *source.Tensor) (assertion, error) {
	a := assertion{Name: "finite", Found: "all finite", OK: true}
	if !t.HasData() {
		a.Found = "no data"
		a.Why = "nothing to check"
		if t.Layout.Numel() > 0 {
			a.Verdict = tensor.Unknown
		}
		return a, nil
	}
	if !dtype.HasNumbers(t.DType) {
		a.OK = false
		a.Found = text.Shorten(t.DType.String()) + " elements are not numbers"
		if t.DType.Kind() == dtype.Void && t.DType.Fields() == nil {
			a.Hint = "read raw bytes as numbers with --dtype bfloat16"
		}
		return a, nil
	}
	scan := dtype.NotFinite(t.DType)
	if scan == nil {
		a.Found = text.Shorten(t.DType.String()) + " elements are always finite"
		return a, nil
	}
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
		a.OK = false
		a.Found = text.Quote(t.DType.FormatValue(data[at : at+size]))
		a.Why = fmt.Sprintf("offset %d", offset)
		if start, ok := t.DataStart(); ok {
			a.Why += fmt.Sprintf(", byte %d%s", start+int64(from+at), r.Container.Within())
		}
		switch {
		case len(coords) == 0:
			a.Why += "; search for its element cut short"
		case len(coords[0]) > 0 && o.assumed(t):
			a.Found += " at " + tensor.List(coords[0])
		case len(coords[0]) > 0:
			a.Found += fmt.Sprintf(" at %s = %s", r.IndexNames(), text.Ints(coords[0], ", "))
		}
		return
	}
}
