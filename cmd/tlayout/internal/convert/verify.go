package convert

import (
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

// verify reads the published file again and compares every element with the source, each found by its own layout's
// address formula. Then npyio, a reader that shares no code with ours, must read the same type, order, shape and bytes.
// It returns what was verified.
func (j *job) verify() (string, error) {
	opts := source.Options{}
	if !j.target.Hidden && !j.keepsAxes() {
		opts.Layout = j.options.to.Layout
	}
	again, err := source.Open(j.out, opts)
	if err != nil {
		return "", fault.In("verify", err)
	}
	defer again.Close()
	if err := j.compareElements(again); err != nil {
		return "", err
	}
	note, err := secondReader(j.out, again)
	if err != nil {
		return "", fault.In("verify with npyio", err)
	}
	return fmt.Sprintf("%s equal; %s", words.Count(j.target.Layout.Numel(), "element"), note), nil
}

// compareElements walks the logical coordinates and compares the elements at both addresses, bit for bit.
func (j *job) compareElements(again *source.Tensor) error {
	from, to := j.from, again.Layout
	if j.keepsAxes() {
		axes, err := again.FileLayout()
		if err != nil {
			return err
		}
		to = axes
	}
	dims := sameDims(from.Names(), to.Names())
	if !slices.Equal(permuted(from.Shape(), dims), to.Shape()) {
		return fault.New(fault.Negative, "verify: the result has shape %s, the source %s", tensor.Tuple(to.Shape()), tensor.Tuple(from.Shape()))
	}
	want, err := j.tensor.Data()
	if err != nil {
		return err
	}
	got, err := again.Data()
	if err != nil {
		return err
	}
	n := j.plan.ItemSize
	if n == 0 {
		return nil // elements without bytes are all equal
	}
	return j.tensor.Guard(func() error {
		return again.Guard(func() error {
			for coord, s := range from.Logical() {
				if d := to.At(permuted(coord, dims)...); !bytes.Equal(want[s*n:(s+1)*n], got[d*n:(d+1)*n]) {
					return fault.New(fault.Negative, "verify: element %s differs", tensor.Tuple(coord))
				}
			}
			return nil
		})
	})
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

// secondReader opens the file with npyio (github.com/sbinet/npyio) and compares type, order and shape, and the bytes
// from where npyio says the data begins. It uses npyio for the header only: its decoder knows few types and holds all
// values in memory. npyio reads versions 1 and 2, and no dtype with a brace in a field's name.
func secondReader(path string, ours *source.Tensor) (note string, err error) {
	h := ours.Header
	if h.Major > 2 || strings.ContainsAny(h.Descr, "{}") {
		return "npyio does not read headers of this kind", nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	stream := bufio.NewReaderSize(file, 1<<20)
	r, err := npyio.NewReader(stream)
	if err != nil {
		return "", err
	}
	d := r.Header.Descr
	if d.Type != latin1(h.Descr[1:len(h.Descr)-1]) || d.Fortran != h.Fortran || !slices.Equal(d.Shape, h.Shape) {
		return "", fault.New(fault.Negative, "it reads %s %v, fortran order %t", words.Quote(d.Type), d.Shape, d.Fortran)
	}
	return "npyio reads the same header and bytes", ours.Guard(func() error { return compareStream(stream, ours) })
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
	block := make([]byte, 1<<20)
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
			return err
		}
	}
}
