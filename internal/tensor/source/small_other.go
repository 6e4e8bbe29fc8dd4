//go:build !unix

package source

import (
	"io"
	"os"
)

func readSmall(path string, buffer []byte) (s Small, ok bool) {
	file, err := os.Open(path)
	if err != nil {
		return s, false
	}
	defer file.Close()
	before, err := file.Stat()
	if err != nil || !before.Mode().IsRegular() || before.Size() > int64(len(buffer)) {
		return s, false
	}
	n, err := io.ReadFull(file, buffer[:before.Size()])
	if err != nil {
		return s, false
	}
	after, err := file.Stat()
	return Small{buffer[:n], before.Size(), before.ModTime().UnixNano()}, err == nil && after.Size() == before.Size() && after.ModTime().Equal(before.ModTime())
}
