package diff

import (
	"io"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// maxRepeats bounds the size of a broadcast tensor, as a multiple of its storage: a larger one has no fingerprint, and is not copied.
const maxRepeats = 64

// checkRepeats fails with Unsupported if the tensor repeats its elements too often.
func checkRepeats(s Side) error {
	if s.Layout.Numel()/maxRepeats > len(s.Data)/max(1, s.DType.ItemSize()) {
		return fault.New(fault.Unsupported, "it repeats %d elements %d times", s.Layout.Alloc(), s.Layout.Numel()/max(1, s.Layout.Alloc()))
	}
	return nil
}

// Fingerprint returns the fingerprint of a side's elements, which does not depend on their order. A packed tensor is read once, in the order
// of its memory; others are read in row-major order. It fails with Unsupported if the tensor repeats its elements too often.
func Fingerprint(s Side, o convert.Options) (f relate.Fingerprint, err error) {
	size := s.DType.ItemSize()
	if low, high, ok := s.Layout.Span(); ok && s.Layout.Packed() && s.Layout.Swizzle().IsZero() {
		err = guarded(o, func() error { f = s.fingerprint(low*size, (high+1)*size); return nil })
		return f, err
	}
	if err := checkRepeats(s); err != nil {
		return f, err
	}
	err = writeRows(writer(func(p []byte) { f = f.Add(relate.Of(p, s.DType)) }), s, o)
	return f, err
}

// fingerprint returns the fingerprint of whole elements, and releases the memory of those that it has read.
func (s Side) fingerprint(from, to int) (f relate.Fingerprint) {
	const limit = 4 << 20
	size := s.DType.ItemSize()
	piece := max(size, limit-limit%max(1, size))
	for at := from; at < to; at += piece {
		end := min(at+piece, to)
		f = f.Add(relate.Of(s.Data[at:end], s.DType))
		if s.Pages != nil {
			s.Pages.Release(at, end)
		}
	}
	return f
}

// MaxDense bounds the elements that Dense copies, in bytes.
const MaxDense = 1 << 30

// Dense returns a side's elements in row-major order of its dims: its own memory if it has that order, a copy otherwise. It fails with
// Unsupported if the copy exceeds MaxDense, or repeats elements too often.
func Dense(s Side, o convert.Options) ([]byte, error) {
	size := s.DType.ItemSize()
	bytes := s.Layout.Numel() * size
	if strided, ok := s.Layout.Strided(); ok && s.Layout.Packed() && strided.IsContiguous(tensor.ContiguousFormat) {
		return s.Data[s.Layout.Offset()*size:][:bytes], nil
	}
	if bytes > MaxDense {
		return nil, fault.New(fault.Unsupported, "its order is compared in memory, and it has %s", text.Bytes(int64(bytes)))
	}
	if err := checkRepeats(s); err != nil {
		return nil, err
	}
	dense := make([]byte, 0, bytes)
	err := writeRows(writer(func(p []byte) { dense = append(dense, p...) }), s, o)
	return dense, err
}

// writeRows writes a side's elements in row-major order.
func writeRows(w io.Writer, s Side, o convert.Options) error {
	to, err := convert.Own(s.Layout, false)
	if err != nil {
		return err
	}
	plan, err := convert.NewPlan(to.Layout, s.Layout, s.DType.ItemSize())
	if err != nil {
		return err
	}
	return guarded(o, func() error { return plan.Write(w, s.Data, nil, 1<<20, o) })
}

// guarded calls f, which reads the source.
func guarded(o convert.Options, f func() error) error {
	if o.Guard == nil {
		return f()
	}
	return o.Guard(f)
}

// writer is a function that takes whole elements.
type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}
