//go:build unix

package input

import (
	"golang.org/x/sys/unix"

	"github.com/tlayout/tlayout/internal/name"
)

// ReadSmall reads a regular file into buffer. ok is false if the file is larger than the buffer, changes meanwhile, or cannot be opened;
// Open reports why.
//
// It opens, stats, reads, stats again and closes: five system calls, without the runtime's poller.
func ReadSmall(n name.Name, buffer []byte) (content []byte, ok bool) {
	fd, err := unix.Open(n.Raw(), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd) //nolint:errcheck // only read
	var before, after unix.Stat_t
	if err := unix.Fstat(fd, &before); err != nil || before.Mode&unix.S_IFMT != unix.S_IFREG || before.Size > int64(len(buffer)) {
		return nil, false
	}
	size, err := unix.Pread(fd, buffer, 0)
	if err != nil || int64(size) != int64(before.Size) {
		return nil, false
	}
	err = unix.Fstat(fd, &after)
	return buffer[:size], err == nil && after.Size == before.Size && after.Mtim == before.Mtim
}
