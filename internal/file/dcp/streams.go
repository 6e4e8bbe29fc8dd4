package dcp

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/file/zip"
)

// OpenStreams reads files of torch.save in a row, as in a .distcp file: the tensors of each, in the file's order. names are those of the tensors by the
// byte at which their file begins; others have the number of their file for a name.
func OpenStreams(r io.ReaderAt, size int64, limit checkpoint.Limit, names map[int64]string) (*checkpoint.Container, error) {
	starts, err := startsOf(r, size, limit)
	if err != nil {
		return nil, err
	}
	all := &checkpoint.Container{Format: checkpoint.Streams}
	claims := limit.Claims()
	for i, at := range starts[:len(starts)-1] {
		c, err := torch.Open(io.NewSectionReader(r, at, starts[i+1]-at), starts[i+1]-at, limit)
		if err != nil {
			return nil, fault.In("file "+strconv.Itoa(i)+" in it", err)
		}
		first := len(all.Storages)
		for _, s := range c.Storages {
			s.ID = strconv.Itoa(i) + "/" + s.ID
			if !s.Inline {
				s.At += at
			}
			all.Storages = append(all.Storages, s)
		}
		name, ok := names[at]
		if !ok {
			name = strconv.Itoa(i)
		}
		for _, t := range c.Tensors {
			t.Name = strings.TrimSuffix(name+"."+t.Name, ".")
			t.Root = false
			t.Storage += first
			again, err := claims.Claim(t.Name)
			if err != nil {
				return nil, err
			}
			if again {
				t.Name += "#" + strconv.Itoa(i)
			}
			all.Tensors = append(all.Tensors, t)
		}
		for _, x := range c.NotShown() {
			x.Name = strings.TrimSuffix(name+"."+x.Name, ".")
			for k := range x.Storages {
				x.Storages[k] += first
			}
			all.Refused = append(all.Refused, x)
		}
	}
	return all, nil
}

// startsOf returns where each file begins, and at last the size of all. An archive says at its end where it begins.
func startsOf(r io.ReaderAt, size int64, limit checkpoint.Limit) ([]int64, error) {
	starts := []int64{size}
	for end := size; end > 0; {
		if err := limit.Check(uint64(len(starts)), "files in a row"); err != nil {
			return nil, err
		}
		at, ok, err := zip.LastStart(r, end)
		if err != nil {
			return nil, err
		}
		if !ok || at >= end {
			return nil, fault.New(fault.Malformed, "its bytes up to %d are not files of torch.save in a row", end).
				WithHint("the file is incomplete; copy or download it again")
		}
		starts = append(starts, at)
		end = at
	}
	slices.Reverse(starts)
	return starts, nil
}
