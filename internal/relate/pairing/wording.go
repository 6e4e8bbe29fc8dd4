package pairing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/convention"
	"github.com/tlayout/tlayout/internal/text"
)

// maxNamed bounds the sources and slices that a wording names.
const maxNamed = 4

// wording says how a target is made, in a few words; plain is false if these leave out which rows are where.
func (m *making) wording(parts []arrangement) (how string, plain bool) {
	first, plain := m.words(parts[0])
	if parts[0].outer == entire {
		return first, plain
	}
	how = first + ", for each index of dim 0"
	for e, a := range parts {
		words, _ := m.words(a)
		if withoutNumbers(words) != withoutNumbers(first) {
			return first + " at index 0 of dim 0, and otherwise beyond", false
		}
		if e == 1 {
			how = counting(first, words)("e") + ", for each e of dim 0"
		}
	}
	return how, plain
}

var numbers = lazy.Regexp(`\d+`)

func withoutNumbers(s string) string { return numbers.Get().ReplaceAllString(s, "#") }

// counting returns a function that writes another number for each that is 0 in words for index 0 and 1 in those for index 1, which differ in
// numbers alone.
func counting(first, second string) func(number string) string {
	others := numbers.Get().FindAllString(second, -1)
	return func(number string) string {
		k := -1
		return numbers.Get().ReplaceAllStringFunc(first, func(n string) string {
			k++
			if n == "0" && others[k] == "1" {
				return number
			}
			return n
		})
	}
}

// words says how a target's rows are made of those of sources.
func (m *making) words(a arrangement) (how string, plain bool) {
	how, plain = m.wordsInOrder(a)
	return how + a.permuted(), plain
}

func (m *making) wordsInOrder(a arrangement) (how string, plain bool) {
	runs := patternOf(a.runs)
	first := a.runs[0].Source
	single := !slices.ContainsFunc(a.runs, func(r relate.Run) bool { return r.Source != first })
	if runs.isPermutation(a) {
		blocks := runs.blocks(a.runs)
		how := fmt.Sprintf("%s in blocks of %d %s, %s", m.name(a, first), runs.unit, a.noun(), text.Ints(blocks, " "))
		return how + m.called(a, first, convention.Change{Blocks: blocks}), true
	}
	if single {
		rows, plain := rowsOf(a, a.sources[first].rows)
		_, order, _ := strings.Cut(rows, "in order ")
		return m.indexed(a, first, rows) + m.called(a, first, convention.Change{Order: strings.Fields(order)}), plain
	}
	if runs.turns > 1 {
		return m.inTurn(a, runs), true
	}
	var names []string
	for _, r := range a.runs {
		names = append(names, m.indexed(a, r.Source, rangeOf(r.From, r.N, a.sources[r.Source].rows)))
	}
	dim := a.dim
	if a.outer != entire {
		dim++
	}
	list := "[" + text.First(maxNamed, names, ", ") + "]"
	plain = len(names) <= maxNamed
	if series := seriesOf(names); series != "" {
		list = series
		plain = true
	}
	return list + " along dim " + strconv.Itoa(dim), plain
}

// called returns the name of the order in which a target has a source's rows, after a colon; nothing if it has none.
func (m *making) called(a arrangement, source int, c convention.Change) string {
	c.Names = []string{m.items[a.item].Name, m.sources[a.sources[source].item].Name}
	name := c.Name()
	if name == "" {
		return ""
	}
	return ": " + name
}

// rangeOf names n consecutive rows of all, as NumPy does; empty for all.
func rangeOf(from, n, all int) string {
	if n == all {
		return ""
	}
	return fmt.Sprintf("%d:%d", from, from+n)
}

// rowsOf names the rows of the only source: a range, ranges, or those of a block.
func rowsOf(a arrangement, all int) (rows string, plain bool) {
	if len(a.blocks) == 1 && len(a.runs) > 1 {
		rows, plain = nestOf(a.blocks[0], all)
	}
	if plain {
		return rows, true
	}
	ranges := rangesOf(a.runs, all)
	if len(ranges) > maxNamed {
		first, period := periodOf(a.runs)
		if period > 0 {
			ranges = rangesOf(first, all)
			return fmt.Sprintf("%s of every %d", text.First(maxNamed, ranges, ", "), period), len(ranges) <= maxNamed
		}
	}
	return text.First(maxNamed, ranges, ", "), len(ranges) <= maxNamed
}

// rangesOf names runs: each, or several single rows at equal distances as one range with a step.
func rangesOf(runs []relate.Run, all int) (ranges []string) {
	for len(runs) > 0 {
		r := runs[0]
		n := 1
		for n < len(runs) && runs[n].N == 1 && runs[n].From-runs[n-1].From == runs[1].From-r.From {
			n++
		}
		if r.N > 1 || n < 3 {
			ranges = append(ranges, rangeOf(r.From, r.N, all))
			runs = runs[1:]
			continue
		}
		last := runs[n-1].From
		ranges = append(ranges, fmt.Sprintf("%d:%d:%d", r.From, last+1, runs[1].From-r.From))
		runs = runs[n:]
	}
	return ranges
}

// periodOf returns the runs of the first period rows, if each row is period rows after the one that is period rows before it; all and 0 without such a
// period.
func periodOf(runs []relate.Run) (first []relate.Run, period int) {
	var rows []int
	for _, r := range runs {
		for k := range r.N {
			rows = append(rows, r.From+k)
		}
	}
	for period = 2; period <= len(rows)/2; period++ {
		if len(rows)%period == 0 && isPeriod(rows, period) {
			break
		}
	}
	if period > len(rows)/2 {
		return runs, 0
	}
	for _, row := range rows[:period] {
		last := len(first) - 1
		if last >= 0 && row == first[last].From+first[last].N {
			first[last].N++
			continue
		}
		first = append(first, relate.Run{Source: runs[0].Source, From: row, N: 1})
	}
	return first, period
}

func isPeriod(rows []int, period int) bool {
	for k := period; k < len(rows); k++ {
		if rows[k] != rows[k-period]+period {
			return false
		}
	}
	return true
}

// nestOf names the rows of a block's loops: all rows from one on, or some of every so many, each several times, in another order. It is not plain
// if they are none of these.
func nestOf(b relate.Block, all int) (rows string, plain bool) {
	times := 1
	var loops []relate.Advance // innermost first
	for _, l := range b.Loops {
		if l.From == 0 {
			times *= l.N
			continue
		}
		loops = append(loops, l)
	}
	rising := slices.Clone(loops)
	slices.SortFunc(rising, func(x, y relate.Advance) int { return x.From - y.From })
	span := 1 // rows that the loops so far fill
	every := 0
	for k, l := range rising {
		if l.From == span {
			span *= l.N
			continue
		}
		isOutermost := k == len(rising)-1 && l == loops[k]
		if !isOutermost || l.From < span {
			return "", false
		}
		every = l.From
		loops = loops[:k]
	}
	rows = rangeOf(b.From, span, all)
	if every > 0 {
		rows = fmt.Sprintf("%d:%d of every %d", b.From%every, b.From%every+span, every)
	}
	if times > 1 {
		rows += fmt.Sprintf(", each %d times", times)
	}
	if !slices.IsSortedFunc(loops, func(x, y relate.Advance) int { return x.From - y.From }) {
		rows += ", in order " + orderOfRows(loops, span)
	}
	return strings.TrimPrefix(rows, ", "), every == 0 || b.From < every
}

// seriesOf returns one name for many that differ in numbers alone, which count from 0: [experts.e.w for e = 0 … 127]; "" if they do not.
func seriesOf(names []string) string {
	if len(names) <= maxNamed || withoutNumbers(names[0]) != withoutNumbers(names[1]) {
		return ""
	}
	counted := counting(names[0], names[1])
	for k, name := range names {
		if counted(strconv.Itoa(k)) != name {
			return ""
		}
	}
	return fmt.Sprintf("[%s for e = 0 … %d]", counted("e"), len(names)-1)
}

// orderOfRows says in which order loops have rows: row//8 row%2 row//2%4, outermost first, as a memory order does.
func orderOfRows(loops []relate.Advance, total int) string {
	var digits []string
	for _, l := range slices.Backward(loops) {
		digit := "row"
		if l.From > 1 {
			digit += "//" + strconv.Itoa(l.From)
		}
		if l.From*l.N < total {
			digit += "%" + strconv.Itoa(l.N)
		}
		digits = append(digits, digit)
	}
	return strings.Join(digits, " ")
}

// inTurn says in which order the sources' rows recur.
func (m *making) inTurn(a arrangement, p pattern) string {
	var names, shares []string
	equal := true
	for _, r := range a.runs[:p.period] {
		name := m.name(a, r.Source)
		names = append(names, name)
		shares = append(shares, fmt.Sprintf("%d of %s", r.N/p.unit, name))
		equal = equal && r.N == p.unit
	}
	list := "[" + text.First(maxNamed, names, ", ") + "]"
	if p.unit == 1 && equal {
		return list + ", " + a.noun() + " in turn"
	}
	heads, group := "in turn", "in turn"
	if areQKV(names) {
		heads, group = "by head", "by group"
	}
	if equal {
		return fmt.Sprintf("%s %s of %d %s", list, heads, p.unit, a.noun())
	}
	return fmt.Sprintf("%s %s: %s, %d %s each", list, group, strings.Join(shares, ", "), p.unit, a.noun())
}

// pattern is what recurs in the runs of sources: period runs, turns times. unit is the number of rows of which all runs are multiples.
type pattern struct{ period, turns, unit int }

func patternOf(runs []relate.Run) (p pattern) {
	for _, r := range runs {
		p.unit = ints.GCD(p.unit, r.N)
		p.unit = ints.GCD(p.unit, r.From)
	}
	for p.period = 1; p.period < len(runs); p.period++ {
		if len(runs)%p.period == 0 && recurs(runs, p.period) {
			break
		}
	}
	p.turns = len(runs) / p.period
	return p
}

// recurs reports whether each run goes on where the one before it ended that is a period earlier.
func recurs(runs []relate.Run, period int) bool {
	ends := map[int]int{}
	for k, r := range runs {
		like := runs[k%period]
		if r.Source != like.Source || r.N != like.N {
			return false
		}
		end, known := ends[r.Source]
		if known && r.From != end {
			return false
		}
		ends[r.Source] = r.From + r.N
	}
	return len(ends) == period
}

// isPermutation reports whether all rows of one source are there, once each.
func (p pattern) isPermutation(a arrangement) bool {
	const maxBlocks = 16
	total := 0
	for _, r := range a.runs {
		if r.Source != a.runs[0].Source {
			return false
		}
		total += r.N
	}
	blocks := p.blocks(a.runs)
	sorted := slices.Sorted(slices.Values(blocks))
	return total == a.sources[a.runs[0].Source].rows && len(blocks) <= maxBlocks && slices.Equal(sorted, ints.Range(len(blocks)))
}

// blocks returns the blocks of unit rows that the runs are.
func (p pattern) blocks(runs []relate.Run) (blocks []int) {
	for _, r := range runs {
		for k := range r.N / p.unit {
			blocks = append(blocks, r.From/p.unit+k)
		}
	}
	return blocks
}

// noun is what the target's slices are: rows, columns or slices. Dims of size 1 do not matter.
func (a arrangement) noun() string {
	shape := a.shape
	if a.outer != entire {
		shape = shape[1:]
	}
	if position(shape, len(shape)) > 2 {
		return "slices"
	}
	return []string{"rows", "columns"}[position(shape, a.dim)]
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
func (m *making) indexed(a arrangement, source int, rows string) string {
	s := a.sources[source]
	name := m.name(a, source)
	if rows == "" {
		return name
	}
	if strings.ContainsAny(rows, ", ") {
		return name + ", " + a.noun() + " " + strings.TrimPrefix(rows, "in order")
	}
	return name + "[" + strings.Repeat(":, ", s.dim) + rows + "]"
}

// name returns the name of a source, without the modules that it shares with the target or the first source: …0.gate_proj.weight.
func (m *making) name(a arrangement, source int) string {
	s := a.sources[source]
	full := m.sources[s.item].Name
	name := withoutModules(full, m.items[a.item].Name)
	first := m.sources[a.sources[a.runs[0].Source].item].Name
	if name == full && first != full {
		name = withoutModules(full, first)
	}
	name = text.Quote(name)
	if s.outer != entire {
		name += "[" + strconv.Itoa(s.outer) + "]"
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
func (a arrangement) permuted() string {
	order := ""
	for k, r := range a.runs {
		s := a.sources[r.Source]
		own := ""
		across := s.dim != entire && position(s.shape, s.dim) != position(a.shape, a.dim)
		if across {
			own = ", transposed"
		}
		if s.isReordered(across) {
			own += ", in memory order " + strings.Join(s.relation.Order, " ")
		}
		if k > 0 && own != order {
			return ", some permuted"
		}
		order = own
	}
	return order
}

// isReordered reports whether the elements of rows are in another order than the source's, but for one that a transposition makes.
func (s arranged) isReordered(across bool) bool {
	if s.relation == nil {
		return false
	}
	return s.relation.Kind == relate.Blocked || !across && !s.relation.SameDims()
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
