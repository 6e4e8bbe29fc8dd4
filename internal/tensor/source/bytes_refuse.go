package source

import (
	"errors"
	"io/fs"
	"os"

	"github.com/tlayout/tlayout/internal/fault"
)

// kinds names what is not a regular file. The more special kinds stand first.
var kinds = []struct {
	mode fs.FileMode
	name string
}{
	{fs.ModeDir, "a directory"},
	{fs.ModeNamedPipe, "a pipe"},
	{fs.ModeSocket, "a socket"},
	{fs.ModeDevice, "a device"},
	{fs.ModeIrregular, "not a regular file"},
}

// refuseIrregular returns fault.Resource unless info describes a regular file.
func refuseIrregular(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	kind := "not a regular file"
	for _, k := range kinds {
		if info.Mode()&k.mode != 0 {
			kind = k.name
			break
		}
	}
	err := fault.New(fault.Resource, "cannot read %s: it is %s", name, kind)
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return err.WithHint("use - to read standard input")
	}
	return err
}

// failure tells what could not be done with the named input, without naming it twice. An error that says whose fault it
// is stays what it is.
func failure(verb, name string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	return fault.New(fault.Resource, "cannot %s %s: %v", verb, name, systemError(err))
}

// systemError is what the system said, without the call and the path.
func systemError(err error) error {
	var p *fs.PathError
	var s *os.SyscallError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &s):
		return s.Err
	}
	return err
}
