package main

import (
	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// benchGates are the conditions that the report must meet.
type benchGates []*bench.Condition

// readGates reads --require, and refuses what names rows that will not be there.
func (j *benchJob) readGates() error {
	for _, text := range j.options.require {
		c, err := bench.ParseGate(text, rowName)
		if err != nil {
			return err
		}
		if err := c.Check(j.subject.Keys(), j.measuring.Geometry, j.baseline); err != nil {
			return err
		}
		j.gates = append(j.gates, c)
	}
	return nil
}

// rowName is how rows name a layout, whatever its spelling.
func rowName(spelled string) string {
	l, err := notation.Parse(spelled)
	if err != nil || l.Exact != nil || l.Own != notation.NotOwn {
		return spelled
	}
	return formatName(l.Format)
}

// patterns are those that must be measured for the gates.
func (g benchGates) patterns() (all []bench.Pattern) {
	for _, c := range g {
		all = append(all, c.Patterns()...)
	}
	return all
}

// eval writes into the report which gates hold.
func (g benchGates) eval(r, baseline *bench.Report) {
	for _, c := range g {
		r.Gates = append(r.Gates, c.Eval(r, baseline))
	}
}
