package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
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

// items are the assertions about the items and about sizes.
func (w *wanted) items(r *inspectReport, t *source.Tensor) []assertion {
	var all []assertion
	add := func(asked bool, name, expected, found string, ok bool, hint string) {
		if asked {
			all = append(all, assertion{Name: name, Expected: expected, Found: found, OK: ok, Hint: hint})
		}
	}
	if w.dtype.dtype != nil {
		all = append(all, w.typed(t))
	}
	order := t.DType.Order()
	add(w.byteOrder.word != "", "byte-order", w.byteOrder.word, order.String(), order == tensor.NoOrder || order.String() == w.byteOrder.word,
		"in NumPy: x.astype(x.dtype.newbyteorder('"+w.byteOrder.word+"'))")
	add(w.shape.set, "shape", w.shape.tuple(), tensor.Tuple(r.Shape)+" in the order "+strings.Join(r.Dims, ","), w.shape.fits(r.Shape), "")
	add(w.rank.set, "rank", w.rank.String(), fmt.Sprint(len(r.Shape)), w.rank.n == len(r.Shape), "")
	fileShape := "no file"
	if r.FileShape != nil {
		fileShape = tensor.Tuple(r.FileShape)
	}
	add(w.fileShape.set, "file-shape", w.fileShape.tuple(), fileShape, r.FileShape != nil && w.fileShape.fits(r.FileShape), "")
	add(w.offset.set, "offset", w.offset.String(), fmt.Sprint(r.Offset), w.offset.n == r.Offset, "")
	return all
}

func (w *wanted) typed(t *source.Tensor) assertion {
	name := func(d tensor.DType) string {
		if w.dtype.ordered {
			return d.Typestr()
		}
		return d.String()
	}
	a := assertion{Name: "dtype", Expected: name(*w.dtype.dtype), Found: name(t.DType), OK: w.dtype.fits(t.DType)}
	if !a.OK && t.DType.Kind() == tensor.Void && t.DType.ItemSize() == w.dtype.dtype.ItemSize() {
		a.Hint = "--as " + w.dtype.dtype.String() + " reads the raw bytes so"
	}
	return a
}

// memory are the assertions about how the storage is used.
func (w *wanted) memory(r *inspectReport, t *source.Tensor) []assertion {
	var all []assertion
	add := func(asked bool, name string, ok bool, found string) {
		if asked {
			all = append(all, assertion{Name: name, Found: found, OK: ok})
		}
	}
	leading, trailing := t.Layout.Slack()
	add(w.packed, "packed", r.Packed, r.spread())
	add(w.noPadding, "no-padding", r.Gaps != nil && *r.Gaps+leading+trailing == 0, "padding: "+strings.TrimPrefix(r.paddedText(), "yes: "))
	add(w.noOverlap, "no-overlap", r.Overlapping == string(tensor.No), "overlapping: "+strings.TrimPrefix(r.overlapText(), "yes: "))
	add(w.noBroadcast, "no-broadcast", len(r.BroadcastDims) == 0, "broadcast: "+r.broadcastText())
	if w.aligned.n > 0 {
		all = append(all, w.alignment(r, t))
	}
	if w.maxBytes.n > 0 {
		held := int64(r.Storage) * int64(r.ItemSize)
		all = append(all, assertion{Name: "max-bytes", Expected: w.maxBytes.text, Found: exactBytes(held), OK: held <= w.maxBytes.n})
	}
	for _, key := range w.acceptedBy.keys {
		a := r.AcceptedBy[key]
		all = append(all, assertion{Name: "accepted-by", Expected: key, Found: yesNo(a.OK), OK: a.OK, Why: a.Why})
	}
	return all
}

// alignment: header and offset come before the first element. Of standard input only the header is read, and it counts
// as a file.
func (w *wanted) alignment(r *inspectReport, t *source.Tensor) assertion {
	a := assertion{Name: "aligned", Expected: w.aligned.text}
	switch _, lies := t.DataStart(); {
	case t.Member != nil && !lies:
		a.Found, a.Hint = "it is deflated: its bytes lie nowhere in the archive", "np.savez stores without compression"
		return a
	case r.Container == nil:
		a.Found = "its bytes lie in no file"
		return a
	}
	at := int64(r.Offset)*int64(r.ItemSize) + r.Container.DataOffset
	a.OK, a.Found = at%w.aligned.n == 0, fmt.Sprintf("byte %d%s", at, cmp.Or(r.Container.within(), " of the file"))
	if rest := at % w.aligned.n; rest != 0 {
		a.Found += fmt.Sprintf(", %d past a multiple", rest)
	}
	return a
}

// spread is how many addresses there are from the lowest to the highest, beside the elements.
func (r *inspectReport) spread() string {
	if r.Numel == 0 {
		return "it is empty, and packed is said of elements"
	}
	return fmt.Sprintf("%s over an extent of %d", words.Count(r.Numel, "element"), r.Extent)
}
