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
	"github.com/tlayout/tlayout/internal/tensor"
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
	case j.out.archive:
	case j.out.unrecorded != "" && !j.target.Hidden && !j.keepsAxes():
		opts.Layout = j.flags.to.Layout
	}
	again, err := source.OpenDraft(j.out.arrayName(), draft, opts)
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
	text := words.Count(j.target.Layout.Numel(), "element")
	if pad := j.target.Layout.Alloc() - j.target.Layout.Numel(); pad > 0 {
		text += fmt.Sprintf(" and %d of padding", pad)
	}
	return text + " equal; " + note, nil
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
	order := sameDims(want.Names(), found.Names())
	for i, k := range order {
		if k >= want.Rank() || found.Dim(i).Size != want.Dim(k).Size || want.Numel() > 0 && !sameDigits(found.Dim(i), want.Dim(k)) {
			return fault.New(fault.Negative, "verify: the result is read as %s, not as %s", found, want)
		}
	}
	if found.Rank() != want.Rank() || found.Offset() != want.Offset() {
		return fault.New(fault.Negative, "verify: the result is read as %s, not as %s", found, want)
	}
	return nil
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
	return j.tensor.Guard(func() error {
		return again.Guard(func() error {
			for from := 0; from == 0 || from < j.target.Layout.Alloc(); from += verifyWindow {
				if err := j.compareWindow(want, got, from, min(verifyWindow, j.target.Layout.Alloc()-from)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// verifyWindow is how many offsets of the result are compared at once; each takes a bit of memory if there is padding.
const verifyWindow = 1 << 30

// compareWindow compares n offsets of the result. An element belongs to a window by its offset; what no element has is
// padding.
func (j *job) compareWindow(want, got []byte, from, n int) error {
	source, result, size := j.from, j.target.Layout, j.plan.ItemSize
	dims := sameDims(source.Names(), result.Names())
	var taken []uint64
	if result.Alloc() > result.Numel() {
		taken = make([]uint64, (n+63)/64)
	}
	for coord, s := range source.Logical() {
		d := result.At(permuted(coord, dims)...)
		if d < from || d >= from+n {
			continue
		}
		if !bytes.Equal(want[s*size:(s+1)*size], got[d*size:(d+1)*size]) {
			return fault.New(fault.Negative, "verify: element %s differs", tensor.Tuple(coord))
		}
		if taken != nil {
			taken[(d-from)/64] |= 1 << ((d - from) % 64)
		}
	}
	if taken == nil {
		return nil
	}
	for d := from; d < from+n; d++ {
		if taken[(d-from)/64]>>((d-from)%64)&1 == 0 && !bytes.Equal(got[d*size:(d+1)*size], j.pad) {
			return fault.New(fault.Negative, "verify: the padding at offset %d is not %s", d, j.tensor.DType.FormatValue(j.pad))
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
