package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Reports of compilers about memory.
var memoryRules = []rule{{
	Message: Message{ID: "xla-out-of-memory", Framework: "XLA", Reference: "XLA for TPU; as in github.com/google/jax/issues/7502",
		Text: "Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm. Exceeded hbm capacity by 25.74G.\n\n  Largest program allocations in hbm:\n\n" +
			"  1. Size: 32.00G\n     Shape: s32[8388608,8,4]{2,1,0:T(8,128)}\n     Unpadded size: 1.00G\n     Extra memory due to padding: 31.00G (32.0x expansion)"},
	words: lazy.Regexp(`Largest program allocations in|Ran out of memory in memory space|Extra memory due to padding: `), answer: outOfMemory,
}}

var (
	xlaUsed   = lazy.Regexp(`Used ([\d.]+[KMGT]?) of ([\d.]+[KMGT]?) (\w+)`)
	xlaEntry  = lazy.Regexp(`\d+\\?\. Size: `)
	xlaSize   = lazy.Regexp(`^([\d.]+)([KMGT]?)`)
	xlaShape  = lazy.Regexp(`Shape: ((\w+)\[([\d,]*)\](\{[\w:(),#*]*\})?)`)
	xlaPlain  = lazy.Regexp(`Unpadded size: ([\d.]+[KMGT]?)`)
	xlaTiling = lazy.Regexp(`^\{([\d,]*):T((?:\([\d,]+\))+)(?:L\((\d+)\))?(?:[#*]\(\w+\))*(?:E\((\d+)\))?(?:S\(\d+\))?\}$`)
)

// allocation is an entry of the report. size and plain, the size without padding, are as printed: 32.00G.
type allocation struct {
	size, plain         string
	text, dtype, layout string
	shape               []int
	count               int     // of equal entries
	padding             float64 // of all of them, in bytes
}

// outOfMemory answers XLA's report with the allocations that have the most padding.
func outOfMemory(message string, _ []string) Answer {
	a := Answer{What: "XLA ran out of memory", Same: tensor.Unknown, Cost: "nothing is copied: tiles pad the two innermost dims of the layouts that the compiler chose",
		Commands: []string{"tlayout inspect --shape 8192,8,4 --dtype int32 --from '{2,1,0:T(8,128)}'"}}
	if m := xlaUsed.Get().FindStringSubmatch(message); m != nil {
		a.What = fmt.Sprintf("XLA ran out of %s: the program needs %s of %s", m[3], m[1], m[2])
	}
	all := allocations(message)
	for i, e := range all[:min(3, len(all))] {
		fact, command := e.explain()
		if a.Facts = append(a.Facts, fact...); i == 0 && command != "" {
			a.Commands = []string{command}
		}
	}
	a.Fixes = []string{"x = x.reshape(n, -1)  # before the operation: merge small dims, or put large ones last"}
	return a
}

// allocations returns the entries of a report, those with the most padding first.
func allocations(message string) []allocation {
	var all []allocation
	for _, entry := range xlaEntry.Get().Split(message, maxMentions)[1:] {
		m, plain := xlaShape.Get().FindStringSubmatch(entry), xlaPlain.Get().FindStringSubmatch(entry)
		if m == nil || plain == nil {
			continue
		}
		e := allocation{xlaSize.Get().FindString(entry), plain[1], m[1], m[2], m[4], nil, 1, bytesOf(entry) - bytesOf(plain[1])}
		e.shape, _ = sizes(m[3])
		if i := slices.IndexFunc(all, func(o allocation) bool { return o.text == e.text && o.size == e.size }); i >= 0 {
			all[i].count, all[i].padding = all[i].count+1, all[i].padding+e.padding
			continue
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b allocation) int { return int((b.padding - a.padding) / 1024) })
	return all
}

// bytesOf reads 1.09G at the start of a text; K, M, G and T are powers of 1024.
func bytesOf(size string) float64 {
	m := xlaSize.Get().FindStringSubmatch(size)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	return n * math.Pow(1024, float64(strings.Index("KMGT", m[2])+len(m[2])))
}

// explain says which dims are padded, which order of dims pads least with the same tiles, and the command that shows it. It computes
// nothing where the layout's size is not the one that the report has.
func (e allocation) explain() (facts []string, command string) {
	fact := strings.TrimPrefix(fmt.Sprintf("%d × %s of %s, %s without padding", e.count, e.size, e.text, e.plain), "1 × ")
	m := xlaTiling.Get().FindStringSubmatch(e.layout)
	if m == nil {
		return []string{fact}, ""
	}
	now, padded := e.bytes(m, m[1])
	if now == 0 || math.Abs(float64(now)-bytesOf(e.size)) > 0.01*float64(now) {
		return []string{fact}, ""
	}
	for d, n := range padded {
		if n != e.shape[d] {
			fact += fmt.Sprintf("; dim %d is padded from %d to %d", d, e.shape[d], n)
		}
	}
	if d, err := dtype.ParseTyped(e.dtype); err == nil && m[3]+m[4] == "" {
		command = fmt.Sprintf("tlayout inspect --shape %s --dtype %s --from '{%s:T%s}'", spelled(e.shape), d, m[1], m[2])
	}
	facts, least := []string{fact}, now
	for pair := range len(e.shape) * len(e.shape) {
		last, before := pair/len(e.shape), pair%len(e.shape)
		rest := slices.DeleteFunc(ints.Range(len(e.shape)), func(d int) bool { return d == last || d == before })
		slices.Reverse(rest)
		order := text.Ints(append([]int{last, before}, rest...), ",")
		if n, _ := e.bytes(m, order); n > 0 && n < least {
			least = n
			facts = []string{fact, fmt.Sprintf("  {%s:T%s}, with dims %d and %d innermost, would take %s", order, m[2], before, last, text.Bytes(int64(n)))}
		}
	}
	return facts, command
}

// bytes returns what the array takes with dims in that order, minor to major, and the padded sizes; 0 if that is not understood. m are
// the parts of its layout. (XLA, docs/tiled_layout.md, and Layout::Print: L pads the array's end, E sets an element's bits)
func (e allocation) bytes(m []string, order string) (int, []int) {
	d, unknown := dtype.ParseTyped(e.dtype)
	bits, err := strconv.Atoi(m[4])
	if err != nil {
		bits, err = d.Bits(), unknown
	}
	parsed, bad := notation.Parse("{" + order + ":T" + m[2] + "}")
	if err != nil || bad != nil {
		return 0, nil
	}
	l, err := parsed.Format.Bind(e.shape)
	if err != nil {
		return 0, nil
	}
	tail, _ := strconv.Atoi(m[3])
	n, ok := tensor.Mul(ints.CeilDiv(l.Alloc(), max(tail, 1)), max(tail, 1))
	n, fits := tensor.Mul(n, bits)
	if !ok || !fits {
		return 0, nil
	}
	return ints.CeilDiv(n, 8), l.PaddedShape()
}
