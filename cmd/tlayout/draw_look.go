package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/picture"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// drawLook says how a tensor is drawn.
type drawLook struct {
	labels      labelsFlag
	colour      string
	path        picture.Path
	steps       int
	line        bytesFlag
	wrap, limit int
}

func (o *drawLook) addLook(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&o.labels, "label", "what cells say: index, coord, value, offset, byte, or several\n(default value where it is short, else index)")
	flags.StringVar(&o.colour, "color-by", string(picture.ByChannel), "what colours mean: channel, memory, value, none, or a `dim`")
	flags.Var(newEnum(&o.path, noPath, picture.Channel, picture.Spatial), "path", "draw the order of access")
	flags.IntVar(&o.steps, "steps", 16, "with --path: how many accesses")
	flags.Var(&o.line, "line", "bytes of a cache line")
	flags.IntVar(&o.wrap, "wrap", 0, "cells in a row of memory (default a cache line)")
	flags.IntVar(&o.limit, "limit", usualCells, "how many elements to draw, and cells of each memory; 0 for all")
	must(cmd.RegisterFlagCompletionFunc("label", cobra.FixedCompletions(labels, cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.RegisterFlagCompletionFunc("color-by", cobra.FixedCompletions(colourings, cobra.ShellCompDirectiveNoFileComp)))
}

// maxLine bounds a cache line, in bytes.
const maxLine = 4096

func (o *drawLook) checkLook(typed func(string) bool) error {
	switch {
	case o.limit < 0:
		return fault.New(fault.Usage, "--limit %d is negative", o.limit).WithHint("0 draws all")
	case o.wrap < 0 || o.wrap == 0 && typed("wrap"):
		return fault.New(fault.Usage, "--wrap %d: a row of memory needs 1 cell or more", o.wrap).
			WithHint("leave it out, and a row is a cache line")
	case o.steps < 1:
		return fault.New(fault.Usage, "--steps %d: a path has 1 step or more", o.steps).WithHint("leave it out for 16")
	case o.line.n < 1 || o.line.n > maxLine || o.line.n&(o.line.n-1) != 0:
		return fault.New(fault.Usage, "--line %d is not a power of two up to %d", o.line.n, maxLine).
			WithHint("lines have 32, 64, 128 or 256 bytes")
	}
	return nil
}

// wantsValues reports whether values are drawn, or may be.
func (o *drawLook) wantsValues() bool {
	return o.labels.list == nil || slices.Contains(o.labels.list, picture.Value) || o.colour == string(picture.ByValue)
}

// choose settles what depends on the tensor.
func (o *drawLook) choose(t *source.Tensor, value func(int) (string, float64, bool)) (picture.Options, error) {
	p := picture.Options{Labels: o.labels.list, Line: int(o.line.n), Wrap: o.wrap, Limit: o.limit, Steps: o.steps}
	if o.path != noPath {
		p.Path = o.path
	}
	if slices.Contains(p.Labels, picture.Value) && value == nil {
		return p, noValues("--label value", t)
	}
	if p.Labels == nil {
		p.Labels = []picture.Label{picture.Index}
		short, err := shortValues(t, value)
		if err != nil {
			return p, err
		}
		if short {
			p.Labels[0] = picture.Value
		}
	}
	return p, o.chooseColour(&p, t, value != nil)
}

func (o *drawLook) chooseColour(p *picture.Options, t *source.Tensor, values bool) error {
	word := strings.ToLower(o.colour)
	if slices.Contains(colourings, word) {
		if p.Colour = picture.Colouring(word); p.Colour == picture.ByValue && !values {
			return noValues("--color-by value", t)
		}
		return nil
	}
	names := t.Layout.Names()
	for _, name := range names {
		if strings.EqualFold(name, word) {
			p.Colour, p.Dim = picture.ByDim, name
			return nil
		}
	}
	e := fault.New(fault.Usage, `--color-by "%s" is none of %s, and no dim of the tensor: %s`, fault.Quote(o.colour),
		strings.Join(colourings, ", "), sizesOf(names, t.Layout.Shape()))
	if near := fault.Nearest(word, colourings); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e
}

// noValues refuses values of a tensor without any.
func noValues(flag string, t *source.Tensor) error {
	what := "the tensor is only described"
	if t.Kind != "shape" {
		what = sourceNamed(t.Source) + " has none"
	}
	return fault.New(fault.Usage, "%s: there are no values, %s", flag, what).
		WithHint("--label index, coord or offset, and --color-by channel or memory, need none")
}
