package input

import (
	"io"
	"math"
	"os"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scratch"
	"github.com/tlayout/tlayout/internal/text"
)

// Stdin is the name of standard input in messages.
const Stdin = "standard input"

// Spool copies a stream into a nameless temporary file (in $TMPDIR) and opens that, so that a stream can be read at any offset and more
// than once. More than limit bytes are fault.Resource; a limit of 0 is no limit. An empty stream is fault.Malformed. Close frees the disk
// space, as does the end of the program, however it ends; on Windows only Close does.
func Spool(name string, r io.Reader, limit int64) (File, error) {
	return notNil(spool(name, r, limit, scratch.File))
}

// Text returns a text as a file: a small one is copied into memory.
func Text(name, text string) (File, error) {
	if len(text) <= smallCopy {
		return Memory(name, []byte(text)), nil
	}
	return Spool(name, strings.NewReader(text), 0)
}

// Count reads a stream to its end, and returns its length and at most keep of its first bytes. It returns the errors of Spool.
func Count(name string, r io.Reader, keep int) (n int64, head string, err error) {
	in := &errReader{r: r}
	begins := make([]byte, keep)
	first, _ := io.ReadFull(in, begins)
	rest := int64(0)
	if first == len(begins) {
		rest, _ = io.Copy(io.Discard, in)
	}
	n = int64(first) + rest
	if in.err != nil {
		return n, "", failure("read", name, in.err)
	}
	if n == 0 {
		return 0, "", fault.New(fault.Malformed, "%s: file is empty", name)
	}
	return n, string(begins[:first]), nil
}

// spool is Spool with a choice of temporary file.
func spool(name string, r io.Reader, limit int64, create func() (file *os.File, cleanup string, err error)) (*local, error) {
	file, cleanup, err := create()
	if err != nil {
		return nil, noRoom("make a temporary file in "+text.Quoted(os.TempDir()), err)
	}
	b, err := spoolInto(file, name, r, limit)
	if err != nil {
		file.Close()
		if cleanup != "" {
			os.Remove(cleanup)
		}
		return nil, err
	}
	b.cleanup = cleanup
	return b, nil
}

// spoolInto fills the file, and owns it unless it returns an error.
func spoolInto(file *os.File, name string, r io.Reader, limit int64) (*local, error) {
	if limit <= 0 || limit == math.MaxInt64 {
		limit = math.MaxInt64 - 1 // limit+1 does not overflow
	}
	in := &errReader{r: io.LimitReader(r, limit+1)}
	n, err := io.CopyBuffer(struct{ io.Writer }{file}, in, make([]byte, 1<<20))
	if in.err != nil {
		return nil, failure("read", name, in.err)
	}
	if err != nil {
		return nil, noRoom("keep "+name+" in a temporary file", err)
	}
	if n > limit {
		return nil, fault.New(fault.Resource, "%s has more than %d bytes", name, limit).
			WithHint("save it to a file, and pass that file")
	}
	return newLocal(name, file)
}

// noRoom is the error for a temporary file that cannot be created or written.
func noRoom(what string, err error) error {
	e := fault.New(fault.Resource, "cannot %s: %s", what, fault.Cause(err))
	return e.WithHint("set TMPDIR to a writable folder with free space")
}

// errReader keeps the error of its reader, to distinguish it from errors of the writer.
type errReader struct {
	r   io.Reader
	err error
}

func (m *errReader) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != io.EOF {
		m.err = err
	}
	return n, err
}
