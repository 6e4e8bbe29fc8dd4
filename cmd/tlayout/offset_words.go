package main

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/tlayout/tlayout/internal/words"
)

// name is the source as sentences call it.
func (r *offsetReport) name() string { return sourceName(r.Source) }

// headline answers: x.npy[1,0,1] lies at offset 7, byte 28 (156 in the file), value 3.5.
func (r *offsetReport) headline(result *offsetResult) string {
	place := result.words()
	if outside := result.Offset < 0 || result.Offset >= r.Storage; outside {
		place += fmt.Sprintf(", outside of the storage of %d", r.Storage)
	}
	switch n := result.Elems; {
	case result.Coord != nil:
		return fmt.Sprintf("%s%s lies at offset %d, %s", r.name(), brackets(result.Coord), result.Offset, place)
	case result.Padding != nil:
		return fmt.Sprintf("offset %d of %s is padding %s", result.Offset, r.name(), result.Padding.Why)
	case n == 0:
		return fmt.Sprintf("offset %d of %s: which elements lie there would take too long to find out; %s",
			result.Offset, r.name(), place)
	case n == 1 && result.Complete:
		return fmt.Sprintf("offset %d of %s holds %s%s, %s", result.Offset, r.name(), r.name(), brackets(result.Coords[0]), place)
	default:
		return fmt.Sprintf("offset %d of %s holds %s elements, %s", result.Offset, r.name(), result.count(n), place)
	}
}

// bytes is where the element begins: 28 (156 in the file).
func (p offsetPlace) bytes() string {
	s := strconv.FormatInt(p.Byte, 10)
	if p.FileByte != nil {
		s += fmt.Sprintf(" (%d in the file)", *p.FileByte)
	}
	return s
}

// words are the element's byte and its value.
func (p offsetPlace) words() string {
	s := "byte " + p.bytes()
	if p.Value != nil {
		s += ", value " + shorten(*p.Value)
	}
	return s
}

// count is a number of elements, which may be more than were looked for.
func (r *offsetResult) count(n int) string {
	if r.Complete {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("at least %d", n)
}

// brackets print a coordinate as an index; that of a scalar is [()], as in NumPy.
func brackets(coord []int) string { return "[" + cmp.Or(words.Ints(coord, ","), "()") + "]" }
