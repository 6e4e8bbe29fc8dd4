package main

import (
	"io"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/explorer"
	"github.com/tlayout/tlayout/internal/picture"
)

// writePage writes the page in which one can play with the layout.
func (j *drawJob) writePage(w io.Writer) error {
	t := j.tensor
	s := explorer.Subject{
		Name: sourceName(t.Source), DType: t.DType.String(), Size: t.DType.ItemSize(), Layout: t.Layout,
		Format: t.Format, HasFormat: t.HasFormat, Line: int(j.options.line.n),
	}
	for _, m := range j.memories {
		if j.options.stored.list != nil {
			s.Layouts = append(s.Layouts, explorer.Named{Layout: m.Layout, Format: m.format, HasFormat: m.hasFormat})
		}
	}
	if err := j.addValues(&s); err != nil {
		return err
	}
	return explorer.Write(w, s)
}

// addValues gives the page the values of all elements, in logical order, unless there are none, or too many.
func (j *drawJob) addValues(s *explorer.Subject) error {
	if j.subject.Value == nil || s.Layout.Numel() > explorer.MaxValues {
		return nil
	}
	s.ShortValues = slices.Contains(j.look.Labels, picture.Value)
	return j.tensor.Guard(func() error {
		for _, offset := range s.Layout.Logical() {
			text, number, ok := j.subject.Value(offset)
			if !ok {
				number = math.NaN()
			}
			s.Values, s.Numbers = append(s.Values, text), append(s.Numbers, number)
		}
		return nil
	})
}
