package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// checkpoint lists the tensors of a checkpoint.
type checkpoint struct {
	*inspect.Checkpoint
	shown []*inspect.CheckpointTensor // those that match, as --sort orders them
	each  bool                        // a line for each of them was asked for
	only  *report                     // of its tensor, if it has one and nothing else
}

// fewTensors are as many as have a line each on the first screen.
const fewTensors = 8

// newCheckpoint selects and sorts.
func newCheckpoint(k *source.Set, o *options, opts source.Options) (checkpoint, error) {
	if len(k.Findings) > 0 && k.Size == 0 {
		return checkpoint{}, fault.New(fault.Resource, "%s: %s", words.Quoted(k.Path), k.Findings[0]).WithHint("the files of an index are beside it")
	}
	r := checkpoint{Checkpoint: inspect.NewCheckpoint(k), each: o.match != "" || o.sort != ""}
	for i := range r.Tensors {
		matched, err := source.Matches(o.match, r.Tensors[i].Name)
		if err != nil {
			return r, err
		}
		if matched {
			r.shown = append(r.shown, &r.Tensors[i])
		}
	}
	if len(r.shown) == 0 && len(r.Tensors) > 0 {
		return r, fault.New(fault.Usage, "%s has no tensor that matches %s", words.Quoted(r.Source), words.Quoted(o.match)).
			WithHint("--match '*.weight' matches every name that ends so")
	}
	r.sort(o.sort)
	if len(k.Tensors) != 1 || len(k.Refused) > 0 || r.each {
		return r, nil
	}
	t, err := k.Only(k.Tensors[0].Name, opts)
	if fault.ClassOf(err) == fault.Usage && err != nil {
		return r, err
	}
	if err != nil {
		return r, nil // the line of the tensor says what is known of it
	}
	defer t.Close()
	r.only = &report{inspect.New(t)}
	if o.explain {
		r.only.Explain = r.only.Derive()
	}
	return r, nil
}

// sortings are the orders of --sort; without one it is the file's.
var sortings = []string{"name", "size", "storage", "unused"}

func (r checkpoint) sort(by string) {
	unused := func(t *inspect.CheckpointTensor) int64 {
		return r.Storages[t.Storage].NBytes - r.Storages[t.Storage].Used
	}
	order := map[string]func(a, b *inspect.CheckpointTensor) int{
		"name": func(a, b *inspect.CheckpointTensor) int { return cmp.Compare(a.Name, b.Name) },
		"size": func(a, b *inspect.CheckpointTensor) int { return cmp.Compare(b.NBytes, a.NBytes) },
		"storage": func(a, b *inspect.CheckpointTensor) int {
			return cmp.Or(cmp.Compare(a.Storage, b.Storage), cmp.Compare(a.Offset, b.Offset))
		},
		"unused": func(a, b *inspect.CheckpointTensor) int { return cmp.Compare(unused(b), unused(a)) },
	}
	if by != "" {
		slices.SortStableFunc(r.shown, order[by])
	}
}

// Warned are where an index and its files disagree.
func (r checkpoint) Warned() []string { return r.Warnings }

// Page has what is news of the checkpoint, and before it a line for each tensor, or for each type and memory format if they are many. Of one
// tensor it is that of the tensor, with what is news of the checkpoint.
func (r checkpoint) Page(p *cli.Page) {
	if r.only != nil {
		r.only.page(p, append([]string{r.Headline()}, r.FileNews()...))
		r.texts(p)
		return
	}
	p.Answer(r.Headline())
	if r.each || p.All() || len(r.Tensors) <= fewTensors {
		r.lines(p)
	} else {
		t := render.Table{Header: []string{"dtype", "format", "tensors", "size", "names"}, Numbers: []int{2, 3}}
		groups := r.Groups()
		for i, g := range groups {
			if i == fewTensors {
				p.Section(t)
				p.Remarks(words.Count(len(groups)-i, "group") + " more")
				t.Header = nil
				break
			}
			t.Add(words.Shorten(g.DType), g.Format, strconv.Itoa(g.Tensors), words.ShortBytes(g.NBytes), namesOf(g))
		}
		if t.Header != nil {
			p.Section(t)
		}
	}
	p.Remarks(r.News()...)
	r.texts(p)
	p.More("--all", "--match PATTERN", "--sort size")
}

// namesOf are the first and the last name of a group.
func namesOf(g inspect.Group) string {
	short := func(name string) string {
		if r := []rune(name); len(r) > 20 {
			name = string(r[:5]) + "…" + string(r[len(r)-14:])
		}
		return words.Quote(name)
	}
	if g.Tensors == 1 {
		return short(g.First)
	}
	return short(g.First) + " … " + short(g.Last)
}

// maxTexts is how many of a file's texts about itself --all shows; JSON has all.
const maxTexts = 100

// texts writes what the file says of itself, with --all.
func (r checkpoint) texts(p *cli.Page) {
	if !p.All() || len(r.Metadata) == 0 {
		return
	}
	t := render.Table{Title: "Metadata", Header: []string{"key", "value"}}
	for _, m := range r.Metadata[:min(maxTexts, len(r.Metadata))] {
		t.Add(words.Shorten(words.Quote(m.Key)), words.Quote(words.Cut(m.Value, 200)))
	}
	if more := len(r.Metadata) - maxTexts; more > 0 {
		t.Add("…", fmt.Sprintf("%d more; --json has all", more))
	}
	p.Section(t)
}

// lines has a line for each tensor.
func (r checkpoint) lines(p *cli.Page) {
	if len(r.shown) == 0 {
		return
	}
	p.Blank()
	w := &measured{page: p, columns: render.Columns{Header: strings.Split("name,dtype,shape,strides,format,size,storage,shares", ","), Numbers: []int{5}},
		drop: [][]int{{5}, {6}, {1}}}
	for _, t := range r.shown {
		shares, storage := "", ""
		first, n := r.Shares(t)
		if n > 0 {
			storage = words.Shorten(words.Quote(r.Storages[t.Storage].ID))
		}
		switch {
		case n > 1:
			shares = strconv.Itoa(n) + " others"
		case n == 1:
			shares = words.Shorten(words.Quote(first))
		}
		dtype := cmp.Or(strings.SplitN(t.Encoding, ":", 2)[0], t.DType)
		p.Fail(w.Row(words.Shorten(words.Quote(cmp.Or(t.Name, "(the tensor)"))), words.Shorten(dtype), tensor.Tuple(t.Shape), tensor.Tuple(t.Strides), t.Format,
			words.ShortBytes(t.NBytes), storage, shares))
	}
	p.Fail(w.Close())
	p.Blank()
}

// Rows has one row for each tensor.
func (r checkpoint) Rows() render.Table {
	t := render.Table{Header: strings.Split("source,name,dtype,shape,strides,offset,memory_format,nbytes,data_offset,storage,storage_bytes,used_bytes", ",")}
	for _, x := range r.shown {
		s, at := r.Storages[x.Storage], strconv.FormatInt(x.DataOffset, 10)
		if x.InPickle {
			at = ""
		}
		t.Add(words.Quote(r.Source), words.Quote(x.Name), x.DType, words.Ints(x.Shape, ", "), words.Ints(x.Strides, ", "), strconv.Itoa(x.Offset),
			x.Format, strconv.FormatInt(x.NBytes, 10), at, words.Quote(s.ID), strconv.FormatInt(s.NBytes, 10),
			strconv.FormatInt(s.Used, 10))
	}
	return t
}
