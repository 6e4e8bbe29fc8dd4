// Package pairing finds which tensors of two sources hold the same elements, and in which order.
//
//	contents.go  every tensor of a side by its elements, whatever their order
//	related.go   the order in which one tensor holds another's elements
//	rows.go      layouts of a storage through the order of its elements
//	cuts.go      which tensors have rows of which others
//	made.go      a tensor that is made of rows of the other side's
//	wording.go   how it is made, in a few words
//	near.go      which tensors may hold each other's numbers, within a tolerance
package pairing

import (
	"cmp"
	"runtime"
	"sync"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/diff"
)

// Side is one of the two sources.
type Side struct {
	Open    func(name string) (*source.Tensor, error)
	Convert convert.Options // how non-contiguous tensors are read
}

// Contents returns the named tensors by their elements, reading each once, in parallel. One that cannot be read has only its name, and the first
// such error is returned too; one that repeats its elements too often has only its name as well, without an error.
func (s Side) Contents(names []string) ([]relate.Item, error) {
	items := make([]relate.Item, len(names))
	err := s.each(names, func(i int, t *source.Tensor) error {
		print, err := s.print(Whole(t))
		if err != nil {
			return err
		}
		items[i] = relate.Item{Name: names[i], Type: t.DType.LittleEndian().String(), Shape: t.Layout.Shape(), Print: print}
		return nil
	})
	for i, name := range names {
		items[i].Name = name
	}
	return items, err
}

// each calls do for the named tensors, several at once, and returns the first error but those of class Unsupported.
func (s Side) each(names []string, do func(i int, t *source.Tensor) error) error {
	errs := make([]error, len(names))
	var reading sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, name := range names {
		t, err := s.Open(name)
		errs[i] = err
		if err != nil {
			continue
		}
		free <- struct{}{}
		reading.Go(func() {
			defer func() { t.Close(); <-free }()
			err := do(i, t)
			if fault.ClassOf(err) != fault.Unsupported {
				errs[i] = err
			}
		})
	}
	reading.Wait()
	return cmp.Or(errs...)
}

// print returns the fingerprint of a tensor, read on one thread.
func (s Side) print(v View) (relate.Fingerprint, error) {
	side, err := v.side()
	if err != nil {
		return relate.Fingerprint{}, err
	}
	o := s.Convert
	o.Threads = 1
	o.Guard = v.Tensor.Guard
	o.Disk = v.Tensor
	return diff.Fingerprint(side, o)
}
