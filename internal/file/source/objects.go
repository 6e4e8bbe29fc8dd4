package source

import (
	"bytes"
	"io"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/text"
)

// A member of an archive that is an object array is a container in the container: x.npz:meta, whose arrays are x.npz:meta:scale. Its data is a pickle,
// which is read as in a file of its own; nothing in it is executed.

// openObjects opens the object array that a pattern of an archive names, or in which it names a tensor, and returns what of the pattern is left. It then
// takes ownership of the archive's file. inner is nil if the pattern names no such member.
func (s *Set) openObjects(pattern string, o Options) (inner *Set, rest string, err error) {
	name, rest, ok := s.memberOf(pattern)
	if !ok {
		return nil, "", nil
	}
	err = s.file.Guard(func() error {
		m, err := s.archive.dir.Find(name)
		if err != nil {
			return nil // the error of a later, plain search says more
		}
		inner, err = s.readObjects(m, name, o)
		return err
	})
	if err != nil {
		s.Close()
		return nil, "", fault.In(s.Path.Member(name).String(), err)
	}
	return inner, rest, nil
}

// memberOf splits a pattern into a member's name and what follows it: nothing, or a colon and a pattern of the member's own tensors.
func (s *Set) memberOf(pattern string) (member, rest string, ok bool) {
	if _, found := s.find(pattern); found {
		return pattern, "", true
	}
	for i := range len(pattern) {
		if pattern[i] != ':' {
			continue
		}
		if _, found := s.find(pattern[:i]); found {
			return pattern[:i], pattern[i+1:], true
		}
	}
	return "", "", false
}

// readObjects reads a member that is an object array; nil for all others.
func (s *Set) readObjects(m zip.Member, name string, o Options) (*Set, error) {
	content, err := s.archive.dir.Content(m)
	if err != nil {
		return nil, err
	}
	at, ok := npy.Objects(content, m.Size, npy.Limits{MaxHeader: o.MaxHeader})
	if !ok {
		return nil, nil
	}
	if limit := torch.MaxPickle(s.limit); m.Size > limit {
		return nil, fault.New(fault.Resource, "a pickle of %s, over the limit of %s", text.Bytes(m.Size), text.Bytes(limit)).WithHint("%s", s.limit.Hint())
	}
	pickled, err := io.ReadAll(content) // to its end, where its checksum is compared
	if err != nil {
		return nil, err
	}
	inner := newSet(s.Path.Member(name), checkpoint.Pickle, s.file, o)
	inner.Size = m.Size
	inner.Container, err = torch.OpenPickle(bytes.NewReader(pickled), 0, m.Size-at, s.limit)
	if err != nil {
		return nil, err
	}
	inner.index()
	inner.open = inner.openView
	return inner, nil
}
