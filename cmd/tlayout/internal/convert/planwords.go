package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/words"
)

// holds says which part of the tensor a box holds.
func holds(parts []convert.Part) string {
	var said []string
	for _, p := range parts {
		s := fmt.Sprintf("%s %d..%d", p.Dim, p.From, p.To-1)
		if p.To == p.From+1 {
			s = fmt.Sprintf("%s %d", p.Dim, p.From)
		}
		switch {
		case p.Every > 0:
			s += fmt.Sprintf(" of every %d", p.Every)
		case p.Rest:
			s += ", the ragged end of a block"
		}
		said = append(said, s)
	}
	if said == nil {
		return "the whole tensor"
	}
	return strings.Join(said, "; ")
}

// why says what a pass did to the loops.
func why(pass string, before, after []convert.NamedLoop) string {
	switch pass {
	case "drop":
		return whyDropped(before)
	case "sort":
		return whySorted(before, after)
	case "fold":
		return whyFolded(before, after)
	}
	return ""
}

func whyDropped(before []convert.NamedLoop) string {
	var dropped []convert.NamedLoop
	for _, l := range before {
		if l.N == 1 {
			dropped = append(dropped, l)
		}
	}
	switch len(dropped) {
	case 0:
		return "nothing to drop: every loop runs more than once"
	case 1:
		return loopNames(dropped) + " is dropped: it runs once"
	}
	return loopNames(dropped) + " are dropped: each runs once"
}

func whySorted(before, after []convert.NamedLoop) string {
	if len(before) < 2 || loopNames(before) == loopNames(after) {
		return "nothing to sort: the destination's steps fall already"
	}
	return "into " + loopNames(after) + ", to write the destination in rising order"
}

// whyFolded says which neighbours became one, and by which numbers.
func whyFolded(before, after []convert.NamedLoop) string {
	var said []string
	for _, l := range after {
		if len(l.Digits) < 2 {
			continue
		}
		first := slices.IndexFunc(before, func(b convert.NamedLoop) bool { return b.Digits[0] == l.Digits[0] })
		parts := before[first : first+len(l.Digits)]
		said = append(said, fmt.Sprintf("%s become one loop of %d, for %s", loopNames(parts), l.N, seams(parts)))
	}
	switch {
	case said != nil:
		return strings.Join(said, "; ")
	case len(before) < 2:
		return "nothing to fold: there is one loop at most"
	}
	return "nothing to fold: no loop goes on where the next one ends on both sides"
}

// seams says of each loop but the last how its steps follow from those of the next, in the source and the destination.
func seams(loops []convert.NamedLoop) string {
	var said []string
	for i, outer := range loops[:len(loops)-1] {
		inner := loops[i+1]
		numbers := fmt.Sprintf("%d = %d·%d", outer.Src, inner.N, inner.Src)
		if outer.Src != outer.Dst {
			numbers += fmt.Sprintf(", %d = %d·%d", outer.Dst, inner.N, inner.Dst)
		}
		said = append(said, fmt.Sprintf("a step of %s is %d steps of %s on both sides: %s", outer.Name(), inner.N, inner.Name(), numbers))
	}
	return strings.Join(said, ", and ")
}

// loopNames lists the loops: N, H and W.
func loopNames(loops []convert.NamedLoop) string {
	names := make([]string, len(loops))
	for i, l := range loops {
		names[i] = l.Name()
	}
	return words.And(names)
}

// itemWhy says what an item that the kernel moves is.
func itemWhy(k convert.Kernel, loops []convert.NamedLoop, itemSize int) string {
	if k.Item == itemSize {
		return "one element"
	}
	inner := loops[len(loops)-1]
	if k.Item == inner.N*itemSize {
		return fmt.Sprintf("the %d elements of %s, which lie side by side on both sides", inner.N, inner.Name())
	}
	return fmt.Sprintf("%d of the %d elements of %s, which lie side by side on both sides", k.Item/itemSize, inner.N, inner.Name())
}
