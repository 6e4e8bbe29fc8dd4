package protobuf

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
)

// sample is a message with a field of each type, of which the last is a message with packed numbers.
func sample() []byte {
	var b []byte
	b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), math.MaxUint64)
	b = protowire.AppendFixed32(protowire.AppendTag(b, 2, protowire.Fixed32Type), 7)
	b = protowire.AppendFixed64(protowire.AppendTag(b, 1<<29-1, protowire.Fixed64Type), 1<<63)
	b = protowire.AppendString(protowire.AppendTag(b, 4, protowire.BytesType), "")
	packed := protowire.AppendVarint(protowire.AppendVarint(protowire.AppendVarint(nil, 0), 300), 1<<63)
	inner := protowire.AppendBytes(protowire.AppendTag(nil, 16, protowire.BytesType), packed)
	return protowire.AppendBytes(protowire.AppendTag(b, 5, protowire.BytesType), inner)
}

// list returns the fields of a file, one a line, with those of field 5 below it.
func list(f *File, message Section) (lines []string, err error) {
	for x, err := range f.Fields(message) {
		if err != nil {
			return nil, err
		}
		switch x.Tag {
		case 5<<3 | Bytes:
			inner, err := list(f, x.Section)
			if err != nil {
				return nil, err
			}
			lines = append(lines, inner...)
		case 16<<3 | Bytes:
			for v, err := range f.Varints(x) {
				if err != nil {
					return nil, err
				}
				lines = append(lines, fmt.Sprint("packed ", v))
			}
		default:
			lines = append(lines, fmt.Sprint(x.Tag>>3, " ", x.Tag&7, " ", x.Value, " ", x.Bytes))
		}
	}
	return lines, nil
}

// TestFields: fields of all types have the numbers, values and lengths that protowire wrote, in messages of messages too.
func TestFields(t *testing.T) {
	raw := sample()
	f := New(bytes.NewReader(raw), int64(len(raw)))
	lines, err := list(f, f.Whole())
	want := []string{"1 0 18446744073709551615 10", "2 5 7 4", "536870911 1 9223372036854775808 8", "4 2 0 0", "packed 0", "packed 300", "packed 9223372036854775808"}
	if err != nil || !slices.Equal(lines, want) {
		t.Errorf("%q, %v", lines, err)
	}
}

// TestDamage: a message that ends within a field is malformed, and so are tags and lengths that no parser of protobuf accepts; any bit may flip.
func TestDamage(t *testing.T) {
	open := func(raw []byte) error {
		f := New(bytes.NewReader(raw), int64(len(raw)))
		_, err := list(f, f.Whole())
		return err
	}
	raw := sample()
	cuts := 0
	for n := range raw {
		if err := open(raw[:n]); err != nil {
			cuts++
			hostile.CheckError(t, err, 300)
		}
	}
	if cuts != len(raw)-5 { // it may end before each of its five fields
		t.Errorf("%d of %d prefixes are refused", cuts, len(raw))
	}
	for bit := range 8 * len(raw) {
		flipped := bytes.Clone(raw)
		flipped[bit/8] ^= 1 << (bit % 8)
		if err := open(flipped); err != nil {
			hostile.CheckError(t, err, 300)
		}
	}
	for what, raw := range map[string]string{
		"number 0": "\x00\x00", "a group": "\x0b\x0c", "the end of a group": "\x0c", "type 6": "\x0e\x00", "a tag of 11 bytes": strings.Repeat("\xff", 11),
		"a value of 11 bytes": "\x08" + strings.Repeat("\xff", 11), "a length of 2⁶³": "\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
		"a length one too long": "\x0a\x02a", "a field longer than its message": "\x2a\x03\x0a\x02a" + "bc", "a packed number that is cut": "\x82\x01\x01\x80",
	} {
		hostile.WantFault(t, what, open([]byte(raw)), fault.Malformed)
	}
}

// counting counts what is read of a file.
type counting struct {
	io.ReaderAt
	reads int
	bytes int64
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	c.reads++
	c.bytes += int64(len(p))
	return c.ReaderAt.ReadAt(p, at)
}

// TestSkips: of fields of a megabyte that are skipped, a window of four kilobytes is read each, and of small ones everything once.
func TestSkips(t *testing.T) {
	var large, small []byte
	for range 16 {
		large = protowire.AppendBytes(protowire.AppendTag(large, 9, protowire.BytesType), make([]byte, 1<<20))
	}
	for range 1 << 16 {
		small = protowire.AppendBytes(protowire.AppendTag(small, 9, protowire.BytesType), make([]byte, 6))
	}
	for _, c := range []struct {
		raw    []byte
		reads  int
		bytes  int64
		fields int
	}{{large, 16, 16 * minWindow, 16}, {small, 20, int64(len(small)) + maxHead*20, 1 << 16}} {
		r := &counting{ReaderAt: bytes.NewReader(c.raw)}
		f := New(r, int64(len(c.raw)))
		n := 0
		for _, err := range f.Fields(f.Whole()) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if r.reads > c.reads || r.bytes > c.bytes || n != c.fields {
			t.Errorf("%d fields by %d reads of %d bytes", n, r.reads, r.bytes)
		}
	}
}

// TestContent: sections of any length are read, whether the window has them or not.
func TestContent(t *testing.T) {
	raw := make([]byte, 3*maxWindow)
	for i := range raw {
		raw[i] = byte(i * 7 >> 3)
	}
	f := New(bytes.NewReader(raw), int64(len(raw)))
	for _, s := range []Section{{5, 0}, {5, 10}, {1, 4}, {100, maxWindow}, {100, maxWindow + 1}, {int64(len(raw)) - 1, 1}, {int64(len(raw)), 0}, f.Whole()} {
		got, err := f.Content(s)
		if err != nil || !bytes.Equal(got, raw[s.At:s.End()]) {
			t.Errorf("%+v: %d bytes, %v", s, len(got), err)
		}
	}
	f = New(bytes.NewReader(raw[:9]), 10)
	_, err := f.Content(f.Whole())
	hostile.WantFault(t, "a file that shrank", err, fault.Malformed, "shrank")
}

// FuzzFields walks any bytes: no panic, a clean error, and no more memory than a window.
func FuzzFields(f *testing.F) {
	f.Add(sample())
	f.Add([]byte("\x0a\x02\x2a\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		file := New(bytes.NewReader(raw), int64(len(raw)))
		end := int64(0)
		for x, err := range file.Fields(file.Whole()) {
			if err != nil {
				hostile.CheckError(t, err, 300)
				return
			}
			if x.At < end || x.End() < x.At || x.End() > int64(len(raw)) {
				t.Fatalf("%+v after byte %d of %d", x, end, len(raw))
			}
			end = x.End()
		}
		if end != int64(len(raw)) {
			t.Fatalf("it stopped at byte %d of %d", end, len(raw))
		}
	})
}
