package inspectcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// checkpoint is the report on a checkpoint, with the tensors to list.
type checkpoint struct {
	*inspect.Checkpoint
	shown []*inspect.CheckpointTensor // matching tensors, in --sort order
	each  bool                        // --match or --sort asks for a line per tensor
	only  *report                     // report of the tensor, if it is all that the checkpoint has
}

// fewTensors is the number of tensors that always have a line each on the first screen.
const fewTensors = 8

// newCheckpoint selects and sorts the tensors.
func newCheckpoint(k *source.Set, o *options, opts source.Options) (checkpoint, error) {
	if len(k.Findings) > 0 && k.Size == 0 {
		return checkpoint{}, fault.New(fault.Resource, "%s: %s", k.Path, k.Findings[0]).WithHint("keep the files of an index in its folder")
	}
	r := checkpoint{Checkpoint: inspect.NewCheckpoint(k), each: len(o.match.Patterns) > 0 || o.sort != ""}
	names := make([]string, len(r.Tensors))
	for i := range r.Tensors {
		names[i] = r.Tensors[i].Name
		if o.match.Selects(names[i]) {
			r.shown = append(r.shown, &r.Tensors[i])
		}
	}
	if err := o.checkIdle(k.Path, names); err != nil {
		return r, err
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
		return r, nil // the tensor's line has all that is known
	}
	defer t.Close()
	r.only = &report{inspect.New(t)}
	if o.explain {
		r.only.Explain = r.only.Derive()
	}
	return r, nil
}

// sortings are the values of --sort; the default is the file's order.
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

// Page writes a line per tensor if they fit the terminal, otherwise counts by type and memory format, then the highlights. For a single tensor it
// writes that tensor's page, with the highlights of the checkpoint.
func (r checkpoint) Page(p *cli.Page) {
	if r.only != nil {
		r.only.page(p, append([]string{r.Headline()}, r.FileHighlights()...))
		r.texts(p)
		return
	}
	p.Answer(r.Headline())
	news := r.Highlights()
	shown := r.shown
	counts := r.counts()
	if n := fitting(p, len(shown), len(news), len(counts)); n < len(shown) && !r.each {
		shown = shown[:n]
		news = append(counts, news...)
	}
	r.lines(p, shown)
	p.Remarks(news...)
	r.texts(p)
	p.More("--all", "--match PATTERN", "--sort size")
}

// linesAround is the number of lines on a checkpoint's page besides tensors and highlights: the answer, the header, blank lines, the last line and
// the prompt.
const linesAround = 7

// fitting returns how many of n tensors have a line beside other lines of a page: all, if they fit or --all is given, else those beside counts.
func fitting(p *cli.Page, n, others, counts int) int {
	room := p.Height() - others - linesAround
	if p.All() || n <= max(fewTensors, room) {
		return n
	}
	return max(fewTensors, room-counts-1)
}

// maxCounts limits the types and memory formats counted on the first screen.
const maxCounts = 4

// counts lists how many tensors have each type and memory format, largest first.
func (r checkpoint) counts() (lines []string) {
	groups := r.Groups()
	for i, g := range groups {
		if i == maxCounts {
			return append(lines, fmt.Sprintf("%d more types and formats", len(groups)-i))
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s, %s", text.Shorten(g.DType), g.Format, text.Count(g.Tensors, "tensor"), text.ShortBytes(g.NBytes)))
	}
	return lines
}

// maxTexts limits the metadata texts that --all shows; JSON has all.
const maxTexts = 100

// texts writes the file's metadata, with --all.
func (r checkpoint) texts(p *cli.Page) {
	if !p.All() || len(r.Metadata) == 0 {
		return
	}
	t := render.Table{Title: "Metadata", Header: []string{"key", "value"}}
	for _, m := range r.Metadata[:min(maxTexts, len(r.Metadata))] {
		t.Add(text.Shorten(text.Quote(m.Key)), text.Quote(text.Cut(m.Value, 200)))
	}
	if more := len(r.Metadata) - maxTexts; more > 0 {
		t.Add("…", fmt.Sprintf("%d more; use --json for all", more))
	}
	p.Section(t)
}

// lines writes a line per shown tensor, and how many are not shown.
func (r checkpoint) lines(p *cli.Page, shown []*inspect.CheckpointTensor) {
	if len(shown) == 0 {
		return
	}
	p.Blank()
	w := &measured{page: p, names: 2, columns: render.Columns{Header: strings.Split("name,dtype,shape,strides,format,size,slices,storage,shares", ","), Numbers: []int{5}},
		drop: [][]int{{7}, {3}, {5}}}
	for _, t := range shown {
		storage, shares := r.sharing(t)
		dtype := cmp.Or(strings.SplitN(t.Encoding, ":", 2)[0], t.DType)
		p.Fail(w.Row(text.Shorten(text.Quote(cmp.Or(t.Name, "(the tensor)"))), text.Shorten(dtype), tensor.Tuple(t.Shape), tensor.Tuple(t.Strides), t.Format,
			text.ShortBytes(t.NBytes), inspect.SlicesText(r.Storages[t.Storage].Slices), storage, shares))
	}
	if more := len(r.shown) - len(shown); more > 0 {
		p.Fail(w.end("", more))
	}
	p.Fail(w.Close())
	p.Blank()
}

// sharing returns the storage of a tensor that shares one, and the tensors it shares it with.
func (r checkpoint) sharing(t *inspect.CheckpointTensor) (storage, others string) {
	first, n := r.Shares(t)
	if n == 0 {
		return "", ""
	}
	storage = text.Shorten(text.Quote(r.Storages[t.Storage].ID))
	if n == 1 {
		return storage, text.Shorten(text.Quote(first))
	}
	return storage, strconv.Itoa(n) + " others"
}

// Rows has one row per tensor.
func (r checkpoint) Rows() render.Table {
	t := render.Table{Header: strings.Split("source,name,dtype,shape,strides,storage_offset,memory_format,nbytes,data_offset,storage_id,storage_bytes,used_bytes", ",")}
	for _, x := range r.shown {
		s := r.Storages[x.Storage]
		at := strconv.FormatInt(x.DataOffset, 10)
		if x.InPickle || s.Slices != nil {
			at = ""
		}
		t.Add(text.Quote(r.Source), text.Quote(x.Name), x.DType, text.Ints(x.Shape, ", "), text.Ints(x.Strides, ", "), strconv.Itoa(x.Offset),
			x.Format, strconv.FormatInt(x.NBytes, 10), at, text.Quote(s.ID), strconv.FormatInt(s.NBytes, 10),
			strconv.FormatInt(s.Used, 10))
	}
	return t
}
