package convert

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// shownBoxes is how many boxes a screen shows.
const shownBoxes = 3

// Warned are the source's warnings.
func (r *planReport) Warned() []string { return r.Warnings }

// Page writes the answer, then the loops of the copy and what each pass did to them.
func (r *planReport) Page(p *cli.Page) {
	p.Answer(fmt.Sprintf("%s -> %s: %s", cmp.Or(words.Quote(r.Source), "tensor"), words.Quote(r.Target), r.Answer))
	p.Section(r.sideTable())
	if r.Total > 0 {
		p.Section(r.boxTable())
		p.Section(r.loopTable("Loops, as the layouts pair them; steps in elements", 0))
		p.Section(r.passTable())
		p.Section(r.loopTable("Loops, simplified", -1))
	}
	p.Remarks(r.lines()...)
}

// answer says in one line whether a copy is needed, and how it is done.
func (r *planReport) answer() string {
	switch {
	case r.Total == 0:
		return "nothing to copy: the tensor is empty"
	case r.ItemSize == 0:
		return "nothing to copy: the elements have no bytes"
	case !r.Copy && r.View == nil:
		return "no copy needed: already in this layout"
	case !r.Copy:
		return "no copy needed: the bytes stay, only shape and strides change"
	}
	s := "copy needed: " + r.Boxes[0].Kernel.String()
	if rest := r.Total - 1; rest > 0 {
		s += fmt.Sprintf(" and %d more %s", rest, words.Plural(rest, "box", "boxes"))
	}
	s += fmt.Sprintf(", %s read, %s written", words.Bytes(r.Read), words.Bytes(r.Written))
	if r.PadElems > 0 {
		s += ", " + words.Count(r.PadElems, "element") + " of padding"
	}
	return s
}

// lines say how it is run, and what else is worth knowing.
func (r *planReport) lines() []string {
	var lines []string
	if !r.Copy && r.Total > 0 {
		lines = append(lines, "why: simplified, every loop has the same step on both sides, so every element is in place")
	}
	if r.View != nil {
		lines = append(lines, "view: "+*r.View)
	}
	if r.Time != nil {
		lines = append(append(r.kernelLines(), r.padLines()...),
			fmt.Sprintf("tiles: %d of at most %s, on %s", r.Tiles.Count, words.Bytes(int64(r.Tiles.Bytes)),
				words.Count(r.Tiles.Threads, "thread")),
			fmt.Sprintf("time: about %s, %.3g GB/s measured now, one thread copying to new memory",
				words.Seconds(r.Time.Seconds), r.Time.GBPerS))
	}
	if r.Model != nil {
		lines = append(lines, r.modelLine())
	}
	return append(lines, cli.NoteLines(r.Notes)...)
}

// modelLine compares the plan with a plain loop over the strides, per cache line of elements. (bench.CopyModels)
func (r *planReport) modelLine() string {
	per := max(1, tensor.CacheLine/r.ItemSize)
	format := func(text string, c bench.CopyModel) string {
		touched, fetched, pages := c.Sum()
		n := float64(per)
		return fmt.Sprintf(text, touched*n, fetched*n, pages*n)
	}
	over := ""
	if total := r.Read / int64(r.ItemSize); int64(r.Model.Elems) < total {
		over = fmt.Sprintf(", over the first %d elements", r.Model.Elems)
	}
	return fmt.Sprintf("model: per %s, the plain loop over the strides, to which frameworks fall back, ", words.Count(per, "element")) +
		format("touches %.1f cache lines, fetches %.1f and misses the TLB %.1f times; ", r.Model.Loop) +
		format("this plan touches %.1f, fetches %.1f and misses it %.1f times", r.Model.Plan) +
		" (simulated in the caches of bench" + over + ")"
}

// padLines say how much of the target is padding, and why.
func (r *planReport) padLines() []string {
	if r.PadElems == 0 {
		return nil
	}
	line := fmt.Sprintf("padding: %d of the target's %d elements, 0 unless convert --pad-value sets another value", r.PadElems,
		r.Written/int64(r.ItemSize))
	if len(r.PadWhy) > 0 {
		line += "; " + strings.Join(r.PadWhy, "; ")
	}
	return []string{line}
}

// kernelLines describe the kernels, each with the boxes that it runs.
func (r *planReport) kernelLines() []string {
	var texts []string
	boxes := map[string][]string{}
	for i, b := range r.Boxes[:min(shownBoxes, len(r.Boxes))] {
		text := b.Kernel.Details(r.Level)
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

// sideTable compares source and target. A blocked layout has its digits and their strides in CuTe's nesting.
func (r *planReport) sideTable() render.Table {
	t := render.Table{Title: r.DType, Header: []string{"", "from", "to"}}
	t.Add("layout", r.From.Name()+evidenceText(r.told), r.To.Name())
	if r.From.FileShape != nil {
		t.Add("file shape", tensor.Tuple(r.From.FileShape), tensor.Tuple(r.To.FileShape))
	}
	t.Add("shape", r.From.Sizes(), r.To.Sizes())
	fromDigits, fromStrides := sideDigits(r.From)
	toDigits, toStrides := sideDigits(r.To)
	if fromDigits != "" || toDigits != "" {
		t.Add("digits", fromDigits, toDigits)
	}
	t.Add("strides", fromStrides, toStrides)
	return t
}

// sideDigits are the digits of a blocked layout, none of another, and the strides.
func sideDigits(s cli.Side) (digits, strides string) {
	if s.Strides != nil {
		return "", tensor.Tuple(s.Strides)
	}
	digits, strides, _ = strings.Cut(s.Notation, ":")
	return digits, strides
}

// boxTable lists the boxes, if there are several.
func (r *planReport) boxTable() render.Table {
	t := render.Table{Title: "Boxes, in which both layouts have constant steps", Header: []string{"box", "elements", "holds"},
		Numbers: []int{0, 1}}
	if r.Total == 1 {
		return t
	}
	for i, b := range r.Boxes[:min(shownBoxes, len(r.Boxes))] {
		t.Add(strconv.Itoa(i+1), strconv.Itoa(b.Elems), b.Holds)
	}
	if more := r.Total - shownBoxes; more > 0 {
		t.Add("…", "", fmt.Sprintf("%d more", more))
	}
	return t
}

// loopTable lists the loops of a step, counted from the end if it is negative.
func (r *planReport) loopTable(title string, step int) render.Table {
	t := render.Table{Title: title, Header: []string{"box", "loop", "n", "source step", "destination step"},
		Numbers: []int{0, 2, 3, 4}}
	for i, b := range r.Boxes[:min(shownBoxes, len(r.Boxes))] {
		at := step
		if at < 0 {
			at += len(b.Steps)
		}
		for _, l := range b.Steps[at].Loops {
			t.Add(strconv.Itoa(i+1), l.Name, strconv.Itoa(l.N), strconv.Itoa(l.Src), strconv.Itoa(l.Dst))
		}
	}
	if r.Total == 1 {
		t.Header, t.Numbers = t.Header[1:], []int{1, 2, 3}
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][1:]
		}
	}
	return t
}

// passTable says what the passes did to the first box.
func (r *planReport) passTable() render.Table {
	t := render.Table{Title: "Passes", Header: []string{"pass", "what it did"}}
	if r.Total > 1 {
		t.Title += ", in box 1"
	}
	for _, s := range r.Boxes[0].Steps[1:] {
		t.Add(s.Pass, s.Why)
	}
	return t
}

// Rows has a row for each loop of each step.
func (r *planReport) Rows() render.Table {
	t := render.Table{Header: strings.Split("box,step,loop,n,src_step,dst_step", ",")}
	for i, b := range r.Boxes {
		for _, s := range b.Steps {
			for _, l := range s.Loops {
				t.Add(strconv.Itoa(i+1), s.Pass, l.Name, strconv.Itoa(l.N), strconv.Itoa(l.Src), strconv.Itoa(l.Dst))
			}
		}
	}
	return t
}
