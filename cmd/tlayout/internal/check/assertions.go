package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// assertion is one answer: what was expected, what was found, and why that is.
type assertion struct {
	Name     string `json:"name"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
	OK       bool   `json:"ok"`
	Why      string `json:"why"`
	Hint     string `json:"hint"`
}

// elementAssertions are those about the dtype, the sizes and the offset.
func (w *wanted) elementAssertions(r *inspect.Report, t *source.Tensor) []assertion {
	var all []assertion
	add := func(given bool, name, expected, found string, ok bool, hint string) {
		if given {
			all = append(all, assertion{Name: name, Expected: expected, Found: found, OK: ok, Hint: hint})
		}
	}
	if w.dtype.Value != nil {
		all = append(all, w.dtypeAssertion(t))
	}
	order := t.DType.Order()
	add(w.byteOrder.word != "", "byte-order", w.byteOrder.word, order.String(), order == dtype.NoOrder || order.String() == w.byteOrder.word,
		"in NumPy: x.astype(x.dtype.newbyteorder('"+w.byteOrder.word+"'))")
	add(w.shape.set, "shape", w.shape.tuple(), tensor.NamedSizes(r.Dims, r.Shape), w.shape.fits(r.Shape), "")
	add(w.rank.set, "rank", w.rank.String(), fmt.Sprint(len(r.Shape)), w.rank.n == len(r.Shape), "")
	fileShape := "no file"
	if r.FileShape != nil {
		fileShape = tensor.Tuple(r.FileShape)
	}
	add(w.fileShape.set, "file-shape", w.fileShape.tuple(), fileShape, r.FileShape != nil && w.fileShape.fits(r.FileShape), "")
	add(w.offset.set, "offset", w.offset.String(), fmt.Sprint(r.Offset), w.offset.n == r.Offset, "")
	return all
}

// dtypeAssertion answers --dtype.
func (w *wanted) dtypeAssertion(t *source.Tensor) assertion {
	name := func(d dtype.Type) string {
		if w.dtype.ordered {
			return d.Typestr()
		}
		return d.String()
	}
	a := assertion{Name: "dtype", Expected: name(*w.dtype.Value), Found: name(t.DType), OK: w.dtype.fits(t.DType)}
	if !a.OK && t.DType.Kind() == dtype.Void && t.DType.ItemSize() == w.dtype.Value.ItemSize() {
		a.Hint = "to read the raw bytes as this type: --as " + w.dtype.Value.String()
	}
	return a
}

// storageAssertions are those about how elements occupy storage, and who accepts that.
func (w *wanted) storageAssertions(r *inspect.Report, t *source.Tensor) []assertion {
	var all []assertion
	add := func(given bool, name string, ok bool, found string) {
		if given {
			all = append(all, assertion{Name: name, Found: found, OK: ok})
		}
	}
	add(w.packed, "packed", r.Packed, r.DensityText())
	add(w.noPadding, "no-padding", r.SlackText() == "", cmp.Or(r.SlackText(), "no padding"))
	add(w.noOverlap, "no-overlap", r.Overlapping == string(tensor.No), "overlapping: "+strings.TrimPrefix(r.OverlapText(), "yes: "))
	add(w.noBroadcast, "no-broadcast", len(r.BroadcastDims) == 0, "broadcast: "+r.BroadcastText())
	if w.aligned.N > 0 {
		all = append(all, w.alignedAssertion(r, t))
	}
	if w.maxBytes.N > 0 {
		held := int64(r.Storage) * int64(r.ItemSize)
		all = append(all, assertion{Name: "max-bytes", Expected: w.maxBytes.text, Found: words.ExactBytes(held), OK: held <= w.maxBytes.N})
	}
	for _, key := range w.acceptedBy.keys {
		a := r.AcceptedBy[key]
		all = append(all, assertion{Name: "accepted-by", Expected: key, Found: words.YesNo(a.OK), OK: a.OK, Why: a.Why})
	}
	return all
}

// alignedAssertion answers --aligned: the first element comes after the header and the offset. Standard input counts as a
// file, although only its header is read.
func (w *wanted) alignedAssertion(r *inspect.Report, t *source.Tensor) assertion {
	a := assertion{Name: "aligned", Expected: w.aligned.text}
	switch _, inFile := t.DataStart(); {
	case t.Member != nil && !inFile:
		a.Found, a.Hint = "deflated: the archive does not hold its bytes", "write the archive with np.savez, which does not compress"
		return a
	case r.Container == nil:
		a.Found = "not in a file"
		return a
	}
	at := int64(r.Offset)*int64(r.ItemSize) + r.Container.DataOffset
	a.OK, a.Found = at%w.aligned.N == 0, fmt.Sprintf("byte %d%s", at, r.Container.Within())
	if rest := at % w.aligned.N; rest != 0 {
		a.Found += fmt.Sprintf(", %d past a multiple", rest)
	}
	return a
}

// stridesAssertion answers --strides. The strides of size-1 dims are never used, and count with --strict only.
func (w *wanted) stridesAssertion(r *inspect.Report) assertion {
	a := assertion{Name: "strides", Expected: w.strides.tuple(), Found: "a dim is split into blocks"}
	if r.Strides == nil {
		return a
	}
	a.Found = tensor.Tuple(r.Strides)
	found := slices.Clone(r.Strides)
	for i, want := range w.strides.want {
		if i < len(found) && r.Shape[i] == 1 && want != nil && !w.strict {
			found[i] = *want
		}
	}
	a.OK = w.strides.fits(found)
	return a
}

// contiguousAssertion answers --contiguous.
func (o *options) contiguousAssertion(r *inspect.Report, t *source.Tensor) assertion {
	sense, c := o.want.contiguous.word, r.Contiguous
	a := assertion{Name: "contiguous", Expected: sense, Found: r.Character()}
	to := strings.ToLower(strings.Join(r.Dims, ""))
	switch sense {
	case senseC:
		a.OK = c.C && (c.CStrict || !o.want.strict)
		if a.Why = c.WhyNot["c"].Reason; c.C && !a.OK {
			a.Why = c.WhyNot["c_strict"].Reason
		}
	case senseF:
		a.OK, a.Why, to = c.F, c.WhyNot["f"].Reason, "fortran"
	case senseLast:
		a.OK, a.Why, to = c.CL, c.WhyNot[sense].Reason, "nhwc"
	case senseLast3:
		a.OK, a.Why, to = c.CL3D, c.WhyNot[sense].Reason, "ndhwc"
	case senseDense:
		a.OK, a.Why = r.Packed || r.Numel == 0, r.DensityText()
	}
	if a.OK {
		a.Why = ""
	} else if len(r.Shape) > 0 && len(r.Dims[0]) == 1 && !(strings.HasPrefix(sense, senseLast) && len(to) != len(r.Shape)) {
		a.Hint = o.convertHint(t, to)
	}
	return a
}

// finiteAssertion answers --finite. It reads the storage once, front to back, and looks up the element only where a value
// is not finite: padding may hold anything.
func finiteAssertion(r *inspect.Report, t *source.Tensor) (assertion, error) {
	a := assertion{Name: "finite", Found: "all finite", OK: true}
	if !t.HasData() {
		a.Found, a.Why = "no data", "there is nothing to check"
		a.OK = t.Layout.Numel() == 0
		return a, nil
	}
	if !dtype.HasNumbers(t.DType) {
		a.OK, a.Found = false, words.Shorten(t.DType.String())+" elements are not numbers"
		if t.DType.Kind() == dtype.Void && t.DType.Fields() == nil {
			a.Hint = "to read raw bytes as numbers: --as bfloat16"
		}
		return a, nil
	}
	data, err := t.Data()
	if err != nil {
		return a, err
	}
	scan := dtype.NotFinite(t.DType)
	if scan == nil {
		a.Found = words.Shorten(t.DType.String()) + " elements are always finite"
		return a, nil
	}
	return a, t.Guard(func() error {
		a.findNotFinite(r, t, data, scan)
		return nil
	})
}

// findNotFinite fails the assertion at the first element that is not finite, or at the first offset with such a value for
// which the search for an element was cut short.
func (a *assertion) findNotFinite(r *inspect.Report, t *source.Tensor, data []byte, scan func([]byte) int) {
	size := t.DType.ItemSize()
	for at := 0; at < len(data); at += size {
		next := scan(data[at:])
		if next < 0 {
			return
		}
		at += next / size * size
		coords, complete := t.Layout.Find(at/size, 1)
		if len(coords) == 0 && complete {
			continue // padding
		}
		a.OK, a.Found = false, words.Quote(t.DType.FormatValue(data[at:at+size]))
		a.Why = fmt.Sprintf("offset %d", at/size)
		if start, ok := t.DataStart(); ok {
			a.Why += fmt.Sprintf(", byte %d%s", start+int64(at), r.Container.Within())
		}
		switch {
		case len(coords) == 0:
			a.Why += "; the search for its element, if there is one, was cut short"
		case len(coords[0]) > 0:
			a.Found += fmt.Sprintf(" at %s = %s", r.IndexNames(), words.Ints(coords[0], ", "))
		}
		return
	}
}
