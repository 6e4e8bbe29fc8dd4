package convertcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// shownBoxes is the number of boxes that a screen shows.
const shownBoxes = 3

// Page writes the answer and its reasons; with --all, the loops of the copy and the effect of each pass.
func (r *planReport) Page(p *cli.Page) {
	answer := fmt.Sprintf("%s -> %s: %s", r.Named.Shown(), text.Quote(r.Target), r.Answer)
	if r.Time != nil {
		answer += ", about " + text.Seconds(r.Time.Seconds)
	}
	p.Answer(answer)
	p.Section(r.sideTable(p.All()))
	p.Facts(r.facts(p.All())...)
	if p.All() && r.Total > 0 {
		p.Section(r.boxTable())
		p.Section(r.loopTable("Loops before simplification; steps in elements", 0))
		p.Section(r.passTable())
		p.Section(r.loopTable("Loops after simplification", -1))
	}
	p.Notes(r.Notes)
	p.More("--all")
}

// answer tells in one line whether a copy is needed, and its size.
func (r *planReport) answer() string {
	if r.Total == 0 {
		return "nothing to copy: the tensor is empty"
	}
	if r.item == 0 {
		return "nothing to copy: elements have size 0"
	}
	if !r.Copy && r.View == nil {
		return "no copy needed: already in this layout"
	}
	if !r.Copy {
		return "no copy needed: only shape and strides change"
	}
	return fmt.Sprintf("copy needed: %s read, %s written", text.ShortBytes(r.Read), text.ShortBytes(r.Written))
}

// facts are the reasons for the answer, and how the copy runs.
func (r *planReport) facts(all bool) []cli.Fact {
	var facts []cli.Fact
	add := func(label string, texts ...string) {
		for _, text := range texts {
			facts = append(facts, cli.Fact{Label: label, Text: text})
		}
	}
	if r.Total > 0 && r.item > 0 {
		add("why", r.why())
	}
	if r.Shard != nil {
		add("shard", r.Shard.String())
	}
	if r.View != nil {
		facts = append(facts, cli.Fact{Label: "view", Text: *r.View, Code: true})
	}
	if !r.copies() {
		return facts
	}
	for _, c := range r.Code {
		facts = append(facts, cli.Fact{Label: c.Framework, Text: strings.Join(c.Make, "; "), Code: true})
	}
	kernels := workText(r.Boxes[0].Kernel)
	if rest := r.Total - r.Boxes[0].Kernel.Boxes; rest > 0 {
		kernels += fmt.Sprintf(" and %d more %s", rest, text.Plural(rest, "box", "boxes"))
	}
	add("kernel", kernels)
	if all {
		add("kernel", r.kernelLines()...)
	}
	add("padding", r.padLines(all)...)
	if all {
		add("tiles", fmt.Sprintf("%d of at most %s, on %s", r.Tiles.Count, text.Bytes(int64(r.Tiles.Bytes)), text.Count(r.Tiles.Threads, "thread")))
		stores := r.Stores
		if stores != kernel.Cached.String() {
			stores += " in memory; cached to a file"
		}
		add("stores", stores)
	}
	if all && r.Time != nil {
		add("time", fmt.Sprintf("%s, %.3g GB/s measured now, one thread copying to new memory", text.Seconds(r.Time.Seconds), r.Time.GBPerS))
	}
	if r.Model != nil {
		add("model", r.modelLines(all)...)
	}
	return facts
}

// why names the loops whose steps differ, which is why a copy is needed.
func (r *planReport) why() string {
	if !r.Copy {
		return "every loop has the same step on both sides: no element moves"
	}
	if r.inPlace {
		return fmt.Sprintf("no element moves, but the target's storage is larger: %d elements", r.elements(r.Written))
	}
	for i, b := range r.Boxes {
		var moved []string
		for _, l := range b.Steps[len(b.Steps)-1].Loops {
			if l.Src != l.Dst {
				moved = append(moved, fmt.Sprintf("%s %d -> %d", l.Name, l.Src, l.Dst))
			}
		}
		if len(moved) > 0 && i == 0 {
			return "steps differ: " + strings.Join(moved, ", ")
		}
		if len(moved) > 0 {
			return fmt.Sprintf("steps differ in box %d: %s", i+1, strings.Join(moved, ", "))
		}
	}
	return "steps agree, but the offset differs"
}

// modelLines compare the plan with a plain loop over the strides, per cache line of elements (bench.CopyModels).
func (r *planReport) modelLines(all bool) []string {
	per := max(1, tensor.CacheLine/r.item)
	format := func(text string, c bench.CopyModel) string {
		touched, fetched, pages := c.Sum()
		n := float64(per)
		return fmt.Sprintf(text, touched*n, fetched*n, pages*n)
	}
	lines := []string{
		format("per "+text.Count(per, "element")+": %.1f cache lines touched, %.1f fetched, %.1f TLB misses", r.Model.Plan),
		format("a plain loop over the strides: %.1f touched, %.1f fetched, %.1f TLB misses", r.Model.Loop),
	}
	if !all {
		return lines
	}
	over := ""
	if total := r.elements(r.Read); int64(r.Model.Elems) < total {
		over = fmt.Sprintf(", over the first %d elements", r.Model.Elems)
	}
	return append(lines, "simulated in the caches of bench"+over+"; frameworks without a kernel run the plain loop")
}

// padLines report the target's padding and its reasons.
func (r *planReport) padLines(all bool) []string {
	if r.PadElems == 0 {
		return nil
	}
	lines := append([]string{fmt.Sprintf("%d of the target's %d elements", r.PadElems, r.elements(r.Written))}, r.PadWhy...)
	if all {
		lines = append(lines, "0, unless convert --pad-value sets another value")
	}
	return lines
}

// kernelLines describe each kernel and the boxes that it runs.
func (r *planReport) kernelLines() []string {
	var texts []string
	boxes := map[string][]string{}
	for i, b := range r.Boxes[:min(shownBoxes, len(r.Boxes))] {
		details := kernelText(b.Kernel, r.Level)
		if boxes[details] == nil {
			texts = append(texts, details)
		}
		boxes[details] = append(boxes[details], strconv.Itoa(i+1))
	}
	for i, details := range texts {
		if r.Total > 1 {
			texts[i] = fmt.Sprintf("box %s: %s", text.And(boxes[details]), details)
		}
	}
	return texts
}

// sideTable compares source and target. A blocked layout is shown as digits and strides in CuTe's nesting. The logical sizes are those of the
// source's axes if the file's shape has them in order.
func (r *planReport) sideTable(all bool) render.Table {
	t := render.Table{Title: r.DType, Header: []string{"", "from", "to"}}
	t.Add("layout", r.From.Name()+r.mark, r.To.Name())
	if r.From.FileShape != nil {
		t.Add("file shape", tensor.Tuple(r.From.FileShape), tensor.Tuple(r.To.FileShape))
	}
	if all || r.From.FileShape == nil || !slices.Equal(r.From.FileShape, r.From.Shape) {
		t.Add("shape", r.From.Sizes(), r.To.Sizes())
	}
	fromDigits, fromStrides := sideDigits(r.From)
	toDigits, toStrides := sideDigits(r.To)
	if fromDigits != "" || toDigits != "" {
		t.Add("digits", fromDigits, toDigits)
	}
	t.Add("strides", fromStrides, toStrides)
	return t
}

// sideDigits returns the digits and strides of a layout; without digits if it is not blocked.
func sideDigits(s cli.Side) (digits, strides string) {
	if s.Strides != nil {
		return "", tensor.Tuple(s.Strides)
	}
	digits, strides, _ = strings.Cut(s.Notation, ":")
	return digits, strides
}

// boxTable lists the boxes, if there are several.
func (r *planReport) boxTable() render.Table {
	t := render.Table{Title: "Boxes: parts with constant steps in both layouts", Header: []string{"box", "elements", "holds"},
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

// loopTable lists the loops of a simplification step; negative steps count from the end.
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
		t.Header = t.Header[1:]
		t.Numbers = []int{1, 2, 3}
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][1:]
		}
	}
	return t
}

// passTable shows the effect of each pass on the first box.
func (r *planReport) passTable() render.Table {
	t := render.Table{Title: "Passes", Header: []string{"pass", "effect"}}
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
