package input

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/remote"
)

// object is a remote object in memory.
type object []byte

func (o object) Size() int64 { return int64(len(o)) }

func (o object) Open(off, n int64) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(o[off : off+n])), nil
}

// TestDownloadLimit: the limit bounds the bytes of all ranges of an object together, and itself is allowed. What is cached stays readable after a
// range was refused, and counts once.
func TestDownloadLimit(t *testing.T) {
	content := counted(4 * block)
	b := &remoteFile{name: "x", reader: remote.NewReader("x", object(content), nil), limit: 2 * block, blocks: map[int64]bool{}}
	defer b.Close()
	read := func(off, n int64) error {
		got, err := b.Range(off, n)
		if err == nil && !bytes.Equal(got, content[off:off+n]) {
			t.Errorf("other bytes at %d", off)
		}
		return err
	}
	for _, off := range []int64{0, 10, block + 5, 7} {
		if err := read(off, 100); err != nil {
			t.Errorf("at %d, within the limit: %v", off, err)
		}
	}
	var e *fault.Error
	if err := read(2*block, 1); !errors.As(err, &e) || e.Class != fault.Resource || e.Text != "x: needs 3 MiB, more than the limit of 2 MiB" {
		t.Errorf("beyond the limit: %+v", err)
	}
	if err := read(block-50, 100); err != nil {
		t.Errorf("cached bytes after a refusal: %v", err)
	}
}
