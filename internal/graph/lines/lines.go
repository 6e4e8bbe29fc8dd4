// Package lines reads logs and texts of any size line by line, in bounded memory.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Lines is the lines of a text of any size.
type Lines struct {
	Cut int // lines over the limit, of which the rest was dropped
	Err error
}

// Of returns the lines of r without their ends, each up to a limit in bytes. Cut and Err are set behind the last one.
func (l *Lines) Of(r io.Reader, limit int) iter.Seq[string] {
	return func(yield func(string) bool) {
		in := bufio.NewReaderSize(r, limit)
		for {
			line, err := in.ReadSlice('\n')
			whole := string(bytes.TrimRight(line, "\r\n"))
			if errors.Is(err, bufio.ErrBufferFull) {
				l.Cut++
				err = dropLine(in)
			}
			if whole != "" && !yield(whole) {
				return
			}
			if err == nil {
				continue
			}
			if !errors.Is(err, io.EOF) {
				l.Err = fault.New(fault.Resource, "reading: %s", text.Quote(fault.Cause(err).Error()))
			}
			return
		}
	}
}

// dropLine skips the rest of a line.
func dropLine(in *bufio.Reader) error {
	for {
		_, err := in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
