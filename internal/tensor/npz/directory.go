package npz

import (
	"cmp"
	"io"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// readDirectory returns the members that the directory lists, and nothing must be left of it.
func readDirectory(file io.ReaderAt, e end) ([]Member, error) {
	rest, err := readAt(file, e.offset, e.offset+e.size)
	if err != nil {
		return nil, err
	}
	members := make([]Member, 0, e.count)
	for range e.count {
		m, n := parseEntry(rest)
		if n == 0 {
			return nil, damaged("entry %d of the directory is broken", len(members)+1)
		}
		members, rest = append(members, m), rest[n:]
	}
	if len(rest) > 0 {
		return nil, damaged("the directory goes on for %d bytes after its %d members", len(rest), e.count)
	}
	return members, nil
}

// parseEntry reads the entry at the start of r and returns how many bytes it has; 0 where it is broken.
func parseEntry(r []byte) (m Member, n int) {
	if len(r) < entrySize || string(r[:4]) != entryMagic {
		return m, 0
	}
	name := entrySize + int(le.Uint16(r[28:]))
	extra := name + int(le.Uint16(r[30:]))
	n = extra + int(le.Uint16(r[32:]))
	if len(r) < n {
		return m, 0
	}
	size, packed, header := uint64(le.Uint32(r[24:])), uint64(le.Uint32(r[20:])), uint64(le.Uint32(r[42:]))
	if !widen(r[name:extra], &size, &packed, &header) || max(size, packed, header) > math.MaxInt64 {
		return m, 0
	}
	return Member{string(r[entrySize:name]), Method(le.Uint16(r[10:])), int64(packed), int64(size), le.Uint32(r[16:]),
		le.Uint16(r[8:]), int64(header), 0}, n
}

// widen replaces those numbers that 32 bits could not hold by what the extra field of number 1 says, which lists them in
// this order. It returns false where that field is too short.
func widen(extra []byte, numbers ...*uint64) bool {
	for len(extra) >= 4 {
		id, n := le.Uint16(extra), int(le.Uint16(extra[2:]))
		if extra = extra[4:]; len(extra) < n {
			return false
		}
		field := extra[:n]
		extra = extra[n:]
		if id != 1 {
			continue
		}
		for _, x := range numbers {
			if *x != math.MaxUint32 {
				continue
			}
			if len(field) < 8 {
				return false
			}
			*x, field = le.Uint64(field), field[8:]
		}
		return true
	}
	return true
}

// separate checks that members lie before the directory and one behind the other, and notes where each must end. What a
// member has at least is its header, its name and its content.
func separate(members []Member, directory int64) error {
	order := make([]int, len(members))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(members[a].header, members[b].header) })
	for k, i := range order {
		m := &members[i]
		m.limit = directory
		next := "the directory"
		if k+1 < len(order) {
			m.limit, next = members[order[k+1]].header, `"`+words.Quote(members[order[k+1]].Name)+`"`
		}
		if most := m.limit - localSize - int64(len(m.Name)); m.header > most || m.Packed > most-m.header {
			return fault.New(fault.Malformed, "member %s overlaps %s", words.Quoted(m.Name), next).
				WithHint("such archives are made to deceive; do not trust this one")
		}
	}
	return nil
}
