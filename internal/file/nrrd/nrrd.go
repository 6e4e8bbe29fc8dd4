// Package nrrd reads the headers of NRRD files: lines of text, then the elements, in the same file or in another one.
//
// The first size is that of the dim that varies fastest. Encodings raw and gzip are read, text, hexadecimal digits and bzip2 are not.
// (NRRD 5, format definition: teem.sourceforge.net/nrrd/format.html; pynrrd 1.1, reader.py)
package nrrd

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/array"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Magic begins the first line, which ends with a digit of the version.
const Magic = "NRRD000"

// maxHeader bounds the bytes of a header.
const maxHeader = 1 << 20

// types are the types of elements by their names, which may have more words.
var types = map[string]string{
	"signed char": "i1", "int8": "i1", "int8_t": "i1",
	"uchar": "u1", "unsigned char": "u1", "uint8": "u1", "uint8_t": "u1",
	"short": "i2", "short int": "i2", "signed short": "i2", "signed short int": "i2", "int16": "i2", "int16_t": "i2",
	"ushort": "u2", "unsigned short": "u2", "unsigned short int": "u2", "uint16": "u2", "uint16_t": "u2",
	"int": "i4", "signed int": "i4", "int32": "i4", "int32_t": "i4",
	"uint": "u4", "unsigned int": "u4", "uint32": "u4", "uint32_t": "u4",
	"longlong": "i8", "long long": "i8", "long long int": "i8", "signed long long": "i8", "signed long long int": "i8", "int64": "i8", "int64_t": "i8",
	"ulonglong": "u8", "unsigned long long": "u8", "unsigned long long int": "u8", "uint64": "u8", "uint64_t": "u8",
	"float": "f4", "double": "f8",
}

// Open reads the header of a file of size bytes. Errors are Malformed, Unsupported, or r's own.
func Open(r io.ReaderAt, size int64) (*array.Array, error) {
	lines := &lines{r: bufio.NewReader(io.NewSectionReader(r, 0, min(size, maxHeader)))}
	fields, err := lines.header(size)
	if err != nil {
		return nil, err
	}
	a := &array.Array{Fortran: true, At: lines.at}
	if err := describe(a, fields); err != nil {
		return nil, err
	}
	if file := fields["datafile"]; file != "" {
		a.At = 0
		a.File, err = fileOf(file)
		if err != nil {
			return nil, err
		}
	}
	return a, place(a, fields)
}

// lines reads the lines of a header, and counts their bytes.
type lines struct {
	r  *bufio.Reader
	at int64
}

// next returns a line without its end; io.EOF if none ends.
func (l *lines) next() (string, error) {
	line, err := l.r.ReadString('\n')
	l.at += int64(len(line))
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), err
}

// header returns the fields up to the empty line, or to the end of a file without elements. Blanks in their names do not count.
func (l *lines) header(size int64) (map[string]string, error) {
	first, err := l.next()
	if err != nil || !strings.HasPrefix(first, Magic) {
		return nil, array.Damaged("not an NRRD file")
	}
	fields := map[string]string{}
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) && l.at < size {
			return nil, array.Damaged("its header has no end in its first %d bytes", l.at)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		name, value, isField := strings.Cut(line, ": ")
		if isField && line[0] != '#' {
			fields[strings.ToLower(strings.ReplaceAll(name, " ", ""))] = strings.TrimSpace(value)
		}
		if line == "" || err != nil {
			return fields, nil
		}
	}
}

// describe sets the type and the shape.
func describe(a *array.Array, fields map[string]string) (err error) {
	given := strings.ToLower(fields["type"])
	name, known := types[given]
	switch {
	case given == "block":
		return fault.New(fault.Unsupported, "its elements are blocks of bytes")
	case !known:
		return array.Damaged("its type is %s", checkpoint.Quoted(given))
	}
	order := "<"
	switch fields["endian"] {
	case "little":
	case "big":
		order = ">"
	default:
		if name[1] != '1' && isBinary(fields["encoding"]) {
			return array.Damaged("its endian is %s, not little or big", checkpoint.Quoted(fields["endian"]))
		}
	}
	a.Type, err = dtype.Parse(order + name)
	if err != nil {
		return err
	}
	rank, err := strconv.Atoi(fields["dimension"])
	if err != nil || rank < 1 || rank > tensor.MaxRank {
		return array.Damaged("its dimension is %s", checkpoint.Quoted(fields["dimension"]))
	}
	words := strings.Fields(fields["sizes"])
	if len(words) != rank {
		return array.Damaged("%d sizes, %d dims", len(words), rank)
	}
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return array.Damaged("the size of a dim is %s", checkpoint.Quoted(word))
		}
		a.Shape = append(a.Shape, n)
	}
	a.Dims = dimsOf(strings.Fields(fields["kinds"]), rank)
	return nil
}

// dimsOf returns the names of dims by their kinds: C for colors, X, Y and Z for domains, T for time; nil if these do not name all.
func dimsOf(kinds []string, rank int) []string {
	domains := 0
	var dims []string
	for _, kind := range kinds {
		name := ""
		switch kind {
		case "RGB-color", "RGBA-color", "HSV-color", "XYZ-color":
			name = "C"
		case "time":
			name = "T"
		case "domain", "space":
			name = string("XYZ_"[min(domains, 3)])
			domains++
		}
		if name == "" || name == "_" || slices.Contains(dims, name) {
			return nil
		}
		dims = append(dims, name)
	}
	if len(dims) != rank {
		return nil
	}
	return dims
}

func isBinary(encoding string) bool {
	return encoding == "raw" || encoding == "gzip" || encoding == "gz"
}

// fileOf returns the name of the one file beside the header that has the elements.
func fileOf(given string) (string, error) {
	if strings.HasPrefix(given, "LIST") || strings.Contains(given, "%") {
		return "", fault.New(fault.Unsupported, "its elements are in several files")
	}
	if strings.ContainsAny(given, "\\:\x00") || !filepath.IsLocal(given) {
		return "", fault.New(fault.Unsupported, "its elements are in %s, which is not a path below the header's folder", checkpoint.Quoted(given))
	}
	return given, nil
}

// place finds the first byte of the elements.
func place(a *array.Array, fields map[string]string) error {
	switch encoding := fields["encoding"]; encoding {
	case "raw":
	case "gzip", "gz":
		a.Gzip = true
	case "":
		return array.Damaged("it has no encoding")
	default:
		return fault.New(fault.Unsupported, "its encoding is %s, not raw or gzip", checkpoint.Quoted(encoding))
	}
	for _, skipped := range []string{"lineskip", "byteskip"} {
		text := fields[skipped]
		if text == "" || text == "0" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 62)
		if err != nil {
			return array.Damaged("its %s is %s", skipped, checkpoint.Quoted(text))
		}
		switch {
		case skipped == "lineskip" || a.Gzip:
			return fault.New(fault.Unsupported, "its %s is %d, in a file of encoding %s", skipped, n, checkpoint.Quoted(fields["encoding"]))
		case n == -1:
			a.At = -1
		case n < 0:
			return array.Damaged("its %s is %d", skipped, n)
		default:
			a.At += n
		}
	}
	return nil
}
