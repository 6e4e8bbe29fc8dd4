//go:build !js

package source

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/dcp"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// folderKind is what a folder is, if it is one source.
type folderKind int

const (
	notOneSource folderKind = iota
	zarrFolder              // a Zarr array or group
	dcpFolder               // a checkpoint of torch.distributed.checkpoint
	rankFolder              // rank files
)

// kindOf returns what a folder is, or the folder that a file or a pattern of files stands for.
func kindOf(n name.Name) folderKind {
	if n.IsRemote() {
		return notOneSource
	}
	if isZarrFile(n) {
		return zarrFolder
	}
	if n.IsFolder() {
		if _, ok := zarrMetadata(n); ok {
			return zarrFolder
		}
		if isMetadata(n.Join(dcp.File)) {
			return dcpFolder
		}
	}
	if _, ok := ranksOf(n); ok {
		return rankFolder
	}
	return notOneSource
}

// IsFolder reports whether a folder, a file that stands for one, or a name that stands for files in one is one source.
func IsFolder(n name.Name) bool { return kindOf(n) != notOneSource }

// isMetadata reports whether a file describes a checkpoint of torch.distributed.checkpoint.
func isMetadata(n name.Name) bool {
	if !n.IsFile() {
		return false
	}
	b, err := input.Open(n, input.Options{})
	if err != nil {
		return false
	}
	defer b.Close()
	head, err := readHead(b)
	return err == nil && beginsMetadata(head)
}

// beginsMetadata reports whether a file with these first bytes describes a checkpoint of torch.distributed.checkpoint.
func beginsMetadata(head string) bool { return dcp.Begins(head) }

// openFolder opens a folder that is one source; s is nil if a name is none.
func openFolder(path name.Name, o Options) (s *Set, err error) {
	switch kindOf(path) {
	case zarrFolder:
		return openZarr(path, o)
	case dcpFolder:
		file := path.Join(dcp.File)
		b, err := input.Open(file, o.files())
		if err != nil {
			return nil, err
		}
		return openSliced(path, file, b, o)
	case rankFolder:
		ranks, _ := ranksOf(path)
		return openRanks(path, ranks, o)
	}
	return nil, nil
}

// openSliced opens the checkpoint of torch.distributed.checkpoint that a file describes. It takes ownership of b.
func openSliced(path, file name.Name, b input.File, o Options) (*Set, error) {
	s := newSet(path, checkpoint.DCP, b, o)
	s.described = file
	err := fault.In(path.String(), b.Guard(func() (err error) {
		s.Container, err = dcp.Open(b, b.Size(), s.limit)
		if err != nil {
			return err
		}
		return s.openSlices(o)
	}))
	return s.completed(err)
}

// openSlices opens the files of all slices, and refuses each tensor whose elements are not in exactly one slice of them.
func (s *Set) openSlices(o Options) error {
	missing := map[string]error{} // by file; nil for an open one
	lost := map[string]int64{}    // tensors of a missing file
	kept := s.Tensors[:0]
	var bad []safetensors.Finding
	for _, t := range s.Tensors {
		why := ""
		for _, x := range s.SlicesOf(t.Storage) {
			if _, known := missing[x.File]; !known {
				if err := s.limit.Check(uint64(len(s.Files))+1, "files"); err != nil {
					return err
				}
				missing[x.File] = nil
				if s.shards[x.File] == nil {
					s.Files = append(s.Files, x.File)
					missing[x.File] = s.openShard(x.File, o)
				}
			}
			b := s.shards[x.File]
			if b == nil {
				why = "its elements cannot be read: " + missing[x.File].Error()
				lost[x.File]++
				break
			}
			if x.At > b.Size()-x.Bytes {
				why = fmt.Sprintf("its slice %s has %d bytes at byte %d of %s, which has %d", x, x.Bytes, x.At, text.Quoted(x.File), b.Size())
				bad = append(bad, safetensors.Finding{Kind: safetensors.BadSlices, Tensor: t.Name, Other: why})
				break
			}
		}
		if why == "" {
			why = checkpoint.Uncovered(t.View.Shape, s.SlicesOf(t.Storage))
			if why != "" {
				bad = append(bad, safetensors.Finding{Kind: safetensors.BadSlices, Tensor: t.Name, Other: why})
			}
		}
		if why == "" {
			kept = append(kept, t)
			continue
		}
		s.Refused = append(s.Refused, checkpoint.Refused{Name: t.Name, Why: why, Storages: []int{t.Storage}})
	}
	s.Tensors = kept
	for _, file := range s.Files {
		if lost[file] > 0 {
			s.Findings = append(s.Findings, safetensors.Finding{Kind: safetensors.MissingData, File: file, Claimed: lost[file]})
		}
	}
	s.Findings = append(s.Findings, bad...)
	return nil
}

// openRow opens files of torch.save in a row. If they are part of a checkpoint whose metadata is beside them, it names their tensors. It takes
// ownership of b.
func openRow(path name.Name, b input.File, o Options) (*Set, error) {
	s := newSet(path, checkpoint.Streams, b, o)
	names := map[int64]string{}
	if file := path.Sibling(dcp.File); isMetadata(file) {
		beside, err := input.Open(file, o.files())
		if err != nil {
			return s.completed(err)
		}
		defer beside.Close()
		if c, err := dcp.Open(beside, beside.Size(), s.limit); err == nil {
			names = dcp.Names(c, func(file string) bool { return path.Sibling(file) == path.Clean() })
		}
	}
	return s.completed(fault.In(path.String(), b.Guard(func() (err error) {
		s.Container, err = dcp.OpenStreams(b, b.Size(), s.limit, names)
		return err
	})))
}
