// Package pairing finds which tensors of two sources hold the same elements, and in which order.
//
//	contents.go  every tensor of a side by its elements, whatever their order
//	related.go   the order in which one tensor holds another's elements
//	parts.go     a tensor that is several of the other side, one after the other along a dim
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
	errs := make([]error, len(names))
	var reading sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, name := range names {
		items[i].Name = name
		t, err := s.Open(name)
		errs[i] = err
		if err != nil {
			continue
		}
		free <- struct{}{}
		reading.Go(func() {
			defer func() { t.Close(); <-free }()
			print, err := s.print(Whole(t))
			if err == nil {
				items[i] = relate.Item{Name: name, Type: t.DType.LittleEndian().String(), Shape: t.Layout.Shape(), Print: print}
				return
			}
			if fault.ClassOf(err) != fault.Unsupported {
				errs[i] = err
			}
		})
	}
	reading.Wait()
	return items, cmp.Or(errs...)
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
