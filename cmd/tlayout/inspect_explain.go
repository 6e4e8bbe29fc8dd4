package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// explained is one question of --explain, answered line by line.
type explained struct {
	Title string   `json:"title"`
	Lines []string `json:"lines"`
}

func (r *inspectReport) explain(t *source.Tensor) []explained {
	all := []explained{r.explainStrides(t), r.explainAddress(t.Layout)}
	if s, plain := t.Layout.Strided(); plain {
		all = append(all, r.explainWalks(s)...)
		if q, asked := r.explainPyTorch(s); asked {
			all = append(all, q)
		}
	} else {
		all = append(all, explained{"Contiguous? no", []string{"a dim is split into blocks: one stride cannot say where its elements lie"}})
	}
	return append(all, r.explainMemory())
}

func writeExplanation(a *app, r screen, t *source.Tensor) error {
	if a.format == formatMarkdown {
		fmt.Fprintln(a.stdout, headline(r, t.Named))
	} else {
		if err := writeAnswer(a, headline(r, t.Named)); err != nil {
			return err
		}
	}
	for _, e := range r.Explain {
		title := a.bold(e.Title)
		if a.format == formatMarkdown {
			title = "**" + e.Title + "**\n"
		}
		fmt.Fprintf(a.stdout, "\n%s\n", title)
		for _, line := range e.Lines {
			text := a.foldIndented("  " + line)
			if a.format == formatMarkdown {
				text = "- " + line
			}
			if _, err := fmt.Fprintln(a.stdout, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// foldIndented breaks a line between words as fold does; two spaces before the first stay.
func (a *app) foldIndented(line string) string {
	rest, indented := strings.CutPrefix(line, "  ")
	if !indented {
		return a.streams.fold(line, 4)
	}
	return "  " + strings.TrimPrefix(a.streams.fold("--"+rest, 4), "--")
}

// explainTable is the explanation as rows, for CSV.
func (r screen) explainTable() render.Table {
	t := render.Table{Header: []string{"source", "question", "line"}}
	for _, e := range r.Explain {
		for _, line := range e.Lines {
			t.Add(fault.Quote(r.Source), e.Title, line)
		}
	}
	return t
}

// explainMemory: elements × item size, what the storage takes, and what a copy moves.
func (r *inspectReport) explainMemory() explained {
	data := int64(r.NBytes)
	count := fmt.Sprint(r.Numel)
	if len(r.Shape) > 1 {
		count = words.Ints(r.Shape, " · ") + " = " + count
	}
	e := explained{"Memory", []string{fmt.Sprintf("elements: %s, of %s each: %s", count, formatBytes(int64(r.ItemSize)), exactBytes(data))}}
	if r.Storage != r.Numel {
		e.Lines = append(e.Lines, fmt.Sprintf("storage: %d elements, %s%s", r.Storage, exactBytes(int64(r.Storage)*int64(r.ItemSize)), r.storageWhy()))
	}
	e.Lines = append(e.Lines, r.copyCost(formatBytes(data)))
	if c := r.Container; c != nil {
		e.Lines = append(e.Lines, fmt.Sprintf("file: %d bytes of data from byte %d%s", c.DataBytes, c.DataOffset, cmp.Or(c.within(), " of the file")))
	}
	return e
}

// storageWhy says why the storage is not as large as the elements.
func (r *inspectReport) storageWhy() string {
	var why []string
	if text, yes := strings.CutPrefix(r.overlapText(), "yes: "); yes {
		why = append(why, text)
	}
	if text := r.paddedText(); text != "no" {
		_, text, _ = strings.Cut(text, ": ")
		why = append(why, "padding: "+text)
	}
	return strings.TrimSuffix(": "+strings.Join(why, "; "), ": ")
}

// copyCost says what contiguous() costs: nothing where it returns the tensor itself.
func (r *inspectReport) copyCost(size string) string {
	moved := fmt.Sprintf("reads %s and writes %s", size, size)
	switch p := r.PyTorch; {
	case p != nil && p.MakeContiguous.Self:
		return "contiguous() copies nothing and returns the tensor itself; clone() " + moved
	case p != nil:
		return fmt.Sprintf("contiguous() makes a copy of strides %s: it %s", tensor.Tuple(p.MakeContiguous.Strides), moved)
	}
	return "a copy " + moved
}

// exactBytes prints 19267584 bytes, 18.4 MiB.
func exactBytes(n int64) string {
	exact, short := fmt.Sprintf("%d bytes", n), formatBytes(n)
	if short == exact || n == 1 {
		return short
	}
	return exact + ", " + short
}
