package input

import (
	"bytes"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"

	"github.com/tlayout/tlayout/internal/fault"
)

var errOwn = errors.New("own")

func TestGuardPassesOn(t *testing.T) {
	eachWay(t, func(t *testing.T, noMap bool) {
		b := bytesOf(t, counted(100), noMap)
		for _, want := range []error{nil, errOwn} {
			if err := b.Guard(func() error { return want }); err != want {
				t.Errorf("Guard = %v, want %v", err, want)
			}
		}
		if debug.SetPanicOnFault(false) {
			t.Error("faults stay recoverable after Guard")
		}
	})
}

func TestGuardTruncated(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be truncated")
	}
	const size = 1 << 20
	sink := make([]byte, size)
	for name, touch := range map[string]func(p []byte) error{
		"index":   func(p []byte) error { sink[0] = p[size-1]; return nil },
		"copy":    func(p []byte) error { copy(sink, p); return nil },
		"equal":   func(p []byte) error { bytes.Equal(sink, p); return errOwn },
		"search":  func(p []byte) error { bytes.IndexByte(p[size/2:], 0xff); return nil },
		"crc":     func(p []byte) error { crc32.ChecksumIEEE(p); return nil },
		"nothing": func([]byte) error { return nil },
		"write": func(p []byte) error { // returns an error, without a fault
			f, err := os.Create(filepath.Join(t.TempDir(), "out"))
			if err == nil {
				_, err = f.Write(p)
				f.Close()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := bytesOf(t, make([]byte, size), false)
			err := b.Guard(func() error {
				p, err := b.Range(0, size)
				if err = errors.Join(err, os.Truncate(b.file.Name(), 100)); err != nil {
					t.Fatal(err)
				}
				return touch(p)
			})
			hostile.WantFault(t, "", err, fault.Resource, "input changed while reading", "x.npy")
		})
	}
}

// TestGuardWorkers: each worker has its own Guard, and each survives.
func TestGuardWorkers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be truncated")
	}
	const size = 8 << 20
	for _, workers := range []int{1, 2, 8} {
		b := bytesOf(t, make([]byte, size), false)
		var all, running sync.WaitGroup
		running.Add(workers)
		for range workers {
			all.Go(func() {
				p, err := b.Range(0, size)
				if err != nil {
					t.Error(err)
				}
				started := false
				err = b.Guard(func() error {
					for {
						crc32.ChecksumIEEE(p)
						if !started {
							started = true
							running.Done()
						}
					}
				})
				hostile.WantFault(t, "", err, fault.Resource, "input changed while reading")
			})
		}
		running.Wait()
		if err := os.Truncate(b.file.Name(), size/2); err != nil {
			t.Fatal(err)
		}
		all.Wait()
	}
}

func TestGuardShortRead(t *testing.T) {
	b := bytesOf(t, counted(3*smallCopy), true)
	if err := os.Truncate(b.file.Name(), smallCopy); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{smallCopy + 1, 3 * smallCopy} {
		_, err := b.Range(0, n)
		hostile.WantFault(t, "", err, fault.Resource, "input changed while reading")
	}
	_, err := b.ReadAt(make([]byte, 10), smallCopy-5)
	hostile.WantFault(t, "", err, fault.Resource, "input changed while reading")
}

func TestGuardModified(t *testing.T) {
	eachWay(t, func(t *testing.T, noMap bool) {
		for name, change := range map[string]func(f *os.File) error{
			"longer":  func(f *os.File) error { _, err := f.WriteAt([]byte("x"), 100); return err },
			"shorter": func(f *os.File) error { return f.Truncate(99) },
			"other":   func(f *os.File) error { _, err := f.WriteAt([]byte("x"), 50); return err },
		} {
			b := bytesOf(t, counted(100), noMap)
			f, err := os.OpenFile(b.file.Name(), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			tick()
			err = b.Guard(func() error { return change(f) })
			hostile.WantFault(t, "", err, fault.Resource, "input changed while reading")
			// Bytes read earlier are as unreliable.
			hostile.WantFault(t, "", b.Guard(func() error { return errOwn }), fault.Resource, "input changed while reading")
			if t.Failed() {
				t.Log(name)
			}
		}
	})
}

// TestGuardPanicsGoOn: panics and faults outside the map are not hidden.
func TestGuardPanicsGoOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be truncated")
	}
	b, other := bytesOf(t, counted(100), false), bytesOf(t, make([]byte, 1<<20), false)
	if _, err := b.Range(0, 100); err != nil {
		t.Fatal(err)
	}
	p, err := other.Range(0, 1<<20)
	if err = errors.Join(err, os.Truncate(other.file.Name(), 0)); err != nil {
		t.Fatal(err)
	}
	var nothing *local
	for name, f := range map[string]func() error{
		"other map": func() error { p[5000]++; return nil },
		"read":      func() error { return errors.New(string(p[5000:5001])) },
		"nil":       func() error { _ = nothing.name; return nil },
		"own":       func() error { panic(errOwn) },
		"index":     func() error { return errors.New(string(p[len(p)+runtime.NumCPU()])) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
				if debug.SetPanicOnFault(false) {
					t.Error("faults stay recoverable")
				}
			}()
			err := b.Guard(f)
			t.Errorf("Guard = %v", err)
		})
	}
}
