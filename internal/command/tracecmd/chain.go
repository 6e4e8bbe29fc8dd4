package tracecmd

import (
	"errors"
	"math"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// chain is the states of a tensor through the steps, up to the first refused one.
type chain struct {
	start trace.State
	trace.Followed
	made   string     // the call that made the start; empty if it is a source's
	values [][]string // the first elements of the start and of each step's result; nil unless they were read
}

// follow follows the steps in order. A refusal is part of the chain, not an error.
func follow(start trace.State, steps []trace.Statement) (*chain, error) {
	c := &chain{start: start}
	var err error
	c.Followed, err = start.FollowAll(steps)
	if err != nil && c.Last.Module != "" && c.Last.Module != start.Rules {
		err = otherRules(err, start.Rules)
	}
	return c, err
}

// otherRules adds the hint to an error that the other framework's rules would not have.
func otherRules(err error, now trace.Rules) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	if now == trace.NumPy {
		return e.WithHint("remove --numpy for PyTorch's rules")
	}
	return e.WithHint("--numpy follows NumPy's rules")
}

// states returns the start and the state after each step.
func (c *chain) states() []trace.State {
	all := []trace.State{c.start}
	for _, s := range c.Steps {
		all = append(all, s.State)
	}
	return all
}

// Limits on --values for all tensors together, whose values are in memory until the report is written: their number, and the bytes of
// their text.
const (
	maxValues = 1 << 20
	maxText   = 64 << 20
)

// readValues reads the first elements of every state, at most limit of each, 0 for all. It traces them through all copies back to the
// source; without a file, an element is its storage offset, as in arange(n). t is nil if the steps made the tensor.
func (c *chain) readValues(t *source.Tensor, limit int) error {
	if limit == 0 {
		limit = math.MaxInt
	}
	states := c.states()
	if err := checkValues(states, limit); err != nil {
		return err
	}
	if t == nil || !t.HasData() {
		return c.addValues(limit, strconv.Itoa)
	}
	if _, err := t.Data(); err != nil {
		return err
	}
	return t.Guard(func() error {
		return c.addValues(limit, func(off int) string {
			text, ok := t.Value(off)
			if !ok {
				return "?"
			}
			return text
		})
	})
}

// addValues adds the first elements of every state; value is the one at an offset of the first storage.
func (c *chain) addValues(limit int, value func(off int) string) error {
	left := maxText
	for _, s := range c.states() {
		values, err := firstValues(s, limit, &left, value)
		if err != nil {
			return err
		}
		c.values = append(c.values, values)
	}
	return nil
}

func checkValues(states []trace.State, limit int) error {
	left := maxValues
	for _, s := range states {
		if left -= min(s.Numel(), limit); left < 0 {
			return fault.New(fault.Usage, "--values prints at most %d values in total, but %s has %s", maxValues,
				tensor.Tuple(s.Shape), text.Count(s.Numel(), "element")).
				WithHint("--limit %d prints the first values of each tensor", max(1, maxValues/len(states)))
		}
	}
	return nil
}

// firstValues reads elements in logical order, and subtracts the length of their text from left. It returns nil for computed values.
func firstValues(s trace.State, limit int, left *int, value func(off int) string) ([]string, error) {
	if !s.Storage.HasOrigin() {
		return nil, nil
	}
	l, err := s.Layout(nil, tensor.Unbounded)
	if err != nil {
		return nil, err
	}
	values := []string{}
	for _, off := range l.Logical() {
		if len(values) == limit {
			break
		}
		shown := "?"
		if first, ok := s.Storage.Origin(off); ok {
			shown = value(first)
		}
		if *left -= len(shown); *left < 0 {
			return nil, fault.New(fault.Usage, "--values prints at most %s of text", text.Bytes(maxText)).WithHint("--limit prints fewer values")
		}
		values = append(values, shown)
	}
	return values, nil
}
