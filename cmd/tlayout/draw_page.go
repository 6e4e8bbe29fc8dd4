package main

import (
	"io"

	"github.com/tlayout/tlayout/internal/explorer"
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
			s.Layouts = append(s.Layouts, m.Name)
		}
	}
	var err error
	if s.Values, err = j.logicalValues(); err != nil {
		return err
	}
	return explorer.Write(w, s)
}

// logicalValues are the values of all elements, in logical order; nil where there are none, or too many.
func (j *drawJob) logicalValues() (values []string, err error) {
	l := j.tensor.Layout
	if j.subject.Value == nil || l.Numel() > explorer.MaxValues {
		return nil, nil
	}
	err = j.tensor.Guard(func() error {
		for _, offset := range l.Logical() {
			text, _, _ := j.subject.Value(offset)
			values = append(values, text)
		}
		return nil
	})
	return values, err
}
