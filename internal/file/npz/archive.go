package npz

import (
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/text"
)

// Archive is a zip archive whose members have NumPy names.
type Archive struct{ *zip.Archive }

// Open reads the directory of an archive of size bytes. Errors are those of zip.Open.
func Open(file io.ReaderAt, size int64) (*Archive, error) {
	a, err := zip.Open(file, size, ".npz file")
	if err != nil {
		return nil, err
	}
	return &Archive{a}, nil
}

// Find returns the member of that name, or else of that name with ".npy" appended, as NumPy does. Without one, the error is
// fault.Usage; with two, fault.Malformed, because readers disagree about which one counts.
func (a *Archive) Find(name string) (zip.Member, error) {
	for _, full := range []string{name, name + suffix} {
		if m, ok, err := a.Named(full); ok || err != nil {
			return m, err
		}
	}
	return zip.Member{}, a.missing(name)
}

// compared bounds the names that are searched for a misspelt one.
const compared = 1000

// suffix ends the names of members that hold arrays.
const suffix = ".npy"

// missing returns the error for a name that no member has.
func (a *Archive) missing(name string) error {
	err := fault.New(fault.Usage, "no array %s", text.Quoted(name))
	names := a.Names()
	if near := text.Nearest(name, names[:min(len(names), compared)]); near != "" {
		return err.WithHint("did you mean %s?", text.Quoted(near))
	}
	return err.WithHint("%s", Listed(names))
}

// Names returns the members' NumPy names: without ".npy".
func (a *Archive) Names() []string {
	names := make([]string, len(a.Members))
	for i, m := range a.Members {
		names[i] = Key(m)
	}
	return names
}

// Key returns the member's NumPy name: without ".npy".
func Key(m zip.Member) string { return strings.TrimSuffix(m.Name, suffix) }

// maxListed bounds the names listed in an error.
const maxListed = 8

// Listed returns names as part of an error.
func Listed(names []string) string {
	if len(names) == 0 {
		return "the archive is empty"
	}
	shown := slices.Clone(names)
	for i, name := range shown {
		shown[i] = text.Quote(text.Cut(name, 61))
	}
	return "the archive holds " + text.First(maxListed, shown, ", ")
}
