package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/words"
)

// shownBoxes is how many boxes a screen shows.
const shownBoxes = 3

func (r *planReport) write(a *app) error {
	switch a.format {
	case formatJSON:
		return writeJSON(a.stdout, r, true)
	case formatCSV:
		return r.csv().CSV(a.stdout)
	}
	headline := fmt.Sprintf("%s -> %s: %s", cmp.Or(fault.Quote(r.Source), "tensor"), fault.Quote(r.Target), r.Answer)
	if err := writeAnswer(a, headline); err != nil {
		return err
	}
	tables := []render.Table{r.sideTable()}
	if r.Total > 0 {
		tables = append(tables, r.boxTable(), r.loopTable("Loops, as the layouts pair them; steps in elements", 0), r.passTable(),
			r.loopTable("Loops, simplified", -1))
	}
	for _, t := range tables {
		if err := writeSection(a, t); err != nil {
			return err
		}
	}
	return writeRemarks(a, r.lines())
}

// answer says in one line whether data must be moved, and how.
func (r *planReport) answer() string {
	switch {
	case r.Total == 0:
		return "nothing to copy: the tensor is empty"
	case r.ItemSize == 0:
		return "nothing to copy: the items have no bytes"
	case !r.Copy && r.View == nil:
		return "no data is moved: it lies so already"
	case !r.Copy:
		return "no data is moved: the bytes stay where they are, only shape and strides change"
	}
	s := "data must be moved: " + r.Boxes[0].Kernel.words()
	if rest := r.Total - 1; rest > 0 {
		s += fmt.Sprintf(" and %d more %s", rest, words.Plural(rest, "box", "boxes"))
	}
	s += fmt.Sprintf(", %s read, %s written", formatBytes(r.Read), formatBytes(r.Written))
	if r.PadElems > 0 {
		s += fmt.Sprintf(", %d %s of padding", r.PadElems, words.Plural(r.PadElems, "element", "elements"))
	}
	return s
}

// words says what the kernel does: 8 transpositions of 64 x 3136 items of 4 bytes.
func (k planKernel) words() string {
	bytes := formatBytes(int64(k.ItemBytes))
	if copies := k.Times * k.Rows * k.Cols; k.Rows == 1 || k.Cols == 1 {
		return fmt.Sprintf("%d %s of %s", copies, words.Plural(copies, "copy", "copies"), bytes)
	}
	return fmt.Sprintf("%d %s of %d x %d items of %s", k.Times, words.Plural(k.Times, "transposition", "transpositions"), k.Rows, k.Cols, bytes)
}

// lines say how it is run, and what else is worth knowing.
func (r *planReport) lines() []string {
	var lines []string
	if !r.Copy && r.Total > 0 {
		lines = append(lines, "why: simplified, every loop has the same step on both sides: each element lies where it is to lie")
	}
	if r.View != nil {
		lines = append(lines, "view: "+*r.View)
	}
	if r.Time != nil {
		lines = append(append(r.kernelLines(), r.padLines()...),
			fmt.Sprintf("tiles: %d of at most %s, on %d %s", r.Tiles.Count, formatBytes(int64(r.Tiles.Bytes)),
				r.Tiles.Threads, words.Plural(r.Tiles.Threads, "thread", "threads")),
			fmt.Sprintf("time: about %s, %.3g GB/s measured now, one thread copying to new memory",
				formatSeconds(r.Time.Seconds), r.Time.GBPerS))
	}
	return append(lines, noteLines(r.Notes)...)
}

// padLines say what of the target is no element.
func (r *planReport) padLines() []string {
	if r.PadElems == 0 {
		return nil
	}
	line := fmt.Sprintf("padding: %d of the %d elements of the target, 0 unless convert --pad-value says otherwise", r.PadElems,
		r.Written/int64(r.ItemSize))
	if len(r.PadWhy) > 0 {
		line += "; " + strings.Join(r.PadWhy, "; ")
	}
	return []string{line}
}

// kernelLines name the kernels, each with the boxes that it runs.
func (r *planReport) kernelLines() []string {
	var texts []string
	boxes := map[string][]string{}
	for i, b := range r.Boxes[:min(shownBoxes, len(r.Boxes))] {
		text := b.Kernel.line(r.Level)
		if boxes[text] == nil {
			texts = append(texts, text)
		}
		boxes[text] = append(boxes[text], strconv.Itoa(i+1))
	}
	for i, text := range texts {
		texts[i] = "kernel: " + text
		if r.Total > 1 {
			texts[i] = fmt.Sprintf("kernel of box %s: %s", words.And(boxes[text]), text)
		}
	}
	return texts
}

// line says what runs, on how much at a time, and what an item is.
func (k planKernel) line(level string) string {
	s := fmt.Sprintf("%s (%s), ", k.Kind, level)
	if k.Kind != "copy" {
		s += fmt.Sprintf("blocks of %d x %d ", k.BlockRows, k.BlockCols)
	}
	s += fmt.Sprintf("items of %s, each %s", formatBytes(int64(k.ItemBytes)), k.Why)
	if k.Pad > 0 {
		s += fmt.Sprintf("; behind each run it writes %d %s of padding", k.Pad, words.Plural(k.Pad, "item", "items"))
	}
	return s
}
