package source

import (
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/text"
)

// openBeside opens the files that hold storages of the container: an ONNX model's external data. The tensors of a missing file are refused, and the
// file is a finding. A storage outside of its file is an error.
func (s *Set) openBeside(o Options) error {
	missing := map[string]error{} // why a file could not be opened; nil for an open one
	for i, x := range s.Storages {
		if x.File == "" {
			continue
		}
		if _, known := missing[x.File]; !known {
			s.Files = append(s.Files, x.File)
			missing[x.File] = s.openShard(x.File, o)
		}
		b := s.shards[x.File]
		if b != nil && x.At+x.Bytes > b.Size() {
			return fault.New(fault.Malformed, "storage %s has %d bytes at byte %d of %s, which has %d: it is truncated or damaged",
				text.Quoted(text.Cut(s.Storages[i].ID, 121)), x.Bytes, x.At, text.Quoted(x.File), b.Size()).
				WithHint("copy or download both files again")
		}
	}
	s.refuseMissing(missing)
	return nil
}

// openShard opens a file that the set's own file names, and checks that no link leads it out of their folder.
func (s *Set) openShard(file string, o Options) error {
	path := s.described.Sibling(file)
	if !path.IsBeside(s.described) {
		return fault.New(fault.Unsupported, "%s is a link out of the folder", text.Quoted(file))
	}
	b, err := input.Open(path, o.files())
	if err != nil {
		return err
	}
	if s.shards == nil {
		s.shards = map[string]input.File{}
	}
	s.shards[file] = b
	s.Size += b.Size()
	return nil
}

// refuseMissing moves the tensors of files that could not be opened to the refused ones.
func (s *Set) refuseMissing(missing map[string]error) {
	counts := map[string]int64{}
	kept := s.Tensors[:0]
	for _, t := range s.Tensors {
		file := s.Storages[t.Storage].File
		err := missing[file]
		if err == nil {
			kept = append(kept, t)
			continue
		}
		counts[file]++
		s.Refused = append(s.Refused, checkpoint.Refused{Name: t.Name, Why: "its elements cannot be read: " + err.Error(), Storages: []int{t.Storage}})
	}
	s.Tensors = kept
	for _, file := range s.Files {
		if counts[file] > 0 {
			s.Findings = append(s.Findings, safetensors.Finding{Kind: safetensors.MissingData, File: file, Claimed: counts[file]})
		}
	}
}
