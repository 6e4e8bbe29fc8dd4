package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/tensor/trace"
	"github.com/tlayout/tlayout/internal/words"
)

// addValues looks up the first elements of every state, through all copies, in the source. Without a file an element
// is the number of its place in storage, as arange has it.
func (r *report) addValues(t *source.Tensor, limit int) error {
	if limit == 0 {
		limit = math.MaxInt
	}
	if err := r.affordable(limit); err != nil {
		return err
	}
	value := func(off int) string { return strconv.Itoa(off) }
	if t.HasData() {
		if _, err := t.Data(); err != nil {
			return err
		}
		value = func(off int) string {
			text, ok := t.Value(off)
			if !ok {
				return "?"
			}
			return text
		}
	}
	left := mostText
	return t.Guard(func() error {
		for i, s := range r.states {
			values, err := firstValues(s, limit, &left, value)
			if err != nil {
				return err
			}
			if i == 0 {
				r.Start.Values = values
			} else {
				r.Steps[i-1].Values = values
			}
		}
		return nil
	})
}

// mostValues and mostText bound how many values are printed in all, and their text in bytes: they are kept until the
// report is written.
const (
	mostValues = 1 << 20
	mostText   = 64 << 20
)

func (r *report) affordable(limit int) error {
	left := mostValues
	for _, s := range r.states {
		if left -= min(s.Numel(), limit); left < 0 {
			return fault.New(fault.Usage, "--values prints at most %d values, of all tensors together; %s alone has %s", mostValues,
				tensor.Tuple(s.Shape), words.Count(s.Numel(), "element")).
				WithHint("--limit %d prints the first of each", max(1, mostValues/len(r.states)))
		}
	}
	return nil
}

func firstValues(s trace.State, limit int, left *int, value func(off int) string) ([]string, error) {
	l, err := s.Layout(nil, tensor.Unbounded)
	if err != nil {
		return nil, err
	}
	values := []string{}
	for _, off := range l.Logical() {
		if len(values) == limit {
			break
		}
		text := "?"
		if first, ok := s.Storage.Origin(off); ok {
			text = value(first)
		}
		if *left -= len(text); *left < 0 {
			return nil, fault.New(fault.Usage, "--values prints at most %s of text", words.Bytes(mostText)).WithHint("--limit prints fewer values")
		}
		values = append(values, text)
	}
	return values, nil
}

// writeValues prints the tensors, but for those that are the one before.
func (r *report) writeValues(a *cli.App) error {
	if r.Start.Values == nil {
		return nil
	}
	what := "Values"
	if r.Source == "" {
		what = "Values, each the offset at which it lies"
	}
	fmt.Fprintf(a.Stdout, "\n%s\n", a.Heading(what))
	show := func(op string, s *state) error {
		_, err := fmt.Fprintf(a.Stdout, "%s\n%s\n", a.Code(op+" "+tensor.Tuple(s.Shape)), a.Block(nested(s.Shape, s.Values)))
		return err
	}
	if err := show("start", &r.Start); err != nil {
		return err
	}
	for i := range r.states[1:] {
		s := &r.Steps[i]
		if *s.Kind == trace.Self {
			continue
		}
		if err := show(s.Op, &s.state); err != nil {
			return err
		}
	}
	return nil
}

// nested prints elements in brackets as Python nests them, those of the last dim in a line, in columns. Of more elements
// than there are values the rest is "…".
func nested(shape []int, values []string) []string {
	rank, width := len(shape), 0
	for _, v := range values {
		width = max(width, displaywidth.String(v))
	}
	if len(values) == 0 {
		return []string{"[]"}
	}
	var lines []string
	var line strings.Builder
	for k, v := range values {
		opened := edges(shape, k)
		if opened > 0 {
			line.WriteString(strings.Repeat(" ", rank-opened) + strings.Repeat("[", opened))
		}
		line.WriteString(strings.Repeat(" ", width-displaywidth.String(v)) + v)
		closed := edges(shape, k+1)
		line.WriteString(strings.Repeat("]", closed))
		if closed < rank {
			line.WriteByte(',')
		}
		switch {
		case k == len(values)-1 && closed < rank:
			line.WriteString(" …")
			lines = append(lines, line.String())
		case closed > 0 || rank == 0:
			lines = append(lines, line.String())
			line.Reset()
		default:
			line.WriteByte(' ')
		}
	}
	return lines
}

// edges counts the innermost dims that begin at element k in logical order, which end before it.
func edges(shape []int, k int) int {
	n := 0
	for d := len(shape) - 1; d >= 0; d-- {
		if k%shape[d] != 0 {
			break
		}
		k /= shape[d]
		n++
	}
	return n
}
