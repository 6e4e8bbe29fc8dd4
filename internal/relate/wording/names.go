package wording

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/pairing"
	"github.com/tlayout/tlayout/internal/text"
)

// noun is what the target's slices are: rows, columns or slices. Dims of size 1 do not matter.
func noun(a pairing.Arrangement) string {
	shape := a.Shape
	if a.Outer != pairing.Entire {
		shape = shape[1:]
	}
	if position(shape, len(shape)) > 2 {
		return "slices"
	}
	return []string{"rows", "columns"}[position(shape, a.Dim)]
}

// position counts the dims before one that are larger than 1.
func position(shape []int, dim int) (n int) {
	for _, size := range shape[:dim] {
		if size > 1 {
			n++
		}
	}
	return n
}

// indexed names a source, and rows of it: a range as an index, more after a comma; none for all.
func indexed(a pairing.Arrangement, source int, rows string) string {
	s := a.Sources[source]
	name := name(a, source)
	if rows == "" {
		return name
	}
	if strings.ContainsAny(rows, ", ") {
		return name + ", " + noun(a) + " " + strings.TrimPrefix(rows, "in order")
	}
	return name + "[" + strings.Repeat(":, ", s.Dim) + rows + "]"
}

// name returns the name of a source, without the modules that it shares with the target or the first source: …0.gate_proj.weight.
func name(a pairing.Arrangement, source int) string {
	s := a.Sources[source]
	full := s.Name
	name := withoutModules(full, a.Target)
	first := a.Sources[a.Runs[0].Source].Name
	if name == full && first != full {
		name = withoutModules(full, first)
	}
	name = text.Quote(name)
	if s.Outer != pairing.Entire {
		name += "[" + strconv.Itoa(s.Outer) + "]"
	}
	return name
}

// withoutModules returns a name without the modules that it shares with another: two or more.
func withoutModules(name, other string) string {
	const least = 2
	rest := name
	shared := 0
	for {
		module, after, found := strings.Cut(rest, ".")
		ofOther, afterOther, also := strings.Cut(other, ".")
		if !found || !also || module != ofOther {
			break
		}
		rest = after
		other = afterOther
		shared++
	}
	if shared < least {
		return name
	}
	return "…" + rest
}

// permuted says in which order the elements of rows are, after a comma; nothing if it is the sources'.
func permuted(a pairing.Arrangement) string {
	order := ""
	for k, r := range a.Runs {
		s := a.Sources[r.Source]
		own := ""
		across := s.Dim != pairing.Entire && position(s.Shape, s.Dim) != position(a.Shape, a.Dim)
		if across {
			own = ", transposed"
		}
		if isReordered(s, across) {
			own += ", in memory order " + strings.Join(s.Relation.Order, " ")
		}
		if k > 0 && own != order {
			return ", some permuted"
		}
		order = own
	}
	return order
}

// isReordered reports whether the elements of rows are in another order than the source's, but for one that a transposition makes.
func isReordered(s pairing.Source, across bool) bool {
	if s.Relation == nil {
		return false
	}
	return s.Relation.Kind == relate.Blocked || !across && !s.Relation.SameDims()
}

// roles are the words by which a name says that it is the query, the key or the value of attention.
var roles = [3][]string{{"q", "wq", "query"}, {"k", "wk", "key"}, {"v", "wv", "value"}}

// areQKV reports whether names are those of a query, a key and a value, in any order.
func areQKV(names []string) bool {
	found := [len(roles)]bool{}
	for _, name := range names {
		words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("./_-", r) })
		for k, role := range roles {
			isRole := func(word string) bool { return slices.Contains(role, word) }
			found[k] = found[k] || slices.ContainsFunc(words, isRole)
		}
	}
	return len(names) == len(roles) && !slices.Contains(found[:], false)
}
