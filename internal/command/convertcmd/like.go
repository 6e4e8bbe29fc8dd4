package convertcmd

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/pairing"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// likeness is what a tensor of the output has from --like: the name, and the dims, which are a layout of the source's storage.
type likeness struct {
	name    string
	reading *tensor.Layout // nil: the source's own
}

// takeLike makes the input the source's tensors that have the elements of those of --like, in its names and dims.
func (j *job) takeLike(a *cli.App) error {
	o := j.options
	in := j.in
	if o.like.IsZero() {
		return nil
	}
	if !j.container.several || j.container.views {
		return fault.New(fault.Usage, "--like needs an output of many tensors that are stored one after the other").
			WithHint("-o fixed.npz, -o fixed.safetensors or -d FOLDER")
	}
	if j.settings.source.IsStdin() || o.like.IsStdin() {
		return fault.New(fault.Usage, "--like reads both sources more than once, and standard input can be read once").WithHint("name files")
	}
	opts := source.Options{MaxTensors: in.opts.MaxTensors, Opened: in.opts.Opened}
	set, pattern, err := source.Open(o.like, opts)
	if err != nil {
		return err
	}
	defer set.Close()
	for _, file := range set.Reads() {
		a.AddInput(j.inputs, file)
	}
	picked, err := set.Pick(pattern)
	if err != nil {
		return err
	}
	if !set.IsContainer() || slices.ContainsFunc(picked, func(n int) bool { return set.TensorName(n) == "" }) {
		return fault.New(fault.Usage, "--like %s: its tensor has no name to give", o.like).WithHint("name an archive or a checkpoint")
	}
	kept, err := without(o.exclude.Patterns, set, picked)
	if err != nil {
		return err
	}
	m := model{work: relate.NewWork(), why: map[int]string{}}
	for i, numbers := range [][]int{kept, in.numbers} {
		m.sides[i], m.items[i], err = j.contents([]*source.Set{set, in.set}[i], numbers, opts)
		if err != nil {
			return err
		}
	}
	if err := m.match(); err != nil {
		return err
	}
	in.takePartners(&m, o.like)
	j.scope = scopeOf(in, j.container)
	return nil
}

// contents reads tensors of a set by their elements.
func (j *job) contents(set *source.Set, numbers []int, opts source.Options) (pairing.Side, []relate.Item, error) {
	var names []string
	at := map[string]int{}
	for _, n := range numbers {
		names = append(names, set.TensorName(n))
		at[set.TensorName(n)] = n
	}
	side := pairing.Side{
		Convert: convert.Options{Kernels: j.kernels, Threads: j.settings.threads},
		Open:    func(name string) (*source.Tensor, error) { return set.Tensor(at[name], opts) },
	}
	items, err := side.Contents(names)
	return side, items, err
}

// takePartners makes the input the partners of the model's tensors, with a warning about the others.
func (in *input) takePartners(m *model, like name.Name) {
	var numbers []int
	used := map[int]bool{}
	for _, k := range m.partner {
		n := in.numbers[k]
		numbers = append(numbers, n)
		used[n] = true
	}
	var unused []string
	for _, n := range in.numbers {
		if !used[n] {
			unused = append(unused, text.Quoted(text.Cut(in.set.TensorName(n), 200)))
		}
	}
	if n := len(unused); n > 0 {
		in.warnings = append(in.warnings, fmt.Sprintf("left out, because no tensor of %s is made of %s: %s", like,
			text.Plural(n, "it", "them"), text.First(4, unused, ", ")))
	}
	in.numbers = numbers
	in.like = m.like
	in.single = false
}

// model is the checkpoint of --like and the source, in this order, and what each tensor of the former is of the latter.
type model struct {
	sides   [2]pairing.Side
	items   [2][]relate.Item
	partner []int // the number of the source's item; −1 without one
	like    []likeness
	work    *relate.Work
	why     map[int]string // why the source's tensor with an item's elements is none for it
}

// match finds the source's tensor for each of the model's: one with its elements, which may have several names, or one that is several.
func (m *model) match() error {
	wanted := m.items[0]
	have := m.items[1]
	m.partner = slices.Repeat([]int{-1}, len(wanted))
	m.like = make([]likeness, len(wanted))
	var left [2][]int
	paired := map[int]bool{}
	for _, p := range relate.Pair(wanted, have, m.work) {
		m.partner[p.A] = p.B
		paired[p.B] = true
	}
	for k := range have {
		if !paired[k] {
			left[1] = append(left[1], k)
		}
	}
	first := firstItems(have)
	for i, x := range wanted {
		m.like[i].name = x.Name
		k, also := first[x.Content()]
		if m.partner[i] < 0 && !also {
			left[0] = append(left[0], i)
			continue
		}
		if m.partner[i] < 0 {
			m.partner[i] = k
		}
		if err := m.read(i, m.partner[i]); err != nil {
			return err
		}
	}
	joined := map[int]bool{}
	for _, f := range pairing.FindFused(m.sides, m.items, left, m.work) {
		joined[f.Whole] = f.InA
		for k, p := range f.Parts {
			if !f.InA && p.CanRead {
				m.partner[f.Items[k]], m.like[f.Items[k]].reading = f.Whole, &p.Reading
			}
		}
	}
	i := slices.Index(m.partner, -1)
	if i < 0 {
		return nil
	}
	name := text.Quoted(text.Cut(wanted[i].Name, 200))
	const exclude = "--exclude leaves tensors of --like out"
	if joined[i] {
		return fault.New(fault.Unsupported, "%s is several tensors of the source, which --like does not join", name).WithHint(exclude)
	}
	if m.why[i] != "" {
		return fault.New(fault.Negative, "the source has the elements of %s: %s", name, m.why[i]).WithHint(exclude)
	}
	return fault.New(fault.Negative, "no tensor of the source has the elements of %s", name).
		WithHint("tlayout diff shows which tensors have the same elements; " + exclude)
}

// firstItems returns the first item of each type and elements. Items that could not be read have none.
func firstItems(items []relate.Item) map[relate.Content]int {
	first := map[relate.Content]int{}
	for k, x := range slices.Backward(items) {
		if x.Type != "" {
			first[x.Content()] = k
		}
	}
	return first
}

// read finds how the storage of the source's item k is read to be item i.
func (m *model) read(i, k int) error {
	var t [2]*source.Tensor
	for side, n := range []int{i, k} {
		var err error
		t[side], err = m.sides[side].Open(m.items[side][n].Name)
		if err != nil {
			return err
		}
		defer t[side].Close()
	}
	to := pairing.Whole(t[0])
	from := pairing.Whole(t[1])
	budget := m.work.Budget(to.Bytes() + from.Bytes())
	r, err := pairing.Related(to, from, pairing.Search{SameElements: true, Budget: budget, Convert: m.sides[0].Convert})
	if err != nil || t[0].Layout.Numel() == 0 {
		return err
	}
	if budget.Out() {
		m.refuse(i, relate.NotFound(budget))
		return nil
	}
	if r != nil && r.Kind == relate.Same {
		return nil
	}
	if r == nil || !r.CanRead {
		m.refuse(i, "in an order that cannot be read")
		return nil
	}
	m.like[i].reading = &r.Reading
	return nil
}

// refuse notes why the source's item is none for item i.
func (m *model) refuse(i int, why string) {
	m.partner[i] = -1
	m.why[i] = why
}
