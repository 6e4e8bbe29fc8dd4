package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/words"
)

func (r *formatsReport) write(a *app) error {
	switch a.format {
	case formatJSON:
		return writeJSON(a.stdout, r, true)
	case formatCSV:
		return r.csv().CSV(a.stdout)
	}
	if err := writeAnswer(a, r.Answer); err != nil {
		return err
	}
	if r.framework == allFrameworks {
		if err := r.writeMemory(a); err != nil {
			return err
		}
	}
	columns := a.streams.columns()
	if a.format == formatMarkdown {
		columns = math.MaxInt
	}
	if err := writeSection(a, r.frameworkTable(columns)); err != nil {
		return err
	}
	r.writeLine(a, r.passText())
	r.writeConfusions(a)
	return r.writeCode(a)
}

// writeMemory shows how it lies.
func (r *formatsReport) writeMemory(a *app) error {
	if err := writeSection(a, r.axisTable()); err != nil {
		return err
	}
	if len(r.Padding) > 0 {
		r.writeLine(a, "padding: "+r.paddingText())
		r.writeLine(a, "in it: "+paddingHolds())
	}
	if len(r.Candidates) == 0 || !r.exact {
		return nil
	}
	t := render.Table{Title: "Which layouts could this be?", Header: []string{"order", "why"}}
	for _, c := range r.Candidates {
		t.Add(c.Layout, c.Why)
	}
	return writeSection(a, t)
}

func (r *formatsReport) writeLine(a *app, s string) {
	if a.format == formatMarkdown && !strings.HasPrefix(s, "- ") {
		s = "\n" + s
	}
	fmt.Fprintln(a.stdout, a.streams.fold(s, 2))
}

// writeConfusions lists what is easily mistaken, and notes.
func (r *formatsReport) writeConfusions(a *app) {
	lines := r.Confusions
	if r.framework != allFrameworks {
		lines = nil
	}
	for i, s := range append(lines, r.Notes...) {
		if i == 0 && a.format == formatMarkdown {
			fmt.Fprint(a.stdout, "\n**Mind**\n\n")
		} else if i == 0 {
			fmt.Fprintf(a.stdout, "\n%s\n", a.bold("Mind"))
		}
		r.writeLine(a, "- "+s)
	}
}

// writeCode writes blocks that can be pasted.
func (r *formatsReport) writeCode(a *app) error {
	for _, c := range r.Code {
		title := fmt.Sprintf("%s, from x of %s to this memory and back", c.Framework, strings.Join(r.Dims, ","))
		if strings.Contains(strings.Join(c.Make, ""), "F.pad") {
			title += "; F is torch.nn.functional"
		}
		if err := writeBlock(a, title, "python", slices.Concat(c.Make, c.Back)); err != nil {
			return err
		}
	}
	d := r.DirectML
	if d != nil && d.Why != "" && len(d.Sizes) > 0 {
		r.writeLine(a, "\nDirectML: "+d.Why)
	}
	if d == nil || len(d.Code) == 0 {
		return nil
	}
	return writeBlock(a, "DirectML, in C++", "cpp", d.Code)
}

// writeBlock writes code, whose lines are not broken.
func writeBlock(a *app, title, language string, lines []string) error {
	text := strings.Join(lines, "\n")
	if a.format == formatMarkdown {
		title, text = "**"+title+"**\n", "```"+language+"\n"+text+"\n```"
	}
	_, err := fmt.Fprintf(a.stdout, "\n%s\n%s\n", a.bold(title), text)
	return err
}

// csv has a row for each framework.
func (r *formatsReport) csv() render.Table {
	t := render.Table{Header: strings.Split("framework,names,order,shape,stride_unit,strides", ",")}
	for _, f := range r.Frameworks {
		shape := f.Symbols
		if f.Shape != nil {
			shape = words.Each(f.Shape)
		}
		strides := strings.Join(words.Each(f.Strides), ",")
		t.Add(f.Framework, strings.Join(f.Names, " "), f.Order, strings.Join(shape, ","), f.Unit, strides)
	}
	return t
}
