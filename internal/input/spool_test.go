package input

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tlayout/tlayout/internal/hostile"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scratch"
)

// keptSpoolFile is for systems that cannot remove an open file's name.
func keptSpoolFile() (*os.File, string, error) {
	file, err := os.CreateTemp("", "kept")
	return file, file.Name(), err
}

func TestSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	want := counted(3<<20 + 5)
	for name, create := range map[string]func() (*os.File, string, error){
		"preferred": scratch.File, "named": scratch.Named, "kept": keptSpoolFile,
	} {
		b, err := spool(Stdin, iotest.HalfReader(bytes.NewReader(want)), 0, create)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.Range(0, b.Size())
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		kept := name == "kept" || runtime.GOOS == "windows"
		if left, err := os.ReadDir(os.TempDir()); err != nil || (len(left) > 0) != kept {
			t.Errorf("%s: %v in the temporary directory, %v", name, left, err)
		}
		if err := errors.Join(b.Guard(func() error { return nil }), b.Close()); err != nil {
			t.Error(err)
		}
		_, err = spool(Stdin, iotest.ErrReader(errOwn), 0, create)
		hostile.WantFault(t, "", err, fault.Resource, "own")
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind %v, %v", name, left, err)
		}
	}
}

func TestSpoolLimit(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	for _, limit := range []int64{0, 100, 101, math.MaxInt64} {
		b, err := Spool(Stdin, bytes.NewReader(counted(100)), limit)
		if err != nil || b.Size() != 100 {
			t.Errorf("limit %d: %v", limit, err)
			continue
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	endless := &countingReader{}
	_, err := Spool(Stdin, endless, 5_000_000)
	hostile.WantFault(t, "", err, fault.Resource, "standard input", "5000000 bytes")
	if endless.n > 7_000_000 {
		t.Errorf("%d bytes read for a limit of 5000000", endless.n)
	}
	_, err = Spool(Stdin, bytes.NewReader(counted(100)), 99)
	hostile.WantFault(t, "", err, fault.Resource, "standard input", "99 bytes")
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("left behind %v", left)
	}
}

func TestSpoolFails(t *testing.T) {
	_, err := Spool(Stdin, strings.NewReader(""), 0)
	hostile.WantFault(t, "", err, fault.Malformed, "standard input: file is empty")
	_, err = Spool(Stdin, io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(errOwn)), 0)
	hostile.WantFault(t, "", err, fault.Resource, "cannot read standard input: own")
	t.Setenv("TMPDIR", "/none/such")
	t.Setenv("TMP", `Q:\none\such`)
	_, err = Spool(Stdin, strings.NewReader("abc"), 0)
	hostile.WantFault(t, "", err, fault.Resource, "cannot make a temporary file in")
}

// countingReader never ends.
type countingReader struct{ n int }

func (r *countingReader) Read(p []byte) (int, error) {
	r.n += len(p)
	return len(p), nil
}
