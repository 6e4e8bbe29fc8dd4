package convert

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	npyio "github.com/sbinet/npyio/npy"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// verify reads the draft as the output will be read once it has its name: our reader must find the target's layout, the
// source's elements, each at the address that its layout's formula gives, and nothing but the pad value between them. Then
// npyio, a reader that shares no code with ours, must read the same type, order, shape and bytes; out of an archive with
// Go's archive/zip. It returns what was verified.
func (j *job) verify(draft *os.File) (string, error) {
	opts := source.Options{}
	switch {
	case j.out.raw:
		return j.verifyRaw(draft)
	case j.out.archive:
	case j.out.unrecorded != "" && !j.target.Hidden && !j.keepsAxes():
		opts.Layout = j.flags.to.Layout
	}
	again, err := source.OpenDraftTensor(j.out.arrayName(), draft, opts)
	if err != nil {
		return "", fault.In("verify", err)
	}
	defer again.Close()
	info, err := draft.Stat()
	if err != nil {
		return "", fault.In("verify", unnamed(err))
	}
	if !j.out.archive {
		return j.verifyAs(again, io.NewSectionReader(draft, 0, info.Size()))
	}
	archive, err := zip.NewReader(draft, info.Size())
	if err != nil {
		return "", fault.In("verify", unnamed(err))
	}
	return j.verifyIn(archive, again)
}

// verifyIn is verifyAs of an array of an archive.
func (j *job) verifyIn(archive *zip.Reader, again *source.Tensor) (string, error) {
	stranger, err := archive.Open(j.out.member + ".npy")
	if err != nil {
		return "", fault.In("verify", unnamed(err))
	}
	defer stranger.Close()
	return j.verifyAs(again, stranger)
}

// verifyRaw reads the bytes as the answer's flags do, which must give the layout, and as they are.
func (j *job) verifyRaw(draft *os.File) (string, error) {
	opts, _, err := j.readAgain()
	if err != nil {
		return "", err
	}
	again, err := source.OpenDraftTensor(j.out.path, draft, opts)
	if err != nil {
		return "", fault.In("verify", err)
	}
	defer again.Close()
	want, _, err := j.recorded()
	if err != nil {
		return "", err
	}
	found := again.Layout
	if !j.records() {
		if found, err = again.FileLayout(); err == nil {
			want, err = j.target.Layout, nil
		}
	}
	if err != nil {
		return "", err
	}
	if !sameLayout(found, want) {
		return "", fault.New(fault.Negative, "verify: the result is read as %s, not as %s", found, want)
	}
	byteType, err := dtype.Parse("uint8")
	if err != nil {
		return "", err
	}
	bytes, err := source.OpenDraftTensor(j.out.path, draft, source.Options{DType: &byteType, Raw: &source.Typed{Shape: []int{int(j.bytesWritten())}}})
	if err != nil {
		return "", fault.In("verify", err)
	}
	defer bytes.Close()
	if err := j.compareStorage(bytes); err != nil {
		return "", err
	}
	return j.comparedText() + " equal", nil
}

// verifyAs compares the array as it will be read, and as a stranger, who knows .npy files only, reads it.
func (j *job) verifyAs(again *source.Tensor, stranger io.Reader) (string, error) {
	if err := j.compareLayout(again); err != nil {
		return "", err
	}
	if err := j.compareStorage(again); err != nil {
		return "", err
	}
	note, err := secondReader(stranger, again)
	if err != nil {
		return "", fault.In("verify with npyio", err)
	}
	return j.comparedText() + " equal; " + note, nil
}

// comparedText says how many elements were compared.
func (j *job) comparedText() string {
	text := words.Count(j.target.Layout.Numel(), "element")
	if pad := j.target.Layout.Alloc() - j.target.Layout.Numel(); pad > 0 {
		text += fmt.Sprintf(" and %d of padding", pad)
	}
	return text
}

// compareLayout compares the layout that a reader of the output finds with the target's. A plain .npy file may not record
// it; then there is nothing to compare.
func (j *job) compareLayout(again *source.Tensor) error {
	found, want := again.Layout, j.target.Layout
	switch {
	case j.out.unrecorded != "" && (j.target.Hidden || j.keepsAxes()) || j.axes == nil && !j.out.archive:
		return nil
	case j.ofAxes():
		axes, err := again.FileLayout()
		if err != nil {
			return err
		}
		found = axes
	}
	if !sameLayout(found, want) {
		return fault.New(fault.Negative, "verify: the result is read as %s, not as %s", found, want)
	}
	return nil
}

// sameLayout compares layouts of dims that may be in another order.
func sameLayout(found, want tensor.Layout) bool {
	order := sameDims(want.Names(), found.Names())
	for i, k := range order {
		if k >= want.Rank() || found.Dim(i).Size != want.Dim(k).Size || want.Numel() > 0 && !sameDigits(found.Dim(i), want.Dim(k)) {
			return false
		}
	}
	return found.Rank() == want.Rank() && found.Offset() == want.Offset()
}

// sameDigits compares digits but for the strides that are never used, those of an index that is always 0.
func sameDigits(a, b tensor.Dim) bool {
	used := func(d tensor.Dim) []tensor.Digit {
		return slices.DeleteFunc(slices.Clone(d.Digits), func(g tensor.Digit) bool { return g.Extent == 1 })
	}
	return slices.Equal(used(a), used(b))
}

// compareStorage compares elements and padding, bit for bit.
func (j *job) compareStorage(again *source.Tensor) error {
	want, err := j.tensor.Data()
	if err != nil {
		return err
	}
	got, err := again.Data()
	if err != nil {
		return err
	}
	if j.plan.ItemSize == 0 {
		return nil // elements without bytes are all equal
	}
	c := &comparison{job: j, want: want, got: got}
	return j.tensor.Guard(func() error {
		return again.Guard(func() error { return c.run(maxMarked) })
	})
}

// maxMarked is for how many offsets of the result verify remembers which ones elements have: a bit of memory each.
const maxMarked = 1 << 30

// comparison compares the elements of the source with those of the result, and what no element of the result has with the pad value.
type comparison struct {
	*job
	want, got []byte
	elements  int // that were compared
}

// run visits each element once. Up to so many offsets are marked; beyond that elements are visited in the order of their offsets, so that
// padding is what is between two of them.
func (c *comparison) run(marked int) error {
	l := c.target.Layout
	if l.Alloc() == l.Numel() {
		return c.unordered(func(int) {})
	}
	if l.Alloc() > marked {
		if digits, ok := nestedDigits(l); ok {
			return c.ordered(digits)
		}
	}
	taken := make([]uint64, (l.Alloc()+63)/64)
	if err := c.unordered(func(d int) { taken[d/64] |= 1 << (d % 64) }); err != nil {
		return err
	}
	for d := range l.Alloc() {
		if taken[d/64]>>(d%64)&1 == 0 {
			if err := c.padding(d, d+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// unordered visits the elements in logical order.
func (c *comparison) unordered(visit func(offset int)) error {
	dims := sameDims(c.from.Names(), c.target.Layout.Names())
	for coord, s := range c.from.Logical() {
		d := c.target.Layout.At(permuted(coord, dims)...)
		if err := c.element(coord, s, d); err != nil {
			return err
		}
		visit(d)
	}
	return nil
}

// digit is one of a dim, by its number.
type digit struct {
	tensor.Digit
	dim int
}

// nestedDigits are those of a layout, the largest stride first; false if a stride does not exceed the reach of all smaller ones.
func nestedDigits(l tensor.Layout) (digits []digit, ok bool) {
	for i := range l.Rank() {
		for _, g := range l.Dim(i).Digits {
			if g.Extent > 1 {
				digits = append(digits, digit{g, i})
			}
		}
	}
	slices.SortFunc(digits, func(a, b digit) int { return ints.Abs(b.Stride) - ints.Abs(a.Stride) })
	reach := 0
	for _, g := range slices.Backward(digits) {
		if ints.Abs(g.Stride) <= reach {
			return nil, false
		}
		reach += (g.Extent - 1) * ints.Abs(g.Stride)
	}
	return digits, l.Swizzle().IsZero() && l.Numel() > 0
}

// ordered visits the elements as nested digits of the result count them: in the order of their offsets.
func (c *comparison) ordered(digits []digit) error {
	l := c.target.Layout
	dims := sameDims(c.from.Names(), l.Names())
	coord, next := make([]int, l.Rank()), 0 // in the order of the source's dims; the first offset that was not seen
	var count func(k int) error
	count = func(k int) error {
		if k == len(digits) {
			d := l.At(permuted(coord, dims)...)
			if err := c.padding(next, d); err != nil {
				return err
			}
			next = d + 1
			return c.element(coord, c.from.At(coord...), d)
		}
		g := digits[k]
		at, size := &coord[dims[g.dim]], l.Dim(g.dim).Size
		for n := range g.Extent {
			if g.Stride < 0 {
				n = g.Extent - 1 - n
			}
			first := *at
			if *at += n * g.Div; *at < size {
				if err := count(k + 1); err != nil {
					return err
				}
			}
			*at = first
		}
		return nil
	}
	if err := count(0); err != nil {
		return err
	}
	return c.padding(next, l.Alloc())
}

// element compares the element at offset s of the source and d of the result.
func (c *comparison) element(coord []int, s, d int) error {
	size := c.plan.ItemSize
	if c.elements++; !bytes.Equal(c.want[s*size:(s+1)*size], c.got[d*size:(d+1)*size]) {
		return fault.New(fault.Negative, "verify: element %s differs", tensor.Tuple(coord))
	}
	return nil
}

// padding compares the offsets from, …, to−1 of the result with the pad value.
func (c *comparison) padding(from, to int) error {
	size := c.plan.ItemSize
	for d := from; d < to; d++ {
		if !bytes.Equal(c.got[d*size:(d+1)*size], c.pad) {
			return fault.New(fault.Negative, "verify: the padding at offset %d is not %s", d, c.tensor.DType.FormatValue(c.pad))
		}
	}
	return nil
}

// sameDims returns, for each name in to, its index in from; the same index if from has no such name.
func sameDims(from, to []string) []int {
	dims := make([]int, len(to))
	for i, name := range to {
		if dims[i] = slices.Index(from, name); dims[i] < 0 {
			dims[i] = i
		}
	}
	return dims
}

// permuted is xs[order[0]], xs[order[1]], …; xs itself if that is its order, or if their lengths differ.
func permuted(xs, order []int) []int {
	if len(xs) != len(order) || slices.IsSorted(order) {
		return xs
	}
	out := make([]int, len(order))
	for i, k := range order {
		out[i] = xs[k]
	}
	return out
}

// secondReader reads the .npy file in stream with npyio (github.com/sbinet/npyio) and compares type, order and shape, and the
// bytes from where npyio says the data begins. It uses npyio for the header only: its decoder knows few types and holds all
// values in memory. npyio reads versions 1 and 2, and no dtype with a brace in a field's name.
func secondReader(file io.Reader, ours *source.Tensor) (note string, err error) {
	h := ours.Header
	if h.Major > 2 || strings.ContainsAny(h.Descr, "{}") {
		return "npyio does not read headers of this kind", nil
	}
	stream := bufio.NewReaderSize(file, int(min(1<<20, h.DataOffset+h.DataBytes)))
	r, err := npyio.NewReader(stream)
	if err != nil {
		return "", unnamed(err)
	}
	d := r.Header.Descr
	if !sameDescr(d.Type, latin1(h.Descr[1:len(h.Descr)-1])) || d.Fortran != h.Fortran || !slices.Equal(d.Shape, h.Shape) {
		return "", fault.New(fault.Negative, "it reads %s %v, fortran order %t", words.Quote(d.Type), d.Shape, d.Fortran)
	}
	return "npyio reads the same", ours.Guard(func() error { return compareStream(stream, ours) })
}

// sameDescr compares types in NumPy's spelling. Raw bytes have no order: <V2, as ml_dtypes writes bfloat16, is |V2.
func sameDescr(a, b string) bool {
	if len(a) > 1 && len(b) > 1 && a[1] == 'V' {
		return a[1:] == b[1:]
	}
	return a == b
}

// unnamed is an error of a library without the file's name, which the draft does not have yet.
func unnamed(err error) error {
	return fault.New(fault.Resource, "%s", words.Quote(fault.Cause(err).Error()))
}

// latin1 encodes text as the headers of versions 1 and 2 hold it, one byte for each character.
func latin1(s string) string {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

// compareStream compares what is left of the stream with the tensor's data.
func compareStream(stream io.Reader, ours *source.Tensor) error {
	data, err := ours.Data()
	if err != nil {
		return err
	}
	block := make([]byte, max(1, min(1<<20, len(data)+1)))
	for {
		n, err := io.ReadFull(stream, block)
		if n > len(data) || !bytes.Equal(block[:n], data[:n]) {
			return fault.New(fault.Negative, "it reads other bytes")
		}
		data = data[n:]
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			if len(data) > 0 {
				return fault.New(fault.Negative, "it reads %d bytes too few", len(data))
			}
			return nil
		case err != nil:
			return unnamed(err)
		}
	}
}
