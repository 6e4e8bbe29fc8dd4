package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

const xlaBytes = `(\d+(?:\.\d+)?[KMGT]?)`

var (
	xlaUsed  = lazy.Regexp(`Used ` + xlaBytes + ` of ` + xlaBytes + ` (\w+)`)
	xlaEntry = lazy.Regexp(`\d+\\?\. Size: `)
	xlaSize  = lazy.Regexp(`^(\d+(?:\.\d+)?)([KMGT]?)`)
	xlaPlain = lazy.Regexp(`Unpadded size: ` + xlaBytes)
)

// allocation is an entry of the report. size and plain, the size without padding, are as printed: 32.00G.
type allocation struct {
	size, plain string
	text        string  // the type
	count       int     // of equal entries
	padding     float64 // of all of them, in bytes
}

// outOfMemory answers XLA's report with the allocations that have the most padding.
func outOfMemory(c *complaint) (Answer, bool) {
	message := c.around
	a := Answer{What: "XLA ran out of memory", Same: tensor.Unknown, Cost: "nothing is copied: tiles pad the two innermost dims of the layouts that the compiler chose"}
	if m := xlaUsed.Get().FindStringSubmatch(message); m != nil {
		a.What = fmt.Sprintf("XLA ran out of %s: the program needs %s of %s", m[3], m[1], m[2])
	}
	all := allocations(message)
	for i, e := range all[:min(3, len(all))] {
		fact, command := e.explain()
		a.Facts = append(a.Facts, fact...)
		if i == 0 && command != "" {
			a.Commands = []string{command}
		}
	}
	a.Fixes = []string{"x = x.reshape(n, -1)  # before it: merges small dims, or puts large ones last"}
	return a, true
}

// allocations returns the entries of a report, those with the most padding first.
func allocations(message string) []allocation {
	var all []allocation
	for _, entry := range xlaEntry.Get().Split(message, mention.MaxTensors)[1:] {
		size := xlaSize.Get().FindString(entry)
		_, shape, _ := strings.Cut(entry, "Shape: ")
		types := printed.Find(shape, 1)
		plain := xlaPlain.Get().FindStringSubmatch(entry)
		if size == "" || types == nil || plain == nil {
			continue
		}
		e := allocation{size, plain[1], types[0].Text, 1, bytesOf(entry) - bytesOf(plain[1])}
		if i := slices.IndexFunc(all, func(o allocation) bool { return o.text == e.text && o.size == e.size }); i >= 0 {
			all[i].count++
			all[i].padding += e.padding
			continue
		}
		all = append(all, e)
	}
	sorting.By(all, func(a, b allocation) int { return cmp.Compare(b.padding, a.padding) })
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
// nothing where the type's size is not the one that the report has.
func (e allocation) explain() (facts []string, command string) {
	fact := strings.TrimPrefix(fmt.Sprintf("%d × %s of %s, %s without padding", e.count, e.size, e.text, e.plain), "1 × ")
	now, err := printed.Parse(e.text)
	if err != nil || now.Bytes() == 0 || math.Abs(float64(now.Bytes())-bytesOf(e.size)) > 0.01*float64(now.Bytes()) {
		return []string{fact}, ""
	}
	shape := now.Layout.Shape()
	for d, n := range now.Layout.PaddedShape() {
		if n != shape[d] {
			fact += fmt.Sprintf("; dim %d is padded from %d to %d", d, shape[d], n)
		}
	}
	array, layout, _ := strings.Cut(e.text, "{")
	_, tiles, _ := strings.Cut(layout, ":")
	facts = []string{fact}
	minBytes := now.Bytes()
	for pair := range len(shape) * len(shape) {
		last := pair / len(shape)
		before := pair % len(shape)
		rest := slices.DeleteFunc(ints.Range(len(shape)), func(d int) bool { return d == last || d == before })
		slices.Reverse(rest)
		order := fmt.Sprintf("{%s:%s", text.Ints(append([]int{last, before}, rest...), ","), tiles)
		if t, err := printed.Parse(array + order); err == nil && t.Bytes() < minBytes {
			minBytes = t.Bytes()
			facts = []string{fact, fmt.Sprintf("  %s, with dims %d and %d innermost, would take %s", order, before, last, text.Bytes(minBytes))}
		}
	}
	return facts, "tlayout inspect " + text.Shell(e.text)
}
