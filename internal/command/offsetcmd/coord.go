package offsetcmd

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

var coordLike = lazy.Regexp(`^(\[\s*-?\d+\s*\])+$|^[({\[]?\s*([A-Za-z]\w*=)?-?\d+\s*(,[\s\w=-]*)*[)}\]]?$`)

// looksLikeCoord reports whether an argument is written as a coordinate: 1,0,1 or (1,0,1) or c=1,w=1.
func looksLikeCoord(arg string) bool {
	_, err := notation.ParseInts(arg)
	return arg != "" && err == nil || coordLike.Get().MatchString(strings.TrimSpace(arg))
}

var indexed = lazy.Regexp(`^(.+?)((?:\[[^\[\]]*\])+)$`)

// splitIndex splits a first argument x.npy[1,2,3,4], as in Python, into the source and the coordinate.
func splitIndex(args []string) (name, coord string, ok bool) {
	if len(args) == 0 {
		return "", "", false
	}
	parts := indexed.Get().FindStringSubmatch(args[0])
	if parts == nil {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// gather joins arguments that are single indices into one coordinate: 1 2 3 4. With one dim, each index is a coordinate. Errors are
// of class Usage.
func gather(args []string, l tensor.Layout) ([]string, error) {
	notNumber := func(arg string) bool { _, err := strconv.Atoi(arg); return err != nil }
	if len(args) < 2 || l.Rank() == 1 || slices.ContainsFunc(args, notNumber) {
		return args, nil
	}
	if len(args) == l.Rank() {
		return []string{strings.Join(args, ",")}, nil
	}
	return nil, fault.New(fault.Usage, "got %d indices, but the tensor has %s: %s", len(args), text.Count(l.Rank(), "dim"), dimSizes(l)).
		WithHint("%s", coordHint(l))
}

// parseCoord parses a coordinate in any form of the help text. Errors are of class Usage.
func parseCoord(arg string, l tensor.Layout) ([]int, error) {
	parts := coordWords(arg)
	if len(parts) > 0 && strings.Contains(parts[0], "=") {
		return namedCoord(arg, parts, l)
	}
	if len(parts) != l.Rank() {
		e := fault.New(fault.Usage, "%s has %d %s, but the tensor has %s: %s", text.Quoted(arg), len(parts),
			text.Plural(len(parts), "index", "indices"), text.Count(l.Rank(), "dim"), dimSizes(l))
		if n, err := strconv.Atoi(arg); err == nil && n >= 0 && l.Rank() > 1 {
			return nil, e.WithHint("%s; --at %d finds the element at offset %d", coordHint(l), n, n)
		}
		return nil, e.WithHint("%s", coordHint(l))
	}
	coord := make([]int, len(parts))
	for d, word := range parts {
		var err error
		coord[d], err = parseIndex(arg, word, l.Dim(d))
		if err != nil {
			return nil, err
		}
	}
	return coord, nil
}

// coordWords returns the indices of a coordinate in any form of a list of integers, or in C's [1][0].
func coordWords(arg string) []string {
	return notation.SplitList(strings.ReplaceAll(arg, "][", ","))
}

// namedCoord parses c=1,w=1; other indices are 0.
func namedCoord(arg string, parts []string, l tensor.Layout) ([]int, error) {
	coord := make([]int, l.Rank())
	given := map[int]bool{}
	for _, word := range parts {
		name, value, _ := strings.Cut(word, "=")
		d := slices.IndexFunc(l.Names(), func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) })
		if d < 0 {
			return nil, fault.New(fault.Usage, "%s: unknown dim %s", text.Quoted(arg), text.Quoted(name)).
				WithHint("the dims are %s", dimSizes(l))
		}
		if given[d] {
			return nil, fault.New(fault.Usage, "%s: duplicate dim %s", text.Quoted(arg), l.Dim(d).Name).
				WithHint("name each dim once")
		}
		var err error
		coord[d], err = parseIndex(arg, strings.TrimSpace(value), l.Dim(d))
		if err != nil {
			return nil, err
		}
		given[d] = true
	}
	for d, n := range l.Shape() {
		if n == 0 {
			_, err := parseIndex(arg, "0", l.Dim(d))
			return nil, err
		}
	}
	return coord, nil
}

// parseIndex parses an index of a dim; negative ones count from the end.
func parseIndex(arg, word string, d tensor.Dim) (int, error) {
	i, err := strconv.Atoi(word)
	name := strings.ToLower(d.Name)
	arg = text.Cut(arg, 60)
	word = text.Cut(word, 30)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fault.New(fault.Usage, "%s: index %s = %s is out of range: %s has size %d",
			text.Quoted(arg), name, text.Quote(word), d.Name, d.Size)
	}
	if err != nil && strings.Contains(word, ":") {
		return 0, fault.New(fault.Usage, "%s: index %s: %s is a slice, not an element", text.Quoted(arg), name, text.Quoted(word)).
			WithHint("tlayout trace SRC '[1:3]' shows the view that a slice makes")
	}
	if err != nil {
		return 0, fault.New(fault.Usage, "%s: index %s: %s is not an integer",
			text.Quoted(arg), name, text.Quoted(word)).
			WithHint("write coordinates as 1,0,1 or by name: c=1,w=1")
	}
	if d.Size == 0 {
		return 0, fault.New(fault.Usage, "%s: no valid index: %s has size 0", text.Quoted(arg), d.Name).
			WithHint("the tensor is empty")
	}
	if i < -d.Size || i >= d.Size {
		return 0, fault.New(fault.Usage, "%s: index %s = %d is out of range: %s has size %d",
			text.Quoted(arg), name, i, d.Name, d.Size).
			WithHint("%s ranges from 0 to %d, or from -%d to -1", name, d.Size-1, d.Size)
	}
	if i < 0 {
		return i + d.Size, nil
	}
	return i, nil
}

// dimSizes returns the dims with their sizes: "N,C,H,W = (2, 3, 4, 5)".
func dimSizes(l tensor.Layout) string { return tensor.NamedSizes(l.Names(), l.Shape()) }

// lastCoord returns the coordinate of the last element, as on the command line.
func lastCoord(l tensor.Layout) string {
	last := l.Shape()
	for d := range last {
		last[d] = max(last[d]-1, 0)
	}
	if len(last) == 0 {
		return "'()'"
	}
	return text.Ints(last, ",")
}

// coordHint returns examples of coordinates: those of the last element and of the first.
func coordHint(l tensor.Layout) string {
	if l.Rank() == 0 {
		return "the only coordinate of a scalar is '()'"
	}
	last := lastCoord(l)
	zeros := strings.Repeat(",0", l.Rank())[1:]
	if l.Rank() == 1 {
		return fmt.Sprintf("one element is %s, several are %s %s", last, last, zeros)
	}
	return fmt.Sprintf("one element is %s, several are %s %s", strings.ReplaceAll(last, ",", " "), last, zeros)
}
