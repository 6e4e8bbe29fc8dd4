package convertcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/gpu/shared"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// sharedFlags are the flags of plan --shared.
type sharedFlags struct {
	shared        bool
	reads, writes []string
	only          string // swizzle, pad or any
}

func (f *sharedFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.shared, "shared", false, "find the swizzle and the row pad of a tile in shared memory with the fewest transactions")
	flags.StringArrayVar(&f.reads, "read", nil,
		"with --shared: an `access` that reads the tile: h:16, rows, columns, ldmatrix, a thread-value layout")
	flags.StringArrayVar(&f.writes, "write", nil, "with --shared: an `access` that writes the tile: rows:16, stmatrix.x4")
	flags.Var(cli.EnumOf(&f.only, "any", "swizzle", "pad"), "only", "with --shared: try only swizzles, or only pads")
	for _, name := range []string{"read", "write", "only"} {
		cli.Needs(cmd, name, "shared")
	}
	for _, name := range []string{"to", "to-pitch", "shard"} {
		cli.Exclusive(cmd, "shared", name)
	}
	cli.Group(cmd, "Shared memory", "shared", "read", "write", "only")
}

// sharedReport is the answer of plan --shared.
type sharedReport struct {
	document.Head
	DType    string   `json:"dtype"`
	ItemSize int      `json:"itemsize"`
	Dims     []string `json:"dims"`
	Shape    []int    `json:"shape"`
	Answer   string   `json:"answer"`
	Reads    []string `json:"reads"`  // accesses of warps that read the tile
	Writes   []string `json:"writes"` // accesses of warps that write the tile
	// the tile as given, with a swizzle, with a pad, and as TMA swizzles it
	Choices []shared.Choice `json:"choices" jsonschema:"a swizzle or a pad only with fewer transactions"`
	// mode of TMA that writes the cheapest layout, or why none does
	TMA string `json:"tma" jsonschema:"empty for a layout without a swizzle or a pad"`

	patterns []shared.Pattern // reads, then writes
	best     shared.Choice
}

func runShared(a *cli.App, o *planOptions, source name.Name) error {
	if len(o.reads)+len(o.writes) == 0 {
		return fault.New(fault.Usage, "missing --read ACCESS or --write ACCESS").WithHint("--read ldmatrix --write rows:16")
	}
	t, err := o.OpenOnly(a, source, true)
	if err != nil {
		return err
	}
	defer t.Close()
	if t.DType.PerByte() > 1 {
		return fault.New(fault.Unsupported, "elements of %s share bytes: their banks are not counted", t.DType).
			WithHint("describe its bytes: --dtype uint8, with rows in bytes")
	}
	s, err := shared.NewSearch(t.Layout, t.DType.ItemSize(), slices.Concat(o.reads, o.writes))
	if err != nil {
		return err
	}
	r := &sharedReport{Head: t.Head("tlayout/shared/v1"), DType: t.DType.String(), ItemSize: t.DType.ItemSize(), Dims: t.Layout.Names(),
		Shape: t.Layout.Shape(), Reads: append([]string{}, o.reads...), Writes: append([]string{}, o.writes...),
		Choices: []shared.Choice{s.Given}, patterns: s.Patterns}
	r.choose(s, o.only)
	if best := r.best; o.only != "pad" && (best.Kind != "given" || !best.Layout.Swizzle().IsZero()) {
		r.addTMA(s)
	}
	return a.Write(r)
}

// choose adds the layouts that are better than the given one, and sets the answer.
func (r *sharedReport) choose(s *shared.Search, only string) {
	r.best = s.Given
	for _, find := range []func() (shared.Choice, bool){s.Swizzle, s.Pad} {
		c, ok := find()
		if !ok || c.Transactions >= s.Given.Transactions {
			continue
		}
		if only != "any" && only != c.Kind {
			continue
		}
		r.Choices = append(r.Choices, c)
		if c.Compare(r.best) < 0 {
			r.best = c
		}
	}
	for k, c := range r.Choices {
		r.Choices[k].Mode = s.Mode(c.Layout)
	}
	r.Answer = r.answer(s.Given, only)
}

// answer tells in one line which layout is best.
func (r *sharedReport) answer(given shared.Choice, only string) string {
	n := text.Count(r.best.Transactions, "transaction")
	if r.best.Kind != "given" {
		return fmt.Sprintf("%s takes %s instead of %d", r.best.Text, n, given.Transactions)
	}
	if r.best.Transactions == r.best.Accesses {
		return "no bank conflicts in the given layout: " + n
	}
	return fmt.Sprintf("no %s that fits a block needs fewer than %s", strings.Replace(only, "any", "swizzle or pad", 1), n)
}

// addTMA names the mode of TMA that writes the best layout; if none does, it adds the cheapest that one writes.
func (r *sharedReport) addTMA(s *shared.Search) {
	z := r.best.Layout.Swizzle()
	r.TMA = s.Mode(r.best.Layout)
	if r.TMA != "" {
		return
	}
	r.TMA = "TMA writes no row padding"
	if !z.IsZero() {
		r.TMA = fmt.Sprintf("no mode writes the tile with %s of bytes", z.Recast(8*r.ItemSize, 8))
	}
	if c, ok := s.TMA(); ok {
		r.TMA += fmt.Sprintf("; %s takes %s", c.Mode, text.Count(c.Transactions, "transaction"))
		r.Choices = append(r.Choices, c)
	}
}

// Page writes the answer, the layouts with their costs, and the accesses.
func (r *sharedReport) Page(p *cli.Page) {
	p.Answer(r.Answer)
	t := render.Table{Title: fmt.Sprintf("Transactions of %s, at least %d", r.DType, r.Choices[0].Accesses), Header: []string{"", "bytes"}}
	var facts []cli.Fact
	for k := range r.patterns {
		label := "read"
		n := k + 1
		of := len(r.Reads)
		if k >= of {
			label = "write"
			n = n - of
			of = len(r.Writes)
		}
		if of > 1 {
			label += " " + strconv.Itoa(n)
		}
		t.Header = append(t.Header, label)
		facts = append(facts, cli.Fact{Label: label, Text: r.patterns[k].String()})
	}
	t.Header = append(t.Header, "conflict", "layout")
	t.Numbers = ints.Range(len(t.Header) - 1)[1:]
	for _, c := range r.Choices {
		row := append([]string{c.Kind, strconv.Itoa(c.Bytes)}, text.Each(c.Each)...)
		t.Add(append(row, strconv.Itoa(c.Degree)+"-way", c.Text)...)
	}
	p.Section(t)
	if r.TMA != "" {
		facts = append(facts, cli.Fact{Label: "tma", Text: r.TMA})
	}
	p.Facts(facts...)
	p.Notes(r.Notes)
}

// Rows has a row for each layout.
func (r *sharedReport) Rows() render.Table {
	return cli.TableOf("kind,layout,bytes,accesses,transactions,degree,transactions_by_pattern,tma_mode", r.Choices...)
}
