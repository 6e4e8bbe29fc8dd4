package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// writeInspect writes the report for a person: the answer on the first line, then one table for each kind of fact.
func writeInspect(a *cli.App, r screen, t *source.Tensor) error {
	if err := cli.WriteAnswer(a, headline(r, t.Named)); err != nil {
		return err
	}
	for _, table := range []render.Table{r.dimTable(t), r.factTable(), r.contiguityTable(),
		r.acceptedTable(), r.nameTable(), r.candidateTable()} {
		if err := cli.WriteSection(a, table); err != nil {
			return err
		}
	}
	if r.Ambiguity != "" {
		_, err := fmt.Fprintf(a.Stdout, "\n%s\n", words.Fold("  Ambiguous: "+r.Ambiguity+".", a.Streams.Columns()-4, 2))
		return err
	}
	return nil
}

// writeHeadline writes the answer alone, for one of many sources.
func writeHeadline(a *cli.App, r screen, t *source.Tensor) error {
	line := a.Streams.Fold(headline(r, t.Named), 2)
	if a.Format == cli.Markdown {
		line = "- " + line
	}
	_, err := fmt.Fprintln(a.Stdout, line)
	return err
}

// headline is the answer in one line: x.npy: float32 (1, 64, 5, 4), NCHW (assumed), C-contiguous.
func headline(r screen, named bool) string {
	name := words.Quote(r.Source)
	if r.Source == "" {
		name = "tensor"
	}
	parts := []string{fmt.Sprintf("%s: %s%s %s", name, words.Shorten(r.DType), r.maybe(), tensor.Tuple(r.Shape))}
	switch {
	case r.Layout == "" || len(r.Shape) == 0:
	case r.Ambiguous && !named:
		parts = append(parts, r.candidateNames()+" (strides cannot tell)")
	case r.LooksLike != "":
		parts = append(parts, fmt.Sprintf("%s (assumed; its sizes look like %s)", r.Layout, r.LooksLike))
	case r.LayoutAssumed && r.reversed():
		parts = append(parts, fmt.Sprintf("%s (its axes assumed to be %s)", r.Layout, strings.Join(r.Dims, "")))
	case r.LayoutAssumed:
		parts = append(parts, r.Layout+" (assumed)")
	default:
		parts = append(parts, r.Layout)
	}
	parts = append(parts, r.Character())
	if slices.ContainsFunc(r.Strides, func(stride int) bool { return stride < 0 }) {
		parts = append(parts, "with negative strides, which "+words.And(framework.WithoutNegative())+" refuse")
	}
	if r.Container != nil && r.Container.MemberReport != nil {
		parts = append(parts, memberCharacter(r.Container.MemberReport))
	}
	return strings.Join(parts, ", ")
}

// reversed reports whether memory has the file's axes the other way round, so that the memory order is not what --layout
// would be: that names the axes.
func (r screen) reversed() bool { return r.Container != nil && r.Container.FortranOrder }

// maybe names the type that raw bytes of this size mostly are.
func (r screen) maybe() string {
	switch r.DType {
	case "V2":
		return " (bfloat16?)"
	case "V1":
		return " (float8?)"
	}
	return ""
}

// candidateNames lists the orders that the tensor could have: "NCHW or NHWC".
func (r screen) candidateNames() string {
	names := make([]string, len(r.Candidates))
	for i, c := range r.Candidates {
		names[i] = c.Layout
	}
	return strings.Join(names, " or ")
}

// dimTable lists the dims with their strides, or, where a dim is split, the digits.
func (r screen) dimTable(t *source.Tensor) render.Table {
	l := t.Layout
	table := render.Table{Title: "Dims, in logical order", Header: []string{"dim", "size", "stride", "bytes"}, Numbers: []int{1, 2, 3}}
	_, plain := l.Strided()
	if !plain {
		table.Title = "Dims and their digits, most significant first"
		table.Header = []string{"dim", "size", "digit", "extent", "stride", "bytes"}
		table.Numbers = []int{1, 3, 4, 5}
	}
	for i := range l.Rank() {
		d := l.Dim(i)
		if plain {
			s, _ := l.Strided()
			table.Add(d.Name, strconv.Itoa(d.Size), strconv.Itoa(s.Strides[i]), explain.InBytes(s.Strides[i], r.ItemSize))
			continue
		}
		for k := len(d.Digits) - 1; k >= 0; k-- {
			g, name, size := d.Digits[k], "", ""
			if k == len(d.Digits)-1 {
				name, size = d.Name, strconv.Itoa(d.Size)
			}
			table.Add(name, size, explain.DigitName(d, k), strconv.Itoa(g.Extent), strconv.Itoa(g.Stride), explain.InBytes(g.Stride, r.ItemSize))
		}
	}
	return table
}

// screen lays the report out for a person.
type screen struct{ *inspect.Report }

// acceptedTable has one row for all who give the same answer.
func (r screen) acceptedTable() render.Table {
	t := render.Table{Title: "Who takes it as it lies?", Header: []string{"answer", "who"}}
	who := map[inspect.Acceptance][]string{}
	var answers []inspect.Acceptance
	for _, c := range inspect.Consumers {
		a := r.AcceptedBy[c.Key]
		if who[a] == nil {
			answers = append(answers, a)
		}
		who[a] = append(who[a], c.Name)
	}
	rank := func(a inspect.Acceptance) int {
		switch {
		case a.OK && a.Why == "":
			return 0
		case a.OK:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(answers, func(a, b inspect.Acceptance) int { return rank(a) - rank(b) })
	for _, a := range answers {
		t.Add(words.YesNo(a.OK), strings.TrimSuffix(strings.Join(who[a], ", ")+": "+a.Why, ": "))
	}
	return t
}

// explainTable is the explanation as rows, for CSV.
func (r screen) explainTable() render.Table {
	t := render.Table{Header: []string{"source", "question", "line"}}
	for _, e := range r.Explain {
		for _, line := range e.Lines {
			t.Add(words.Quote(r.Source), e.Title, line)
		}
	}
	return t
}

// memberCharacter says in a few words whether the array can be read where it lies.
func memberCharacter(r *inspect.MemberReport) string {
	if r.Compressed {
		return "deflated in its archive: read alone, but not mapped"
	}
	return "stored in its archive: can be mapped where it lies"
}

// addMemberFacts adds where the array lies, and answers whether it can be mapped.
func addMemberFacts(r *inspect.MemberReport, t *render.Table, c *inspect.ContainerReport, itemSize int) {
	archive := words.Quote(r.Archive)
	t.Add("archive", fmt.Sprintf("%s, 1 of %s in %s", words.Shorten(words.Quote(r.Member)), words.Count(r.Members, "member"), archive))
	switch {
	case r.Compressed:
		t.Add("mmap", fmt.Sprintf("no: it is deflated, %s in the archive. It can still be read alone: of this member no more was needed "+
			"than its header, %d of %d bytes, of the others nothing. np.savez, not np.savez_compressed, writes arrays that can be mapped",
			words.Bytes(r.PackedBytes), c.DataOffset, c.DataOffset+c.DataBytes+c.TrailingBytes))
	case r.Mmap == nil:
		t.Add("mmap", "there is nothing to map")
	default:
		odd := ""
		if itemSize > 1 && c.DataOffset%int64(itemSize) != 0 {
			odd = fmt.Sprintf(" (no multiple of %d, which NumPy takes)", itemSize)
		}
		t.Add("mmap", fmt.Sprintf("yes, in place: it is stored without compression, its bytes lie in %s from byte %d on%s. numpy's "+
			"mmap_mode ignores archives, this does not: %s", archive, c.DataOffset, odd, words.Shorten(*r.Mmap)))
	}
}

func writeExplanation(a *cli.App, r screen, t *source.Tensor) error {
	if a.Format == cli.Markdown {
		fmt.Fprintln(a.Stdout, headline(r, t.Named))
	} else {
		if err := cli.WriteAnswer(a, headline(r, t.Named)); err != nil {
			return err
		}
	}
	for _, e := range r.Explain {
		title := a.Bold(e.Title)
		if a.Format == cli.Markdown {
			title = "**" + e.Title + "**\n"
		}
		fmt.Fprintf(a.Stdout, "\n%s\n", title)
		for _, line := range e.Lines {
			text := a.FoldIndented("  " + line)
			if a.Format == cli.Markdown {
				text = "- " + line
			}
			if _, err := fmt.Fprintln(a.Stdout, text); err != nil {
				return err
			}
		}
	}
	return nil
}
