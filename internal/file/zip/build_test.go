package zip

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
)

// file is a member to be written. Whatever is set beside name and content is written as it is, true or not.
type file struct {
	name    string
	content string
	deflate bool
	method  Method // of both headers, where deflate is not set
	flags   uint16
	local   func(header []byte) // changes the member's own header
	entry   func(entry []byte)  // changes its entry in the directory
	extra   []byte              // of its own header
	more    []byte              // of its entry
	behind  string              // what follows the content
	at      int                 // where the directory says that it begins, minus where it does
}

// build writes an archive, with a comment at its end.
func build(comment string, files ...file) []byte {
	var out, directory []byte
	for _, f := range files {
		packed, method := []byte(f.content), f.method
		if f.deflate {
			packed, method = deflated(f.content), Deflated
		}
		common := le.AppendUint16(nil, f.flags)
		common = le.AppendUint16(common, uint16(method))
		common = append(common, 0, 0, 33, 0) // 1980-01-01
		for _, x := range []uint32{crc32.ChecksumIEEE([]byte(f.content)), uint32(len(packed)), uint32(len(f.content))} {
			common = le.AppendUint32(common, x)
		}
		common = le.AppendUint16(common, uint16(len(f.name)))
		begins := len(out)
		header := append(append([]byte(localMagic), 20, 0), common...)
		header = append(append(le.AppendUint16(header, uint16(len(f.extra))), f.name...), f.extra...)
		entry := append(append([]byte(entryMagic), 20, 3, 20, 0), common...)
		entry = append(le.AppendUint16(entry, uint16(len(f.more))), make([]byte, 10)...)
		entry = append(append(le.AppendUint32(entry, uint32(begins+f.at)), f.name...), f.more...)
		if f.local != nil {
			f.local(header)
		}
		if f.entry != nil {
			f.entry(entry)
		}
		out = append(append(append(out, header...), packed...), f.behind...)
		directory = append(directory, entry...)
	}
	return finish(out, directory, len(files), comment)
}

// finish adds the directory and the end.
func finish(out, directory []byte, n int, comment string) []byte {
	begins := len(out)
	out = append(append(out, directory...), endMagic...)
	for _, x := range []int{0, 0, n, n} {
		out = le.AppendUint16(out, uint16(x))
	}
	out = le.AppendUint32(le.AppendUint32(out, uint32(len(directory))), uint32(begins))
	return append(le.AppendUint16(out, uint16(len(comment))), comment...)
}

func deflated(content string) []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, 9)
	if err != nil {
		panic(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// open opens an archive in memory.
func open(archive []byte) (*Archive, error) {
	return Open(bytes.NewReader(archive), int64(len(archive)), ".npz file")
}

// contents reads every member to its end.
func contents(archive []byte) (map[string]string, error) {
	a, err := open(archive)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, m := range a.Members {
		m, ok, err := a.Named(m.Name)
		if err != nil || !ok {
			return nil, err
		}
		text, err := contentOf(a, m)
		if err != nil {
			return nil, err
		}
		all[m.Name] = text
	}
	return all, nil
}

func contentOf(a *Archive, m Member) (string, error) {
	r, err := a.Content(m)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	_, err = text.ReadFrom(r)
	return text.String(), err
}

// set returns a change of a header's bytes from at on.
func set(at int, bytes ...byte) func([]byte) {
	return func(header []byte) { copy(header[at:], bytes) }
}

// add returns a change of a 32-bit number.
func add(at int, n int) func([]byte) {
	return func(header []byte) { le.PutUint32(header[at:], le.Uint32(header[at:])+uint32(n)) }
}

// zip64 is the extra field of 64-bit numbers.
func zip64(numbers ...uint64) []byte {
	field := le.AppendUint16([]byte{1, 0}, uint16(8*len(numbers)))
	for _, x := range numbers {
		field = binary.LittleEndian.AppendUint64(field, x)
	}
	return field
}
