package zip

import (
	"encoding/binary"
	"io"
	"math"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Alignment is the alignment of written members' contents, in bytes of the archive. A .npy header ends at a multiple of 64 bytes of its
// own, so that a stored array can be mapped in place, aligned.
const Alignment = 64

// New is a member to be written, stored without compression.
type New struct {
	Name string // UTF-8
	Size int64  // bytes of its content
}

// Placement is the position of everything in an archive of stored members:
//
//	{ header, padding up to the alignment, content }… directory [zip64 end, locator] end
//
// It depends only on names and sizes, so that contents can be written in any order, and headers when checksums are known.
type Placement struct {
	members   []New
	alignment int64   // contents begin at multiples of it, in bytes
	headers   []int64 // where each member's header begins
	contents  []int64 // where each member's content begins
	directory int64   // where the directory begins
	end       int64   // size of the archive
}

// Place lays out an archive of these members. Errors are fault.Unsupported: a name that a header cannot hold, or a directory larger
// than Open reads.
func Place(members []New) (Placement, error) { return PlaceAligned(members, Alignment) }

// MaxAlignment is the largest alignment of PlaceAligned in bytes: the padding is an extra field with a 16-bit length.
const MaxAlignment = 1 << 15

// PlaceAligned is Place with contents at multiples of alignment, a power of two up to MaxAlignment.
func PlaceAligned(members []New, alignment int) (Placement, error) {
	if alignment < 1 || alignment > MaxAlignment || alignment&(alignment-1) != 0 {
		return Placement{}, fault.New(fault.Usage, "alignment %d is not a power of two from 1 to %d", alignment, MaxAlignment)
	}
	p := Placement{members: members, alignment: int64(alignment)}
	at := int64(0)
	directory := int64(0)
	for _, m := range members {
		if len(m.Name) > math.MaxUint16-entrySize || !utf8.ValidString(m.Name) {
			return p, fault.New(fault.Unsupported, "an archive cannot hold a member of the name %s", text.Quoted(text.Cut(m.Name, 100)))
		}
		content := at + localSize + int64(len(m.Name)+len(wideLocal(m.Size))) + padHeader
		content += (p.alignment - content%p.alignment) % p.alignment
		p.headers = append(p.headers, at)
		p.contents = append(p.contents, content)
		directory += int64(entrySize + len(m.Name) + len(wideEntry(m.Size, at)))
		at = content + m.Size
	}
	if directory > maxDirectory {
		return p, fault.New(fault.Unsupported, "the archive's directory would have %d bytes, over the limit of %d", directory, maxDirectory).
			WithHint("spread the members over several archives")
	}
	p.directory = at
	p.end = at + directory + endSize
	if p.wide() {
		p.end += end64Size + locatorSize
	}
	return p, nil
}

// Size returns the archive's size in bytes.
func (p Placement) Size() int64 { return p.end }

// Content returns the byte of the archive at which the content of member i begins.
func (p Placement) Content(i int) int64 { return p.contents[i] }

// Header returns the bytes before the content of member i, given its CRC-32, and the position of the first.
func (p Placement) Header(i int, crc uint32) (header []byte, at int64) {
	m := p.members[i]
	at = p.headers[i]
	wide := wideLocal(m.Size)
	pad := p.contents[i] - at - localSize - int64(len(m.Name)+len(wide))
	h := append(make([]byte, 0, p.contents[i]-at), localMagic...)
	h = m.common(h, crc)
	h = le.AppendUint16(h, uint16(int64(len(wide))+pad))
	h = append(append(h, m.Name...), wide...)
	h = le.AppendUint16(le.AppendUint16(h, alignmentID), uint16(pad-4))
	h = le.AppendUint16(h, uint16(p.alignment))
	return h[:cap(h)], at
}

// End returns the directory and the records after it, and the position of the first byte.
func (p Placement) End(crcs []uint32) (end []byte, at int64) {
	for i, m := range p.members {
		wide := wideEntry(m.Size, p.headers[i])
		end = append(append(end, entryMagic...), versionMade, 0)
		end = m.common(end, crcs[i])
		end = le.AppendUint16(end, uint16(len(wide)))
		end = append(end, make([]byte, 2+2+2+4)...) // comment, disk, attributes
		end = le.AppendUint32(end, narrow(p.headers[i]))
		end = append(append(end, m.Name...), wide...)
	}
	size := int64(len(end))
	if p.wide() {
		end = p.appendEnd64(end, size)
	}
	end = append(append(end, endMagic...), 0, 0, 0, 0)
	count := uint16(min(len(p.members), math.MaxUint16))
	end = le.AppendUint16(le.AppendUint16(end, count), count)
	end = le.AppendUint32(le.AppendUint32(end, narrow(size)), narrow(p.directory))
	return le.AppendUint16(end, 0), p.directory
}

// Frame writes everything except the contents: the members' headers, with the CRC-32 of each content, and the directory.
func (p Placement) Frame(w io.WriterAt, crcs []uint32) error {
	for i, crc := range crcs {
		header, at := p.Header(i, crc)
		if _, err := w.WriteAt(header, at); err != nil {
			return err
		}
	}
	end, at := p.End(crcs)
	_, err := w.WriteAt(end, at)
	return err
}

// appendEnd64 appends the 64-bit end and the locator that points to it.
func (p Placement) appendEnd64(end []byte, size int64) []byte {
	at := uint64(p.directory + size)
	end = le.AppendUint64(append(end, end64Magic...), end64Size-12)
	end = append(end, versionWide, 0, versionWide, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, n := range []uint64{uint64(len(p.members)), uint64(len(p.members)), uint64(size), uint64(p.directory)} {
		end = le.AppendUint64(end, n)
	}
	end = append(append(end, locatorMagic...), 0, 0, 0, 0)
	return le.AppendUint32(le.AppendUint64(end, at), 1)
}

// wide reports whether the end needs 64-bit numbers.
func (p Placement) wide() bool {
	return p.directory >= math.MaxUint32 || len(p.members) >= math.MaxUint16
}

// Constants of APPNOTE.TXT, sections 4.4.2, 4.4.4, 4.4.6 and 4.5; the alignment's field is that of Android's zipalign.
const (
	versionMade = 20
	versionWide = 45
	utf8Name    = 1 << 11
	firstDate   = 1<<5 | 1 // 1 January 1980: archives of equal contents are equal
	wideID      = 1
	alignmentID = 0xd935
	padHeader   = 2 + 2 + 2 // its ID, its length, the alignment
)

// common appends what a member's header and its entry in the directory share: from the version to the name's length.
func (m New) common(b []byte, crc uint32) []byte {
	version := uint16(versionMade)
	flags := uint16(0)
	if m.Size >= math.MaxUint32 {
		version = versionWide
	}
	for _, c := range m.Name {
		if c >= utf8.RuneSelf {
			flags = utf8Name
		}
	}
	for _, n := range []uint16{version, flags, uint16(Stored), 0, firstDate} {
		b = le.AppendUint16(b, n)
	}
	for _, n := range []uint32{crc, narrow(m.Size), narrow(m.Size)} {
		b = le.AppendUint32(b, n)
	}
	return le.AppendUint16(b, uint16(len(m.Name)))
}

// narrow returns the number in 32 bits, or their maximum, which refers to an extra field.
func narrow(n int64) uint32 { return uint32(min(n, math.MaxUint32)) }

// wideLocal returns the extra field of a header with both sizes in 64 bits; empty if 32 suffice.
func wideLocal(size int64) []byte {
	if size < math.MaxUint32 {
		return nil
	}
	return appendWide(size, size)
}

// wideEntry returns the same for an entry in the directory, with only the numbers that need it.
func wideEntry(size, header int64) []byte {
	if size >= math.MaxUint32 && header >= math.MaxUint32 {
		return appendWide(size, size, header)
	}
	if size >= math.MaxUint32 {
		return appendWide(size, size)
	}
	if header >= math.MaxUint32 {
		return appendWide(header)
	}
	return nil
}

func appendWide(numbers ...int64) []byte {
	b := le.AppendUint16(le.AppendUint16(nil, wideID), uint16(8*len(numbers)))
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}
