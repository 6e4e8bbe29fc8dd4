package main

import (
	"errors"
	"fmt"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// lists reports whether name is that of an archive, and all that is asked is what it holds.
func (o *inspectOptions) lists(name string) bool {
	reads := o.offsets || o.storage || o.layout.layout != nil || o.channels != 0 || o.dtype.dtype != nil
	return !reads && source.IsArchive(name)
}

// archiveReport is what inspect says of an archive of which no array is named.
type archiveReport struct {
	Schema       string        `json:"schema"`
	Source       string        `json:"source"`
	SourceBytes  []byte        `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	ArchiveBytes int64         `json:"archive_bytes"`
	Arrays       int           `json:"arrays"`
	DataBytes    int64         `json:"data_bytes"`
	Members      []arrayReport `json:"members"`
	Warnings     []string      `json:"warnings"`

	unread error // why the first member that cannot be read cannot
}

// arrayReport is a member of an archive. What is not known of one that is no array, or cannot be read, is null.
type arrayReport struct {
	Name        string  `json:"name"` // as NumPy calls it
	NameBytes   []byte  `json:"name_bytes,omitempty"`
	Member      string  `json:"member"`
	Array       bool    `json:"array"`
	DType       *string `json:"dtype"`
	Shape       []int   `json:"shape"`
	Fortran     *bool   `json:"fortran_order"`
	Method      string  `json:"method"`
	PackedBytes int64   `json:"packed_bytes"`
	DataBytes   *int64  `json:"data_bytes"`
	DataOffset  *int64  `json:"data_offset"` // in the archive; null for a deflated one
	Mmap        *string `json:"mmap"`
	Error       *string `json:"error"`
}

func newArchiveReport(a *source.Archive) *archiveReport {
	r := &archiveReport{Schema: "tlayout/npz/v1", Source: a.Path, SourceBytes: rawBytes(a.Path), ArchiveBytes: a.Size,
		Members: []arrayReport{}, Warnings: append([]string{}, a.Warnings...)}
	for _, e := range a.Entries {
		m := newArrayReport(a.Path, e)
		if m.Array {
			r.Arrays++
			r.DataBytes += e.DataBytes
		}
		if m.Error != nil && e.Err != source.ErrUnread {
			if r.unread == nil {
				r.unread = e.Err
			}
			r.Warnings = append(r.Warnings, fmt.Sprintf(`"%s" cannot be read: %s`, fault.Quote(m.Name), *m.Error))
		}
		r.Members = append(r.Members, m)
	}
	return r
}

// refusal is the error with which the list ends where members cannot be read, which its warnings name: of the class and
// with the hint of the first.
func (r *archiveReport) refusal() error {
	var first *fault.Error
	if !errors.As(r.unread, &first) {
		return r.unread
	}
	e := fault.New(first.Class, "%s: %d of %s cannot be read", fault.Quote(r.Source), r.unreadable(), words.Count(len(r.Members), "member"))
	e.Hint = first.Hint
	return e
}

func newArrayReport(path string, e source.Entry) arrayReport {
	m := arrayReport{Name: e.Name, NameBytes: rawBytes(e.Name), Member: e.Name, Array: e.Array && e.Err == nil,
		Method: e.Method.String(), PackedBytes: e.Packed}
	switch {
	case e.Err != nil:
		text := e.Err.Error()
		m.Name, m.Error = e.Key(), &text
	case e.Array:
		m.Name, m.DType, m.Shape, m.Fortran, m.DataBytes = e.Key(), &e.DType, e.Shape, &e.Fortran, &e.DataBytes
		if e.Method == npz.Stored {
			at := e.Offset + e.DataOffset
			m.DataOffset = &at
			m.Mmap = memmap(path, npy.Header{Descr: e.Descr, Fortran: e.Fortran, Shape: e.Shape, DataOffset: at, DataBytes: e.DataBytes})
		}
	}
	return m
}
