package input

import "io"

// assembled is a file whose bytes are put together from those of others when they are read.
type assembled struct {
	resident
	name string
	size int64
	read func(p []byte, at int64) error
}

// Assembled returns a file of size bytes of which read fills p with those from byte at on, from any goroutine. Its ranges are copies in memory.
func Assembled(name string, size int64, read func(p []byte, at int64) error) File {
	return &assembled{name: name, size: size, read: read}
}

func (a *assembled) ReadAt(p []byte, off int64) (int, error) {
	n := min(int64(len(p)), max(0, a.size-off))
	err := a.read(p[:n], off)
	if err != nil {
		return 0, err
	}
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

func (a *assembled) Size() int64 { return a.size }

func (a *assembled) Range(off, n int64) ([]byte, error) {
	if err := within(a.name, a.size, off, n); err != nil {
		return nil, err
	}
	p := make([]byte, n)
	return p, ReadFull(a, p, off)
}

func (a *assembled) Guard(f func() error) error { return f() }
func (a *assembled) Unchanged() error           { return nil }
func (a *assembled) Close() error               { return nil }
