package source

import (
	"io"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
)

// A page has files and no folders, and does without Zarr and checkpoints in slices, which cost it kilobytes.

// IsFolder reports whether a folder is one source.
func IsFolder(name.Name) bool { return false }

func beginsMetadata(string) bool { return false }

func openFolder(name.Name, Options) (*Set, error) { return nil, nil }

func openSliced(path, _ name.Name, b input.File, o Options) (*Set, error) { return openRow(path, b, o) }

func openRow(path name.Name, b input.File, _ Options) (*Set, error) {
	if b != nil {
		b.Close()
	}
	return nil, fault.In(path.String(), fault.New(fault.Unsupported, "several files of torch.save in a row, as in PyTorch's distributed checkpoints").
		WithHint("the program reads them, the page does not"))
}

func (s *Set) assemble(int) input.File { return s.file }

// CompareReplicas has none to compare.
func (s *Set) CompareReplicas() error { return nil }

func (s *Set) content(storage int) func() (io.Reader, error) {
	return func() (io.Reader, error) { return s.Content(storage) }
}
