package source

import (
	"cmp"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/npz"
	"github.com/tlayout/tlayout/internal/name"
)

// Archive lists an archive's members.
type Archive struct {
	Path     name.Name
	Size     int64 // bytes
	Entries  []Entry
	Warnings []string
}

// Entry is a member of an archive.
type Entry struct {
	npz.Entry
	Layout string // from layout.json or the member's name; empty if neither has one
}

// List lists an archive; see npz.Archive.
func (s *Set) List(o Options) (*Archive, error) {
	list := &Archive{Path: s.Path, Size: s.Size}
	return list, fault.In(s.Path.String(), s.file.Guard(func() error {
		entries, warnings, err := s.archive.dir.List(o.MaxHeader)
		if err != nil {
			return err
		}
		list.Warnings = warnings
		list.Entries = make([]Entry, len(entries))
		for i, e := range entries {
			list.Entries[i].Entry = e
		}
		list.addLayouts(s.archive)
		return nil
	}))
}

// addLayouts sets the entries' Layout. A record that is unreadable or another array's is reported in one warning.
func (l *Archive) addLayouts(a *archive) {
	first := ""
	for i := range l.Entries {
		e := &l.Entries[i]
		if !e.Array() {
			continue
		}
		r, warning, err := a.recordOf(e.Member)
		if err != nil {
			warning = err.Error()
		}
		first = cmp.Or(first, warning)
		if r != nil {
			e.Layout = r.Title()
		} else if f, ok := filename.Order(e.Name, e.Shape); ok {
			e.Layout = f.String()
		}
	}
	if first != "" {
		l.Warnings = append(l.Warnings, first)
	}
}
